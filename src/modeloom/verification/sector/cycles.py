# SPDX-License-Identifier: Apache-2.0
"""Compares edited Verilog with the emitted core: the same checks run on both, and all outputs are compared in every cycle.

Functional checks see what a core computes and the figures that ``core.json`` states; a cycle more in a place that no figure covers is
seen here only.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

from modeloom.emit.tools import CheckFailed
from modeloom.product.simulated import SimulatedCore
from modeloom.verification.sector.subject import Subject

__all__ = ["Recording", "compare_cycles"]

Check = Callable[[Subject], object]


class Recording(Subject):
    """A subject whose cores record all outputs in every cycle."""

    def core(self, *, seed: int = 0) -> SimulatedCore:
        """A new core after a reset, recorded from its first cycle."""
        core = super().core(seed=seed)
        core.simulation.watch(outputs(core))
        return core


def outputs(core: SimulatedCore) -> list[str]:
    """Names of the outputs."""
    return [name for name, port in core.simulation.ports.items() if port.kind == "output"]


def compare_cycles(edited: Recording, original: Recording, checks: Sequence[tuple[str, Check]]) -> int:
    """Runs checks on both cores and compares them.  Returns the number of cycles.

    Raises
    ------
    CheckFailed
        For the first cycle in which an output differs.
    """
    total = 0
    for name, check in checks:
        for subject in (edited, original):
            check(subject)
        for first, second in zip(edited.cores, original.cores, strict=True):
            total += _compare(edited.directory, name, first, second)
        edited.cores, original.cores = [], []
    return total


def _compare(directory: Path, name: str, first: SimulatedCore, second: SimulatedCore) -> int:
    found, wanted = first.simulation.watched(), second.simulation.watched()
    widths = [(port, first.simulation.ports[port].bytes) for port in outputs(first)]
    row = sum(width for _, width in widths)
    if found == wanted:
        return len(found) // row
    at = next((i for i, (a, b) in enumerate(zip(found, wanted)) if a != b), min(len(found), len(wanted)))
    cycle, place = divmod(at, row)
    ends = itertools.accumulate(width for _, width in widths)
    port = next(port for (port, _), end in zip(widths, ends, strict=True) if place < end)
    raise CheckFailed(f"{directory}: in the {name} check {port} differs from the definition's core in cycle {cycle}")
