# SPDX-License-Identifier: Apache-2.0
"""Packets, commands and statuses of the core in this folder, over bus models of cocotbext-axi.  CASES_FILE tells what the core has."""

from __future__ import annotations

import json
import os
import sys
from collections import deque
from math import ceil
from pathlib import Path
from typing import Any

import cocotb
from cocotb.queue import Queue
from cocotb.triggers import Event, RisingEdge, with_timeout
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiStreamFrame, AxiStreamSink, AxiStreamSource
from cocotbext.axi.stream import define_stream
from COVERAGE_MODULE import met

TOLD = json.loads(Path(__file__).resolve().with_name("CASES_FILE").read_text(encoding="utf-8"))


def refuse(text):
    """Ends the run with a line that says what is wrong about what the user gave, and exit status 2."""
    print(f"{Path(sys.argv[0] or __file__).name}: {text}", file=sys.stderr)
    sys.exit(2)


def whole(name, other):
    """The whole number in a variable of the environment, or another one if there is none."""
    told = os.environ.get(name)
    if not told:
        return other
    try:
        return int(told)
    except ValueError:
        return refuse(f"{name} must be a whole number, not {told!r}")


def periods():
    """Nanoseconds of a cycle of each clock."""
    given, known = dict(TOLD["periods"]), ", ".join(TOLD["periods"])
    for told in os.environ.get("PERIODS", "").split():
        name, _, value = told.partition("=")
        if name not in given:
            refuse(f"PERIODS: the clocks of this core are {known}, not {name}")
        try:
            given[name] = float(value)
        except ValueError:
            refuse(f"PERIODS: {told!r} is not CLOCK=NANOSECONDS")
        if not 0 < given[name] < 1e6:
            refuse(f"PERIODS: a cycle of {name} has more than 0 nanoseconds and less than a million, not {value}")
    return given


PERIODS = periods()
"""Nanoseconds of a cycle of each clock."""

LIMIT = TOLD["most_cycles"] * ceil(max(PERIODS.values()))
"""Nanoseconds in which a result comes."""

REGISTERS = TOLD["registers"]
"""Addresses of registers by name.  It is empty if keys come over a stream."""

CHANNELS = TOLD["channels"]
WORD = 4
"""Bytes of a register."""

PARTS = ("tdata", "tkeep", "tlast", "tid")
BeatBus, Beat, BeatSource, BeatSink, _ = define_stream("Beat", signals=[*PARTS, "tvalid", "tready"], optional_signals=["tuser"])
"""Models of single beats, for packets of several channels that interleave."""

WordBus, Word, WordSource, WordSink, _ = define_stream("Word", signals=["data", "valid", "ready"], optional_signals=["last"])
"""Models of the words of the LWC interface."""


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

    IN = ("s_axis_tvalid", "s_axis_tready", "s_axis_tlast")

    def __init__(self, bench: Any):
        self.source, self.sink = bench.model(AxiStreamSource, "s_axis"), bench.model(AxiStreamSink, "m_axis")
        self.lanes = bench.lanes("m_axis")

    def clear(self) -> None:
        """Nothing waits but in the models."""

    async def send(self, cases) -> list:
        """Sends the packets of commands.  Returns the commands in the order of their packets."""
        for case in cases:
            await self.source.send(frame(case["sent"]))
        return cases

    async def wait(self) -> None:
        """Waits until all has been sent."""
        await self.source.wait()

    def empty(self) -> bool:
        """Whether nothing has come."""
        return self.sink.empty()

    async def recv(self, channel: int):
        """The beats of a packet, and when the last one came."""
        got = await with_timeout(self.sink.recv(compact=False), LIMIT, "ns")
        return seen(bytes(got.tdata), got.tkeep, self.lanes), got.sim_time_end


class Interleaved:
    """Packets in and out of a core with several channels: some beats of one, and then some of another."""

    IN = Packets.IN

    def __init__(self, bench: Any):
        self.rng, self.lanes = bench.rng, bench.lanes("m_axis")
        self.source, self.sink = bench.model(BeatSource, "s_axis", BeatBus), bench.model(BeatSink, "m_axis", BeatBus)
        self.clear()
        cocotb.start_soon(self.collect())

    def clear(self) -> None:
        """Drops what has come."""
        self.begun: dict[int, list[Any]] = {}
        self.whole: dict[int, Queue[Any]] = {}

    async def collect(self) -> None:
        """Puts beats together to packets."""
        while True:
            beat = await self.sink.recv()
            data, keep = int(beat.tdata).to_bytes(self.lanes, "little"), int(beat.tkeep)
            channel = int(beat.tid)
            beats = self.begun.setdefault(channel, [])
            beats += seen(data, [keep >> lane & 1 for lane in range(self.lanes)], self.lanes)
            if int(beat.tlast):
                self.packets(channel).put_nowait((self.begun.pop(channel), get_sim_time()))

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
        """The beats of a packet, and when the last one came."""
        return await with_timeout(self.packets(channel).get(), LIMIT, "ns")


class Segments:
    """Words of the LWC interface.  A message gives a packet of its segments, and a status, which is the word with ``do_last``."""

    IN = ("pdi_valid", "pdi_ready", None)

    def __init__(self, bench: Any):
        self.source, self.sink = bench.model(WordSource, "pdi", WordBus), bench.model(WordSink, "do", WordBus)
        self.size = len(bench.dut.pdi_data) // 8
        self.clear()
        cocotb.start_soon(self.collect())

    def clear(self) -> None:
        """Drops what has come."""
        self.begun: list[Any] = []
        self.whole: Queue[Any] = Queue()
        self.told: Queue[Any] = Queue()

    def start(self) -> None:
        """Nothing but the models runs."""

    stop = start

    def words(self, data: bytes):
        """The words of bytes."""
        return [Word(data=int.from_bytes(data[at : at + self.size], "little")) for at in range(0, len(data), self.size)]

    async def collect(self) -> None:
        """Puts words together to segments and statuses."""
        while True:
            word = await self.sink.recv()
            value, now = int(word.data), get_sim_time()
            if not int(word.last):
                self.begun += seen(value.to_bytes(self.size, "little"), [1] * self.size, self.size)
                continue
            if self.begun:
                self.whole.put_nowait((self.begun, now))
            self.begun = []
            self.told.put_nowait((value.to_bytes(self.size, "little"), now))

    async def send(self, cases) -> list:
        """Sends the words of commands.  Returns the commands.  A command by itself is nothing here."""
        if isinstance(cases, bytes):
            return []
        for case in cases:
            for word in self.words(b"".join(bytes.fromhex(data) for data, _ in case["sent"])):
                await self.source.send(word)
        return cases

    async def wait(self) -> None:
        """Waits until all has been sent."""
        await self.source.wait()

    def hold(self, held: bool) -> None:
        """Takes no words."""
        self.sink.pause = held

    def empty(self) -> bool:
        """Whether nothing has come."""
        return self.sink.empty() and not self.begun and self.whole.empty() and self.told.empty()

    async def recv(self, channel: int | None = None):
        """The words before the status of a message, or its status without a channel, and when it came."""
        return await with_timeout((self.told if channel is None else self.whole).get(), LIMIT, "ns")


class Streamed:
    """Commands and statuses over their streams."""

    def __init__(self, bench: Any):
        self.commands, self.statuses = bench.model(AxiStreamSource, "s_axis_cmd"), bench.model(AxiStreamSink, "m_axis_status")

    def start(self) -> None:
        """Nothing but the models runs, and nothing waits but in them."""

    stop = clear = start

    async def send(self, command: bytes) -> None:
        """Sends a command."""
        await self.commands.send(AxiStreamFrame(command))

    async def wait(self) -> None:
        """Waits until all commands have been sent."""
        await self.commands.wait()

    def empty(self) -> bool:
        """Whether no status has come."""
        return self.statuses.empty()

    async def recv(self):
        """A status, and when it came."""
        got = await with_timeout(self.statuses.recv(compact=False), LIMIT, "ns")
        return bytes(got.tdata), got.sim_time_end

    def hold(self, held: bool) -> None:
        """Takes no status."""
        self.statuses.pause = held


class Registered:
    """Commands and statuses over registers: a command is submitted when the core can take it, and statuses are polled."""

    def __init__(self, bench: Any):
        self.bench, self.held = bench, False
        self.waits = Event()
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
        self.came: Queue[Any] = Queue()

    async def serve(self) -> None:
        """Submits and polls."""
        while True:
            if self.left:
                state = await self.bench.read("command_state")
                if state & 1:
                    met("commands", "busy")
                    self.waits.set()
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
        came = tag + (status >> 16).to_bytes(2, "little") + bytes([status & 0x7F, status >> 8 & 0xFF])
        self.came.put_nowait((came, get_sim_time()))
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

    async def recv(self):
        """A status, and when it came."""
        return await with_timeout(self.came.get(), LIMIT, "ns")

    def hold(self, held: bool) -> None:
        """Takes no status."""
        self.held = held
