# SPDX-License-Identifier: Apache-2.0
"""The passes: each takes the :class:`~modeloom.compiler.work.Work` so far and returns one that holds more.

No pass changes its argument.  ``modeloom explain --dump NAME`` prints what a pass has made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from modeloom.allocate.build import allocate as allocate_storage
from modeloom.compiler.work import Work
from modeloom.ir.expand import expand as expand_trace
from modeloom.ir.lower import lower as lower_trace
from modeloom.ir.pair import find_chains, pair_directions, renew_squares
from modeloom.ir.trace import trace as trace_definition
from modeloom.prove import prove as prove_compiled
from modeloom.schedule.modulo import schedule as search_schedule
from modeloom.schedule.pairing import own_bounds
from modeloom.schedule.problem import Problem, instance_of
from modeloom.spec.kinds import OUT, SQR

__all__ = ["PASSES", "Pass", "Progress", "allocate", "chains", "expand", "lower", "pair", "prove", "schedule", "squares", "trace"]

Progress = Callable[[float], None]
"""A function that is called with the completed share of a pass, from 0 to 1."""


@dataclass(frozen=True)
class Pass:
    """A pass.

    Attributes
    ----------
    run : callable
        ``run(work, progress)`` returns the work with the results of the pass.
    makes : tuple of str
        The members of ``Work`` that the pass computes.
    share : float
        Its share of the time of a long compilation, roughly.
    """

    name: str
    run: Callable[[Work, Progress], Work]
    makes: tuple[str, ...]
    share: float


def trace(work: Work, progress: Progress) -> Work:
    """The definition run on symbols."""
    options = work.options
    return replace(work, source=trace_definition(work.mode, options.sector, work.tweak_bytes, options.directions, work.key_bytes))


def expand(work: Work, progress: Progress) -> Work:
    """Polynomials and powers in products."""
    return replace(work, expanded=expand_trace(work.source, work.horner, work.units.has(SQR.unit)))


def lower(work: Work, progress: Progress) -> Work:
    """Unit operations of each direction, and of set-up."""
    units = work.units
    return replace(
        work,
        lowered=lower_trace(
            work.expanded, work.options.directions, units.terms, lambda kind: units.doing(kind).latency,
            lambda kind: units.doing(kind).count,
        ),
    )  # fmt: skip


def squares(work: Work, progress: Progress) -> Work:
    """Squares of key values for each hash of a sector."""
    lowered = work.lowered
    return replace(work, squared=replace(lowered, directions={d: renew_squares(ops) for d, ops in lowered.directions.items()}))


def pair(work: Work, progress: Progress) -> Work:
    """Both directions in one graph, and set-up in another."""
    lowered, name = work.squared, work.source.mode
    rows = work.pairing.rows
    # Lists in two graphs are two lists.
    paired = replace(pair_directions(name, lowered.directions, rows), key_names=list(lowered.key_names))
    setup = replace(
        pair_directions(name, {"setup": lowered.setup}),
        key_names=list(lowered.key_names), nonzero=lowered.nonzero, derived=lowered.derived,
    )  # fmt: skip
    return replace(work, paired=paired, setup_graph=setup)


def chains(work: Work, progress: Progress) -> Work:
    """Runs of masks as registers."""
    units = work.units
    return replace(work, graph=find_chains(work.paired, lambda pair: instance_of(pair, units) or 0, work.registers))


def schedule(work: Work, progress: Progress) -> Work:
    """Cycles and units of all operations, of a sector and of set-up."""
    options, units = work.options, work.units
    problem = Problem(work.graph, units, least=dict(work.pairing.least), own={ii: dict(own) for ii, own in work.pairing.own.items()})
    own_bounds(problem, problem.ii_bound() if options.overlap else 0)
    main = search_schedule(problem, overlap=options.overlap, restarts=options.restarts, progress=progress)
    if options.exact:
        from modeloom.schedule.exact import improve

        main = improve(problem, main)
    # Key words leave one a cycle, whatever the lanes: the key memory has one write port.
    setup = search_schedule(Problem(work.setup_graph, units.with_count(OUT.unit, 1)), overlap=False, restarts=0)
    return replace(work, schedule=main, setup_schedule=setup)


def allocate(work: Work, progress: Progress) -> Work:
    """Storage, and the program."""
    words = work.setup_graph.key_names
    # Not all block memories give the old word while it is written.
    rest = int(work.options.storage == "bram")
    made = allocate_storage(work.expanded, work.schedule, work.setup_schedule, words, len(work.source.raw_names), rest=rest)
    return replace(work, allocation=made)


def prove(work: Work, progress: Progress) -> Work:
    """The program computes the definition, or ``ProofError``."""
    return replace(work, report=prove_compiled(work))


PASSES = (
    Pass("trace", trace, ("source",), 0.01),
    Pass("expand", expand, ("expanded",), 0.01),
    Pass("lower", lower, ("lowered",), 0.05),
    Pass("squares", squares, ("squared",), 0.01),
    Pass("pair", pair, ("paired", "setup_graph"), 0.02),
    Pass("chains", chains, ("graph",), 0.01),
    Pass("schedule", schedule, ("schedule", "setup_schedule"), 0.70),
    Pass("allocate", allocate, ("allocation",), 0.04),
    Pass("prove", prove, ("report",), 0.15),
)
"""The passes in order.  ``compiler.choices.STEPS`` has the choices between them, too."""


def nothing(share: float) -> None:
    """No progress to report."""
