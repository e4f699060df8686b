# SPDX-License-Identifier: Apache-2.0
"""Tokens that enter beside those of messages: starts that run ahead, and tags that follow.

::

    end of a message ──[reg]── ... ──▶ its tag ────┐  first
    next start ────────────────────────────────────┼──▶ units of lane 0
    tokens of messages, of keys ───────────────────┘  last

A tag enters a fixed number of cycles after the end of its message, so that what it reads is in the pipeline.  Nothing else enters then but
the end of a message without blocks, which uses no unit.  With a cadence, these tokens keep it, and tags follow after whole intervals.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, ResetSignal, Signal, Value
from amaranth.lib.data import StructLayout

from modeloom.rtl.stream.delay import Delay
from modeloom.rtl.stream.lengths import lengths_block
from modeloom.rtl.stream.parameters import LENGTH_FIELDS

__all__ = ["BesideTokens"]


class BesideTokens:
    """Decides which of these tokens enters.

    Parameters
    ----------
    m : Module
    entry : TokenEntry
    busy, waiting : Value
        Whether a step or a key has the units, so that no start enters; and whether a token of a message waits for them.
    counts : Value
        Whether the cipher takes a block in this cycle; 1 without a cadence.
    """

    def __init__(self, m: Module, entry: Any, busy: Value, waiting: Value, counts: Value):
        self.m, self.entry, self.parameters, self._counts = m, entry, entry.parameters, counts
        plan = self.plan = self.parameters.plan
        self.some, self._kept = plan.runs_ahead or plan.follows, plan.cadence is not None
        behind = plan.behind if plan.cadence is None else plan.cadence.places(plan.behind)
        self.due: Value = Const(0, 1)
        self.starts: Value = Const(0, 1)
        if plan.follows:
            self.close_reg = Signal(behind, name="ended_reg")
            self.due = self.close_reg[-1] & counts if self._kept else self.close_reg[-1]
            self._behind = StructLayout({"slot": self.parameters.slot_bits, **({"lengths": self._bits} if plan.tag_lengths else {})})
            m.submodules.following = self._following = following = Delay(self._behind, behind, counted=self._kept)
            if self._kept:
                # Its registers have no reset.  What is in them leaves in a reset, too.
                m.d.comb += following.counts.eq(counts | ResetSignal())
        if plan.runs_ahead:
            self.starts = Signal(name="start_enters")
            # Starts do not hold up a message for more than a cycle at a time.
            before_reg = Signal(name="start_entered_reg")
            free, stays = ~self.due & ~busy & ~(before_reg & waiting), self.due
            if self._kept:
                free, stays = free & counts, self.due | ~counts
            m.d.comb += [entry.start.ready.eq(free), self.starts.eq(entry.start.valid & entry.start.ready)]
            m.d.sync += [entry.start_place.eq(entry.start.payload.place), before_reg.eq(self.starts | (before_reg & stays))]
        self.enters = self.due | self.starts

    @property
    def _bits(self) -> int:
        return self.parameters.block_bits

    def _kind(self, title: str) -> int:
        return next(number for number, token in enumerate(self.plan.tokens) if token.title == title)

    def units(self, held: Value, ends: Value) -> Value:
        """Whether a token of a message may have the units.  ``ends`` says that it only ends a message, and needs none."""
        if not self.some:
            return ~held
        needed = ~(self.enters | held)
        return ends | needed if self.plan.follows else needed

    def free(self, value: Value) -> Value:
        """A condition of a token of a key, which enters last."""
        return value & ~self.enters if self.some else value

    def valid(self, value: Value, ending: Value) -> Value:
        """Whether a token enters."""
        value = value | self.enters if self.some else value
        return value | ending if self.plan.follows else value

    def active(self, value: Value) -> Value:
        """Whether lane 0 has a token."""
        return value | self.enters if self.some else value

    def close(self, ends: Value, slot: Value, lengths: Value | None, nonce_bytes: Value) -> None:
        """A message of a slot ends in this cycle."""
        if not self.plan.follows:
            return
        m, following = self.m, self._following.i
        with m.If(self._counts) if self._kept else nullcontext():
            m.d.sync += self.close_reg.eq(Cat(ends, self.close_reg)[: len(self.close_reg)])
        m.d.comb += following.slot.eq(slot)
        if lengths is not None:
            kind = Const(self._kind("tag"), (len(self.plan.tokens) - 1).bit_length())
            m.d.comb += following.lengths.eq(lengths_block(m, self.parameters, "lengths_behind", kind, lengths, nonce_bytes))

    def slot_or(self, value: Value) -> Value:
        """The key slot of the token."""
        if self.plan.runs_ahead:
            value = Mux(self.starts, self.entry.start.payload.slot, value)
        return Mux(self.due, self._following.o.slot, value) if self.plan.follows else value

    def kind_or(self, value: Value) -> Value:
        """The kind of the token."""
        if self.plan.runs_ahead:
            kinds = Array(self._kind(title) for title in self.parameters.starts)
            value = Mux(self.starts, kinds[self.entry.start.payload.nonce_class], value)
        return Mux(self.due, self._kind("tag"), value) if self.plan.follows else value

    def block_or(self, value: Value) -> Value:
        """The block of the token."""
        if self.plan.runs_ahead:
            value = Mux(self.starts, self.entry.start.payload.nonce, value)
        if self.plan.follows:
            value = Mux(self.due, self._following.o.lengths if self.plan.tag_lengths else 0, value)
        return value

    def known(self, real: Value, message: Any) -> dict[str, Value]:
        """The lengths that a start reads."""
        if self.plan.runs_ahead:
            return {name: self.entry.start.payload[name] for name in self.plan.known_lengths}
        return {name: Mux(real, message[LENGTH_FIELDS.get(name, name)], 0) for name in self.plan.known_lengths}
