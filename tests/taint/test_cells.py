# SPDX-License-Identifier: Apache-2.0
"""What depends on what, in small designs where it can be seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from modeloom.product.description import Result
from modeloom.sim.build import BuildError
from modeloom.taint import flat_netlist
from modeloom.taint.check import control_points
from modeloom.taint.graph import BitGraph, Cell, Netlist, UnknownCell, dependences, netlist_of_rtlil

DESIGN = """
module small(input clk, input [3:0] a, input [3:0] b, input s, output [3:0] y, output reg [3:0] q);
  wire [3:0] unused = a ^ b;
{body}
endmodule
"""


def design(body: str, directory: Path) -> Netlist:
    path = directory / "small.v"
    path.write_text(DESIGN.format(body=body), encoding="utf-8")
    return flat_netlist(path, "small")


def reaching(netlist: Netlist, output: str, *, clocked: bool = True) -> list[str]:
    """For each bit of an output, the inputs that it depends on."""
    graph = BitGraph(netlist)
    result = []
    for bit in netlist.outputs[output]:
        found = graph.reached([bit], backwards=True, clocked=clocked)
        names = [
            f"{name}{i}" if len(bits) > 1 else name
            for name, bits in netlist.inputs.items()
            if name != "clk"
            for i, source in enumerate(bits)
            if source in found
        ]
        result.append(" ".join(names))
    return result


COMBINATIONAL = {
    "y = {a[1:0], b[1:0]} ^ 4'h3": ["b0", "b1", "a0", "a1"],
    "y = a & 4'b0110": ["", "a1", "a2", ""],
    "y = a | 4'b0110": ["a0", "", "", "a3"],
    "y = a + b": ["a0 b0", "a0 a1 b0 b1", "a0 a1 a2 b0 b1 b2", "a0 a1 a2 a3 b0 b1 b2 b3"],
    "y = s ? {a[3:1], b[0]} : {b[3:1], b[0]}": ["b0", "a1 b1 s", "a2 b2 s", "a3 b3 s"],
    "y = {a, b} >> 3": ["b3", "a0", "a1", "a2"],
    "y = a << 1": ["", "a0", "a1", "a2"],
    "y = a >> b[1:0]": ["a0 a1 a2 a3 b0 b1"] * 4,
    "y = a == b": ["a0 a1 a2 a3 b0 b1 b2 b3", "", "", ""],
    "y = {3'b0, ^a}": ["a0 a1 a2 a3", "", "", ""],
    "y = {4{s}} & a": ["a0 s", "a1 s", "a2 s", "a3 s"],
    "y = $signed(a[1:0]) + 4'sd0": ["a0", "a0 a1", "a0 a1", "a0 a1"],
}


@pytest.mark.parametrize("expression", COMBINATIONAL)
def test_combinational(expression: str, tmp_path: Path) -> None:
    netlist = design(f"  assign {expression};\n  always @(posedge clk) q <= 0;", tmp_path)
    assert reaching(netlist, "y") == COMBINATIONAL[expression]


def test_registers(tmp_path: Path) -> None:
    netlist = design("  assign y = 0;\n  always @(posedge clk) if (s) q <= {b[3:1], a[0]};", tmp_path)
    assert reaching(netlist, "q") == ["a0 s", "b1 s", "b2 s", "b3 s"]
    assert reaching(netlist, "q", clocked=False) == [""] * 4
    kinds = {(point.kind, netlist.names.get(point.bit)) for point in control_points(netlist, [Result("y", 4)])}
    assert {("select", "s"), ("register clock", "clk")} <= kinds


def test_memories(tmp_path: Path) -> None:
    body = """
  reg [3:0] mem [0:3];
  always @(posedge clk) if (s) mem[a[3:2]] <= b;
  assign y = mem[a[1:0]];
  always @(posedge clk) q <= mem[a[1:0]];
"""
    netlist = design(body, tmp_path)
    assert reaching(netlist, "y") == [f"a0 a1 a2 a3 b{i} s" for i in range(4)], "a column for each bit"
    assert reaching(netlist, "y", clocked=False) == ["a0 a1"] * 4
    graph = BitGraph(netlist)
    for kind, inputs in {"memory address": ["a", "s"], "memory enable": ["s"]}.items():
        points = [point.bit for point in control_points(netlist, [Result("y", 4)]) if point.kind == kind]
        found = graph.reached(points, backwards=True, clocked=False)
        for name, bits in netlist.inputs.items():
            assert all(bit in found for bit in bits) == (name in inputs), f"{kind} and {name}"


def test_paths_are_named(tmp_path: Path) -> None:
    body = "  wire [3:0] between = a & b;\n  reg [3:0] kept;\n  assign y = kept;\n"
    netlist = design(body + "  always @(posedge clk) begin kept <= between; q <= 0; end", tmp_path)
    graph = BitGraph(netlist)
    reached = graph.reached(netlist.inputs["a"])
    names = [graph.name(node) for node in reached.path(netlist.outputs["y"][2])]
    assert names == ["a[2]", "between[2]", "y[2]"]


def test_unknown_cells_are_refused() -> None:
    with pytest.raises(UnknownCell, match="cell latch has type .dlatch"):
        dependences(Cell("latch", "$dlatch", {}, {"D": [2], "Q": [3], "EN": [4]}), None)  # type: ignore[arg-type]


def test_what_yosys_refuses_is_an_error_of_one_line() -> None:
    with pytest.raises(BuildError, match="Yosys cannot flatten small: ") as caught:
        netlist_of_rtlil("this is no design", "small")
    assert "\n" not in str(caught.value)
