# SPDX-License-Identifier: Apache-2.0
"""The scheduling problem of a graph on a unit set: earliest starts, resources, windows, and bounds.

Every constraint has the form ``start[b] >= start[a] + delay``.  The register of a chain adds a window: its uses lie within one initiation
interval.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import lcm

import numpy as np

from modeloom.cycles import KEY_DELAY
from modeloom.ir.graph import Chain, Op, OpGraph, Pair, Term
from modeloom.spec import InputError
from modeloom.spec.cadence import EVERY_CYCLE, Cadence, Cycles
from modeloom.spec.kinds import OPERATIONS, OUT, UNITS, Kind, UnitKind

__all__ = ["Problem", "Unit", "UnitSet", "use_offset"]


# -- units -----------------------------------------------------------------------------------------------------------------------------

# Functional units for the scheduler: their number, and the cycles until a result can be used.
#
# Timing of an operation that issues in cycle t::
#
#     cycle t                    t + post_at          t + latency
#     operands are read          post terms are read  the result can be used and is written
#     ├─ operand register ─ core ┼─ ⊕ ─ post register ┤


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
        self.cadence.check_unit(str(self.kind), self.interval, several_cores=self.slow_core is not None)

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
        for name, value, least in (("lanes", self.lanes, 1), ("terms", self.terms, 2)):
            if value < least:
                raise InputError(f"--{name} must be at least {least}, not {value}")
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


# -- problem ---------------------------------------------------------------------------------------------------------------------------


def use_offset(unit: Unit, operand: str) -> int:
    """Cycles from issue to the reading of an operand ("a", "b" or "post")."""
    return unit.post_at if operand == "post" else 0


@dataclass
class Problem:
    """Arrays over the pairs of a graph.

    Attributes
    ----------
    unit : list of Unit
        The unit of each pair.
    bound_to : list of (int or None)
        The instance of each pair if its block determines it.
    slow : list of bool
        Whether it uses the slow core of its unit in some direction.
    preds, succs : list of dict
        For each pair, the pairs that it waits for (that wait for it), with the delays in cycles.
    release : list of int
        Earliest start of each pair in its sector.
    phase : list of int
        Cipher calls on the way to each pair: the first hash of a mode is phase 0, the second comes after the cipher.
    chain_uses : dict
        For each chain, (pair, offset) of its uses in order.
    in_batches : list of int
        The pairs whose units take batches.
    least : dict
        Latencies that ``bound.least_latency`` has found, for each interval.
    own : dict
        The same for each direction alone, from ``pairing.own_bounds``.
    """

    graph: OpGraph
    units: UnitSet
    unit: list[Unit] = field(default_factory=list)
    bound_to: list[int | None] = field(default_factory=list)
    slow: list[bool] = field(default_factory=list)
    preds: list[dict[int, int]] = field(default_factory=list)
    succs: list[dict[int, int]] = field(default_factory=list)
    release: list[int] = field(default_factory=list)
    phase: list[int] = field(default_factory=list)
    chain_uses: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    in_batches: list[int] = field(default_factory=list)
    least: dict[int, int] = field(default_factory=dict, compare=False, repr=False)
    own: dict[int, dict[str, int]] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        self.unit = [self.units.of(pair) for pair in self.graph.pairs]
        cadences = [unit.cadence.batched for unit in self.unit]
        self.in_batches = [i for i, each in enumerate(cadences) if each is not None]
        key_written: dict[object, int] = {}
        for pair in self.graph.pairs:
            self.bound_to.append(instance_of(pair, self.units))
            self.slow.append(any(op.kind == self.unit[pair.id].slow_core for op in pair.ops.values()))
            self.preds.append({})
            self.release.append(0)
            for op in pair.ops.values():
                if op.leaves and isinstance(op.index, str):
                    key_written[op.index] = pair.id
        uses: dict[int, dict[int, tuple[int, int]]] = {}
        for pair in self.graph.pairs:
            for op in pair.ops.values():
                for operand, term in op.terms():
                    self._wait(pair, operand, term, key_written)
                    if term.source[0] == "chain":
                        offset = use_offset(self.unit[pair.id], operand)
                        uses.setdefault(term.source[1], {})[term.source[2]] = (pair.id, offset)
        for chain in self.graph.chains:
            self._chain(chain, [uses[chain.id][step] for step in range(chain.length)])
        self.succs = [{} for _ in self.preds]
        for i, preds in enumerate(self.preds):
            for p, delay in preds.items():
                self.succs[p][i] = delay
        self._phases()

    def _chain(self, chain: Chain, members: list[tuple[int, int]]) -> None:
        """The uses of a chain follow each other and its base, on one instance."""
        self.chain_uses[chain.id] = members
        for (a, offset_a), (b, offset_b) in zip(members, members[1:]):
            self._add(b, a, offset_a - offset_b + 1)
        for i, _ in members:
            if self.bound_to[i] is None:
                # A register belongs to one instance.
                self.bound_to[i] = chain.id % self.unit[i].count
        first, offset = members[0]
        # The register loads in the cycle before the first use, and not before its sector's first cycle.
        self.release[first] = max(self.release[first], 1 - offset)
        for term in chain.base.values():
            if term.source[0] == "op":
                self._add(first, term.source[1], self.unit[term.source[1]].latency + 1 - offset)

    def _phases(self) -> None:
        """The number of cipher calls on the longest way to each operation."""
        for preds in self.preds:
            above = [self.phase[p] + self.unit[p].kind.type.keyed for p in preds]
            self.phase.append(max(above, default=0))
        for i in reversed(range(len(self.unit))):
            if self.of_keys(i) and self.succs[i]:
                # Squares of key values wait for nothing.  They belong to the hash that reads them.
                self.phase[i] = min(self.phase[s] for s in self.succs[i])

    def _add(self, after: int, before: int, delay: int) -> None:
        self.preds[after][before] = max(delay, self.preds[after].get(before, delay))

    def _wait(self, pair: Pair, operand: str, term: Term, key_written: dict[object, int]) -> None:
        unit = self.unit[pair.id]
        offset = use_offset(unit, operand)
        if term.source[0] == "op":
            before = term.source[1]
            wait = unit.post_wait if operand == "post" else 0
            if not unit.latency and unit.kind == self.unit[before].kind and unit.count > 1:
                # Adders without registers give their sums in the cycle of issue; two must not read each other.
                wait = 1
            self._add(pair.id, before, self.unit[before].latency + wait - offset)
        elif term.source[0] == "key" and term.source[1] in key_written:
            before = key_written[term.source[1]]
            self._add(pair.id, before, self.unit[before].latency + self.units.key_delay - offset)

    def of_keys(self, pair: int) -> bool:
        """Whether a pair computes with key values only."""
        return all(op.kind.operation.of_keys for op in self.graph.pairs[pair].ops.values())

    def is_result(self, pair: int) -> bool:
        """Whether a pair only outputs a result.  Results of the set-up itself are read again."""
        return self.graph.pairs[pair].leaves and not self.succs[pair]

    def uses(self) -> dict[UnitKind, int]:
        """Number of operations of each kind in a sector, the larger of the two directions."""
        totals: dict[UnitKind, int] = {}
        for direction in self.graph.directions:
            for kind, count in self.graph.uses(direction).items():
                totals[kind] = max(totals.get(kind, 0), count)
        return totals

    def issue_cycles(self) -> dict[UnitKind, int]:
        """Number of issue cycles that each kind of unit needs for a sector."""
        totals: dict[UnitKind, int] = {}
        for unit in self.unit:
            totals[unit.kind] = totals.get(unit.kind, 0) + unit.interval
        return totals

    @property
    def turn(self) -> int:
        """The initiation interval is a multiple of so many cycles: of the intervals of all units that take batches."""
        return lcm(*(unit.cadence.interval for unit in self.unit))

    def ii_bound(self) -> int:
        """Lower bound of the initiation interval: the busiest kind of unit in both directions.  "in" is the bus that brings the blocks."""
        bounds = [self.units.entry, -(-self.uses().get(OUT.unit, 0) // self.units.lanes)]
        for direction in self.graph.directions:
            counts: dict[tuple[UnitKind, int, int, int], int] = {}
            for _, op in self.graph.ops(direction):
                unit = self.units.doing(op.kind)
                for rate in ((unit.every, unit.cadence.blocks), (unit.slow_interval if op.kind == unit.slow_core else 0, 1)):
                    counts[unit.kind, unit.count, *rate] = counts.get((unit.kind, unit.count, *rate), 0) + 1
            # An operation runs on one instance and does not overlap with that of the next sector there.
            bounds += [-(-uses // (count * at_once)) * rate for (_, count, rate, at_once), uses in counts.items()]
        return -(-max(bounds) // self.turn) * self.turn

    def fits(self, ii: int) -> bool:
        """Whether all pairs fit into ``ii`` slots.  Pairs of one direction take slots of both."""
        if ii % self.turn:
            return False
        taken: dict[tuple[str, int | None], int] = {}
        for unit, bound, slow in zip(self.unit, self.bound_to, self.slow):
            for instance in {bound, None}:
                taken[unit.kind, instance] = taken.get((unit.kind, instance), 0) + unit.interval
                taken["slow", instance] = taken.get(("slow", instance), 0) + unit.slow_interval * slow
        counts = {unit.kind: unit.count for unit in self.unit} | {"slow": len(self.unit)}
        slots: dict[str, int] = {unit.kind: unit.cadence.room(ii) for unit in self.unit}
        return all(cycles <= slots.get(kind, ii) * (counts[kind] if instance is None else 1) for (kind, instance), cycles in taken.items())

    def earliest(self) -> list[int]:
        """Earliest start of each pair, from dependences only."""
        start: list[int] = []
        for release, preds in zip(self.release, self.preds):
            start.append(max([release, *(start[p] + delay for p, delay in preds.items())]))
        return start

    def latency_bound(self) -> int:
        """Lower bound of the latency from dependences and from the issue rate of each kind of unit."""
        start = self.earliest()
        tail = self.tails()
        counted = sorted(self.leads_to_results())
        bound = max((start[i] + tail[i] for i in counted), default=0)
        # Operations with start >= s and tail >= t of one kind issue one after another on its instances.
        for kind in sorted({self.unit[i].kind for i in counted}):
            members = [i for i in counted if self.unit[i].kind == kind]
            unit = self.unit[members[0]]
            # late[s, t]: operations that cannot start before s and have at least t cycles to the end.
            late = np.zeros((max(start[i] for i in members) + 1, max(tail[i] for i in members) + 1), dtype=np.int64)
            np.add.at(late, ([start[i] for i in members], [tail[i] for i in members]), 1)
            late = late[::-1, ::-1].cumsum(0).cumsum(1)[::-1, ::-1]
            cycles = unit.span(-(-late // unit.count)) + np.arange(late.shape[0])[:, None] + np.arange(late.shape[1])
            bound = max(bound, int(cycles[late > 0].max()))
        return bound

    def leads_to_results(self) -> set[int]:
        """The pairs that some result waits for, including the results.  The sector does not wait for other pairs."""
        leads = {pair.id for pair in self.graph.pairs if pair.leaves}
        for i in range(len(self.preds) - 1, -1, -1):
            if i in leads:
                leads.update(self.preds[i])
        return leads

    def tails(self) -> list[int]:
        """Smallest number of cycles from the start of each pair to the end of the sector; 0 if no result waits for the pair."""
        tail = [unit.latency if pair.leaves else 0 for pair, unit in zip(self.graph.pairs, self.unit)]
        for i in sorted(self.leads_to_results(), reverse=True):
            for p, delay in self.preds[i].items():
                tail[p] = max(tail[p], delay + tail[i])
        return tail


def instance_of(pair: Pair, units: UnitSet) -> int | None:
    """The instance that a pair is bound to, which is that of its block."""
    return _of_block(units.of(pair), pair.block) if pair.kind.type.laned else None


def op_instance(op: Op, units: UnitSet) -> int | None:
    """The instance to which an unpaired operation is bound."""
    return _of_block(units.doing(op.kind), op.block) if op.kind.operation.unit.laned else None


def _of_block(unit: Unit, block: int | None) -> int | None:
    """Block i runs on instance i mod count of ciphers and output lanes; products go to any multiplier."""
    return None if block is None else block % unit.count
