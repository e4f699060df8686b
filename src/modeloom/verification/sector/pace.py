# SPDX-License-Identifier: Apache-2.0
"""Measures the figures in ``core.json`` at the pins: latency of a lone sector, and interval between successive sectors."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

from modeloom.emit.tools import CheckFailed
from modeloom.product.simulated import SimulatedCore
from modeloom.verification.sector.host import Host
from modeloom.verification.sector.subject import Subject

__all__ = ["Recording", "check_pace", "compare_cycles"]


def check_pace(subject: Subject) -> tuple[str, dict[str, object]]:
    """Measures latency and interval for each size in each direction, and with alternating directions."""
    rng = subject.rng("pace")
    host = Host(subject, rng)
    host.load_slots()
    stages = max(one.explain.latency // one.interval + 1 for one in subject.description.sizes)
    ways = [(way,) for way in subject.ways] + ([tuple(subject.ways)] if len(subject.ways) > 1 else [])
    for number, size in enumerate(subject.description.sizes):
        # The first sector of a size switches the engine to this size.
        _run(host, [subject.ways[0]], number)
        for way in subject.ways:
            # The engine finishes its rows and is idle: a sector goes through as many stages as one of any size needs.
            host.run(size.interval * stages + size.latency_pins)
            sent, taken = _run(host, [way], number)
            if (latency := taken[-1] - sent[0]) != size.latency_pins:
                host.fail(f"takes {latency} cycles for {size.sector_bytes} bytes, core.json states {size.latency_pins}")
        for pattern in ways:
            # This is longer than the result buffer, so it would reveal waiting for a place in the buffer.
            held = -(-size.explain.output_blocks // size.blocks)
            count = max(12, held + 8)
            _, taken = _run(host, [pattern[i % len(pattern)] for i in range(count)], number)
            firsts = taken[:: size.beats][count // 2 :]
            steps = {b - a for a, b in zip(firsts, firsts[1:])}
            if steps != {size.interval}:
                every = " or ".join(map(str, sorted(steps)))
                host.fail(f"gives {size.sector_bytes} bytes every {every} cycles, core.json states {size.interval}")
    pins = ", ".join(f"{size.sector_bytes} bytes every {size.interval} cycles" for size in subject.description.sizes)
    return f"latency and interval are those of core.json ({pins})", {"sectors": host.sectors}


def _run(host: Host, ways: list[bool], size: int) -> tuple[list[int], list[int]]:
    """Runs sectors.  Returns the cycles of the beats in and of the beats out."""
    host.runner.accepted("s_axis")
    for number, way in enumerate(ways):
        host.job(slot=number % host.slots, decrypt=way, size=size)
    host.settle()
    return list(host.runner.accepted("s_axis")), host.output_cycles()


# -- cycles ------------------------------------------------------------------------------------------------------------------------

# Compares edited Verilog with the emitted core: the same checks run on both, and all outputs are compared in every cycle.
#
# Functional checks see what a core computes and the figures that ``core.json`` states; a cycle more in a place that no figure covers is
# seen here only.

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
