# SPDX-License-Identifier: Apache-2.0
"""Proves that the emitted core computes its mode: keys, tweaks and data are symbols, and every output beat is compared with the graph.

::

    keys of several slots, then sectors of all sizes, directions and slots mixed
        one run without gaps, until every bank has turned once
        one run with gaps at all pins, back-pressure, restarts, and a key that is replaced while others are in use
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from modeloom.compiler.compile import Compiled
from modeloom.equivalence.circuit import CircuitError
from modeloom.equivalence.core import EngineCore, SymbolicCore
from modeloom.equivalence.host import Pace
from modeloom.equivalence.traffic import Comparison, Traffic
from modeloom.product.folder import read_sectors
from modeloom.prove.execute import ProofError, direction_pattern

__all__ = ["EquivalenceReport", "Recurrence", "forever", "prove_engine"]

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


# -- forever -----------------------------------------------------------------------------------------------------------------------

# Extends the comparison to endless streams of sectors: the state of a core repeats, so the comparison holds for ever.
#
#     run A    sectors 0, 1, 2 ...          state after n sectors   ...   after n + N sectors  ┐ equal, in every bit of every
#     run B    sectors N, N + 1, N + 2 ...  state after n sectors  ──────────────────────────  ┘ register, memory and core
#
# Run B is run A with renamed sectors.  After n + N sectors, A therefore continues as B does after n sectors, which is what A itself did
# then with other names.  All outputs of A between the two points were correct.

MOST_SECTORS = 1500
"""Number of sectors after which the state must repeat."""


@dataclass(frozen=True)
class Recurrence:
    """A core is in the same state after ``start`` sectors and after ``period`` further sectors."""

    start: int
    period: int


def forever(directory: str | Path, made: EngineCore) -> Recurrence:
    """Runs sectors of the first size without pauses, alternating between all directions and slots, until the state repeats.

    Raises
    ------
    ProofError
        A block is wrong, or the state does not repeat.
    """
    description = read_sectors(directory)
    try:
        core = SymbolicCore(Path(directory) / description.files.verilog, description, made)
        comparison = Comparison(core, description)
        compiled = made.compiled
        program = compiled.allocation.program
        # By then, every cell has been overwritten once.
        warm = max([1, *(bank.cells for bank in program.banks.values())]) + 2 * program.main.stages + 2
        seen: dict[tuple, int] = {}
        run = Traffic(comparison, "forever", Pace(), tagged=False)
        start = period = 0
        for number in _sectors(run, compiled, MOST_SECTORS):
            if number < warm:
                continue
            control = _control(run, number, compiled)
            if control in seen:
                start, period = seen[control], number - seen[control]
                break
            seen[control] = number
        else:
            raise ProofError(f"the control does not come back within {MOST_SECTORS} sectors")
        later = run.host.run.state()
        renamed = Traffic(comparison, "forever", Pace(), shift=period, tagged=False)
        for number in _sectors(renamed, compiled, start + 1):
            if number == start and renamed.host.run.state() != later:
                raise ProofError(f"after {start} and {start + period} sectors the control is the same, but not the data")
    except CircuitError as error:
        raise ProofError(str(error)) from error
    return Recurrence(start, period)


AHEAD = 6
"""Number of sectors that wait at the pins, so there is always one."""


def _sectors(traffic: Traffic, compiled: Compiled, count: int) -> Iterator[int]:
    """Runs sectors, and yields the number of each when its first beat is offered at the pins."""
    directions, slots = compiled.options.directions, traffic.comparison.slots
    waiting = traffic.host.waiting["s_axis"]
    beats = AHEAD * -(-compiled.source.nbytes // traffic.host.beat_bytes)
    for number in range(count):
        for sent in range(AHEAD + number - 1 if number else 0, AHEAD + number):
            traffic.send(sent, directions[sent % len(directions)], sent // len(directions) % slots, 0)
        traffic.go(lambda: len(waiting) > beats)
        yield number


def _control(traffic: Traffic, number: int, compiled: Compiled) -> tuple:
    """The part of the state of core and host that does not depend on data."""
    turn = number % (len(compiled.options.directions) * traffic.comparison.slots)
    host = traffic.host
    ahead = len(host.waiting["s_axis_cmd"])
    return turn, ahead, traffic.beats, len(traffic.inside), tuple(host.offered.items()), host.run.control()
