# SPDX-License-Identifier: Apache-2.0
"""Emitted cores for messages with a fault each, as an edit of their Verilog."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.streamed import SMALL
from tests.streamed import folder as folder_of
from tests.verilog_edit import edit_module

__all__ = ["CODE", "FAULTS", "TAG", "TEXT", "MessageFault", "faulty"]

TAG = r"cycle \d+: message \d+ \((en|de)crypt, slot \d.*\): .*the tag (that is compared )?is not what the definition says"
TEXT = r"cycle \d+: message \d+ \((en|de)crypt, slot \d.*\): block \d+ of the text is not what the definition says"
CODE = r"the code of the status is 0, not 1"


STREAMS: dict[str, Any] = {"cipher_arch": "multistream", "streams": 2, "cipher_stages": None}
"""Options of a core whose cipher takes two blocks in 20 cycles, beside ``SMALL``."""


TWICE: dict[str, Any] = {"mode": "wide-twice", "key_bits": None, "key_slots": 2, "mul_stages": 0}
"""The same of a core with two passes."""


@dataclass(frozen=True)
class MessageFault:
    """In a module of a core (its name behind that of the core), the first match of a pattern gets its replacement; ``message`` is part of
    what the proof then says, and ``options`` are those of the core beside, or in place of, those of ``SMALL``.
    """

    what: str
    module: str
    pattern: str
    replacement: str
    message: str
    options: dict[str, Any] = field(default_factory=dict)


FAULTS = (
    MessageFault(
        "the plaintext is hashed", "bus_pipeline", r"(mul_a_gate_2 =[^;]*& \{16\{)lines_is_encrypt_11_reg", r"\g<1>1'h0", TAG,
    ),
    MessageFault("a mask of another byte", "bus_pipeline_lines", r"(mask_11_14_14 = nbytes_11_reg > 5'h)e", r"\g<1>d", f"{TAG}|{TEXT}"),
    MessageFault(
        "a chain at another address", "bus_pipeline", r"\.raddr_0\(lines_chain_10_reg\)", ".raddr_0(lines_chain_10_reg ^ 3'h1)", TAG,
    ),
    MessageFault("a tag comes a cycle early", "bus_pipeline_lines", r"(is_tag_2_reg) <= is_tag_1_reg", r"\1 <= is_tag", TAG),
    MessageFault("a power too high", "bus_pipeline", r"lines_power_10_reg - 3'h1", "lines_power_10_reg", TAG),
    MessageFault("a power of set-up", "bus_entry", r"else o_block_0 <= last_word;", "else o_block_0 <= { last_word[127:1], 1'h0 };", TAG),
    MessageFault(
        "chains are not cleared", "bus_pipeline", r"~lines_product_10_reg \| lines_fresh_10_reg", "~lines_product_10_reg", TAG,
    ),
    MessageFault("the hash of the message before", "bus_pipeline", r"lines_opening_14_reg \? 128'h0 : y_reg", "1'h0 ? 128'h0 : y_reg", TAG),
    MessageFault(
        "the counter stops in decryption", "bus_pipeline", r"(\| lines_is_encrypt) \| lines_is_decrypt\)", r"\1)", f"{TEXT}|{TAG}",
    ),
    MessageFault(
        "blocks of another slot", "bus_pipeline", r"\.read_port_addr\(i_slot\)", ".read_port_addr(i_slot[1] ? 2'h0 : i_slot)",
        r"message \d+ \(\w+, slot 2, .*: (block \d+ of the text|the tag) is not what the definition says: it belongs to the key of slot 0",
    ),
    MessageFault("words of another slot", "bus_pipeline", r"\{ word_slot, word_index \}", "{ 2'h0, word_index }", TAG),
    MessageFault(
        "round keys in another slot", "bus_pipeline", r"(cipher_key_slot = [^;]*) : rk_slot;", r"\1 : 2'h0;",
        "key slot 1: the round keys are not those of its key",
    ),
    MessageFault(
        "bits of the tag are not compared", "bus_verdicts", r"\|different_reg\[47:42\]", "|different_reg[46:42]",
        "wrong in bit 12[67].*the verdict depends on data",
    ),
    MessageFault(
        "a byte of a short tag is not compared", "bus_verdicts",
        r"(assign longer_than_4 = expected_o_payload\[148:144\] > 5'h)4", r"\g<1>8",
        f"tag 8 bytes, wrong in bit .*({CODE}|the verdict depends on data)",
    ),
    MessageFault(
        "the tag of an opened message goes out", "bus_verdicts", r"(shown =[^;]*\{16\{)~expected_o_payload\[149\] & ", r"\1",
        r"\(decrypt, slot \d.*\): the tag is not what the definition says",
    ),
    MessageFault("a wrong tag passes", "bus_verdicts", r"wrong_reg <= \|parts_reg;", "wrong_reg <= 1'h0;", CODE),
    MessageFault(
        "a gate of the multiplier", "bus_pipeline_multiplier", r" \^ ", " | ",
        r"multiplier|of p\d is no bit of the result of mul|is not linear in each",
    ),
    MessageFault(
        "a bit of the text decides what is written", "bus_verdicts", r"tag_valid_reg <= tag_valid;",
        "tag_valid_reg <= tag_valid & ~tag[0];",
        r"cycle \d+: .* depends on data",
    ),
    MessageFault(
        "two lanes are swapped", "bus", r"\.text_0\((\w+)\),(\s+)\.text_1\((\w+)\)", r".text_0(\3),\2.text_1(\1)",
        r"block \d+ of the text is not what the definition says: it is block \d+ of message \d+", {"blocks_per_cycle": 2},
    ),
    MessageFault(
        "a lane has the power of another", "bus_pipeline", r"\.i_power_0\(i_power_0\)", ".i_power_0(i_power_1)", TAG,
        {"blocks_per_cycle": 2},
    ),
    MessageFault(
        "a partial block is taken for a whole one", "bus_entry", r"\? kind_0_choice :\s+kind;", "? kind : kind;", f"{TEXT}|{TAG}",
        {"mode": "padded"},
    ),
    MessageFault(
        "the bit behind a partial block is missing for a length", "bus_pipeline_lines", r"(mark_11_119_119 = nbytes_11_reg == 5'h)e",
        r"\g<1>f", TAG, {"mode": "padded"},
    ),
    MessageFault(
        "a block is enciphered and not deciphered", "bus_pipeline", r"(\.decrypt\()\w+\)", r"\g<1>1'h0)", TEXT, {"mode": "deciphering"},
    ),
    MessageFault(
        "a token enters a cycle behind its batch", "bus_entry_cadence", r"(phase_reg == 5'h)1(\) open_reg <= 1'h0)", r"\g<1>2\2",
        f"{TEXT}|{TAG}", STREAMS,
    ),
    MessageFault(
        "batches begin in another cycle than tokens", "bus_entry_cadence", r"(batch_reg <= phase_reg == 5'h1)2", r"\g<1>1",
        f"{TEXT}|{TAG}", STREAMS,
    ),
    MessageFault(
        "the counter of batches is a cycle short", "bus_entry_cadence", r"(if \(phase_reg == 5'h1)3(\) phase_reg)", r"\g<1>2\2",
        "a batch of .*cipher begins before the one before it is done", STREAMS,
    ),
    MessageFault(
        "a batch takes the places of the one before it", "bus_pipeline_lines", r"(batch_at_0_number_reg <= )batch_at_0[^;]*;",
        r"\g<1>1'h0;", f"{TEXT}|{TAG}", {"mode": "deoxys-i", **STREAMS},
    ),
    MessageFault(
        "set-up does not keep the cadence", "bus_entry", r"(prepare_opened = )[^;]*;", r"\g<1>1'h1;",
        TAG, STREAMS,
    ),
    MessageFault(
        "text that is held leaves before its verdict", "bus", r"\.right\(verdicts_right\)", ".right(1'h1)",
        r"cycle \d+: a beat leaves that belongs to no message|message \d+ \(.*(block \d+ of the text|tkeep of beat)", {"hold": 100},
    ),
    MessageFault(
        "the tag of the command is not read", "bus_entry", r"given <= message_payload\[535:280\];", "given <= 256'h0;", TEXT, TWICE,
    ),
    MessageFault(
        "text leaves in the first pass", "bus_entry", r"beat <= ([^;]*) & decrypt;", r"beat <= \1;",
        r"a beat leaves that belongs to no message|message \d+ \(.*(block \d+ of the text|tkeep of beat)", TWICE,
    ),
    MessageFault("the second pass deciphers", "bus_entry", r"decrypt & message_payload\[543\]", "1'h0 & message_payload[543]", TAG, TWICE),
)  # fmt: skip


def faulty(fault: MessageFault, to: Path) -> Path:
    """A copy of a core with a fault; raises ``ValueError`` if there is nothing to edit."""
    shutil.copytree(folder_of(**{**SMALL, **fault.options}), to)
    description = json.loads((to / "core.json").read_text())
    path = to / description["files"]["verilog"]
    path.write_text(edit_module(path.read_text(), f"{description['top']}_core_{fault.module}", fault.pattern, fault.replacement))
    return to
