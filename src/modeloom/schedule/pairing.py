# SPDX-License-Identifier: Apache-2.0
"""Selects the operations of the two directions that issue together.

A pair waits for what either of its operations waits for, so a pairing may cost latency, and no pairing has less than the larger of the
directions' own bounds::

    encryption   ── hash ──┐            pairing by times      ── hash ──┐
                 ─── a ────┼─ hash ─                          ─ a, b ───┼─ hash ─
    decryption   ── hash ──┐            pairing by lines      ── hash ──┐
                           ├─ hash ── b ─                     ── (a, b: the first hash waits for the second) ──

The order of the definition is kept if its bound is not larger.  Otherwise each direction is scheduled alone, and operations of one kind are
paired in the order of their starts.  The pairing with the lowest bound is used.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from modeloom.ir.graph import Op
from modeloom.ir.pair import Row, alone, find_chains, match, pair_directions
from modeloom.schedule.bound import least_latency
from modeloom.schedule.greedy import list_schedule
from modeloom.schedule.modulo import Schedule
from modeloom.schedule.problem import Problem, UnitSet, instance_of, op_instance
from modeloom.schedule.search import latency_of

__all__ = ["Pairing", "alike", "choose_pairing", "direction_alone", "far_from_bound", "own_bounds"]

FAR = ((32, 1.1), (math.inf, 1.2))
"""For sectors of up to this number of blocks, the ratio of latency to the larger bound of both directions that needs no reason."""

FULL = 0.9
"""A unit counts as full from this share of its slots on."""


@dataclass(frozen=True)
class Pairing:
    """A choice of the operations that issue together.

    Attributes
    ----------
    rows : sequence of Row or None
        As for ``ir.pair.pair_directions``.
    least, own : dict
        Bounds of the problem that are known so far (``Problem``).
    """

    rows: Sequence[Row] | None
    least: dict[int, int] = field(compare=False)
    own: dict[int, dict[str, int]] = field(compare=False)


def own_bounds(problem: Problem, ii: int) -> dict[str, int]:
    """For each direction, a latency in cycles that it does not undercut whatever the other one does (``ii`` 0: in a plain schedule).

    The larger one holds for every pairing.  It is remembered in ``problem.own``.
    """
    if ii not in problem.own:
        directions = problem.graph.directions
        if len(directions) == 1:
            problem.own[ii] = {directions[0]: least_latency(problem, ii)}
        else:
            known = [problem]
            problem.own[ii] = {}
            for d in directions:
                side = _side(problem, d)
                # Directions that do the same work in the same order have the bound of both, which takes long for long sectors.
                like = next((other for other in known if alike(side, other)), side)
                problem.own[ii][d] = least_latency(like, ii)
                known.append(side)
            # A schedule of both is one of each; the pairing's own bound may look at other operations.
            problem.least[ii] = max(least_latency(problem, ii), *problem.own[ii].values())
    return problem.own[ii]


def direction_alone(schedule: Schedule, direction: str) -> Schedule:
    """The part of a schedule of both directions that belongs to one of them."""
    members = [i for i, _ in schedule.problem.graph.ops(direction)]
    starts, instances = ([values[i] for i in members] for values in (schedule.start, schedule.instance))
    return Schedule(_side(schedule.problem, direction), schedule.ii, starts, instances, schedule.overlap)


def _side(problem: Problem, direction: str) -> Problem:
    return Problem(alone(problem.graph, direction, lambda op: op_instance(op, problem.units)), problem.units)


def alike(a: Problem, b: Problem) -> bool:
    """Whether two problems have the same constraints."""
    return (a.preds, a.unit, a.bound_to, a.slow, a.release, a.chain_uses) == (b.preds, b.unit, b.bound_to, b.slow, b.release, b.chain_uses)


def choose_pairing(
    name: str, sequences: Mapping[str, Sequence[Op]], units: UnitSet, *, overlap: bool = True, registers: int = 1, rough: bool = False
) -> Pairing:
    """The pairing with the lowest bound.  Among several, the one in the order of the definition is preferred.

    Parameters
    ----------
    registers : int
        As for ``ir.pair.find_chains``.
    rough : bool
        Whether bounds of plain schedules, which take less time, suffice for the choice.
    """
    first = _problem(name, sequences, units, registers)
    if len(sequences) == 1:
        return _chosen(None, first)
    ii = first.ii_bound() if overlap and not rough else 0
    if (not overlap or first.fits(first.ii_bound())) and least_latency(first, ii) <= max(own_bounds(first, ii).values()):
        return _chosen(None, first)
    bound = max(own_bounds(first, ii).values())
    best, least = _chosen(None, first), _score(first, overlap, ii, bound)
    for rows in _pairings(name, sequences, units, registers):
        other = _problem(name, sequences, units, registers, rows)
        score = _score(other, overlap, ii, bound)
        if score < least:
            best, least = _chosen(rows, other), score
    return best


def _chosen(rows: Sequence[Row] | None, problem: Problem) -> Pairing:
    return Pairing(rows, problem.least, problem.own)


def _problem(
    name: str, sequences: Mapping[str, Sequence[Op]], units: UnitSet, registers: int, rows: Sequence[Row] | None = None
) -> Problem:
    graph = find_chains(pair_directions(name, sequences, rows), lambda pair: instance_of(pair, units) or 0, registers)
    return Problem(graph, units)


def _score(problem: Problem, overlap: bool, ii: int, bound: int) -> tuple[bool, int, int]:
    """Whether slots are missing, the bound, which is no lower than that of a direction alone, and the latency of a plain list schedule."""
    placement = list_schedule(problem, 0)
    latency = latency_of(problem, placement[0]) if placement else 1 << 30
    return overlap and not problem.fits(problem.ii_bound()), max(bound, least_latency(problem, ii)), latency


def _pairings(name: str, sequences: Mapping[str, Sequence[Op]], units: UnitSet, registers: int) -> list[list[Row]]:
    """Pairings by the starts of a list schedule of each direction, by latest starts and by earliest starts."""
    starts: list[dict[str, Sequence[int]]] = [{}, {}, {}]
    orders, renumbered, bound = {}, {}, {}
    for d, ops in sequences.items():
        orders[d] = _order(_problem(name, {d: ops}, units, registers))
        graph = pair_directions(name, {d: ops}, [{d: i} for i in orders[d]])
        renumbered[d] = [op for _, op in graph.ops(d)]
        bound[d] = [op_instance(op, units) for op in renumbered[d]]
        side = _problem(name, {d: renumbered[d]}, units, registers)
        placement = list_schedule(side, 0)
        end = side.latency_bound()
        starts[0][d] = placement[0] if placement else side.earliest()
        starts[1][d] = [end - tail for tail in side.tails()]
        starts[2][d] = side.earliest()
    found = [match(renumbered, {d: (times[d], bound[d]) for d in sequences}) for times in starts]
    return [[{d: orders[d][i] for d, i in row.items()} for row in rows] for rows in found]


def _order(side: Problem) -> list[int]:
    """The operations of one direction by depth, earliest starts and what they read, which does not depend on the order of the lines."""
    earliest, tails = side.earliest(), side.tails()
    depth: list[int] = []
    for preds in side.preds:
        depth.append(max((depth[p] + 1 for p in preds), default=0))
    levels: dict[int, list[int]] = {}
    for i, level in enumerate(depth):
        levels.setdefault(level, []).append(i)
    rank: dict[int, int] = {}

    def reads(i: int) -> tuple[object, ...]:
        (op,) = side.graph.pairs[i].ops.values()
        terms = [
            (operand, kind, f"{rank[name] if kind == 'op' else name!s:0>12}", str(rest), term.k, term.keep)
            for operand, term in op.terms()
            for kind, name, *rest in [term.source]
        ]
        return op.kind, str(op.index).zfill(12), sorted(terms)

    for _, members in sorted(levels.items()):
        for i in sorted(members, key=lambda i: (earliest[i], -tails[i], reads(i), i)):
            rank[i] = len(rank)
    return list(rank)


def far_from_bound(schedule: Schedule, blocks: int) -> str | None:
    """Why a latency is far above the larger of the directions' own bounds, in a few words; None if it is not.

    ``blocks`` are those of the sector.
    """
    problem, ii = schedule.problem, schedule.ii if schedule.overlap else 0
    own = max(own_bounds(problem, ii).values())
    limit = next(limit for most, limit in FAR if blocks <= most)
    if schedule.latency <= limit * own:
        return None
    if schedule.latency_bound > limit * own:
        return f"no pairing of the two directions was found with a bound below {schedule.latency_bound}"
    full = _full_units(problem, ii) if ii else []
    if full:
        both = ", the same ones in both directions" if len(problem.graph.directions) > 1 else ""
        return f"few slots are free: {', '.join(full)}{both}; the search found no shorter schedule"
    return "the search found no shorter schedule"


def _full_units(problem: Problem, ii: int) -> list[str]:
    """Units with hardly any free slots."""
    found = []
    for kind, taken in sorted(problem.issue_cycles().items()):
        unit = problem.units.unit(kind)
        slots = unit.cadence.room(ii) * unit.count
        if not kind.type.leaves and taken >= FULL * slots:
            found.append(f"{kind} takes {taken} of {slots}")
    return found
