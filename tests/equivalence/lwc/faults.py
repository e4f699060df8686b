# SPDX-License-Identifier: Apache-2.0
"""Emitted cores behind the LWC interface with a fault each, as an edit of their Verilog."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.cores.lwc.core import folder
from tests.verilog_edit import edit_module

__all__ = ["FAULTS", "WordFault", "faulty"]

DATA = r"message \d+ \(.*\): (the word at byte \d+ of the text|the tag) is not what the definition says"
VERDICT = r"the status (depends on data; the tag that is compared is not what the definition says|is 0x[ef]0000000, not)"
LOST = r"a status comes in the place of|no word of message \d+ \(.*\) has come out|header 0 of the text is|do_valid depends on data"
ANY = f"{DATA}|{VERDICT}|{LOST}"


@dataclass(frozen=True)
class WordFault:
    """In a module of the core (its name behind that of the bus), the first match of a pattern gets its replacement; ``message`` is part of
    what the proof then says.
    """

    what: str
    module: str
    pattern: str
    replacement: str
    message: str


FAULTS = (
    WordFault(
        "each key in the slot of the one before",
        "_loader",
        r"if \(activate\) slot <= ~slot;",
        "if (activate) slot <= slot;",
        ANY,
    ),
    WordFault(
        "messages under the key of the other slot",
        "_parser",
        r"(cmd_payload = \{ 7'h0, decrypt_reg, 11'h80, nonce_bytes_reg, 23'h0, )slot",
        r"\1~slot",
        ANY,
    ),
    WordFault(
        "a word of the nonce in the place of another",
        "_parser",
        r"number_reg == 2'h2 \? \{ pdi_payload",
        "number_reg == 2'h1 ? { pdi_payload",
        ANY,
    ),
    WordFault(
        "a tag without its first bit",
        "_parser",
        r"finish_decrypt_reg \? tag_reg : 128'h0",
        "finish_decrypt_reg ? { tag_reg[127:1], 1'h0 } : 128'h0",
        VERDICT,
    ),
    WordFault(
        "the end of a message without data is that of a fault",
        "_parser",
        r"finish_issued_reg <= issued_reg \| begins",
        "finish_issued_reg <= issued_reg",
        ANY,
    ),
    WordFault(
        "the next instruction changes a command that waits",
        "_parser",
        r"fsm_state == 3'h0 \? ~command_reg",
        "fsm_state == 3'h0 ? 1'h1",
        ANY,
    ),
    WordFault(
        "bytes behind the end of a segment count",
        "_parser_assembler",
        r"nbytes_reg > 5'h9 & full_reg",
        "full_reg",
        ANY,
    ),
    WordFault(
        "bytes of the text in another order",
        "_writer",
        r"out_i_payload_shifted_4\[7:0\], out_i_payload_shifted_3\[15:8\]",
        "out_i_payload_shifted_3[15:8], out_i_payload_shifted_4[7:0]",
        DATA,
    ),
    WordFault("a word of the tag twice", "_writer", r"\{ 6'h0, tag_reg \} \* 8'h20", "{ 6'h0, tag_reg[1], 1'h0 } * 8'h20", DATA),
    WordFault("a failure is a success", "_writer", r"wrong_reg \? 4'hf : 4'he", "4'he", VERDICT),
    WordFault(
        "another header of the tag", "_writer", r"status_valid \? 16'h10", "status_valid ? 16'h11", "the header of the tag is"
    ),
    WordFault(
        "the end of a part is not marked",
        "_writer",
        r"queue_o_ready_or \? queue_o_payload\[3\] :",
        "queue_o_ready_or ? 1'h0 :",
        "header 0 of the text is",
    ),
)


def faulty(fault: WordFault, to: Path) -> Path:
    """A copy of a core with a fault; raises ``ValueError`` if there is nothing to edit."""
    shutil.copytree(folder(), to)
    description = json.loads((to / "core.json").read_text())
    path = to / description["files"]["verilog"]
    path.write_text(edit_module(path.read_text(), f"{description['top']}_core_bus{fault.module}", fault.pattern, fault.replacement))
    return to
