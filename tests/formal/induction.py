# SPDX-License-Identifier: Apache-2.0
"""Proof by induction over the cycles: which invariants and rules do not hold, and edits of the Verilog with which one must not."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.formal.bits import Bits, all_of
from tests.formal.emitted_bus import machine_of
from tests.formal.machine import Machine
from tests.formal.proof import holds
from tests.verilog_edit import edit_module

__all__ = ["Fault", "Invariant", "Rule", "named", "unproved_by_induction"]

Invariant = Callable[[Any], Bits]
"""A truth about a state."""

Rule = Callable[[Any, Any], Bits]
"""A truth about a state and the one of the cycle after."""


def unproved_by_induction(
    invariants: Sequence[Invariant], rules: Sequence[Rule], after_reset: Any, reset: Iterable[Bits], s: Any, t: Any,
    assumed: Iterable[Bits], only: Collection[str] = (),
) -> list[str]:  # fmt: skip
    """Invariants that do not hold after a reset, or a cycle after all of them held, and rules that do not follow from them.

    Parameters
    ----------
    invariants, rules : sequence of functions
    after_reset, reset
        A state, and what is assumed for it to be one after a reset.
    s, t, assumed
        A state, the one of the cycle after, and what is assumed of them beside the invariants.
    only : collection of str
        Names of the invariants and rules that are looked at; all of them without it.
    """
    reset, sound = list(reset), [all_of(invariant(s) for invariant in invariants), *assumed]
    names = []
    for invariant in named(invariants, only):
        if holds(invariant(after_reset), *reset) is not None:
            names.append(f"{invariant.__name__} after a reset")
        if holds(invariant(t), *sound) is not None:
            names.append(invariant.__name__)
    return names + [rule.__name__ for rule in named(rules, only) if holds(rule(s, t), *sound) is not None]


def named(those: Sequence[Callable[..., Bits]], only: Collection[str]) -> list[Callable[..., Bits]]:
    """Those of some names, or all of them without names."""
    return [one for one in those if not only or one.__name__ in only]


@dataclass(frozen=True)
class Fault:
    """An edit of a module, and the rule or invariant that no longer holds."""

    what: str
    module: str
    pattern: str
    replacement: str
    breaks: str

    def planted(self, verilog: str, top: str, part: str = "") -> Machine:
        """The transition system of a Verilog text with the fault, or of a part of it; modules have the name of the top in front."""
        edited = edit_module(verilog, f"{top}_{self.module}", self.pattern, self.replacement)
        return machine_of(edited, f"{top}_{part}" if part else top)
