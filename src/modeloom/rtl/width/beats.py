# SPDX-License-Identifier: Apache-2.0
"""The beats of packets on both sides of a converter.

::

    beat                       data ‖ keep ‖ last ‖ channel ‖ cut
    beat that has been seen    beat ‖ ends ‖ bad

A beat ``ends`` if the bytes of the next one begin with a beat of the core: the end of the packet, and that of the associated data.  A beat
is ``bad`` if no packet has it there.  The core gets a beat in its place whose keep is ``BAD_KEEP``, which it refuses wherever it comes.
"""

from __future__ import annotations

from typing import Any, ClassVar

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.data import StructLayout

from modeloom.interfaces.messages import MOST_CHANNELS
from modeloom.rtl.stream.contexts import ChannelFlags, ChannelWords

__all__ = ["BAD_KEEP", "Direct", "OneChannel", "Stage", "channels_of", "packet_beat", "seen_beat"]

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
