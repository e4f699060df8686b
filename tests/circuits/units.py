# SPDX-License-Identifier: Apache-2.0
"""Circuits in simulation, one operation after the other, and what their ports show of latency and interval.

Several circuits share a simulation: what takes long is to build one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from amaranth.back import rtlil
from amaranth.hdl import Module
from amaranth.lib import wiring

from modeloom.sim import Simulation
from modeloom_circuits import Built

__all__ = ["measured"]

OPERATIONS = 6


class Bank(wiring.Component):
    """Circuits side by side; port p of circuit n is ``n_p``."""

    def __init__(self, several: Sequence[Built]) -> None:
        self.components = [built.component for built in several]
        super().__init__(
            {
                f"u{n}_{name}": member
                for n, component in enumerate(self.components)
                for name, member in component.signature.members.items()
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for n, component in enumerate(self.components):
            m.submodules[f"u{n}"] = component
            for name, member in component.signature.members.items():
                inner, outer = getattr(component, name), getattr(self, f"u{n}_{name}")
                m.d.comb += inner.eq(outer) if member.flow is wiring.In else outer.eq(inner)
        return m


class Bench:
    """A circuit of a bank with its ports, cycle by cycle."""

    def __init__(self, simulation: Simulation, number: int, built: Built, seed: int = 1) -> None:
        self.simulation, self.built, self.prefix = simulation, built, f"u{number}_"
        ports = simulation.ports
        mine = {name.removeprefix(self.prefix): port for name, port in ports.items() if name.startswith(self.prefix)}
        self.inputs = [name for name, port in mine.items() if port.kind == "input"]
        self.outputs = [name for name, port in mine.items() if port.kind == "output"]
        self.clocked = "clk" in ports
        random = Random(seed)
        self.operations = [built.operation(random) for _ in range(OPERATIONS)]

    def record(self, interval: int, cycles: int) -> Iterator[Mapping[str, int]]:
        """Output ports, cycle by cycle, if an operation begins every ``interval`` cycles; cycle 0 is the first one's."""
        schedule: list[dict[str, int]] = [{} for _ in range(cycles)]
        for number, operation in enumerate(self.operations):
            for cycle, values in enumerate(operation.inputs, number * interval):
                if cycle < cycles:
                    schedule[cycle].update(values)
        self.simulation.reset()
        for cycle, values in enumerate([*self.built.prepare, *schedule], -len(self.built.prepare)):
            for name in self.inputs:
                self.simulation.set(self.prefix + name, values.get(name, 0))
            if cycle >= 0:
                yield {name: self.simulation.get(self.prefix + name) for name in self.outputs}
            if self.clocked:
                self.simulation.step()

    def results(self, interval: int) -> list[tuple[int, str, int]]:
        """Cycle after the latency, port and value of everything that the operations must give, in the order of the cycles."""
        return sorted(
            (number * interval + cycle, name, value)
            for number, operation in enumerate(self.operations)
            for cycle, values in enumerate(operation.outputs)
            for name, value in values.items()
        )

    def right(self, interval: int, latency: int) -> bool:
        """Whether every result stands at the ports ``latency`` cycles after its operation began; stops at the first wrong one."""
        results = self.results(interval)
        seen = enumerate(self.record(interval, results[-1][0] + latency + 1))
        now, ports = next(seen)
        for cycle, name, value in results:
            while now < cycle + latency:
                now, ports = next(seen)
            if ports[name] != value:
                return False
        return True


def measured(*several: Built) -> list[tuple[int, int]]:
    """Latency and interval of each circuit as its ports show them, in cycles.

    The latency is the least distance at which all results are right, the interval the least one between operations that leaves them
    right.  Both are looked for from 0 and from 1, up to twice what the circuit declares.
    """
    simulation = Simulation.of(rtlil.convert(Bank(several), name="bank"), "bank", optimize=0)
    return [_measured(Bench(simulation, number, built)) for number, built in enumerate(several)]


def _measured(bench: Bench) -> tuple[int, int]:
    latency, interval = bench.built.component.latency, bench.built.component.interval
    longest = 2 * latency + 2
    results = bench.results(interval)
    seen = list(bench.record(interval, results[-1][0] + longest + 1))
    found = next((d for d in range(longest + 1) if all(seen[at + d][name] == value for at, name, value in results)), None)
    if found is None:
        raise AssertionError(f"no latency up to {longest} gives the right results")
    for shorter in range(1, interval + 1):
        if bench.right(shorter, found):
            return found, shorter
    raise AssertionError("unreachable: the declared interval gave the right results")
