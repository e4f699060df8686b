# SPDX-License-Identifier: Apache-2.0
"""A mode for one sector size on its way through the passes: what is given, what was chosen, and the results of the passes."""

from __future__ import annotations

from dataclasses import dataclass

from modeloom.allocate.build import Allocation
from modeloom.compiler.units import Architecture
from modeloom.definition.check import NOT_CHECKED, Checked
from modeloom.ir.graph import OpGraph, Trace
from modeloom.ir.lower import Lowered
from modeloom.options.sectors import Options
from modeloom.prove import ProofReport
from modeloom.schedule.modulo import Schedule
from modeloom.schedule.pairing import Pairing
from modeloom.schedule.problem import UnitSet
from modeloom.spec import Mode

__all__ = ["Work"]


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
    units, architecture
        Chosen for all sizes of the core.
    horner : int
        Chosen: interleaved chains of a Horner hash.
    registers : int
        Chosen: registers for each run of masks.
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
    units: UnitSet = None  # type: ignore[assignment]
    architecture: Architecture = None  # type: ignore[assignment]
    horner: int = 1
    registers: int = 1
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
