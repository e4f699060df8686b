# SPDX-License-Identifier: Apache-2.0
"""RTLIL text: what is a statement, where a signal ends, and what is not of the subset."""

from __future__ import annotations

import pytest

from modeloom_verilog.rtlil import Statement, names_in, parse, render, sigspec_end

NESTED = """
attribute \\top 1
module \\top
  wire width 1 input 7 \\clk
  wire width 4 \\inner
  attribute \\keep 1
  wire width 4 output 3 \\q
  wire width 4 input 5 \\d
  process $1
    assign \\q [3:0] \\inner
    switch \\clk
      case 1'1
        switch { \\d \\inner }
          case 8'00000000
            assign \\q \\d
        end
      case
    end
  end
  cell $mem_v2 $2
    parameter \\MEMID "\\\\words"
    parameter signed \\OFFSET 0
    parameter \\WIDTH 8
    connect \\A { \\d \\inner }
  end
  connect \\inner \\d
end
module \\other
  wire width 1 \\x
end
"""


@pytest.mark.parametrize(
    ("signal", "rest"),
    [
        ("\\a", "\\b"), ("\\a [3:0]", "\\b [1]"), ("4'0101", "\\b"), ("\\a [7:4] [0]", "{ \\b }"), ("{ \\a \\b }", "\\c"),
        ("{ \\a [3] { 2'01 \\b } \\c } [2:1]", "{ \\d \\e }"), ("\\a [3:0]", ""), ("{ }", ""),
    ],
)  # fmt: skip
def test_where_a_signal_ends(signal: str, rest: str) -> None:
    tokens = ["connect", *signal.split(), *rest.split()]
    assert sigspec_end(tokens, 1) == 1 + len(signal.split())


def test_names_in_a_signal() -> None:
    assert names_in("{ \\a [3:0] $7 4'0101 }".split()) == {"\\a", "$7"}


def test_statements() -> None:
    top, other = parse(NESTED)
    assert (top.name, other.name) == ("\\top", "\\other")
    assert top.attributes == ["attribute \\top 1"] and other.attributes == []
    assert [statement.kind for statement in top.statements] == ["wire"] * 4 + ["process", "cell", "connect"]
    assert [statement.name for statement in top.of_kind("wire")] == ["\\clk", "\\inner", "\\q", "\\d"]
    assert [statement.attributes for statement in top.of_kind("wire")] == [[], [], ["attribute \\keep 1"], []]
    assert [statement.port for statement in top.of_kind("wire")] == ["input", "", "output", "input"]
    (process,) = top.of_kind("process")
    assert sum(line[0] == "switch" for line in process.lines) == 2 and process.lines[-1] == ["end"]
    assert top.statements[-1].lines == [["connect", "\\inner", "\\d"]]


def test_ports_stand_in_the_order_of_their_numbers() -> None:
    assert list(parse(NESTED)[0].ports().items()) == [("\\q", "output"), ("\\d", "input"), ("\\clk", "input")]


def test_parameters() -> None:
    (cell,) = parse(NESTED)[0].of_kind("cell")
    assert (cell.parameter("\\MEMID"), cell.parameter("\\OFFSET"), cell.parameter("\\WIDTH")) == ('"\\\\words"', "0", "8")
    # The name of a port is no name of a parameter.
    assert cell.parameter("\\A") is None and cell.parameter("\\NONE") is None
    assert Statement("cell", [["cell", "$not", "$1"], ["connect", "\\A", "\\a"]]).parameter("\\A") is None


def test_text_is_kept() -> None:
    text = render(parse(NESTED))
    assert render(parse(text)) == text
    assert [line.split() for line in text.splitlines() if line] == [line.split() for line in NESTED.splitlines() if line]


def test_comments_and_numbering_are_left_out() -> None:
    assert render(parse("# made by hand\nautoidx 7\n\nmodule \\m\nend\n")) == "module \\m\nend\n"


@pytest.mark.parametrize("text", ["module \\m\n  sync always\nend\n", "wire width 1 \\a\n", "module \\m\nend\ncell $not $1\n"])
def test_other_lines_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="unexpected line of RTLIL"):
        parse(text)
