# SPDX-License-Identifier: Apache-2.0
"""What becomes of a beat of a packet: a token of associated data, of text or of the tag, or a fault.

::

    beat ──────────▶ bytes, gaps ──┐
    state of its packet ───────────┴──▶ token, next state

A packet has a part whose bytes its command says, and then a part that goes on to its end.  ``PARTS`` has all kinds of packets.

A beat without bytes stands for a part without bytes: a packet without data, or a part behind that is empty.  Anywhere else it is a
fault, also if it has ``tlast`` and all bytes have come.  The token of the last bytes has gone by then without the mark of the last one,
which some modes need, and waiting for the next beat would take a place for a beat in each channel and a cycle of each message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, ValueLike
from amaranth.lib.data import StructLayout

from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.table import by_member
from modeloom.rtl.bus.ports import payload_layout, signals
from modeloom.rtl.stream.long_counter import LOW_BITS
from modeloom.rtl.stream.sequence import StepSequence, TextFirstSequence
from modeloom.rtl.stream.sizes import CODE_BITS, LENGTH_BITS, TokenStep
from modeloom.rtl.stream.tags import tag_block

if TYPE_CHECKING:
    from modeloom.rtl.stream.parameters import MessageParameters

__all__ = ["LENGTH_BITS", "PARTS", "AssociatedFirst", "Packet", "counted", "packet_layout", "see_beat", "seen_layout"]


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
    keep = beat.keep
    return [
        seen.nbytes.eq(counted(keep)), seen.full.eq(keep.all()), seen.some.eq(keep[0]), seen.hole.eq((~keep[:-1] & keep[1:]).any()),
        seen.null.eq(~keep.any() & beat.last),
    ]  # fmt: skip


def counted(keep: Value) -> Value:
    """The number of bytes of a beat, if there is no hole among them."""
    ends = Cat(keep[at] & (~keep[at + 1] if at + 1 < len(keep) else 1) for at in range(len(keep)))
    return Cat(Cat(ends[at] for at in range(len(keep)) if (at + 1) >> bit & 1).any() for bit in range(len(keep).bit_length()))


Limit = tuple[Value, list[Value], list[Value], list[Value]]

COUNTED = ("low", "high", "next_high", "at_high", "next_at_high")
"""The state of a counter of a channel."""


# -- kinds of packets --------------------------------------------------------------------------------------------------------------

class AssociatedFirst:
    """Associated data, whose bytes the command says, and then text, which goes on to the end of the taken."""

    # The lengths that a command has, that of the first part first; and the steps of the first part, and of the part behind.
    stated: tuple[str, ...] = ("associated",)
    steps = (TokenStep.ASSOCIATED, TokenStep.TEXT)
    # Flags of the state of a packet: those that fall with the first part, those that rise with the last block of a part behind of known
    # length, and the one that says that beats of text are on their way out, and the last one is to come.
    until: tuple[str, ...] = ("in_associated",)
    past: tuple[str, ...] = ()
    opens = "begun"
    # How the steps of messages follow each other.
    sequence: type[StepSequence] = StepSequence

    def __init__(self, p: MessageParameters):
        self.size, self.tail_bits = p.beat_bytes, p.beat_bytes.bit_length() - 1
        self.text_at = self.steps.index(TokenStep.TEXT)
        self.begins = tuple((p.associated_from, p.text_from)[step] for step in self.steps)
        # The most beats of text that a message can be counted to have had before its first one.
        self.most_ahead = p.plan.mode.most_text // self.size
        # The most bytes of the part behind, and of one that is held.
        self.most, self.most_held = (((p.plan.mode.most_associated,) * 2, (p.plan.mode.most_text, p.delivery.most_text))[self.steps[1]])

    @staticmethod
    def chosen(p: MessageParameters) -> bool:
        """Whether the packets of a core are of this kind, if they are of none before it in ``PARTS``."""
        return True

    def begin_behind(self, order: Any, held: Value) -> tuple[ValueLike, ValueLike]:
        """The count with which the blocks of the part behind begin, and that of the last one."""
        return self.begins[1], Mux(held, self.most_held // self.size, self.most // self.size)

    def begin_channel(self, order: Any) -> tuple[dict[str, ValueLike], ValueLike]:
        """The state of a counter of a channel with which they begin, and the count of the last one."""
        high, limit = self.begins[1] >> LOW_BITS, self.most // self.size
        at_high = (int(at == limit >> LOW_BITS) for at in (high, high + 1))
        values = (self.begins[1] % (1 << LOW_BITS), high, high + 1, *at_high)
        return dict(zip(COUNTED, values, strict=True)), limit

    def stated_channel(self, order: Any, name: str, near: str) -> dict[str, ValueLike]:
        """The same for a length that the command says."""
        # The last block is that before which as many whole blocks have come as there are, or one less if it is whole itself.
        low = Cat(order[name][: self.tail_bits] == 0, Const(0, LOW_BITS - 1))
        return dict(zip(COUNTED, (low, 0, 1, order[near], 0), strict=True))

    def lengths(self, order: Any, counted: Value) -> Value:
        """The bytes of associated data and of text, of which so many have been counted."""
        return Cat(order["associated"], counted)

    def limit(self, m: Module, taken: Packet, too_long: Signal, fits: Value, null: Value) -> Limit:
        """Says whether a beat of the part behind is too long.

        Returns whether it has the last block, and when a message is too short in its first part, without data, and in the part behind.
        """
        most = Mux(taken.held, self.most_held % self.size, self.most % self.size)
        m.d.comb += too_long.eq(taken.text_reached & (taken.seen.nbytes > most))
        return taken.beat.last, [], [], []


class KnownLengths(AssociatedFirst):
    """The same, with both lengths in the command.  A text ends with its last byte, whether or not its packet does."""

    stated = ("associated", "text")
    past = ("past",)

    def __init__(self, p: MessageParameters):
        super().__init__(p)
        # A text that cannot be held is known of its command.
        self.most_held, self.most_ahead = self.most, 0

    @staticmethod
    def chosen(p: MessageParameters) -> bool:
        """In a mode that knows all lengths before a message begins."""
        return p.lengths_first

    def begin_behind(self, order: Any, held: Value) -> tuple[ValueLike, ValueLike]:
        """As of the first part."""
        return order["text"][: self.tail_bits] == 0, order["text"][self.tail_bits :]

    def begin_channel(self, order: Any) -> tuple[dict[str, ValueLike], ValueLike]:
        """As of the first part."""
        return self.stated_channel(order, "text", "near_text"), order.text[self.tail_bits :]

    def lengths(self, order: Any, counted: Value) -> Value:
        """What the command says."""
        return Cat(order["associated"], order["text"])

    def limit(self, m: Module, taken: Packet, too_long: Signal, fits: Value, null: Value) -> Limit:
        """A text has as many bytes as its command says."""
        tail, some_text, too_short = taken.order["text"][: self.tail_bits], Signal(name="some_text"), Signal(name="too_short")
        wanted, reached, nbytes, last = Mux(tail != 0, tail, self.size), taken.text_reached, taken.seen.nbytes, taken.beat.last
        m.d.comb += [
            some_text.eq(taken.order["text"].any()),
            too_long.eq(~some_text | taken.state["past"] | (reached & (nbytes > wanted))),
            too_short.eq(last & (~reached | (nbytes < wanted))),
        ]
        return reached, [fits & last & some_text], [null & some_text], [too_short]


class TextFirst(AssociatedFirst):
    """Text, whose bytes the command says, and then associated data, which go on to the end of the taken.  No tag reads lengths."""

    stated = ("text",)
    steps = (TokenStep.TEXT, TokenStep.ASSOCIATED)
    until = ("in_associated", "open")
    opens = "open"
    sequence = TextFirstSequence

    @staticmethod
    def chosen(p: MessageParameters) -> bool:
        """With ``--order text-first``."""
        return p.text_first

    def begin_behind(self, order: Any, held: Value) -> tuple[ValueLike, ValueLike]:
        """Nothing of it is held."""
        return self.begins[1], Const(self.most // self.size)

    def lengths(self, order: Any, counted: Value) -> Value:
        """None."""
        return Const(0)


PARTS = (TextFirst, KnownLengths, AssociatedFirst)
"""Kinds of packets.  A core has the first one that is chosen."""


# -- packet ------------------------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Packet:
    """The packet that a beat belongs to.

    ``state`` is that of its message: ``discard``, whether its beats are discarded; ``in_associated``, whether associated data, or what
    else comes first, are to come; ``first``, whether it has had no token; ``begun``, whether there are beats of the part behind; ``code``,
    what is wrong with it; ``tail`` and ``partial``, bytes of the last block of the first part and of the part behind, modulo a block.
    """

    p: MessageParameters
    room: Value  # There is room for a token.
    ended: Value  # The last beat of a packet has been taken, and the token of its tag is next.
    valid: Value  # There is a beat of a packet whose command is known.
    beat: Any
    seen: Any  # What is seen of the beat.
    state: Mapping[str, Value]
    order: Any  # The lengths that its command says.
    held: Value  # The most text is that which the core holds, and not the mode's.
    reached: Value  # This is the last block of the first part,
    text_reached: Value  # or one beyond the most of the part behind, or its last one if the command says its bytes.
    text: Value  # Blocks of the part behind so far.
    count: Signal  # Counts a block of the first part.
    count_text: Signal  # Counts a block of the part behind.
    set: Callable[..., None]  # Sets parts of the state, as in set(discard=1).  Before that, they keep their values.
    masked: bool = False  # Bytes that are not there are zeros already.
    lengths_of_ended: Value | None = None  # Lengths of the message that has ended, if they are not those of the packet.

    def take(self, m: Module, out: Any, ready: Signal) -> tuple[Signal, Signal]:
        """Takes a beat or not, with ``ready``, and gives a token or not: ``out`` is a stream of ``MessageParameters.piece``.

        Returns whether the token ends its message, and whether it has blocks beside the tag.
        """
        p, parts, size = self.p, self.p.parts, self.p.beat_bytes
        beat, token, state = self.beat, out.payload, self.state
        # -- what the beat is -----------------------------------------------------------------------------------------------------
        seen = self.seen
        full, some, hole, nbytes = seen.full, seen.some, seen.hole, seen.nbytes
        wanted = Signal(p.beat_nbytes_bits)
        fits, short = signals("fits short")
        m.d.comb += [
            # No tail is as long as a block.
            wanted.eq(Mux(self.reached & (state["tail"] != 0), state["tail"], size)),
            # What makes marked beats ends a message with a beat that is not associated data.
            fits.eq(~hole & some if p.marked else ~hole & (nbytes == wanted) & (self.reached | ~beat.last)),
            short.eq(beat.last & ~hole & (nbytes <= wanted) & (some | state["first"])),
        ]
        null, too_long = signals("null too_long")
        m.d.comb += null.eq(seen.null & ~state["begun"])
        last, short_first, short_null, short_behind = parts.limit(m, self, too_long, fits, null)

        # -- what becomes of it ---------------------------------------------------------------------------------------------------
        give, take, ends_message, alone, shared, is_text = signals("give take ends_message alone shared is_text")
        fault = Signal(CODE_BITS)
        full_lanes = Signal(range(p.lanes + 1))
        lengths = Signal(2 * LENGTH_BITS)
        ends = (self.reached, last)
        of_text: tuple[list[object], list[object]] = ([], [])
        of_text[parts.text_at].extend([is_text.eq(1), token.last.eq((self.reached, beat.last)[parts.text_at])])

        def refuse(conditions: list[Value]) -> None:
            for condition in conditions:
                with m.Elif(condition):
                    m.d.comb += fault.eq(MessageCode.TOO_SHORT)

        m.d.comb += [
            full_lanes.eq(sum((beat.keep[at : at + 1] for at in range(p.block_bytes, size, p.block_bytes)), beat.keep[:1])),
            Value.cast(token.blocks).eq(beat.data if self.masked else beat.data & Cat(bit.replicate(8) for bit in beat.keep)),
            token.full.eq(full_lanes), ends_message.eq(alone | shared), token.tag.eq(shared), token.first.eq(state["first"]),
            token.nbytes.eq(nbytes), out.valid.eq(give), ready.eq(take),
            *([token.lengths.eq(lengths)] if p.plan.tag_lengths else []),
            *([token.final.eq(Mux(is_text, ends[parts.text_at], ends[1 - parts.text_at]))] if p.plan.ends else []),
        ]  # fmt: skip
        with m.If(self.room):
            with m.If(self.ended):
                m.d.comb += alone.eq(1)
            with m.Elif(self.valid):
                m.d.comb += take.eq(1)
                with m.If(state["discard"]):
                    self.set(ended=beat.last)
                with m.Elif(state["in_associated"]):
                    for condition in short_first:
                        with m.If(condition):
                            m.d.comb += fault.eq(MessageCode.TOO_SHORT)
                    with m.Elif(fits) if short_first else m.If(fits):
                        m.d.comb += [give.eq(1), token.step.eq(parts.steps[0]), self.count.eq(full if p.marked else 1), *of_text[0]]
                        self.set(**({"tail": nbytes} if p.marked else dict.fromkeys(parts.until, ~self.reached)), ended=beat.last)
                    with m.Else():
                        m.d.comb += fault.eq(Mux(short, MessageCode.TOO_SHORT, MessageCode.BAD_KEEP))
                refuse(short_null)
                with m.Elif(null):
                    m.d.comb += alone.eq(1)
                with m.Elif(hole | ~some | ~(full | beat.last)):
                    m.d.comb += fault.eq(MessageCode.BAD_KEEP)
                with m.Elif(too_long):
                    m.d.comb += fault.eq(Mux(self.held, MessageCode.TOO_LONG_TO_HOLD, MessageCode.TOO_LONG))
                refuse(short_behind)
                with m.Else():
                    m.d.comb += [give.eq(1), *of_text[1], token.step.eq(parts.steps[1]), self.count_text.eq(full)]
                    self.set(begun=Const(1), ended=beat.last, partial=nbytes, **dict.fromkeys(parts.past, self.text_reached))
        with m.If(fault.any()):
            self.set(code=fault, discard=Const(1), ended=beat.last)
            with m.If(state[parts.opens]):
                # The packet that has begun to leave the core ends with a beat that has no bytes.
                m.d.comb += [
                    give.eq(1), token.step.eq(TokenStep.TEXT), token.nbytes.eq(0), token.full.eq(0), token.last.eq(1), token.cut.eq(1),
                ]  # fmt: skip
        with m.If(give):
            self.set(first=Const(0))

        own = parts.lengths(self.order, Cat(state["partial"], self.text))
        m.d.comb += lengths.eq(own if self.lengths_of_ended is None else Mux(self.ended, self.lengths_of_ended, own))
        if p.plan.joins_tag:
            room = full_lanes != p.lanes if p.plan.shares_tag else Const(1, 1)
            with m.If(give & ~fault.any() & beat.last & room & ~alone):
                m.d.comb += shared.eq(1)
                with m.If(is_text):
                    blocks = self.text + full if p.plan.tag_lengths else self.text
                    m.d.comb += lengths.eq(parts.lengths(self.order, Cat(nbytes[: parts.tail_bits], blocks)))
        if p.plan.shares_tag:
            with m.If(shared):
                m.d.comb += token.blocks[full_lanes].eq(tag_block(p, lengths))
        with m.If(alone):
            m.d.comb += [
                give.eq(1), token.step.eq(TokenStep.TAG), token.blocks[0].eq(tag_block(p, lengths)), token.code.eq(state["code"]),
                token.nbytes.eq(0), token.full.eq(0),
            ]  # fmt: skip
        return ends_message, shared
