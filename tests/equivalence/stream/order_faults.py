# SPDX-License-Identifier: Apache-2.0
"""Faults in cores that take the text before the associated data: in the step between both, and in the registers that both share."""

from typing import Any

from tests.equivalence.stream.message_faults import STREAMS, TAG, MessageFault

__all__ = ["ORDER_FAULTS", "TEXT_FIRST"]

TEXT_FIRST: dict[str, Any] = {"order": "text-first", "key_slots": 2}

TWEAKS: dict[str, Any] = {"mode": "deoxys-i", **STREAMS, "key_bits": None, **TEXT_FIRST}

OFFSETS: dict[str, Any] = {"mode": "ocb3", **STREAMS, **TEXT_FIRST}

ORDER_FAULTS = (
    MessageFault(
        "the text ends before the tag alone", "bus_entry", r"takes_between = ~takes_start & step != 2'h1",
        "takes_between = ~takes_start & step == 2'h2", r"nothing of message \d+ \(.* has come out", TWEAKS,
    ),
    MessageFault(
        "the checksum stays in the register of the tag", "bus_pipeline_lines",
        r"is_between_\d+ \| (begin_\d+_reg \? 128'h0 : checksum_reg)",
        r"\1", TAG, TWEAKS,
    ),
    MessageFault(
        "the count of the text goes on", "bus_pipeline", r"turned_reg <= (lines_is_associated)", r"turned_reg <= 1'h1 | \1", TAG, TWEAKS,
    ),
    MessageFault(
        "the offset of the text is that of associated data", "bus_pipeline_lines", r"is_between_\d+ \? 128'h0 : offset\b", "offset", TAG,
        OFFSETS,
    ),
)
