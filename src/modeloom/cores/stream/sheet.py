# SPDX-License-Identifier: Apache-2.0
"""The sections of the datasheet that only cores for messages have: pipeline, commands and packets, keys, cycles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from modeloom.compiler.streams import CompiledStream
from modeloom.cores.described import anchor_of, definition_lines, gives
from modeloom.cores.stream.describe import cipher_name
from modeloom.interfaces.messages import MessageCode
from modeloom.layers import Stack
from modeloom.layers.layer import Texts
from modeloom.product.core import Sheet
from modeloom.product.messages import StreamDescription
from modeloom.product.page import (
    ROUND_KEYS,
    Box,
    Cell,
    Chart,
    Diagram,
    DiagramRow,
    Page,
    Read,
    SourceText,
    code_table,
    command_table,
    of_several,
    status_line,
    table,
)
from modeloom.spec.errors import many, numbers
from modeloom.spec.kinds import MUL, OPERANDS
from modeloom.spec.stream import BETWEEN
from modeloom.streams.place import CIPHER, unit_of
from modeloom.streams.plan import StreamPlan
from modeloom.streams.steps import Form, Source, Step, UnitOperation

__all__ = ["page", "sheet"]


# -- page ------------------------------------------------------------------------------------------------------------------------------

# The parts of the HTML datasheet of a core for messages: the token pipeline of its steps, and the diagram of units, state and buses.

ABOUT = (
    "The buses, the state and the units of this core. A line above a row is the value that a box drives; a dot is where something reads "
    "it. {} Each operand is the XOR of what the step of its token reads."
)  # fmt: skip

SINGULAR = {"cipher": "cipher", unit_of(MUL.operation): "multiplier"}
"""Names of units for readers."""

RECURRENCES = {
    "held": "set by start", "wires": "XOR and doubling each block", "counter": "counts blocks", "horner": "hash, Horner's rule",
    "cipher": "chained through the cipher", "late": "chained through the cipher",
}  # fmt: skip


def page(stack: Stack, d: StreamDescription) -> Page:
    """The parts."""
    compiled = stack.compiled
    texts = definition_lines(compiled.plan.trace)
    diagram = _Diagram(stack, d)
    return Page(
        gives=gives(compiled.mode), diagram=Diagram(tuple(diagram.rows()), ABOUT.format(diagram.texts.entry)),
        charts=(_chart(compiled, texts),), definition=texts,
    )  # fmt: skip


def _name(unit: str) -> str:
    return SINGULAR.get(unit, unit.replace("_", " ")) or "adder"


# -- the pipeline ---------------------------------------------------------------------------------------------------------------------


def _chart(compiled: CompiledStream, texts: tuple[SourceText, ...]) -> Chart:
    """A row for each step and unit, and one for each part of the state.  Columns are cycles after the first token of the step."""
    plan, placed = compiled.plan, compiled.plan.placed
    units = list(dict.fromkeys(unit for step in plan.steps for unit in placed.units[step.title]))
    names: list[str] = []
    cells: list[Cell] = []
    for step in plan.steps:
        for unit in units:
            found = [n for n, each in enumerate(placed.units[step.title]) if each == unit]
            if not found:
                continue
            for n in found:
                one, ready = step.operations[n], placed.ready[step.title][n]
                length = max(1, placed.latencies.get(unit, 0))
                at = max(0, ready - placed.latencies.get(unit, 0))
                tip = f"{step.title}, cycles {at} to {ready} of its token: {_told(plan, one)}"
                tip += f", line {one.line}" if one.line else ""
                cells.append(Cell(len(names), at, length, tip, anchor_of(one.line, texts) if one.line else "", units.index(unit)))
            names.append(f"{_short(step.title)}: {_name(unit)}")
    for name, kind in plan.kinds.items():
        home = placed.homes[name]
        tip = f"state {name} ({RECURRENCES[kind.kind]}) is read and written at stage {home}"
        cells.append(Cell(len(names), home, 1, tip, "", len(units)))
        names.append(f"state {name}")
    columns = max(placed.depth, *(cell.at + cell.length for cell in cells)) + 1
    tag = placed.outputs["tag"] + placed.passes["tag"][-1].at
    return Chart(
        title=f"Token pipeline: {plan.pace}, {placed.depth} stages",
        about=(
            "A row is a unit while a step has it. Columns are cycles after the first token of the step, and stages of the pipeline if the "
            f"step has one token. {_tokens(compiled)}"
        ),
        columns=columns, column="stage", rows=tuple(names), cells=tuple(cells),
        legend=(*(_name(unit) for unit in units), *(["state"] if plan.kinds else [])),
        marks=tuple(sorted({(plan.text_stage, "text leaves"), (tag, "tag leaves")})),
    )  # fmt: skip


def _short(title: str) -> str:
    return title.replace("partial_", "part. ").replace("associated", "assoc.").replace("single_", "single ").replace("last_", "last ")


def _tokens(compiled: CompiledStream) -> str:
    plan = compiled.plan
    counts = {name: plan.tokens_of(name) for name in ("start", "associated", "text", *[BETWEEN] * plan.text_first, "tag")}
    told = ", ".join(f"{count} for {name}" for name, count in counts.items())
    return f"Tokens: {told}" + (f"; the hash has {plan.chains} chain{'s' * (plan.chains != 1)}." if plan.horner else ".")


def _told(plan: StreamPlan, one: UnitOperation) -> str:
    operands = ", ".join(_sum(plan, form) for form in one.operands)
    return f"{one.operation.name}({operands}{f', {one.number}' if one.number else ''})"


def _sum(plan: StreamPlan, form: Form) -> str:
    """A form as text; "0" for an empty one."""
    return " ⊕ ".join(_term(plan, term.source, term.maps) for term in form) or "0"


def _term(plan: StreamPlan, source: Source, maps: Sequence[Sequence[object]]) -> str:
    what = {
        "state": f"{source.what}", "left": f"new {source.what}", "op": f"%{source.what}", "const": f"{source.what}",
        "number": "a length", "mark": "10*",
    }.get(source.kind, source.kind)  # fmt: skip
    if source.kind == "key":
        what = plan.word_name(source.number)
    if source.kind == "const":
        what = hex(source.number)
    for each in maps:
        number = each[1] if len(each) > 1 and isinstance(each[1], int) else None
        what = f"{each[0]}({what}{'' if number is None else f', {number}'})"
    return what


# -- the diagram ----------------------------------------------------------------------------------------------------------------------


class _Diagram:
    def __init__(self, stack: Stack, d: StreamDescription):
        self.plan, self.texts, self.d = stack.compiled.plan, stack.texts(d), d

    def rows(self) -> Iterator[DiagramRow]:
        """Buses in, key memory, state, units, and buses out."""
        plan, placed, d = self.plan, self.plan.placed, self.d
        lanes = of_several(plan.lanes, f", {plan.lanes} lanes")
        yield DiagramRow((
            *self.texts.command_boxes,
            Box("control", "message control", "tokens, nonces, lengths", "chooses the token of each cycle, and counts lengths", "message"),
        ))  # fmt: skip
        width = f"{8 * d.beat_bytes} bits per {self.texts.beat_time}"
        yield DiagramRow((*self.texts.data_boxes, Box("control", "blocks", width, "pads last blocks", "block")))
        words = ", ".join(plan.word_name(*word) for word in plan.words)
        stored = f"{many(len(plan.words), 'block')}{self.texts.key_count}"
        values = Box("storage", "key values", stored, f"what operands read of a key: {words}", "key")
        *before, schedule = self.texts.key_boxes
        yield DiagramRow((*before, replace(schedule, drives=ROUND_KEYS), *([values] if plan.words else [])))
        for name, kind in plan.kinds.items():
            home = f"stage {placed.homes[name]}"
            box = Box("storage", f"state {name}", f"{home}{self.texts.state_note}", f"{RECURRENCES[kind.kind]}; {home}", f"state {name}")
            yield DiagramRow((box,), tuple(self._read("next", [(step, step.updates[name]) for step in plan.steps if name in step.updates])))
        for unit, stage in placed.stages.items():
            users = [(step, one) for step in plan.steps for n, one in enumerate(step.operations) if placed.units[step.title][n] == unit]
            latency = placed.latencies[unit]
            steps = ", ".join(dict.fromkeys(step.title for step, _ in users)) or "the set-up"
            tip = f"used by {steps}; {latency} cycles"
            box = Box("unit", f"{_name(unit)}{lanes}", f"stages {stage} to {stage + latency}", tip, f"unit {unit}")
            count = max((len(one.operands) for _, one in users), default=0)
            operands = [
                (f"operand{f' {OPERANDS[n]}' * (count > 1)}", [(step, one.operands[n]) for step, one in users if n < len(one.operands)])
                for n in range(count)
            ]
            reads = [read for label, forms in operands for read in self._read(label, forms)]
            if unit.startswith(CIPHER):
                reads.append(Read("round keys", (ROUND_KEYS,), "the round keys of the slot of the message"))
            yield DiagramRow((box,), tuple(reads))
        texts = [(step, form) for step in plan.steps if step.name != "tag" for form in step.outputs()]
        yield DiagramRow((Box("control", "text", f"stage {plan.text_stage}", "cuts last blocks"), *self.texts.text_boxes),
                         tuple(self._read("text", texts)))
        tags = [(step, form) for step in plan.steps if step.name == "tag" for form in step.outputs()]
        what = "compared, or sent" if len(d.directions) > 1 else "sent" if d.directions == ("encrypt",) else "compared"
        yield DiagramRow((Box("control", "tag", what), *self.texts.status_boxes), tuple(self._read("tag", tags)))

    def _read(self, label: str, forms: Sequence[tuple[Step, Form]]) -> Iterator[Read]:
        """What some forms read, over all steps."""
        tracks = tuple(dict.fromkeys(track for step, form in forms for track in self._tracks(step, form)))
        if tracks:
            told = dict.fromkeys(f"{step.title}: {_sum(self.plan, form)}" for step, form in forms)
            yield Read(label, tracks, "\n".join(told))

    def _tracks(self, step: Step, form: Form) -> Iterator[str]:
        for term in form:
            kind, what = term.source
            if kind in ("state", "left"):
                yield f"state {what}"
            elif kind == "key":
                yield "key"
            elif kind in ("associated", "text"):
                yield "block"
            elif kind in ("nonce", "tag", "lengths", "number", "mark"):
                yield "message"
            elif kind == "op":
                unit = self.plan.placed.units[step.title][term.source.number]
                if unit:
                    yield f"unit {unit}"
                else:
                    # Adders within a cycle stand at the operand.
                    for operand in step.operations[term.source.number].operands:
                        yield from self._tracks(step, operand)


# -- sheet -----------------------------------------------------------------------------------------------------------------------------

INVERSE = {
    "proved": "A proof shows that opening inverts sealing in the definition, for all lengths and any permutation as the cipher.",
    "tested": "Tests with random and chosen values show that opening inverts sealing in the definition.",
    "not checked": "**It was not checked that opening inverts sealing**: the core was built without the proof.",
}
"""Sentences for the values of ``inverse`` in ``core.json``."""


def sheet(stack: Stack, d: StreamDescription) -> Sheet:
    """The sections of the datasheet."""
    t = stack.texts(d)
    does = " and ".join({"encrypt": "seal", "decrypt": "open"}[way] for way in d.directions)
    return Sheet(
        summary=(
            f"{d.title} with {cipher_name(stack.compiled)}, to {does} messages of any length with associated data, "
            f"{d.pace}, {t.key_places}.{t.protected(f' of {t.counted}')}"
        ),
        theory=tuple(_theory(t, d)),
        payloads=tuple(_payloads(t, d)),
        use=tuple(_use(t)),
        figures=tuple(_figures(t, d, stack.top.varies)),
        timing=(
            "- Timing does not depend on keys, nonces, data or tags. The comparison of a tag always takes the same cycles.",
            *t.protection_item,
        ),
        storage=("- Round keys and set-up values cannot be read from the ports. Erasing or loading a slot overwrites them.",),
        checked=(
            "- The pipeline was proved equal to the definition, on symbols: "
            f"{d.explain.proof.messages} messages one after another, and by induction those of any length."
            if d.explain.proof
            else "- **The pipeline was not proved**: the core was built without the proof.",
            f"- {INVERSE[d.explain.inverse]}",
        ),
        bench=(
            "It checks text, tags, order and status codes, the interval between messages and the latency against this datasheet; results "
            "come from the software model."
        ),
    )


def _theory(t: Texts, d: StreamDescription) -> Iterator[str]:
    e = d.explain
    yield (
        f"The core is a pipeline of {e.stages} stages that never stalls. A token enters in a cycle: a block of a message with what has to "
        "be done with it. Units and state stand at fixed stages, so tokens of different messages, key slots and directions follow each "
        f"other{t.gap}. A token of text enters only when the output has a place for it."
    )
    yield ""
    yield from t.cadence_theory
    yield from table(["unit", "stage", "cycles"], [[name, unit.stage, unit.latency] for name, unit in e.units.items()])
    if d.chains:
        yield (
            f"The polynomial hash runs in {d.chains} chains. Block i goes to chain i mod {d.chains}, and is multiplied with a power of the "
            "hash key that depends on the blocks to come. Set-up computes these powers once for each key."
        )
        yield ""
    yield from t.key_theory


def _payloads(t: Texts, d: StreamDescription) -> Iterator[str]:
    groups = {group.name: group for group in d.interfaces}
    own = {
        "nonce": f"nonce of {numbers(d.nonces)} bytes, zeros behind it",
        "nonce_bytes": f"bytes of the nonce: {numbers(d.nonces)}",
        "tag_bytes": f"bytes of the tag: {numbers(d.tag_bytes)}",
        "slot": "key slot, always 0" if d.key_slots == 1 else f"key slot, 0 to {d.key_slots - 1}",
        "channel": t.channel,
    }
    yield from command_table(groups["s_axis_cmd"], own)
    yield from status_line(groups["m_axis_status"], t.zero_fields)
    yield from t.packets


def _use(t: Texts) -> Iterator[str]:
    yield from (*t.key_packets, *t.key_use, *t.sealing)
    yield (
        "**Messages.** Send a command and a packet for each message, in the same order; either may come first. Text comes back in that "
        f"order, and one status for each command follows its text. {t.tags}"
    )
    yield ""
    yield from code_table(MessageCode)
    yield from t.faults
    yield (
        "If several things are wrong with a command, the highest code is given, and its packet is not checked. In a packet, the first "
        "wrong beat decides. A host that does not take text or statuses holds up the entry of further blocks; nothing is lost."
    )
    yield ""
    yield t.nonces
    yield ""


def _unused_rows(d: StreamDescription) -> list[list[object]]:
    """The cycles of the distance in which no token fits."""
    if d.unused is None:
        return []
    parts = {
        "each message": d.unused.message, "a message with associated data, beside these": d.unused.associated,
        "a second pass, beside these": d.unused.second,
    }  # fmt: skip
    what = "maximum average number of cycles in which no token of {} fits"
    return [[what.format(which), cycles, "cycles"] for which, cycles in parts.items() if cycles]


def _figures(t: Texts, d: StreamDescription, varies: bool) -> Iterator[str]:
    usual, *others = d.explain.starts
    shape = d.bench_shape
    most = "maximum " if varies else ""
    of_messages = "maximum average " if d.unused else ""
    rows: list[Sequence[object]] = [
        *t.cadence_rows,
        [f"{t.average}cycles per block of associated data, and of text", f"{d.cycles.associated}, {d.cycles.text}", "cycles"],
        [f"{t.average}cycles per tag", d.cycles.tag, "cycles"],
        [f"start of a message with a nonce of {numbers(usual.nonce_bytes)} bytes", d.cycles.start, "cycles"],
        *([f"start of a message with a nonce of {numbers(start.nonce_bytes)} bytes", d.start_cycles(start), "cycles"] for start in others),
        [
            f"{of_messages}interval between messages with {shape.associated} bytes of associated data and {shape.text} bytes of text",
            d.cycles_of(shape.associated, shape.text), "cycles",
        ],
        *t.message_rows,
        *_unused_rows(d),
        [f"{most}latency at the pins, from the first input beat of text to the first output beat", d.latency, "cycles"],
        *t.key_rows,
        *t.limit_rows,
        *t.held_rows,
    ]  # fmt: skip
    yield from table(["figure", "value", "unit"], rows)
    yield f"The latency holds for {t.alone} that is alone, without associated data, whose command comes with its text."
    yield from t.latency_notes
    yield from t.beat_notes
    yield ""
