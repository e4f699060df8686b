# SPDX-License-Identifier: Apache-2.0
"""Designs of papers and open cores, as points beside those of a sweep.

::

    papers/printed/*.json  ──▶  as printed: slices or gates, clock, cycles of a sector
    report/peers.json      ──▶  open cores: LUTs, as measured or published

No unit becomes another one: slices stay slices.  ``targets`` names the targets whose areas have the same unit on the same family, and is
empty for most.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from functools import cache
from importlib import resources

from modeloom.papers.printed import Row, printed, value

__all__ = ["references"]

Reference = dict[str, object]

SECTOR_BYTES = 512
"""Bytes of a sector in the tables of whole cores: 32 blocks."""

SECTOR_TABLES = {"tes2010": ("6", "7", "8", "9"), "brw2013": ("3",)}

MESSAGE_TABLES = {"gcm2008": {"4.1": 1, "4.2": 1}, "luts2017": {"2": 1, "3": 1, "5": 1000, "7": 1000}}
"""Tables of whole cores and of ciphers, each with what its throughput is divided by for Gbit/s."""

GATES = ("gates", "liberty")
"""Targets whose area is in NAND2 gates."""


def references() -> list[Reference]:
    """The designs, in the order of papers and of ``peers.json``.

    Returns
    -------
    list of dict
        Each has ``id``, ``name``, ``text``, ``device``, ``area`` (with its unit, or None), ``targets`` (those whose area is comparable),
        ``source``, ``measured``, ``note``, and ``figures`` by the names of the axes of the page.  Bytes a cycle are those of a sector in
        its printed cycles, or the printed throughput at the printed clock.
    """
    found = [*_sectors(), *_messages(), *_peers()]
    return [{"id": f"reference-{number}", **one} for number, one in enumerate(found)]


def _sectors() -> Iterator[Reference]:
    for paper, wanted in SECTOR_TABLES.items():
        for table, row in _rows(paper, wanted):
            cycles = value(row, "cycles")
            figures = {
                "bytes_per_cycle": round(SECTOR_BYTES / cycles, 4), "latency": cycles, "mhz": value(row, "frequency"),
                "gbit": value(row, "throughput"),
            }  # fmt: skip
            yield _paper(paper, table, row, figures, [], f"{value(row, 'slices')} slices")


def _messages() -> Iterator[Reference]:
    for paper, wanted in MESSAGE_TABLES.items():
        for table, row in _rows(paper, wanted):
            mhz, gbit = value(row, "frequency"), value(row, "throughput") / wanted[table["table"]]
            figures: Row = {"bytes_per_cycle": round(gbit * 1000 / 8 / mhz, 2), "mhz": mhz, "gbit": round(gbit, 4)}
            gates = value(row, "gates") or (round(1000 * value(row, "kilogates")) if value(row, "kilogates") else None)
            area = f"{value(row, 'slices')} slices" if gates is None else f"{gates} NAND2 gates"
            if gates is not None:
                figures["nand2"] = gates
            yield _paper(paper, table, row, figures, [] if gates is None else list(GATES), area)


def _rows(paper: str, wanted: Collection[str]) -> Iterator[tuple[Row, Row]]:
    for table in printed(paper):
        if table["table"] in wanted:
            yield from ((table, row) for row in table["rows"])


def _paper(
    paper: str, table: Row, row: Row, figures: Row, targets: list[str], area: str
) -> Reference:
    place = f"{paper}, " + (f"table {table['table']}" if re.match(r"\d", table["table"]) else table["table"])
    notes = [*row.get("notes", []), *(["a misprint is corrected"] if "corrected" in row else [])]
    return {
        "name": row["mode"], "text": ", ".join(part for part in (row.get("core"), f"row {row['row']}") if part),
        "device": row.get("device", "not printed"), "area": area, "targets": targets,
        "source": place, "measured": "as printed", "note": "; ".join(notes), "figures": figures,
    }  # fmt: skip


@cache
def _stored() -> Row:
    found: Row = json.loads((resources.files("modeloom.report") / "peers.json").read_text(encoding="utf-8"))
    return found


def _peers() -> Iterator[Reference]:
    data = _stored()
    for one in data["peers"]:
        # LUTs of shift registers count in the areas of sweeps, too.
        luts = one["luts"] + one.get("srl16e", 0)
        figures = {"luts_all": luts, "latency": one.get("latency"), **{
            name: one[name] for name in ("ffs", "bram", "bytes_per_cycle", "mhz") if name in one
        }}  # fmt: skip
        yield {
            "name": one["name"], "text": one["text"], "device": one["device"], "area": f"{luts} LUTs", "targets": one["targets"],
            "source": f"the sources of {one['name']}" if one["measured"] else f"published by {one['name']}",
            "measured": data["measured"] if one["measured"] else "as published", "note": one.get("note", ""), "figures": figures,
        }  # fmt: skip
