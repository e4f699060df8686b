# SPDX-License-Identifier: Apache-2.0
"""Proves that the emitted core computes its mode: keys, tweaks and data are symbols, and every output beat is compared with the graph.

::

    keys of several slots, then sectors of all sizes, directions and slots mixed
        one run without gaps, until every bank has turned once
        one run with gaps at all pins, back-pressure, restarts, and a key that is replaced while others are in use
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from modeloom.compiler.compile import Compiled
from modeloom.equivalence.circuit import CircuitError
from modeloom.equivalence.core import SymbolicCore
from modeloom.equivalence.engine import EngineCore
from modeloom.equivalence.host import Pace
from modeloom.equivalence.traffic import Comparison
from modeloom.product.folder import read_sectors
from modeloom.prove.errors import ProofError
from modeloom.prove.execute import direction_pattern

__all__ = ["EquivalenceReport", "prove_engine"]

MOST_CYCLES = 4000
"""Largest number of cycles of the run without gaps.  If the banks need more cycles to rotate once, the proof says so."""

@dataclass(frozen=True)
class EquivalenceReport:
    """A record of the execution on symbols.

    Attributes
    ----------
    sectors, cycles, blocks : int
        Number of sectors and cycles of the runs, and number of compared blocks.
    whole : bool
        Whether every bank rotated once in the run without gaps.
    cores : int
        The cores of units that were executed as a whole.
    """

    sectors: int
    cycles: int
    blocks: int
    whole: bool
    cores: int


def _plan(compiled: Compiled, slots: int, most: int) -> tuple[list[tuple[str, int, int]], bool]:
    """The sectors of the run without gaps, and whether every bank rotates once.  All sectors of a size come before the next size."""
    plan: list[tuple[str, int, int]] = []
    whole = True
    share = most // len(compiled.sizes)
    for number, one in enumerate(compiled.sizes):
        program = one.allocation.program
        stages = program.main.stages
        cells = max([1, *(bank.cells for bank in program.banks.values())])
        wanted = cells + stages + 1
        count = min(wanted, max(share // program.main.rows, stages + 2))
        whole = whole and count == wanted
        pattern = direction_pattern(program.directions, stages + 1, count)[: max(count, 2)]
        plan += [(direction, (n * 5 // 3) % slots, number) for n, direction in enumerate(pattern)]
    return plan, whole


def _plan_with_gaps(compiled: Compiled, slots: int, rng: random.Random) -> list[tuple[str, int, int]]:
    stages = max(one.allocation.program.main.stages for one in compiled.sizes)
    count = max(12, 2 * stages + 4)
    directions = compiled.options.directions
    plan, size = [], 0
    for _ in range(count):
        if rng.random() < 0.3:
            size = rng.randrange(len(compiled.sizes))
        plan.append((rng.choice(directions), rng.randrange(slots), size))
    return plan


_FAST, _SLOW = (1.0, 1.0, 0.6, 0.2), (1.0, 1.0, 0.5, 0.05, 0.0)

SHARES = {"s_axis": _FAST, "s_axis_cmd": _SLOW, "m_axis": _FAST, "m_axis_status": _SLOW}
"""For each AXI4-Stream, the shares of cycles in which it is offered or taken, by phase."""


def gaps(rng: random.Random, period: int, shares: Mapping[str, Sequence[float]] = SHARES) -> Pace:
    """Pauses at all pins.  Each stream alternates between phases without pauses, with some pauses, and with many pauses."""

    def stream(shares: Sequence[float]) -> Callable[[int], bool]:
        states: list[float] = []

        def offers(cycle: int) -> bool:
            while len(states) <= cycle // period:
                states.append(rng.choice(shares))
            return rng.random() < states[cycle // period]

        return offers

    return Pace({name: stream(share) for name, share in shares.items()})


def prove_engine(directory: str | Path, made: EngineCore, *, most_cycles: int = MOST_CYCLES) -> EquivalenceReport:
    """Executes an emitted core on symbols and compares all its outputs with the definition.

    Parameters
    ----------
    directory : path
        What ``modeloom build`` made.
    made : EngineCore
        The compiled mode of the core.
    most_cycles : int
        Number of cycles of the run without gaps, if the banks need longer to rotate.

    Raises
    ------
    ProofError
        A block differs or is missing, or control depends on data.  The message is one line with cycle, sector and block.
    """
    description = read_sectors(directory)
    try:
        core = SymbolicCore(Path(directory) / description.files.verilog, description, made)
        proof = Comparison(core, description)
        plan, whole = _plan(made.compiled, proof.slots, most_cycles)
        proof.run("whole", plan, Pace())
        rng = random.Random(len(plan))
        plan = _plan_with_gaps(made.compiled, proof.slots, rng)
        proof.run("gaps", plan, gaps(rng, max(40, proof.latency // 2)), len(plan) // 2)
    except CircuitError as error:
        raise ProofError(str(error)) from error
    return EquivalenceReport(proof.sectors, proof.cycles, proof.blocks, whole, len(core.circuit.instances))
