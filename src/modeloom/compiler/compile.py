# SPDX-License-Identifier: Apache-2.0
"""From a definition to a proved program: takes all sizes of a core through the steps of ``STEPS``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property, partial
from itertools import accumulate
from typing import Any

from modeloom import cycles
from modeloom.allocate.build import Allocation, CoreProgram, merge
from modeloom.allocate.build import allocate as allocate_storage
from modeloom.allocate.program import Program
from modeloom.ciphers import cipher_of
from modeloom.compiler.units import Architecture, unit_set
from modeloom.definition.check import INVERSES, NOT_CHECKED, Checked, check_definition
from modeloom.ir.expand import expand as expand_trace
from modeloom.ir.graph import OpGraph, Trace
from modeloom.ir.lower import Lowered, key_words, lower_direction, operation_kind
from modeloom.ir.lower import lower as lower_trace
from modeloom.ir.pair import find_chains, pair_directions, renew_squares
from modeloom.ir.trace import trace as trace_definition
from modeloom.options.sectors import Options, check_blocks
from modeloom.prove import ProofReport
from modeloom.prove import prove as prove_compiled
from modeloom.schedule.greedy import list_schedule
from modeloom.schedule.modulo import Schedule
from modeloom.schedule.modulo import schedule as search_schedule
from modeloom.schedule.networks import DEEP, PORT, SOURCE, Key, Networks, fewer_sources, least_sources
from modeloom.schedule.pairing import Pairing, choose_pairing, far_from_bound, own_bounds
from modeloom.schedule.problem import Problem, UnitSet, instance_of
from modeloom.schedule.search import latency_of
from modeloom.spec import InputError, Mode, checked_mode
from modeloom.spec.kinds import MUL, OUT, SQR, Kind

__all__ = [
    "Work",
    "PASSES", "SHARES", "STEPS", "Choice", "Compiled", "Pass", "Progress", "allocate", "chains", "compile_mode", "expand", "lower",
    "pair", "prove", "schedule", "squares", "trace",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Work:
    """The state of one sector size.  None stands for results that no pass has computed yet.

    Attributes
    ----------
    mode : Mode
    options : Options
        With this sector size alone.
    tweak_bytes, key_bytes : int
        Bytes of a tweak and of a cipher key.
    longest : int
        Bytes of the longest sector of the core.
    units, architecture
        Chosen for all sizes of the core.
    horner : int
        Chosen: interleaved chains of a Horner hash.
    registers : int
        Chosen: registers for each run of masks.
    lanes : bool
        Chosen: whether long sums add the results of each lane apart from those of others.
    rough : bool
        Whether a choice is only estimating: bounds of plain schedules are enough to pair by.
    pairing : Pairing
        Chosen: which operations of the directions issue together.
    source, expanded : Trace
        The trace of the definition; the same, rewritten into products.
    lowered, squared : Lowered
        Unit operations of each direction; the same with separate squares for each hash.
    paired : OpGraph
        Both directions in one graph.
    graph, setup_graph : OpGraph
        The same with chains of masks; set-up.
    schedule, setup_schedule : Schedule
    allocation : Allocation
    report : ProofReport
        The extent of the proof.
    checked : Checked
        The result of checking the definition itself.
    """

    mode: Mode
    options: Options
    tweak_bytes: int
    key_bytes: int
    longest: int
    units: UnitSet = None  # type: ignore[assignment]
    architecture: Architecture = None  # type: ignore[assignment]
    horner: int = 1
    registers: int = 1
    lanes: bool = False
    rough: bool = False
    pairing: Pairing = None  # type: ignore[assignment]
    source: Trace = None  # type: ignore[assignment]
    expanded: Trace = None  # type: ignore[assignment]
    lowered: Lowered = None  # type: ignore[assignment]
    squared: Lowered = None  # type: ignore[assignment]
    paired: OpGraph = None  # type: ignore[assignment]
    graph: OpGraph = None  # type: ignore[assignment]
    setup_graph: OpGraph = None  # type: ignore[assignment]
    schedule: Schedule = None  # type: ignore[assignment]
    setup_schedule: Schedule = None  # type: ignore[assignment]
    allocation: Allocation = None  # type: ignore[assignment]
    report: ProofReport | None = None
    checked: Checked = Checked(NOT_CHECKED, ())


# -- passes ----------------------------------------------------------------------------------------------------------------------------

# The passes: each takes the :class:`~modeloom.compiler.compile.Work` so far and returns one that holds more.
#
# No pass changes its argument.  ``modeloom explain --dump NAME`` prints what a pass has made.

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
            lambda kind: units.doing(kind).count, units.lanes if work.lanes else 1,
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


BANK_BLOCKS = 64
"""A bank of results of at most so many blocks is always a LUT memory.  It takes a LUT of six inputs for each bit and port, or four memories
of 16 words on ECP5.  A block memory would be worse there: on ECP5 its data come late in the cycle for the network behind it
(docs/model.md)."""


BUFFER_BLOCKS = 32
"""Largest buffer of blocks from the host, or for it, that is a LUT memory in any case: a LUT memory has 32 words, or 16."""


@dataclass(frozen=True)
class Storage:
    """What memories a core has.

    Attributes
    ----------
    inputs, outputs : str
        ``ram_style`` of input banks, and of result buffers that are not too large for LUTs: "distributed", "block", or "" for the choice of
        the tool for synthesis.
    above : int
        Input banks and result buffers of at most so many blocks for each lane are "distributed".
    results_above : int or None
        Banks of results of more than `BANK_BLOCKS` blocks are block memories if the longest sector has more blocks than this; None if they
        never are.
    registers : bool
        Whether banks of results and key memories of a few words are registers.
    """

    inputs: str
    outputs: str
    above: int
    results_above: int | None
    registers: bool

    def block_banks(self, blocks: int) -> bool:
        """Whether banks of results may be block memories, in a core whose longest sector has so many blocks."""
        return self.results_above is not None and blocks > self.results_above


STORAGES = {
    "lut": Storage("distributed", "distributed", 0, None, False),
    "bram": Storage("block", "distributed", BANK_BLOCKS, 0, False),
    "auto": Storage("", "", BUFFER_BLOCKS, BANK_BLOCKS, True),
}
"""The memories for each value of ``--storage``."""


def allocate(work: Work, progress: Progress) -> Work:
    """Storage, and the program."""
    words = work.setup_graph.key_names
    # Not all block memories give the old word while it is written.
    options = work.options
    rest = int(STORAGES[options.storage].block_banks(-(-work.longest // work.source.block_bytes)))
    tries, raw = options.wire_effort, len(work.source.raw_names)
    made = allocate_storage(work.expanded, work.schedule, work.setup_schedule, words, raw, rest, tries)
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
"""The passes in order.  ``STEPS`` has the choices between them, too."""


def nothing(share: float) -> None:
    """No progress to report."""


# -- choices ---------------------------------------------------------------------------------------------------------------------------

# What is chosen between the passes, by running some of them for each candidate; and the whole list of steps.
#
#     trace ▶ units ▶ horner ▶ squarers ▶ expand ▶ lower ▶ squares ▶ pairing ▶ pair ▶ chains ▶ schedule ▶ lanes ▶ registers ▶ networks ▶ …
#             tries   tries    tries                                 tries                                tries   tries       tries
#             expand  expand…  expand                                pair, chains                         lower … pairing …   allocate
#             lower   chains                                                                              schedule schedule

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


def lanes(works: tuple[Work, ...]) -> tuple[Work, ...]:
    """Sums within lanes where networks should have few sources, if no sector takes longer."""
    return tuple(_in_lanes(work) if work.options.wire_effort and work.units.lanes > 1 else work for work in works)


def _in_lanes(work: Work) -> Work:
    apart, before = _tried(replace(work, lanes=True), LANES.tries), work.schedule
    return apart if (apart.schedule.ii, apart.schedule.latency) <= (before.ii, before.latency) else work


def networks(works: tuple[Work, ...]) -> tuple[Work, ...]:
    """Places the operations of each size, and of its set-up, again for fewer sources of the networks that all sizes share."""
    tries, kept, done = works[0].options.wire_effort, list[Key](), []
    for work in works if tries else ():
        placed = []
        for one in (work.schedule, work.setup_schedule):
            problem, ii = one.problem, one.ii if one.overlap else 0
            end = max((start + unit.latency for start, unit in zip(one.start, problem.unit)), default=0)
            start, instance = fewer_sources(problem, ii, (one.start, one.instance), end, tries, kept)
            kept += Networks(problem, ii, start, instance).used
            placed.append(replace(one, start=start, instance=instance))
        found = [work, replace(work, schedule=placed[0], setup_schedule=placed[1])]
        done.append(min(found, key=lambda one: _wires(_tried(one, NETWORKS.tries).allocation.program)))
    return tuple(done) or works


def _wires(program: Program) -> float:
    """The weighted sources and read ports of a program."""
    ports = sum(bank.ports * -(-bank.cells // DEEP) for bank in program.banks.values())
    return sum(SOURCE * len(net.sources) + PORT * net.key_ports for net in program.nets.values()) + PORT * ports


UNITS = Choice("units", units, ("expand", "lower"), ("units", "architecture"))
HORNER = Choice("horner", horner, ("expand", "lower", "squares", "pair", "chains"), ("horner",))
SQUARERS = Choice("squarers", squarers, ("expand",), ("units",))
PAIRING = Choice("pairing", pairing, ("pair", "chains"), ("pairing",))
REGISTERS = Choice(
    "registers", registers, ("pair", "chains", "schedule"),
    ("registers", "pairing", "paired", "setup_graph", "graph", "schedule", "setup_schedule"),
)  # fmt: skip

LANES = Choice(
    "lanes", lanes, ("lower", "squares", "pair", "chains", "schedule"),
    ("lanes", "lowered", "squared", "pairing", "paired", "setup_graph", "graph", "schedule", "setup_schedule"),
)  # fmt: skip
NETWORKS = Choice("networks", networks, ("allocate",), ("schedule", "setup_schedule"))

_BEFORE: dict[str, tuple[Choice, ...]] = {"expand": (UNITS, HORNER, SQUARERS), "pair": (PAIRING,), "allocate": (LANES, REGISTERS, NETWORKS)}


def _steps() -> Iterator[Pass | Choice]:
    for one in PASSES:
        yield from _BEFORE.get(one.name, ())
        yield one


STEPS: tuple[Pass | Choice, ...] = tuple(_steps())
"""Passes and choices in the order in which a mode goes through them."""


# -- compiled --------------------------------------------------------------------------------------------------------------------------

# A compiled mode: the results of all passes, and the figures that ``explain`` prints.

SCHEMA = "modeloom-explain-1"


@dataclass
class Compiled:
    """A mode compiled for a unit set, with all intermediate results.

    Attributes
    ----------
    options : Options
        The options, completed for the cipher of the mode: its name, key size and registers in a round.
    source : Trace
        The trace of the definition.
    expanded : Trace
        The same, rewritten into products.
    lowered, squared : Lowered
        Unit operations of each direction; the same with separate squares for each hash.
    paired : OpGraph
        Both directions in one graph, before it has chains.
    graph, setup_graph : OpGraph
        Both directions, and set-up, as they are scheduled.
    schedule, setup_schedule : Schedule
    allocation : Allocation
    report : ProofReport or None
        The extent of the proof that the program computes the definition.
    proved : bool
        Whether this proof has passed.
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
    lowered: Lowered
    squared: Lowered
    paired: OpGraph
    graph: OpGraph
    setup_graph: OpGraph
    schedule: Schedule
    setup_schedule: Schedule
    allocation: Allocation
    report: ProofReport | None = None
    proved: bool = False
    checked: Checked = Checked(NOT_CHECKED, ())
    others: tuple[Compiled, ...] = ()

    @classmethod
    def of(cls, works: Sequence[Work], options: Options) -> Compiled:
        """Makes a compiled mode from the results of the passes for all sizes.  The first size represents the core."""
        first, *others = (cls._one(work) for work in works)
        return replace(first, options=options, others=tuple(others))

    @classmethod
    def _one(cls, work: Work) -> Compiled:
        made = {f.name: getattr(work, f.name) for f in fields(cls) if f.name not in ("proved", "others")}
        return cls(**made, proved=work.report is not None)

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
        """Blocks in the result buffer, with room for every sector in flight, as the pipeline never stalls, and for one that leaves."""
        return self.result_sectors * max(compiled.source.blocks for compiled in self.sizes)

    @property
    def result_sectors(self) -> int:
        """Sectors that the result buffer holds: enough for sectors of each size to follow each other without a pause."""
        return max(cycles.ring_depth(c.schedule.latency + cycles.LEAD + cycles.RING_MARGIN, c.schedule.ii, c.beats) for c in self.sizes)

    @property
    def beats(self) -> int:
        """Beats of a sector on the data buses."""
        return -(-self.source.blocks // self.units.lanes)

    @property
    def warnings(self) -> list[str]:
        """What is allowed in the definition but probably not intended, one line each, for all sizes."""
        return list(dict.fromkeys(text for one in self.sizes for text in one.checked.warnings))

    def networks(self) -> dict[str, int]:
        """Sources of all networks, read ports, and a number of sources that no placement undercuts."""
        program, problem = self.allocation.program, self.schedule.problem
        setup = Networks(self.setup_schedule.problem, 0, self.setup_schedule.start, self.setup_schedule.instance).used
        return {
            "sources": sum(len(net.sources) for net in program.nets.values()), "least": least_sources(problem, setup),
            "bank_ports": sum(bank.ports for bank in program.banks.values()),
            "key_ports": sum(net.key_ports for net in program.nets.values()),
        }  # fmt: skip

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
                unit.kind: {
                    "count": unit.count, "latency": unit.latency, "interval": unit.every, **unit.cadence.described,
                }
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
            **({"networks": self.networks()} if self.options.wire_effort else {}),
            **({"more_sizes": [one.explain() for one in self.others]} if self.others else {}),
        }


# -- compile ---------------------------------------------------------------------------------------------------------------------------

SHARES = {one.name: one.share for one in PASSES}
"""Passes in their order, and their share of the time of a long compilation, roughly."""


def compile_mode(
    mode: Mode | type[Mode],
    options: Options,
    *,
    prove: bool = True,
    progress: Callable[[str, float], None] = lambda step, done: None,
) -> Compiled:
    """Compiles a mode, given as an instance or a class.  Raises ``InputError`` if it cannot be built.

    Parameters
    ----------
    prove : bool
        Whether to run the checkers and the proof.  A failure raises ``prove.ProofError``.  The definition is checked before, in
        all its directions, whichever are built.  This may raise ``DefinitionError``.
    progress : callable
        Called with the name of a pass and the share of the whole work that is done, from 0 to 1: when a pass begins, and several
        times in the search for a schedule.
    """
    mode = checked_mode(mode)
    chosen = cipher_of(mode, options.cipher)
    options = options.of(mode).on(chosen)
    mode.check_key_bits(options.key_bits or 0)
    tweak = mode.tweak_sizes[0] if options.tweak is None else options.tweak
    sizes = options.sectors
    for size in sizes:
        mode.check_sector(size)
    check_blocks(mode, sizes)
    mode.check_tweak(tweak, core=True)
    key_bytes = (options.key_bits or 0) // 8
    works = tuple(
        Work(mode=mode, options=replace(options, sector=size, more_sectors=()), tweak_bytes=tweak, key_bytes=key_bytes,
             longest=max(sizes))
        for size in sizes
    )
    begins = dict(zip(SHARES, accumulate(SHARES.values(), initial=0.0)))
    for step in STEPS:
        if isinstance(step, Choice):
            works = step.run(works)
        elif prove or step.name != "prove":
            bytes_done, done = 0, []
            for work in works:
                report = partial(_report, progress, step.name, begins[step.name], step.share, bytes_done, work.options.sector, sum(sizes))
                report(0.0)
                done.append(step.run(work, report))
                bytes_done += work.options.sector
            works = tuple(done)
        if step.name == "trace" and prove:
            works = tuple(_checked(work) for work in works)
    return Compiled.of(works, options)


def _report(
    progress: Callable[[str, float], None], name: str, begin: float, length: float, before: int, own: int, total: int, share: float
) -> None:
    """Reports the share of a pass that is done for a size of ``mine`` bytes, after sizes of ``before`` bytes of all."""
    progress(name, begin + length * (before + share * own) / total)


def _checked(work: Work) -> Work:
    """Checks the definition itself."""
    checked = check_definition(work.mode, work.options.sector, work.tweak_bytes, work.key_bytes, work.options.cipher)
    return replace(work, checked=checked)
