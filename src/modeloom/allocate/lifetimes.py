# SPDX-License-Identifier: Apache-2.0
"""When each value is written and last read, and the minimal storage that a schedule needs.

A result is on the output of its unit in the cycle in which it is ready, and in a register behind it one cycle later.  Reads in these two
cycles are bypasses.  Later reads come from the bank of the unit.  Its output is registered, so the cell is read one cycle earlier::

    ready      ready+1     ready+2 ...
    y, write   y delayed   bank
"""

from __future__ import annotations

from dataclasses import dataclass, field

from modeloom.allocate.names import TWEAK, ChainName, InputName, NetName, OutName, UnitName
from modeloom.ir.ops import Term
from modeloom.schedule.modulo import Schedule
from modeloom.schedule.problem import use_offset
from modeloom.spec.kinds import UnitKind

__all__ = ["BYPASS", "Use", "Life", "lifetimes", "place_name", "storage_bound"]

BYPASS = 1
"""Largest distance, in cycles, between readiness and use that needs no storage."""


@dataclass(frozen=True)
class Use:
    """One reading of a value: which operand of which pair reads it in which cycle, in which direction."""

    net: NetName
    cycle: int
    direction: str
    term: Term


@dataclass
class Life:
    """A value of a sector.

    Attributes
    ----------
    value : tuple
        ("op", pair), ("block", i) or ("tweak", j).
    bank : UnitName, InputName or TWEAK
        Where it is stored.
    write : int
        Cycle at whose end it is written, relative to the sector's entry.
    last : int
        Cycle of the last read of its cell; ``write`` if the cell is never read.
    """

    value: tuple
    bank: str
    write: int
    last: int
    uses: list[Use] = field(default_factory=list)

    @property
    def stored(self) -> bool:
        """Whether it needs a cell."""
        return self.last > self.write


def place_name(kind: UnitKind, number: int) -> UnitName | OutName:
    """The name of a unit, or of the lane on which blocks leave."""
    return OutName(number) if kind.type.leaves else UnitName(kind, number)


def lifetimes(schedule: Schedule) -> dict[tuple, Life]:
    """Every value of a sector with its uses; inputs are written before cycle 0."""
    problem = schedule.problem
    lanes = problem.units.lanes
    lives: dict[tuple, Life] = {}
    for pair in problem.graph.pairs:
        unit = problem.unit[pair.id]
        if not pair.leaves:
            ready = schedule.ready(pair.id)
            lives["op", pair.id] = Life(("op", pair.id), UnitName(unit.kind, schedule.instance[pair.id]), ready, ready)

    def read(term: Term, use: Use) -> None:
        kind = term.source[0]
        if kind in ("block", "tweak"):
            i = term.source[1]
            bank = InputName(i % lanes) if kind == "block" else TWEAK
            life = lives.setdefault(term.source, Life(term.source, bank, -1, -1))
        elif kind == "op":
            life = lives[term.source]
        else:
            return
        life.uses.append(use)
        if kind != "op" or use.cycle - life.write > BYPASS:
            life.last = max(life.last, use.cycle - 1)

    for pair in problem.graph.pairs:
        unit = problem.unit[pair.id]
        name = place_name(unit.kind, schedule.instance[pair.id])
        for direction, op in pair.ops.items():
            for operand, term in op.terms():
                cycle = schedule.start[pair.id] + use_offset(unit, operand)
                read(term, Use(NetName(name, operand), cycle, direction, term))
    for chain in problem.graph.chains:
        first, offset = problem.chain_uses[chain.id][0]
        for direction, term in chain.base.items():
            read(term, Use(NetName(ChainName(chain.id)), schedule.start[first] + offset - 1, direction, term))
    return lives


def storage_bound(lives: dict[tuple, Life], ii: int) -> int:
    """Largest number of values held at one time, from the entry of their sector (cycle 0) or their write to their last read."""
    busy = [0] * ii
    for life in lives.values():
        begin = max(0, life.write)
        for cycle in range(begin, life.last):
            busy[cycle % ii] += 1
    return max(busy, default=0)
