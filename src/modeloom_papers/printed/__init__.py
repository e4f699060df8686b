# SPDX-License-Identifier: Apache-2.0
"""Tables of the papers as they are printed: one JSON file a paper, with its tables and a flat list of their rows.

::

    {"table": "6", "row": "HCH", "mode": "HCH", "core": "full", "device": "Virtex 4",
     "values": {"slices": 13622, "latency": 0.801}, "corrected": {"latency": 1.153}, "notes": ["..."]}

``mode``, ``core`` and ``device`` are the paper's words; ``row`` is unique in its table.  ``values`` are what is printed, misprints
included; ``corrected`` has what is right where a misprint is known, and ``notes`` say how that can be seen.  Units are those of
the table, and its ``notes`` hold for all rows.  gcm2008 has chapter 4 of the thesis, and the mix of packets of its section 4.4.
luts2017 has Tables 2 to 8; ``circuits.printed`` has its Table 1 and figures of its text.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

__all__ = ["MESSAGE_PAPERS", "PAPERS", "Row", "printed", "value"]

Row = dict[str, Any]
"""Names and figures of a line of a table, or a table.  Each table has its own."""

PAPERS = ("tes2010", "brw2013")
"""Papers on modes for sectors whose tables are shown beside ours, in this order."""

MESSAGE_PAPERS = ("gcm2008", "luts2017")
"""Works on modes for messages, which follow them."""


@cache
def _paper(name: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = json.loads((resources.files(__name__) / f"{name}.json").read_text(encoding="utf-8"))
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
