# SPDX-License-Identifier: Apache-2.0
"""The core in this folder between the bus models of cocotbext-axi.  TEST_FILE has the tests, CASES_FILE what is sent and must come back."""

from __future__ import annotations

import json
import os
import random
from collections import deque
from itertools import cycle
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.queue import Queue
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import (
    ApbBus,
    ApbMaster,
    AxiLiteBus,
    AxiLiteMaster,
    AxiResp,
    AxiStreamBus,
    AxiStreamFrame,
    AxiStreamSink,
    AxiStreamSource,
)
from cocotbext.axi.stream import define_stream
from COVERAGE_MODULE import has, met, waits_for

TOLD = json.loads(Path(__file__).resolve().with_name("CASES_FILE").read_text(encoding="utf-8"))
SEED = int(os.environ.get("SEED") or random.randrange(1 << 32))
PERIOD = 10
"""Nanoseconds of a cycle."""

LIMIT = TOLD["most_cycles"] * PERIOD
"""Nanoseconds in which a result comes."""

REGISTERS = TOLD["registers"]
"""Addresses of registers by name.  It is empty if keys come over a stream."""

CHANNELS = TOLD["channels"]
WORD = 4
"""Bytes of a register."""

STALLS = {"s_axis_cmd": "commands", "s_axis": "data in", "m_axis": "data out", "m_axis_status": "status", "s_axis_key": "keys"}
"""Streams whose pauses are points of coverage."""

PARTS = ("tdata", "tkeep", "tlast", "tid")
BeatBus, Beat, BeatSource, BeatSink, _ = define_stream("Beat", signals=[*PARTS, "tvalid", "tready"], optional_signals=["tuser"])
"""Models of single beats, for packets of several channels that interleave."""


def frame(beats, **more):
    """A packet: every beat is as wide as its bus, and ``tkeep`` tells which bytes are there."""
    data = b"".join(bytes.fromhex(data) for data, _ in beats)
    lanes = len(data) // len(beats)
    return AxiStreamFrame(data, tkeep=[keep >> lane & 1 for _, keep in beats for lane in range(lanes)], **more)


def seen(data: bytes, keeps, lanes: int):
    """The bytes of each beat that are there, and its ``tkeep``."""
    beats = []
    for at in range(0, len(data), lanes):
        kept = list(keeps[at : at + lanes])
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


class Packets:
    """Packets in and out of a core with one channel."""

    def __init__(self, bench: Bench):
        self.source, self.sink = bench.model(AxiStreamSource, "s_axis"), bench.model(AxiStreamSink, "m_axis")
        self.models, self.lanes = (self.source, self.sink), bench.lanes("m_axis")

    def clear(self) -> None:
        """Drops what waits."""
        for model in self.models:
            model.clear()

    async def send(self, cases) -> list:
        """Sends the packets of commands.  Returns the commands in the order of their packets."""
        for case in cases:
            await self.source.send(frame(case["sent"]))
        return cases

    def drop(self) -> None:
        """Breaks off what is being sent and what comes."""
        self.clear()
        for model in self.models:
            model.assert_reset(True)
            model.assert_reset(False)

    async def wait(self) -> None:
        """Waits until all has been sent."""
        await self.source.wait()

    def empty(self) -> bool:
        """Whether nothing has come."""
        return self.sink.empty()

    async def recv(self, channel: int):
        """The beats of a packet."""
        got = await with_timeout(self.sink.recv(compact=False), LIMIT, "ns")
        return seen(bytes(got.tdata), got.tkeep, self.lanes)


class Interleaved:
    """Packets in and out of a core with several channels: some beats of one, and then some of another."""

    def __init__(self, bench: Bench):
        self.rng, self.lanes = bench.rng, bench.lanes("m_axis")
        self.source, self.sink = (
            kind(BeatBus.from_prefix(bench.dut, name), bench.dut.aclk, **bench.reset_pin)
            for kind, name in ((BeatSource, "s_axis"), (BeatSink, "m_axis"))
        )
        self.models = (self.source, self.sink)
        self.clear()
        cocotb.start_soon(self.collect())

    def clear(self) -> None:
        """Drops what waits."""
        for model in self.models:
            model.clear()
        self.begun: dict[int, list[Any]] = {}
        self.whole: dict[int, Queue[Any]] = {}

    drop = Packets.drop

    async def collect(self) -> None:
        """Puts beats together to packets."""
        while True:
            beat = await self.sink.recv()
            data, keep = int(beat.tdata).to_bytes(self.lanes, "little"), int(beat.tkeep)
            channel = int(beat.tid)
            beats = self.begun.setdefault(channel, [])
            beats += seen(data, [keep >> lane & 1 for lane in range(self.lanes)], self.lanes)
            if int(beat.tlast):
                self.packets(channel).put_nowait(self.begun.pop(channel))

    def packets(self, channel: int) -> Queue:
        """What has come on a channel."""
        return self.whole.setdefault(channel, Queue())

    async def send(self, cases) -> list:
        """Sends the packets of commands.  Returns the commands in the order in which their packets begin."""
        left: dict[int, deque[Any]] = {}
        order: list[Any] = []
        for case in cases:
            rows = [(case, at, *beat) for at, beat in enumerate(case["sent"])]
            left.setdefault(case["channel"], deque()).extend(rows)
        while left:
            channel = self.rng.choice(sorted(left))
            for _ in range(min(len(left[channel]), self.rng.randint(1, 4))):
                case, at, data, keep = left[channel].popleft()
                last = at == len(case["sent"]) - 1
                value = int.from_bytes(bytes.fromhex(data), "little")
                await self.source.send(Beat(tdata=value, tkeep=keep, tlast=int(last), tid=channel))
                if not at:
                    order.append(case)
                    if any(rows and rows[0][1] for other, rows in left.items() if other != channel):
                        met("channel", "interleaved")
            if not left[channel]:
                del left[channel]
        return order

    async def wait(self) -> None:
        """Waits until all has been sent."""
        await self.source.wait()

    def empty(self) -> bool:
        """Whether nothing has come."""
        return self.sink.empty() and not self.begun and all(one.empty() for one in self.whole.values())

    async def recv(self, channel: int):
        """The beats of a packet."""
        return await with_timeout(self.packets(channel).get(), LIMIT, "ns")


class Streamed:
    """Commands and statuses over their streams."""

    def __init__(self, bench: Bench):
        self.commands, self.statuses = bench.model(AxiStreamSource, "s_axis_cmd"), bench.model(AxiStreamSink, "m_axis_status")
        self.models = (self.commands, self.statuses)

    def start(self) -> None:
        """Nothing but the models runs."""

    stop = start

    def clear(self) -> None:
        """Drops what waits."""
        for model in self.models:
            model.clear()

    drop = Packets.drop

    async def send(self, command: bytes) -> None:
        """Sends a command."""
        await self.commands.send(AxiStreamFrame(command))

    async def wait(self) -> None:
        """Waits until all commands have been sent."""
        await self.commands.wait()

    def empty(self) -> bool:
        """Whether no status has come."""
        return self.statuses.empty()

    async def recv(self) -> bytes:
        """A status."""
        return bytes((await with_timeout(self.statuses.recv(compact=False), LIMIT, "ns")).tdata)

    def hold(self, held: bool) -> None:
        """Takes no status."""
        self.statuses.pause = held


class Registered:
    """Commands and statuses over registers: a command is submitted when the core can take it, and statuses are polled."""

    models = ()

    def __init__(self, bench: Bench):
        self.bench, self.held = bench, False
        self.task: Any = None
        self.clear()

    def start(self) -> None:
        """Begins to serve."""
        self.task = cocotb.start_soon(self.serve())

    def stop(self) -> None:
        """Ends it.  An access that has begun goes on."""
        if self.task is not None:
            self.task.cancel()
            self.task = None

    def clear(self) -> None:
        """Drops what waits."""
        self.left: deque[bytes] = deque()
        self.came: Queue[bytes] = Queue()

    drop = clear

    async def serve(self) -> None:
        """Submits and polls."""
        while True:
            if self.left:
                state = await self.bench.read("command_state")
                if state & 1:
                    met("commands", "busy")
                else:
                    await self.submit(self.left[0])
                    self.left.popleft()
                    met("commands", "submitted")
                if state >> 16 & 0xFF > 1:
                    met("commands", "several")
            if self.held or not await self.poll():
                await RisingEdge(self.bench.dut.aclk)

    async def submit(self, command: bytes) -> None:
        """Writes a command.  Words that are not written are zero."""
        for at in range(0, len(command), WORD):
            if any(word := command[at : at + WORD]):
                await self.bench.write("command_data", word, at)
        await self.bench.write("command_submit", 1)

    async def poll(self) -> bool:
        """Takes a status, if there is one."""
        status = await self.bench.read("status")
        if not status >> 7 & 1:
            met("commands", "none")
            return False
        met("commands", "polled")
        tags = [name for name in (f"status_tag{at}" for at in range(4)) if name in REGISTERS]
        tag = b"".join([(await self.bench.read(name)).to_bytes(WORD, "little") for name in tags])
        self.came.put_nowait(tag + (status >> 16).to_bytes(2, "little") + bytes([status & 0x7F, status >> 8 & 0xFF]))
        return True

    async def send(self, command: bytes) -> None:
        """Queues a command."""
        self.left.append(command)

    async def wait(self) -> None:
        """Waits until all commands have been submitted."""
        while self.left:
            await RisingEdge(self.bench.dut.aclk)

    def empty(self) -> bool:
        """Whether no status has come."""
        return self.came.empty()

    async def recv(self) -> bytes:
        """A status."""
        return await with_timeout(self.came.get(), LIMIT, "ns")

    def hold(self, held: bool) -> None:
        """Takes no status."""
        self.held = held


class Bench:
    """The core between bus models, after a reset."""

    def __init__(self, dut):
        self.dut, self.rng, self.last = dut, random.Random(SEED), None
        dut._log.info("SEED=%d", SEED)
        self.reset_pin = {"reset": dut.aresetn, "reset_active_level": False}
        self.registers = None
        if REGISTERS:
            kind, bus, name = (ApbMaster, ApbBus, "s_apb") if TOLD["apb"] else (AxiLiteMaster, AxiLiteBus, "s_axil")
            self.registers = kind(bus.from_prefix(dut, name), dut.aclk, **self.reset_pin)
        self.keys = None if REGISTERS else self.model(AxiStreamSource, "s_axis_key")
        self.packets = Packets(self) if CHANNELS == 1 else Interleaved(self)
        self.words = Registered(self) if "command_data" in REGISTERS else Streamed(self)

    def model(self, kind, name: str):
        """A model of a stream."""
        # Without ``tkeep``, the model cannot tell how many bytes the bus has.
        wide = {} if hasattr(self.dut, f"{name}_tkeep") else {"byte_lanes": self.lanes(name)}
        return kind(AxiStreamBus.from_prefix(self.dut, name), self.dut.aclk, **self.reset_pin, **wide)

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
        for name in TOLD["watched"]:
            cocotb.start_soon(bench.watch(name))
        for name, about in STALLS.items():
            cocotb.start_soon(bench.stalls(name, about))
        if pause:
            for stream in (*bench.words.models, *bench.packets.models, *([bench.keys] if bench.keys else [])):
                stream.set_pause_generator(cycle([bench.rng.random() < pause for _ in range(101)]))
        return bench

    async def reset(self) -> None:
        """A reset.  What waits in the bus models is dropped."""
        self.words.stop()
        self.dut.aresetn.value = 0
        await ClockCycles(self.dut.aclk, 3)
        self.clear()
        self.dut.aresetn.value = 1
        await self.idle()
        self.words.start()

    def clear(self) -> None:
        """Drops what waits in the bus models."""
        self.words.clear()
        self.packets.clear()
        if self.keys is not None:
            self.keys.clear()

    async def zeroize(self) -> None:
        """An erasure.  What is being sent is broken off, and what waits in the bus models is dropped."""
        self.words.stop()
        self.dut.zeroize.value = 1
        await RisingEdge(self.dut.aclk)
        self.words.drop()
        self.packets.drop()
        if self.keys is not None:
            self.keys.clear()
        self.dut.zeroize.value = 0
        await self.idle()
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
        while int(self.dut.zeroizing.value):
            await RisingEdge(self.dut.aclk)

    def hold(self, held: bool) -> None:
        """Takes no results."""
        self.packets.sink.pause = held
        self.words.hold(held)

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

    async def stalls(self, name: str, about: str) -> None:
        """Looks for pauses of a stream, as long as there are points that ask for them."""
        wait, pause = f"{about} wait{'' if about.endswith('s') and about != 'status' else 's'}", f"{about} pauses"
        pins: dict[str, Any] = {pin: getattr(self.dut, f"{name}_{pin}", None) for pin in ("tvalid", "tready", "tlast")}
        valid, ready, last = pins.values()
        within = name == "m_axis"
        while valid is not None and (waits_for("stall", wait) or waits_for("stall", pause)):
            await RisingEdge(self.dut.aclk)
            offered, taken = int(valid.value), int(ready.value)
            if offered and not taken and has("stall", wait) and not int(self.dut.zeroizing.value):
                met("stall", wait)
            if within and taken and not offered and has("stall", pause):
                met("stall", pause)
            # A source that has nothing to send does not pause.
            if offered and taken and name == "s_axis":
                within = not int(last.value)

    async def within_a_packet(self) -> bool:
        """Waits until some beats have been taken, none of which ends its packet.  Returns False if there are none."""
        left, dut = self.rng.randrange(1, 6), self.dut
        while not self.packets.source.idle():
            await RisingEdge(self.dut.aclk)
            if int(dut.s_axis_tvalid.value) and int(dut.s_axis_tready.value) and not int(dut.s_axis_tlast.value):
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
        await ClockCycles(self.dut.aclk, 3)
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
        await ClockCycles(self.dut.aclk, 3)
        while await self.busy():
            pass

    async def key_error(self) -> bool:
        """Whether the core has refused the last key packet."""
        return bool(await self.read("state") & 4) if self.registers is not None else bool(int(self.dut.key_error.value))

    async def busy(self) -> bool:
        """Whether the core is processing a key packet."""
        if self.registers is not None:
            return bool(await self.read("state") & 2)
        await RisingEdge(self.dut.aclk)
        return bool(int(self.dut.key_busy.value))

    async def load_all(self) -> None:
        """Loads all keys."""
        for slot, key in TOLD["keys"]:
            await self.load(slot, key)
            met("key", "loaded")

    async def send(self, cases) -> None:
        """Sends commands and packets, and the keys that come with them."""
        for case in await self.packets.send(cases):
            if case["key"]:
                await self.keys.send(AxiStreamFrame(bytes.fromhex(case["key"]), tuser=0))
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
        assert self.packets.empty() and self.words.empty(), "something came that nobody asked for"

    def numbered(self, cases, number: int) -> list[Any]:
        """The commands of a further round."""
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
        status = await self.words.recv()
        channel = field(status, "channel") if "channel" in TOLD["status"] else 0
        assert waiting.get(channel), f"a status on channel {channel} without a command"
        about, case = waiting[channel].popleft()
        command = bytes.fromhex(case["command"])
        assert field(status, "number") == field(command, "number", "command_fields"), f"{about}: the status of another command"
        assert field(status, "code") == case["code"], f"{about}: code {field(status, 'code')}, not {case['code']}"
        if case["tag"]:
            assert field(status, "tag") == int.from_bytes(bytes.fromhex(case["tag"]), "little"), f"{about}: wrong tag"
        if case["wanted"]:
            assert await self.packets.recv(channel) == wanted(case["wanted"]), f"{about}: wrong data"
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
