# SPDX-License-Identifier: Apache-2.0
"""Faults in the sums that tokens of all kinds share, in the bits of the state that have registers, and in a tag that has such a sum."""

from typing import Any

from tests.equivalence.stream.message_faults import STREAMS, TAG, TEXT, MessageFault

__all__ = ["SUM_FAULTS"]

TWEAKS: dict[str, Any] = {"mode": "deoxys-i", **STREAMS, "key_bits": None, "key_slots": 2}

EITHER = f"{TAG}|{TEXT}"

SUM_FAULTS = (
    MessageFault(
        "the tag leaves its block out", "bus_pipeline_lines", r"(auth_left_gate_0 = [^;]*) \^ is_tag_30;", r"\1;", TAG, TWEAKS,
    ),
    MessageFault(
        "a sum without the blocks to open", "bus_pipeline_lines", r"(checksum_left_gate_2 = [^;]*) \^ \{16\{is_decrypt_30\}\};", r"\1;",
        TAG, TWEAKS,
    ),
    MessageFault("a counter that stops", "bus_pipeline_lines", r"is_encrypt \| (is_partial_encrypt \| is_decrypt)", r"\1", EITHER, TWEAKS),
    MessageFault("a bit has no register", "bus_pipeline", r"last_reg <= lines_last_left\[6\];", "last_reg <= 1'h0;", TAG, TWEAKS),
)
