# SPDX-License-Identifier: Apache-2.0
"""What a token carries into the pipeline: the kind and the block of each lane, and what is known of its message.

::

    token of a message ──▶ lanes ──────────────┐
    nonce, lengths of the message ─────────────┼──▶ [reg] ──▶ pipeline
    start that runs ahead, tag that follows ───┤    zero where there is nothing
    word before, for a token of set-up ────────┘

Where the block comes from depends on what would enter next, and not on whether it does: that is known late in a cycle, and every bit of a
block would wait for it.
"""

from __future__ import annotations

from amaranth.hdl import Array, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.data import View

from modeloom.rtl.stream.arbiter import Arbiter
from modeloom.rtl.stream.lengths import lengths_block, made_early
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.sequence import StepSequence
from modeloom.rtl.stream.sizes import TokenStep
from modeloom.spec.stream import LAST, PARTIAL, SINGLE

__all__ = ["TokenContents"]

GIVEN, NONCE, LENGTHS = range(3)
"""Where a block comes from: with the token, from the nonce of its message, or from lengths."""


class Blocks:
    """The blocks of a token: one in each lane."""

    def __init__(self, size: int):
        self.size = size

    def is_last(self, full: Value, lane: int, plain: Value) -> Value:
        """Whether a lane has the last block of a ``plain`` token with ``full`` blocks."""
        return (full == lane + 1) & plain

    def nbytes(self, token: View, lane: int) -> Value:
        """The number of bytes of a piece of text in a lane."""
        before, size = lane * self.size, self.size
        return Mux(token.nbytes > before + size, size, Mux(token.nbytes > before, token.nbytes - before, 0))


class Pairs(Blocks):
    """One or two blocks in one lane."""

    def is_last(self, full: Value, lane: int, plain: Value) -> Value:
        return plain

    def nbytes(self, token: View, lane: int) -> Value:
        return token.nbytes - Mux(token.full == 2, self.size, 0)


class TokenContents:
    """Drives what the token carries that enters.  The *ports* of the entry have the start, kind and slot of set-up, and the last word."""

    def __init__(self, m: Module, p: MessageParameters, sequence: StepSequence, arbiter: Arbiter, ports: wiring.Component):
        self._m, self._p, self._sequence, self._arbiter, self._ports = m, p, sequence, arbiter, ports
        # A token of a message, which does not overwrite.
        self.told = sequence.issue & ~sequence.overwrites
        # The end of a message without blocks begins it, too, for a tag that follows.
        self.ending = sequence.done & arbiter.only_ends
        self.issued = sequence.issue | self.ending
        self.begins = self.issued & sequence.begins_message
        self._of_start = arbiter.starter.carried(ports)
        self._of_tag = arbiter.tags.carried(m, sequence, arbiter.counts, ports.prepare_slot)
        self._blocks = (Pairs if p.plan.pairs else Blocks)(p.block_bytes)
        self._drive_message()
        for lane in range(p.lanes):
            self._drive_lane(lane)
        for block in range(p.lanes, len(sequence.token.blocks)):
            m.d.sync += ports.o.second.eq(Mux(self.told & (sequence.token.full == 2), sequence.token.blocks[block], 0))

    def _or_other(self, name: str, value: Value) -> Value:
        """A value of lane 0: of the token of a message or of set-up, or of one that enters between them."""
        if self._of_start:
            value = Mux(self._arbiter.starts, self._of_start[name], value)
        return Mux(self._arbiter.due, self._of_tag[name], value) if self._of_tag else value

    # -- what is known of the message ---------------------------------------------------------------------------------------------

    def _drive_message(self) -> None:
        m, ports, sequence, message = self._m, self._ports, self._sequence, self._sequence.message
        begun = self.issued & ~sequence.overwrites
        slot = Mux(self.told, message.slot, ports.prepare_slot)
        enters = sequence.issue | ports.prepared | self._arbiter.beside
        m.d.sync += [
            ports.o.valid.eq(enters | self.ending), ports.o.begin.eq(self.begins), ports.o.nonce.eq(Mux(begun, message.nonce, 0)),
            ports.o.slot.eq(self._or_other("slot", slot)),
        ]
        self._arbiter.starter.drive(m, ports, sequence, begun, self.begins)
        m.d.sync += ports.o.given.eq(Mux(begun, message.tag, 0))

    # -- lanes --------------------------------------------------------------------------------------------------------------------

    def _drive_lane(self, lane: int) -> None:
        m, p, ports, sequence, token = self._m, self._p, self._ports, self._sequence, self._sequence.token
        plain = ~sequence.overwrites & ~sequence.takes_start
        is_tag = self._arbiter.tags.in_lane(token, lane, plain)
        has_block = (token.full > lane) & plain
        alone = (lane == 0) & ((sequence.step == TokenStep.TAG) | sequence.takes_start)
        kind = self._kind(lane, plain, is_tag)
        block = self._block(lane, kind, is_tag)
        active = sequence.issue & (alone | has_block | is_tag)
        here, entering = self.told, block
        if p.last_words:
            # A packet that is cut off has no block.
            here, entering = (self.told & ~token.cut) | ports.prepared, Mux(sequence.issue, block, ports.last_word)
        entering = Mux(here, entering, 0)
        if lane == 0:
            active = active | ports.prepared | self._arbiter.beside
            kind = self._or_other("kind", Mux(sequence.issue, kind, ports.prepare_kind))
            entering = self._or_other("block", entering)
        m.d.sync += [
            ports.o.active[lane].eq(active), ports.o.kind[lane].eq(kind), ports.o.block[lane].eq(entering),
            ports.o.nbytes[lane].eq(Mux(self.told, self._blocks.nbytes(token, lane), 0)),
            ports.o.power[lane].eq(Mux(sequence.overwrites, lane == 0, ports.token.payload.powers[lane])),
        ]  # fmt: skip

    def _kind(self, lane: int, plain: Value, is_tag: Value) -> Value:
        """The kind of the token of a message in a lane."""
        m, plan, sequence = self._m, self._p.plan, self._sequence
        made, of_block = Signal.like(sequence.kind, name=f"kind_{lane}"), sequence.kind
        # The last block of a token is that of its last lane.
        last_here = self._blocks.is_last(sequence.token.full, lane, plain)
        for prefix, condition in ((PARTIAL, sequence.partial), (LAST, sequence.final), (SINGLE, sequence.alone)):
            if (others := self._kinds_of(prefix)) is not None:
                of_block = Mux(condition & last_here, Array(others)[sequence.kind], of_block)
        m.d.comb += made.eq(Mux(is_tag, plan.kind_of("tag"), of_block) if plan.shares_tag else of_block)
        return made

    def _kinds_of(self, prefix: str) -> list[int] | None:
        """For each kind of token, the kind for a last block whose step has a prefix to its name; None if the mode has no such step."""
        plan = self._p.plan
        numbers = {(token.title, token.part): number for number, token in enumerate(plan.tokens)}
        if not any(token.title.startswith(prefix) for token in plan.tokens):
            return None
        kinds = [numbers.get((prefix + token.title, token.part), number) for number, token in enumerate(plan.tokens)]
        return [*kinds, *range(len(kinds), len(kinds) + len(plan.preparations))]

    def _block(self, lane: int, kind: Value, is_tag: Value) -> Value:
        """The block of the token of a message in a lane."""
        m, p, sequence, message = self._m, self._p, self._sequence, self._sequence.message
        sources = _block_sources(p)
        block, given = Signal(p.block_bits, name=f"block_{lane}"), sequence.token.blocks[lane]
        if lane == 0:
            self._source = Signal(2, name="source")
            m.d.comb += self._source.eq(sequence.of_next(sources, 2))
        source = Mux(is_tag, sources[p.plan.kind_of("tag")], self._source)
        with m.Switch(source if lane == 0 or p.plan.shares_tag else Const(GIVEN, 2)):
            if lane == 0:
                with m.Case(NONCE):
                    m.d.comb += block.eq(message.nonce)
            with m.Case(LENGTHS):
                m.d.comb += block.eq(lengths_block(m, p, f"lengths_{lane}", kind, given, message.nonce_bytes))
            with m.Default():
                m.d.comb += block.eq(given)
        return block


def _block_sources(p: MessageParameters) -> list[int]:
    """For each kind of token, where its block comes from."""
    numbers = {"nonce": NONCE, "lengths": LENGTHS}
    return [
        GIVEN if number == made_early(p.plan) else numbers.get(getattr(token.source, "kind", ""), GIVEN)
        for number, token in enumerate(p.plan.tokens)
    ]  # fmt: skip
