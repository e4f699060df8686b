# SPDX-License-Identifier: Apache-2.0
"""Dependencies on secrets, planted into the Verilog of a core as an edit of one module."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.verilog_edit import edit_module

from modeloom.taint import Netlist, flat_netlist


@dataclass(frozen=True)
class Plant:
    """An edit: in the module of that name below the top, the first match of a pattern gets its replacement.

    ``caught`` is a pattern for what the message of the check begins with; ``passes`` are what names of nets on the path that it
    prints begin with, in order.
    """

    what: str
    module: str
    pattern: str
    replacement: str
    caught: str
    passes: tuple[str, ...] = ()


PLANTS = (
    Plant(
        "the validity of a result depends on a bit of it",
        "core_bus_ring", r"fetched_reg <= (\w+);", r"fetched_reg <= \1 & ~data0_reg[5];",
        "select in core.bus.ring depends on the data", ("core.bus.ring.data0_reg[5]", "core.bus.ring.fetched_reg"),
    ),
    Plant(
        "a bank is written at an address that depends on the data",
        "core_engine_bank_in0", r"assign write_address = (.*);", r"assign write_address = (\1) ^ wdata[7];",
        "memory address of core.engine.bank_in0.mem\\d* depends on the data",
    ),
    Plant(
        "the status code gives away a bit of the plaintext",
        "core_bus_sector", r" code_reg <= (\w+);", r" code_reg <= \1 ^ fill_data[1:0];",
        "output m_axis_status_tdata depends on the data", ("m_axis_status_tdata[16]",),
    ),
    Plant(
        "readiness for keys depends on the key",
        "core_bus_key_port", r"  assign key_ready =\s([^;]*);", r"  assign key_ready = (\1) | preparation_round_key_data[3];",
        "output s_axis_key_tready depends on the key", ("s_axis_key_tready",),
    ),
    Plant(
        "a key of zeros is refused",
        "core_bus_key_port", r"if \(key_valid\) state_error <= ([^;]*);",
        r"if (key_valid) state_error <= (\1) | preparation_round_key_data == 0;",
        "output key_error depends on the key", ("key_error",),
    ),
    Plant(
        "a register of the data path is held for some data",
        "core_bus_sector", r"    fill_data <= ([^;]*);", r"    if (!fill_data[9]) fill_data <= \1;",
        "select in core.bus.sector depends on the data", ("core.bus_engine_fill_data[9]",),
    ),
    Plant(
        "a block of zeros is not written",
        "core_engine_bank_cipher0", r"if \(write_en\)", r"if (write_en && wdata != 0)",
        "(select in|memory enable of) core.engine.bank_cipher0",
    ),
    Plant(
        "the sequencer skips a row for some results",
        "core_engine", r"(  \w+_core_engine_sequencer sequencer \((?:.|\n)*?\.enter_request\()(\w+)\)", r"\1\2 & ~out0_data_0_reg[0])",
        "select in core.", ("core.engine.sequencer.enter_request",),
    ),
)  # fmt: skip
"""For cores of any mode with one lane and registers behind their units."""

EARLY = Plant(
    "the sequential core stops early for some states",
    "core_engine_cipher0_both", r"round_reg <= (round_reg \+ (\d)'h1);", r"round_reg <= o_column_0_reg == 0 ? \2'h9 : \1;",
    "select in core.engine.cipher0.both depends on the ", ("core.engine.cipher0.both_o_column_0_reg[",),
)  # fmt: skip
"""For cores with one sequential AES core for both directions."""

OTHER_VERDICT = Plant(
    "a key with a bit set is refused beside the verdict",
    "core_bus_key_port", r"if \(key_valid\) (state_error) <= ([^;]*);", r"if (key_valid) \1 <= (\2) | schedule_key[3];",
    "output key_error depends on the key", ("key_error",),
)  # fmt: skip
"""For cores that refuse some keys."""


WAITING = Plant(
    "the port takes no beats while the register of the verdict is set",
    "core_bus_key_port", r"  assign key_ready = ([^;]*);", r"  assign key_ready = (\1) & ~unusable_reg;",
    "output s_axis_key_tready depends on core.bus.key_port.unusable_reg in cycles in which no verdict is due",
)  # fmt: skip
"""For cores that refuse some keys."""


def planted(verilog: Path, top: str, plant: Plant, directory: Path) -> Netlist:
    """The flat netlist of a core with an edit; raises ``ValueError`` if there is nothing to edit."""
    edited = edit_module(verilog.read_text(encoding="utf-8"), f"{top}_{plant.module}", plant.pattern, plant.replacement)
    path = directory / verilog.name
    path.write_text(edited, encoding="utf-8")
    return flat_netlist(path, top)
