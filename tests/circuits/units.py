# SPDX-License-Identifier: Apache-2.0
"""A circuit in simulation, one operation after the other, and what its ports show of latency and interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from amaranth.back import rtlil

from modeloom.circuits import Built
from modeloom.sim import Simulation

__all__ = ["measured"]

OPERATIONS = 6


class Bench:
    """A circuit with its ports, cycle by cycle."""

    def __init__(self, built: Built, seed: int = 1) -> None:
        self.built = built
        self.simulation = Simulation.of(rtlil.convert(built.component, name="unit"), "unit", optimize=0)
        ports = self.simulation.ports
        self.inputs = [name for name, port in ports.items() if port.kind == "input" and name not in ("clk", "rst")]
        self.outputs = [name for name, port in ports.items() if port.kind == "output"]
        self.clocked = "clk" in ports
        random = Random(seed)
        self.operations = [built.operation(random) for _ in range(OPERATIONS)]

    def record(self, interval: int, cycles: int) -> list[Mapping[str, int]]:
        """Output ports, cycle by cycle, if an operation begins every ``interval`` cycles; cycle 0 is the first one's."""
        schedule: list[dict[str, int]] = [{} for _ in range(cycles)]
        for number, operation in enumerate(self.operations):
            for cycle, values in enumerate(operation.inputs, number * interval):
                if cycle < cycles:
                    schedule[cycle].update(values)
        self.simulation.reset()
        seen = []
        for values in [*self.built.prepare, *schedule]:
            for name in self.inputs:
                self.simulation.set(name, values.get(name, 0))
            seen.append({name: self.simulation.get(name) for name in self.outputs})
            if self.clocked:
                self.simulation.step()
        return seen[len(self.built.prepare) :]

    def right(self, seen: Sequence[Mapping[str, int]], interval: int, latency: int) -> bool:
        """Whether every result stands at the ports ``latency`` cycles after its operation began."""
        return all(
            seen[number * interval + latency + cycle][name] == value
            for number, operation in enumerate(self.operations)
            for cycle, values in enumerate(operation.outputs)
            for name, value in values.items()
        )


def measured(built: Built) -> tuple[int, int]:
    """Latency and interval as the ports show them, in cycles.

    The latency is the least distance at which all results are right, the interval the least one between operations that leaves them
    right.  Both are looked for from 0 and from 1, up to twice what the circuit declares.
    """
    bench = Bench(built)
    latency, interval = built.component.latency, built.component.interval
    last = max(len(operation.outputs) for operation in bench.operations)
    longest = 2 * latency + 2
    seen = bench.record(interval, OPERATIONS * interval + longest + last)
    found = next((d for d in range(longest + 1) if bench.right(seen, interval, d)), None)
    if found is None:
        raise AssertionError(f"no latency up to {longest} gives the right results")
    for shorter in range(1, interval + 1):
        seen = bench.record(shorter, OPERATIONS * shorter + found + last)
        if bench.right(seen, shorter, found):
            return found, shorter
    raise AssertionError("unreachable: the declared interval gave the right results")
