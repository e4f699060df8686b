# SPDX-License-Identifier: Apache-2.0
"""Signs that cross between two clocks: what a synchroniser has seen of them, in which order they change, and what comes in the end.

::

    chain: [stable_reg, meta_reg, the source a step before, the source]
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.formal.bits import Bits, all_of, any_of, constant
from tests.formal.clocked import ClockedState

__all__ = ["Part", "agrees", "equal", "falling", "goes_on", "one_after_the_other", "same", "zero"]


def zero(*values: Bits) -> Bits:
    """Whether all are zero."""
    return all_of(one.equals(0) for one in values)


def equal(values: Sequence[Bits], value: Bits) -> Bits:
    """Whether all are a value."""
    return all_of(one.equals(value) for one in values)


def agrees(chain: Sequence[Bits], value: Bits) -> Bits:
    """No register of a synchroniser is nearer to a value than the one before it.  What crosses stands last, and has the value."""
    seen = [one.equals(value) for one in chain]
    return all_of([*(later.implies(before) for later, before in zip(seen, seen[1:])), seen[-1]])


def falling(chain: Sequence[Bits]) -> Bits:
    """A zero crosses."""
    return agrees(chain, constant(0, 1))


def same(state: ClockedState, *names: str) -> Bits:
    """These registers are what they were a step before."""
    return all_of(state[name].equals(state.earlier(name)) for name in names)


def one_after_the_other(request: Bits, answer: Bits, asked: Sequence[Bits], answered: Sequence[Bits]) -> Bits:
    """A request and an answer that rise and fall in turn, and what the other side has seen of each."""
    zero_, one = constant(0, 1), constant(1, 1)
    return all_of([
        (request & ~answer).implies(agrees([*asked, request], one) & equal(answered, zero_)),
        (request & answer).implies(equal(asked, one) & agrees([*answered, answer], one)),
        (~request & answer).implies(agrees([*asked, request], zero_) & equal(answered, one)),
        (~request & ~answer).implies(equal(asked, zero_) & agrees([*answered, answer], zero_)),
    ])  # fmt: skip


Part = tuple[Bits, Bits]
"""Whether something is still to come, and whether this step brings it."""


def goes_on(parts: Sequence[Part], after: Sequence[Part]) -> Bits:
    """A part is still to come.  The first such part is no earlier one after the step, and a later one if the step brings it.

    Each part is brought by a rise of one clock, or by any step.  So there are at most as many rises of a clock as it has parts.
    """
    found = [any_of(waits for waits, _ in parts)]
    for at, (waits, brought) in enumerate(parts):
        before = all_of(~done for done, _ in parts[:at])
        none_before = all_of(~done for done, _ in after[:at])
        found.append((before & waits).implies(none_before & brought.implies(~after[at][0])))
    return all_of(found)
