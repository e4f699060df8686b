# SPDX-License-Identifier: Apache-2.0
"""The planting of faults: what is edited, and that the file with all of them is the good core, or the one with a fault."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.built import slowly
from tests.external import needs
from tools.planted_faults.schemata import INPUT, schemata
from tools.planted_faults.sites import KINDS, faults

from modeloom.emit.simulators import Icarus, Simulator, Verilator

TOP = """\
// a comment
module top (
    input  wire          clk,
    input  wire    [7:0] a,
    output wire    [7:0] y
);

  top_core core (
    .clk(clk),
    .a(a),
    .y(y)
  );

endmodule

module top_core(clk, a, y);
  input clk;
  wire clk;
  input [7:0] a;
  wire [7:0] a;
  output [7:0] y;
  reg [7:0] y_reg = 8'h00;
  wire [7:0] _0_;
  wire [7:0] _1_;
  wire _2_;
  wire _3_;
  wire rst;
  wire [7:0] _4_;
  wire [7:0] _5_;
  wire [7:0] _6_;
  wire [7:0] _7_;
  (* rom_style = "logic" *)
  reg [7:0] table0 [3:0];
  initial begin
    table0[0] = 8'h11;
    table0[1] = 8'h22;
    table0[2] = 8'h44;
    table0[3] = 8'h88;
  end
  assign _0_ = table0[a[1:0]];
  assign _1_ = a & 8'hf0;
  assign _2_ = a == 8'h03;
  assign _3_ = | a;
  assign rst = _2_ & _3_;
  assign _4_ = _2_ ? y_reg : _0_;
  assign _5_ = rst ? 8'h5a : _4_;
  assign _6_ = { a[3], a[5:4], y_reg[6:2] };
  assign _7_ = _3_ ? _6_ : _1_;
  assign y = y_reg ^ _7_;
  always @(posedge clk)
    y_reg <= _5_;
endmodule
"""


def test_all_kinds_and_no_two_alike() -> None:
    chosen = faults(TOP, 30, 1)
    assert {fault.kind for fault in chosen} == set(KINDS)
    assert len({(fault.line, fault.new) for fault in chosen}) == 30
    assert chosen == faults(TOP, 30, 1) != faults(TOP, 30, 2)
    for fault in chosen:
        text = fault.apply(TOP)
        assert text != TOP and len(text.split("\n")) == len(TOP.split("\n"))
        assert fault.module == "top_core"


def test_too_few_places() -> None:
    with pytest.raises(ValueError, match="there are no 300 different faults"):
        faults(TOP, 300, 1)


def test_a_line_that_is_another() -> None:
    with pytest.raises(ValueError, match="is not"):
        faults(TOP, 1, 1)[0].apply("\n" + TOP)


BENCH = """
module bench;
  reg clk = 0;
  reg [15:0] number;
  reg [7:0] a;
  wire [7:0] y;
  integer i;
  top top (.clk(clk), PORT.a(a), .y(y));
  initial begin
    if (!$value$plusargs("number=%d", number)) number = 0;
    for (i = 0; i < 512; i = i + 1) begin
      a = i * 7 + (i >> 5);
      #1 clk = 1;
      #1 $write("%h", y);
      clk = 0;
    end
  end
endmodule
"""


def built(kind: type[Simulator], verilog: str, bench: str, work: Path) -> list[str]:
    """The command that runs a bench."""
    work.mkdir()
    (work / "top.v").write_text(verilog + bench)
    return kind().build("bench", [work / "top.v"], work)


def outputs(command: list[str], number: int = 0) -> str:
    told = subprocess.run([*command, f"+number={number}"], check=True, capture_output=True, text=True).stdout
    # What Verilator says of the time that it took comes behind.
    return told.partition("- ")[0]


@pytest.mark.parametrize(("kind", "count"), [*slowly((Verilator, 3)), pytest.param(Icarus, 24, marks=needs("iverilog"))])
def test_the_number_chooses_the_fault(tmp_path: Path, kind: type[Simulator], count: int) -> None:
    """Each number gives the outputs of the Verilog that is edited for real, and 0 those of the good one."""
    chosen = faults(TOP, 24, 5)
    together = schemata(TOP, chosen)
    plain = BENCH.replace("PORT", "")
    good = outputs(built(kind, TOP, plain, tmp_path / "good"))
    all_of_them = built(kind, together, BENCH.replace("PORT", f".{INPUT}(number), "), tmp_path / "all")
    assert outputs(all_of_them) == good
    different = 0
    chosen = chosen[:count]
    for number, fault in enumerate(chosen, 1):
        edited = outputs(built(kind, fault.apply(TOP), plain, tmp_path / f"{number}"))
        assert outputs(all_of_them, number) == edited, fault
        different += edited != good
    assert different > count // 2
