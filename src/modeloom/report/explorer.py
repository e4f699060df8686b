# SPDX-License-Identifier: Apache-2.0
"""The points of a sweep as one page of HTML: a plot, filters, a table that sorts, and the figures and the command of each point.

::

    rows of the sweep ──▶ data ──┐
    references ─────────────────▶├──▶ page.html, which loads nothing
    templates/explorer.* ───────▶┘

The page draws its plot with a script of its own.  A library for plots has three to four megabytes, which each page would carry, as it
loads nothing from a network; this script has some ten kilobytes.  Text of the file is data for the script, and never HTML; the policy of
the page lets no other script run.  The same file of results gives the same page.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from html import escape
from importlib import resources

from modeloom.modes import find_any
from modeloom.report.references import references
from modeloom.spec import UnknownName
from modeloom.spec.wording import many
from modeloom.sweep.store import Row, key_bits
from modeloom.sweep.tables import all_luts, is_broken, options_text, pareto_front

__all__ = ["AXES", "FILTERS", "explorer_data", "explorer_page"]

AXES = {
    "luts_all": "all LUTs", "nand2": "NAND2 gates", "storage_blocks": "blocks of storage", "cipher_cores": "cipher cores",
    "multipliers": "multipliers", "ffs": "flip-flops", "bram": "block memories", "latency": "latency (cycles)",
    "bytes_per_cycle": "bytes per cycle", "gbit": "Gbit/s", "mhz": "MHz after place and route", "levels": "levels of logic",
}  # fmt: skip
"""Figures that an axis may have, with their names.  LUTs are those of logic, memories and shift registers together."""

AREAS = ("luts_all", "nand2", "ffs", "bram")
"""Axes on which designs of others stand only beside targets of the same family and unit."""

LOWER = tuple(axis for axis in AXES if axis not in ("bytes_per_cycle", "gbit", "mhz"))
"""Axes on which less is better."""

DEFAULT = (
    ("luts_all", "bytes_per_cycle"), ("nand2", "bytes_per_cycle"), ("latency", "bytes_per_cycle"), ("luts_all", "levels"),
    ("nand2", "latency"),
)  # fmt: skip
"""Pairs of axes.  The page begins with the first one that a point has figures for."""

COLUMNS = {
    "sector_bytes": "sector", "key_bits": "key bits", "cycles_per_sector": "cycles/sector", "bytes_per_cycle": "bytes/cycle",
    "gbit": "Gbit/s", "latency": "latency", "storage_blocks": "storage", "cipher_cores": "ciphers", "multipliers": "multipliers",
    "luts_all": "all LUTs", "ffs": "registers",
    "bram": "BRAM", "nand2": "NAND2", "levels": "levels", "mhz": "MHz",
}  # fmt: skip
"""Figures of the table.  Columns in which no point has a figure are left out."""

MORE = {
    "sector_bytes": "bytes of a sector", "key_bits": "key bits (the largest size)", "blocks_per_cycle": "blocks per cycle",
    "cycles_per_sector": "cycles per sector", "luts": "logic LUTs", "lutram_luts": "LUTs as memories",
    "srl_luts": "LUTs as shift registers", "dsps": "DSP blocks",
}  # fmt: skip
"""Further figures of a point."""

FILTERS = {
    "kind": "kind", "sector": "sector (bytes)", "key_bits": "key bits", "pipelines": "cipher cores",
    "multipliers": "multipliers", "mul": "multiplier circuit", "sbox": "S-box", "target": "target / area of", "status": "status",
}  # fmt: skip
"""Filters other than that of modes.  Each is a name in the fragment of the URL."""


def explorer_data(rows: Sequence[Row]) -> dict[str, object]:
    """What the page shows, as plain data."""
    front = pareto_front(rows)
    # The key size says something only beside another one.
    several = len({key_bits(row) for row in rows} - {None}) > 1
    columns = {name: head for name, head in COLUMNS.items() if name != "key_bits" or several}
    return {
        "axes": AXES, "areas": AREAS, "lower": LOWER, "default": DEFAULT, "columns": columns, "more": MORE, "filters": FILTERS,
        "points": [_point(row, row["key"] in front) for row in sorted(rows, key=_order)], "references": references(),
    }  # fmt: skip


def explorer_page(rows: Sequence[Row], title: str) -> str:
    """Text of the page.

    Parameters
    ----------
    rows : sequence of Row
        Rows of a file of results (``sweep.store``).
    title : str
        Its title.
    """
    script = _template("explorer.js")
    values = {
        "HASH": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(), "TITLE": escape(title),
        "STYLE": _template("explorer.css"), "ABOUT": escape(_about(rows)), "DATA": _inert(explorer_data(rows)), "SCRIPT": script,
    }  # fmt: skip
    return re.sub(r"@([A-Z]+)@", lambda place: values[place[1]], _template("explorer.html"))


def _about(rows: Sequence[Row]) -> str:
    done = sum(row["status"] == "ok" for row in rows)
    proved = sum(bool(row["proved"]) for row in rows)
    return (
        f"{many(len(rows), 'point')} of modeloom sweep: {done} with figures, and {proved} proved to compute the mode. Click a point to "
        "see its figures and the command that builds it. "
        "The URL of this page contains the filters, the axes and the order, so it can be shared."
    )


def _order(row: Row) -> tuple[object, ...]:
    return (row["kind"] == "circuit", row["kind"], row["name"], row["target"] or "", row["options"], row["key"])


def _point(row: Row, front: bool) -> dict[str, object]:
    options, (title, security) = json.loads(row["options"]), _mode(row)
    rate, mhz = row["bytes_per_cycle"], row["mhz"]
    figures = {name: row[name] for name in {**AXES, **COLUMNS, **MORE} if name in row}
    figures |= {
        "luts_all": all_luts(row),
        "key_bits": key_bits(row), "gbit": None if rate is None or mhz is None else round(rate * mhz * 8 / 1000, 4),
    }
    filters = {
        "kind": row["kind"], "sector": row["sector_bytes"], "key_bits": key_bits(row), "pipelines": row["cipher_cores"],
        "multipliers": row["multipliers"], "mul": options.get("mul-arch", "default"),
        "sbox": options.get("cipher-sbox", options.get("sbox", "default")),
        "target": "none" if row["target"] is None else f"{row['target']}/{row['area']}", "status": row["status"],
    }  # fmt: skip
    return {
        "key": row["key"], "name": row["name"], "text": options_text(row), "filters": filters, "figures": figures, "front": front,
        "title": title, "security": security, "broken": is_broken(row),
        "status": row["status"], "error": row["error"], "command": row["command"], "proved": _proved(row), "definition": row["definition"],
        "tools": json.loads(row["tools"]), "result": json.loads(row["result"]),
    }  # fmt: skip


def _mode(row: Row) -> tuple[str, str]:
    """The title and the security of a mode.  For modes of others, the row has them, if it is not an old one.  Circuits have neither."""
    if row["kind"] == "circuit":
        return "", ""
    if own := json.loads(row["result"]).get("mode"):
        return own["title"], own["security"]
    if ":" in row["name"]:
        return "", ""
    try:
        mode = find_any(row["name"])
    except UnknownName:
        # The file may come from another version of modeloom.
        return "", ""
    return mode.title, mode.security


def _proved(row: Row) -> str:
    """What was proved or tested of a point."""
    what = {"sector": "the program computes the mode", "stream": "the pipeline computes the mode"}.get(row["kind"])
    parts = [what] if what and row["proved"] else []
    parts += ["the testbench of the core passed"] if row["simulated"] else []
    return "; ".join(parts) or "nothing"


def _inert(data: object) -> str:
    """JSON that no parser of HTML takes for the end of its element."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def _template(name: str) -> str:
    return (resources.files("modeloom.report") / "templates" / name).read_text(encoding="utf-8").removesuffix("\n")
