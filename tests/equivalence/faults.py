# SPDX-License-Identifier: Apache-2.0
"""Emitted cores with a fault each, as an edit of their Verilog."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.verilog_edit import edit_module

__all__ = ["FAULTS", "Fault", "faulty"]


@dataclass(frozen=True)
class Fault:
    """In a module of a core (its name behind that of the core), the first match of a pattern gets its replacement; ``message`` is part of
    what the proof then says, ``core`` the core (``CORES`` of ``test_proof``).
    """

    what: str
    module: str
    pattern: str
    replacement: str
    message: str = r"cycle \d+: sector \d+ \((en|de)crypt, 64 bytes, slot \d\): block \d is not what the definition says"
    core: str = "hctr2"


FAULTS = (
    Fault("a bank turns one cell too late", "engine", r"(in0_r0_addr_reg_sum) >= ", r"\1 > "),
    Fault("selects of operands are swapped", "engine", r"(mul0_a_select_3_reg) <= (\w+);", r"\1 <= { \2[0], \2 } >> 1;"),
    Fault("a term of a sum is missing", "engine", r"(assign acc0_a = \w+) \^ (\w+)", r"\1"),
    Fault("another key word", "engine", r"(mul0_b_k0_addr_1_reg) <= (\w+);", r"\1 <= \2 ^ 1'h1;"),
    Fault(
        "a slot reads another slot's words",
        "engine", r"(row_mul0_post_k0_slot_reg) <= (\w+);", r"\1 <= 1'h0;",
    ),
    Fault(
        "a row belongs to another stage",
        "engine", r"(row_acc0_a_k0_slot_reg) <= sequencer_stage0_slot;", r"\1 <= sequencer_stage1_slot;",
    ),
    Fault("a result is written a cycle early", "engine", r"(mul0_waddr_0_reg) <= (\w+);\n", r"\1 <= mul0_w_addr_reg_sum[1:0];" "\n"),
    Fault("a result is not written", "engine", r"(acc0_we_3_reg) <= (\w+);", r"\1 <= 1'h0;"),
    Fault("a bit of the control store", "engine_control", r"(rom\[4\]) = (\S+);", r"\1 = \2 ^ 59'h1;"),
    Fault(
        "blocks of the next sector lie with those of this one",
        "engine", r"if \(fill_ahead\) (\w+) <= (\w+);\n(\s+else \1 <= )(\w+);", r"if (fill_ahead) \1 <= \4;\n\3\4;",
    ),
    Fault("a chain steps by another multiple", "engine", r"chain0_reg\[127\], 7'h0 \}", "chain0_reg[126], 7'h0 }", core="xts"),
    Fault("a chain steps a cycle late", "engine", r"(chain1_advance_3_reg) <= (\w+);", r"\1 <= \1;", core="xts"),
    Fault(
        "a chain is loaded with another bit",
        "engine", r"(chain0_load_3_reg\) chain0_reg <=) (\w+);", r"\1 { \2[126:0], \2[127] };", core="xts",
    ),
    Fault("the tweak of the sector before", "engine", r"(tweak_left_reg) <= enter_ack;", r"\1 <= 1'h0;", core="xts"),
    Fault("an output a cycle old", "engine", r"\(\w+ & (\{128\{out0_a_select_3_reg)", r"(out0_data_0_reg & \1"),
    Fault(
        "a product has a gate of another kind",
        "engine_mul0_mul", r" \^ ", " | ", r"mul0\.mul: .* not linear|bit \d+ of p\d is no bit of the result of mul|is not linear in each",
    ),
    Fault("encryption where decryption is meant", "engine", r"(cipher0_a_decrypt_3_reg) <= (\w+);", r"\1 <= ~\2;"),
    Fault(
        "set-up is written into the first slot",
        "engine", r"(row_out0_key_slot_reg) <= (\w+);", r"\1 <= 1'h0;",
    ),
    Fault(
        "round keys of the second slot are not written",
        "engine", r"(rk_we_0_reg) <= ([^;]*);", r"\1 <= (\2) & ~preparation_round_key_slot;", "round keys",
    ),
    Fault(
        "a block lies at another place of the result buffer",
        "bus_ring", r"\.waddr\(address0_reg\)", ".waddr(address0_reg ^ 1'h1)",
    ),
    Fault(
        "a result decides what is written",
        "engine", r"(out0_we_3_reg) <= (\w+);", r"\1 <= \2 & ~out0_a[0];",
        r"cycle \d+: whether core\.bus\.ring\S+ is written depends on data",
    ),
    Fault(
        "pipelines decrypt what they should encrypt", "engine", r"(cipher0_a_decrypt_\d_reg) <= (\w+);", r"\1 <= ~\2;",
        r"cycle \d+: sector \d+ \((en|de)crypt, 32 bytes, slot 0\): block \d is not", core="combined",
    ),
    Fault(
        "a core with one form of round keys takes the other direction", "engine", r"(cipher0_a_decrypt_\d_reg) <= (\w+);", r"\1 <= ~\2;",
        r"cycle \d+: sector \d+ \((en|de)crypt, 32 bytes, slot 0\): block \d is not", core="one form of round keys",
    ),
    Fault(
        "a batch begins a cycle late",
        "engine", r"(reg cipher0_batch_reg = 1'h0;)((?:.|\n)*?)(cipher0_batch_reg) <= (\w+);",
        r"\1 reg late_reg = 1'h0;\2late_reg <= \4; \3 <= late_reg;", core="multistream",
    ),
    Fault("a batch begins a cycle early", "engine", r"(cipher0_batch_1_reg) <= (\w+);", r"\1 <= cipher0_batch_reg;", core="multistream"),
    Fault(
        "a batch of one stage does not begin", "engine", r"(assign cipher0_batch_begins = )([^;]*);", r"\1(\2) & sequencer_stage0_valid;",
        core="multistream",
    ),
    Fault(
        "a batch begins without a sector", "engine", r"(assign cipher0_batch_begins = )([^;]*);", r"\1control_data[0] | (\2);",
        r"a batch of \S+ begins before the one before it is done", core="multistream",
    ),
)  # fmt: skip


def faulty(folder: Path, fault: Fault, to: Path) -> Path:
    """A copy of a core with a fault; raises ``ValueError`` if there is nothing to edit."""
    shutil.copytree(folder, to)
    description = json.loads((to / "core.json").read_text())
    path = to / description["files"]["verilog"]
    path.write_text(edit_module(path.read_text(), f"{description['top']}_core_{fault.module}", fault.pattern, fault.replacement))
    return to
