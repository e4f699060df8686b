# SPDX-License-Identifier: Apache-2.0
"""Random small problems, and whether a solver finds a schedule of one."""

from __future__ import annotations

import random

from modeloom.ir.graph import Chain, Op, OpGraph, Pair, Term
from modeloom.schedule.problem import Problem, Unit, UnitSet

__all__ = ["INSTANCES", "anything", "exists", "graph_of", "problem_of", "two_hashes"]

INSTANCES = 40


def exists(problem: Problem, ii: int, most: int) -> bool:
    """Whether the solver finds a schedule of a latency up to ``most``: one Boolean for each operation and start, written apart from
    ``schedule.exact`` and every bound."""
    from ortools.sat.python import cp_model

    model, count = cp_model.CpModel(), len(problem.unit)
    # Operations that no result waits for may start later than all others.
    horizon = most + len(problem.unit) + 2 * ii
    starts = [[model.new_bool_var("") for _ in range(horizon)] for _ in range(count)]
    start = [sum(t * x for t, x in enumerate(row)) for row in starts]
    for i, row in enumerate(starts):
        model.add_exactly_one(row)
        model.add(start[i] >= problem.release[i])
        if problem.graph.pairs[i].kind == "out":
            model.add(start[i] + problem.unit[i].latency <= most)
        for p, delay in problem.preds[i].items():
            model.add(start[i] >= start[p] + delay)
    for unit in {unit.kind: unit for unit in problem.unit if unit.cadence}.values():
        # The batches of a unit begin at one phase, from which they reach to the end of an interval at most.
        interval, blocks = unit.cadence.interval, unit.cadence.blocks
        phases = [model.new_bool_var("") for _ in range(interval - blocks + 1)]
        model.add_exactly_one(phases)
        for i in (i for i in range(count) if problem.unit[i].kind == unit.kind):
            for t in range(horizon):
                model.add(sum(x for phase, x in enumerate(phases) if (t - phase) % interval < blocks) >= starts[i][t])
    for uses in problem.chain_uses.values():
        (a, offset_a), (b, offset_b) = uses[0], uses[-1]
        model.add(start[b] + offset_b <= start[a] + offset_a + ii - 1)
    for kind in {unit.kind for unit in problem.unit}:
        every = [i for i in range(count) if problem.unit[i].kind == kind]
        unit = problem.unit[every[0]]
        for instance in (None, *range(unit.count)):
            members = [i for i in every if instance is None or problem.bound_to[i] == instance]
            for slot in range(ii):
                taken = [starts[i][t] for i in members for t in range(horizon) if (slot - t) % ii < unit.interval]
                model.add(sum(taken) <= (unit.count if instance is None else 1))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    status = solver.solve(model)
    assert status in (cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.INFEASIBLE)
    return status != cp_model.INFEASIBLE


def graph_of(reads: list[tuple[str, list[int], int | None]], chain: list[int]) -> OpGraph:
    """Operations of a kind that read others and belong to a block; those in ``chain`` read a register that steps."""
    graph = OpGraph("random", ("encrypt",))
    for i, (kind, operands, block) in enumerate(reads):
        form = [Term(("op", j)) for j in operands] or [Term(("block", 0))]
        if i in chain:
            form.append(Term(("chain", 0, chain.index(i))))
        post = (form.pop(),) if kind == "mul" and len(operands) > 1 and i not in chain else ()
        op = Op(kind, [tuple(form), (Term(("key", "h")),)][: 2 if kind == "mul" else 1], post, block=block)
        op.index = i if kind == "out" else None
        graph.pairs.append(Pair(i, {"encrypt": op}))
    if chain:
        graph.chains.append(Chain(0, 1, len(chain), {"encrypt": Term(("tweak", 0))}))
    return graph


def two_hashes(rng: random.Random) -> Problem:
    """Products, one operation that waits for them all, ciphers behind it, products of those; each result leaves."""
    first, second = rng.randint(1, 5), rng.randint(1, 5)
    reads: list[tuple[str, list[int], int | None]] = []
    for i in range(first):
        reads.append(("mul", [i - 1] if i and rng.random() < 0.4 else [], None))
    reads.append((rng.choice(["mul", "enc"]), list(range(first)), None))
    pivot = first
    ciphers = range(pivot + 1, pivot + 1 + second)
    reads += [("enc", [pivot], block) for block in range(second)]
    for n, i in enumerate(ciphers):
        chained = n and rng.random() < 0.4
        reads.append(("mul", [i, len(reads) - 1] if chained else [i], None))
    last = range(pivot + 1 + second, len(reads))
    reads += [("out", [i], None) for i in (last if rng.random() < 0.5 else [last[-1], *ciphers[:2]])]
    return problem_of(reads, list(ciphers) if rng.random() < 0.3 else [], rng)


def anything(rng: random.Random) -> Problem:
    """A random graph: also operations for which no result waits."""
    reads: list[tuple[str, list[int], int | None]] = []
    for i in range(rng.randint(2, 11)):
        operands = sorted(rng.sample(range(i), min(i, rng.randint(0, 2))))
        reads.append((rng.choice(["mul", "mul", "enc"]), operands, rng.choice([None, i])))
    reads += [("out", [i], None) for i in rng.sample(range(len(reads)), rng.randint(1, 2))]
    return problem_of(reads, [], rng)


def problem_of(reads: list[tuple[str, list[int], int | None]], chain: list[int], rng: random.Random) -> Problem:
    units = (
        Unit("mul", rng.randint(1, 2), rng.randint(1, 3), rng.choice([1, 1, 1, 2]), post_register=rng.random() < 0.5),
        Unit("enc", rng.randint(1, 2), rng.randint(1, 4), 1),
        Unit("out", 1, 0),
    )
    return Problem(graph_of(reads, chain), UnitSet(units))
