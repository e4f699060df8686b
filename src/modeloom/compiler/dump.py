# SPDX-License-Identifier: Apache-2.0
"""Stable text of every stage: the graph, the schedule, the program."""

from __future__ import annotations

from collections.abc import Callable

from modeloom.allocate.lifetimes import place_name
from modeloom.allocate.listing import listing
from modeloom.compiler.compile import Compiled
from modeloom.ir.ops import Op, OpGraph, form_text
from modeloom.schedule.modulo import Schedule
from modeloom.spec import UnknownName

__all__ = ["DUMPS", "dump", "dump_names", "graph_text", "operation_text", "schedule_text"]


def operation_text(number: int, op: Op) -> str:
    """One operation, with its line of the definition."""
    operands = ", ".join(form_text(form) for form in op.pre)
    text = f"%{number} = {op.kind}({operands}{f', {op.number}' if op.number else ''})"
    if op.leaves:
        text = f"{'word ' if isinstance(op.index, str) else 'C'}{op.index} = {operands}"
    if op.keep:
        text += f" cut to {op.keep} bytes" if op.keep > 0 else f" without its first {-op.keep} bytes"
    if op.post:
        text += f" ⊕ {form_text(op.post)}"
    return text + (f"    ; line {op.line}" if op.line else "")


def graph_text(graph: OpGraph) -> str:
    """The operations of each direction."""
    text = [f"graph {graph.name}: {' and '.join(graph.directions)}, {len(graph.pairs)} operations"]
    for chain in graph.chains:
        bases = {d: form_text((term,)) for d, term in chain.base.items()}
        base = " | ".join(f"{d}: {form}" for d, form in bases.items()) if len(set(bases.values())) > 1 else bases.popitem()[1]
        text.append(f"  c{chain.id} = {base} stepping by x^{chain.stride}, {chain.length} steps")
    for direction in graph.directions:
        text.append(f"{direction}:")
        for number, op in graph.ops(direction):
            text.append(f"  {operation_text(number, op)}")
    return "\n".join(text) + "\n"


def schedule_text(schedule: Schedule) -> str:
    """Start cycle, slot and unit of every operation, in the order of time."""
    problem = schedule.problem
    kind = "overlapped" if schedule.overlap else "plain"
    lines = [
        f"schedule {problem.graph.name}: {' and '.join(problem.graph.directions)}, {kind}, "
        f"interval {schedule.ii}, latency {schedule.latency} (bound {schedule.latency_bound})",
        "cycle  slot  stage  unit       operation",
    ]
    for i in sorted(range(len(schedule.start)), key=lambda i: (schedule.start[i], i)):
        start, pair = schedule.start[i], problem.graph.pairs[i]
        unit = place_name(problem.unit[i].kind, schedule.instance[i])
        cores = "/".join(sorted({op.kind for op in pair.ops.values()}, reverse=True))
        lines.append(f"{start:>5}  {start % schedule.ii:>4}  {start // schedule.ii:>5}  {unit:<9}  %{i} {cores}")
    return "\n".join(lines) + "\n"


DUMPS: dict[str, Callable[[Compiled], str]] = {
    "graph": lambda compiled: graph_text(compiled.setup_graph) + graph_text(compiled.graph),
    "schedule": lambda compiled: schedule_text(compiled.setup_schedule) + schedule_text(compiled.schedule),
    "program": lambda compiled: "\n".join(listing(one.allocation.program) for one in compiled.sizes),
}


def dump(compiled: Compiled, name: str) -> str:
    """The text of one stage: "graph", "schedule" or "program"."""
    return DUMPS[name](compiled)


def dump_names(text: str) -> list[str]:
    """The dumps that a list with commas names; raises ``UnknownName``."""
    names = [name.strip() for name in text.split(",")] if text else []
    for name in names:
        if name not in DUMPS:
            raise UnknownName("dump", name, DUMPS)
    return names
