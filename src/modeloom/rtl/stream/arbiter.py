# SPDX-License-Identifier: Apache-2.0
"""The arbiter of the entry: which of those that ask for the pipeline has it in a cycle.

::

    end of a message ──▶ its tag: the cycle was taken when the message ended ──────────┐ first
    keys that come with messages, between two steps ───────────────────────────────────┤
    the next start that runs ahead; no two of them in a row if a token waits ──────────┼──▶ units of lane 0
    the step that is next, if all cycles of its token are free ────────────────────────┤
    keys of slots, in any cycle that is left ──────────────────────────────────────────┘ last

It is the reservation table (``streams.reservation``) in hardware.  A resource for which tokens meet in later cycles has a register of
the cycles in which it is taken.  With a cadence, what uses the cipher enters in its phases, and these registers count its places.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from functools import reduce
from operator import or_

from amaranth.hdl import Array, Cat, Const, Module, Mux, ResetSignal, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout, View
from amaranth.lib.wiring import Out

from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.sequence import StepSequence
from modeloom.rtl.stream.sizes import TokenStep
from modeloom.rtl.stream.starts import starts_of
from modeloom.rtl.stream.storage import Delay
from modeloom.rtl.stream.tags import lengths_block
from modeloom.spec.cadence import Cadence
from modeloom.spec.kinds import CIPHER
from modeloom.spec.stream import BETWEEN
from modeloom.streams.reservation import CHAIN

__all__ = ["Arbiter", "ReservedCycles", "SequencedTags", "TokenCadence"]

EVERY = Const(1, 1)


class TokenCadence(wiring.Component):
    """Counts the cadence of a cipher that takes blocks in batches, and says which tokens may enter.

    *phases* are sets of phases in which something may begin; ``sets`` are the different ones.

    A counter runs freely, so what enters when depends on nothing but the cycles since the reset::

        phase          n - 3   n - 2   n - 1     0       1     ...     n - 3      of the token that is decided on
        batch                          high                                       to the cipher of tokens in stage 0
        open                                     text    text                     for two blocks of a batch

    Members
    -------
    open : Out
        A bit for each of ``sets``: whether the token that is decided on in this cycle would begin in one of its phases.
    batch : Out(1)
        High in the cycle before that of the first token of a batch, which is ``BATCH_LEAD`` cycles before this token is in stage 0.
    """

    def __init__(self, cadence: Cadence, phases: Iterable[frozenset[int]]):
        self.cadence = cadence
        self.sets = list(dict.fromkeys(phases))
        super().__init__({"open": Out(max(1, len(self.sets))), "batch": Out(1)})

    def opens(self, phases: frozenset[int] | None) -> Value:
        """The bit of a set of phases; 1 if every cycle will do."""
        return Const(1, 1) if phases is None else self.open[self.sets.index(phases)]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        last = self.cadence.interval - 1
        # The first batch after a reset has a signal, too: the counter begins behind the cycles of a batch.
        phase_reg = Signal(range(last + 1), init=self.cadence.blocks)
        batch_reg = Signal(init=self.cadence.blocks == last)
        open_reg = Signal(max(1, len(self.sets)))
        m.d.sync += [phase_reg.eq(phase_reg + 1), batch_reg.eq(phase_reg == (last - 1) % (last + 1))]
        with m.If(phase_reg == last):
            m.d.sync += phase_reg.eq(0)
        for number, phases in enumerate(self.sets):
            begins = [(phase - 1) % (last + 1) for phase in sorted(phases) if (phase - 1) % (last + 1) not in phases]
            ends = [phase for phase in sorted(phases) if (phase + 1) % (last + 1) not in phases]
            for at, value in (*((each, 1) for each in begins), *((each, 0) for each in ends)):
                with m.If(phase_reg == at):
                    m.d.sync += open_reg[number].eq(value)
        m.d.comb += [self.open.eq(open_reg), self.batch.eq(batch_reg)]
        return m


class ReservedCycles:
    """The cycles from now on in which a resource is taken.

    ::

        taken     0 1 0 0 1 1 0 ...    bit n: it is taken n cycles from now
        a pair    1 0 0 0 0 0 1        it takes this cycle and the sixth one from now: both are free
        shifted each cycle ◀──

    Something takes it after *most* cycles at most.  Every cycle counts, or those that *counts* tells.  ``now`` says that it is taken in
    this cycle.
    """

    def __init__(self, m: Module, name: str, most: int, counts: Value | None = None):
        self._m, self._most, self._counts = m, most, counts
        self._taken_reg = Signal(most, name=f"{name}_taken_reg")
        self.now: Value = self._taken_reg[0] if counts is None else self._taken_reg[0] & counts

    def free(self, needed: Value) -> Value:
        """Whether all cycles are free in which something needs it.  Bit n of *needed* is n cycles from now."""
        return ~(needed[: self._most] & self._taken_reg).any()

    def take(self, needed: Value) -> None:
        """Takes cycles."""
        self._shift(self._taken_reg[1:] | needed[1:])

    def take_last(self, needed: Value) -> None:
        """Takes only the cycle after the largest number of cycles, if it is ``needed``."""
        self._shift(Cat(self._taken_reg[1:], needed))

    def _shift(self, after: Value) -> None:
        with nullcontext() if self._counts is None else self._m.If(self._counts):
            self._m.d.sync += self._taken_reg.eq(after)


# -- tokens that enter between those of messages -----------------------------------------------------------------------------------

# Tags that follow.  Starts that run ahead are in ``starts``.
#
#     in the sequence of a message     start  blocks ...  tag
#     between                          start  .. others ..  blocks ...  .. others ..  tag

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


def tags_of(p: MessageParameters) -> SequencedTags:
    """How tags enter."""
    return FollowingTags(p) if p.plan.follows else SequencedTags(p)


# -- arbiter -----------------------------------------------------------------------------------------------------------------------

class Arbiter:
    """Decides what enters: the step that is next of a *sequence*, or what the *ports* of the entry ask for.

    *credited* and *tag_credit* say that there is place for what comes of the token of a message, and for a verdict.

    Attributes
    ----------
    only_ends : Value
        Whether the token that is next only ends its message, and needs no unit.
    counts : Value or None
        With a cadence, whether the cipher takes a block that enters in this cycle.
    due, starts, enters, runs : Value
        A tag that follows enters; a start that runs ahead; a token of a message, in any cycle of its step; the step that is next, be it
        one of a message or one that overwrites.
    """

    def __init__(
        self, m: Module, p: MessageParameters, sequence: StepSequence, credited: Value, tag_credit: Value, ports: wiring.Component
    ):  # fmt: skip
        self._m, self._plan, self._pace, self._sequence = m, p.plan, p.pace, sequence
        self._table, self._cadence = p.plan.reservations, p.plan.cadence
        self.counter: TokenCadence | None = None
        self.counts: Value | None = None
        self._wait_reg: Signal | None = None
        if self._cadence is not None:
            once = self._cadence.phases((0,))
            self._titles = (*sequence.titles, *p.starts)
            self.counter = TokenCadence(self._cadence, [once, *filter(None, map(self._table.phases, self._titles))])
            self.counts = self.counter.opens(once)
        self.starter, self.tags = starts_of(p), tags_of(p)
        self.only_ends = self.tags.only_ends(sequence)
        # The window waits for the token of a message, so this does not wait for what overwrites: that begins only if no token is there.
        held = p.keys.first(ports.prepare & sequence.begins)
        self._cipher = self._reserved_cipher() if CIPHER in self._table.resources else None
        self._entry = self.tags.reserved(self)
        self.due: Value = Const(0, 1) if self._entry is None else self._entry.now
        self.starts = self.starter.admitted(self, ports, held | ~sequence.begins, sequence.has_token & credited & ~self.only_ends)
        self.concurrent = self.due | self.starts
        # Messages wait for their keys, so set-up does not wait for messages.
        units = self._has_units(held) & self._has_cipher() & self._has_phase(tuple(p.starts))
        linked = self._link(p)
        self.enters, self.runs = Signal(name="token_enters"), Signal(name="step_runs")
        m.d.comb += [
            self.enters.eq(sequence.has_token & ~sequence.overwriting & ((credited & linked) | ~sequence.begins) & units),
            self.runs.eq(self.enters | (sequence.overwrites & (tag_credit | ~sequence.begins) & units)),
        ]
        self._prepares = ports.prepare & self._prepare_phase(ports.prepare_kind)

    # -- what is reserved ---------------------------------------------------------------------------------------------------------

    def reserve(self, name: str, most: int) -> ReservedCycles:
        """A resource, which something takes so many places later at most."""
        return ReservedCycles(self._m, name, most, self.counts)

    def _reserved_cipher(self) -> ReservedCycles:
        """The cipher, which tokens take that return to it, and tags that follow."""
        # The step between text and associated data has it when no token returns any more.
        titles = [step.title for step in self._plan.steps if step.title != BETWEEN]
        self._uses = {title: tuple(map(self._pace.places, self._table.uses(title)[CIPHER])) for title in titles}
        most = max(use for uses in self._uses.values() for use in uses)
        self._needed = Signal(most + 1, name="cipher_needed")
        return self.reserve("cipher", most)

    def _cipher_needed(self) -> list[Value]:
        """For each cycle from now on whether the step that is next needs the cipher."""
        sequence, found = self._sequence, dict[int, list[Value]]()
        tag = self.tags.takes_cipher(sequence, self.only_ends)
        for title, condition in (*sequence.conditions().items(), ("tag", tag)):
            for use in self._uses[title]:
                found.setdefault(use, []).append(condition)
        return [reduce(or_, found[n]) if n in found else Const(0, 1) for n in range(len(self._needed))]

    def _has_cipher(self) -> Value:
        """Whether the step that is next finds the cipher free in all cycles in which it uses it."""
        if self._cipher is None:
            return EVERY
        self._m.d.comb += self._needed.eq(Cat(self._cipher_needed()))
        return self._sequence.finds(self._cipher.free(self._needed))

    def _link(self, p: MessageParameters) -> Value:
        """Whether the chain of a message through the cipher is there: it is taken for a turn, which one counter follows.

        With several channels, no token comes before.
        """
        if CHAIN not in self._table.resources or p.contexts > 1:
            return EVERY
        self._wait_reg = wait_reg = Signal(range(self._plan.placed.turn), name="wait_reg")
        return wait_reg == 0

    # -- requests -----------------------------------------------------------------------------------------------------------------

    def admit(self, start: stream.Interface, busy: Value, waiting: Value) -> Value:
        """Admits starts that run ahead.  They do not hold up a message that is ``waiting`` for more than a cycle at a time."""
        m, starts = self._m, Signal(name="start_enters")
        before_reg = Signal(name="start_entered_reg")
        busy = busy if self._cipher is None else busy | self._cipher.now
        free, stays = ~self.due & ~busy & ~(before_reg & waiting), self.due
        if self.counts is not None:
            free, stays = free & self.counts, self.due | ~self.counts
        m.d.comb += [start.ready.eq(free), starts.eq(start.valid & start.ready)]
        m.d.sync += before_reg.eq(starts | (before_reg & stays))
        return starts

    def _has_units(self, held: Value) -> Value:
        """Whether a token of a message may have the units: no tag and no start has them.  What only ends a message needs none."""
        return self.only_ends | ~(self.concurrent | held)

    def prepared(self, issue: Value) -> Value:
        """Whether a token of set-up enters: in a cycle in which no other one does."""
        taken = Const(0, 1) if self._cipher is None else self._cipher.now
        return self._prepares & ~issue & ~taken & ~self.concurrent

    # -- the cadence --------------------------------------------------------------------------------------------------------------

    def _has_phase(self, starts: tuple[str, ...]) -> Value:
        """Whether the step that is next keeps the cadence.  Its other tokens follow the first one at fixed distances."""
        if self.counter is None:
            return EVERY
        m, sequence = self._m, self._sequence
        opens = {title: self.counter.opens(self._table.phases(title)) for title in self._titles}
        m.submodules.cadence = self.counter
        opened = Signal(name="opened")
        phases = {self._table.phases(title) for title in self._titles if title not in starts}
        # The last blocks of a message have its tag beside them, or it follows them after a number of intervals.
        tag_waits = self._plan.shares_tag or (self._plan.follows and len(phases) > 1)
        for title in sequence.choose():
            waits = sequence.token.tag & ~opens["tag"] if tag_waits and title not in (*starts, BETWEEN, "tag") else Const(0, 1)
            m.d.comb += opened.eq(opens[title] & ~waits)
        return opened | ~sequence.begins

    def _prepare_phase(self, kind: Value) -> Value:
        """Whether a token of set-up keeps the cadence."""
        if self.counts is None:
            return EVERY
        opened = Signal(name="prepare_opened")
        ciphered = [int(made.operation.keyed) for made in self._plan.preparations]
        uses = Array([*[0] * len(self._plan.tokens), *ciphered])[kind] if any(ciphered) else Const(0, 1)
        self._m.d.comb += opened.eq(~uses | self.counts)
        return opened

    # -- what is granted ----------------------------------------------------------------------------------------------------------

    def grant(self, done: Value, ends: Value) -> None:
        """Takes the cycles of the step that is ``done`` in this one, and that of the tag of a message that ``ends``."""
        m, sequence = self._m, self._sequence
        if self._cipher is not None:
            self._cipher.take(Mux(done, self._needed, 0))
        if self._entry is not None:
            self._entry.take_last(ends)
        if self._wait_reg is not None:
            with m.If(done & ~sequence.overwrites & (sequence.step != TokenStep.TAG)):
                m.d.sync += self._wait_reg.eq(self._plan.placed.turn - 1)
            with m.Elif(self._wait_reg != 0):
                m.d.sync += self._wait_reg.eq(self._wait_reg - 1)
