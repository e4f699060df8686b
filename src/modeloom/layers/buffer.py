# SPDX-License-Identifier: Apache-2.0
"""Stores messages to seal, and sends each through both passes.

::

    cmd ──▶ [slice] ─┬─ to seal ──▶ waiting ───────▶ first pass ──▶ begun ───────▶ second pass ──▶ results ──▶ status
                     │                 ▲                              ▲    tag          ▲
    s ──▶ memory ────┼─ end of packet ─┘     status of the first pass ┘                 │
             │       └─ to open ────────────────────────────────────────────────────────┘ when no message to seal waits
             └──▶ beats of either pass ──▶ queue ──▶ core

A packet to seal is stored as a whole before its first pass begins, so that a host that pauses holds up no other message.  A second pass
goes before a first one, because it frees memory.  Messages to open go straight to the core, in their order.

A message that is too long becomes one without data, whose first pass tells what else is wrong with its command.

The sizes of the part that stores messages to seal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.compiler.streams import CompiledStream
from modeloom.cycles.messages import BUFFER_SLACK
from modeloom.interfaces import Interface
from modeloom.interfaces.messages import MessageCode, message_core
from modeloom.interfaces.table import RESERVED, by_member
from modeloom.layers.control import BusAround
from modeloom.layers.layer import Layer, Sizes, Texts, titles_around
from modeloom.product.messages import StreamDescription
from modeloom.product.page import Box
from modeloom.rtl.bus.ports import BusComponent, MemorySlice, fields_layout, signals
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.packet import packet_layout
from modeloom.rtl.stream.parameters import CODE_BITS, MessageParameters
from modeloom.rtl.stream.pipeline import TokenPipeline
from modeloom.rtl.stream.storage import Queue
from modeloom.rtl.stream.verdicts import status_layout

__all__ = ["BufferedBus", "BufferedParameters", "MessageBuffer", "MessageStore"]

# -- buffer ----------------------------------------------------------------------------------------------------------------------------

SHORTEST = 4
"""Cycles of the shortest message to seal: two tokens in each pass."""

WAITING = 2
"""Commands whose packets are not stored, or are not to be stored."""

TURNED = 48
"""Cycles from the beats of a first pass to those of the second one, beside the stages of the tag and the window of the hash."""


@dataclass(frozen=True, kw_only=True)
class BufferedParameters:
    """The sizes of the part that stores messages, and of the core behind it.

    Parameters
    ----------
    messages : MessageParameters
        The message control, of a mode with two passes.
    core : Sizes
        The core behind it.
    nbytes : int
        Bytes of the longest message that can be stored, 1 to 2^20.  They are rounded up to whole beats.
    """

    messages: MessageParameters
    core: Sizes
    nbytes: int

    # -- the shape of the core ----------------------------------------------------------------------------------------------------

    @property
    def beat_bytes(self) -> int:
        """The number of bytes of a beat."""
        return self.core.beat_bytes

    @property
    def key_slots(self) -> int:
        """The number of key slots."""
        return self.core.key_slots

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The interfaces of the core: those of a core with one pass."""
        p = self.messages
        return message_core(p.block_bytes, None, p.keys.pins, self.core.key_slots)

    @property
    def command(self) -> StructLayout:
        """Payload of a command of the host."""
        return fields_layout(by_member(self.interfaces, "cmd"))

    @property
    def passed(self) -> StructLayout:
        """Payload of a command for the core behind."""
        return fields_layout(by_member(self.core.interfaces, "cmd"))

    @property
    def beat(self) -> StructLayout:
        """Payload of a beat."""
        return packet_layout(self.messages)

    @property
    def status(self) -> StructLayout:
        """Payload of a status."""
        return status_layout(self.messages)

    @property
    def stored(self) -> StructLayout:
        """A message that is stored: the fields of its command but its tag, its number of beats, and whether it was too long."""
        fields = {name: field.shape for name, field in self.command if name not in ("tag", "decrypt", RESERVED)}
        return StructLayout({**fields, "beats": self.count_bits, "long": 1})

    @property
    def record(self) -> StructLayout:
        """The result of a first pass."""
        return StructLayout({"tag": self.messages.block_bits, "code": CODE_BITS})

    @property
    def result(self) -> StructLayout:
        """What the status of a message is made of: a status that is still to come, or a code; and the tag of a sealed message."""
        return StructLayout({"tag": self.messages.block_bits, "id": 16, "code": CODE_BITS, "refused": 1})

    # -- sizes --------------------------------------------------------------------------------------------------------------------

    @property
    def most_beats(self) -> int:
        """Beats of the longest message that can be stored."""
        return -(-self.nbytes // self.beat_bytes)

    @property
    def words(self) -> int:
        """Beats of the memory, a power of two.

        It has room for two of the longest messages, one that comes while the other one has its second pass, and for beats of others that
        have their first pass until the tag of a message is there.
        """
        return 1 << (2 * self.most_beats + self.turned - 1).bit_length()

    @property
    def turned(self) -> int:
        """Cycles from the beats of a first pass to those of the second one, at least."""
        return self.messages.tag_stage + self.messages.window + TURNED

    @property
    def address_bits(self) -> int:
        """Bits of an address of the memory."""
        return (self.words - 1).bit_length()

    @property
    def count_bits(self) -> int:
        """Bits of a number of beats of a message."""
        return self.most_beats.bit_length()

    @property
    def depth(self) -> int:
        """Messages between their first and their second pass, a power of two: enough for the shortest ones."""
        return 1 << (-(-self.turned // SHORTEST) - 1).bit_length()

    @property
    def results(self) -> int:
        """Messages whose second pass has begun, and whose status was not taken; also of those to open."""
        return 2 * self.depth

    @property
    def most_commands(self) -> int:
        """Commands that the core takes without a status: those that wait for their packets, for their first pass, for the second one, and
        for their status.

        Commands inside the core behind are among them.
        """
        return WAITING + 2 * self.depth + self.results

    @property
    def most_packets(self) -> int:
        """Packets that the core takes without a status.  It takes none before its command."""
        return self.most_commands

    @property
    def erase_words(self) -> int:
        """The number of words of the deepest memory."""
        return max(self.core.erase_words, self.words, 2 * self.results)

    @property
    def erase_bits(self) -> int:
        """The width of ``erase_address``."""
        return max(1, (self.erase_words - 1).bit_length())

    @property
    def flush(self) -> int:
        """The largest number of cycles that a value takes through registers without a reset."""
        return self.core.flush


READY = 8
"""Beats in the queue before the core."""

DISTRIBUTED = 64
"""Words up to which a memory is one of LUTs."""

SECOND = 2
"""What a command says of a second pass."""


class BeatFeeder(BusComponent[BufferedParameters]):
    """Stores beats and gives them twice.

    ::

        beat ──▶ memory ──▶ beats of the next packet ──▶ queue ──▶ o
        direct ─────────────────────────────────────────▶

                     freed       second         first       put
        memory   ──────┼────────────┼─────────────┼───────────┼──────
                       ▲ beats of second passes are free when they have been read

    First passes read all messages in their order, and second passes do so behind them.

    Members
    -------
    put, beat, room : 1, payload, 1
        Stores a beat.  There is room for it.
    restart : 1
        The beat that is put is the only one of its message, in place of those before: it is the last one and has no bytes.
    free : 1
        Another packet may begin.
    begin, begins_second, begins_direct, count : 1, 1, 1, number of beats
        A packet begins: the next first or second pass of so many beats, or a packet on ``direct``.
    skips, skip : 1, 1
        The message of the next second pass has none.  ``count`` has its beats.
    direct : stream of beats
        Beats that are not stored.  They are taken in packets that began as such.
    o : stream of beats
    erase, erase_address : 1, erase_bits
        Writes zeros to this word of all memories, while it is held in reset.
    """

    @staticmethod
    def ports(parameters: BufferedParameters) -> dict[str, Any]:
        p = parameters
        return {
            "put": In(1), "beat": In(p.beat), "room": Out(1), "restart": In(1), "free": Out(1), "begin": In(1), "begins_second": In(1),
            "begins_direct": In(1), "count": In(p.count_bits), "skips": Out(1), "skip": In(1), "direct": In(stream.Signature(p.beat)),
            "o": Out(stream.Signature(p.beat)), "erase": In(1), "erase_address": In(p.erase_bits),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        width = p.beat.size
        style = "block" if p.words > DISTRIBUTED else "distributed"
        m.submodules.memory = memory = BlockMemory(width, p.words, 1, style=style, erase_bits=p.erase_bits)
        m.submodules.queue = queue = Queue(p.beat, READY, p.erase_bits)
        # Places count beats since the reset, with a bit more than an address.
        places = p.address_bits + 1
        put_reg, start_reg, first_reg, second_reg = signals("put_reg start_reg first_reg second_reg", places)
        # The packet that is read, and the one behind it.
        reads_reg, of_second_reg, direct_reg, next_reg = signals("reads_reg of_second_reg direct_reg next_reg")
        next_second_reg, next_direct_reg = signals("next_second_reg next_direct_reg")
        left_reg, next_count_reg = signals("left_reg next_count_reg", p.count_bits)

        # -- stored ---------------------------------------------------------------------------------------------------------------
        # A message that is too long begins again where it began.
        at = Signal(places)
        word = Signal(p.beat, name="word")
        ends = Signal()
        m.d.comb += [
            at.eq(Mux(self.restart, start_reg, put_reg)), word.eq(self.beat), ends.eq(self.beat.last & ~self.restart),
            memory.we.eq(self.put), memory.waddr.eq(at[: p.address_bits]),
            memory.wdata.eq(Value.cast(word) & self.put.replicate(width)),
            memory.erase.eq(self.erase), memory.erase_address.eq(self.erase_address),
        ]  # fmt: skip
        with m.If(self.restart):
            m.d.comb += [word.eq(0), word.last.eq(1)]
        room_reg = Signal()
        used = Signal(places)
        m.d.comb += [used.eq(put_reg - second_reg), self.room.eq(room_reg)]
        m.d.sync += room_reg.eq((used + self.put)[:places] < p.words)
        with m.If(self.put):
            m.d.sync += put_reg.eq(at + 1)
            with m.If(ends | self.restart):
                m.d.sync += start_reg.eq(at + 1)

        # -- read -----------------------------------------------------------------------------------------------------------------
        read, done, read_reg, takes = signals("read done read_reg takes")
        # Beats that were read and have not left: the queue has room for all of them.
        ahead_reg = Signal(range(READY + 1))
        credit, leaves, direct = signals("credit leaves direct")
        place = Signal(places)
        m.d.comb += [
            leaves.eq(queue.o.valid & queue.o.ready), credit.eq(ahead_reg != READY), read.eq(reads_reg & credit),
            done.eq((read & (left_reg == 1)) | (direct & self.direct.payload.last)),
            takes.eq(next_reg & (done | (~reads_reg & ~direct_reg))),
            place.eq(Mux(of_second_reg, second_reg, first_reg)), memory.raddr[0].eq(place[: p.address_bits]),
            # What was read before goes before.
            direct.eq(self.direct.valid & self.direct.ready), self.direct.ready.eq(direct_reg & credit & queue.i.ready & ~read_reg),
            queue.i.valid.eq(read_reg | direct),
            Value.cast(queue.i.payload).eq(Mux(direct, Value.cast(self.direct.payload), memory.rdata[0])),
            queue.erase.eq(self.erase), queue.erase_address.eq(self.erase_address),
            self.o.valid.eq(queue.o.valid), self.o.payload.eq(queue.o.payload), queue.o.ready.eq(self.o.ready),
            self.free.eq(~next_reg), self.skips.eq(~next_second_reg & ~(reads_reg & of_second_reg)),
        ]  # fmt: skip
        m.d.sync += [read_reg.eq(read), ahead_reg.eq(ahead_reg + (read | direct) - leaves)]
        with m.If(read):
            m.d.sync += left_reg.eq(left_reg - 1)
            with m.If(of_second_reg):
                m.d.sync += second_reg.eq(second_reg + 1)
            with m.Else():
                m.d.sync += first_reg.eq(first_reg + 1)
        with m.If(self.skip):
            m.d.sync += second_reg.eq(second_reg + self.count)
        with m.If(done):
            m.d.sync += [reads_reg.eq(0), direct_reg.eq(0)]
        with m.If(takes):
            m.d.sync += [
                next_reg.eq(0), next_second_reg.eq(0), reads_reg.eq(~next_direct_reg), direct_reg.eq(next_direct_reg),
                of_second_reg.eq(next_second_reg), left_reg.eq(next_count_reg),
            ]  # fmt: skip
        with m.If(self.begin):
            m.d.sync += [
                next_reg.eq(1), next_second_reg.eq(self.begins_second), next_direct_reg.eq(self.begins_direct),
                next_count_reg.eq(self.count),
            ]  # fmt: skip
        return m


class MessageBuffer(BusComponent[BufferedParameters]):
    """Stores messages.

    Members
    -------
    cmd, s, status : streams
        The buses of the host: commands without passes, packets, statuses.
    core_cmd, core_s, core_status : streams
        Those of the core behind.
    erase, erase_address : 1, erase_bits
        Writes zeros to this word of all memories, while it is held in reset.
    """

    @staticmethod
    def ports(parameters: BufferedParameters) -> dict[str, Any]:
        p = parameters
        return {
            "cmd": In(stream.Signature(p.command)), "s": In(stream.Signature(p.beat)), "status": Out(stream.Signature(p.status)),
            "core_cmd": Out(stream.Signature(p.passed)), "core_s": Out(stream.Signature(p.beat)),
            "core_status": In(stream.Signature(p.status)), "erase": In(1), "erase_address": In(p.erase_bits),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        m.submodules.taken = taken = MemorySlice(p.command)
        m.submodules.waiting = waiting = Queue(p.stored, p.depth, p.erase_bits)
        m.submodules.begun = begun = Queue(p.stored, p.depth, p.erase_bits)
        m.submodules.records = records = Queue(p.record, p.depth, p.erase_bits)
        m.submodules.results = results = Queue(p.result, p.results, p.erase_bits)
        # For each command of the core, whether it is a first pass.
        m.submodules.kinds = kinds = Queue(1, 2 * p.results, p.erase_bits)
        m.submodules.feeder = feeder = BeatFeeder(p)
        command = taken.o.payload
        m.d.comb += [
            taken.i.valid.eq(self.cmd.valid), taken.i.payload.eq(self.cmd.payload), self.cmd.ready.eq(taken.i.ready),
            taken.erase.eq(self.erase), taken.erase_address.eq(self.erase_address[0]),
            *(part.erase.eq(self.erase) for part in (waiting, begun, records, results, kinds, feeder)),
            *(part.erase_address.eq(self.erase_address) for part in (waiting, begun, records, results, kinds, feeder)),
            self.core_s.valid.eq(feeder.o.valid), self.core_s.payload.eq(feeder.o.payload), feeder.o.ready.eq(self.core_s.ready),
        ]  # fmt: skip

        # -- what comes from the host ---------------------------------------------------------------------------------------------
        # Messages to seal whose second pass has not begun, and that were not refused.
        open_reg = Signal(range(2 * p.depth + 2))
        stores, opens, ended, settled, opening_reg, long_reg, put = signals("stores opens ended settled opening_reg long_reg put")
        too_long = Signal()
        beats_reg = Signal(p.count_bits)
        beat = self.s.payload
        m.d.comb += [
            stores.eq(taken.o.valid & (command.decrypt == 0) & ~opening_reg & waiting.i.ready),
            put.eq(stores & self.s.valid & (feeder.room | long_reg)),
            too_long.eq(long_reg | (beats_reg == p.most_beats)),
            ended.eq(put & beat.last),
            self.s.ready.eq((stores & (feeder.room | long_reg)) | (opening_reg & feeder.direct.ready)),
            feeder.direct.valid.eq(opening_reg & self.s.valid), feeder.direct.payload.eq(beat),
            feeder.put.eq(put & ~long_reg), feeder.restart.eq(beats_reg == p.most_beats), feeder.beat.eq(beat),
        ]  # fmt: skip
        with m.If(put):
            m.d.sync += [beats_reg.eq(beats_reg + 1), long_reg.eq(too_long)]
            with m.If(beat.last):
                m.d.sync += [beats_reg.eq(0), long_reg.eq(0)]
            with m.Elif(too_long):
                m.d.sync += beats_reg.eq(1)
        m.d.comb += [
            taken.o.ready.eq(ended | opens), waiting.i.valid.eq(ended),
            *(waiting.i.payload[name].eq(command[name]) for name, _ in p.stored if name not in ("beats", "long")),
            waiting.i.payload.beats.eq(Mux(too_long, 1, beats_reg + 1)), waiting.i.payload.long.eq(too_long),
        ]  # fmt: skip
        with m.If(opens):
            m.d.sync += opening_reg.eq(1)
        with m.Elif(feeder.direct.ready & feeder.direct.valid & beat.last):
            m.d.sync += opening_reg.eq(0)
        m.d.sync += open_reg.eq(open_reg + ended - settled)

        # -- the next command of the core -----------------------------------------------------------------------------------------
        first_ready, second_ready, opens_ready, refused, second = signals("first_ready second_ready opens_ready refused second")
        first, free = signals("first free")
        # First passes whose result no second pass has taken: as many as there are places.
        between_reg = Signal(range(p.depth + 1))
        record, oldest = records.o.payload, begun.o.payload
        known = Signal()
        code = Signal.like(record.code)
        m.d.comb += [
            free.eq(feeder.free & kinds.i.ready),
            known.eq(records.o.valid & begun.o.valid),
            code.eq(Mux(oldest.long & (record.code < MessageCode.TOO_LONG_TO_HOLD), MessageCode.TOO_LONG_TO_HOLD, record.code)),
            refused.eq(known & (code != MessageCode.OK) & results.i.ready & feeder.skips),
            second_ready.eq(known & (code == MessageCode.OK) & results.i.ready & free),
            first_ready.eq(~second_ready & ~refused & waiting.o.valid & begun.i.ready & (between_reg != p.depth) & free),
            opens_ready.eq(taken.o.valid & (command.decrypt != 0) & ~opening_reg & (open_reg == 0) & results.i.ready & free),
            self.core_cmd.valid.eq(second_ready | first_ready | opens_ready),
            second.eq(second_ready & self.core_cmd.ready), first.eq(first_ready & self.core_cmd.ready),
            opens.eq(opens_ready & self.core_cmd.ready),
            begun.i.valid.eq(first), begun.i.payload.eq(waiting.o.payload), waiting.o.ready.eq(first),
            settled.eq(second | refused), records.o.ready.eq(settled), begun.o.ready.eq(settled),
            kinds.i.valid.eq(second | first | opens), kinds.i.payload.eq(first),
            feeder.begin.eq(second | first | opens), feeder.begins_second.eq(second), feeder.begins_direct.eq(opens),
            feeder.skip.eq(refused), feeder.count.eq(Mux(second | refused, oldest.beats, waiting.o.payload.beats)),
            results.i.valid.eq(settled | opens), results.i.payload.refused.eq(refused), results.i.payload.id.eq(oldest.id),
            results.i.payload.code.eq(code), results.i.payload.tag.eq(record.tag & second.replicate(len(record.tag))),
        ]  # fmt: skip
        m.d.sync += between_reg.eq(between_reg + first - settled)
        sent = self.core_cmd.payload
        with m.If(second_ready):
            m.d.comb += [*self._same(sent, oldest), sent.decrypt.eq(SECOND), sent.tag.eq(record.tag)]
        with m.Elif(first_ready):
            m.d.comb += self._same(sent, waiting.o.payload)
        with m.Else():
            m.d.comb += [*self._same(sent, command), sent.decrypt.eq(1), sent.tag.eq(command.tag)]

        # -- statuses -------------------------------------------------------------------------------------------------------------
        came, made = self.core_status, results.o.payload
        of_first, comes = signals("of_first comes")
        m.d.comb += [
            of_first.eq(came.valid & kinds.o.valid & kinds.o.payload),
            records.i.valid.eq(of_first), records.i.payload.tag.eq(came.payload.tag), records.i.payload.code.eq(came.payload.code),
            comes.eq(came.valid & kinds.o.valid & ~kinds.o.payload),
            self.status.valid.eq(results.o.valid & (made.refused | comes)),
            results.o.ready.eq(self.status.ready & (made.refused | comes)),
            came.ready.eq(kinds.o.valid & Mux(kinds.o.payload, records.i.ready, self.status.ready & results.o.valid & ~made.refused)),
            kinds.o.ready.eq(came.valid & came.ready),
        ]  # fmt: skip
        # What is not valid is zero.
        with m.If(results.o.valid & made.refused):
            m.d.comb += [self.status.payload.id.eq(made.id), self.status.payload.code.eq(made.code)]
        with m.Elif(results.o.valid & comes):
            m.d.comb += self.status.payload.eq(came.payload)
            with m.If(came.payload.code == MessageCode.OK):
                m.d.comb += self.status.payload.tag.eq(made.tag)
        return m

    def _same(self, payload: Any, given: Any) -> list[Any]:
        """Assignments of the fields that a command for the core has from the host."""
        names = {name for name, _ in given.shape()}
        own = ("tag", "decrypt", RESERVED)
        return [payload[name].eq(given[name]) for name, _ in payload.shape() if name in names and name not in own]


class BufferedBus(BusAround):
    """The buses of a core that stores messages to seal: the buffer in front of the core.

    ::

        cmd, s ──▶ MessageBuffer ──cmd, s──▶ core ──▶ m
        status ◀──────┘      ▲────status───────┘

    Parameters
    ----------
    parameters : BufferedParameters
    inside : component
        The core behind, with its pipeline.
    """

    def __init__(self, parameters: BufferedParameters, inside: wiring.Component):
        self.parameters = parameters
        super().__init__(parameters, inside)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.buffer = buffer = MessageBuffer(self.parameters)
        m.submodules.core = core = self.inside
        for source, target in (
            (wiring.flipped(self.cmd), buffer.cmd), (wiring.flipped(self.s), buffer.s), (buffer.status, wiring.flipped(self.status)),
            (buffer.core_cmd, core.cmd), (buffer.core_s, core.s), (core.status, buffer.core_status),
            (core.m, wiring.flipped(self.m)), (wiring.flipped(self.key), core.key), (core.key_state, wiring.flipped(self.key_state)),
        ):  # fmt: skip
            wiring.connect(m, source, target)
        m.d.comb += self.erase_parts(buffer, core)
        return m


# -- layer -----------------------------------------------------------------------------------------------------------------------------

# Stores messages to seal, and works on each twice.

TITLES = {
    "bus": "The part that stores messages to seal, in front of the core",
    "bus_buffer": "Stores messages to seal, and sends each through both passes",
    "bus_buffer_feeder": "The memory of messages, and the beats of each pass",
    "bus_core": "The core behind it",
}


class MessageStore(Layer):
    """A memory of messages in front of the core."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """With ``--message-buffer``."""
        return compiled.options.message_buffer is not None

    # -- sizes and hardware -----------------------------------------------------------------------------------------------------------

    @cached_property
    def sizes(self) -> BufferedParameters:
        """The memory, and the core behind it."""
        nbytes = cast(int, self.compiled.options.message_buffer)
        return BufferedParameters(messages=self.stack.parameters, core=self.inside.sizes, nbytes=nbytes)

    def bus(self, pipeline: TokenPipeline, schedules: Sequence[wiring.Component]) -> wiring.Component:
        """The memory and the core behind it."""
        return BufferedBus(self.sizes, self.inside.bus(pipeline, schedules))

    def titles(self) -> Mapping[str, Sequence[str]]:
        """Those of the memory."""
        return titles_around(self.inside.titles(), TITLES, "core")

    # -- figures ----------------------------------------------------------------------------------------------------------------------

    @property
    def latency(self) -> int:
        """The first pass up to its tag, and the second one up to its text."""
        p = self.stack.parameters
        first = p.entry_cycles(*p.first_tokens, "absorb", "tag") + p.window + p.tag_stage
        return 2 * self.inside.latency - p.text_stage + first + BUFFER_SLACK

    @property
    def varies(self) -> bool:
        """A pass waits for those of other messages."""
        return True

    def described(self, d: StreamDescription) -> StreamDescription:
        """The bytes of the longest message."""
        return replace(d, message_buffer=self.compiled.options.message_buffer)

    def texts(self, t: Texts, d: StreamDescription) -> Texts:
        """What the core does with a message."""
        shape, stored = d.bench_shape, f"{d.buffered_bytes} bytes"
        cycles = d.sealed_cycles(shape.associated, shape.text)
        return replace(
            t, built=(
                f"The core stores messages to seal up to {stored}, so that they come once, and works on each twice.", *t.built,
            ),
            key_figure=f"messages to seal are stored, up to {stored}; {t.key_figure}",
            sealing=(
                "**Messages to seal** are stored, and the core works on each twice: the first pass computes the tag, and the second one "
                f"encrypts under it. A packet to seal has at most {d.buffered_beats} beats ({stored}). A longer one gets TOO_LONG_TO_HOLD, "
                "whatever else is wrong with it, and gives no text. The ciphertext comes when the whole packet has come, and its tag is "
                "known. Messages to open are not stored. One waits until the second passes of the messages before it have begun.", "",
                "A block takes two tokens, one in each pass, and so two cycles in the steady state. The text of a message stays in the "
                "memory until other messages overwrite it, or until `zeroize`.", "",
            ),
            message_rows=(
                ["maximum average interval between messages of these lengths to seal", cycles, "cycles"],
                ["longest message to seal", d.buffered_bytes, "bytes"],
            ),
            latency_notes=(
                *t.latency_notes, "It is that of a message to seal: of its first pass up to the tag, and of its second pass.",
            ),
            data_boxes=(*t.data_boxes, Box("storage", "message store", stored, "messages to seal, which the core works on twice")),
        )  # fmt: skip
