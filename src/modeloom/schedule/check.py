# SPDX-License-Identifier: Apache-2.0
"""The legality checker of schedules, written independently of the problem and the schedulers.

It takes the graph, the units and the start cycles, and derives everything else again: when each operand is read, when
its value is there, which slots of which unit are taken, how long a chain's register is in use.
"""

from __future__ import annotations

from itertools import pairwise

from modeloom.ir.check import CheckError
from modeloom.ir.graph import Op, Term
from modeloom.schedule.modulo import Schedule
from modeloom.schedule.problem import Unit

__all__ = ["check_schedule"]


def check_schedule(schedule: Schedule) -> None:
    """Raises ``CheckError`` unless a schedule is legal for its graph and units."""
    _Checker(schedule).run()


class _Checker:
    def __init__(self, schedule: Schedule):
        self.schedule = schedule
        self.graph = schedule.problem.graph
        self.units = schedule.problem.units
        self.ii = schedule.ii
        self.unit_of: list[Unit] = []
        self.feeds: dict[tuple[str, int], set[tuple[str, int]]] = {}

    def fail(self, message: str) -> None:
        raise CheckError(f"{self.graph.name}: {message}")

    def run(self) -> None:
        schedule, operations = self.schedule, self.graph.pairs
        if self.ii < 1:
            self.fail(f"the initiation interval is {self.ii}")
        if not len(schedule.start) == len(schedule.instance) == len(operations):
            self.fail(f"{len(schedule.start)} starts and {len(schedule.instance)} instances for {len(operations)} operations")
        self.unit_of = [self.unit(pair.id) for pair in operations]
        self.lanes()
        self.batches()
        self.resources()
        written: dict[object, int] = {
            op.index: pair.id for pair in operations for op in pair.ops.values() if op.leaves and isinstance(op.index, str)
        }
        for pair in operations:
            for direction, op in pair.ops.items():
                for at, post, term in self.reads(pair.id, op):
                    self.ready(pair.id, at, post, term, direction, written)
        self.loops()
        self.chains()
        if not schedule.overlap and any(self.done(pair.id) > self.ii for pair in operations):
            self.fail(f"sectors do not overlap, and one is not done after {self.ii} cycles")

    # -- units --------------------------------------------------------------------------------------------------------

    def unit(self, i: int) -> Unit:
        ops = self.graph.pairs[i].ops.values()
        kinds = {op.kind.unit for op in ops}
        units = [unit for unit in self.units.units if unit.count and all(unit.kind.does(op.kind) for op in ops)]
        if len(units) != 1:
            self.fail(f"operation {i} ({' or '.join(sorted(kinds))}) has no unit, or more than one")
        unit = units[0]
        if unit.forms and not {op.kind for op in ops} <= set(unit.forms):
            self.fail(f"operation {i} adds to another counter than {' or '.join(unit.forms)}")
        if not 0 <= self.schedule.instance[i] < unit.count:
            self.fail(f"operation {i} runs on {unit.kind} {self.schedule.instance[i]}, and there are {unit.count}")
        if self.schedule.start[i] < 0:
            self.fail(f"operation {i} starts in cycle {self.schedule.start[i]}")
        return unit

    def done(self, i: int) -> int:
        """Cycle from which a result can be used."""
        unit = self.unit_of[i]
        return self.schedule.start[i] + unit.core + unit.operand_register + unit.post_register

    def added(self, i: int) -> int:
        """Cycle in which the terms are added to a result."""
        return self.schedule.start[i] + self.unit_of[i].core + self.unit_of[i].operand_register

    def lanes(self) -> None:
        """Blocks keep to their lanes: outputs leave on lane i mod lanes, ciphers work for their own lane."""
        for pair in self.graph.pairs:
            unit = self.unit_of[pair.id]
            blocks = [op.block for op in pair.ops.values() if op.block is not None]
            n = self.schedule.instance[pair.id]
            if unit.kind.type.laned and blocks and n != blocks[0] % unit.count:
                self.fail(f"operation {pair.id} of block {blocks[0]} runs on {unit.kind} {n}")
            for index in [op.index for op in pair.ops.values() if isinstance(op.index, int)]:
                lane = index % self.units.lanes
                if n != lane:
                    self.fail(f"block {index} leaves on lane {n}")

    def resources(self) -> None:
        """No two operations take one unit in one slot, the slow core of a unit included."""
        taken: dict[tuple[str, int, int], int] = {}
        for pair in self.graph.pairs:
            unit, n, start = self.unit_of[pair.id], self.schedule.instance[pair.id], self.schedule.start[pair.id]
            claims: list[tuple[str, int]] = [(unit.kind, unit.interval)]
            if unit.slow_core is not None and any(op.kind == unit.slow_core for op in pair.ops.values()):
                claims.append((f"{unit.slow_core} core of {unit.kind}", unit.slow_interval))
            for what, interval in claims:
                if interval > self.ii:
                    self.fail(f"operation {pair.id} takes {what} {n} for {interval} cycles of {self.ii}")
                for cycle in range(start, start + interval):
                    slot = (what, n, cycle % self.ii)
                    if slot in taken:
                        self.fail(f"operations {taken[slot]} and {pair.id} take {what} {n} in slot {cycle % self.ii}")
                    taken[slot] = pair.id

    def batches(self) -> None:
        """A unit that takes batches starts operations in a few successive slots of each interval, and every turn of the table alike."""
        for unit in self.units.units:
            members = [pair.id for pair in self.graph.pairs if self.unit_of[pair.id] is unit]
            if not members:
                continue
            interval, blocks = unit.cadence.interval, unit.cadence.blocks
            if self.schedule.overlap and self.ii % interval:
                self.fail(f"{unit.kind} takes batches every {interval} cycles, and the rows repeat every {self.ii}")
            slots = {i: self.schedule.start[i] % interval for i in members}
            first, last = min(members, key=slots.__getitem__), max(members, key=slots.__getitem__)
            if slots[last] >= slots[first] + blocks:
                self.fail(
                    f"operations {first} and {last} start in cycles {slots[first]} and {slots[last]} of the {interval} of {unit.kind}, "
                    f"which takes {blocks} in a row"
                )

    # -- dependences --------------------------------------------------------------------------------------------------

    def reads(self, i: int, op: Op) -> list[tuple[int, bool, Term]]:
        """(cycle, whether it is added to the result, term) of everything that an operation reads."""
        start, added = self.schedule.start[i], self.added(i)
        return [(start, False, t) for form in op.pre for t in form] + [(added, True, t) for t in op.post]

    def ready(self, i: int, at: int, post: bool, term: Term, direction: str, written: dict[object, int]) -> None:
        kind, name = term.source[0], term.source[1]
        if kind == "op":
            ready = self.done(name)
            if at == ready and (post or not self.unit_of[i].latency):
                self.feeds.setdefault(self.place(name), set()).add(self.place(i))
        elif kind == "key" and name in written:
            ready = self.done(written[name]) + self.units.key_delay
        else:
            return
        if at < ready:
            what = f"operation {name}" if kind == "op" else f"key word {name}"
            self.fail(f"operation {i} of {direction} reads {what} in cycle {at}; it is ready in cycle {ready}")

    def place(self, i: int) -> tuple[str, int]:
        return self.unit_of[i].kind, self.schedule.instance[i]

    def loops(self) -> None:
        """Checks for loops: sums without a register must not read each other's results in the cycle in which they are ready."""
        free = {place for place in self.feeds if not any(u.kind == place[0] and u.post_register for u in self.units.units)}
        feeds = {place: {p for p in self.feeds[place] if p in free} for place in free}
        while feeds:
            # An operation that feeds none of the remaining ones is not part of a loop.
            ends = [place for place, fed in feeds.items() if fed.isdisjoint(feeds)]
            if not ends:
                kind, n = min(feeds)
                self.fail(f"the sum behind {kind} {n} is part of a loop of sums without a register")
            for place in ends:
                del feeds[place]

    # -- chains -------------------------------------------------------------------------------------------------------

    def chains(self) -> None:
        """A chain's register loads a cycle before its first use, steps after each, and is free before the next
        sector loads.
        """
        for chain in self.graph.chains:
            patterns = set()
            for direction, base in chain.base.items():
                uses: dict[int, tuple[int, str, int]] = {}
                for i, op in self.graph.ops(direction):
                    for at, _, term in self.reads(i, op):
                        if term.source[:2] == ("chain", chain.id):
                            uses[term.source[2]] = at, *self.place(i)
                cycles = [uses[step][0] for step in sorted(uses)]
                patterns.add(tuple(cycles))
                if any(a >= b for a, b in pairwise(cycles)):
                    self.fail(f"chain {chain.id} of {direction} is used out of order or twice in a cycle")
                if len({where[1:] for where in uses.values()}) != 1:
                    self.fail(f"chain {chain.id} of {direction} is read by several units")
                load = cycles[0] - 1
                if load < 0:
                    self.fail(f"chain {chain.id} of {direction} is loaded before its sector enters")
                if base.source[0] == "op" and self.done(base.source[1]) > load:
                    self.fail(f"chain {chain.id} of {direction} loads in cycle {load}, before its base is ready")
                if cycles[-1] > load + self.ii:
                    self.fail(f"chain {chain.id} of {direction} is in use for more than {self.ii} cycles")
            if len(patterns) > 1:
                self.fail(f"chain {chain.id} is used in different cycles in the two directions")
