# SPDX-License-Identifier: Apache-2.0
"""A comparison of modes as a picture (SVG): a bar of bytes per cycle for each line, with the other figures beside it.

The picture has its own background, so it looks the same on light and on dark pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from modeloom.report.chart import COLOURS
from modeloom.sweep.compare import Line

__all__ = ["comparison"]

LEFT, WIDTH, RIGHT, TOP, ROW, BAR = 300, 380, 420, 44, 24, 16
"""Pixels: names, the longest bar, figures, head, height of a row, height of a bar."""


LABEL = 44
"""Characters of a name."""


def comparison(lines: Sequence[Line]) -> str:
    """The lines of ``sweep.compare.compared`` as an SVG document, the same text for the same lines."""
    modes = list(dict.fromkeys(line["mode"] for line in lines))
    sizes = len({line["bytes"] for line in lines}) > 1
    most = max((line["bytes_per_cycle"] or 0 for line in lines), default=0) or 1
    height, width = TOP + ROW * len(lines) + 16, LEFT + WIDTH + RIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="24" font-weight="bold">bytes per cycle</text>',
    ]
    for number, line in enumerate(lines):
        y = TOP + ROW * number
        colour = COLOURS[modes.index(line["mode"]) % len(COLOURS)]
        rate = line["bytes_per_cycle"]
        length = round(WIDTH * (rate or 0) / most, 1)
        told = "; ".join(_figures(line))
        parts += [
            f'<g><title>{escape(line["command"])}</title>',
            f'<text x="{LEFT - 8}" y="{y + 13}" text-anchor="end">{escape(_name(line, sizes))}</text>',
            f'<rect x="{LEFT}" y="{y}" width="{length}" height="{BAR}" fill="{colour}"/>',
            f'<text x="{LEFT + length + 6}" y="{y + 13}" fill="#333333">{escape(told)}</text></g>',
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _name(line: Line, sizes: bool) -> str:
    """The label of a line.  Its bytes stand there if lines differ in them, and the options do not say so."""
    options = line["text"]
    name = line["mode"] if options == "-" else f"{line['mode']}: {options}"
    end = f", {line['bytes']} bytes" if sizes and f"sector {line['bytes']}" not in options.split(", ") else ""
    return name + end if len(name + end) <= LABEL else f"{name[: LABEL - len(end) - 1]}…{end}"


def _figures(line: Line) -> list[str]:
    if line["status"] != "ok":
        return [line["status"]]
    told = [f"{line['bytes_per_cycle']:g}", f"{line['cycles']:g} cycles", f"latency {line['latency']}"]
    if line["all_luts"] is not None:
        told.append(f"{line['all_luts']} LUTs in all")
    return told
