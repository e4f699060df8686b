# SPDX-License-Identifier: Apache-2.0
"""Drives the core in this folder with the bus models of cocotbext-axi.

    pip install cocotb cocotbext-axi
    python THIS_FILE              with Icarus Verilog; verilator for Verilator; exit status 1 if a test fails

The file of this name with ``.json`` has keys, commands and packets, and what must come back.  In your own flow, give the name of this file
to cocotb as the test module.  SEED chooses the pauses of the buses, and is logged.  ROUNDS is how often all commands are sent.
"""

from __future__ import annotations

import json
import os
import random
import sys
from contextlib import suppress
from itertools import cycle
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

HERE = Path(__file__).resolve()
TOLD = json.loads(HERE.with_suffix(".json").read_text(encoding="utf-8"))
SEED = int(os.environ.get("SEED") or random.randrange(1 << 32))
ROUNDS = int(os.environ.get("ROUNDS") or 1)
PERIOD = 10
"""Nanoseconds of a cycle."""

REGISTERS = TOLD["registers"]
"""Addresses of registers by name.  It is empty if keys come over a stream."""


def frame(beats, **more):
    """A packet: every beat is as wide as its bus, and ``tkeep`` tells which bytes are there."""
    data = b"".join(bytes.fromhex(data) for data, _ in beats)
    lanes = len(data) // len(beats)
    return AxiStreamFrame(data, tkeep=[keep >> lane & 1 for _, keep in beats for lane in range(lanes)], **more)


def seen(got, lanes):
    """The bytes of each beat that are there, and its ``tkeep``."""
    data, beats = bytes(got.tdata), []
    for at in range(0, len(data), lanes):
        kept = list(got.tkeep[at : at + lanes])
        beats.append((bytes(byte * keep for byte, keep in zip(data[at : at + lanes], kept, strict=True)).hex(), kept))
    return beats


def wanted(beats):
    """The same of beats that must come."""
    rows = []
    for text, keep in beats:
        data = bytes.fromhex(text)
        kept = [keep >> lane & 1 for lane in range(len(data))]
        rows.append((bytes(byte * bit for byte, bit in zip(data, kept, strict=True)).hex(), kept))
    return rows


def field(data: bytes, name: str, of: str = "status") -> int:
    """A field of a status or of a command."""
    low, width = TOLD[of][name]
    return int.from_bytes(data, "little") >> low & (1 << width) - 1


class Bench:
    """The core between bus models, after a reset."""

    def __init__(self, dut):
        self.dut, self.rng = dut, random.Random(SEED)
        dut._log.info("SEED=%d", SEED)
        reset = {"reset": dut.aresetn, "reset_active_level": False}

        def model(kind, name: str):
            # Without ``tkeep``, the model cannot tell how many bytes the bus has.
            wide = {} if hasattr(dut, f"{name}_tkeep") else {"byte_lanes": self.lanes(name)}
            return kind(AxiStreamBus.from_prefix(dut, name), dut.aclk, **reset, **wide)

        self.commands, self.source = model(AxiStreamSource, "s_axis_cmd"), model(AxiStreamSource, "s_axis")
        self.sink, self.statuses = model(AxiStreamSink, "m_axis"), model(AxiStreamSink, "m_axis_status")
        self.registers = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.aclk, **reset) if REGISTERS else None
        self.keys = None if REGISTERS else model(AxiStreamSource, "s_axis_key")

    def lanes(self, name: str) -> int:
        """Bytes of a bus."""
        return len(getattr(self.dut, f"{name}_tdata")) // 8

    @classmethod
    async def started(cls, dut, pause: float = 0.0) -> Bench:
        """A bench whose buses pause with a probability."""
        Clock(dut.aclk, PERIOD, "ns").start()
        dut.zeroize.value, dut.aresetn.value = 0, 0
        bench = cls(dut)
        await bench.reset()
        for name in ("m_axis", "m_axis_status"):
            cocotb.start_soon(bench.watch(name))
        if pause:
            for stream in (bench.commands, bench.source, bench.sink, bench.statuses, *([bench.keys] if bench.keys else [])):
                stream.set_pause_generator(cycle([bench.rng.random() < pause for _ in range(101)]))
        return bench

    async def reset(self) -> None:
        """A reset.  What waits in the bus models is dropped."""
        self.dut.aresetn.value = 0
        await ClockCycles(self.dut.aclk, 3)
        for stream in (self.commands, self.source, self.sink, self.statuses):
            stream.clear()
        self.dut.aresetn.value = 1
        await self.idle()

    async def idle(self) -> None:
        """Waits until no erasure is in progress."""
        await ClockCycles(self.dut.aclk, 2)
        while int(self.dut.zeroizing.value):
            await RisingEdge(self.dut.aclk)

    async def watch(self, name: str) -> None:
        """What is offered on an output stays until it is taken, and no payload is there without ``tvalid``."""
        pins = [getattr(self.dut, pin) for pin in TOLD["watched"][name]]
        valid, ready = getattr(self.dut, f"{name}_tvalid"), getattr(self.dut, f"{name}_tready")
        waits = None
        while True:
            await RisingEdge(self.dut.aclk)
            if not int(self.dut.aresetn.value) or int(self.dut.zeroizing.value) or int(self.dut.zeroize.value):
                waits = None
                continue
            offered = [pin.value for pin in pins]
            if not int(valid.value):
                assert waits is None, f"{name}: a beat was withdrawn"
                assert not any(map(int, offered)), f"{name}: a payload without tvalid"
                continue
            assert waits is None or waits == offered, f"{name}: a beat changed while it waited"
            waits = None if int(ready.value) else offered

    async def load(self, slot: int, key: str) -> None:
        """Loads a key and waits until it is ready."""
        data = bytes.fromhex(key)
        if self.registers is None:
            await self.keys.send(AxiStreamFrame(data, tdest=slot, tuser=0))
            await self.keys.wait()
        else:
            await self.registers.write(REGISTERS["key_data"], data.ljust(-(-len(data) // 4) * 4, b"\0"))
            for name, value in (("key_length", len(data)), ("key_send", slot)):
                await self.registers.write(REGISTERS[name], value.to_bytes(4, "little"))
            while (await self.registers.read(REGISTERS["state"], 4)).data[0] & 8:
                pass
        await ClockCycles(self.dut.aclk, 3)
        while await self.busy():
            pass

    async def busy(self) -> bool:
        """Whether the core is processing a key packet."""
        if self.registers is not None:
            return bool((await self.registers.read(REGISTERS["state"], 4)).data[0] & 2)
        await RisingEdge(self.dut.aclk)
        return bool(int(self.dut.key_busy.value))

    async def load_all(self) -> None:
        """Loads all keys."""
        for slot, key in TOLD["keys"]:
            await self.load(slot, key)

    async def run(self, cases, rounds: int = 1) -> None:
        """Sends commands and packets, and compares what comes back."""
        for number in range(rounds):
            for case in cases:
                await self.commands.send(AxiStreamFrame(bytes.fromhex(case["command"])))
                await self.source.send(frame(case["sent"]))
            for at, case in enumerate(cases):
                await self.result(case, f"round {number}, command {at}")
        await ClockCycles(self.dut.aclk, 100)
        assert self.sink.empty() and self.statuses.empty(), "something came that nobody asked for"

    async def result(self, case, about: str) -> None:
        """Compares one packet and its status."""
        limit = TOLD["most_cycles"] * PERIOD
        if case["wanted"]:
            got = await with_timeout(self.sink.recv(compact=False), limit, "ns")
            assert seen(got, self.lanes("m_axis")) == wanted(case["wanted"]), f"{about}: wrong data"
        status = bytes((await with_timeout(self.statuses.recv(compact=False), limit, "ns")).tdata)
        command = bytes.fromhex(case["command"])
        assert field(status, "number") == field(command, "number", "command_fields"), f"{about}: the status of another command"
        assert field(status, "code") == case["code"], f"{about}: code {field(status, 'code')}, not {case['code']}"
        if case["tag"]:
            assert field(status, "tag") == int.from_bytes(bytes.fromhex(case["tag"]), "little"), f"{about}: wrong tag"


@cocotb.test()
@cocotb.parametrize(pause=[0.0, 0.3, 0.8])
async def results(dut, pause: float) -> None:
    """Commands before any key is loaded, and then all others, back to back and with pauses on every bus."""
    bench = await Bench.started(dut, pause)
    await bench.run(TOLD["before"])
    await bench.load_all()
    await bench.run(TOLD["after"], ROUNDS)


@cocotb.test()
async def a_key_under_load(dut) -> None:
    """A key is loaded again and again while commands of another slot run."""
    bench = await Bench.started(dut, 0.2)
    await bench.load_all()
    first, *others = sorted({slot for slot, _ in TOLD["keys"]})
    cases = [case for case in TOLD["after"] if field(bytes.fromhex(case["command"]), "slot", "command_fields") == first]
    work = cocotb.start_soon(bench.run(cases))
    for slot, key in TOLD["keys"]:
        if slot in others:
            await bench.load(slot, key)
    await work
    await bench.run(TOLD["after"])


@cocotb.test()
async def reset_in_the_middle(dut) -> None:
    """A reset in the middle of packets erases keys; the core works again with new ones."""
    bench = await Bench.started(dut, 0.2)
    await bench.load_all()
    for case in TOLD["after"][:4]:
        await bench.commands.send(AxiStreamFrame(bytes.fromhex(case["command"])))
        await bench.source.send(frame(case["sent"]))
    await ClockCycles(dut.aclk, bench.rng.randrange(5, 60))
    await bench.reset()
    await bench.run(TOLD["before"])
    await bench.load_all()
    await bench.run(TOLD["after"])


@cocotb.test()
async def zeroize_behind_packets(dut) -> None:
    """An erasure drops results that wait, and keys; the core works again with new ones."""
    bench = await Bench.started(dut)
    await bench.load_all()
    bench.sink.pause = bench.statuses.pause = True
    case = TOLD["after"][0]
    await bench.commands.send(AxiStreamFrame(bytes.fromhex(case["command"])))
    await bench.source.send(frame(case["sent"]))
    await bench.commands.wait()
    await bench.source.wait()
    await ClockCycles(dut.aclk, bench.rng.randrange(1, 60))
    dut.zeroize.value = 1
    await RisingEdge(dut.aclk)
    dut.zeroize.value = 0
    await bench.idle()
    bench.sink.pause = bench.statuses.pause = False
    await bench.run(TOLD["before"])
    await bench.load_all()
    await bench.run(TOLD["after"])


def main(simulator: str = "icarus") -> int:
    """Builds the core and runs all tests in a simulator."""
    from cocotb_tools.runner import get_results, get_runner

    work = Path(os.environ.get("BUILD_DIR") or HERE.parent / f"cocotb_{simulator}")
    runner = get_runner(simulator)
    sources, top = [HERE.parent / source for source in TOLD["sources"]], TOLD["top"]
    options = ["-Wno-fatal"] if simulator == "verilator" else []
    runner.build(sources=sources, hdl_toplevel=top, build_dir=work, build_args=options, timescale=("1ns", "1ps"), always=True)
    paths, told = os.pathsep.join([str(HERE.parent), *sys.path]), work / "results.xml"
    # The runner ends with an error if a test fails; the file tells how many.
    with suppress(SystemExit, RuntimeError):
        runner.test(
            test_module=HERE.stem, hdl_toplevel=top, build_dir=work, test_dir=work, results_xml=str(told),
            # The models log every packet, and use names of cocotb that will go.
            extra_env={
                "COCOTB_LOG_LEVEL": "WARNING", "PYTHONWARNINGS": "ignore::DeprecationWarning", **os.environ, "PYTHONPATH": paths,
                "SEED": str(SEED),
            },
        )  # fmt: skip
    count, failed = get_results(told)
    print(f"{count} tests, {failed} failed, SEED={SEED}")
    return int(failed > 0 or not count)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
