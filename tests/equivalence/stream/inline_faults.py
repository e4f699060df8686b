# SPDX-License-Identifier: Apache-2.0
"""Emitted cores whose keys come with the messages, with a fault each."""

from __future__ import annotations

from typing import Any

from tests.equivalence.stream.message_faults import TAG, TEXT, MessageFault

__all__ = ["INLINE_FAULTS"]

ANY = f"{TEXT}|{TAG}"
ITERATIVE: dict[str, Any] = {"keys": "inline"}
WORD: dict[str, Any] = {"keys": "inline", "key_schedule": "word"}
SIZES: dict[str, Any] = {"keys": "inline", "key_bits": None}

INLINE_FAULTS = (
    MessageFault(
        "a gate of the powers", "bus_keys_preparation_preparation__powers", r" \^ data_and_22 ", " | data_and_22 ",
        "is not linear in each", ITERATIVE,
    ),
    MessageFault(
        "a digit of a power is not taken", "bus_keys_preparation_preparation__powers", r" \^ data_and_22 ", " ",
        "power 2 is not the product of the power before it and the key", ITERATIVE,
    ),
    MessageFault(
        "powers of the last power and not of the key", "bus_keys_preparation_powers", r"else a_reg <= data;", "else a_reg <= a_reg;",
        "power .* is in no register", WORD,
    ),
    MessageFault(
        "a power does not wait", "bus_keys_preparation_preparation__powers", r"(~a_and\) begin\s+if \(busy) & taken", r"\1",
        "does not stay until it is taken", ITERATIVE,
    ),
    MessageFault(
        "the number of the last power", "bus_keys_preparation_preparation__powers", r"exponent == 3'h5(\) exponent)", r"exponent == 3'h4\1",
        "does not stay until it is taken, or has another number|something is left", ITERATIVE,
    ),
    MessageFault(
        "a power in the place of another", "bus_keys_preparation_preparation_", r"(powers_exponent == 3'h4 \? 3'h)3", r"\g<1>2",
        TAG, ITERATIVE,
    ),
    MessageFault(
        "powers in the first slot", "bus_keys", r"(_power_we_\d+ \? )preparation_power_slot", r"\g<1>2'h0", TAG, ITERATIVE,
    ),
    MessageFault(
        "a word of set-up goes to a key that waits for its own", "bus_keys_preparation",
        r"(preparation_1_word_valid = word_valid) & word_slot == preparation_1_prepare_slot", r"\1", TAG, ITERATIVE,
    ),
    MessageFault(
        "messages do not wait for their keys", "bus_keys_ring", r"(assign some_ready = )ready_reg != 2'h0", r"\g<1>1'h1",
        f"{ANY}|the code of the status", ITERATIVE,
    ),
    MessageFault(
        "messages have the slot of the next key", "bus_keys_ring", r"\? head_reg : current_reg", "? head_reg : head_reg", ANY, ITERATIVE,
    ),
    MessageFault(
        "a key is cleared while its messages are in flight", "bus_keys", r"\.in_use\(in_use\)", ".in_use(1'h0)", ANY, ITERATIVE,
    ),
    MessageFault(
        "a key is overwritten while its messages are in flight", "bus_keys", r"\.in_use\(in_use\)", ".in_use(1'h0)", ANY, WORD,
    ),
    MessageFault(
        "a key that is no key has messages", "bus_keys_ring", r"(take\) has_key_reg <= )good", r"\g<1>1'h1",
        r"tkeep of beat|the code of the status is 0, not 6", ITERATIVE,
    ),
    MessageFault(
        "round keys of the second schedule in the slot of the first", "bus_keys_port", r"(rk_slot_1_reg <= )turn_1_reg(\[1:0\])",
        r"\1turn_reg\2", ANY, ITERATIVE,
    ),
    MessageFault("the second schedule writes nothing", "bus_pipeline", r"\.key_we_1\(rk_we_1\)", ".key_we_1(1'h0)", ANY, ITERATIVE),
    MessageFault(
        "the second schedule makes other round keys", "bus_keys", r"(key_schedule_1 \((?:.|\n)*?\.key\()port_schedule_key",
        r"\1{ port_schedule_key[119:0], port_schedule_key[127:120] }", ANY, ITERATIVE,
    ),
    MessageFault(
        "round keys of a longer key stay behind a shorter one", "bus_keys_ring", r"clear_rounds = \|rounds_reg", "clear_rounds = 1'h0", ANY,
        SIZES,
    ),
    MessageFault(
        "round keys are cleared in one cycle", "bus_keys_ring", r"clear_rounds = \|rounds_reg", "clear_rounds = rounds_reg[0]", ANY, SIZES,
    ),
)  # fmt: skip
