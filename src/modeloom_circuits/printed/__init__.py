# SPDX-License-Identifier: Apache-2.0
"""Figures of circuits as the papers print them: one JSON file a paper, a list of rows.

::

    {"table": "2", "row": "AES-PEC", "values": {"slices": 2859, "cycles": 1}, "units": {"slices": "Virtex-5 slices"}}

``table`` is the number of a table or figure, or a word; ``row`` is unique in it.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

__all__ = ["printed"]


def printed(paper: str, table: str | None = None) -> list[dict[str, Any]]:
    """The rows of a paper (its short name), or of one of its tables, in the printed order.

    Raises
    ------
    FileNotFoundError
        Nothing is stored of that paper.
    """
    text = (resources.files(__name__) / f"{paper}.json").read_text(encoding="utf-8")
    return [row for row in json.loads(text) if table in (None, row["table"])]
