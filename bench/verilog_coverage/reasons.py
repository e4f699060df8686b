# SPDX-License-Identifier: Apache-2.0
"""Why what could be covered is not.

Each pattern fits all of a place: a bit of an instance, a line of one, or a state of a machine.  What fits none shows as "no reason".
"""

from __future__ import annotations

BITS = (
    (
        r"core\.bus\.ring\._\d+_\[\d+\]",
        "carries of the numbers of sectors in the result buffer, which has a place for each: the counters know that only together "
        "(tests/formal/stream_rules.py proves it of the bus)",
    ),
    (
        r"core\.bus\.queue\.(_\d+_|delivered_reg)\[\d+\]",
        "carries of the number of sectors whose status waits, each of which has its place in the queue: the counters know that only "
        "together (tests/formal/stream_rules.py proves it of the bus)",
    ),
    (
        r"core\.bus\.key_port\._\d+_\[[23]\]",
        "the state that FENCE would keep while sectors of the slot are in flight, seen in later states: the slot has none then",
    ),
    (
        r"core\.engine\.sequencer\._\d+_\[[48]\]",
        "carries of the row pointer and of counters modulo the cells of a bank, in a core for several sizes: each size has its own end, "
        "and the sets do not know which of them runs",
    ),
    (
        r"core\.engine\._\d+_(\[[01]\])?",
        "choices by fields of the program's rows and by the size: what no row of the program names, as stage 0 for the end of a sector, "
        "and a fourth size",
    ),
    (
        r"core\.engine\.bank_\w+\.mem0\[1\]\[\d+\]",
        "the second word of a bank of results of which the program uses one cell: only erasure goes there, with zeros",
    ),
)
"""Bits that did not toggle, and that no proof calls constant."""

LINES: tuple[tuple[str, str], ...] = ()
"""Lines that did not run: the instance, and the text of the line."""

STATES: tuple[tuple[str, str], ...] = ()
"""States that were not reached."""
