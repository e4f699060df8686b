# SPDX-License-Identifier: Apache-2.0
"""From a definition to a proved program: trace, expand, lower, pair, schedule, allocate, check, prove."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import accumulate
from typing import Any

from modeloom import cycles
from modeloom.allocate.build import Allocation, allocate
from modeloom.allocate.merge import CoreProgram, merge
from modeloom.ciphers import cipher_of
from modeloom.compiler.limits import check_blocks
from modeloom.compiler.options import Options
from modeloom.compiler.units import Architecture, unit_set
from modeloom.definition.check import INVERSES, NOT_CHECKED, Checked, check_definition
from modeloom.ir.expand import expand
from modeloom.ir.lower import key_words, lower_direction, lower_setup, operation_kind
from modeloom.ir.ops import OpGraph
from modeloom.ir.pair import pair_directions
from modeloom.ir.squares import renew_squares
from modeloom.ir.trace import Trace, trace
from modeloom.schedule.greedy import list_schedule
from modeloom.schedule.modulo import Schedule, schedule
from modeloom.schedule.pairing import far_from_bound, own_bounds, pair_by_bound
from modeloom.schedule.problem import Problem
from modeloom.schedule.search import latency_of
from modeloom.schedule.units import UnitSet
from modeloom.spec import InputError, Mode, checked_mode
from modeloom.spec.kinds import MUL, OUT, SQR, Kind

__all__ = ["Compiled", "compile_mode"]

SCHEMA = "modeloom-explain-1"

CHAINS = (6, 8, 10, 12, 16, 20)
"""Numbers of Horner chains that are compared, in tenths of multipliers times latency: with fewer chains multipliers wait for their
own results, with more the sum of the chains and the key memory grow."""

MASK_REGISTERS = (2, 4)
"""Registers for each run of masks that an exact plain schedule is tried with, after one."""

PROBE = 16
"""Blocks of a sector in which every mode that squares key values does so."""

WORTH = 0.02
"""Share of the latency that is not worth more chains."""

SHARES = {"trace": 0.01, "lower": 0.1, "schedule": 0.7, "allocate": 0.04, "prove": 0.15}
"""Steps in their order, and their share of the time of a long compilation, roughly."""


@dataclass
class Compiled:
    """A mode compiled for a unit set, with everything on the way.

    Attributes
    ----------
    options : Options
        As they are for the mode's cipher: its name, key size and registers a round are filled in.
    source : Trace
        The definition as traced.
    expanded : Trace
        The same in products.
    graph, setup_graph : OpGraph
        Unit operations.
    schedule, setup_schedule : Schedule
    allocation : Allocation
    proved : bool
        Whether the proof that the program computes the definition has passed.
    checked : Checked
        Whether each direction of the definition is the inverse of the other, "proved", "tested", "one direction" (the mode has no other)
        or "not checked"; and warnings.
    others : tuple of Compiled
        The mode for the further sector sizes of the core; each is compiled and proved by itself.
    """

    mode: Mode
    options: Options
    units: UnitSet
    architecture: Architecture
    source: Trace
    expanded: Trace
    graph: OpGraph
    setup_graph: OpGraph
    schedule: Schedule
    setup_schedule: Schedule
    allocation: Allocation
    proved: bool = False
    checked: Checked = Checked(NOT_CHECKED, ())
    others: tuple[Compiled, ...] = ()

    @property
    def sizes(self) -> tuple[Compiled, ...]:
        """The mode for each sector size of the core."""
        return (self, *self.others)

    @cached_property
    def core_program(self) -> CoreProgram:
        """The programs of all sizes, for one engine."""
        return merge([compiled.allocation.program for compiled in self.sizes])

    @property
    def output_blocks(self) -> int:
        """Blocks of the result buffer: a place for every sector in flight, as the pipeline never stalls, and one that leaves."""
        return self.result_sectors * max(compiled.source.blocks for compiled in self.sizes)

    @property
    def result_sectors(self) -> int:
        """Sectors that the result buffer holds: enough for sectors of each size to follow each other without a pause."""
        return max(
            cycles.ring_depth(c.schedule.latency + cycles.LEAD + cycles.RING_MARGIN, c.schedule.ii, c.beats) for c in self.sizes
        )

    @property
    def beats(self) -> int:
        """Beats of a sector on the data buses."""
        return -(-self.source.blocks // self.units.lanes)

    @property
    def warnings(self) -> list[str]:
        """What is allowed in the definition and hardly meant, a line each, of all sizes."""
        return list(dict.fromkeys(text for one in self.sizes for text in one.checked.warnings))

    def explain(self) -> dict[str, Any]:
        """The figures of ``modeloom explain --json``."""
        problem = self.schedule.problem
        bound = problem.ii_bound() if self.options.overlap else self.schedule.ii
        own = dict(own_bounds(problem, self.schedule.ii if self.options.overlap else 0))
        reason = far_from_bound(self.schedule, self.source.blocks)
        return {
            "schema": SCHEMA,
            "mode": self.mode.name,
            "sector_bytes": self.source.nbytes,
            "blocks": self.source.blocks,
            "tweak_bytes": self.source.tweak_bytes,
            "key_bits": self.options.key_bits,
            "directions": list(self.options.directions),
            "units": {
                unit.kind: {"count": unit.count, "latency": unit.latency, "interval": unit.interval}
                for unit in self.units.units
                if unit.count
            },
            "uses": {k: v for k, v in problem.uses().items() if not k.type.leaves},
            "overlap": self.options.overlap,
            "cycles_per_sector": self.schedule.ii if self.options.overlap else self.schedule.latency,
            "latency": self.schedule.latency,
            "latency_bound": max(own.values()),
            "latency_bounds": own,
            "pairing_bound": self.schedule.latency_bound,
            "latency_pins": cycles.latency_pins(self.schedule.latency, self.beats),
            "first_output": self.schedule.first_output,
            "ii": self.schedule.ii,
            "ii_bound": bound,
            "optimal": self.schedule.latency <= max(own.values()),
            "optimal_of_pairing": self.schedule.optimal,
            **({"exact": asdict(self.schedule.exact)} if self.schedule.exact else {}),
            **({"latency_reason": reason} if reason else {}),
            "storage_blocks": self.allocation.storage_blocks,
            "storage_bound": self.allocation.storage_bound,
            "input_blocks": self.allocation.input_blocks,
            "output_blocks": self.output_blocks,
            "key_words": len(self.allocation.program.key_words),
            "setup_cycles": self.setup_schedule.latency,
            "proved": all(one.proved for one in self.sizes),
            "inverse": max((one.checked.inverse for one in self.sizes), key=INVERSES.index),
            "warnings": self.warnings,
            **({"more_sizes": [one.explain() for one in self.others]} if self.others else {}),
        }


def compile_mode(
    mode: Mode,
    options: Options,
    *,
    prove: bool = True,
    progress: Callable[[str, float], None] = lambda step, done: None,
) -> Compiled:
    """Compiles a mode, an instance or a class; raises ``InputError`` for what cannot be built.

    Parameters
    ----------
    prove : bool
        Whether to run the checkers and the proof; a failure raises ``prove.ProofError``.  The definition is checked first,
        in all its directions, whichever are built; it may raise ``DefinitionError``.
    progress : callable
        Called with the name of a step and the share of the whole work that is done, from 0 to 1: when a step begins, and several
        times in the search for a schedule.
    """
    mode = checked_mode(mode)
    chosen = cipher_of(mode, options.cipher)
    options = options.of(mode).on(chosen)
    mode.check_key_bits(options.key_bits or 0)
    tweak = mode.tweak_sizes[0] if options.tweak is None else options.tweak
    sizes = (options.sector, *options.more_sectors)
    for size in sizes:
        mode.check_sector(size)
    check_blocks(mode, sizes)
    mode.check_tweak(tweak, core=True)
    progress("trace", 0.0)
    sources = [trace(mode, size, tweak, options.directions, (options.key_bits or 0) // 8) for size in sizes]
    key_bytes = (options.key_bits or 0) // 8
    checked = [check_definition(mode, size, tweak, key_bytes, options.cipher) if prove else Checked(NOT_CHECKED, ()) for size in sizes]
    uses = [_uses(source, options) for source in sources]
    units, architecture = unit_set(options, chosen, [counts for counts, _ in uses], set().union(*(setup for _, setup in uses)))
    progress("lower", 0.0)
    chains = [_best_chains(source, options, units) for source in sources]
    if options.squares == "fly" and not any(_squares(source, n) for source, n in zip(sources, chains)):
        _check_squares(mode, tweak)
        units = units.with_count(SQR.unit, 0)
    blocks = [source.blocks for source in sources]
    compiled = []
    for number, source in enumerate(sources):

        def part(step: str, share: float, number: int = number) -> None:
            progress(step, (sum(blocks[:number]) + share * blocks[number]) / sum(blocks))

        one = replace(options, sector=sizes[number], more_sectors=())
        made = _compile(mode, one, source, units, architecture, chains[number], prove, part)
        compiled.append(replace(made, checked=checked[number]))
    return replace(compiled[0], options=options, others=tuple(compiled[1:]))


def _compile(
    mode: Mode, options: Options, source: Trace, units: UnitSet, architecture: Architecture, chains: int, prove: bool,
    progress: Callable[[str, float], None],
) -> Compiled:  # fmt: skip
    """The mode for one sector size, with a number of Horner chains."""
    begins = dict(zip(SHARES, accumulate(SHARES.values(), initial=0.0)))

    def report(step: str, share: float = 0.0) -> None:
        progress(step, begins[step] + share * SHARES[step])

    report("lower")
    expanded, problem, setup_graph = _lower(source, options, units, chains)
    words = setup_graph.key_names
    report("schedule")
    own_bounds(problem, problem.ii_bound() if options.overlap else 0)
    main = schedule(problem, overlap=options.overlap, restarts=options.restarts, progress=partial(report, "schedule"))
    if options.exact:
        from modeloom.schedule.exact import improve, improve_bounds

        main = improve(problem, main)
        for registers in () if options.overlap or main.latency <= problem.latency_bound() else MASK_REGISTERS:
            # Masks in another order than that of the blocks need more registers, which must pay.
            freer = _lower(source, options, units, chains, registers)
            if freer[1].latency_bound() < main.latency:
                other = improve(freer[1], schedule(freer[1], overlap=False, restarts=options.restarts))
                if other.latency < main.latency:
                    main, (expanded, problem, setup_graph) = other, freer
        improve_bounds(main)
    # Key words leave one a cycle, whatever the lanes: the key memory has one write port.
    setup = schedule(Problem(setup_graph, units.with_count(OUT.unit, 1)), overlap=False, restarts=0)
    report("allocate")
    # Not all block memories give the old word while it is written.
    allocation = allocate(expanded, main, setup, words, len(source.raw_names), rest=int(options.storage == "bram"))
    result = Compiled(
        mode, options, units, architecture, source, expanded, problem.graph, setup_graph, main, setup, allocation
    )
    if prove:
        from modeloom.prove import prove as run_proof

        report("prove")
        run_proof(result)
        result.proved = True
    return result


def _best_chains(source: Trace, options: Options, units: UnitSet) -> int:
    """The fewest Horner chains whose plain list schedule is about the shortest."""
    longest = max((len(node.args) - 2 for node in source.nodes if node.kind == "poly"), default=1)
    busy = units.unit(MUL.unit).latency * units.unit(MUL.unit).count if units.has(MUL.unit) else 1
    numbers = sorted({max(1, min(busy * share // 10, longest)) for share in CHAINS}) if longest > 1 else [1]
    if len(numbers) == 1:
        return numbers[0]
    found = []
    for chains in numbers:
        problem = _lower(source, options, units, chains, rough=True)[1]
        placement = list_schedule(problem, 0)
        found.append((latency_of(problem, placement[0]) if placement else problem.latency_bound(), chains))
    enough = min(found)[0] * (1 + WORTH)
    return next(chains for latency, chains in found if latency <= enough)


def _lower(
    source: Trace, options: Options, units: UnitSet, chains: int, registers: int = 1, rough: bool = False
) -> tuple[Trace, Problem, OpGraph]:
    """The definition in products with a number of Horner chains, the problem of a sector and the graph of set-up.

    ``registers`` share each run of masks (``ir.pair.find_chains``); ``rough`` as for ``schedule.pairing.pair_by_bound``.
    """
    expanded = expand(source, chains, units.has(SQR.unit))
    order, names = key_words(expanded)

    def latency(kind: Kind) -> int:
        return units.doing(kind).latency

    def count(kind: Kind) -> int:
        return units.doing(kind).count

    sequences = {d: renew_squares(lower_direction(expanded, d, names, units.terms, latency, count)) for d in options.directions}
    problem = pair_by_bound(source.mode, sequences, units, overlap=options.overlap, registers=registers, rough=rough)
    setup_graph = pair_directions(source.mode, {"setup": lower_setup(expanded, order, names, units.terms, latency)})
    problem.graph.key_names = [*source.raw_names, *(names[i] for i in order)]
    setup_graph.key_names = list(problem.graph.key_names)
    setup_graph.nonzero = tuple(names[i] for i in expanded.nonzero)
    setup_graph.derived = tuple(tuple(names[i] for i in blocks) for blocks in expanded.derived)
    return expanded, problem, setup_graph


def _squares(source: Trace, chains: int) -> bool:
    """Whether a sector reads a square of a key value."""
    expanded = expand(source, chains, True)
    nodes = expanded.nodes
    read = [i for node in nodes if not node.key_only for i in node.inputs]
    return any(nodes[i].of_keys for i in (*read, *(i for outputs in expanded.outputs.values() for i in outputs)))


def _check_squares(mode: Mode, tweak: int) -> None:
    """Raises ``InputError`` if even a long sector reads no square of a key value: squaring units are for other modes."""
    blocks = min(mode.max_blocks or PROBE, PROBE)
    probe = trace(mode, max(blocks * mode.block_bytes, mode.min_bytes), tweak)
    if not _squares(probe, 2):
        raise InputError(f"--squares fly: {mode.name} reads no square of a key value; choose --squares setup")


def _uses(source: Trace, options: Options) -> tuple[dict[str, dict[Kind, int]], set[Kind]]:
    """Operations of each kind in each direction, and kinds of those of set-up, before a unit set is chosen: a rough lowering."""
    expanded = expand(source, 1, options.squares == "fly")
    names = key_words(expanded)[1]
    uses: dict[str, dict[Kind, int]] = {}
    for direction in options.directions:
        counts: dict[Kind, int] = {}
        for op in lower_direction(expanded, direction, names, options.terms, lambda kind: 1):
            counts[op.kind] = counts.get(op.kind, 0) + 1
        uses[direction] = counts
    # Where squarers turn out to be of no use, set-up squares with a multiplier.
    plain = expand(source, 1)
    return uses, {operation_kind(plain, plain.nodes[i]) for i in (*key_words(plain)[0], *plain.scratch) if plain.nodes[i].worded}
