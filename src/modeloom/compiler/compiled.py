# SPDX-License-Identifier: Apache-2.0
"""A compiled mode: the results of all passes, and the figures that ``explain`` prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import Any

from modeloom import cycles
from modeloom.allocate.build import Allocation
from modeloom.allocate.merge import CoreProgram, merge
from modeloom.compiler.units import Architecture
from modeloom.compiler.work import Work
from modeloom.definition.check import INVERSES, NOT_CHECKED, Checked
from modeloom.ir.graph import Trace
from modeloom.ir.lower import Lowered
from modeloom.ir.ops import OpGraph
from modeloom.options.sectors import Options
from modeloom.prove import ProofReport
from modeloom.schedule.modulo import Schedule
from modeloom.schedule.pairing import far_from_bound, own_bounds
from modeloom.schedule.units import UnitSet
from modeloom.spec import Mode

__all__ = ["Compiled"]

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
        return max(
            cycles.ring_depth(c.schedule.latency + cycles.LEAD + cycles.RING_MARGIN, c.schedule.ii, c.beats) for c in self.sizes
        )

    @property
    def beats(self) -> int:
        """Beats of a sector on the data buses."""
        return -(-self.source.blocks // self.units.lanes)

    @property
    def warnings(self) -> list[str]:
        """What is allowed in the definition but probably not intended, one line each, for all sizes."""
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
            **({"more_sizes": [one.explain() for one in self.others]} if self.others else {}),
        }
