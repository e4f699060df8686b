# SPDX-License-Identifier: Apache-2.0
"""What a simulated component holds: all its registers and memories, to see that nothing is left of a key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from amaranth.back import rtlil

from modeloom.sim import Simulation

__all__ = ["held", "leaves_nothing", "simulation"]


def simulation(component: Any) -> Simulation:
    """The component out of reset, its inputs at 0."""
    result = Simulation.of(rtlil.convert(component, name="unit"), "unit", optimize=0)
    for name, port in result.ports.items():
        if port.kind == "input" and name not in ("clk", "rst"):
            result.set(name, 0)
    result.reset()
    return result


def held(unit: Simulation) -> dict[str, int | tuple[int, ...]]:
    """All registers, and memories that can be written."""
    state: dict[str, int | tuple[int, ...]] = {}
    for name, port in unit.objects.items():
        if port.kind in ("state", "output"):
            state[name] = unit.get(name)
        elif port.kind == "memory" and port.width == 128:  # the others are S-boxes
            state[name] = tuple(unit.get(name, word) for word in range(port.depth))
    return state


def leaves_nothing(unit: Simulation, use: Callable[[int], None], erase: Callable[[], None], cycles: int) -> bool:
    """Whether the state *cycles* cycles after an erasure is the same for two keys, between which it differs a cycle before the erasure.

    ``use(n)`` works with key n up to the cycle of the erasure; ``erase()`` sets the inputs for an erasure and takes at least a cycle.
    """
    before, after = [], []
    for n in range(2):
        unit.reset()
        use(n)
        before.append(held(unit))
        start = unit.cycle
        erase()
        unit.step(cycles - (unit.cycle - start))
        after.append(held(unit))
    assert before[0] != before[1], "the keys leave no trace at all: the test sees nothing"
    return after[0] == after[1]
