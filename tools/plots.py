#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of docs/aead.md, docs/circuits.md, docs/scaling.md, docs/streams.md and docs/papers.md: ``python tools/plots.py``
(``--check``: only says which no longer show today's figures).

Drawing needs matplotlib (``pip install -e '.[docs]'``); the check does not.  Each picture carries the points that it shows, as JSON in
the description among its metadata, with a hash of the code that drew it; the check compares both, the points with the figures of the
gate lists and with those that are stored in ``baselines/`` and ``papers/measured/``.
"""

from __future__ import annotations

import hashlib
import html
import inspect
import json
import math
import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tools")]

import scaling_tables  # noqa: E402

from modeloom.measure.aead import rows as aead_rows  # noqa: E402
from modeloom.measure.aead import stored as aead_stored  # noqa: E402
from modeloom_circuits import find_circuit  # noqa: E402
from modeloom_papers.speedup import STREAMS  # noqa: E402
from modeloom_papers.speedup import rows as speedup_rows  # noqa: E402

IMAGES = ROOT / "docs" / "img"

HALTS = (2, 4, 8, 16, 32, 64)

Series = dict[str, list[tuple[float, float, str]]]
"""Points (x, y, label) by the name of a line."""


def stored(family: str) -> list[dict[str, Any]]:
    """Figures that ``bench/circuits.py`` has measured."""
    return json.loads((ROOT / "baselines" / "circuits" / f"{family}.json").read_text(encoding="utf-8"))


@cache
def multiplier_gates() -> Series:
    """gcm2008, Fig. 5.2: NAND2 gates against gate delays for each halting size, and the multipliers that the thesis does not have."""
    lines: Series = {}
    for name in ("karatsuba", "fan-hasan", "karatsuba-refined"):
        points = []
        for halt in HALTS:
            gates = find_circuit(name).build(halt=halt).gates
            assert gates is not None
            points.append((gates.depth, gates.nand2, str(halt)))
        lines[name] = points
    return lines


def multiplier_luts() -> Series:
    """LUTs against levels of the multipliers on Virtex-6."""
    lines: Series = {}
    for row in stored("multipliers"):
        if row.get("target") == "xc6v" and row["latency"] == 0 and row["circuit"] != "square":
            lines.setdefault(row["circuit"], []).append((row["levels"], row["luts"], str(row["options"].get("halt", ""))))
    return lines


def sbox_area() -> Series:
    """NAND2 gates against delay of the forward S-boxes in standard cells, mapped for area and for delay."""
    lines: Series = {}
    for row in stored("sboxes"):
        if row.get("target") == "osu018" and row["circuit"].startswith("sbox-") and row["options"]["direction"] == "forward":
            both = ((row["delay_ns"], row["area_nand2"], "area"), (row["fast"]["delay_ns"], row["fast"]["area_nand2"], "delay"))
            lines.setdefault(row["circuit"], []).extend(both)
    return lines


def traffic() -> Series:
    """Percent of the peak against bytes of associated data, for mixes of packets."""
    lines: Series = {}
    for row in json.loads((ROOT / "baselines" / "traffic.json").read_text(encoding="utf-8")):
        blocks = row["blocks_per_cycle"]
        name = f"{row['mix']}, {blocks} block{'s' if blocks > 1 else ''}"
        lines.setdefault(name, []).append((row["associated_bytes"], row["percent_of_peak"], ""))
    return lines


def speedup() -> Series:
    """luts2017, section 2.3: the formula G against blocks of a message, and what was measured."""
    lines: Series = {}
    for row in speedup_rows():
        place = math.log2(int(row["row"]))
        for streams in STREAMS:
            for name in ("formula", "measured"):
                if (value := row["ours"][f"{name}_{streams}"]) is not None:
                    lines.setdefault(f"{name}, N = {streams}", []).append((place, value, ""))
    return lines


def aead() -> Series:
    """Bytes per cycle against LUTs of all kinds on xc7, for each stream mode with its ciphers."""
    lines: Series = {}
    for row in aead_rows(aead_stored(), "xc7"):
        if row["luts"] is not None:
            luts = sum(row[kind] for kind in ("luts", "lutram_luts", "srl_luts"))
            label = row["mode"] if row["architecture"] == "pipeline" else ""
            lines.setdefault(row["mode"], []).append((luts, row["bytes_a_cycle"], label))
    return lines


PLOTS: dict[str, tuple[Callable[[], Series], str, str]] = {
    "aead": (aead, "LUTs of logic, memories and shift registers, xc7", "bytes per cycle"),
    "multiplier_gates": (multiplier_gates, "gates on the longest path of the product", "area of the product, NAND2 gates"),
    "multiplier_luts": (multiplier_luts, "LUT levels, Virtex-6", "LUTs"),
    "sbox_area": (sbox_area, "delay, ns, osu018", "area, NAND2 gates"),
    "scaling": (scaling_tables.points, "LUT4 of ECP5, logic and memory", "Gbit/s at the routed clock"),
    "speedup": (speedup, "blocks of a message, as a power of two", "speed-up over one round"),
    "traffic": (traffic, "bytes of associated data in each packet", "percent of the peak"),
}
"""Picture: its points, and the names of its axes."""


MARKERS = "osD^vP*X<>hp"

OFFSETS = tuple((dx * reach, dy * reach) for reach in (7, 12, 18, 25, 33) for dx, dy in (
    (1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1.3), (0, -1.3), (1.3, 0), (-1.3, 0),
))  # fmt: skip
"""Points of the page from a marker to the nearest edge of its label, in the order in which places are tried."""

Box = tuple[float, float, float, float]
"""Left, bottom, right, top, in pixels."""


def overlap(one: Box, other: Box) -> bool:
    """Whether two boxes have an area in common."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def free_place(point: tuple[float, float], size: tuple[float, float], taken: Sequence[Box], within: Box, scale: float) -> Box | None:
    """The first place of ``OFFSETS`` for a label of a size at a point which meets no box and does not leave the area, or None.

    ``scale`` is pixels for each point of the page.
    """
    for dx, dy in OFFSETS:
        x, y = point[0] + dx * scale, point[1] + dy * scale
        left = x if dx > 0 else x - size[0] if dx < 0 else x - size[0] / 2
        bottom = y if dy > 0 else y - size[1] if dy < 0 else y - size[1] / 2
        box = (left, bottom, left + size[0], bottom + size[1])
        inside = within[0] <= box[0] and within[1] <= box[1] and box[2] <= within[2] and box[3] <= within[3]
        if inside and not any(overlap(box, other) for other in taken):
            return box
    return None


def on_line(start: tuple[float, float], end: tuple[float, float], step: float) -> list[Box]:
    """Small boxes along a line, in pixels."""
    count = max(1, int(max(abs(end[0] - start[0]), abs(end[1] - start[1])) / step))
    places = [(start[0] + (end[0] - start[0]) * i / count, start[1] + (end[1] - start[1]) * i / count) for i in range(count + 1)]
    return [(x - 1, y - 1, x + 1, y + 1) for x, y in places]


def labels(series: Series) -> list[tuple[str, float, float, str]]:
    """What stands beside each point, with the name of its line; once for points of a line that are one."""
    found: dict[tuple[str, float, float], list[str]] = {}
    for name, points in series.items():
        for x, y, label in points:
            texts = found.setdefault((name, x, y), [])
            if label and label not in texts:
                texts.append(label)
    return [(name, x, y, ", ".join(texts)) for (name, x, y), texts in found.items() if texts]


def draw(series: Series, x: str, y: str, path: Path) -> list[Box]:
    """Writes a picture, the same bytes for the same points; the boxes of its labels and of its markers.

    Raises ``ValueError`` if a label finds no place.
    """
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    plt.rcParams.update({"svg.hashsalt": "modeloom", "svg.fonttype": "none", "font.size": 10})
    figure, axes = plt.subplots(figsize=(8.4, 4.6))
    colours = {}
    for (name, points), marker in zip(series.items(), MARKERS, strict=False):
        line = sorted(points)
        (drawn,) = axes.plot([p[0] for p in line], [p[1] for p in line], marker=marker, linewidth=1, label=name)
        colours[name] = drawn.get_color()
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.margins(x=0.06)
    axes.set_ylim(0, 1.1 * max(point[1] for line in series.values() for point in line))
    for axis, place in ((axes.xaxis, 0), (axes.yaxis, 1)):
        values = [point[place] for line in series.values() for point in line]
        if all(float(value).is_integer() for value in values):
            # Of what is counted there are no fractions.
            axis.set_major_locator(MaxNLocator(nbins=7, integer=True))
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}".replace(",", "\N{NO-BREAK SPACE}")))
    axes.grid(alpha=0.3)
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0)
    figure.tight_layout()
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    scale = figure.dpi / 72
    half = 4 * scale
    at = {(px, py): tuple(axes.transData.transform((px, py))) for line in series.values() for px, py, _ in line}
    boxes: list[Box] = [(px - half, py - half, px + half, py + half) for px, py in at.values()]
    area = axes.get_window_extent(renderer)
    lines = [[at[px, py] for px, py, _ in sorted(line)] for line in series.values()]
    crossed = [box for line in lines for pair in zip(line, line[1:]) for box in on_line(*pair, 3.0)]
    for name, px, py, text in labels(series):
        shown = axes.text(px, py, text, fontsize=8, color=colours[name])
        extent = shown.get_window_extent(renderer)
        size = (extent.width, extent.height)
        # Beside all lines if there is room, else on one.
        tries = (free_place(at[px, py], size, taken, area.extents, scale) for taken in ([*boxes, *crossed], boxes))
        box = next((place for place in tries if place is not None), None)
        if box is None:
            raise ValueError(f"{path.name}: no place for the label {text!r}")
        shown.set_verticalalignment("bottom")
        boxes.append(box)
        # In inches: SVG has other pixels than the canvas that has measured the text.
        shown.set_transform(figure.dpi_scale_trans)
        shown.set_position((box[0] / figure.dpi, box[1] / figure.dpi))
    figure.savefig(path, metadata={"Date": None, "Creator": "modeloom", "Description": json.dumps(described(series))})
    plt.close(figure)
    return boxes


def drawing() -> str:
    """A hash of what draws: the pictures are drawn anew when it changes."""
    parts = [inspect.getsource(function) for function in (overlap, free_place, on_line, labels, draw)]
    return hashlib.sha256("".join([*parts, MARKERS, repr(OFFSETS), repr([(x, y) for _, x, y in PLOTS.values()])]).encode()).hexdigest()[:16]


def described(series: Series) -> dict[str, Any]:
    """What a picture says of itself among its metadata."""
    return {"drawing": drawing(), "points": series}


def shown(path: Path) -> Any:
    """What a picture says of itself (``described``); None if there is no picture or it says nothing."""
    if not path.is_file():
        return None
    found = re.search(r"<dc:description>(.*?)</dc:description>", path.read_text(encoding="utf-8"), re.DOTALL)
    return json.loads(html.unescape(found[1])) if found else None


def main(arguments: Sequence[str]) -> int:
    """Draws what differs, or with ``--check`` says what does; exit status 1 if something does."""
    if list(arguments) not in ([], ["--check"]):
        print("usage: python tools/plots.py [--check]", file=sys.stderr)
        return 2
    stale = []
    for name, (points, x, y) in PLOTS.items():
        path, series = IMAGES / f"{name}.svg", points()
        if shown(path) != json.loads(json.dumps(described(series))):
            stale.append(path)
            if not arguments:
                draw(series, x, y, path)
    for path in stale:
        print(f"{path.relative_to(ROOT)}: {'differs; run python tools/plots.py' if arguments else 'drawn'}")
    return 1 if arguments and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
