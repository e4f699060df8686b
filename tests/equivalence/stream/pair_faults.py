# SPDX-License-Identifier: Apache-2.0
"""Faults in cores whose text comes in pairs, and whose tokens return to the cipher: one in each part that only they have."""

from typing import Any

from tests.equivalence.stream.message_faults import TAG, TEXT, MessageFault

__all__ = ["PAIR_FAULTS"]

OTR: dict[str, Any] = {"mode": "aes-otr"}

EITHER = f"{TAG}|{TEXT}"

PAIR_FAULTS = (
    MessageFault(
        "a token enters where another one returns", "bus_entry", r"& cipher_taken_reg\) == 23'h0\);", "& 23'h0) == 23'h0);", EITHER, OTR,
    ),
    MessageFault("the first block of a pair", "bus_pairs", r"half_reg <= i_payload\[127:0\]", "half_reg <= i_payload[128:1]", EITHER, OTR),
    MessageFault(
        "the blocks of a pair in the other order", "bus_texts_splitter", r"second_reg \? i_payload\[255:128\] : i_payload\[127:0\]",
        "second_reg ? i_payload[127:0] : i_payload[255:128]", TEXT, OTR,
    ),
    MessageFault(
        "a token returns under another key", "bus_pipeline", r"(lines_is_last_decrypt_12_reg \? lines_slot_)12_reg", r"\g<1>1_reg", EITHER,
        OTR,
    ),
    MessageFault("a whole block for a partial one", "bus_pipeline_lines", r"nbytes_23_reg == 5'h10", "nbytes_23_reg == 5'hf", TAG, OTR),
)
