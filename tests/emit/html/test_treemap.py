# SPDX-License-Identifier: Apache-2.0
"""Rectangles of a treemap fill the picture, do not overlap, and have the areas of their blocks."""

from __future__ import annotations

import math
import re
from random import Random

import pytest

from modeloom.emit.html.measured import HEIGHT, WIDTH, Measured, area_lines, layout, read_measured, treemap

RESULT = {
    "design": "core", "device": "xc7", "command": "modeloom synth DIR --target xc7", "tools": {"yosys": "0.70"}, "luts": 900, "ffs": 70,
    "memories": {"lutram_luts": 0, "bram_cells": 2}, "levels": 7, "clock_mhz": None, "blocks_total": {"luts": 1000, "ffs": 70},
    "blocks": {"cipher": {"luts": 600, "ffs": 40}, "multiplier 0": {"luts": 300, "ffs": 20}, "bus": {"luts": 100, "ffs": 10},
               "empty": {"luts": 0, "ffs": 0}},
}  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_layout(seed):
    random = Random(seed)
    values = {f"block {n}": random.choice((0, 1, 7, random.randrange(1, 5000))) for n in range(random.randrange(1, 20))}
    values["one"] = 3
    found = layout(values, WIDTH, HEIGHT)
    assert {one.name: one.value for one in found} == {name: value for name, value in values.items() if value}
    scale = WIDTH * HEIGHT / sum(values.values())
    for one in found:
        assert math.isclose(one.width * one.height, one.value * scale, rel_tol=1e-9)
        assert one.x >= -1e-6 and one.y >= -1e-6 and one.x + one.width <= WIDTH + 1e-6 and one.y + one.height <= HEIGHT + 1e-6
    for n, one in enumerate(found):
        for other in found[n + 1 :]:
            across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
            down = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
            assert across < 1e-6 or down < 1e-6, (one, other)


def drawn(lines: list[str]) -> dict[str, tuple[float, float]]:
    """For each block of a picture, its value and the area of its rectangle."""
    text = "\n".join(lines)
    pattern = r'data-name="([^"]*)" data-value="([^"]*)">.*?width="([\d.]+)" height="([\d.]+)"'
    return {name: (float(value), float(width) * float(height)) for name, value, width, height in re.findall(pattern, text, re.S)}


def test_areas_sum_to_those_of_the_synthesis():
    found = drawn(list(treemap(RESULT)))
    assert sum(value for value, _ in found.values()) == RESULT["blocks_total"]["luts"]
    assert math.isclose(sum(area for _, area in found.values()), WIDTH * HEIGHT, rel_tol=1e-3)
    for value, area in found.values():
        assert math.isclose(area / (WIDTH * HEIGHT), value / 1000, rel_tol=1e-3)
    # A block of another size, or one that is left out, is seen.
    wrong = {**RESULT, "blocks": {**RESULT["blocks"], "bus": {"luts": 101}}}
    assert sum(value for value, _ in drawn(list(treemap(wrong))).values()) != 1000


def test_luts_as_memories_and_as_shift_registers_count():
    blocks = {"bus": {"luts": 100, "ffs": 10, "memories": {"lutram_luts": 40, "srl_luts": 2, "bram_cells": 0}}}
    result = {**RESULT, "blocks": blocks, "blocks_total": None}
    assert drawn(list(treemap(result)))["bus"][0] == 142
    table = "".join(area_lines(Measured(None, (result,))))
    assert "<th>logic LUTs</th><th>memory LUTs</th><th>all LUTs</th>" in table
    assert '<td>bus</td><td class="n">100</td><td class="n">42</td><td class="n">142</td>' in table


def test_without_blocks_there_is_the_core():
    assert list(drawn(list(treemap({**RESULT, "blocks": None})))) == ["core"]
    gates = {**RESULT, "luts": None, "area": 12.5, "blocks": None}
    assert drawn(list(treemap(gates)))["core"][0] == 12.5


def test_the_part_of_the_page():
    measured = Measured(None, (RESULT, {**RESULT, "device": "</script><b>"}))
    text = "\n".join(area_lines(measured))
    assert read_measured(text) == measured and "<b>" not in re.sub(r"<script.*?</script>", "", text, flags=re.S)
    assert text.count("</script>") == 2 and "modeloom synth DIR --target xc7" in text and "1 000" in text
