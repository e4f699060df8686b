# SPDX-License-Identifier: Apache-2.0
"""A DMA engine for each stream of a simulated core, behind the callbacks of demo/dma."""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.cores.front.board import Board, Core

from modeloom.product.beats import PacketBeats

COMMANDS, INPUT, OUTPUT, STATUSES = range(4)
NAMES = ("s_axis_cmd", "s_axis", "m_axis", "m_axis_status")
"""The stream of each engine."""

SEND = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
RECEIVE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)
DONE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(ctypes.c_size_t))
STOP = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
WAIT = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

STEP = 20
"""Cycles between two looks at the streams."""

COMMAND_BYTES, STATUS_BYTES = 56, 20
"""Room for a command and a status of any core."""


class Dma(ctypes.Structure):
    """``struct dma``."""

    _fields_ = [
        ("core", ctypes.POINTER(Core)), ("context", ctypes.c_void_p), ("send", SEND), ("receive", RECEIVE), ("done", DONE), ("stop", STOP),
        ("wait", WAIT), ("commands", ctypes.c_void_p), ("statuses", ctypes.c_void_p), ("most", ctypes.c_uint), ("polls", ctypes.c_ulong),
        ("number", ctypes.c_uint16),
    ]  # fmt: skip


class Sectors(ctypes.Structure):
    """``struct dma_sectors``."""

    _fields_ = [
        ("data", ctypes.c_char_p), ("out", ctypes.c_void_p), ("sector_bytes", ctypes.c_size_t), ("count", ctypes.c_size_t),
        ("first", ctypes.c_uint64), ("slot", ctypes.c_uint8), ("size", ctypes.c_uint8), ("decrypt", ctypes.c_int),
    ]  # fmt: skip


class Message(ctypes.Structure):
    """``struct dma_message``."""

    _fields_ = [
        ("nonce", ctypes.c_char_p), ("nonce_bytes", ctypes.c_size_t), ("associated", ctypes.c_char_p),
        ("associated_bytes", ctypes.c_size_t), ("data", ctypes.c_char_p), ("out", ctypes.c_void_p), ("text_bytes", ctypes.c_size_t),
        ("tag", ctypes.c_void_p), ("tag_bytes", ctypes.c_size_t), ("slot", ctypes.c_uint16),
    ]  # fmt: skip


@dataclass
class Buffer:
    """A descriptor."""

    at: int | None
    bytes: int
    last: bool = True
    filled: int = 0


@dataclass
class Stream:
    """An engine: its descriptors, and how many are done."""

    buffers: deque[Buffer] = field(default_factory=deque)
    done: int = 0
    sending: bool = False


class Engines:
    """The engines of a core.

    Parameters
    ----------
    board : Board
        The core.
    interrupts : bool
        Whether the example sleeps until something is done.  Otherwise, it polls.
    most : int
        Commands at once.

    Attributes
    ----------
    stuck : set of int
        Streams whose engines move nothing.
    cut : bool
        Whether the engine of the input gets stuck in the middle of the next buffer with several beats.
    refuses : set of str
        Callbacks that fail.
    change : dict
        Functions that change the bytes of commands before they go to the core, and of statuses before they go to memory, by stream.
    at_stop : callable
        Is called behind each stop of the statuses.
    faults : list of str
        What the example must not do, and exceptions in callbacks.
    """

    def __init__(self, board: Board, *, interrupts: bool = True, most: int = 4):
        self.board, self.interrupts = board, interrupts
        self.runner, self.size = board.sim.runner, board.sim.host_bytes
        self.streams = [Stream() for _ in NAMES]
        self.stuck: set[int] = set()
        self.cut = False
        self.refuses: set[str] = set()
        self.change: dict[int, Callable[[bytes], bytes]] = {}
        self.at_stop: Callable[[], object] = lambda: None
        self.faults: list[str] = []
        self._late: list[tuple[bytes, bool]] = []
        self.waits = 0
        self.commands, self.statuses = ctypes.create_string_buffer(most * COMMAND_BYTES), ctypes.create_string_buffer(most * STATUS_BYTES)
        self.dma = Dma(
            ctypes.pointer(board.core), None, SEND(self._guarded(self.send)), RECEIVE(self._guarded(self.receive)),
            DONE(self._guarded(self.finished)), STOP(self._guarded(self.stop)), WAIT(self._guarded(self.wait)) if interrupts else WAIT(),
            ctypes.addressof(self.commands), ctypes.addressof(self.statuses), most, 20 if interrupts else 150, 0xFFFE,
        )  # fmt: skip

    def call(self, name: str, *arguments: Any) -> int:
        """What a function of the example returns.  The engines must be at rest behind it."""
        result: int = getattr(self.board.driver, f"dma_{name}")(ctypes.byref(self.dma), *arguments)
        if any(stream.buffers for stream in self.streams):
            self.faults.append("buffers are left")
        assert not self.faults, self.faults
        return result

    def _guarded(self, function: Callable[..., Any]) -> Callable[..., int]:
        """A callback whose exceptions are kept: ctypes would drop them."""

        def call(context: None, *arguments: Any) -> int:
            if function.__name__ in self.refuses:
                return -1
            try:
                function(*arguments)
            except Exception as error:
                self.faults.append(repr(error))
                return -1
            return 0

        return call

    # -- the callbacks ---------------------------------------------------------------------------------------------------------------

    def send(self, stream: int, at: int | None, count: int, last: int) -> None:
        assert stream in (COMMANDS, INPUT)
        self.streams[stream].buffers.append(Buffer(at, count, bool(last)))

    def receive(self, stream: int, at: int, count: int) -> None:
        assert stream in (OUTPUT, STATUSES) and count
        self.streams[stream].buffers.append(Buffer(at, count))

    def finished(self, stream: int, count: Any) -> None:
        if not self.interrupts:
            self.step()
        count[0] = self.streams[stream].done

    def stop(self, stream: int) -> None:
        self.streams[stream] = Stream()
        if self.runner.waiting(NAMES[stream]):
            # The runner drops the beats of all streams, and the example stops all of them.
            self.runner.forget()
        if stream == OUTPUT:
            self._late.clear()
        if stream == STATUSES:
            self.at_stop()

    def wait(self) -> None:
        """Sleeps until something is done; a timer ends this if nothing is."""
        self.waits += 1
        before = [stream.done for stream in self.streams]
        for _ in range(5):
            self.step()
            if [stream.done for stream in self.streams] != before:
                return

    # -- the engines -----------------------------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Moves beats for some cycles."""
        for stream in (COMMANDS, INPUT):
            self._send(stream, self.streams[stream])
        self.runner.run(max_cycles=STEP)
        self._take_data(self.streams[OUTPUT])
        self._take_statuses(self.streams[STATUSES])

    def _send(self, number: int, stream: Stream) -> None:
        """Reads the next buffer when the core has taken the one before."""
        if self.runner.waiting(NAMES[number]) or number in self.stuck:
            return
        if stream.sending:
            stream.buffers.popleft()
            stream.done, stream.sending = stream.done + 1, False
        if not stream.buffers:
            return
        one, stream.sending = stream.buffers[0], True
        data = ctypes.string_at(one.at, one.bytes) if one.at is not None else b""
        if number == COMMANDS:
            self.runner.feed(NAMES[number], {"s_axis_cmd_tdata": self.change.get(number, bytes)(data)})
        else:
            self._send_data(one, data)

    def _send_data(self, one: Buffer, data: bytes) -> None:
        """The beats of a buffer."""
        beats = PacketBeats(self.size)
        beats.add_part(data)
        if one.last:
            beats.end()
        if self.cut and len(beats) > 1:
            some, self.cut = PacketBeats(self.size), False
            for at in range(len(beats) // 2):
                some.add_beat(beats, at)
            beats = some
            self.stuck.add(INPUT)
        self.runner.feed(NAMES[INPUT], beats.columns())

    def _take_data(self, stream: Stream) -> None:
        """Writes the bytes of all beats, each packet to a buffer.  They reach the memory a step later than the statuses behind them."""
        if OUTPUT in self.stuck:
            return
        for data, last in self._late:
            self._fill(stream, data)
            if last:
                stream.buffers.popleft()
                stream.done += 1
        beats = self.runner.take(NAMES[OUTPUT])
        keeps, lasts = beats.values("m_axis_tkeep"), beats.values("m_axis_tlast")
        column = beats.columns["m_axis_tdata"]
        self._late = [
            (column[at * self.size : at * self.size + keep.bit_count()], bool(last))
            for at, (keep, last) in enumerate(zip(keeps, lasts, strict=True))
        ]

    def _take_statuses(self, stream: Stream) -> None:
        """Writes statuses until a buffer is full."""
        if STATUSES in self.stuck:
            return
        beats = self.runner.take(NAMES[STATUSES])
        column = beats.columns["m_axis_status_tdata"]
        for at in range(beats.count):
            size = len(column) // beats.count
            self._fill(stream, self.change.get(STATUSES, bytes)(column[at * size : (at + 1) * size]))
            if stream.buffers[0].filled == stream.buffers[0].bytes:
                stream.buffers.popleft()
                stream.done += 1

    def _fill(self, stream: Stream, data: bytes) -> None:
        assert stream.buffers, "there is no buffer for what the core gives"
        one = stream.buffers[0]
        assert one.filled + len(data) <= one.bytes, "a buffer is too short for what the core gives"
        assert one.at is not None
        ctypes.memmove(one.at + one.filled, data, len(data))
        one.filled += len(data)
