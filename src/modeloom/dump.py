# SPDX-License-Identifier: Apache-2.0
"""Stable text of every stage: the graph, the schedule, the program."""

from __future__ import annotations

from collections.abc import Callable

from modeloom.allocate.listing import listing
from modeloom.compiler import Compiled
from modeloom.ir.ops import OpGraph, form_text
from modeloom.schedule.modulo import Schedule

__all__ = ["DUMPS", "dump", "graph_text", "schedule_text"]


def graph_text(graph: OpGraph) -> str:
    """The operations of each direction."""
    lines = [f"graph {graph.name}: {' and '.join(graph.directions)}, {len(graph.pairs)} operations"]
    for chain in graph.chains:
        bases = {d: form_text((term,)) for d, term in chain.base.items()}
        lines.append(f"  c{chain.id} = {bases} stepping by x^{chain.stride}, {chain.length} steps")
    for direction in graph.directions:
        lines.append(f"{direction}:")
        for number, op in graph.ops(direction):
            operands = ", ".join(form_text(form) for form in op.pre)
            text = f"  %{number} = {op.kind}({operands})"
            if op.kind == "out":
                text = f"  {'word ' if isinstance(op.index, str) else 'C'}{op.index} = {operands}"
            if op.keep:
                text += f" cut to {op.keep} bytes"
            if op.post:
                text += f" ⊕ {form_text(op.post)}"
            lines.append(f"{text}    ; line {op.line}")
    return "\n".join(lines) + "\n"


def schedule_text(schedule: Schedule) -> str:
    """Start cycle, slot and unit of every operation, in the order of time."""
    problem = schedule.problem
    lines = [
        f"schedule {problem.graph.name}: {'overlapped' if schedule.overlap else 'plain'}, interval {schedule.ii}, "
        f"latency {schedule.latency} (bound {problem.latency_bound()})",
        "cycle  slot  stage  unit       operation",
    ]
    for i in sorted(range(len(schedule.start)), key=lambda i: (schedule.start[i], i)):
        start, pair = schedule.start[i], problem.graph.pairs[i]
        unit = f"{problem.unit[i].kind}{schedule.instance[i]}"
        cores = "/".join(sorted({op.kind for op in pair.ops.values()}, reverse=True))
        lines.append(f"{start:>5}  {start % schedule.ii:>4}  {start // schedule.ii:>5}  {unit:<9}  %{i} {cores}")
    return "\n".join(lines) + "\n"


DUMPS: dict[str, Callable[[Compiled], str]] = {
    "graph": lambda compiled: graph_text(compiled.setup_graph) + graph_text(compiled.graph),
    "schedule": lambda compiled: schedule_text(compiled.setup_schedule) + schedule_text(compiled.schedule),
    "program": lambda compiled: listing(compiled.allocation.program),
}


def dump(compiled: Compiled, name: str) -> str:
    """The text of one stage: "graph", "schedule" or "program"."""
    return DUMPS[name](compiled)
