# SPDX-License-Identifier: Apache-2.0
"""The area of the blocks of a core as a treemap: the area of each rectangle is that of its block.

Squarified treemaps: Bruls, Huizing, van Wijk, Data Visualization 2000, section 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple

from modeloom.emit.html.luts import blocks_of, lut_figure
from modeloom.emit.html.style import COLOURS

__all__ = ["Rectangle", "layout", "treemap"]

WIDTH, HEIGHT = 960, 420
"""Pixels of a picture."""


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
