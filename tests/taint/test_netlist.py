# SPDX-License-Identifier: Apache-2.0
"""What is read from the text of a design."""

from __future__ import annotations

import pytest

from modeloom.taint.netlist import port_directions

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
