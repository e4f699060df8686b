# SPDX-License-Identifier: Apache-2.0
"""The converters beside a core.

::

    s_axis ──▶ [slice] ──▶ rule ──▶ gather or split ──▶ core_s_axis        s_axis_cmd ──▶ rule, for messages
    core_m_axis ──▶ gather or split ──▶ m_axis, in the same cycle
    zeroize, core_zeroizing ──▶ reset of all of it, and zeros to what is kept for each channel

The core sees the last beat of a packet taken when the host takes it.  So a status still comes after all data of its packet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from amaranth.hdl import Array, Cat, ClockDomain, ClockSignal, Const, Module, Mux, ResetInserter, ResetSignal, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.messages import MOST_CHANNELS
from modeloom.rtl.bus.ports import RegisterSlice, signals
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.contexts import ChannelFlags, ChannelWords

__all__ = [
    "BAD_KEEP", "Direct", "DirectSplit", "Gather", "MessageRule", "OneChannel", "SolidRule", "Split", "Stage",
    "WidthConverters", "WidthParameters", "channels_of", "packet_beat", "seen_beat",
]  # fmt: skip


# -- beats -------------------------------------------------------------------------------------------------------------------------------

# The beats of packets on both sides of a converter.
#
#     beat                       data ‖ keep ‖ last ‖ channel ‖ cut
#     beat that has been seen    beat ‖ ends ‖ bad
#
# A beat ``ends`` if the bytes of the next one begin with a beat of the core: the end of the packet, and that of the associated data.  A
# beat is ``bad`` if no packet has it there.  The core gets a beat in its place whose keep is ``BAD_KEEP``, which it refuses wherever it
# comes.

BAD_KEEP = 0b10
"""The first byte is missing, and the second is there."""

SIDE = ("channel", "cut")
"""What a beat may have beside its bytes: the payload ``tid`` and ``tuser``."""


def packet_beat(nbytes: int, *, channels: int = 1, cut: bool = False) -> StructLayout:
    """A beat of so many bytes.  It has a channel if there are several, and ``cut`` if it says that a message failed."""
    return StructLayout({"data": 8 * nbytes, "keep": nbytes, "last": 1, **channels_of(channels).fields, **({"cut": 1} if cut else {})})


def seen_beat(beat: StructLayout) -> StructLayout:
    """A beat, and what has been seen of it."""
    return StructLayout({**dict(beat.members), "ends": 1, "bad": 1})


def of_side(layout: StructLayout) -> tuple[str, ...]:
    """The fields that a beat has beside its bytes, except those that are set in its last part only."""
    return tuple(name for name in SIDE if name in layout.members)


def holes(keep: Value) -> Value:
    """Whether a byte is missing before one that is there."""
    return Cat(~keep[:-1] & keep[1:]).any() if len(keep) > 1 else Cat(0)


class OneChannel:
    """The channel of a core with one: nothing names it, and what is kept of it is a register.

    Attributes
    ----------
    fields : dict
        The field that names a channel, with its width.
    words, bits : int
        Words of what is held for each channel, and bits of the number of such a word.
    swept : int
        Cycles that the words of these channels add to an erasure.
    """

    fields: ClassVar[dict[str, int]] = {}
    words, bits, swept = 1, 1, 0

    def number(self, named: wiring.Component) -> Value:
        """The number of the word for the channel that a beat or the ports of a component name."""
        return Cat(0)

    def owned(self, named: wiring.Component) -> Value:
        """Whether the core has this channel."""
        return Const(1, 1)

    def passed(self, to: wiring.Component, named: wiring.Component) -> list[object]:
        """The channel at the port of another component."""
        return []

    def refused(self, valid: Value, offered: Value, tid: wiring.Component) -> list[object]:
        """A beat that is offered is not *valid* if the core does not have its channel, the port ``s_axis_tid``."""
        return []

    def keep(self, m: Module, stored: Stored, i: Any, layout: StructLayout, erase: Value, address: Value) -> None:
        """Drives the word of a beat, and writes what it becomes."""
        word_reg = Signal(layout, name="kept_reg")
        m.d.comb += stored.word.eq(word_reg)
        with m.If(stored.take):
            m.d.sync += word_reg.eq(stored.after)


class SeveralChannels(OneChannel):
    """The channels of a core with several.  Those that the core does not have share a word."""

    fields: ClassVar[dict[str, int]] = {"channel": 8}

    def __init__(self, count: int):
        self.count, self.swept, self.words = count, count, min(count + 1, MOST_CHANNELS)
        self.bits = (self.words - 1).bit_length()

    def number(self, named: wiring.Component) -> Value:
        channel = named.channel
        return (channel if self.words == self.count else Mux(channel < self.count, channel, self.count))[: self.bits]

    def owned(self, named: wiring.Component) -> Value:
        return self._has(named.channel)

    def passed(self, to: wiring.Component, named: wiring.Component) -> list[object]:
        return [to.channel.eq(named.channel)]

    def refused(self, valid: Value, offered: Value, tid: wiring.Component) -> list[object]:
        return [valid.eq(offered & self._has(tid.s_axis_tid))]

    def _has(self, channel: Value) -> Value:
        return Const(1, 1) if self.words == self.count else channel < self.count

    def keep(self, m: Module, stored: Stored, i: Any, layout: StructLayout, erase: Value, address: Value) -> None:
        m.submodules.of_channels = words = stored.words(m, i, layout, self, len(address))
        m.d.comb += [
            Value.cast(stored.word).eq(words.rdata[0]), words.we.eq(stored.take), words.wdata.eq(stored.after), words.erase.eq(erase),
            words.erase_address.eq(address),
        ]  # fmt: skip


def channels_of(count: int) -> OneChannel:
    """The channels of a core with so many."""
    return SeveralChannels(count) if count > 1 else OneChannel()


# -- kept --------------------------------------------------------------------------------------------------------------------------

# What is kept of the packet of each channel from beat to beat, and the beat in question.
#
#     i ──▶ [beat] ──▶ what becomes of it ◀── word of its channel           i ──▶ what becomes of it ◀── word of its channel
#        └─ channel ──▶ words ──[reg]──────────▲        │                      └─ channel ──▶ words ────────▲        │
#                         ▲─────────────────────────────┘                                      ▲─────────────────────┘
#
#                          Stage                                                                 Direct
#
# With one channel, the word is a register.

class Stored:
    """A beat with the word of its channel.

    Parameters
    ----------
    m : Module
        Where it is built.
    i : stream of beats
        Its input.
    layout : StructLayout
        The word of a channel.  It is zero after an erasure.
    channels : OneChannel
    erase, address : Value
        While the module is held in reset: zeros to the word with this number.

    Attributes
    ----------
    valid, beat : Value, Any
        The beat.
    ready, take : Signal
        To be set: the beat may leave.  It does if it is there.
    word, after : Signal
        The word of its channel, and what it becomes if the beat leaves.  By default, it stays.
    """

    valid: Value
    beat: Any

    def __init__(self, m: Module, i: Any, layout: StructLayout, channels: OneChannel, erase: Value, address: Value):
        self.ready, self.take = Signal(name="may"), Signal(name="take")
        self.word, self.after = Signal(layout, name="kept_word"), Signal(layout, name="kept_after")
        self._input(m, i)
        m.d.comb += [self.take.eq(self.valid & self.ready), self.after.eq(self.word)]
        channels.keep(m, self, i, layout, erase, address)

    def _input(self, m: Module, i: Any) -> None:
        """Sets ``valid`` and ``beat``, and answers the input."""
        raise NotImplementedError

    def words(self, m: Module, i: Any, layout: StructLayout, channels: OneChannel, erase_bits: int) -> ChannelFlags | ChannelWords:
        """The words of all channels, with their addresses."""
        raise NotImplementedError


class Stage(Stored):
    """A beat in a register.

    Attributes
    ----------
    context, next_context : Signal
        The number of its channel among the words, and that of the beat of the next cycle.
    """

    def _input(self, m: Module, i: Any) -> None:
        self.valid, self.beat, self._move = Signal(name="valid_reg"), Signal(i.payload.shape(), name="beat_reg"), Signal(name="move")
        self.context, self.next_context = Signal(name="context"), Signal(name="next_context")
        m.d.comb += [self._move.eq(~self.valid | self.take), i.ready.eq(self._move)]
        with m.If(self._move):
            m.d.sync += [self.valid.eq(i.valid), self.beat.eq(i.payload)]

    def words(self, m: Module, i: Any, layout: StructLayout, channels: OneChannel, erase_bits: int) -> ChannelWords:
        self.context = context_reg = Signal(channels.bits, name="context_reg")
        self.next_context = Signal(channels.bits, name="next_context")
        words = ChannelWords(layout.size, channels.words, 1, erase_bits)
        m.d.comb += [
            self.next_context.eq(Mux(self._move, channels.number(i.payload), context_reg)),
            words.raddr[0].eq(self.next_context), words.waddr.eq(context_reg),
        ]  # fmt: skip
        m.d.sync += context_reg.eq(self.next_context)
        return words


class Direct(Stored):
    """A beat as it stands at the input, which sees at once whether it leaves."""

    def _input(self, m: Module, i: Any) -> None:
        self.valid, self.beat = i.valid, i.payload
        m.d.comb += i.ready.eq(self.ready)

    def words(self, m: Module, i: Any, layout: StructLayout, channels: OneChannel, erase_bits: int) -> ChannelFlags:
        words, context = ChannelFlags(layout.size, channels.words, 1, erase_bits), Signal(channels.bits, name="context")
        m.d.comb += [context.eq(channels.number(i.payload)), words.raddr[0].eq(context), words.waddr.eq(context)]
        return words


# -- converters --------------------------------------------------------------------------------------------------------------------------

# -- rules -----------------------------------------------------------------------------------------------------------------------------

# Looks at the beats that a host sends: which ones end a part of a packet, and which no packet has.
#
#     sectors, and packets as on the wire     │ full │ full │ partial, last │
#     messages                                │ full │ partial │ full │ full │ partial, last │
#                                               associated data  ▲ text
#                                                                └ known of the command
#
# A core checks the beats that it gets.  What it could not see any more behind a converter is looked at here.

LENGTH_BITS = 64
"""Bits of the number of bytes of associated data in a command."""

ORDERS = 8
"""Commands of a channel whose packets have not ended here: a power of two, and more than a core takes of one channel."""

INDEX_BITS = (ORDERS - 1).bit_length()

LUT_CONTEXTS = 64
"""Most channels whose commands are in LUT memories; those of more are in block memories."""


class SolidRule(wiring.Component):
    """Sees the beats of packets that are full except for the last one.  A packet may be one beat without bytes.

    The latency is 0 cycles.

    Parameters
    ----------
    layout : StructLayout
        A beat.

    Members
    -------
    i, o : stream of beats, stream of seen beats
    """

    def __init__(self, layout: StructLayout):
        super().__init__({"i": In(stream.Signature(layout)), "o": Out(stream.Signature(seen_beat(layout)))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        beat = self.i.payload
        begun_reg = Signal()
        with m.If(self.i.valid & self.o.ready):
            m.d.sync += begun_reg.eq(~beat.last)
        m.d.comb += [
            self.o.valid.eq(self.i.valid), self.i.ready.eq(self.o.ready), self.o.payload.ends.eq(beat.last),
            self.o.payload.bad.eq(holes(beat.keep) | ~(beat.keep.all() | beat.last) | ~beat.keep[0] & begun_reg),
            *(self.o.payload[name].eq(beat[name]) for name in beat.shape().members),
        ]  # fmt: skip
        return m


class MessageRule(wiring.Component):
    """Sees the beats of messages whose associated data and text each begin with a beat of their own.

    A beat waits for the command of its message, and the beats behind it wait with it.  The latency is 1 cycle.

    Parameters
    ----------
    layout : StructLayout
        A beat.
    nbytes : int
        Bytes of a beat.
    channels : OneChannel
    erase_bits : int
        Bits of ``erase_address``.

    Members
    -------
    i, o : stream of beats, stream of seen beats
    associated, channel, put : In(64), In(8), In(1)
        A command has been taken: its bytes of associated data, and its channel if there are several.
    full : Out(1)
        No command may be taken.
    erase, erase_address : In
        While it is held in reset: zeros to the words with this number.
    """

    def __init__(self, layout: StructLayout, nbytes: int, channels: OneChannel, erase_bits: int):
        self.layout, self.nbytes, self.channels, self.erase_bits = layout, nbytes, channels, erase_bits
        super().__init__({
            "i": In(stream.Signature(layout)), "o": Out(stream.Signature(seen_beat(layout))),
            "associated": In(LENGTH_BITS), **{name: In(bits) for name, bits in channels.fields.items()}, "put": In(1), "full": Out(1),
            "erase": In(1), "erase_address": In(erase_bits),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        index_bits = self.nbytes.bit_length() - 1
        whole_bits = LENGTH_BITS - index_bits
        progress = StructLayout({"active": 1, "in_associated": 1, "begun": 1, "left": whole_bits})
        stage = Stage(m, self.i, progress, self.channels, self.erase, self.erase_address)
        number_reg = Signal(INDEX_BITS + 1)
        order, known = self._orders(m, stage, number_reg)

        now = Signal(progress)
        with m.If(stage.word.active):
            m.d.comb += now.eq(stage.word)
        with m.Else():
            m.d.comb += [now.in_associated.eq(order.any()), now.left.eq(order[index_bits:])]
        beat, tail = stage.beat, order[:index_bits]
        keep: Value = beat.keep
        full, null, ends_associated, fits, bad = signals("full null ends_associated fits bad")
        wanted = Mux(tail.any(), Cat(*(tail > at for at in range(self.nbytes - 1)), Const(0, 1)), Cat(1).replicate(self.nbytes))
        m.d.comb += [
            full.eq(keep.all()), null.eq(~keep.any()),
            ends_associated.eq(now.in_associated & Mux(tail.any(), ~now.left.any(), now.left == 1)),
            # A packet that ends before its associated data is for the core to judge.
            fits.eq(Mux(ends_associated, (keep == wanted) | beat.last & ~(keep & ~wanted).any(), full | beat.last)),
        ]  # fmt: skip
        with m.If(now.in_associated):
            # A beat without bytes behind another one ends no packet, as everywhere.
            m.d.comb += bad.eq(~fits | null & stage.word.active)
        with m.Else():
            m.d.comb += bad.eq(~(full | beat.last) | null & now.begun)
        m.d.comb += [
            self.o.valid.eq(stage.valid & known), stage.ready.eq(known & self.o.ready),
            self.o.payload.ends.eq(beat.last | ends_associated), self.o.payload.bad.eq(bad | holes(keep)),
            *(self.o.payload[name].eq(beat[name]) for name in self.layout.members),
            stage.after.active.eq(~beat.last), stage.after.in_associated.eq(now.in_associated & ~ends_associated),
            stage.after.begun.eq(now.begun | ~now.in_associated), stage.after.left.eq(now.left - now.in_associated),
        ]  # fmt: skip
        m.d.comb += self._advance.eq(stage.take & beat.last)
        return m

    def _orders(self, m: Module, stage: Stage, number_reg: Signal) -> tuple[Signal, Value]:
        """Takes commands.  Gives the bytes of associated data of the message of the beat, and whether its command has come."""
        count, bits = self.channels.words, self.channels.bits
        style = "distributed" if count <= LUT_CONTEXTS else "block"
        m.submodules.orders = orders = BlockMemory(LENGTH_BITS, count << INDEX_BITS, 1, style=style)
        # Messages of each context: that which is under way, the next one that gets a command, and the same as the beats may know it.
        numbers, begun, readable = (ChannelFlags(INDEX_BITS + 1, count, ports, self.erase_bits) for ports in (2, 1, 1))
        m.submodules.numbers, m.submodules.begun, m.submodules.readable = numbers, begun, readable
        for part in (numbers, begun, readable):
            m.d.comb += [part.erase.eq(self.erase), part.erase_address.eq(self.erase_address)]
        self._advance = Signal(name="advance")
        context = Signal(bits, name="order_context")
        asked = Signal(bits, name="asked_context")
        number, next_number, waiting, put_number_reg = signals("number next_number waiting put_number_reg", INDEX_BITS + 1)
        put_reg, full_reg = signals("put_reg full_reg")
        put_context_reg, full_context_reg = signals("put_context_reg full_context_reg", bits)
        m.d.comb += [
            context.eq(self.channels.number(self)),
            asked.eq(Mux(full_reg, full_context_reg, context)),
            begun.raddr[0].eq(asked), numbers.raddr[1].eq(asked), next_number.eq(begun.rdata[0] + 1),
            waiting.eq(begun.rdata[0] - numbers.rdata[1]),
            begun.we.eq(self.put), begun.waddr.eq(context), begun.wdata.eq(next_number),
            orders.we.eq(self.put), orders.waddr.eq(Cat(begun.rdata[0][:INDEX_BITS], context)), orders.wdata.eq(self.associated),
            # A command can be read a cycle after it was written.
            readable.we.eq(put_reg), readable.waddr.eq(put_context_reg), readable.wdata.eq(put_number_reg),
            readable.raddr[0].eq(stage.context),
            numbers.raddr[0].eq(stage.next_context), numbers.we.eq(self._advance), numbers.waddr.eq(stage.context),
            numbers.wdata.eq(number_reg + 1),
            number.eq(Mux(self._advance & (stage.next_context == stage.context), number_reg + 1, numbers.rdata[0])),
            orders.raddr[0].eq(Cat(number[:INDEX_BITS], stage.next_context)), self.full.eq(full_reg),
        ]  # fmt: skip
        m.d.sync += [number_reg.eq(number), put_reg.eq(self.put), put_context_reg.eq(context), put_number_reg.eq(next_number)]
        # The channel of the last command is the only one that can be full: no command is taken while it is.
        with m.If(self.put):
            m.d.sync += [full_reg.eq(waiting == ORDERS - 1), full_context_reg.eq(context)]
        with m.Elif(full_reg):
            m.d.sync += full_reg.eq(waiting == ORDERS)
        return orders.rdata[0], readable.rdata[0] != number_reg


# -- converters ------------------------------------------------------------------------------------------------------------------------

# Joins narrow beats to wide ones.
#
#     i   │ 0 1 │ 2 3 │ 4 5 │ 6 7 │ 8 . last │         o   │ 0 1 2 3 4 5 6 7 │ 8 . . . . . . . last │
#
# A wide beat leaves when it is full, and when a narrow beat ends a part of its packet.  With several channels, beats of each are joined on
# their own.

class Gather(wiring.Component):
    """Takes one narrow beat per cycle.  The latency of the last one of a wide beat is 1 cycle.

    If it is *direct*, the latency is 0 cycles: the last beat is taken when the wide beat is.  No beat may be bad then, and the output is
    zero while it is not valid.

    A bad beat takes the place of what was gathered before it, too.  Bytes outside ``keep`` are zero if those of the narrow beats are.

    Parameters
    ----------
    narrow, wide : StructLayout
        Beats (``beats.packet_beat``).
    channels : OneChannel
    erase_bits : int
        Bits of ``erase_address``.
    direct : bool

    Members
    -------
    i, o : stream of seen narrow beats, stream of wide beats
    erase, erase_address : In
        While it is held in reset: zeros to the words with this number.
    """

    def __init__(self, narrow: StructLayout, wide: StructLayout, channels: OneChannel, erase_bits: int, direct: bool = False):
        self.narrow, self.wide, self.channels, self.direct = narrow, wide, channels, direct
        super().__init__({
            "i": In(stream.Signature(seen_beat(narrow))), "o": Out(stream.Signature(wide)), "erase": In(1), "erase_address": In(erase_bits),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bits, nbytes = self.narrow["data"].width, self.narrow["keep"].width
        ratio = self.wide["keep"].width // nbytes
        held = StructLayout({"place": range(ratio), "data": bits * (ratio - 1)})
        stage = (Direct if self.direct else Stage)(m, self.i, held, self.channels, self.erase, self.erase_address)
        beat, word, out = stage.beat, stage.word, self.o.payload
        complete = Signal()
        m.d.comb += [
            complete.eq(beat.last | beat.ends | beat.bad | (word.place == ratio - 1)),
            self.o.valid.eq(stage.valid & complete), stage.ready.eq(self.o.ready | ~complete),
            out.last.eq(beat.last), *(out[name].eq(beat[name]) for name in of_side(self.wide)),
            stage.after.place.eq(Mux(complete, 0, word.place + 1)),
        ]  # fmt: skip
        keep = []
        for at in range(ratio):
            here, part = Signal(name=f"here{at}"), slice(bits * at, bits * (at + 1))
            m.d.comb += here.eq(word.place == at)
            fresh = beat.data & here.replicate(bits)
            if at < ratio - 1:
                # A word that is not complete holds zeros from its place on.
                m.d.comb += [
                    out.data[part].eq(word.data[part] | fresh),
                    stage.after.data[part].eq((word.data[part] | fresh) & (~complete).replicate(bits)),
                ]  # fmt: skip
            else:
                m.d.comb += out.data[part].eq(fresh)
            behind = (word.place > at).replicate(nbytes) if at < ratio - 1 else 0
            keep.append(beat.keep & here.replicate(nbytes) | behind)
        for at, value in enumerate(keep):
            m.d.comb += out.keep[nbytes * at : nbytes * (at + 1)].eq(value)
        if self.direct:
            # An output of a core is zero while it is not valid.
            with m.If(~self.o.valid):
                m.d.comb += Value.cast(out).eq(0)
        else:
            with m.If(beat.bad):
                m.d.comb += out.keep.eq(BAD_KEEP)
        return m


# -- split -------------------------------------------------------------------------------------------------------------------------

# Parts wide beats into narrow ones.
#
#     i   │ 0 1 2 3 4 5 6 7 │ 8 . . . . . . . last │         o   │ 0 1 │ 2 3 │ 4 5 │ 6 7 │ 8 . last │
#
# Parts without bytes behind the last byte are left out.  A wide beat without bytes gives a narrow one.

class Split(wiring.Component):
    """Gives one narrow beat per cycle.  The latency of the first one is 1 cycle, and the wide beat has been taken then.

    Parameters
    ----------
    wide, narrow : StructLayout
        Beats (``beats.packet_beat``).

    Members
    -------
    i, o : stream of seen wide beats, stream of narrow beats
    """

    def __init__(self, wide: StructLayout, narrow: StructLayout):
        self.wide, self.narrow = wide, narrow
        super().__init__({"i": In(stream.Signature(seen_beat(wide))), "o": Out(stream.Signature(narrow))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bits, nbytes = self.narrow["data"].width, self.narrow["keep"].width
        valid_reg = Signal()
        beat_reg = Signal(self.wide)
        final = Signal()
        move = Signal()
        beat, out = self.i.payload, self.o.payload
        m.d.comb += [
            final.eq(~beat_reg.keep[nbytes:].any()), move.eq(~valid_reg | final & self.o.ready), self.i.ready.eq(move),
            self.o.valid.eq(valid_reg), out.data.eq(beat_reg.data), out.keep.eq(beat_reg.keep), out.last.eq(beat_reg.last & final),
        ]  # fmt: skip
        if "channel" in self.narrow.members:
            m.d.comb += out.channel.eq(beat_reg.channel)
        if "cut" in self.narrow.members:
            m.d.comb += out.cut.eq(beat_reg.cut & final)
        with m.If(move):
            m.d.sync += [valid_reg.eq(self.i.valid), *(beat_reg[name].eq(beat[name]) for name in self.wide.members)]
            with m.If(beat.bad):
                m.d.sync += beat_reg.keep.eq(BAD_KEEP)
        with m.Elif(self.o.ready):
            m.d.sync += [beat_reg.data.eq(beat_reg.data >> bits), beat_reg.keep.eq(beat_reg.keep >> nbytes)]
        return m


class DirectSplit(wiring.Component):
    """Gives one narrow beat per cycle, with a latency of 0 cycles.  The wide beat is taken when its last part is.

    Parameters
    ----------
    wide, narrow : StructLayout
        Beats (``beats.packet_beat``).

    Members
    -------
    i, o : stream of wide beats, stream of narrow beats
    """

    def __init__(self, wide: StructLayout, narrow: StructLayout):
        self.wide, self.narrow = wide, narrow
        super().__init__({"i": In(stream.Signature(wide)), "o": Out(stream.Signature(narrow))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bits, nbytes = self.narrow["data"].width, self.narrow["keep"].width
        ratio = self.wide["keep"].width // nbytes
        place_reg = Signal(range(ratio))
        beat, out = self.i.payload, self.o.payload
        final = Signal()
        # The first byte of a part tells whether it has any.
        after = Array([*(~beat.keep[nbytes * at] for at in range(1, ratio)), Const(1, 1)])
        m.d.comb += [
            final.eq(after[place_reg]), self.o.valid.eq(self.i.valid), self.i.ready.eq(self.o.ready & final),
            out.data.eq(Array(beat.data[bits * at : bits * (at + 1)] for at in range(ratio))[place_reg]),
            out.keep.eq(Array(beat.keep[nbytes * at : nbytes * (at + 1)] for at in range(ratio))[place_reg]),
            out.last.eq(beat.last & final),
        ]  # fmt: skip
        if "channel" in self.narrow.members:
            m.d.comb += out.channel.eq(beat.channel)
        if "cut" in self.narrow.members:
            m.d.comb += out.cut.eq(beat.cut & final)
        with m.If(self.i.valid & self.o.ready):
            m.d.sync += place_reg.eq(Mux(final, 0, place_reg + 1))
        return m

PORTS = {"tdata": "data", "tkeep": "keep", "tlast": "last", "tid": "channel", "tuser": "cut"}
"""The names of ports, and of the fields of a beat."""


@dataclass(frozen=True)
class WidthParameters:
    """The figures of converters.

    Attributes
    ----------
    core_bytes, host_bytes : int
        Bytes of a beat on both sides: powers of two that differ.
    channels : int
    cut : bool
        Whether results have ``tuser``.
    parts : bool
        Whether associated data and text each begin with a beat of their own.
    """

    core_bytes: int
    host_bytes: int
    channels: int = 1
    cut: bool = False
    parts: bool = False

    def __post_init__(self) -> None:
        for name in ("core_bytes", "host_bytes"):
            value = getattr(self, name)
            if value < 2 or value & value - 1:
                raise ValueError(f"{name} is a power of two, at least 2, not {value}")
        if self.core_bytes == self.host_bytes:
            raise ValueError("core_bytes and host_bytes differ")

    def beat(self, nbytes: int, out: bool) -> StructLayout:
        """A beat of data in or out."""
        return packet_beat(nbytes, channels=self.channels, cut=self.cut and out)


class WidthConverters(wiring.Component):
    """Converts data in and data out.

    The narrower side of each stream has a beat in every cycle if the other side does not hold it up.  No output depends on an input of
    the same cycle on the side of the host.

    Parameters
    ----------
    parameters : WidthParameters

    Members
    -------
    aclk, aresetn : In
        Those of the core.
    zeroize, core_zeroizing, zeroizing : In, In, Out
        What erases the core, what it says, and whether the core or the converters are being erased.
    s_axis_*, m_axis_* : the data streams of the host
    core_s_axis_*, core_m_axis_* : those of the core, seen from the other side
    s_axis_cmd_*, core_s_axis_cmd_*, associated, channel
        With *parts* only: the handshakes of commands, and fields of the command that the host offers.
    """

    def __init__(self, parameters: WidthParameters):
        self.parameters = p = parameters
        members: dict[str, In | Out] = {"aclk": In(1), "aresetn": In(1), "zeroize": In(1), "core_zeroizing": In(1), "zeroizing": Out(1)}
        for name, nbytes, out, driven in (
            ("s_axis", p.host_bytes, False, In), ("core_s_axis", p.core_bytes, False, Out),
            ("core_m_axis", p.core_bytes, True, In), ("m_axis", p.host_bytes, True, Out),
        ):  # fmt: skip
            layout = p.beat(nbytes, out)
            members |= {f"{name}_tvalid": driven(1), f"{name}_tready": (Out if driven is In else In)(1)}
            members |= {f"{name}_{port}": driven(layout[field].width) for port, field in PORTS.items() if field in layout.members}
        if p.parts:
            members |= {
                "s_axis_cmd_tvalid": In(1), "s_axis_cmd_tready": Out(1), "core_s_axis_cmd_tvalid": Out(1), "core_s_axis_cmd_tready": In(1),
                "associated": In(LENGTH_BITS), **{name: In(bits) for name, bits in channels_of(p.channels).fields.items()},
            }  # fmt: skip
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.parameters
        m.domains.sync = ClockDomain("sync")
        m.d.comb += [ClockSignal().eq(self.aclk), ResetSignal().eq(~self.aresetn)]
        held, erase, address = self._erasure(m)
        reset_all = Signal()
        m.d.comb += reset_all.eq(held | self.zeroize)
        reset = ResetInserter(reset_all)

        host, core = p.beat(p.host_bytes, False), p.beat(p.core_bytes, False)
        host_out, core_out = p.beat(p.host_bytes, True), p.beat(p.core_bytes, True)
        bits, channels = len(address), channels_of(p.channels)
        narrows = p.host_bytes > p.core_bytes
        rule = MessageRule(host, p.host_bytes, channels, bits) if p.parts else SolidRule(host)
        into = Split(host, core) if narrows else Gather(host, core, channels, bits)
        back = Gather(core_out, host_out, channels, bits, direct=True) if narrows else DirectSplit(core_out, host_out)
        entry = RegisterSlice(host)
        for name, part in (("entry", entry), ("rule", rule), ("into", into), ("back", back)):
            m.submodules[name] = reset(part)
        for part in (rule, into, back):
            if isinstance(part, (MessageRule, Gather)):
                m.d.comb += [part.erase.eq(erase), part.erase_address.eq(address)]
        wiring.connect(m, entry.o, rule.i)
        wiring.connect(m, rule.o, into.i)
        # A beat that is there while all is held in reset waits on the bus.
        self._from(m, "s_axis", entry.i, ~held)
        # What names a channel that the core does not have: its beats are dropped here, and its commands have no packets.
        m.d.comb += channels.refused(entry.i.valid, self.s_axis_tvalid & ~held, self)
        self._to(m, "core_s_axis", into.o)
        self._from(m, "core_m_axis", back.i, 1)
        if isinstance(back, Gather):
            m.d.comb += back.i.payload.ends.eq(self.core_m_axis_tlast)
        self._to(m, "m_axis", back.o)
        if isinstance(rule, MessageRule):
            allowed = Signal(name="command_may")
            m.d.comb += [
                allowed.eq(~rule.full & ~held), self.core_s_axis_cmd_tvalid.eq(self.s_axis_cmd_tvalid & allowed),
                self.s_axis_cmd_tready.eq(self.core_s_axis_cmd_tready & allowed),
                rule.put.eq(self.s_axis_cmd_tvalid & self.s_axis_cmd_tready & channels.owned(self)), rule.associated.eq(self.associated),
            ]  # fmt: skip
            m.d.comb += channels.passed(rule, self)
        return m

    def _erasure(self, m: Module) -> tuple[Signal, Signal, Signal]:
        """Whether all is held in reset; and the word to which zeros are written."""
        channels, held = channels_of(self.parameters.channels), Signal(name="held")
        sweep_reg = Signal(init=1)
        address_reg = Signal(channels.bits)
        with m.If(self.zeroize):
            m.d.sync += [sweep_reg.eq(1), address_reg.eq(0)]
        with m.Elif(sweep_reg):
            m.d.sync += [address_reg.eq(address_reg + 1), sweep_reg.eq(address_reg != max(2, channels.words) - 1)]
        # The word is written in the cycle after its number is given.
        last_reg = Signal(init=1)
        m.d.sync += last_reg.eq(sweep_reg)
        m.d.comb += [held.eq(self.core_zeroizing | sweep_reg | last_reg), self.zeroizing.eq(held)]
        return held, sweep_reg, address_reg

    def _from(self, m: Module, name: str, stream: object, allowed: object) -> None:
        """A stream of the ports that is taken here."""
        payload = stream.payload  # type: ignore[attr-defined]
        m.d.comb += [
            stream.valid.eq(getattr(self, f"{name}_tvalid") & allowed),  # type: ignore[attr-defined]
            getattr(self, f"{name}_tready").eq(stream.ready & allowed),  # type: ignore[attr-defined]
        ]
        for port, field in PORTS.items():
            if f"{name}_{port}" in self.signature.members:
                m.d.comb += payload[field].eq(getattr(self, f"{name}_{port}"))

    def _to(self, m: Module, name: str, stream: object) -> None:
        """A stream of the ports that is given here."""
        m.d.comb += [
            getattr(self, f"{name}_tvalid").eq(stream.valid), stream.ready.eq(getattr(self, f"{name}_tready")),  # type: ignore[attr-defined]
        ]  # fmt: skip
        for port, field in PORTS.items():
            if f"{name}_{port}" in self.signature.members:
                m.d.comb += getattr(self, f"{name}_{port}").eq(stream.payload[field])  # type: ignore[attr-defined]
