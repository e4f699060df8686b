#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of docs/circuits.md and docs/scaling.md: ``python tools/plots.py`` (``--check``: only says which
no longer show today's figures).

Drawing needs matplotlib (``pip install -e '.[docs]'``); the check does not.  Each picture carries the points that it shows, as JSON in
the description among its metadata, and the check compares these with the figures: of the gate lists, and stored in ``baselines/``.
"""

from __future__ import annotations

import html
import json
import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tools")]

import scaling_tables  # noqa: E402

from modeloom.circuits import find_circuit  # noqa: E402

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


PLOTS: dict[str, tuple[Callable[[], Series], str, str]] = {
    "multiplier_gates": (multiplier_gates, "gates on the longest path of the product", "area of the product, NAND2 gates"),
    "multiplier_luts": (multiplier_luts, "LUT levels, Virtex-6", "LUTs"),
    "sbox_area": (sbox_area, "delay, ns, osu018", "area, NAND2 gates"),
    "scaling": (scaling_tables.points, "LUT4 of ECP5, logic and memory", "Gbit/s at the routed clock"),
}
"""Picture: its points, and the names of its axes."""


def draw(series: Series, x: str, y: str, path: Path) -> None:
    """Writes a picture, the same bytes for the same points."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.hashsalt": "modeloom", "svg.fonttype": "none", "font.size": 10})
    figure, axes = plt.subplots(figsize=(7, 4.2))
    for (name, points), marker in zip(series.items(), "osD^vP*X<>", strict=False):
        line = sorted(points)
        axes.plot([p[0] for p in line], [p[1] for p in line], marker=marker, linewidth=1, label=name)
        for px, py, label in line:
            axes.annotate(label, (px, py), textcoords="offset points", xytext=(5, 4), fontsize=8)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None, "Creator": "modeloom", "Description": json.dumps(series)})
    plt.close(figure)


def shown(path: Path) -> Any:
    """The points that a picture carries; None if there is no picture or it carries none."""
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
        if shown(path) != json.loads(json.dumps(series)):
            stale.append(path)
            if not arguments:
                draw(series, x, y, path)
    for path in stale:
        print(f"{path.relative_to(ROOT)}: {'differs; run python tools/plots.py' if arguments else 'drawn'}")
    return 1 if arguments and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
