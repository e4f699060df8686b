# SPDX-License-Identifier: Apache-2.0
"""Extends the comparison to endless streams of sectors: the state of a core repeats, so the comparison holds for ever.

::

    run A    sectors 0, 1, 2 ...          state after n sectors   ...   after n + N sectors  ┐ equal, in every bit of every
    run B    sectors N, N + 1, N + 2 ...  state after n sectors  ──────────────────────────  ┘ register, memory and core

Run B is run A with renamed sectors.  After n + N sectors, A therefore continues as B does after n sectors, which is what A itself did then
with other names.  All outputs of A between the two points were correct.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from modeloom.compiler.compile import Compiled
from modeloom.equivalence.circuit import CircuitError
from modeloom.equivalence.core import SymbolicCore
from modeloom.equivalence.engine import EngineCore
from modeloom.equivalence.host import Pace
from modeloom.equivalence.traffic import Comparison, Traffic
from modeloom.product.folder import read_sectors
from modeloom.prove.errors import ProofError

__all__ = ["Recurrence", "forever"]

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
