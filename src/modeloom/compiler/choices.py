# SPDX-License-Identifier: Apache-2.0
"""What is chosen between the passes, by running some of them for each candidate; and the whole list of steps.

::

    trace ─▶ units ─▶ horner ─▶ squarers ─▶ expand ─▶ lower ─▶ squares ─▶ pairing ─▶ pair ─▶ chains ─▶ schedule ─▶ registers ─▶ …
             tries    tries     tries                                     tries                        tries
             expand   expand…   expand                                    pair, chains                 pairing … schedule
             lower    chains
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from modeloom.ciphers import cipher_of
from modeloom.compiler.passes import PASSES, Pass, nothing
from modeloom.compiler.units import unit_set
from modeloom.compiler.work import Work
from modeloom.ir.expand import expand as expand_trace
from modeloom.ir.graph import Trace
from modeloom.ir.lower import key_words, lower_direction, operation_kind
from modeloom.ir.trace import trace as trace_definition
from modeloom.schedule.greedy import list_schedule
from modeloom.schedule.pairing import choose_pairing
from modeloom.schedule.problem import Problem
from modeloom.schedule.search import latency_of
from modeloom.spec import InputError
from modeloom.spec.kinds import MUL, SQR, Kind

__all__ = ["STEPS", "Choice"]

CHAINS = (6, 8, 10, 12, 16, 20)
"""Numbers of Horner chains that are compared, in tenths of multipliers times latency: with fewer chains multipliers wait for their
own results, with more the sum of the chains and the key memory grow."""

WORTH = 0.02
"""Share of the latency that is not worth more chains."""

MASK_REGISTERS = (2, 4)
"""Registers for each run of masks that an exact plain schedule is tried with, after one."""

PROBE = 16
"""Blocks of a sector in which every mode that squares key values does so."""


@dataclass(frozen=True)
class Choice:
    """A choice for the core, or for one size.

    Attributes
    ----------
    run : callable
        ``run(works)`` returns all sizes of the core, with the result of the choice.
    tries : tuple of str
        The passes that it runs for each candidate.  If one of these follows in the list, it runs again for the chosen candidate.
    chooses : tuple of str
        The members of ``Work`` that it chooses, or computes again.
    """

    name: str
    run: Callable[[tuple[Work, ...]], tuple[Work, ...]]
    tries: tuple[str, ...]
    chooses: tuple[str, ...]


def _tried(work: Work, names: Iterable[str]) -> Work:
    """Runs some passes for a candidate."""
    for one in PASSES:
        if one.name in names:
            if one.name == "pair":
                work = _paired(work)
            work = one.run(work, nothing)
    return work


def units(works: tuple[Work, ...]) -> tuple[Work, ...]:
    """Units that keep up with each other, for operations that a rough lowering of each size counts."""
    options = works[0].options
    chosen = cipher_of(works[0].mode, options.cipher)
    uses = [_uses(work) for work in works]
    found, architecture = unit_set(
        options, chosen, [counts for counts, _ in uses], set().union(*(setup for _, setup in uses)), works[0].source.cipher_bits
    )
    return tuple(replace(work, units=found, architecture=architecture) for work in works)


def _uses(work: Work) -> tuple[dict[str, dict[Kind, int]], set[Kind]]:
    """Operations of each kind in each direction, and kinds of those of set-up."""
    options, source = work.options, work.source
    expanded = expand_trace(source, 1, options.squares == "fly")
    names = key_words(expanded)[1]
    uses: dict[str, dict[Kind, int]] = {}
    for direction in options.directions:
        counts: dict[Kind, int] = {}
        for op in lower_direction(expanded, direction, names, options.terms, lambda kind: 1):
            counts[op.kind] = counts.get(op.kind, 0) + 1
        uses[direction] = counts
    # Where squarers turn out to be of no use, set-up squares with a multiplier.
    plain = expand_trace(source, 1)
    return uses, {operation_kind(plain, plain.nodes[i]) for i in (*key_words(plain)[0], *plain.scratch) if plain.nodes[i].worded}


def horner(works: tuple[Work, ...]) -> tuple[Work, ...]:
    """The fewest Horner chains whose plain list schedule is about the shortest, for each size."""
    return tuple(replace(work, horner=_fewest_chains(work)) for work in works)


def _fewest_chains(work: Work) -> int:
    longest = max((len(node.args) - 2 for node in work.source.nodes if node.kind == "poly"), default=1)
    busy = work.units.unit(MUL.unit).latency * work.units.unit(MUL.unit).count if work.units.has(MUL.unit) else 1
    numbers = sorted({max(1, min(busy * share // 10, longest)) for share in CHAINS}) if longest > 1 else [1]
    if len(numbers) == 1:
        return numbers[0]
    found = []
    for number in numbers:
        tried = _tried(replace(work, horner=number, rough=True), HORNER.tries)
        problem = Problem(tried.graph, tried.units)
        placement = list_schedule(problem, 0)
        found.append((latency_of(problem, placement[0]) if placement else problem.latency_bound(), number))
    enough = min(found)[0] * (1 + WORTH)
    return next(number for latency, number in found if latency <= enough)


def squarers(works: tuple[Work, ...]) -> tuple[Work, ...]:
    """Squaring units only where a sector of some size reads a square.

    Raises ``InputError`` if even a long sector reads none: squaring units are for other modes.
    """
    first = works[0]
    if first.options.squares != "fly" or any(_reads_squares(work.source, work.horner) for work in works):
        return works
    mode = first.mode
    blocks = min(mode.max_blocks or PROBE, PROBE)
    probe = trace_definition(mode, max(blocks * mode.block_bytes, mode.min_bytes), first.tweak_bytes)
    if not _reads_squares(probe, 2):
        raise InputError(f"--squares fly: {mode.name} reads no square of a key value; choose --squares setup")
    fewer = first.units.with_count(SQR.unit, 0)
    return tuple(replace(work, units=fewer) for work in works)


def _reads_squares(source: Trace, chains: int) -> bool:
    """Whether a sector reads a square of a key value."""
    expanded = expand_trace(source, chains, True)
    nodes = expanded.nodes
    read = [i for node in nodes if not node.key_only for i in node.inputs]
    return any(nodes[i].of_keys for i in (*read, *(i for outputs in expanded.outputs.values() for i in outputs)))


def pairing(works: tuple[Work, ...]) -> tuple[Work, ...]:
    """The operations of the two directions that issue together, for each size."""
    return tuple(_paired(work) for work in works)


def _paired(work: Work) -> Work:
    found = choose_pairing(
        work.source.mode, work.squared.directions, work.units, overlap=work.options.overlap, registers=work.registers, rough=work.rough
    )
    return replace(work, pairing=found)


def registers(works: tuple[Work, ...]) -> tuple[Work, ...]:
    """Adds registers for masks if they make an exact plain schedule shorter.  Then the solver proves what it can of the bounds."""
    return tuple(_freed(work) if work.options.exact else work for work in works)


def _freed(work: Work) -> Work:
    from modeloom.schedule.exact import with_improved_bounds

    best, bound = work, work.schedule.problem.latency_bound()
    for number in () if work.options.overlap or work.schedule.latency <= bound else MASK_REGISTERS:
        # Masks in another order than that of the blocks need more registers, which must pay.
        freer = _tried(replace(work, registers=number), REGISTERS.tries[:2])
        if Problem(freer.graph, freer.units).latency_bound() < best.schedule.latency:
            freer = _tried(freer, REGISTERS.tries[2:])
            if freer.schedule.latency < best.schedule.latency:
                best = freer
    return replace(best, schedule=with_improved_bounds(best.schedule))


UNITS = Choice("units", units, ("expand", "lower"), ("units", "architecture"))
HORNER = Choice("horner", horner, ("expand", "lower", "squares", "pair", "chains"), ("horner",))
SQUARERS = Choice("squarers", squarers, ("expand",), ("units",))
PAIRING = Choice("pairing", pairing, ("pair", "chains"), ("pairing",))
REGISTERS = Choice(
    "registers", registers, ("pair", "chains", "schedule"),
    ("registers", "pairing", "paired", "setup_graph", "graph", "schedule", "setup_schedule"),
)  # fmt: skip

_BEFORE: dict[str, tuple[Choice, ...]] = {"expand": (UNITS, HORNER, SQUARERS), "pair": (PAIRING,), "allocate": (REGISTERS,)}


def _steps() -> Iterator[Pass | Choice]:
    for one in PASSES:
        yield from _BEFORE.get(one.name, ())
        yield one


STEPS: tuple[Pass | Choice, ...] = tuple(_steps())
"""Passes and choices in the order in which a mode goes through them."""
