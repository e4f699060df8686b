# SPDX-License-Identifier: Apache-2.0
"""Why what could be covered is not.

Each pattern fits all of a place: a bit of an instance, a line of one, or a state of a machine.  What fits none shows as "no reason".
"""

from __future__ import annotations

BITS = (
    (
        r"core\.bus\.ring\._\d+_\[\d+\]",
        "carries of the counters of sectors in the result buffer. The buffer has a place for each sector, which follows only "
        "from all counters together (tests/formal/stream_rules.py proves it for the bus)",
    ),
    (
        r"core\.bus\.queue\.(_\d+_|delivered_reg)\[\d+\]",
        "carries of the counter of sectors whose status waits. The queue has a place for each of them, which follows only from "
        "all counters together (tests/formal/stream_rules.py proves it for the bus)",
    ),
    (
        r"core\.bus\.key_port\._\d+_\[[23]\]",
        "the branch of later states in which FENCE would wait for sectors of the slot in flight. The slot has none then",
    ),
    (
        r"core\.engine\.sequencer\._\d+_\[[48]\]",
        "carries of the row pointer and of counters modulo the cells of a bank, in a core for several sizes. Each size has its "
        "own end value, and the invariant does not know which size runs",
    ),
    (
        r"core\.engine\._\d+_(\[[01]\])?",
        "selections by fields of the control words and by the size. They are for values that no control word contains, such as "
        "stage 0 for the end of a sector, and for a fourth size",
    ),
    (
        r"core\.engine\.bank_\w+\.mem0\[1\]\[\d+\]",
        "the second word of a result bank of which the program uses one cell. Only the erasure writes it, with zeros",
    ),
)
"""Bits that did not toggle, and that no proof calls constant."""

LINES: tuple[tuple[str, str], ...] = ()
"""Lines that did not run: the instance, and the text of the line."""

STATES: tuple[tuple[str, str], ...] = ()
"""States that were not reached."""
