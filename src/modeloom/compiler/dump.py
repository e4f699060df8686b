# SPDX-License-Identifier: Apache-2.0
"""Stable text of the result of every pass."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from modeloom.allocate.build import place_name
from modeloom.allocate.program import listing
from modeloom.compiler.compile import Compiled
from modeloom.ir.graph import Op, OpGraph, Trace, form_text
from modeloom.ir.lower import Lowered
from modeloom.schedule.modulo import Schedule
from modeloom.spec import UnknownName

__all__ = [
    "DUMPS", "dump", "dump_names", "graph_text", "lowered_text", "node_lines", "operation_text", "proof_text", "schedule_text",
    "trace_text",
]  # fmt: skip


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


def trace_text(trace: Trace, title: str = "trace") -> str:
    """The nodes of a trace, with their lines of the definition, and what leaves."""
    text = [f"{title} {trace.mode}: sectors of {trace.nbytes} bytes, tweaks of {trace.tweak_bytes}, {len(trace.nodes)} nodes"]
    text += [*node_lines(trace), *(f"{direction}: {' '.join(f'n{i}' for i in outputs)}" for direction, outputs in trace.outputs.items())]
    return "\n".join(text) + "\n"


def node_lines(trace: Trace) -> Iterator[str]:
    """The nodes of a trace, with their lines of the definition."""
    for node in trace.nodes:
        places = [f"n{arg}" if i < len(node.inputs) else str(arg) for i, arg in enumerate(node.args)]
        name = f"    {trace.key_names[node.id]}" if node.id in trace.key_names else ""
        yield f"  n{node.id} = {node.kind}({', '.join(places)}){name}" + (f"    ; line {node.line}" if node.line else "")


def lowered_text(name: str, lowered: Lowered) -> str:
    """The operations of set-up and of each direction, before these are one graph."""
    text = [f"operations {name}: {', '.join(lowered.key_names) or 'no'} key words"]
    for direction, ops in ({"setup": lowered.setup} | lowered.directions).items():
        text.append(f"{direction}:")
        text += [f"  {operation_text(number, op)}" for number, op in enumerate(ops)]
    return "\n".join(text) + "\n"


def proof_text(compiled: Compiled) -> str:
    """The extent of a proof."""
    name = f"proof {compiled.mode.name}: sectors of {compiled.source.nbytes} bytes"
    if compiled.report is None:
        return f"{name}, not run\n"
    done = compiled.report
    return (
        f"{name}\n  graph = definition: {done.monomials} monomials in normal forms\n"
        f"  program = graph: {done.sectors} sectors in {done.cycles} cycles on symbols\n"
        f"  directions inverse to each other: {compiled.checked.inverse}\n"
    )


def _each(text: Callable[[Compiled], str]) -> Callable[[Compiled], str]:
    """The same of every sector size."""
    return lambda compiled: "\n".join(text(one) for one in compiled.sizes)


DUMPS: dict[str, Callable[[Compiled], str]] = {
    "trace": _each(lambda compiled: trace_text(compiled.source)),
    "expand": _each(lambda compiled: trace_text(compiled.expanded, "products")),
    "lower": _each(lambda compiled: lowered_text(compiled.source.mode, compiled.lowered)),
    "squares": _each(lambda compiled: lowered_text(compiled.source.mode, compiled.squared)),
    "pair": _each(lambda compiled: graph_text(compiled.paired)),
    "chains": _each(lambda compiled: graph_text(compiled.setup_graph) + graph_text(compiled.graph)),
    "graph": lambda compiled: graph_text(compiled.setup_graph) + graph_text(compiled.graph),
    "schedule": lambda compiled: schedule_text(compiled.setup_schedule) + schedule_text(compiled.schedule),
    "allocate": _each(lambda compiled: listing(compiled.allocation.program)),
    "program": _each(lambda compiled: listing(compiled.allocation.program)),
    "prove": _each(proof_text),
}
"""A text of what each pass has made; "graph" is that of "chains" for the first size, "program" that of "allocate"."""


def dump(compiled: Compiled, name: str) -> str:
    """The text of what a pass has made."""
    return DUMPS[name](compiled)


def dump_names(text: str, known: Collection[str] = DUMPS) -> list[str]:
    """The dumps that a list with commas names, of those that are ``known``.  Raises ``UnknownName``."""
    names = [name.strip() for name in text.split(",")] if text else []
    for name in names:
        if name not in known:
            raise UnknownName("dump", name, known)
    return names
