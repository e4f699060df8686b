# SPDX-License-Identifier: Apache-2.0
"""Emitted cores that derive the keys of messages, or that store messages to seal, with a fault each in front of the message control."""

from __future__ import annotations

from typing import Any

from tests.equivalence.stream.message_faults import TAG, TEXT, TWICE, MessageFault

__all__ = ["DERIVED", "FRONT_FAULTS"]

ANY = f"{TEXT}|{TAG}"

DERIVED: dict[str, Any] = {
    "keys": "derived", "cipher_arch": "multistream", "streams": 1, "cipher_stages": None, "mul_stages": 0,
    "key_slots": 2,
}  # fmt: skip
"""Options of a core that derives keys, with the least hardware."""

SIV: dict[str, Any] = {"mode": "gcm-siv", **DERIVED}

STORED: dict[str, Any] = {**TWICE, "message_buffer": 400}

WRONG_KEY = "the key that the core derives of a master key and a nonce is not that of the definition"

FRONT_FAULTS = (
    MessageFault("the master key of the first slot", "bus_deriver", r"launch \? slot_reg : 1'h0", "1'h0", ANY, SIV),
    MessageFault("the operand of another call", "bus_deriver", r"\^ 128'h1\)", "^ 128'h3)", WRONG_KEY, SIV),
    MessageFault(
        "a bit of the nonce", "bus_deriver", r"\{ 32'h0, taken_o_payload\[95:0\] \}", "{ 33'h0, taken_o_payload[94:0] }", WRONG_KEY,
        SIV,
    ),
    MessageFault(
        "a column of a result in the place of another", "bus_deriver", r"cipher_0_o_column_1_reg, cipher_0_o_column_0_reg \} : 128'h0",
        "cipher_0_o_column_0_reg, cipher_0_o_column_1_reg } : 128'h0", WRONG_KEY, SIV,
    ),
    MessageFault(
        "the sum of the key before", "bus_deriver", r"else if \(moves\) sum_0_reg <= 128'h0;", "", ANY, SIV,
    ),
    MessageFault(
        "an operand while the next command comes", "bus_deriver", r"if \(take\) nonce_reg <=", "if (cmd_valid) nonce_reg <=",
        f"{ANY}|{WRONG_KEY}", SIV,
    ),
    MessageFault(
        "no tag in the second pass", "bus_buffer", r"(second_ready \? )records_o_payload\[255:0\]( : first_ready)", r"\g<1>256'h0\2",
        f"{ANY}|code", STORED,
    ),
    MessageFault(
        "the second pass reads where the first one does", "bus_buffer_feeder", r"of_second_reg \? second_reg : first_reg", "first_reg",
        f"{ANY}|code|nothing of message", STORED,
    ),
    MessageFault(
        "a status without its tag", "bus_buffer", r"records_o_payload\[255:0\] & \{256\{second\}\}", "256'h0",
        "the tag is not what the definition says: it is zero", STORED,
    ),
    MessageFault("beats of a refused message stay", "bus_buffer", r"\.skip\(refused\)", ".skip(1'h0)", f"{ANY}|code", STORED),
    MessageFault(
        "a message that is too long does not begin again", "bus_buffer", r"\.restart\(feeder_restart\)", ".restart(1'h0)",
        f"{ANY}|code|nothing", STORED,
    ),
)
