# SPDX-License-Identifier: Apache-2.0
"""Rare faults, and the monitors that say which traffic reaches them, in a small design in the form that ``plain`` writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.planted_faults.rare import RARE_KINDS, rare_faults
from tools.planted_faults.schemata import INPUT, SEEN, schemata

from modeloom.sim import Simulation
from modeloom.sim.build import build, verilog_to_rtlil

DESIGN = """\
module top (
    input  wire          aclk,
    input  wire          aresetn,
    input  wire    [7:0] x,
    output wire          is_twelve,
    output wire    [7:0] count,
    output wire          small,
    output wire    [3:0] word
);
  inner inner_part (
    .clk(aclk),
    .x(x),
    .is_twelve(is_twelve),
    .count(count),
    .small(small),
    .word(word)
  );
endmodule

module inner(clk, x, is_twelve, count, small, word);
  input clk;
  wire clk;
  input [7:0] x;
  wire [7:0] x;
  output is_twelve;
  wire is_twelve;
  output [7:0] count;
  reg [7:0] count = 8'h00;
  output small;
  wire small;
  output [3:0] word;
  wire [3:0] word;
  wire [7:0] _0_;
  wire [2:0] at;
  reg [3:0] words [7:0];
  initial begin
    words[0] = 4'h1;
    words[1] = 4'h2;
    words[2] = 4'h3;
    words[3] = 4'h4;
    words[4] = 4'h5;
    words[5] = 4'h6;
    words[6] = 4'h7;
    words[7] = 4'h8;
  end
  assign _0_ = count + 8'h01;
  assign is_twelve = x == 8'h0c;
  assign small = x < 8'h08;
  assign at = x[2:0];
  assign word = words[at];
  always @(posedge clk)
    count <= _0_;
endmodule
"""


def test_kinds() -> None:
    faults = rare_faults(DESIGN, 20, 1)
    assert len({(fault.line, fault.new) for fault in faults}) == 20
    assert {fault.kind for fault in faults} == set(RARE_KINDS)
    assert all(fault.apply(DESIGN) != DESIGN for fault in faults)


def test_all_faults_and_their_monitors(tmp_path: Path) -> None:
    """Each fault changes an output where its monitor says so, and nowhere else."""
    faults = rare_faults(DESIGN, 27, 1)
    path = tmp_path / "top.v"
    path.write_text(schemata(DESIGN, faults, monitors=True))
    library = build(verilog_to_rtlil(path, "top"), "top", optimize=0)
    outputs = ("is_twelve", "count", "small", "word")

    def run(fault: int, inputs: list[int]) -> tuple[list[tuple[int, ...]], set[int]]:
        simulation = Simulation(library)
        simulation.set(INPUT, fault)
        rows = []
        for x in inputs:
            simulation.set("x", x)
            rows.append(tuple(simulation.get(name) for name in outputs))
            simulation.step()
        # What a counter does differs in the cycle after its line.
        rows.append(tuple(simulation.get(name) for name in outputs))
        monitors = [name for name in simulation.objects if SEEN in name]
        assert len(monitors) == len(faults)
        return rows, {int(name.rpartition(SEEN)[2]) for name in monitors if simulation.get(name)}

    for inputs in ([0, 1, 2, 3], list(range(256)) + [12] * 40):
        good, reached = run(0, inputs)
        for number in range(1, len(faults) + 1):
            changed = run(number, inputs)[0] != good
            assert changed == (number in reached), faults[number - 1].new
    assert len(reached) == len(faults)


def test_no_more_faults_than_there_are() -> None:
    assert len(rare_faults(DESIGN, 1000, 1)) == 8 + 8 + 8 + 3


@pytest.mark.parametrize("kind", RARE_KINDS)
def test_one_bit_of_each(kind: str) -> None:
    new = {fault.new.strip() for fault in rare_faults(DESIGN, 1000, 1) if fault.kind == kind}
    assert {
        "comparison": "assign is_twelve = (x | 8'h80) == (8'h0c | 8'h80);", "depth": "assign small = x < 8'h88;",
        "index": "assign word = words[(at & 3'h3)];", "counter": "assign _0_ = (count + 8'h01) & 8'h7f;",
    }[kind] in new  # fmt: skip
