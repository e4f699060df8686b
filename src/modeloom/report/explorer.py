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
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from html import escape
from importlib import resources

from modeloom.modes import find_any
from modeloom.report.chart import COLOURS
from modeloom.spec import UnknownName
from modeloom.spec.errors import many
from modeloom.sweep.run import Row, key_bits
from modeloom.sweep.tables import Line, all_luts, is_broken, options_text, pareto_front
from modeloom_papers.stored import printed, value

__all__ = ["AXES", "FILTERS", "comparison", "explorer_data", "explorer_page", "references"]


# -- references ------------------------------------------------------------------------------------------------------------------------

# Designs of papers and open cores, as points beside those of a sweep.
#
#     modeloom_papers/printed/*.json  ──▶  as printed: slices or gates, clock, cycles of a sector
#     report/peers.json               ──▶  open cores: LUTs, as measured or published
#
# No unit becomes another one: slices stay slices.  ``targets`` names the targets whose areas have the same unit on the same family, and is
# empty for most.

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


# -- comparison ------------------------------------------------------------------------------------------------------------------------

# A comparison of modes as a picture (SVG): a bar of bytes per cycle for each line, with the other figures beside it.
#
# The picture has its own background, so it looks the same on light and on dark pages.

LEFT, WIDTH, RIGHT, TOP, ROW, BAR = 300, 380, 420, 44, 24, 16
"""Pixels: names, the longest bar, figures, head, height of a row, height of a bar."""


LABEL = 44
"""Characters of a name."""


def comparison(lines: Sequence[Line]) -> str:
    """The lines of ``sweep.tables.compared`` as an SVG document, the same text for the same lines."""
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


# -- explorer --------------------------------------------------------------------------------------------------------------------------

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
        Rows of a file of results (``sweep.run``).
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
