# SPDX-License-Identifier: Apache-2.0
"""Stable text of the result of every pass."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from modeloom.allocate.build import place_name
from modeloom.allocate.program import listing
from modeloom.compiler.compile import Compiled
from modeloom.compiler.streams import CompiledStream
from modeloom.ir.graph import Op, OpGraph, Trace, form_text
from modeloom.ir.lower import Lowered
from modeloom.schedule.modulo import Schedule
from modeloom.spec import UnknownName
from modeloom.spec.counters import Amount
from modeloom.streams.plan import PASSES, StreamPlan
from modeloom.streams.steps import Form, Step, Term, key_word
from modeloom.streams.trace import Known, StreamTrace

__all__ = [
    "DUMPS", "STREAM_DUMPS", "dump", "dump_names", "graph_text", "lowered_text", "node_lines", "operation_text", "proof_text",
    "schedule_text", "trace_text",
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


# -- passes of a stream mode -----------------------------------------------------------------------------------------------------------


def stream_trace_text(trace: StreamTrace) -> str:
    """The nodes of a trace, with their lines of the definition, and what each step makes of the state and gives."""
    text = [f"trace {trace.mode}: state {' '.join(trace.state)}, {len(trace.nodes)} nodes", *node_lines(trace)]
    for step in trace.steps:
        made = [f"{name} n{node}" for name, node in step.updates.items()]
        made += [f"{name} n{node}" for name, node in (("output", step.output), ("second", step.second)) if node is not None]
        text.append(f"{step.name}{f' {step.nonce_class}' * bool(step.nonce_class)}: {', '.join(made)}")
    return "\n".join(text) + "\n"


def sum_text(trace: StreamTrace, form: Form) -> str:
    """A sum of terms."""
    return " ⊕ ".join(_term(trace, term) for term in form) or "0"


def _term(trace: StreamTrace, term: Term) -> str:
    kind, what = term.source
    if kind == "key" and isinstance(what, int):
        text = key_word(trace, what)
    elif kind == "word" and isinstance(what, tuple):
        text = key_word(trace, what[0]) + f"^{what[1]}" * (what[1] > 1)
    elif kind in ("state", "left"):
        text = str(what) + "'" * (kind == "left")
    else:
        text = f"%{what}" if kind == "op" else f"{what:#x}" if kind == "const" else kind + _given(trace, what)
    for name, *numbers in term.maps:
        text = f"{name}({', '.join([text, *(_number(trace, each) for each in numbers)])})"
    return text


def _given(trace: StreamTrace, what: object) -> str:
    """The rest of the name of a source."""
    if what is None:
        return ""
    return f"({', '.join(_number(trace, each) for each in what)})" if isinstance(what, tuple) else f" {what}"


def _number(trace: StreamTrace, number: object) -> str:
    if isinstance(number, Known):
        return f"table of {' and '.join(number.names) or 'one'}"
    if not isinstance(number, Amount):
        return str(number)
    of = f" of {sum_text(trace, number.what)}" if number.kind == "bits" and isinstance(number.what, tuple) else ""
    return f"{number.kind}[{number.bits}]{of}" + f" + {number.plus}" * bool(number.plus)


def _step_lines(trace: StreamTrace, step: Step) -> Iterator[str]:
    yield f"{step.title}:"
    for number, one in enumerate(step.operations):
        operands = ", ".join(sum_text(trace, form) for form in one.operands)
        line = f"    ; line {one.line}" if one.line else ""
        yield f"  %{number} = {one.operation.name}({operands}{f', {one.number}' if one.number else ''}){line}"
    for name, form in step.updates.items():
        yield f"  {name} ← {sum_text(trace, form)}"
    for name, form in zip(("output", "second"), step.outputs(), strict=False):
        yield f"  {name} = {sum_text(trace, form)}"


def steps_text(title: str, plan: StreamPlan) -> str:
    """The operations, the new state and the output of each step."""
    lines = [f"{title} {plan.mode.name}: {len(plan.steps)} steps"]
    lines += [f"  {name} in the register of {of}" for name, of in plan.shared.items()]
    return "\n".join([*lines, *(line for step in plan.steps for line in _step_lines(plan.trace, step))]) + "\n"


def recurrences_text(plan: StreamPlan) -> str:
    """How the blocks of a message change each part of the state."""
    keys = {name: "" if kind.key is None else f" with {plan.word_name(kind.key)}" for name, kind in plan.kinds.items()}
    return "\n".join([f"recurrences {plan.mode.name}", *(f"  {name}: {plan.kinds[name].kind}{key}" for name, key in keys.items())]) + "\n"


def words_text(plan: StreamPlan) -> str:
    """The words of the key memory, and what set-up computes."""
    lines = [f"words {plan.mode.name}: {' '.join(plan.word_name(*word) for word in plan.words)}; {plan.chains} chains"]
    for made in plan.preparations:
        operands = ", ".join(sum_text(plan.trace, form) for form in made.operands)
        lines.append(f"  {plan.word_name(*made.word)} = {made.operation.name}({operands})")
    return "\n".join(lines) + "\n"


def place_text(plan: StreamPlan) -> str:
    """The stages of units and state, and the tokens of each step with their operations."""
    placed = plan.placed
    lines = [f"place {plan.mode.name}: {placed.depth} stages"]
    lines += [f"  unit {unit}: stage {stage}, latency {placed.latencies[unit]}" for unit, stage in placed.stages.items()]
    lines += [f"  state {name}: stage {stage}" for name, stage in placed.homes.items()]
    for step in plan.steps:
        tokens = [f"at {one.at}{''.join(f' %{n}' for n in one.operations)}" for one in placed.passes[step.title]]
        ready = f"; output in stage {placed.outputs[step.title]}" if step.title in placed.outputs else ""
        ahead = f"; {placed.ahead[step.title]} cycles ahead" if step.title in placed.ahead else ""
        lines.append(f"  {step.title}: {', '.join(tokens) or 'no token'}{ready}{ahead}")
    return "\n".join(lines) + "\n"


def tokens_text(plan: StreamPlan) -> str:
    """The kinds of tokens, by their numbers."""
    lines = [f"tokens {plan.mode.name}: {plan.pace}"]
    for number, token in enumerate(plan.tokens):
        source = "" if token.source is None else f", block {_term(plan.trace, Term(token.source))}"
        lines.append(f"  {number} {token.title} {token.part}{source}")
    lines += [f"  {len(plan.tokens) + number} set-up of {plan.word_name(*made.word)}" for number, made in enumerate(plan.preparations)]
    return "\n".join(lines) + "\n"


def stream_proof_text(compiled: CompiledStream) -> str:
    """The extent of a proof."""
    name, proof = f"proof {compiled.mode.name}", compiled.proof
    if proof is None:
        return f"{name}, not run\n"
    channels = "" if proof.interleaved is None else f", and {proof.interleaved} pairs of channels"
    return f"{name}\n  pipeline = definition: {proof.messages} messages of {proof.blocks} blocks{channels}\n" + (
        f"  opening inverts sealing: {compiled.checked.inverse}\n"
    )


def _after(name: str) -> Callable[[CompiledStream], str]:
    return lambda compiled: steps_text(name, compiled.plan.made[name])


STREAM_DUMPS: dict[str, Callable[[CompiledStream], str]] = {
    "trace": lambda compiled: stream_trace_text(compiled.plan.trace),
    **{one.name: _after(one.name) for one in PASSES if "steps" in one.makes},
    "recurrences": lambda compiled: recurrences_text(compiled.plan),
    "words": lambda compiled: words_text(compiled.plan),
    "place": lambda compiled: place_text(compiled.plan),
    "tokens": lambda compiled: tokens_text(compiled.plan),
    "reservations": lambda compiled: compiled.plan.reservations.text(),
    "prove": stream_proof_text,
}
"""A text of what each pass has made, of the recurrences of the state, and of the reservation table."""
