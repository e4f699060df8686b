# SPDX-License-Identifier: Apache-2.0
"""What is read from the text of a design."""

from __future__ import annotations

import pytest

from modeloom.taint.graph import netlist_of_rtlil, port_directions

WIRES = {"clk": ("input", 1), "data": ("input", 2), "result": ("output", 10), "valid": ("output", 3)}

DESIGN = (
    "\nmodule \\before\n  wire input 1 \\left\nend\n"
    "\nmodule \\core\n"
    + "".join(f"  wire width 8 {way} {n} \\{name}\n" if n > 1 else f"  wire {way} {n} \\{name}\n" for name, (way, n) in WIRES.items())
    + "  wire width 4 \\inner\nend\n"
    "\nmodule \\core2\n  wire output 1 \\right\nend\n"
)


def test_ports_come_in_the_order_of_their_numbers() -> None:
    assert list(port_directions(DESIGN, "core").items()) == [
        ("clk", "input"), ("data", "input"), ("valid", "output"), ("result", "output")
    ]  # fmt: skip
    assert port_directions(DESIGN, "before") == {"left": "input"} and port_directions(DESIGN, "core2") == {"right": "output"}
    with pytest.raises(ValueError):
        port_directions(DESIGN, "cor")


TABLES = """
attribute \\keep_hierarchy "yes"
module \\table
  wire input 1 \\a
  wire output 2 \\y
  connect \\y \\a
end
attribute \\keep_hierarchy "yes"
module \\cipher
  wire input 1 \\a
  wire output 2 \\y
  cell \\table \\entry
    connect \\a \\a
    connect \\y \\y
  end
end
module \\core
  wire input 1 \\a
  wire output 2 \\y
  wire output 3 \\z
  cell \\table \\entry
    connect \\a \\a
    connect \\y \\y
  end
  cell \\cipher \\unit
    connect \\a \\a
    connect \\y \\z
  end
end
"""


@pytest.mark.parametrize("keep", [(), ("cipher",)])
def test_modules_that_tools_map_by_themselves_are_flattened(keep: tuple[str, ...]) -> None:
    netlist = netlist_of_rtlil(TABLES, "core", keep=keep)
    assert [cell.type for cell in netlist.cells] == list(keep)
    assert netlist.outputs["y"] == netlist.inputs["a"]
