# SPDX-License-Identifier: Apache-2.0
"""Functional units for the scheduler: their number, and the cycles until a result can be used.

Timing of an operation that issues in cycle t::

    cycle t                    t + post_at          t + latency
    operands are read          post terms are read  the result can be used and is written
    ├─ operand register ─ core ┼─ ⊕ ─ post register ┤
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from modeloom.cycles import KEY_DELAY
from modeloom.ir.ops import Pair
from modeloom.spec import InputError
from modeloom.spec.cadence import EVERY_CYCLE, Cadence, Cycles
from modeloom.spec.kinds import OPERATIONS, UNITS, Kind, UnitKind

__all__ = ["Unit", "UnitSet"]


@dataclass(frozen=True)
class Unit:
    """A kind of functional unit.

    Parameters
    ----------
    kind : UnitKind
        The kind (``spec.kinds``).  The name of a type stands for the kind with keys of the usual length.
    count : int
        Number of instances.
    core : int
        Cycles of the unit itself.
    interval : int
        Cycles between two operations of one instance.
    operand_register, post_register : bool
        Whether a register follows the operand network, and the XOR after the unit.
    slow_core : str or None
        In a unit with several cores, the one that is not pipelined.
    slow_interval : int
        Cycles between two operations of the slow core.
    forms : tuple of str
        The operations that it is built for, if these are not all of its kind.
    cadence : Cadence
        The cycles in which an instance takes operations.  If it takes them in batches, ``interval`` is 1.
    """

    kind: UnitKind
    count: int
    core: int
    interval: int = 1
    operand_register: bool = False
    post_register: bool = False
    slow_core: str | None = None
    slow_interval: int = 0
    forms: tuple[str, ...] = ()
    cadence: Cadence = EVERY_CYCLE

    def __post_init__(self) -> None:
        if not isinstance(self.kind, UnitKind):
            object.__setattr__(self, "kind", UnitKind(UNITS[self.kind]))
        if self.count < 0 or self.core < 0 or self.interval < 1:
            raise InputError(f"unit {self.kind}: count and latency must not be negative, and the interval must be at least 1 cycle")
        if self.cadence.gaps and (self.interval != 1 or self.slow_core is not None):
            raise InputError(f"unit {self.kind}: a unit that takes batches takes one operation in each of their cycles, on one core")

    @property
    def operations(self) -> tuple[Kind, ...]:
        """The operations that it performs."""
        known = [Kind(operation, self.kind.key_bits) for operation in OPERATIONS.values()]
        return tuple(kind for kind in known if self.kind.does(kind) and (not self.forms or kind in self.forms))

    @property
    def every(self) -> int:
        """Cycles after which an instance takes operations in the same way again."""
        return self.interval * self.cadence.interval

    def span(self, operations: Cycles) -> Cycles:
        """The fewest cycles from the first to the last of so many operations of an instance: a number, or an array of them."""
        return self.cadence.span(operations) * self.interval

    def cycles_of(self, operations: int) -> int:
        """The fewest cycles in which an instance takes so many operations, again and again."""
        return -(-operations // self.cadence.blocks) * self.every

    @property
    def post_at(self) -> int:
        """Cycles from issue to the reading of the post terms."""
        return self.core + self.operand_register

    @property
    def latency(self) -> int:
        """Cycles from issue to the first cycle in which the result can be used."""
        return self.post_at + self.post_register

    @property
    def post_wait(self) -> int:
        """Cycles that a result must wait before it can be a post term: 1 if otherwise no register would cut a loop of networks."""
        return 0 if self.post_register else 1


@dataclass(frozen=True)
class UnitSet:
    """The units of a core.

    Parameters
    ----------
    units : tuple of Unit
        One for each kind.
    lanes : int
        Blocks that enter and leave in each cycle.
    terms : int
        Largest number of terms in an operand.
    key_delay : int
        Cycles from the write of a key word in the set-up to its first use.
    entry : int
        Fewest cycles between the entries of two sectors.
    """

    units: tuple[Unit, ...]
    lanes: int = 1
    terms: int = 4
    key_delay: int = KEY_DELAY
    entry: int = 1
    by_kind: dict[UnitKind, Unit] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.lanes < 1:
            raise InputError(f"--lanes must be at least 1, not {self.lanes}")
        if self.terms < 2:
            raise InputError(f"--terms must be at least 2, not {self.terms}")
        object.__setattr__(self, "by_kind", {unit.kind: unit for unit in self.units})

    def doing(self, kind: Kind) -> Unit:
        """The unit that performs an operation, preferably the shared one.  Raises ``InputError`` if there is none."""
        return self.unit(kind.shared if kind.shared in self.by_kind else kind.unit)

    def of(self, pair: Pair) -> Unit:
        """The unit that performs a pair."""
        kinds = [op.kind for op in pair.ops.values()]
        return self.doing(kinds[0]) if len({kind.unit for kind in kinds}) == 1 else self.unit(pair.kind)

    def unit(self, kind: UnitKind | None) -> Unit:
        """The unit of a kind.  Raises ``InputError`` if there is none."""
        if kind not in self.by_kind or not self.by_kind[kind].count:
            raise InputError(f"the unit set has no {kind} unit, but the mode needs one; add it (--cipher-cores, --mul)")
        return self.by_kind[kind]

    def has(self, kind: UnitKind) -> bool:
        """Whether there is a unit of a kind."""
        return kind in self.by_kind and self.by_kind[kind].count > 0

    def with_count(self, kind: UnitKind, count: int) -> UnitSet:
        """A copy with a different number of one kind."""
        return replace(self, units=tuple(replace(u, count=count) if u.kind == kind else u for u in self.units))
