# SPDX-License-Identifier: Apache-2.0
"""What becomes of a beat of a packet: a token of associated data, of text or of the tag, or a fault.

::

    beat ──────────▶ bytes, gaps ──┐
    state of its packet ───────────┴──▶ token, next state

A packet has a part whose bytes its command says, and then a part that goes on to its end: associated data, and text.  If messages have
their text first, it is the other way round.

A beat without bytes stands for a part without bytes: a packet without data, or a part behind that is empty.  Anywhere else it is a
fault, also if it has ``tlast`` and all bytes have come.  The token of the last bytes has gone by then without the mark of the last one,
which some modes need, and waiting for the next beat would take a place for a beat in each channel and a cycle of each message.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, ValueLike
from amaranth.lib.data import StructLayout

from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.table import by_member
from modeloom.rtl.bus.ports import payload_layout
from modeloom.rtl.stream.lengths import tag_block
from modeloom.rtl.stream.parameters import CODE_BITS, MessageParameters
from modeloom.rtl.stream.sizes import LENGTH_BITS, TokenStep

__all__ = ["LENGTH_BITS", "Packet", "Taken", "most_text_held", "packet_layout", "see_beat", "seen_layout", "take_beat"]


def packet_layout(parameters: MessageParameters) -> StructLayout:
    """One beat of data: tdata, tkeep, tlast, and with several channels tid.  A marked beat says whether it is ``associated``."""
    layout = payload_layout(by_member(parameters.interfaces, "s"), parameters)
    return StructLayout({**dict(layout.members), "associated": 1}) if parameters.marked else layout


def seen_layout(parameters: MessageParameters) -> StructLayout:
    """What ``tkeep`` and ``tlast`` of a beat say.

    ``nbytes`` is the number of bytes, if there is no ``hole`` among them.  ``some`` says that the first byte is there, and
    ``full`` that all are.  The beat is ``null`` if it can be the packet of a message without data.
    """
    return StructLayout({"nbytes": parameters.beat_nbytes_bits, "full": 1, "some": 1, "hole": 1, "null": 1})


def see_beat(p: MessageParameters, seen: Any, beat: Any) -> list[Any]:
    """Assigns what is seen of a beat."""
    size, keep = p.beat_bytes, beat.keep
    ends = Cat(keep[at] & (~keep[at + 1] if at + 1 < size else 1) for at in range(size))
    counted = (Cat(ends[at] for at in range(size) if (at + 1) >> bit & 1).any() for bit in range(p.beat_nbytes_bits))
    hole = (~keep[:-1] & keep[1:]).any()
    return [
        seen.nbytes.eq(Cat(counted)), seen.full.eq(keep.all()), seen.some.eq(keep[0]), seen.hole.eq(hole),
        seen.null.eq(~keep.any() & beat.last),
    ]  # fmt: skip


@dataclass(frozen=True)
class Packet:
    """The packet that a beat belongs to.

    Attributes
    ----------
    may : Value
        There is room for a token.
    ended : Value
        The last beat of a packet has been taken, and the token of its tag is next.
    valid, beat, seen : Value, Any, Any
        A beat of a packet whose command is known, and what is seen of it.
    discard, in_associated, first, begun, code : Value
        Of its message: whether its beats are discarded; whether associated data, or what else comes first, are to come; whether it has
        had no token; whether there are beats of the part behind; and what is wrong with it.
    open : Value
        Whether beats of text are on their way out, and the last one is to come.
    associated, tail, partial : Value
        Bytes of the first part, in all and in its last block; bytes of the last block of the part behind.  Modulo a block.
    held : Value
        Whether the most text is that which the core holds, and not the mode's.
    reached, text_reached, text : Value
        Whether this is the last block of the first part, or one beyond the most of the part behind; and blocks of the latter so far.
    count, count_text : Signal
        Counts a block of the first part, and of the part behind.
    set : callable
        Sets parts of the state: ``set(discard=1)``.  Before that, they keep their values.
    text_bytes, past : Value or None
        Bytes of text, if the command has said them.  ``text_reached`` is then whether this is the last block of text, and ``past`` whether
        all of them have come, in beats without ``tlast``.
    masked : bool
        Whether bytes that are not there are zeros already.
    """

    may: Value
    ended: Value
    valid: Value
    beat: Any
    seen: Any
    discard: Value
    in_associated: Value
    first: Value
    begun: Value
    open: Value
    code: Value
    associated: Value
    tail: Value
    partial: Value
    held: Value
    reached: Value
    text_reached: Value
    text: Value
    count: Signal
    count_text: Signal
    set: Callable[..., None]
    text_bytes: Value | None = None
    past: Value | None = None
    masked: bool = False


@dataclass(frozen=True)
class Taken:
    """What came of a beat: whether a token ends its message, and whether it has blocks beside the tag."""

    ends_message: Signal
    shared: Signal


def take_beat(
    m: Module, p: MessageParameters, out: Any, ready: Signal, packet: Packet, lengths_of_ended: Value | None = None
) -> Taken:
    """Takes a beat or not, and gives a token or not.

    Parameters
    ----------
    out : stream of MessageParameters.piece
        The token that is given.
    ready : Signal
        High if the beat is taken.
    packet : Packet
    lengths_of_ended : Value, optional
        Lengths of the message that has ended, if they are not those of the packet.
    """
    size, index_bits = p.beat_bytes, p.beat_bytes.bit_length() - 1
    beat, token = packet.beat, out.payload
    # -- what the beat is -----------------------------------------------------------------------------------------------------
    seen = packet.seen
    full, some, hole, nbytes = seen.full, seen.some, seen.hole, seen.nbytes
    wanted = Signal(p.beat_nbytes_bits)
    fits = Signal()
    short = Signal()
    m.d.comb += [
        # No tail is as long as a block.
        wanted.eq(Mux(packet.reached & (packet.tail != 0), packet.tail, size)),
        # What makes marked beats ends a message with a beat that is not associated data.
        fits.eq(~hole & some if p.marked else ~hole & (nbytes == wanted) & (packet.reached | ~beat.last)),
        short.eq(beat.last & ~hole & (nbytes <= wanted) & (some | packet.first)),
    ]
    most, most_held = (p.plan.mode.most_associated,) * 2 if p.text_first else (p.plan.mode.most_text, most_text_held(p))
    null = Signal()
    too_long = Signal()
    m.d.comb += null.eq(seen.null & ~packet.begun)
    known = packet.text_bytes is not None
    if packet.text_bytes is None or packet.past is None:
        m.d.comb += too_long.eq(packet.text_reached & (nbytes > Mux(packet.held, most_held % size, most % size)))
    else:
        tail, some_text, too_short = packet.text_bytes[:index_bits], Signal(name="some_text"), Signal(name="too_short")
        text_wanted = Mux(tail != 0, tail, size)
        m.d.comb += [
            some_text.eq(packet.text_bytes.any()),
            too_long.eq(~some_text | packet.past | (packet.text_reached & (nbytes > text_wanted))),
            too_short.eq(beat.last & (~packet.text_reached | (nbytes < text_wanted))),
        ]

    # -- what becomes of it ---------------------------------------------------------------------------------------------------
    leading, behind = (TokenStep.TEXT, TokenStep.ASSOCIATED) if p.text_first else (TokenStep.ASSOCIATED, TokenStep.TEXT)
    give = Signal()
    take = Signal()
    ends_message = Signal()
    alone = Signal()
    shared = Signal()
    is_text = Signal()
    fault = Signal(CODE_BITS)
    full_lanes = Signal(range(p.lanes + 1))
    lengths = Signal(2 * LENGTH_BITS)
    # A text of a known length ends with its last byte, whether or not its packet does.
    ends = (packet.text_reached if known else beat.last, packet.reached)
    m.d.comb += [
        full_lanes.eq(sum((beat.keep[at : at + 1] for at in range(p.block_bytes, size, p.block_bytes)), beat.keep[:1])),
        Value.cast(token.blocks).eq(beat.data if packet.masked else beat.data & Cat(bit.replicate(8) for bit in beat.keep)),
        token.full.eq(full_lanes),
        ends_message.eq(alone | shared),
        token.tag.eq(shared),
        token.first.eq(packet.first),
        token.nbytes.eq(nbytes),
        *([token.lengths.eq(lengths)] if p.plan.tag_lengths else []),
        *([token.final.eq(Mux(is_text, *(ends[::-1] if p.text_first else ends)))] if p.plan.ends else []),
        out.valid.eq(give),
        ready.eq(take),
    ]
    with m.If(packet.may):
        with m.If(packet.ended):
            m.d.comb += alone.eq(1)
        with m.Elif(packet.valid):
            m.d.comb += take.eq(1)
            with m.If(packet.discard):
                packet.set(ended=beat.last)
            with m.Elif(packet.in_associated):
                if known:
                    with m.If(fits & beat.last & some_text):
                        m.d.comb += fault.eq(MessageCode.TOO_SHORT)
                with m.Elif(fits) if known else m.If(fits):
                    m.d.comb += [give.eq(1), token.step.eq(leading), packet.count.eq(full if p.marked else 1)]
                    packet.set(**({"tail": nbytes} if p.marked else {"in_associated": ~packet.reached}), ended=beat.last)
                    if p.text_first:
                        m.d.comb += [is_text.eq(1), token.last.eq(packet.reached)]
                        packet.set(open=~packet.reached)
                with m.Else():
                    m.d.comb += fault.eq(Mux(short, MessageCode.TOO_SHORT, MessageCode.BAD_KEEP))
            if known:
                with m.Elif(null & some_text):
                    m.d.comb += fault.eq(MessageCode.TOO_SHORT)
            with m.Elif(null):
                m.d.comb += alone.eq(1)
            with m.Elif(hole | ~some | ~(full | beat.last)):
                m.d.comb += fault.eq(MessageCode.BAD_KEEP)
            with m.Elif(too_long):
                m.d.comb += fault.eq(Mux(packet.held, MessageCode.TOO_LONG_TO_HOLD, MessageCode.TOO_LONG))
            if known:
                with m.Elif(too_short):
                    m.d.comb += fault.eq(MessageCode.TOO_SHORT)
            with m.Else():
                text = [] if p.text_first else [is_text.eq(1), token.last.eq(beat.last)]
                m.d.comb += [give.eq(1), *text[:1], token.step.eq(behind), *text[1:], packet.count_text.eq(full)]
                packet.set(begun=Const(1), ended=beat.last, partial=nbytes, **({"past": packet.text_reached} if known else {}))
    with m.If(fault.any()):
        packet.set(code=fault, discard=Const(1), ended=beat.last)
        with m.If(packet.open):
            # The packet that has begun to leave the core ends with a beat that has no bytes.
            m.d.comb += [
                give.eq(1), token.step.eq(TokenStep.TEXT), token.nbytes.eq(0), token.full.eq(0), token.last.eq(1), token.cut.eq(1),
            ]  # fmt: skip
    with m.If(give):
        packet.set(first=Const(0))

    own: ValueLike = Cat(packet.associated, packet.partial, packet.text)
    if packet.text_bytes is not None:
        own = Cat(packet.associated, packet.text_bytes)
    if not p.text_first:
        # Such tags read no lengths.
        m.d.comb += lengths.eq(own if lengths_of_ended is None else Mux(packet.ended, lengths_of_ended, own))
    if p.plan.joins_tag:
        room = full_lanes != p.lanes if p.plan.shares_tag else Const(1, 1)
        with m.If(give & ~fault.any() & beat.last & room & ~alone):
            m.d.comb += shared.eq(1)
            with m.If(is_text):
                counted = packet.text + seen.full if p.plan.tag_lengths else packet.text
                m.d.comb += lengths.eq(Cat(packet.associated, nbytes[:index_bits], counted))
    if p.plan.shares_tag:
        with m.If(shared):
            m.d.comb += token.blocks[full_lanes].eq(tag_block(p, lengths))
    with m.If(alone):
        m.d.comb += [
            give.eq(1), token.step.eq(TokenStep.TAG), token.blocks[0].eq(0 if p.text_first else tag_block(p, lengths)),
            token.code.eq(packet.code), token.nbytes.eq(0), token.full.eq(0),
        ]  # fmt: skip
    return Taken(ends_message, shared)


def most_text_held(p: MessageParameters) -> int:
    """Most bytes of text of a message to be opened."""
    most = p.plan.mode.most_text
    return most if p.hold is None else min(most, p.text_from * p.beat_bytes + p.hold)
