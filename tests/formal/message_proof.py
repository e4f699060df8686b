# SPDX-License-Identifier: Apache-2.0
"""Proof by induction over the cycles of cores for messages: what of the invariants and rules does not hold.

Words of a queue are counted in a proof of its own.  Elsewhere a count is any number that changes in the same way.
"""

from __future__ import annotations

from tests.formal.bits import WIDE, Bits, constant, fresh
from tests.formal.induction import unproved_by_induction
from tests.formal.machine import Machine, State
from tests.formal.message_rules import (
    COUNTED,
    INVARIANTS,
    RULES,
    MessageState,
    counts_are_possible,
    counts_follow,
    lines_pass_on,
    quiet,
    surroundings,
)
from tests.formal.proof import holds
from tests.formal.token_rules import TOKEN_INVARIANTS, TOKEN_RULES, TokenState, undisturbed

from modeloom.rtl.stream.parameters import MessageParameters

__all__ = ["any_state", "uncounted", "unproved", "unproved_tokens"]


def any_state(machine: Machine, p: MessageParameters) -> MessageState:
    """Any state, with counts instead of the words that are counted."""
    counts = {one: fresh("s." + " ".join(one), WIDE) for one in COUNTED}
    return MessageState(machine.free("s"), p, fresh("s.closed", 1), counts)


def reset_of(machine: Machine, p: MessageParameters) -> tuple[State, list[Bits], list[str]]:
    """A state after an erasure and a reset, from any state; what is assumed for it; and what does not hold of this assumption.

    With a cadence, lines of the pipeline have no reset, and a core is in reset until they are empty.
    """
    held = {"rst": 1, "erase": 0}
    before = MessageState(machine.free("any", held), p, constant(0, 1))
    assumed, wrong = [], []
    if p.plan.cadence is not None:
        assumed = [~register for line in before.lines for register in line]
        in_reset = MessageState(machine.free("r", held), p, constant(0, 1))
        if max(map(len, before.lines)) > p.flush or holds(lines_pass_on(in_reset, in_reset.next())) is not None:
            wrong = ["lines are empty after a reset"]
    return before.state.next(fixed=held).next(), assumed, wrong


def unproved(machine: Machine, p: MessageParameters, only: tuple[str, ...] = ()) -> list[str]:
    """Invariants that do not hold after a reset, or a cycle after all of them held, and rules that do not follow.

    With ``only``, these alone are looked at.
    """
    state, reset, wrong = reset_of(machine, p)
    after_reset = MessageState(state, p, constant(0, 1))
    s = any_state(machine, p)
    assumed = [counts_are_possible(s), surroundings(s)]
    return wrong + unproved_by_induction(INVARIANTS, RULES, after_reset, reset, s, s.next(), assumed, only)


def uncounted(machine: Machine, p: MessageParameters) -> list[str]:
    """Queues whose words are not counted right."""
    s = MessageState(machine.free("s"), p, fresh("s.closed", 1))
    t = s.next()
    simple = ("queues_hold_what_they_can", "heads_are_the_oldest")
    sound = [*(one(s) for one in INVARIANTS if one.__name__ in simple), quiet(s), ~s["rst"], ~s["erase"]]
    names = [" ".join(one) for one in COUNTED if holds(counts_follow(s, t, *one), *sound) is not None]
    return names + (["more than there are"] if holds(counts_are_possible(s), *sound) is not None else [])


def unproved_tokens(machine: Machine, p: MessageParameters) -> list[str]:
    """The same for ``token_rules``, which are about what stands before the entry."""
    anything = TokenState(machine.free("any"), p, constant(0, 1))
    after_reset = anything.next()
    after_reset.given = constant(0, 1)
    s = TokenState(machine.free("s"), p, fresh("s.given", 1))
    reset = [anything["rst"], ~anything["erase"]]
    return unproved_by_induction(TOKEN_INVARIANTS, TOKEN_RULES, after_reset, reset, s, s.next(), [undisturbed(s)])
