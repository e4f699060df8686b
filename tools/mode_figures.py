# SPDX-License-Identifier: Apache-2.0
"""Figures on the pages of modes: cycles with their bounds, and areas.  All of them are stored, or compiled in less than a second.

Each row of an area names the command that builds the core, the target and the tool.  A mode without a stored area has none here.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tools")]

from circuit_tables import table  # noqa: E402

from modeloom.compiler.compile import compile_mode  # noqa: E402
from modeloom.measure.aead import cipher_name  # noqa: E402
from modeloom.measure.aead import rows as aead_rows  # noqa: E402
from modeloom.measure.aead import stored as aead_stored  # noqa: E402
from modeloom.modes import all_streams, find  # noqa: E402
from modeloom.options.sectors import Options  # noqa: E402

BASELINES = ROOT / "baselines"

AREA_HEAD = ("command", "target", "measured with", "LUTs", "LUTs as memories", "registers", "block memories", "clock, MHz")

SECTORS = (512, 4096)
"""Bytes of the sectors in the table of cycles.  EME takes at most 2048."""


@cache
def read(path: Path) -> Any:
    """The content of a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def cycles(name: str) -> str:
    """The table of cycles of a mode.  Cycles of modes that ``bench/own_bounds.py`` does not measure are compiled, for one pipeline."""
    if name in all_streams():
        return _stream_cycles(name)
    rows = [row for row in read(BASELINES / "own_bounds.json") if row["mode"] == name] or [_compiled(name)]
    head = ("sector, bytes", "cipher pipelines", "cycles per sector", "bound", "bytes per cycle", "latency, cycles", "bound")
    cells = [
        (row["sector"], row["aes"], row["ii"], row["ii_bound"], f"{row['sector'] / row['ii']:.1f}", row["latency"],
         row["latency_bound"])
        for row in rows
    ]  # fmt: skip
    return table(head, cells, 0)


def _compiled(name: str) -> dict[str, Any]:
    figures = compile_mode(find(name), Options(sector=SECTORS[0]), prove=False).explain()
    return {"sector": SECTORS[0], "aes": 1, **{key: figures[key] for key in ("ii", "ii_bound", "latency", "latency_bound")}}


def _stream_cycles(name: str) -> str:
    """Cycles a block and latency of the cores of ``bench/aead.py``, which do not depend on the target."""
    rows = [row for row in aead_rows(aead_stored(), "xc7") if row["mode"] == name]
    head = ("cipher", "cycles per block", "tokens of a message", "latency, cycles", "bytes per cycle, measured")
    names = ("cycles_a_block", "tokens", "latency", "bytes_a_cycle")
    return table(head, [(cipher_name(row["architecture"]), *("-" if row[key] is None else row[key] for key in names)) for row in rows], 1)


def area(name: str) -> str:
    """The table of stored areas of a mode by target and LUTs, or "" if there is none.  Two benches may have measured the same core."""
    found = dict.fromkeys([*_routed(name), *_scaling(name), *_papers(name), *_aead(name), *_swept(name)])
    rows = sorted(found, key=lambda row: (row[1], row[3]))
    return table(AREA_HEAD, [tuple("-" if value is None else value for value in row) for row in rows], 3) if rows else ""


def _routed(name: str) -> list[tuple[Any, ...]]:
    """What ``baselines/make.py`` and ``bench/scaling.py`` have placed and routed, and what ``baselines/make.py yosys`` has mapped."""
    rows = []
    for path in sorted([*BASELINES.glob("nextpnr-*/*.json"), *BASELINES.glob("yosys-*/*.json")]):
        e = read(path)
        core = e.get("core") or {}
        if core.get("mode") == name and "command" in core:
            clock = None if e["clock_mhz"] is None else f"{e['clock_mhz']:.1f}"
            tool = path.parent.name.replace("yosys", "Yosys").replace("-", " ")
            m = e["memories"]
            memories = m["lutram_luts"] + m["srl_luts"]
            rows.append((f"`{core['command']}`", e["target"], tool, e["luts"], memories, e["ffs"], m["bram_cells"], clock))
    return rows


def _scaling(name: str) -> list[tuple[Any, ...]]:
    """What ``bench/scaling.py`` has mapped by blocks."""
    return [
        (f"`modeloom build {row['name'].partition(' --target')[0]}`", row["target"], f"Yosys {row['yosys']}, by blocks", row["luts"],
         row["lutram_luts"] + row["srl_luts"], row["registers"], row["bram_cells"], None)
        for row in read(BASELINES / "scaling.json")["areas"] if row["mode"] == name
    ]  # fmt: skip


def _papers(name: str) -> list[tuple[Any, ...]]:
    """What ``bench/papers.py`` has mapped by blocks, with the units of papers."""
    return [
        (f"`modeloom build {row['name'].partition(' --target')[0]}`", row["target"], f"Yosys {row['yosys']}, by blocks", row["luts"],
         row["lut_memory"], row["registers"], row["block_rams"], None)
        for row in read(ROOT / "src" / "modeloom_papers" / "measured" / "areas.json") if row["mode"] == name and "luts" in row
    ]  # fmt: skip


def _aead(name: str) -> list[tuple[Any, ...]]:
    """What ``bench/aead.py`` has mapped."""
    return [
        (f"`{row['command']}`", target, f"Yosys {e['tools']['yosys']}", e["luts"], e["lutram_luts"] + e["srl_luts"], e["ffs"],
         e["bram_cells"], None)
        for row in aead_stored() if row["mode"] == name for target, e in row.get("areas", {}).items()
    ]  # fmt: skip


@cache
def swept() -> list[sqlite3.Row]:
    """The rows with an area of the sweep that ``modeloom sweep bench/sweeps/docs.toml`` has stored.  The file is only read."""
    connection = sqlite3.connect(f"file:{ROOT / 'bench' / 'sweeps' / 'docs.sqlite'}?mode=ro&immutable=1", uri=True)
    connection.row_factory = sqlite3.Row
    found = connection.execute("SELECT * FROM latest WHERE kind != 'circuit' AND luts IS NOT NULL ORDER BY target, luts").fetchall()
    connection.close()
    return found


def _swept(name: str) -> list[tuple[Any, ...]]:
    """What the sweep has mapped by blocks."""
    return [
        (f"`{row['command'].partition(' -o ')[0]}`", row["target"], f"Yosys {json.loads(row['tools'])['pyosys']}, by blocks", row["luts"],
         row["lutram_luts"] + row["srl_luts"], row["ffs"], row["bram"], row["mhz"])
        for row in swept() if row["name"] == name and row["area"] == "blocks"
    ]  # fmt: skip
