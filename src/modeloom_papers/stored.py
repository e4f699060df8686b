# SPDX-License-Identifier: Apache-2.0
"""What is stored in JSON: the tables of the papers as they are printed, and our figures beside them as they were measured."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

__all__ = ["KINDS", "MESSAGE_KINDS", "MESSAGE_PAPERS", "PAPERS", "ROUND_KINDS", "Row", "measured", "printed", "value"]


# -- printed tables ----------------------------------------------------------------------------------------------------------------------

# Tables of the papers as they are printed: one JSON file a paper, with its tables and a flat list of their rows.
#
#     {"table": "6", "row": "HCH", "mode": "HCH", "core": "full", "device": "Virtex 4",
#      "values": {"slices": 13622, "latency": 0.801}, "corrected": {"latency": 1.153}, "notes": ["..."]}
#
# ``mode``, ``core`` and ``device`` are the paper's words; ``row`` is unique in its table.  ``values`` are what is printed, misprints
# included; ``corrected`` has what is right where a misprint is known, and ``notes`` say how that can be seen.  Units are those of
# the table, and its ``notes`` hold for all rows.  gcm2008 has chapter 4 of the thesis, and the mix of packets of its section 4.4.
# luts2017 has Tables 2 to 8; ``modeloom_circuits.printed`` has its Table 1 and figures of its text.

Row = dict[str, Any]
"""Names and figures of a line of a table, or a table.  Each table has its own."""

PAPERS = ("tes2010", "brw2013")
"""Papers on modes for sectors whose tables are shown beside ours, in this order."""

MESSAGE_PAPERS = ("gcm2008", "luts2017")
"""Works on modes for messages, which follow them."""


@cache
def _paper(name: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = json.loads((resources.files("modeloom_papers") / "printed" / f"{name}.json").read_text(encoding="utf-8"))
    return found


def printed(paper: str) -> list[Row]:
    """The tables of a paper in the printed order: each with ``table``, ``title``, ``units``, perhaps ``notes``, and its ``rows``.

    Raises
    ------
    FileNotFoundError
        Nothing is stored of that paper.
    """
    data = _paper(paper)
    return [
        {"paper": paper, **table, "rows": [row for row in data["rows"] if row["table"] == table["table"]]} for table in data["tables"]
    ]


def value(row: Row, name: str) -> Any:
    """A value of a row as it should be: corrected where it is a misprint; None if the row has none."""
    return row.get("corrected", {}).get(name, row["values"].get(name))


# -- measured figures --------------------------------------------------------------------------------------------------------------------

# Our figures that take long to measure, from ``bench/papers.py``, ``bench/papers_gcm2008.py``, ``bench/papers_luts2017.py`` and
# ``bench/speedup.py``.  Each kind has one JSON file with a list of rows.
#
# ===============  =====================================================================================================
# kind             row
# ===============  =====================================================================================================
# ``schedules``    a core of ``papers.ours``: what ``explain`` says of it, and the size of its control store
# ``cores``        what the plain Verilog bench counted at the pins of the emitted core
# ``areas``        LUTs, registers and memories of the core on a Yosys target
# ``software``     AES of OpenSSL on one processor core
# ``variants``     gates, or LUTs, registers and memories, of a core of ``papers.thesis`` on a target, and the blocks that
#                  were mapped without wide multiplexers only
# ``key_changes``  percent of the peak with a new key at every packet, for the designs and sizes of ``papers.thesis``
# ``rounds``       area and cycles of a circuit or core of ``papers.rounds``
# ``speedups``     cycles of some blocks in one round and in all rounds in a row, by streams and blocks (``papers.speedup``)
# ===============  =====================================================================================================
#
# The ``name`` identifies a row: the arguments of ``modeloom explain`` and ``build``, and the target if there is one.  If a row is missing,
# its figures are not shown.

KINDS = ("schedules", "cores", "areas", "software")
"""Those of ``bench/papers.py``."""

MESSAGE_KINDS = ("variants", "key_changes")
"""Those of ``bench/papers_gcm2008.py``."""

ROUND_KINDS = ("rounds", "speedups")
"""Those of ``bench/papers_luts2017.py`` and ``bench/speedup.py``."""


@cache
def measured(kind: str) -> dict[str, Row]:
    """The rows of a kind by name.  It is empty if nothing has been stored.

    Raises
    ------
    ValueError
        For a kind that does not exist.
    """
    every = KINDS + MESSAGE_KINDS + ROUND_KINDS
    if kind not in every:
        raise ValueError(f"no kind of figures is called {kind!r}; there are {', '.join(every)}")
    file = resources.files("modeloom_papers") / "measured" / f"{kind}.json"
    rows = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
    return {row["name"]: row for row in rows}
