# SPDX-License-Identifier: Apache-2.0
"""The core in this folder between the bus models of MODELS_FILE, in its clocks.  TEST_FILE has the tests."""

from __future__ import annotations

import random
from collections import deque
from itertools import cycle
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, Timer, with_timeout
from cocotbext.axi import (
    ApbBus,
    ApbMaster,
    AxiLiteBus,
    AxiLiteMaster,
    AxiResp,
    AxiStreamBus,
    AxiStreamFrame,
    AxiStreamSource,
)
from COVERAGE_MODULE import has, met, waits_for
from MODELS_MODULE import (
    CHANNELS,
    LIMIT,
    PERIODS,
    REGISTERS,
    TOLD,
    WORD,
    Interleaved,
    Packets,
    Registered,
    Segments,
    Streamed,
    WordBus,
    WordSource,
    field,
    wanted,
    whole,
)

SEED = whole("SEED", random.randrange(1 << 32))

STALLS = {
    "s_axis_cmd": "commands", "s_axis": "data in", "m_axis": "data out", "m_axis_status": "status", "s_axis_key": "keys",
    "pdi": "data in", "do": "data out", "sdi": "keys",
}  # fmt: skip
"""Streams whose pauses are points of coverage."""

RESET = TOLD["reset"]
"""The port of the reset, whether it is active high, and whether it may come at any time."""


class Bench:
    """The core between bus models, after a reset."""

    def __init__(self, dut):
        self.dut, self.rng, self.last = dut, random.Random(SEED), None
        dut._log.info("SEED=%d", SEED)
        self.reset_pin = {"reset": getattr(dut, RESET["port"]), "reset_active_level": RESET["high"]}
        self.streams: dict[str, Any] = {}
        self.registers = None
        if REGISTERS:
            kind, bus, name = (ApbMaster, ApbBus, "s_apb") if TOLD["apb"] else (AxiLiteMaster, AxiLiteBus, "s_axil")
            self.registers = kind(bus.from_prefix(dut, name), self.clock(name), **self.reset_pin)
        self.packets: Any
        self.words: Any
        if TOLD["lwc"]:
            self.keys = self.model(WordSource, "sdi", WordBus)
            self.packets = self.words = Segments(self)
        else:
            self.keys = None if REGISTERS else self.model(AxiStreamSource, "s_axis_key")
            self.packets = Packets(self) if CHANNELS == 1 else Interleaved(self)
            self.words = Registered(self) if "command_data" in REGISTERS else Streamed(self)

    def clock(self, name: str):
        """The clock of a bus."""
        return getattr(self.dut, TOLD["clocks"].get(name, "aclk"))

    def erasure(self, name: str):
        """The output that tells of an erasure in the clock of a bus."""
        return getattr(self.dut, TOLD["erasures"][TOLD["clocks"].get(name, "aclk")])

    def model(self, kind, name: str, bus=AxiStreamBus):
        """A model of a stream."""
        # Without ``tkeep``, the model of a packet cannot tell how many bytes the bus has.
        wide = {} if bus is not AxiStreamBus or hasattr(self.dut, f"{name}_tkeep") else {"byte_lanes": self.lanes(name)}
        self.streams[name] = kind(bus.from_prefix(self.dut, name), self.clock(name), **self.reset_pin, **wide)
        return self.streams[name]

    def pin(self, name: str, signal: str) -> Any:
        """A pin of a stream; None if there is none.  Names of AXI4-Stream have a ``t`` before their signal."""
        found = (getattr(self.dut, f"{name}_{mark}{signal}", None) for mark in ("t", ""))
        return next((pin for pin in found if pin is not None), None)

    def lanes(self, name: str) -> int:
        """Bytes of a bus."""
        return len(getattr(self.dut, f"{name}_tdata")) // 8

    @classmethod
    async def started(cls, dut, pause: float = 0.0) -> Bench:
        """A bench whose buses pause with a probability."""
        for name in TOLD["periods"]:
            Clock(getattr(dut, name), PERIODS[name], "ns").start()
        dut.zeroize.value = 0
        bench = cls(dut)
        bench.hold_reset(True)
        await ClockCycles(dut.aclk, 3)
        await bench.reset()
        for name in TOLD["watched"]:
            cocotb.start_soon(bench.watch(name))
        for name, about in STALLS.items():
            cocotb.start_soon(bench.stalls(name, about))
        if pause:
            for stream in bench.streams.values():
                stream.set_pause_generator(cycle([bench.rng.random() < pause for _ in range(101)]))
        return bench

    def hold_reset(self, active: bool) -> None:
        """Sets the pin of the reset."""
        getattr(self.dut, RESET["port"]).value = int(active == RESET["high"])

    async def reset(self) -> None:
        """A reset.  What waits in the bus models is dropped.  One that may come at any time is a short pulse between two edges.

        The host of the registers is in reset until the core has erased itself: until the reset has come to the core, it answers accesses of
        before, and it loses those that come until it is out of reset.
        """
        self.words.stop()
        if RESET["asynchronous"]:
            await Timer(self.rng.randrange(1, 20_000), "ps")
        self.hold_reset(True)
        # A queue, and a core whose reset is caught, may give what they have until the reset has come to them.
        later = [name for name in TOLD["erasures"] if name != "aclk" or RESET["asynchronous"]]
        tasks = [cocotb.start_soon(self.dropped(name)) for name in later]
        self.hold_registers(True)
        if RESET["asynchronous"]:
            await Timer(self.rng.randrange(10, 2_000), "ps")
        else:
            await ClockCycles(self.dut.aclk, 3)
        self.clear()
        self.hold_reset(False)
        await self.erased(tasks)

    def hold_registers(self, held: bool) -> None:
        """Holds the host of the registers in reset."""
        if self.registers is None:
            return
        models = [self.registers]
        if not TOLD["apb"]:
            # The model of AXI4-Lite passes no reset on to its channels.
            write, read = self.registers.write_if, self.registers.read_if
            models = [write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel, write, read]
        for model in models:
            model.assert_reset(held)

    def clear(self) -> None:
        """Drops what waits in the bus models."""
        for model in self.streams.values():
            model.clear()
        self.words.clear()
        self.packets.clear()

    async def zeroize(self) -> None:
        """An erasure.  What is being sent is broken off, and what waits in the bus models is dropped."""
        self.words.stop()
        self.dut.zeroize.value = 1
        await RisingEdge(self.dut.aclk)
        self.drop("aclk")
        tasks = [cocotb.start_soon(self.dropped(name)) for name in TOLD["erasures"] if name != "aclk"]
        self.dut.zeroize.value = 0
        await self.erased(tasks)

    async def dropped(self, clock: str) -> None:
        """Waits until an erasure holds the buses of a clock, and breaks off what is being sent there."""
        clock_pin, pin = getattr(self.dut, clock), getattr(self.dut, TOLD["erasures"][clock])
        while pin.value != 1:
            await RisingEdge(clock_pin)
        self.drop(clock)

    def drop(self, clock: str) -> None:
        """Breaks off what is being sent in a clock, and drops what waits there."""
        for name, model in self.streams.items():
            if TOLD["clocks"].get(name, "aclk") == clock:
                model.clear()
                model.assert_reset(True)
                model.assert_reset(False)

    async def erased(self, tasks) -> None:
        """Waits until an erasure has come to all clocks and is over."""
        for task in tasks:
            await with_timeout(task, LIMIT, "ns")
        self.words.clear()
        self.packets.clear()
        await self.idle()
        self.hold_registers(False)
        self.words.start()

    async def works_again(self) -> None:
        """After an erasure, the core has no key, and works with new ones."""
        await self.run(TOLD["before"])
        met("erasure", "no key")
        await self.load_all()
        await self.run(TOLD["after"])
        met("erasure", "new keys")

    async def idle(self) -> None:
        """Waits until no erasure is in progress."""
        await ClockCycles(self.dut.aclk, 2)
        while any(getattr(self.dut, pin).value != 0 for pin in TOLD["erasures"].values()):
            await RisingEdge(self.dut.aclk)

    async def settle(self) -> None:
        """Waits until what the core has done is seen in all clocks."""
        await ClockCycles(self.dut.aclk, 3)
        if len(PERIODS) > 1:
            await Timer(round(10_000 * max(PERIODS.values())), "ps")

    def hold(self, held: bool) -> None:
        """Takes no results."""
        self.packets.sink.pause = held
        self.words.hold(held)

    async def watch(self, name: str) -> None:
        """What is offered on an output stays until it is taken, and no payload is there without ``tvalid``."""
        pins = [getattr(self.dut, pin) for pin in TOLD["watched"][name]]
        valid, ready = self.pin(name, "valid"), self.pin(name, "ready")
        clock, erasure, reset = self.clock(name), self.erasure(name), self.reset_pin["reset"]
        asked = [erasure, *([self.dut.zeroize] if erasure is self.dut.zeroizing else [])]
        waits = None
        while True:
            await RisingEdge(clock)
            if reset.value == RESET["high"] or any(int(pin.value) for pin in asked):
                waits = None
                continue
            offered = [pin.value for pin in pins]
            if not int(valid.value):
                assert waits is None, f"{name}: a beat was withdrawn"
                assert not any(map(int, offered)), f"{name}: a payload without tvalid"
                continue
            assert waits is None or waits == offered, f"{name}: a beat changed while it waited"
            waits = None if int(ready.value) else offered

    async def stalls(self, name: str, about: str) -> None:
        """Looks for pauses of a stream, as long as there are points that ask for them."""
        wait, pause = f"{about} wait{'' if about.endswith('s') and about != 'status' else 's'}", f"{about} pauses"
        valid, ready, last = (self.pin(name, signal) for signal in ("valid", "ready", "last"))
        within, clock, erasure = name in ("m_axis", "do"), self.clock(name), self.erasure(name)
        while valid is not None and (waits_for("stall", wait) or waits_for("stall", pause)):
            await RisingEdge(clock)
            offered, taken = int(valid.value), int(ready.value)
            if offered and not taken and has("stall", wait) and not int(erasure.value):
                met("stall", wait)
            if within and taken and not offered and has("stall", pause):
                met("stall", pause)
            # A source that has nothing to send does not pause.
            if offered and taken and name == "s_axis":
                within = not int(last.value)

    async def send_long(self) -> int:
        """Sends four commands, with packets of several beats if there are any.  Returns the number of beats that end no packet."""
        cases = ([case for case in TOLD["after"] if not case["code"] and len(case["sent"]) > 1] or TOLD["after"])[:4]
        await self.send(cases)
        return sum(len(case["sent"]) - 1 for case in cases)

    async def within_a_packet(self, beats: int) -> bool:
        """Waits until some of so many beats that end no packet have been taken.  Returns False if there are none."""
        left, clock = min(self.rng.randrange(1, 6), beats), self.clock("s_axis")
        pins: list[Any] = [None if name is None else getattr(self.dut, name) for name in self.packets.IN]
        valid, ready, last = pins
        while not self.packets.source.idle():
            await RisingEdge(clock)
            if int(valid.value) and int(ready.value) and not (last is not None and int(last.value)):
                left -= 1
                if not left:
                    return True
        return False

    async def read(self, name: str) -> int:
        """A register."""
        answer = await self.registers.read(REGISTERS[name], WORD)
        assert answer.resp == AxiResp.OKAY, f"a read of {name} was refused"
        return int.from_bytes(answer.data, "little")

    async def write(self, name: str, value, offset: int = 0) -> None:
        """Writes a register, or bytes to several that follow each other."""
        data = value.to_bytes(WORD, "little") if isinstance(value, int) else value
        answer = await self.registers.write(REGISTERS[name] + offset, data)
        assert answer.resp == AxiResp.OKAY, f"a write of {name} was refused"

    async def load(self, slot: int, key: str) -> None:
        """Loads a key and waits until it is ready."""
        data = bytes.fromhex(key)
        if self.registers is None:
            await self.keys.send(AxiStreamFrame(data, tdest=slot, tuser=0))
            await self.keys.wait()
        else:
            await self.write("key_data", data.ljust(-(-len(data) // WORD) * WORD, b"\0"))
            for name, value in (("key_length", len(data)), ("key_send", slot)):
                await self.write(name, value)
            while await self.read("state") & 8:
                pass
        await self.settle()
        while await self.busy():
            pass

    async def erase(self, slot: int) -> None:
        """Erases the key of a slot, and waits until nothing is left of it."""
        if self.registers is None:
            await self.keys.send(AxiStreamFrame(bytes(16), tdest=slot, tuser=1))
            await self.keys.wait()
        else:
            await self.write("key_send", slot | 1 << 16)
            while await self.read("state") & 8:
                pass
        await self.settle()
        while await self.busy():
            pass

    async def key_error(self) -> bool:
        """Whether the core has refused the last key packet."""
        return bool(await self.read("state") & 4) if self.registers is not None else bool(int(self.dut.key_error.value))

    async def busy(self) -> bool:
        """Whether the core is processing a key packet."""
        if self.registers is not None:
            return bool(await self.read("state") & 2)
        await RisingEdge(self.clock("s_axis_key"))
        return bool(int(self.dut.key_busy.value))

    async def load_all(self) -> None:
        """Loads all keys."""
        for slot, key in TOLD["keys"]:
            await self.load(slot, key)
            met("key", "loaded")

    async def send_key(self, key: bytes) -> None:
        """Sends a key that comes with a message."""
        for one in self.words.words(key) if TOLD["lwc"] else [AxiStreamFrame(key, tuser=0)]:
            await self.keys.send(one)

    async def send(self, cases) -> None:
        """Sends commands and packets, and the keys that come with them."""
        for case in await self.packets.send(cases):
            if case["key"]:
                await self.send_key(bytes.fromhex(case["key"]))
                met("key", "with a message")
            await self.words.send(bytes.fromhex(case["command"]))

    async def run(self, cases, rounds: int = 1) -> None:
        """Sends commands and packets, and compares what comes back.

        Rounds follow each other without a pause.  From the second one on, commands have numbers that run through all rounds, and another
        order, if their keys do not come with them.
        """
        waiting: dict[int, deque[Any]] = {}
        for number in range(rounds + 1):
            if number < rounds:
                rows = self.numbered(cases, number) if number else cases
                for at, case in enumerate(rows):
                    waiting.setdefault(case["channel"], deque()).append((f"round {number}, command {at}", case))
                await self.send(rows)
            for _ in cases if number else ():
                await self.result(waiting)
        await ClockCycles(self.dut.aclk, 100)
        await self.settle()
        assert self.packets.empty() and self.words.empty(), "something came that nobody asked for"

    def numbered(self, cases, number: int) -> list[Any]:
        """The commands of a further round."""
        if "number" not in TOLD["status"]:
            return cases
        rows = [*cases]
        if TOLD["keys"]:
            self.rng.shuffle(rows)
        low, width = TOLD["command_fields"]["number"]
        for at, case in enumerate(rows):
            old, new = int.from_bytes(bytes.fromhex(case["command"]), "little"), number * len(rows) + at & (1 << width) - 1
            command = old & ~((1 << width) - 1 << low) | new << low
            rows[at] = {**case, "command": command.to_bytes(len(case["command"]) // 2, "little").hex()}
        return rows

    async def result(self, waiting) -> None:
        """Compares one status, and its packet."""
        status, told = await self.words.recv()
        channel = field(status, "channel") if "channel" in TOLD["status"] else 0
        assert waiting.get(channel), f"a status on channel {channel} without a command"
        about, case = waiting[channel].popleft()
        command = bytes.fromhex(case["command"])
        if "number" in TOLD["status"]:
            assert field(status, "number") == field(command, "number", "command_fields"), f"{about}: the status of another command"
        assert field(status, "code") == case["code"], f"{about}: code {field(status, 'code')}, not {case['code']}"
        if case["tag"]:
            assert field(status, "tag") == int.from_bytes(bytes.fromhex(case["tag"]), "little"), f"{about}: wrong tag"
        if case["wanted"]:
            beats, came = await self.packets.recv(channel)
            assert beats == wanted(case["wanted"]), f"{about}: wrong data"
            assert came <= told, f"{about}: a status before the end of its data"
        self.met(case, command)

    def met(self, case, command: bytes) -> None:
        """Counts the points of a command whose result was right."""
        for point in case["points"]:
            met(*point.split(".", 1))
        now = {name: field(command, name, "command_fields") for name in TOLD["command_fields"] if name != "number"}
        now["right"] = not case["code"]
        if self.last is not None:
            old, new = ("right" if one["right"] else "wrong" for one in (self.last, now))
            met("order", f"{new} after {old}")
            for name, point in (("decrypt", "other direction"), ("slot", "other slot"), ("size", "other size")):
                if now["right"] and self.last["right"] and now.get(name) != self.last.get(name) and has("order", point):
                    met("order", point)
        self.last = now
