# SPDX-License-Identifier: Apache-2.0
"""The pipeline of a stream mode as a picture (SVG): what is in each stage in one cycle.

Columns are stages, rows are units and the state, and every message has a colour::

               0         10        20        30
    token      T P P P A T P P T ...                   the newest one is on the left
    cipher     ▒▒▒▒▒▒▒▒▇▇▇▇▒▒▒▒▒
    multiplier                  ▒▒▇▇▒
    counter    ▒
                                     text      tag     the stages at which results leave

Cells of a unit are filled if the token in that stage uses the unit.  A token moves one column to the right in each cycle.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import count

from modeloom.compiler.streams import CompiledStream
from modeloom.report.chart import COLOURS
from modeloom.spec.kinds import CIPHER, MUL
from modeloom.spec.stream import BETWEEN, LAST, PARTIAL, SINGLE
from modeloom.streams.machine import Token
from modeloom.streams.place import unit_of
from modeloom.streams.plan import StreamPlan
from modeloom.streams.prove import Message, tokens_of
from modeloom.streams.reservation import entered as entered_tokens

__all__ = ["token_chart"]

LEFT, RIGHT, TOP, ROW = 110, 20, 92, 24
"""Pixels: margins, height of a row."""

WIDTH, LEAST_CELL, MOST_CELL = 1000, 14, 26
"""Pixels: desired width of all stages, smallest and largest width of a stage."""

LETTERS = {"associated": "A", "encrypt": "P", "decrypt": "C", "tag": "T", BETWEEN: "E"}
MEANING = {"associated": "associated data", "encrypt": "plaintext", "decrypt": "ciphertext", "tag": "tag", BETWEEN: "end of the text"}


@dataclass(frozen=True)
class _InStage:
    """A block of a token: its message, its step, and the operations that the token does."""

    message: int
    step: str
    operations: tuple[int, ...]


def token_chart(compiled: CompiledStream) -> str:
    """The pipeline of a compiled stream mode as an SVG document, the same text for the same pipeline.

    The messages have different lengths and directions, and one follows another without a pause.
    """
    return "".join(f"{line}\n" for line in _Chart(compiled).document())


class _Chart:
    def __init__(self, compiled: CompiledStream):
        self.compiled, self.plan = compiled, compiled.plan
        placed = self.plan.placed
        self.stages = placed.depth
        self.cell = max(LEAST_CELL, min(MOST_CELL, WIDTH // self.stages))
        self.units = {unit: stage for unit, stage in placed.stages.items() if self._used(unit)}
        self.filled = _filled(self.plan, self.stages)
        lanes = range(self.plan.lanes)
        self.rows = [("token", "", lane) for lane in lanes]
        self.rows += [("unit", unit, lane) for unit in self.units for lane in lanes]
        self.rows += [("state", name, 0) for name in self.plan.kinds]
        self.bottom = TOP + ROW * len(self.rows)
        self.width = max(LEFT + self.cell * self.stages + RIGHT, 760)
        self.height = self.bottom + 52

    def _used(self, unit: str) -> bool:
        of_steps = {each for units in self.plan.placed.units.values() for each in units}
        return unit in of_steps | {unit_of(made.operation) for made in self.plan.preparations}

    def x(self, stage: int) -> int:
        """The pixel of the left edge of a stage."""
        return LEFT + self.cell * stage

    def document(self) -> Iterator[str]:
        """The lines of the document."""
        title, subtitle = self._titles()
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}" role="img" font-family="Helvetica, Arial, sans-serif" font-size="12" '
            'fill="#24292f">'
        )
        yield f"<title>{escape(title)}</title>"
        yield f"<desc>{escape(subtitle)}</desc>"
        yield f'<rect width="{self.width}" height="{self.height}" rx="6" fill="#f6f8fa" stroke="#d0d7de"/>'
        yield f'<text x="16" y="25" font-size="16" font-weight="bold">{escape(title)}</text>'
        yield f'<text x="16" y="44">{escape(subtitle)}</text>'
        steps = {step.name for step in self.plan.steps}
        meaning = ", ".join(f"{LETTERS[name]} {what}" for name, what in MEANING.items() if name in steps)
        yield f'<text x="16" y="61">{escape(f"Every message has a colour. {meaning}. Tokens move to the right.")}</text>'
        yield from self._axis()
        for number, (kind, name, lane) in enumerate(self.rows):
            y = TOP + ROW * number
            if kind == "token":
                yield from self._tokens(lane, y)
            elif kind == "unit":
                yield from self._unit(name, lane, y)
            else:
                yield from self._state(name, y)
        yield from self._outputs()
        yield "</svg>"

    def _titles(self) -> tuple[str, str]:
        figures = self.compiled.explain()
        title = f"{self.compiled.mode.title}: {self.plan.pace}, {self.stages} stages"
        units = ", ".join(f"{self._label(unit)} {self.plan.placed.latencies[unit]} stages" for unit in self.units)
        chains = f"; hash in {figures['chains']} chains" if figures["chains"] else ""
        return title, f"{units}{chains}"

    def _label(self, unit: str) -> str:
        return "multiplier" if unit == unit_of(MUL.operation) else unit.replace("_", " ")

    def _axis(self) -> Iterator[str]:
        end, rows = self.x(self.stages), Counter((kind, name) for kind, name, _ in self.rows)
        for number, (kind, name, lane) in enumerate(self.rows):
            y = TOP + ROW * number
            yield f'<rect x="{LEFT}" y="{y}" width="{end - LEFT}" height="{ROW}" fill="{("#ffffff", "#eef1f4")[number % 2]}"/>'
            label = {"token": "token", "unit": self._label(name), "state": f"state {name}"}[kind]
            if rows[kind, name] > 1:
                label += f" {lane}"
            yield f'<text x="{LEFT - 8}" y="{y + 16}" text-anchor="end">{escape(label)}</text>'
        for stage in range(0, self.stages + 1, 5):
            x = self.x(stage)
            yield f'<path d="M{x} {TOP - 4}V{self.bottom}" stroke="#d0d7de"/>'
            yield f'<text x="{x}" y="{TOP - 8}" text-anchor="middle" font-size="11">{stage}</text>'

    def _cell(self, stage: int, y: int, block: _InStage | None, tip: str, letter: str = "") -> Iterator[str]:
        fill = COLOURS[block.message % len(COLOURS)] if block else "#d8dee4"
        x, width = self.x(stage), self.cell - 1
        yield f'<rect x="{x}" y="{y + 3}" width="{width}" height="{ROW - 6}" fill="{fill}"><title>{escape(tip)}</title></rect>'
        if letter:
            place = f'x="{x + width / 2:g}" y="{y + 16}" text-anchor="middle"'
            yield f'<text {place} font-size="11" fill="#ffffff" pointer-events="none">{letter}</text>'

    def _tokens(self, lane: int, y: int) -> Iterator[str]:
        for stage in range(self.stages):
            if block := self.filled[stage].get(lane):
                letter = LETTERS[_part(block.step)]
                yield from self._cell(stage, y, block, f"stage {stage}: {block.step} of message {block.message}", letter)

    def _unit(self, unit: str, lane: int, y: int) -> Iterator[str]:
        first = self.units[unit]
        for stage in range(first, first + self.plan.placed.latencies[unit]):
            block = self._user(unit, lane, stage)
            uses = block is not None
            told = f"{block.step} of message {block.message}" if block and uses else "free"
            yield from self._cell(stage, y, block if uses else None, f"{self._label(unit)}, stage {stage}: {told}")

    def _user(self, unit: str, lane: int, stage: int) -> _InStage | None:
        """The token that a stage of a unit works for: one that is in this stage, or one in a later stage that has returned."""
        placed = self.plan.placed
        found = {0} | {later for each in placed.returns.values() for later in each}
        for later in sorted(found):
            block = self.filled[stage + later].get(lane) if stage + later < len(self.filled) else None
            if block is not None and any(
                placed.units[block.step][number] == unit and placed.later(block.step, number) == later for number in block.operations
            ):
                return block
        return None

    def _state(self, name: str, y: int) -> Iterator[str]:
        home, kind = self.plan.placed.homes[name], self.plan.kinds[name].kind
        block = next(iter(self.filled[home].values()), None)
        yield from self._cell(home, y, block, f"state {name} ({kind}) lives at stage {home}")

    def _outputs(self) -> Iterator[str]:
        outputs = self.plan.placed.outputs
        text, tag = self.plan.text_stage, outputs["tag"]
        for at, what in sorted({(text, "text leaves"), (tag, "tag leaves")}):
            x = self.x(at)
            yield f'<path d="M{x} {TOP}V{self.bottom + 8}" stroke="#cf222e" stroke-dasharray="3 3"/>'
            low = 22 if what.startswith("text") else 38
            anchor = "end" if x > self.width - 90 else "middle"
            yield f'<text x="{x}" y="{self.bottom + low}" text-anchor="{anchor}" font-size="11" fill="#cf222e">{what}</text>'


def _part(step: str) -> str:
    """The part of a message that a step belongs to: "associated", "encrypt", "decrypt", "between" or "tag"."""
    for prefix in (PARTIAL, LAST, SINGLE):
        step = step.removeprefix(prefix)
    return step


def _filled(plan: StreamPlan, stages: int) -> list[dict[int, _InStage]]:
    """For each stage the blocks of the token that is there, by their lanes, when the last of some messages have just come in."""
    size, lanes = plan.mode.block_bytes, plan.lanes
    nonce = plan.mode.nonce_bytes[0][0]
    shapes = ((1, "encrypt", 4), (0, "decrypt", 3), (2, "encrypt", 0), (1, "decrypt", 2), (0, "encrypt", 6))

    def tokens(number: int) -> list[Token]:
        associated, direction, text = shapes[number % len(shapes)]
        message = Message(0, 0, direction, nonce, associated * lanes * size, (text * lanes + lanes // 2) * size if text else 0)
        return list(tokens_of(plan, message, 0, lambda place, nbytes: None, number))

    def placed(number: int, token: Token) -> Iterator[_InStage]:
        if token.part >= 0 and not token.empty and _part(token.step) in LETTERS:
            yield _InStage(number, token.step, plan.placed.passes[token.step][token.part].operations)

    entered: list[dict[int, _InStage]] = []
    if plan.reservations.shares(CIPHER):
        # Tokens of messages enter between each other, where the cipher is free.
        by_cycle: dict[int, list[_InStage]] = {}
        for number, token in entered_tokens(plan, [tokens(n) for n in range(stages)], 1):
            by_cycle.setdefault(token.cycle, []).extend(placed(number, token))
        entered = [dict(enumerate(by_cycle.get(cycle, ()))) for cycle in range(2 * stages + 1)]
        return entered[-stages:][::-1]
    for number in count():
        cycles: dict[int, dict[int, _InStage]] = {}
        for token in tokens(number):
            for block in placed(number, token):
                blocks = cycles.setdefault(token.cycle, {})
                blocks[len(blocks)] = block
        entered += [cycles.get(cycle, {}) for cycle in range(min(cycles), max(cycles) + 1)]
        if len(entered) >= stages + 1:
            return entered[-stages:][::-1]
    raise AssertionError
