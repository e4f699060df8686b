# SPDX-License-Identifier: Apache-2.0
"""Long counters without long carry chains.  The next value of the upper part is computed while the lower part counts.

::

    low  ──▶ carry ──▶ high ◀── next high, which is computed in the 2^16 cycles before it is needed
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.counter import counter_bits
from modeloom.spec import Counter
from modeloom.spec.kinds import CIPHER
from modeloom.streams.plan import StreamPlan
from modeloom.streams.steps import Source, Step, Term

__all__ = ["LOW_BITS", "CountersInTurn", "LongCounter", "counter_of", "counters_in_turn"]


# -- counters in turn ------------------------------------------------------------------------------------------------------------------

# Two counters of a message that share a register and an adder: that of associated data, and that of the text behind it.
#
# If messages have their text first, it is the other way round.
#
# The second counter begins with a constant, and no block changes it before the first one is done.  So the register need not have its
# first value, which the first block of text, or the tag of a message without text, takes instead::
#
#     token        A0  A1  A2  T0  T1  tag          A0, A1, ...  blocks of associated data
#     register      0   1   2   3   1   2           T0, T1, ...  blocks of text
#     first         0   1   2   -   -   -
#     second        -   -   -   0   1   2           T0 begins anew

@dataclass(frozen=True)
class CountersInTurn:
    """The counters.

    Attributes
    ----------
    first, second : str
        The parts of the state: that of associated data, and that of text and tag; the other way round, if text comes first.
    shared : int
        A number with a one for each bit whose register they share.
    begins : int
        The second of them begins with these bits.
    counted : int
        A number with a one for each bit that blocks may change.
    adds : tuple of Step and int
        An operation that adds to one of them.  Those of both add the same number.
    """

    first: str
    second: str
    shared: int
    begins: int
    counted: int
    adds: tuple[Step, int]


def counter_of(step: Step, name: str) -> Counter | None:
    """The counter that a step adds to in a part of the state; None if it does anything else to this part."""
    form = step.updates[name]
    if len(form) != 1 or form[0].source.kind != "op" or form[0].maps:
        return None
    number = form[0].source.what
    assert isinstance(number, int)
    made = step.operations[number]
    return made.operation.counter if made.operands[0] == (Term(Source("state", name)),) else None


def counters_in_turn(plan: StreamPlan, contexts: int) -> CountersInTurn | None:
    """The counters of a pipeline that share a register; None if there are no such counters.

    Parameters
    ----------
    plan : StreamPlan
    contexts : int
        Messages that may interleave.  The state is in memories if there are several, and then nothing is shared.
    """
    table = plan.reservations
    if contexts > 1 or CIPHER in table.resources or not table.one_by_one(*(step.title for step in plan.steps)):
        return None
    if any(len(passes) != 1 for title, passes in plan.placed.passes.items() if plan.step(title).name != "start"):
        return None
    starts = plan.free_starts
    if not starts or any(plan.placed.passes[step.title] for step in plan.steps if step.name == "start"):
        return None
    # Before its home, a value is the register as it is.  So both are at the front.
    counters = [name for name, kind in plan.kinds.items() if kind.kind == "counter" and plan.placed.homes[name] == 0]
    for first in counters:
        for second in counters:
            if (found := _pair(plan, starts, first, second)) is not None:
                return found
    return None


def _pair(plan: StreamPlan, starts: list[Step], first: str, second: str) -> CountersInTurn | None:
    if first == second or not _used(plan, first) <= {True} or not _used(plan, second) <= {False}:
        return None
    added = {}
    for step in plan.steps:
        for name in (first, second):
            if step.name == "start" or name not in step.updates:
                continue
            counter, number = counter_of(step, name), step.updates[name][0].source.what
            assert isinstance(number, int)
            added[counter, step.operations[number].number] = step, number
            if counter is None or _reads(step, number):
                return None
    if len(added) != 1:
        return None
    (((counter, _), adds),) = added.items()
    assert counter is not None
    width = 8 * plan.mode.block_bytes
    bits = counter_bits(counter, width)
    counted = (1 << bits.stop) - (1 << bits.start)
    (_, unknown), (begins, other) = (_first_value(plan, starts, name, width) for name in (first, second))
    shared = counted & ~unknown & ~other
    return CountersInTurn(first, second, shared, begins & shared, counted, adds) if shared else None


def _used(plan: StreamPlan, name: str) -> set[bool]:
    """Whether the steps that read or change a part of the state are of the part of a message that comes first."""
    source = Source("state", name)
    return {
        plan.order.is_first(step) for step in plan.steps if step.name != "start"
        and (name in step.updates or any(term.source in (source, Source("left", name)) for form in step.forms() for term in form))
    }  # fmt: skip


def _reads(step: Step, number: int) -> bool:
    """Whether anything but a part of the state takes the sum of an operation."""
    source = Source("op", number)
    read = [term for form in step.forms() for term in form if term.source == source]
    return len(read) > 1


def _first_value(plan: StreamPlan, starts: list[Step], name: str, width: int) -> tuple[int, int]:
    """What a part of the state begins with, and a number with a one for each bit that is not the same constant in every message."""
    firsts, unknown = [], 0
    for start in starts:
        known = 0
        for term in start.updates[name]:
            if term.source.kind == "const" and not term.maps:
                known ^= int(term.source.what)  # type: ignore[call-overload]
            else:
                unknown |= _reach(plan, start, term, width)
        firsts.append(known)
    for known in firsts:
        unknown |= known ^ firsts[0]
    return firsts[0], unknown


def _reach(plan: StreamPlan, start: Step, term: Term, width: int) -> int:
    """A number with a one for each bit that a term of a start may set: those of its nonce, moved as the term says."""
    every = (1 << width) - 1
    if term.source != Source("nonce"):
        return every
    most = max(plan.mode.nonce_bytes[start.nonce_class])
    string = every ^ every >> 8 * most
    for mapped in term.maps:
        if mapped[0] != "shift" or not isinstance(mapped[1], int):
            return every
        string = (string << mapped[1] if mapped[1] > 0 else string >> -mapped[1]) & every
    # The string begins with the highest bit of byte 0.
    return int.from_bytes(string.to_bytes(width // 8, "big"), "little")


# -- long counter ----------------------------------------------------------------------------------------------------------------------

LOW_BITS = 16
"""Width of the lower part in bits."""


class LongCounter(wiring.Component):
    """A counter that says when it has reached a limit.

    Parameters
    ----------
    bits : int
        Width of the counter, which is more than ``LOW_BITS``.
    small : bool
        Has one adder and one comparison of all bits instead, with fewer registers and a longer path.

    Members
    -------
    clear, first, limit : In(1), In(bits), In(bits)
        Sets the count to ``first``, and the limit to ``limit``.
    count : In(1)
        Adds one.  It is low while ``clear`` is high.
    total : Out(bits)
        The count.
    reached : Out(1)
        The count is equal to the limit.

    Raises
    ------
    ValueError
        If *bits* is too small.
    """

    def __init__(self, bits: int, *, small: bool = False):
        if bits <= LOW_BITS:
            raise ValueError(f"a long counter has more than {LOW_BITS} bits, not {bits}")
        self.bits, self.small = bits, small
        super().__init__({"clear": In(1), "first": In(bits), "limit": In(bits), "count": In(1), "total": Out(bits), "reached": Out(1)})

    def _whole(self) -> Module:
        """The counter without parts."""
        m = Module()
        count_reg = Signal(self.bits)
        limit_reg = Signal(self.bits)
        with m.If(self.clear):
            m.d.sync += [count_reg.eq(self.first), limit_reg.eq(self.limit)]
        with m.Elif(self.count):
            m.d.sync += count_reg.eq(count_reg + 1)
        m.d.comb += [self.total.eq(count_reg), self.reached.eq(count_reg == limit_reg)]
        return m

    def elaborate(self, platform: object) -> Module:
        if self.small:
            return self._whole()
        m = Module()
        high_bits = self.bits - LOW_BITS
        limit_reg = Signal(self.bits)
        limit_low = limit_reg[:LOW_BITS]
        low_reg = Signal(LOW_BITS)
        next_low_reg = Signal(LOW_BITS)
        # Whether the lower part is that of the limit is known at the beginning of a cycle: much depends on it.
        at_low_reg = Signal()
        high_reg = Signal(high_bits)
        next_high_reg = Signal(high_bits)
        at_high_reg = Signal()
        next_at_high_reg = Signal()
        with m.If(self.clear):
            m.d.sync += [
                limit_reg.eq(self.limit),
                low_reg.eq(self.first[:LOW_BITS]),
                next_low_reg.eq(self.first[:LOW_BITS] + 1),
                at_low_reg.eq(self.first[:LOW_BITS] == self.limit[:LOW_BITS]),
                high_reg.eq(self.first[LOW_BITS:]),
                next_high_reg.eq(self.first[LOW_BITS:] + 1),
                at_high_reg.eq(self.first[LOW_BITS:] == self.limit[LOW_BITS:]),
                next_at_high_reg.eq((self.first[LOW_BITS:] + 1)[:high_bits] == self.limit[LOW_BITS:]),
            ]
        with m.Else():
            # There are 2^16 counts from one carry to the next, and these registers are correct two cycles after a carry.
            m.d.sync += [next_high_reg.eq(high_reg + 1), next_at_high_reg.eq(next_high_reg == limit_reg[LOW_BITS:])]
            with m.If(self.count):
                m.d.sync += [low_reg.eq(next_low_reg), next_low_reg.eq(next_low_reg + 1), at_low_reg.eq(next_low_reg == limit_low)]
                with m.If(low_reg.all()):
                    m.d.sync += [high_reg.eq(next_high_reg), at_high_reg.eq(next_at_high_reg)]
        m.d.comb += [self.total[:LOW_BITS].eq(low_reg), self.total[LOW_BITS:].eq(high_reg), self.reached.eq(at_high_reg & at_low_reg)]
        return m
