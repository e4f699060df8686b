# SPDX-License-Identifier: Apache-2.0
"""Faults in cores whose starts run ahead and whose tags follow: one in each part that only they have."""

from typing import Any

from tests.equivalence.stream.message_faults import TAG, TEXT, MessageFault

__all__ = ["BESIDE_FAULTS", "OCB3"]

OCB3: dict[str, Any] = {"mode": "ocb3"}

EITHER = f"{TAG}|{TEXT}"

BESIDE_FAULTS = (
    MessageFault(
        "the start of another message", "bus_pipeline", r"\.raddr_0\(lines_begin_place_1_reg\)", ".raddr_0(lines_begin_place_1_reg ^ 5'h1)",
        EITHER, OCB3,
    ),
    MessageFault(
        "a message does not wait for its start", "bus_starts", r"waiting_o_valid & ready_reg != 6'h0", "waiting_o_valid", EITHER, OCB3,
    ),
    MessageFault("a tag under the key of slot 0", "bus_entry", r"slot <= following_o;", "slot <= 2'h0;", TAG, OCB3),
    MessageFault("a tag enters too early", "bus_entry", r"entry_taken_reg\[0\]\) o_kind_0", "entry_taken_reg[1]) o_kind_0", EITHER, OCB3),
    MessageFault("the number of a block", "bus_entry", r", beats_lowest\[3\], beats_lowest\[1\] \}", ", beats_lowest[3] }", EITHER, OCB3),
    MessageFault(
        "a tag of another length in the nonce block", "bus_pipeline_lines", r"(number_0 = known_tag_2_reg == 5'h8 \? 8'h)80", r"\g<1>40",
        EITHER, OCB3,
    ),
    MessageFault(
        "a multiple of another number", "bus_pipeline_lines", r"\{131\{times_1_reg\[1\]\}\}", "{131{times_1_reg[0]}}",
        EITHER, OCB3,
    ),
    MessageFault(
        "a window at another bit", "bus_pipeline_lines", r"amount_0_13_reg <= amount_0_12_reg;",
        "amount_0_13_reg <= amount_0_12_reg & 6'h1f;", EITHER, OCB3,
    ),
)
