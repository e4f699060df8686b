# SPDX-License-Identifier: Apache-2.0
"""A timing diagram as WaveJSON, drawn as SVG.

WaveJSON is the format of WaveDrom.  The part of it that is drawn here::

    {"signal": [{"name": "aclk", "wave": "p..|."},            clock; "." goes on, "|" leaves cycles out
                {},                                            an empty row
                ["s_axis", {"name": "tvalid", "wave": "01.|0"}, {"name": "tdata", "wave": "x==|x", "data": ["00ff", "1234"]}]],
     "head": {"text": "..."}, "foot": {"tock": "0 1 2 7 8"}}   the cycle of each column
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TypedDict

__all__ = ["Signals", "Wave", "WaveJson", "columns_of", "waves"]


class Wave(TypedDict, total=False):
    """A signal.  An empty one is an empty row."""

    name: str
    wave: str
    data: list[str]


Signals = list[Wave | list[str | Wave]]
"""Signals, and groups of them behind their titles."""


class WaveJson(TypedDict):
    """A diagram."""

    signal: Signals
    head: dict[str, str]
    foot: dict[str, str]


COLUMN, ROW, HIGH, NAMES, TOP = 44, 24, 16, 116, 12
"""Pixels: width of a cycle, height of a row, of a wave; width of the names, height above the first row."""

SLOPE = 3
"""Pixels of the edges of a bus."""


def columns_of(wave: str, data: Sequence[str]) -> list[tuple[str, str, bool, bool]]:
    """For each column its state ("p", "0", "1", "x" or "="), its text, whether the state begins here, and whether cycles are left out.

    Raises ``ValueError`` for a character that is not drawn, or data of another number.
    """
    columns: list[tuple[str, str, bool, bool]] = []
    texts = iter(data)
    state, text = "", ""
    for letter in wave:
        if letter in ".|":
            if not state:
                raise ValueError("a wave begins with a state")
            columns.append((state, text, False, letter == "|"))
            continue
        if letter not in "p01x=":
            raise ValueError(f"{letter!r} is no state of a wave")
        state = letter
        text = next(texts, "") if state == "=" else ""
        columns.append((state, text, True, False))
    if wave.count("=") != len(data):
        raise ValueError(f"{len(data)} data for {wave.count('=')} places")
    return columns


def waves(wavejson: WaveJson) -> Iterator[str]:
    """The names of the signals, and beside them the waves, which scroll.  Above them, a button for each bus shows its first transfer."""
    rows = list(_rows(wavejson["signal"]))
    count = max((len(one["wave"]) for _, one in rows if one), default=0)
    height = TOP + ROW * len(rows) + 22
    if places := list(_transfers(wavejson["signal"])):
        buttons = " ".join(f'<button type="button" data-column="{COLUMN * n}">{escape(name)}</button>' for name, n in places)
        yield f'<p class="tools">First transfer: {buttons}</p>'
    yield f'<div class="chart"><svg class="rows" width="{NAMES}" height="{height}" aria-hidden="true">'
    for place, (label, one) in enumerate(rows):
        y = TOP + ROW * place
        if label:
            yield f'<text x="8" y="{y + 16}" font-weight="bold">{escape(label)}</text>'
        elif one:
            yield f'<text x="{NAMES - 8}" y="{y + 15}" text-anchor="end">{escape(one["name"])}</text>'
    yield '</svg><div class="scroll">'
    yield f'<svg width="{COLUMN * count + 12}" height="{height}" role="img"><title>{escape(wavejson["head"]["text"], quote=False)}</title>'
    for n in range(count + 1):
        yield f'<path class="grid" d="M{COLUMN * n} {TOP - 4}V{height - 18}"/>'
    for place, (_, one) in enumerate(rows):
        if one:
            yield from _wave(columns_of(one["wave"], one.get("data", ())), TOP + ROW * place + 4)
    for n, cycle in enumerate(wavejson["foot"]["tock"].split()):
        yield f'<text class="quiet" x="{COLUMN * n + COLUMN // 2}" y="{height - 5}" text-anchor="middle">{cycle}</text>'
    yield "</svg></div></div>"


def _transfers(signals: Signals) -> Iterator[tuple[str, int]]:
    """Each bus with the column of its first transfer, in the order of the columns."""
    found = []
    for group in signals:
        title, members = _group(group)
        if not title:
            continue
        waves = {one["name"]: columns_of(one["wave"], one.get("data", ())) for one in members if one}
        valid = next((wave for name, wave in waves.items() if name.endswith("valid")), ())
        ready = next((wave for name, wave in waves.items() if name.endswith("ready")), ())
        moves = [n for n, (one, other) in enumerate(zip(valid, ready, strict=False)) if one[0] == other[0] == "1"]
        if moves:
            found.append((title, moves[0]))
    yield from sorted(found, key=lambda place: place[1])


def _group(group: Wave | list[str | Wave]) -> tuple[str, list[Wave]]:
    """The title of a group and its signals; a signal alone has no title."""
    if not isinstance(group, list):
        return "", [group]
    return str(group[0]), [one for one in group[1:] if not isinstance(one, str)]


def _rows(signals: Signals) -> Iterator[tuple[str, Wave]]:
    """Rows from top to bottom: signals, titles of groups, and empty rows."""
    for group in signals:
        title, members = _group(group)
        if title:
            yield title, {}
        yield from (("", each) for each in members)


def _wave(columns: Sequence[tuple[str, str, bool, bool]], y: int) -> Iterator[str]:
    high, low = y, y + HIGH
    path: list[str] = []
    n = 0
    before = ""
    while n < len(columns):
        state, text, _, _ = columns[n]
        end = n + 1
        while end < len(columns) and not columns[end][2]:
            end += 1
        left, right = COLUMN * n, COLUMN * end
        if state == "p":
            path += [f"M{left} {low}", *(f"V{high}h{COLUMN // 2}V{low}h{COLUMN - COLUMN // 2}" for _ in range(n, end))]
        elif state in "01":
            level = high if state == "1" else low
            path.append(f"V{level}H{right}" if before in ("0", "1") else f"M{left} {level}H{right}")
        else:
            middle = y + HIGH // 2
            if state == "x":
                # Nothing is said of a payload without valid.
                yield f'<path class="gapline" d="M{left} {middle}H{right}" stroke-dasharray="2 3"/>'
            else:
                half = f"l{SLOPE} {HIGH // 2}l-{SLOPE} {HIGH // 2}"
                yield f'<path class="value" d="M{left} {middle}l{SLOPE} -{HIGH // 2}H{right - SLOPE}{half}H{left + SLOPE}z"/>'
                yield f'<text class="data" x="{(left + right) // 2}" y="{y + 12}" text-anchor="middle">{escape(text)}</text>'
        before = state
        n = end
    if path:
        yield f'<path class="wave" d="{"".join(path)}"/>'
    for n, (_, _, _, gap) in enumerate(columns):
        if gap:
            x = COLUMN * n + COLUMN // 2
            bend = f"M{x - 3} {low + 3}C{x + 6} {low - 4} {x - 6} {high + 4} {x + 3} {high - 3}"
            yield f'<path class="gap wave" d="{bend}"/><path class="gapline" d="{bend}" transform="translate(-2.5)"/>'
            yield f'<path class="gapline" d="{bend}" transform="translate(2.5)"/>'
