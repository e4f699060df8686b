# SPDX-License-Identifier: Apache-2.0
"""What no output depends on goes, at every level; what one depends on stays."""

from __future__ import annotations

from modeloom.emit.prune import prune
from modeloom.emit.rtlil import parse, render

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


def test_prune_twice_is_once() -> None:
    modules = prune(parse(DESIGN), "\\top")
    once = render(modules)
    assert render(prune(modules, "\\top")) == once
