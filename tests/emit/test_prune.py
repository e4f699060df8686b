# SPDX-License-Identifier: Apache-2.0
"""What no output depends on goes, at every level; what one depends on stays."""

from __future__ import annotations

import pytest

from modeloom_verilog.rtlil import parse, render
from modeloom_verilog.simplify import prune

DESIGN = """
module \\top
  wire width 1 input 0 \\clk
  wire width 1 input 1 \\unused
  wire width 4 input 2 \\d
  wire width 4 output 3 \\q
  wire width 4 \\idle
  wire width 4 \\echo
  cell \\child \\live
    connect \\clk \\clk
    connect \\unused \\unused
    connect \\d \\d
    connect \\q \\q
    connect \\idle \\idle
  end
  cell \\sink \\dead
    connect \\d \\d
  end
end
module \\child
  wire width 1 input 0 \\unused
  wire width 4 input 1 \\d
  wire width 1 input 2 \\clk
  wire width 4 output 3 \\q
  wire width 4 output 4 \\idle
  wire width 4 \\next
  memory width 4 size 2 \\mem
  process $1
    assign \\next \\idle
    switch \\clk
      case 1'1
        assign \\next \\d
    end
  end
  cell $not $2
    connect \\A \\next
    connect \\Y \\idle
  end
  cell $memwr_v2 $3
    parameter \\MEMID "\\\\mem"
    connect \\ADDR 1'0
    connect \\DATA \\next
    connect \\EN 4'1111
    connect \\CLK \\clk
  end
  cell $memrd_v2 $4
    parameter \\MEMID "\\\\mem"
    connect \\ADDR 1'0
    connect \\DATA \\q
    connect \\CLK \\clk
  end
end
module \\sink
  wire width 4 input 1 \\d
  wire width 4 \\kept
  connect \\kept \\d
end
"""


def test_prune() -> None:
    modules = prune(parse(DESIGN), "\\top")
    assert [module.name for module in modules] == ["\\top", "\\child"]
    top, child = modules
    assert list(top.ports()) == ["\\clk", "\\unused", "\\d", "\\q"], "the ports of the top stay"
    assert [cell.name for cell in top.of_kind("cell")] == ["\\live"]
    # idle is computed within the child, but nobody outside reads it; the memory's writes live by its reads.
    assert child.ports() == {"\\clk": "input", "\\d": "input", "\\q": "output"}
    text = render(modules)
    assert "wire width 4 \\idle" in text and "\\echo" not in text
    assert "$memwr_v2" in text and "process $1" in text
    assert "input 0" not in text and "output 0" not in text


CHAIN = """
module \\top
  wire width 2 output 1 \\p
  wire width 2 output 2 \\r
  wire width 2 input 3 \\a
  wire width 2 input 4 \\b
  wire width 1 input 5 \\way
  wire width 2 input 6 \\spare
  cell \\inner \\inner
    connect \\q \\p
    connect \\a \\a
    connect \\b \\b
    connect \\way \\way
    connect \\spare \\spare
  end
  connect \\r \\a
end
module \\inner
  wire width 2 input 1 \\a
  wire width 2 input 2 \\b
  wire width 1 input 3 \\way
  wire width 2 input 4 \\spare
  wire width 2 output 5 \\q
  wire width 2 \\sum
  wire width 2 \\copy
  wire width 2 \\chosen
  wire width 2 \\held
  wire width 2 \\left
  wire width 2 \\dead
  cell $xor $1
    connect \\A { \\copy [1] \\copy [0] }
    connect \\B \\copy
    connect \\Y { \\sum [1:0] }
  end
  connect { \\copy [1] \\copy [0] } \\chosen [1:0]
  process $2
    assign { \\chosen [0] \\chosen [1] } { \\held [0] \\held [1] }
    switch \\way
      case 1'1
        assign \\chosen [1:0] \\a
    end
  end
  cell $dff $3
    connect \\CLK \\way
    connect \\D \\left
    connect \\Q \\held
  end
  cell \\half \\half
    connect \\i \\b
    connect \\o \\left
  end
  cell $not $4
    connect \\A \\spare
    connect \\Y \\dead
  end
  connect \\q [1:0] \\sum
end
module \\half
  wire width 2 input 1 \\i
  wire width 2 output 2 \\o
  connect \\o \\i
end
"""
"""One statement of each kind behind the other, from the output back to the inputs; nothing reads ``dead``."""


DEAD = (
    "  wire width 2 input 4 \\spare\n", "  wire width 2 \\dead\n", "    connect \\spare \\spare\n",
    "  cell $not $4\n    connect \\A \\spare\n    connect \\Y \\dead\n  end\n",
)  # fmt: skip


def test_all_that_an_output_is_computed_from_stays() -> None:
    text = CHAIN
    for dead in DEAD:
        assert text.count(dead) == 1
        text = text.replace(dead, "")
    found, wanted = prune(parse(CHAIN), "\\top"), parse(text)
    assert [module.name for module in found] == [module.name for module in wanted]
    for one, other in zip(found, wanted, strict=True):
        assert one.of_kind("cell", "process", "connect") == other.of_kind("cell", "process", "connect")
        assert [wire.name for wire in one.of_kind("wire")] == [wire.name for wire in other.of_kind("wire")]
    assert list(found[0].ports()) == ["\\a", "\\b", "\\way", "\\spare", "\\p", "\\r"], "inputs first"
    assert list(found[1].ports()) == ["\\a", "\\b", "\\way", "\\q"] and list(found[2].ports()) == ["\\i", "\\o"]


@pytest.mark.parametrize(
    ("old", "new", "left", "half"),
    [
        ("connect \\q [1:0] \\sum", "connect \\q [1:0] 2'00", ["\\q"], False),
        ("connect \\Y { \\sum [1:0] }", "connect \\Y { \\dead [1:0] }", ["\\q"], False),
        ("connect { \\copy [1] \\copy [0] } \\chosen", "connect { \\copy [1] \\copy [0] } \\b", ["\\b", "\\q"], False),
        ("{ \\held [0] \\held [1] }", "{ \\b [0] 1'0 }", ["\\a", "\\b", "\\way", "\\q"], False),
        ("{ \\held [0] \\held [1] }", "{ 1'1 1'0 }", ["\\a", "\\way", "\\q"], False),
        ("assign \\chosen [1:0] \\a", "assign \\chosen [1:0] 2'00", ["\\b", "\\way", "\\q"], True),
        ("connect \\D \\left", "connect \\D 2'00", ["\\a", "\\way", "\\q"], False),
        ("connect \\i \\b", "connect \\i 2'00", ["\\a", "\\way", "\\q"], True),
    ],
)
def test_what_only_a_cut_wire_needed_goes(old: str, new: str, left: list[str], half: bool) -> None:
    assert CHAIN.count(old) == 1
    modules = {module.name: module for module in prune(parse(CHAIN.replace(old, new)), "\\top")}
    assert list(modules["\\inner"].ports()) == left
    assert ("\\half" in modules) == half


def test_prune_twice_is_once() -> None:
    modules = prune(parse(DESIGN), "\\top")
    once = render(modules)
    assert render(prune(modules, "\\top")) == once
