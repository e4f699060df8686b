# SPDX-License-Identifier: Apache-2.0
"""The beats of packets on both sides of a converter.

::

    beat                       data ‖ keep ‖ last ‖ channel ‖ cut
    beat that has been seen    beat ‖ ends ‖ bad

A beat ``ends`` if the bytes of the next one begin with a beat of the core: the end of the packet, and that of the associated data.  A beat
is ``bad`` if no packet has it there.  The core gets a beat in its place whose keep is ``BAD_KEEP``, which it refuses wherever it comes.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.data import StructLayout

from modeloom.interfaces.messages import MOST_CHANNELS
from modeloom.rtl.stream.contexts import ChannelFlags, ChannelWords

__all__ = ["BAD_KEEP", "Direct", "Stage", "context_of", "is_own", "packet_beat", "seen_beat"]

BAD_KEEP = 0b10
"""The first byte is missing, and the second is there."""

SIDE = ("channel", "cut")
"""What a beat may have beside its bytes: the payload ``tid`` and ``tuser``."""


def packet_beat(nbytes: int, *, channels: int = 1, cut: bool = False) -> StructLayout:
    """A beat of so many bytes.  It has a channel if there are several, and ``cut`` if it says that a message failed."""
    return StructLayout({
        "data": 8 * nbytes, "keep": nbytes, "last": 1, **({"channel": 8} if channels > 1 else {}), **({"cut": 1} if cut else {}),
    })  # fmt: skip


def seen_beat(beat: StructLayout) -> StructLayout:
    """A beat, and what has been seen of it."""
    return StructLayout({**dict(beat.members), "ends": 1, "bad": 1})


def of_side(layout: StructLayout) -> tuple[str, ...]:
    """The fields that a beat has beside its bytes, except those that are set in its last part only."""
    return tuple(name for name in SIDE if name in layout.members)


def holes(keep: Value) -> Value:
    """Whether a byte is missing before one that is there."""
    return Cat(~keep[:-1] & keep[1:]).any() if len(keep) > 1 else Cat(0)


def context_of(channel: Value | None, channels: int) -> Value:
    """The number of a channel among the words that are kept for each; channels that the core does not have share one."""
    if channel is None:
        return Cat(0)
    most = contexts(channels)
    bits = context_bits(channels)
    return channel[:bits] if most == channels else Mux(channel < channels, channel, channels)[:bits]


def is_own(channel: Value, channels: int) -> Value:
    """Whether the core has a channel."""
    return Const(1, 1) if channels == MOST_CHANNELS else channel < channels


def contexts(channels: int) -> int:
    """Words of what is kept for each channel."""
    return min(channels + 1, MOST_CHANNELS) if channels > 1 else 1


def context_bits(channels: int) -> int:
    """Bits of the number of such a word."""
    return max(1, (contexts(channels) - 1).bit_length())


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

class Kept:
    """A beat with the word of its channel.

    Parameters
    ----------
    m : Module
        Where it is built.
    i : stream of beats
        Its input.
    layout : StructLayout
        The word of a channel.  It is zero after an erasure.
    channels : int
    erase, address : Value
        While the module is held in reset: zeros to the word with this number.

    Attributes
    ----------
    valid, beat : Value, Any
        The beat.
    may, take : Signal
        To be set: the beat may leave.  It does if it is there.
    word, after : Signal
        The word of its channel, and what it becomes if the beat leaves.  By default, it stays.
    """

    valid: Value
    beat: Any

    def __init__(self, m: Module, i: Any, layout: StructLayout, channels: int, erase: Value, address: Value):
        self.may, self.take = Signal(name="may"), Signal(name="take")
        self.word, self.after = Signal(layout, name="kept_word"), Signal(layout, name="kept_after")
        self._input(m, i)
        m.d.comb += [self.take.eq(self.valid & self.may), self.after.eq(self.word)]
        if channels == 1:
            word_reg = Signal(layout, name="kept_reg")
            m.d.comb += self.word.eq(word_reg)
            with m.If(self.take):
                m.d.sync += word_reg.eq(self.after)
            return
        words = self._words(m, i, layout, channels, len(address))
        m.submodules.of_channels = words
        m.d.comb += [
            Value.cast(self.word).eq(words.rdata[0]), words.we.eq(self.take), words.wdata.eq(self.after), words.erase.eq(erase),
            words.erase_address.eq(address),
        ]  # fmt: skip

    def _input(self, m: Module, i: Any) -> None:
        """Sets ``valid`` and ``beat``, and answers the input."""
        raise NotImplementedError

    def _words(self, m: Module, i: Any, layout: StructLayout, channels: int, erase_bits: int) -> ChannelFlags | ChannelWords:
        """The words of all channels, with their addresses."""
        raise NotImplementedError


class Stage(Kept):
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

    def _words(self, m: Module, i: Any, layout: StructLayout, channels: int, erase_bits: int) -> ChannelWords:
        self.context = context_reg = Signal(context_bits(channels), name="context_reg")
        self.next_context = Signal(context_bits(channels), name="next_context")
        words = ChannelWords(layout.size, contexts(channels), 1, erase_bits)
        m.d.comb += [
            self.next_context.eq(Mux(self._move, context_of(i.payload.channel, channels), context_reg)),
            words.raddr[0].eq(self.next_context), words.waddr.eq(context_reg),
        ]  # fmt: skip
        m.d.sync += context_reg.eq(self.next_context)
        return words


class Direct(Kept):
    """A beat as it stands at the input, which sees at once whether it leaves."""

    def _input(self, m: Module, i: Any) -> None:
        self.valid, self.beat = i.valid, i.payload
        m.d.comb += i.ready.eq(self.may)

    def _words(self, m: Module, i: Any, layout: StructLayout, channels: int, erase_bits: int) -> ChannelFlags:
        words, context = ChannelFlags(layout.size, contexts(channels), 1, erase_bits), Signal(context_bits(channels), name="context")
        m.d.comb += [context.eq(context_of(i.payload.channel, channels)), words.raddr[0].eq(context), words.waddr.eq(context)]
        return words
