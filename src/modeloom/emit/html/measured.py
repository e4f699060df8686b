# SPDX-License-Identifier: Apache-2.0
"""What the page holds that was measured after the build: the timing of a simulation, and areas.

::

    <!-- timing -->  picture, and the WaveJSON of which it was drawn               <!-- end of timing -->
    <!-- area -->    treemaps and tables, and the JSON of ``modeloom synth``       <!-- end of area -->

Each part is a function of its JSON alone, and the JSON stands in the page.  So a page can be read, and drawn again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import NamedTuple, TypedDict

from modeloom.emit.html.style import COLOURS
from modeloom.emit.lock import building
from modeloom.emit.package import bill_of_materials, manifest, to_json
from modeloom.product.description import Description
from modeloom.product.folder import read_description
from modeloom.spec import InputError

__all__ = [
    "Measured", "Rectangle", "Signals", "Wave", "WaveJson", "all_luts", "area_lines", "blocks_of", "check_page", "columns_of",
    "complete", "layout", "lut_figure", "memory_luts", "read_measured", "timing_lines", "treemap", "waves", "with_measured",
]  # fmt: skip


# The LUTs of a result of ``modeloom synth``, or of one of its blocks: those of logic, those as memories, and all.

def _memories(figures: Mapping[str, object]) -> Mapping[str, int]:
    found = figures.get("memories")
    return found if isinstance(found, Mapping) else {}


def blocks_of(result: Mapping[str, object]) -> Mapping[str, Mapping[str, object]]:
    """The figures of the blocks, which are empty if the core was mapped as a whole only."""
    found = result.get("blocks")
    return found if isinstance(found, Mapping) else {}


def memory_luts(figures: Mapping[str, object]) -> int | None:
    """LUTs as memories and as shift registers, or None if they are not known."""
    memories = _memories(figures)
    return memories["lutram_luts"] + memories.get("srl_luts", 0) if "lutram_luts" in memories else None


def all_luts(figures: Mapping[str, object]) -> int | None:
    """LUTs of logic, as memories and as shift registers together.  None for gates."""
    logic = figures.get("luts")
    return logic + (memory_luts(figures) or 0) if isinstance(logic, int) else None


def lut_figure(figures: Mapping[str, object], kind: str) -> float | None:
    """A figure of a table of areas: ``memory_luts``, ``all_luts``, one of the memories, or one by its name.  None if it is not known."""
    if kind in ("memory_luts", "all_luts"):
        return memory_luts(figures) if kind == "memory_luts" else all_luts(figures)
    found = _memories(figures).get(kind, figures.get(kind))
    return found if isinstance(found, (int, float)) else None


# -- treemap -----------------------------------------------------------------------------------------------------------------------

WIDTH, HEIGHT = 960, 420
"""Pixels of a picture."""


# The area of the blocks of a core as a treemap: the area of each rectangle is that of its block.
#
# Squarified treemaps: Bruls, Huizing, van Wijk, Data Visualization 2000, section 3.

class Rectangle(NamedTuple):
    """A block with its place."""

    name: str
    value: float
    x: float
    y: float
    width: float
    height: float


def layout(values: Mapping[str, float], width: float, height: float) -> list[Rectangle]:
    """Rectangles that fill a picture, in proportion to values above 0, the largest first.  Equal values keep their order."""
    items = sorted(((name, value) for name, value in values.items() if value > 0), key=lambda item: -item[1])
    scale = width * height / sum(value for _, value in items) if items else 0
    found: list[Rectangle] = []
    x, y = 0.0, 0.0
    while items:
        # A row stands at the shorter side of what is free, and takes blocks as long as they become more like squares.
        side = min(width, height)
        count = 1
        while count < len(items) and _worst(items[: count + 1], side, scale) <= _worst(items[:count], side, scale):
            count += 1
        row, items = items[:count], items[count:]
        depth = sum(value for _, value in row) * scale / side
        at = 0.0
        for name, value in row:
            length = value * scale / depth
            place = (x + at, y, length, depth) if width < height else (x, y + at, depth, length)
            found.append(Rectangle(name, value, *place))
            at += length
        if width < height:
            y, height = y + depth, height - depth
        else:
            x, width = x + depth, width - depth
    return found


def _worst(row: Sequence[tuple[str, float]], side: float, scale: float) -> float:
    """The largest ratio of the sides of a rectangle in a row."""
    areas = [value * scale for _, value in row]
    total = sum(areas)
    return max(max(side**2 * area / total**2, total**2 / (side**2 * area)) for area in areas)


def treemap(result: Mapping[str, object]) -> Iterator[str]:
    """The picture of a result of ``modeloom synth``.  Its blocks are those that were mapped alone.  LUTs are all of a block."""
    kind, unit = ("all_luts", "LUTs") if result.get("luts") is not None else ("area", "units of area")
    blocks = blocks_of(result) or {"core": result}
    values = {name: float(value) for name, figures in blocks.items() if (value := lut_figure(figures, kind))}
    total = sum(values.values())
    title = f"{'all LUTs' if kind == 'all_luts' else unit} of the blocks, mapped one by one"
    yield (
        f'<svg class="treemap" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'style="max-width:100%;min-width:40em;height:auto" role="img"><title>{escape(title)}</title>'
    )
    for n, one in enumerate(layout(values, WIDTH, HEIGHT)):
        share = f"{100 * one.value / total:.1f} %"
        figure = f"{one.value:,.0f}".replace(",", " ")
        yield (
            f'<g data-name="{escape(one.name)}" data-value="{one.value:g}"><title>{escape(one.name)}: {figure} {unit}, {share}</title>'
            f'<rect class="area c{n % COLOURS}" x="{one.x:.2f}" y="{one.y:.2f}" width="{one.width:.2f}" height="{one.height:.2f}"/>'
        )
        if one.width > 8 * len(one.name) + 8 and one.height > 20:
            yield f'<text class="area-name" x="{one.x + 7:.2f}" y="{one.y + 18:.2f}">{escape(one.name)}</text>'
        if one.width > 110 and one.height > 38:
            yield f'<text class="area-name" x="{one.x + 7:.2f}" y="{one.y + 34:.2f}">{figure}, {share}</text>'
        yield "</g>"
    yield "</svg>"


# -- waves -------------------------------------------------------------------------------------------------------------------------

# A timing diagram as WaveJSON, drawn as SVG.
#
# WaveJSON is the format of WaveDrom.  The part of it that is drawn here:
#
#     {"signal": [{"name": "aclk", "wave": "p..|."},            clock; "." goes on, "|" leaves cycles out
#                 {},                                            an empty row
#                 ["s_axis", {"name": "tvalid", "wave": "01.|0"}, {"name": "tdata", "wave": "x==|x", "data": ["00ff", "1234"]}]],
#      "head": {"text": "..."}, "foot": {"tock": "0 1 2 7 8"}}   the cycle of each column

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


# -- measured ----------------------------------------------------------------------------------------------------------------------

_JSON = re.compile(r'<script type="application/json" class="(wavejson|synthesis)">(.*?)</script>', re.S)
_PART = "<!-- {0} -->\n.*?<!-- end of {0} -->\n"


@dataclass(frozen=True)
class Measured:
    """The measured contents of a page.

    Attributes
    ----------
    timing : mapping or None
        WaveJSON that was recorded in a simulation of the core.
    areas : sequence of mapping
        Results of ``modeloom synth``, each for another target.
    """

    timing: WaveJson | None = None
    areas: Sequence[Mapping[str, object]] = ()


def timing_lines(measured: Measured) -> Iterator[str]:
    """The part with the timing, between its marks."""
    yield "<!-- timing -->"
    wavejson = measured.timing
    if wavejson is None:
        yield "<p>Not simulated yet: <code>modeloom datasheet</code> on this folder simulates the core and adds the timing here.</p>"
    else:
        yield f"<figure><figcaption>{escape(wavejson['head']['text'], quote=False)}</figcaption>"
        yield from waves(wavejson)
        yield "</figure>"
        yield (
            "<details><summary>WaveJSON of this picture, for <code>wavedrom</code></summary>"
            f"<pre><code>{escape(_pretty(wavejson), quote=False)}</code></pre></details>"
        )
        yield _script("wavejson", wavejson)
    yield "<!-- end of timing -->"


def area_lines(measured: Measured) -> Iterator[str]:
    """The part with the areas, between its marks."""
    yield "<!-- area -->"
    if not measured.areas:
        yield (
            "<p>Not synthesised yet: <code>modeloom synth</code> on this folder stores a result in it, and <code>modeloom datasheet</code> "
            "then adds the area of the blocks here.</p>"
        )
    for result in measured.areas:
        yield f"<h3>{escape(str(result['device']))}</h3>"
        yield f"<p>{_told(result)}</p>"
        yield "<figure>"
        yield from treemap(result)
        yield "</figure>"
        yield from _table(result)
        yield _script("synthesis", result)
    yield "<!-- end of area -->"


def _told(result: Mapping[str, object]) -> str:
    used = result["tools"]
    tools = ", ".join(f"{name} {version}" for name, version in used.items()) if isinstance(used, Mapping) else ""
    depth = f"Depth: {result['levels']} levels. "
    clock = "" if result.get("clock_mhz") is None else f"Clock after place and route: {result['clock_mhz']} MHz. "
    blocks = (
        "Each block is mapped alone. The core was mapped as a whole, so it may have fewer or more LUTs than the sum of its blocks."
        if result.get("blocks") else "The core was mapped as a whole, so that there are no figures of its blocks."
    )  # fmt: skip
    return escape(f"Made with {result['command']} ({tools}). {depth}{clock}{blocks}", quote=False)


def _table(result: Mapping[str, object]) -> Iterator[str]:
    kinds = [("area", "area"), ("ffs", "registers")] if result.get("luts") is None else [
        ("luts", "logic LUTs"), ("memory_luts", "memory LUTs"), ("all_luts", "all LUTs"), ("ffs", "registers"),
        ("bram_cells", "block memories"),
    ]  # fmt: skip
    total = result.get("blocks_total")
    rows = [*blocks_of(result).items(), *([("sum of blocks", total)] if total and isinstance(total, Mapping) else []), ("core", result)]
    yield '<div class="wide"><table>'
    yield f"<tr><th></th>{''.join(f'<th>{head}</th>' for _, head in kinds)}</tr>"
    for name, figures in rows:
        cells = "".join(f'<td class="n">{_number(lut_figure(figures, kind))}</td>' for kind, _ in kinds)
        yield f"<tr><td>{escape(name)}</td>{cells}</tr>"
    yield "</table></div>"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,}".replace(",", " ")


def _script(kind: str, content: Mapping[str, object]) -> str:
    # A script ends at the first "</", wherever it stands.
    return f'<script type="application/json" class="{kind}">{json.dumps(content).replace("</", "<" + chr(92) + "/")}</script>'


def _pretty(wavejson: WaveJson) -> str:
    """WaveJSON with a signal on each line."""
    def signals(each: Sequence[str | Wave | list[str | Wave]], indent: str) -> Iterator[str]:
        for one in each:
            if isinstance(one, list):
                yield f"{indent}[{json.dumps(one[0])},\n" + ",\n".join(signals(one[1:], indent + "  ")) + "]"
            else:
                yield indent + json.dumps(one)

    rest = "".join(f',\n "{name}": {json.dumps(value)}' for name, value in wavejson.items() if name != "signal")
    return '{"signal": [\n' + ",\n".join(signals(wavejson["signal"], "  ")) + f"]{rest}}}"


def read_measured(page: str) -> Measured:
    """The measured contents of a page.  Raises ``ValueError`` if their JSON cannot be read."""
    timing, areas = None, []
    for kind, text in _JSON.findall(page):
        content = json.loads(text)
        if kind == "wavejson":
            timing = content
        else:
            areas.append(content)
    return Measured(timing, tuple(areas))


def with_measured(page: str, measured: Measured) -> str:
    """A page with other measured contents.  Raises ``ValueError`` if it has no place for them."""
    for name, lines in (("timing", timing_lines(measured)), ("area", area_lines(measured))):
        text = "".join(f"{line}\n" for line in lines)
        before, *rest = re.split(_PART.format(name), page, flags=re.S)
        page, count = before + "".join(text + part for part in rest), len(rest)
        if count != 1:
            raise ValueError(f"the page has no place for {name}")
    return page


# -- complete ----------------------------------------------------------------------------------------------------------------------

# Puts measured contents into the page of a folder, and renews the hashes that name the page.
#
#     datasheet.html ──▶ core.json: sha256 ──▶ bill of materials ──▶ SHA256SUMS
#
# All other files stay as they are.

def check_page(directory: str | Path) -> Description:
    """The description of a folder whose page can be completed.

    Raises ``InputError`` if it holds no core, no page, or files that are not those of the build: what is measured of them would not
    belong to the page.
    """
    folder = Path(directory)
    description = read_description(folder)
    page = description.files.html
    if page is None:
        raise InputError(f"{directory} has no HTML datasheet: an older version built the core; build it again")
    if description.sha256 is None:
        raise InputError(f"{directory}/core.json has no hashes; build the core again")
    for file in (page, description.files.verilog):
        path = folder / file
        if not path.is_file() or _hash(path.read_bytes()) != description.sha256.get(file):
            raise InputError(f"{path} is not the file of the build; build the core again")
    return description


def complete(directory: str | Path, measured: Measured) -> Path:
    """Writes the page with these contents, and returns its path below ``directory``.

    Each file is replaced as a whole.  Raises ``InputError`` as ``check_page`` does, and if a build is writing into the folder.
    """
    folder = Path(directory).absolute()
    with building(folder):
        description = check_page(directory)
        assert description.sha256 is not None and description.files.html is not None
        page = folder / description.files.html
        text = with_measured(page.read_text(encoding="utf-8"), measured)
        try:
            _write(folder, renewed(description, {page.name: text}))
        except OSError as error:
            raise InputError(f"{directory} cannot be written: {error.strerror or error}") from None
    return Path(directory) / page.name


def renewed(description: Description, texts: Mapping[str, str]) -> dict[str, str]:
    """Files with other texts, and the files with their hashes."""
    assert description.sha256 is not None
    files = description.files
    made = dict(texts)
    hashes = {**description.sha256, **{file: _hash(text.encode()) for file, text in texts.items()}}
    if files.materials is not None:
        made[files.materials] = bill_of_materials(description, {file: value for file, value in hashes.items() if file != files.materials})
        hashes[files.materials] = _hash(made[files.materials].encode())
    made[files.description] = to_json(replace(description, sha256=hashes).as_json())
    if files.manifest is not None:
        made[files.manifest] = manifest({**hashes, files.description: _hash(made[files.description].encode())})
    return made


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    """Replaces files: all are written under other names before the first one gets its name."""
    with tempfile.TemporaryDirectory(prefix=".datasheet-", dir=folder) as work:
        for file, text in texts.items():
            path = Path(work) / file
            path.write_text(text, encoding="utf-8")
            path.chmod((folder / file).stat().st_mode & 0o777)
        for file in texts:
            os.replace(Path(work) / file, folder / file)
