# SPDX-License-Identifier: Apache-2.0
"""Channels do not mix: what the parts before the pipeline promise is proved of the emitted buses, and planted mistakes are refused."""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType

import pytest
from tests.built import slowly
from tests.formal import front_rules, mark_rules, window_rules
from tests.formal.bits import all_of
from tests.formal.channel_faults import FAULTS, PartFault
from tests.formal.emitted_bus import machine_of
from tests.formal.emitted_messages import TOP, message_verilog, parameters_of
from tests.formal.follow import Followed, refuted_with_a_run, unproved_of
from tests.formal.machine import Machine
from tests.formal.proof import holds

SHAPE = "channels"
PARTS: dict[str, tuple[ModuleType, type[Followed]]] = {
    "front_window": (window_rules, window_rules.Window), "front": (front_rules, front_rules.Front), "": (mark_rules, mark_rules.Marks),
}  # fmt: skip
"""Rules of a module of the emitted buses, or of the whole, and the names for its states."""


@lru_cache
def machine(part: str) -> Machine:
    """A module of the emitted buses by itself: whatever stands around it, it gets what is assumed."""
    return machine_of(message_verilog(SHAPE), f"{TOP}_{part}" if part else TOP)


def unproved(part: str, machine: Machine, only: tuple[str, ...] = ()) -> list[str]:
    """What does not hold of a part."""
    rules, kind = PARTS[part]
    return unproved_of(kind, machine, parameters_of(SHAPE), rules.INVARIANTS, rules.RULES, rules.ASSUMED, only)


@pytest.mark.parametrize("part", ["front_window", "front", *slowly("")])
def test_rules_hold(part: str) -> None:
    assert not unproved(part, machine(part))


@pytest.mark.parametrize("part", ["front_window", "front", *slowly("")])
def test_the_surroundings_are_possible(part: str) -> None:
    """The invariants and what is assumed contradict nothing."""
    rules, kind = PARTS[part]
    s = kind.any(machine(part), parameters_of(SHAPE))
    sound = [all_of(one(s) for one in (*rules.INVARIANTS, *rules.ASSUMED))]
    assert all(holds(~state, *sound) is not None for state in rules.seen(s))


SOME = [fault if number == 0 else slowly(fault)[0] for number, fault in enumerate(FAULTS)]


@pytest.mark.parametrize("fault", SOME, ids=[fault.what for fault in FAULTS])
def test_faults_are_refuted_with_a_run(fault: PartFault) -> None:
    """The proof refuses each planted fault, and a run behind an erasure breaks the rule of a part before the pipeline."""
    rules, kind = PARTS[fault.part]
    faulty = fault.planted(message_verilog(SHAPE), TOP, fault.part)
    assert fault.breaks in unproved(fault.part, faulty, (fault.breaks,))
    if not fault.part:
        # A message has to go all the way first.
        return
    invariant = [one for one in rules.INVARIANTS if one.__name__ == fault.breaks]
    (broken,) = invariant or [one for one in rules.RULES if one.__name__ == fault.breaks]
    found = refuted_with_a_run(kind, faulty, parameters_of(SHAPE), broken, bool(invariant), rules.ASSUMED[0], fault.cycles)
    assert found is not None, f"no run of {fault.cycles} cycles"
