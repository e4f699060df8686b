# SPDX-License-Identifier: Apache-2.0
"""Tokens that enter between those of messages: starts that run ahead, and tags that follow.

::

    in the sequence of a message     start  blocks ...  tag
    between                          start  .. others ..  blocks ...  .. others ..  tag
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from amaranth.hdl import Array, Const, Module, Mux, ResetSignal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout, View
from amaranth.lib.wiring import In, Out

from modeloom.rtl.stream.lengths import lengths_block
from modeloom.rtl.stream.line import Delay
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.sequence import StepSequence
from modeloom.rtl.stream.sizes import TokenStep

if TYPE_CHECKING:
    from modeloom.rtl.stream.arbiter import Arbiter, ReservedCycles

__all__ = ["SequencedStarts", "SequencedTags", "starts_of", "tags_of"]


class SequencedStarts:
    """Starts are tokens of their messages, or take none."""

    def __init__(self, p: MessageParameters):
        self.p = p

    def ports(self) -> dict[str, object]:
        """Further ports of the entry."""
        return {}

    def admitted(self, arbiter: Arbiter, ports: wiring.Component, busy: Value, waiting: Value) -> Value:
        """Whether a start enters between others, if the units are not busy.  It does not hold up a message that is ``waiting`` for long."""
        return Const(0, 1)

    def carried(self, ports: wiring.Component) -> dict[str, Value | int]:
        """The slot, the kind and the block of a token that enters between others; nothing if there is none."""
        return {}

    def drive(self, m: Module, ports: wiring.Component, sequence: StepSequence, begun: Value, begins: Value) -> None:
        """Drives what a token has of its message, which ``begun`` says is there.  ``begins`` says that a message begins with it."""
        known = ((name, sequence.message[of]) for name, of in self.p.known_fields.items())
        m.d.sync += [getattr(ports.o, f"known_{name}").eq(Mux(begun, length, 0)) for name, length in known]


class EarlyStarts(SequencedStarts):
    """Starts run ahead of their messages."""

    def ports(self) -> dict[str, object]:
        return {"start": In(stream.Signature(self.p.start)), "begun": Out(1), "begun_place": Out(self.p.place_bits)}

    def admitted(self, arbiter: Arbiter, ports: wiring.Component, busy: Value, waiting: Value) -> Value:
        return arbiter.admit(ports.start, busy, waiting)

    def carried(self, ports: wiring.Component) -> dict[str, Value | int]:
        start, kinds = ports.start.payload, Array(self.p.plan.kind_of(title) for title in self.p.starts)
        return {"slot": start.slot, "kind": kinds[start.nonce_class], "block": start.nonce}

    def drive(self, m: Module, ports: wiring.Component, sequence: StepSequence, begun: Value, begins: Value) -> None:
        o, start, place, blank = ports.o, ports.start.payload, sequence.message.place, sequence.overwrites
        m.d.sync += [getattr(o, f"known_{name}").eq(start[name]) for name in self.p.known_fields]
        m.d.sync += [o.start_place.eq(start.place), o.begin_place.eq(place), o.blank.eq(blank)]
        m.d.comb += [ports.begun.eq(begins & ~blank), ports.begun_place.eq(place)]


class SequencedTags:
    """Tags are tokens behind the blocks of their messages, or in a lane that these leave free."""

    def __init__(self, p: MessageParameters):
        self.p = p

    def only_ends(self, sequence: StepSequence) -> Value:
        """Whether the token that is next only ends its message, and needs no unit."""
        return Const(0, 1)

    def reserved(self, arbiter: Arbiter) -> ReservedCycles | None:
        """The cycles in which the entry is taken for tags; None if they are not taken before."""
        return None

    def takes_cipher(self, sequence: StepSequence, only_ends: Value) -> Value:
        """Whether the cipher is taken for a tag when the step that is next enters."""
        return sequence.step == TokenStep.TAG

    def in_lane(self, token: View, lane: int, plain: Value) -> Value:
        """Whether a lane of a ``plain`` token, which does not overwrite, has the tag of its message."""
        return token.tag & (token.full == lane) & plain

    def carried(self, m: Module, sequence: StepSequence, counts: Value | None, slot: Value) -> dict[str, Value | int]:
        """The slot, the kind and the block of a tag that enters between others; nothing if there is none.  Tokens that overwrite have a
        *slot*, and *counts* says which cycles count."""
        return {}


class FollowingTags(SequencedTags):
    """Tags follow their messages."""

    def only_ends(self, sequence: StepSequence) -> Value:
        return sequence.step == TokenStep.TAG

    def reserved(self, arbiter: Arbiter) -> ReservedCycles | None:
        return arbiter.reserve("entry", self.p.pace.places(self.p.plan.behind))

    def takes_cipher(self, sequence: StepSequence, only_ends: Value) -> Value:
        return only_ends | (sequence.token.tag & ~sequence.overwrites)

    def in_lane(self, token: View, lane: int, plain: Value) -> Value:
        return Const(0, 1)

    def carried(self, m: Module, sequence: StepSequence, counts: Value | None, slot: Value) -> dict[str, Value | int]:
        p, plan, over, message = self.p, self.p.plan, sequence.overwrites, sequence.message
        layout = StructLayout({"slot": p.slot_bits, **({"lengths": p.block_bits} if plan.tag_lengths else {})})
        m.submodules.following = following = Delay(layout, p.pace.places(plan.behind), counted=counts is not None)
        if counts is not None:
            # Its registers have no reset.  What is in them leaves in a reset, too.
            m.d.comb += following.counts.eq(counts | ResetSignal())
        m.d.comb += following.i.slot.eq(Mux(over, slot, message.slot))
        block: Value = Const(0, p.block_bits)
        if plan.tag_lengths:
            kind = Const(plan.kind_of("tag"), (len(plan.tokens) - 1).bit_length())
            lengths = lengths_block(m, p, "lengths_behind", kind, Mux(over, 0, sequence.token.lengths), message.nonce_bytes)
            m.d.comb += following.i.lengths.eq(lengths)
            block = following.o.lengths
        return {"slot": following.o.slot, "kind": plan.kind_of("tag"), "block": block}


def starts_of(p: MessageParameters) -> SequencedStarts:
    """How starts enter."""
    return EarlyStarts(p) if p.plan.runs_ahead else SequencedStarts(p)


def tags_of(p: MessageParameters) -> SequencedTags:
    """How tags enter."""
    return FollowingTags(p) if p.plan.follows else SequencedTags(p)
