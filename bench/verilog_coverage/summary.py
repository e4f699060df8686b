# SPDX-License-Identifier: Apache-2.0
"""What the counts of Verilator say: bits that toggled, could toggle, and could not; lines; states."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from verilog_coverage.constants import Gates, constants
from verilog_coverage.invariants import Invariant
from verilog_coverage.machines import OTHER, Machine
from verilog_coverage.simulate import Count

__all__ = ["CoverageError", "lines", "states", "toggles", "unexplained"]

NO_REASON = "no reason"

BOTH_WAYS = 2
"""Changes of a bit that has risen and fallen: they take turns."""


class CoverageError(RuntimeError):
    """What was called impossible has happened; one line."""


def _reason(where: str, reasons: Iterable[tuple[str, str]]) -> str:
    """The reason of the first pattern that fits all of a place; the place itself if none does."""
    return next((reason for pattern, reason in reasons if re.fullmatch(pattern, where)), f"{NO_REASON}: {where}")


def toggles(
    counts: Iterable[Count], gates: Gates, groups: Iterable[Sequence[str]] = (), reasons: Iterable[tuple[str, str]] = ()
) -> dict[str, Any]:
    """Bits that have risen and fallen, that provably cannot, and the others by their reasons.

    Raises
    ------
    CoverageError
        A bit that is called constant has toggled.
    """
    fixed = constants(gates)
    points = [one for one in counts if one.kind == "toggle"]
    constant, left = 0, []
    for one in points:
        still = gates.still(one.path, one.what, fixed)
        if still and one.count >= BOTH_WAYS:
            raise CoverageError(f"{one.path}.{one.what} is called constant, and has toggled")
        constant += still
        if not still and one.count < BOTH_WAYS:
            left.append(one)
    # Bitwuzla is asked about the few bits that are left, and some that have toggled, about which it must not say that they cannot.
    unreachable, names = 0, Counter[str]()
    if left:
        invariant = Invariant(gates, groups)
        _challenge(invariant, points)
        for one in left:
            if invariant.still(one.path, one.what):
                unreachable += 1
            else:
                names[_reason(f"{one.path}.{one.what}", reasons)] += 1
    covered = len(points) - constant - len(left)
    return {
        "bits": len(points), "constant": constant, "unreachable": unreachable, "can_toggle": len(points) - constant - unreachable,
        "toggled": covered, "not_toggled": dict(sorted(names.items())),
    }  # fmt: skip


CHALLENGES = 500
"""Bits that have toggled about which the invariant is asked."""


def _challenge(invariant: Invariant, points: Sequence[Count]) -> None:
    moving = [one for one in points if one.count >= BOTH_WAYS]
    for one in moving[:: max(1, len(moving) // CHALLENGES)]:
        if invariant.still(one.path, one.what):
            raise CoverageError(f"{one.path}.{one.what} is called unreachable, and has toggled")


def lines(counts: Iterable[Count], text: str, reasons: Iterable[tuple[str, str]] = ()) -> dict[str, Any]:
    """Lines and branches (points of Verilator) that ran, and the others by their reasons, which go by instance and text of the line.

    The branch of an ``if`` whose condition is false has its line, too: "else of if (start)".
    """
    points = [one for one in counts if one.kind in ("line", "branch")]
    written = text.splitlines()

    def place(one: Count) -> str:
        return f"{one.path}: {'else of ' if one.what == 'else' else ''}{written[one.line - 1].strip()}"

    missing = Counter(_reason(place(one), reasons) for one in points if not one.count)
    return {"lines": len(points), "run": len(points) - missing.total(), "not_run": dict(sorted(missing.items()))}


def states(counts: Iterable[Count], machines: Iterable[Machine], reasons: Iterable[tuple[str, str]] = ()) -> dict[str, Any]:
    """For each machine the states reached and all, and those that were not by their reasons.

    Raises
    ------
    CoverageError
        A machine was in no state, or is not in the counts.
    """
    found = {(one.path, one.what): one.count for one in counts if one.kind == "user"}
    result: dict[str, Any] = {}
    for machine in machines:
        where = f"{machine.path}.{machine.name}"
        seen: Mapping[str, int] = {state: found.get((machine.path, machine.label(state)), -1) for state in machine.points()}
        if min(seen.values()) < 0:
            raise CoverageError(f"{where}: Verilator counts no state {next(state for state, count in seen.items() if count < 0)}")
        if seen[OTHER]:
            raise CoverageError(f"{where} was in none of its states in {seen[OTHER]} cycles")
        missed = {state: _reason(f"{where}.{state}", reasons) for state in machine.states if not seen[state]}
        result[where] = {"reached": len(machine.states) - len(missed), "states": len(machine.states), "not_reached": missed}
    return result


def unexplained(result: Mapping[str, Any]) -> int:
    """Number of kinds of bits, lines and states of a measured core that have no reason."""
    reasons = [*result["toggles"]["not_toggled"], *result["lines"]["not_run"]]
    reasons += [reason for machine in result["states"].values() for reason in machine["not_reached"].values()]
    return sum(reason.startswith(NO_REASON) for reason in reasons)
