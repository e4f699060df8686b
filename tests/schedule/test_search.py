# SPDX-License-Identifier: Apache-2.0
"""The search finds the stored schedules; it begins again only where it says so, counts what it does, and gives up."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from modeloom.allocate.build import place_name
from modeloom.compiler.compile import compile_mode
from modeloom.ir.graph import Chain, Op, OpGraph, Pair, Term
from modeloom.modes import find
from modeloom.options.sectors import Options
from modeloom.schedule import search
from modeloom.schedule.bound import least_latency
from modeloom.schedule.check import check_schedule
from modeloom.schedule.modulo import Schedule, schedule
from modeloom.schedule.problem import Problem, Unit, UnitSet
from modeloom.schedule.search import storage_figures

EFFORT = 20

SLOW_CORES: dict[str, Any] = {"sector": 96, "cipher_cores": 2, "cipher_arch": "sequential", "cipher_stages": 2}

CASES: list[tuple[str, dict[str, Any], bool]] = [
    # A list schedule, bisection and descent; with several units, and those that choose among them.
    ("hctr2", {"sector": 128}, True),
    ("hctr2", {"sector": 240, "cipher_cores": 4}, True),
    ("xcb-1619", {"sector": 128}, True),
    ("eme2", {"sector": 128}, True),
    ("cmc", {"sector": 64}, True),
    ("eme", {"sector": 128, "cipher_cores": 2}, True),
    # Starts that are forced again and again, as cores that are not pipelined leave few slots.
    ("eme", {"sector": 96, "cipher_arch": "sequential", "cipher_stages": 1}, True),
    # No list schedule: a first one by the slack search; where that is far too long, list schedules that are held back.
    ("xts", {"sector": 240, "cipher_cores": 4}, True),
    ("hch", SLOW_CORES, True),
    ("heh-brw", SLOW_CORES, True),
    ("heh-poly", SLOW_CORES, True),
    # Another shape of the first hash.
    ("tet", {"sector": 256, "cipher_cores": 2, "mul": 2}, True),
    # Plain schedules, with other placements for less storage.
    ("heh-poly", SLOW_CORES, False),
    ("heh-brw", {"sector": 240, "cipher_cores": 4}, False),
    ("hmch-brw", {"sector": 128, "cipher_cores": 2}, False),
]


def text_of(made: Schedule) -> str:
    """Figures, and for each unit its operations with their starts."""
    ii = made.ii if made.overlap else 0
    cells, values = storage_figures(made.problem, ii, (made.start, made.instance))
    kind = f"overlapped, interval {ii}" if ii else "plain"
    lines = [f"{kind}, latency {made.latency} (bound {made.latency_bound}), {cells} cells for up to {values} values at a time"]
    rows = defaultdict(list)
    for i in sorted(range(len(made.start)), key=lambda i: (made.start[i], i)):
        rows[place_name(made.problem.unit[i].kind, made.instance[i])].append(f"{made.start[i]}:%{i}")
    for unit, starts in sorted(rows.items()):
        lines += textwrap.wrap(" ".join(starts), 120, initial_indent=f"{unit:<9}", subsequent_indent=" " * 9)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(("mode", "options", "overlap"), CASES, ids=str)
def test_stored_schedules(mode: str, options: dict[str, Any], overlap: bool, expected: Callable[[str, str], None]) -> None:
    """The same starts as stored, which says that the search has changed nothing: another one may be as good."""
    problem = compile_mode(find(mode), Options(restarts=0, **options), prove=False).schedule.problem
    made = schedule(problem, overlap=overlap, restarts=EFFORT)
    check_schedule(made)
    words = [mode, *map(str, options.values()), *([] if overlap else ["plain"])]
    expected(f"{'_'.join(words)}.txt", text_of(made))


def test_another_shape_only_far_above_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to ``FAR`` times the bound the schedule stays as it was found, and so it does right there."""
    problem = compile_mode(find("tet"), Options(sector=128, cipher_cores=2, mul=2, restarts=0), prove=False).schedule.problem
    begun: list[int] = []
    monkeypatch.setattr(search._Tries, "reshape", lambda self, *arguments: begun.append(self.latency))

    def latency_when_begun(far: Fraction) -> int | None:
        begun.clear()
        monkeypatch.setattr(search, "FAR", far)
        search.search(problem, problem.ii_bound(), 2, 1)
        return begun[0] if begun else None

    bound = least_latency(problem, problem.ii_bound())
    reached = latency_when_begun(Fraction(0))
    assert reached is not None and reached > bound
    assert latency_when_begun(Fraction(reached, bound)) is None
    assert latency_when_begun(Fraction(2 * reached - 1, 2 * bound)) == reached


def test_progress_is_the_share_of_placements() -> None:
    """It rises with each try, as far as placements were made: where nothing is found, to the end of the descent at the least."""
    problem = compile_mode(find("heh-brw"), Options(restarts=0, **SLOW_CORES), prove=False).schedule.problem
    shares: list[float] = []
    made = schedule(problem, restarts=EFFORT, progress=shares.append)
    assert made.latency > made.latency_bound, "the search had to go on"
    assert shares == sorted(shares) and 0 < shares[0] < 0.5 < shares[-1] <= 1


def never_fits() -> Problem:
    """Two products on one multiplier that takes two cycles; the second waits three for the first, and the register of both is taken
    again after the interval."""
    graph = OpGraph("never", ("encrypt",))
    mask = [Term(("chain", 0, step)) for step in (0, 1)]
    graph.pairs.append(Pair(0, {"encrypt": Op("mul", [(mask[0],), (Term(("block", 0)),)])}))
    graph.pairs.append(Pair(1, {"encrypt": Op("mul", [(mask[1],), (Term(("op", 0)),)])}))
    graph.pairs.append(Pair(2, {"encrypt": Op("out", [(Term(("op", 1)),)], index=0)}))
    graph.chains.append(Chain(0, 1, 2, {"encrypt": Term(("tweak", 0))}))
    return Problem(graph, UnitSet((Unit("mul", 1, 3, interval=2), Unit("out", 1, 0))))


@pytest.mark.parametrize("effort", [0, 1, 10])
def test_an_interval_at_which_nothing_fits_is_given_up(effort: int) -> None:
    """At 4 cycles the products are three apart, as their register allows no more, and each needs the two in which the other one runs."""
    problem = never_fits()
    assert problem.ii_bound() == 4 and problem.fits(4)
    assert search.search(problem, 4, effort, 1) is None
    made = schedule(problem, restarts=effort)
    check_schedule(made)
    assert made.ii == 5 and made.start[1] - made.start[0] in (3, 4)
