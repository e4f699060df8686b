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

from typing import Any

from amaranth.hdl import Array, Const, Module, Mux, ResetSignal, Signal, Value
from amaranth.lib.data import StructLayout

from modeloom.rtl.stream.arbiter import Arbiter
from modeloom.rtl.stream.lengths import lengths_block, made_early
from modeloom.rtl.stream.line import Delay
from modeloom.rtl.stream.parameters import LENGTH_FIELDS, MessageParameters
from modeloom.rtl.stream.sequence import StepSequence
from modeloom.rtl.stream.sizes import TokenStep
from modeloom.spec.stream import LAST, PARTIAL, SINGLE

__all__ = ["Following", "TokenContents"]

GIVEN, NONCE, LENGTHS = range(3)
"""Where a block comes from: with the token, from the nonce of its message, or from lengths."""


class Following:
    """Key slot and lengths of messages that have ended and whose tags follow.

    Parameters
    ----------
    m : Module
    p : MessageParameters
    counts : Value or None
        As for :class:`~modeloom.rtl.stream.arbiter.Arbiter`.
    slot, lengths, nonce_bytes : Value
        Of the message that is next.
    """

    def __init__(self, m: Module, p: MessageParameters, counts: Value | None, slot: Value, lengths: Value | None, nonce_bytes: Value):
        plan = p.plan
        layout = StructLayout({"slot": p.slot_bits, **({"lengths": p.block_bits} if plan.tag_lengths else {})})
        m.submodules.following = following = Delay(layout, p.pace.places(plan.behind), counted=counts is not None)
        if counts is not None:
            # Its registers have no reset.  What is in them leaves in a reset, too.
            m.d.comb += following.counts.eq(counts | ResetSignal())
        m.d.comb += following.i.slot.eq(slot)
        if lengths is not None:
            kind = Const(plan.kind_of("tag"), (len(plan.tokens) - 1).bit_length())
            m.d.comb += following.i.lengths.eq(lengths_block(m, p, "lengths_behind", kind, lengths, nonce_bytes))
        self.slot: Value = following.o.slot
        self.block: Value = following.o.lengths if plan.tag_lengths else Const(0, p.block_bits)


class TokenContents:
    """Drives what the token carries that enters.

    Parameters
    ----------
    m : Module
    p : MessageParameters
    sequence : StepSequence
    arbiter : Arbiter
    ports : TokenEntry
        What is driven, and the start, the kind and slot of set-up, and the last word.
    """

    def __init__(self, m: Module, p: MessageParameters, sequence: StepSequence, arbiter: Arbiter, ports: Any):
        self._m, self._p, self._sequence, self._arbiter, self._ports = m, p, sequence, arbiter, ports
        # A token of a message, which does not overwrite.
        self.told = sequence.issue & ~sequence.overwrites
        # The end of a message without blocks begins it, too, for a tag that follows.
        self.ending = sequence.done & arbiter.only_ends
        self.issued = sequence.issue | self.ending if p.plan.follows else sequence.issue
        self.begins = self.issued & sequence.begins_message
        self._following: Following | None = None
        if p.plan.follows:
            over, token, message = sequence.overwrites, sequence.token, sequence.message
            lengths = Mux(over, 0, token.lengths) if p.plan.tag_lengths else None
            self._following = Following(
                m, p, arbiter.counts, Mux(over, ports.prepare_slot, message.slot), lengths, message.nonce_bytes
            )  # fmt: skip
        self._of_start, self._of_tag = self._of_others()
        self._drive_message()
        for lane in range(p.lanes):
            self._drive_lane(lane)
        if p.plan.pairs:
            second = self.told & (sequence.token.full == 2)
            m.d.sync += ports.o.second.eq(Mux(second, sequence.token.blocks[1], 0))

    # -- tokens that enter between those of messages ------------------------------------------------------------------------------

    def _of_others(self) -> tuple[dict[str, Value], dict[str, Value]]:
        """The slot, the kind and the block of a start that runs ahead, and of a tag that follows, if there are such tokens."""
        plan, of_start, of_tag = self._p.plan, dict[str, Value](), dict[str, Value]()
        if plan.runs_ahead:
            start = self._ports.start.payload
            kinds = Array(plan.kind_of(title) for title in self._p.starts)
            of_start = {"slot": start.slot, "kind": kinds[start.nonce_class], "block": start.nonce}
        if self._following is not None:
            of_tag = {"slot": self._following.slot, "kind": plan.kind_of("tag"), "block": self._following.block}
        return of_start, of_tag

    def _or_other(self, name: str, value: Value) -> Value:
        """A value of lane 0: of the token of a message or of set-up, or of one that enters between them."""
        if self._of_start:
            value = Mux(self._arbiter.starts, self._of_start[name], value)
        return Mux(self._arbiter.due, self._of_tag[name], value) if self._of_tag else value

    # -- what is known of the message ---------------------------------------------------------------------------------------------

    def _drive_message(self) -> None:
        m, p, ports, sequence, plan = self._m, self._p, self._ports, self._sequence, self._p.plan
        message = sequence.message
        begun = self.issued & ~sequence.overwrites
        slot = Mux(self.told, message.slot, ports.prepare_slot)
        enters = sequence.issue | ports.prepared | self._arbiter.beside
        m.d.sync += [
            ports.o.valid.eq(enters if self._following is None else enters | self.ending),
            ports.o.begin.eq(self.begins),
            ports.o.nonce.eq(0 if plan.runs_ahead else Mux(begun, message.nonce, 0)),
            ports.o.slot.eq(self._or_other("slot", slot)),
        ]
        for name in plan.known_lengths:
            known = ports.start.payload[name] if plan.runs_ahead else Mux(begun, message[LENGTH_FIELDS.get(name, name)], 0)
            m.d.sync += getattr(ports.o, f"known_{name}").eq(known)
        if p.two_passes:
            m.d.sync += ports.o.given.eq(Mux(begun, message.tag, 0))
        if plan.runs_ahead:
            m.d.sync += [
                ports.o.start_place.eq(ports.start.payload.place), ports.o.begin_place.eq(message.place),
                ports.o.blank.eq(sequence.overwrites),
            ]  # fmt: skip
            m.d.comb += [ports.begun.eq(self.begins & ~sequence.overwrites), ports.begun_place.eq(message.place)]

    # -- lanes --------------------------------------------------------------------------------------------------------------------

    def _drive_lane(self, lane: int) -> None:
        m, p, ports, sequence, token = self._m, self._p, self._ports, self._sequence, self._sequence.token
        plain = ~sequence.overwrites & ~sequence.takes_start
        is_tag = token.tag & (token.full == lane) & plain if not p.plan.follows else Const(0, 1)
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
            ports.o.nbytes[lane].eq(Mux(self.told, self._nbytes(lane), 0)),
            ports.o.power[lane].eq(Mux(sequence.overwrites, lane == 0, ports.token.payload.powers[lane])),
        ]  # fmt: skip

    def _kind(self, lane: int, plain: Value, is_tag: Value) -> Value:
        """The kind of the token of a message in a lane."""
        m, plan, sequence = self._m, self._p.plan, self._sequence
        made, of_block = Signal.like(sequence.kind, name=f"kind_{lane}"), sequence.kind
        # The last block of a token is that of its last lane.
        last_here = plain if plan.pairs else (sequence.token.full == lane + 1) & plain
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

    def _nbytes(self, lane: int) -> Value:
        """The number of bytes of a piece of text in a lane."""
        token, size = self._sequence.token, self._p.block_bytes
        if self._p.plan.pairs:
            return token.nbytes - Mux(token.full == 2, size, 0)
        before = lane * size
        return Mux(token.nbytes > before + size, size, Mux(token.nbytes > before, token.nbytes - before, 0))


def _block_sources(p: MessageParameters) -> list[int]:
    """For each kind of token, where its block comes from."""
    numbers = {"nonce": NONCE, "lengths": LENGTHS}
    return [
        GIVEN if number == made_early(p.plan) else numbers.get(getattr(token.source, "kind", ""), GIVEN)
        for number, token in enumerate(p.plan.tokens)
    ]  # fmt: skip
