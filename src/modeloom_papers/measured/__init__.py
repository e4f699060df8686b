# SPDX-License-Identifier: Apache-2.0
"""Our figures that take long to measure, from ``bench/papers.py``, ``bench/papers_gcm2008.py``, ``bench/papers_luts2017.py`` and
``bench/speedup.py``.  Each kind has one JSON file with a list of rows.

===============  =====================================================================================================
kind             row
===============  =====================================================================================================
``schedules``    a core of ``papers.ours``: what ``explain`` says of it, and the size of its control store
``cores``        what the plain Verilog bench counted at the pins of the emitted core
``areas``        LUTs, registers and memories of the core on a Yosys target
``software``     AES of OpenSSL on one processor core
``variants``     gates, or LUTs, registers and memories, of a core of ``papers.thesis`` on a target, and the blocks that
                 were mapped without wide multiplexers only
``key_changes``  percent of the peak with a new key at every packet, for the designs and sizes of ``papers.thesis``
``rounds``       area and cycles of a circuit or core of ``papers.rounds``
``speedups``     cycles of some blocks in one round and in all rounds in a row, by streams and blocks (``papers.speedup``)
===============  =====================================================================================================

The ``name`` identifies a row: the arguments of ``modeloom explain`` and ``build``, and the target if there is one.  If a row is missing,
its figures are not shown.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources

from modeloom_papers.printed import Row

__all__ = ["KINDS", "MESSAGE_KINDS", "ROUND_KINDS", "measured"]

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
    file = resources.files(__name__) / f"{kind}.json"
    rows = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
    return {row["name"]: row for row in rows}
