# SPDX-License-Identifier: Apache-2.0
"""Channels do not mix: what the parts before the pipeline promise is proved of the emitted buses, and planted mistakes are refused."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType

import pytest
from tests.built import slowly
from tests.formal import window_rules
from tests.formal.bits import all_of
from tests.formal.emitted_bus import machine_of
from tests.formal.emitted_messages import TOP, message_verilog, parameters_of
from tests.formal.follow import Followed, refuted_with_a_run, unproved_of
from tests.formal.induction import Fault
from tests.formal.machine import Machine
from tests.formal.proof import holds

SHAPE = "channels"
PARTS: dict[str, tuple[ModuleType, type[Followed]]] = {"front_window": (window_rules, window_rules.Window)}
"""Rules of a module of the emitted buses, and the names for its states."""


@lru_cache
def machine(part: str) -> Machine:
    """A module of the emitted buses by itself: whatever stands around it, it gets what is assumed."""
    return machine_of(message_verilog(SHAPE), f"{TOP}_{part}")


def unproved(part: str, machine: Machine, only: tuple[str, ...] = ()) -> list[str]:
    """What does not hold of a part."""
    rules, kind = PARTS[part]
    return unproved_of(kind, machine, parameters_of(SHAPE), rules.INVARIANTS, rules.RULES, rules.ASSUMED, only)


@pytest.mark.parametrize("part", PARTS)
def test_rules_hold(part: str) -> None:
    assert not unproved(part, machine(part))


@pytest.mark.parametrize("part", PARTS)
def test_the_surroundings_are_possible(part: str) -> None:
    """The invariants and what is assumed contradict nothing."""
    rules, kind = PARTS[part]
    s = kind.any(machine(part), parameters_of(SHAPE))
    sound = [all_of(one(s) for one in (*rules.INVARIANTS, *rules.ASSUMED))]
    assert all(holds(~state, *sound) is not None for state in rules.seen(s))


@dataclass(frozen=True)
class PartFault(Fault):
    """A fault, the part of the buses whose rules it breaks, and in how many cycles a run may show it."""

    part: str = "front_window"
    cycles: int = 14


FAULTS = (
    PartFault(
        "a token gets the word of another channel", "front_window", r"\.raddr_0\(i_payload\[145:144\]\)", ".raddr_0(2'h0)",
        "words_are_read",
    ),
    PartFault(
        "a place is given twice", "front_window_pool", r"unused_reg \+ \{ 6'h0, signal \}",
        "unused_reg + { 6'h0, signal & ~free }", "places_are_in_one_hand",
    ),
    Fault("a place does not come back", "front_window", r"\.free\(freed\)", ".free(freed & ~o_ready)", "places_are_counted"),
    PartFault(
        "a token is lost", "front_window", r"put_reg <= i_valid & i_ready", "put_reg <= i_valid & i_ready & ~work_valid_reg",
        "tokens_are_taken",
    ),
    PartFault(
        "a token is given twice", "front_window", r"load = ~work_valid_reg \| \(signal & signal_2\)",
        "load = ~work_valid_reg | (signal & signal_2 & releases_o_valid)", "tokens_are_counted",
    ),
    PartFault(
        "a token has the message of another", "front_window", r"taken_reg\[151:146\]\n",
        "taken_reg[151:146] ^ work_valid_reg\n", "messages_go_with_tokens",
    ),
    PartFault(
        "the store is read at another place", "front_window", r"\.raddr_0\(work_reg\[15:10\]\)", ".raddr_0(work_reg[23:18])",
        "tokens_are_somewhere",
    ),
    PartFault(
        "the newest token of a channel goes first", "front_window", r"made\[49:18\]", "made[41:10]", "tokens_are_somewhere",
    ),
)  # fmt: skip

SOME = [fault if number == 0 else slowly(fault)[0] for number, fault in enumerate(FAULTS)]


@pytest.mark.parametrize("fault", SOME, ids=[fault.what for fault in FAULTS])
def test_faults_are_refuted_with_a_run(fault: PartFault) -> None:
    """The proof refuses each planted fault, and a run behind an erasure breaks the rule, which it does not without the fault."""
    rules, kind = PARTS[fault.part]
    faulty = fault.planted(message_verilog(SHAPE), TOP, fault.part)
    assert fault.breaks in unproved(fault.part, faulty, (fault.breaks,))
    invariant = [one for one in rules.INVARIANTS if one.__name__ == fault.breaks]
    (broken,) = invariant or [one for one in rules.RULES if one.__name__ == fault.breaks]
    found = refuted_with_a_run(kind, faulty, parameters_of(SHAPE), broken, bool(invariant), rules.ASSUMED[0], fault.cycles)
    assert found is not None, f"no run of {fault.cycles} cycles"
