# SPDX-License-Identifier: Apache-2.0
"""Ports of slices are named after the signals that have their bits, or after the ports of instances at the other end."""

from __future__ import annotations

import pytest

from modeloom_verilog.names import name_the_unnamed
from modeloom_verilog.rtlil import RtlilModule, parse

INPUT = """
module \\top.part
  wire width 4 input 1 \\port$7$0
  wire width 4 output 2 \\y
  {inside}
  connect \\y $1 [3:0]
end
module \\top
  {outside}
  wire width 4 output 1 \\result
  cell \\top.part \\part
    connect \\port$7$0 $9 [3:0]
    connect \\y \\result
  end
end
module \\top.other
  wire width 8 output 1 \\sum
end
"""
"""A module with an input that has no name."""

OUTPUT = """
module \\top.part
  wire width 4 output 1 \\port$7$0
  {inside}
end
module \\top
  wire width 4 output 1 \\result
  wire width 4 $9
  {outside}
  cell \\top.part \\part
    connect \\port$7$0 $9 [3:0]
  end
end
module \\top.adder
  wire width 4 input 1 \\i
  wire width 4 output 2 \\total
end
"""
"""A module with an output that has no name."""


def ports(text: str) -> list[str]:
    """The ports of the part, which are those of its instance."""
    modules = parse(text)
    name_the_unnamed(modules, "\\top")
    part, top, *_ = modules
    (instance,) = (cell for cell in top.of_kind("cell") if cell.type == "\\top.part")
    assert [one.port for one in instance.connections()] == list(part.ports()) and used(part) >= {*part.ports()}
    return [port.removeprefix("\\") for port in part.ports()]


def used(module: RtlilModule) -> set[str]:
    """All names in a module."""
    return {token for statement in module.statements for line in statement.lines for token in line}


@pytest.mark.parametrize(
    ("inside", "outside", "name"),
    [
        # The whole of a signal, and bits of one, inside.
        ("wire width 4 $1\n wire width 4 \\word\n connect \\word \\port$7$0 [3:0]", "wire width 4 $9", "word_2"),
        ("wire width 4 $1\n wire width 8 \\word\n connect \\word { \\port$7$0 [3:0] 4'0000 }", "wire width 4 $9", "word_7_4"),
        # Bits of a signal around it.
        ("wire width 4 $1", "wire width 4 $9\n wire width 9 \\sum\n connect \\sum { 1'0 $9 [3:0] 4'1010 }", "sum_7_4"),
        # A signal whose name is not unique is not as good as the port of an instance.
        ("wire width 4 $1\n wire width 8 \\word$3\n connect \\word$3 { 4'0000 \\port$7$0 [3:0] }",
         "wire width 8 $9\n cell \\top.other \\other$4\n connect \\sum $9 [7:0]\n end", "other_sum_in"),
        ("wire width 4 $1\n wire width 8 \\word$3\n connect \\word$3 { 4'0000 \\port$7$0 [3:0] }", "wire width 4 $9", "word_3_0"),
        # Nothing has its bits: what is computed from it.
        ("wire width 4 $1\n cell $not $2\n connect \\A \\port$7$0 [3:0]\n connect \\Y $1\n end", "wire width 4 $9", "y_part"),
    ],
)  # fmt: skip
def test_inputs(inside: str, outside: str, name: str) -> None:
    assert ports(INPUT.format(inside=inside, outside=outside)) == [name, "y"]


@pytest.mark.parametrize(
    ("inside", "outside", "name"),
    [
        ("wire width 8 \\o\n wire width 4 $1\n connect \\o { $1 [3:0] 4'0000 }\n connect \\port$7$0 $1 [3:0]", "", "o_7_4"),
        ("wire width 4 $1\n cell \\top.adder \\add0\n connect \\total $1 [3:0]\n end\n connect \\port$7$0 $1 [3:0]", "", "add0_total_out"),
        # The wire is called add0_i in the Verilog (``names``).
        ("wire width 8 \\i\n cell \\top.adder \\add0\n connect \\i \\i [7:0]\n end\n connect \\port$7$0 \\i [6:3]", "", "add0_i_6_3"),
        ("wire width 4 $1\n connect \\port$7$0 $1 [3:0]", "connect \\result $9 [3:0]", "result"),
        ("wire width 4 \\given\n cell $not $2\n connect \\A \\given\n connect \\Y \\port$7$0\n end", "", "given_value"),
    ],
)  # fmt: skip
def test_outputs(inside: str, outside: str, name: str) -> None:
    assert ports(OUTPUT.format(inside=inside, outside=outside)) == [name]


def test_two_ports_of_one_name() -> None:
    both = "connect \\port$7$0 \\o [3:0]\n connect \\port$8$0 \\o [3:0]"
    text = OUTPUT.format(inside=f"wire width 4 output 2 \\port$8$0\n wire width 4 \\o\n {both}", outside="")
    text = text.replace("connect \\port$7$0 $9 [3:0]\n", "connect \\port$7$0 $9 [3:0]\n connect \\port$8$0 $9 [3:0]\n", 1)
    assert len(set(ports(text))) == 2
