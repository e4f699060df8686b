# SPDX-License-Identifier: Apache-2.0
"""Tables as modules of their own: the design computes the same, equal tables are one module, and what is no table stays."""

import random
import re

import pytest
from amaranth.back.rtlil import convert
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from modeloom.sim import Simulation
from modeloom.sim.build import verilog_to_rtlil
from modeloom.synth import synthesize
from modeloom.synth.yosys import MANY, TABLE, tables_apart

SQUARES = [n * n * 7 % 251 ^ n for n in range(256)]
CUBES = [n * n * n % 253 for n in range(256)]


def memory(name, words, reads, *, extra="", style="logic", missing=0):
    """Verilog of a memory that is set at the start and read in some places, each a byte of ``i``."""
    lines = [f'  (* rom_style = "{style}" *)', f"  reg [7:0] {name} [255:0];", "  initial begin"]
    lines += [f"    {name}[{n}] = 8'h{word:02x};" for n, word in enumerate(words[: 256 - missing])]
    lines += ["  end", extra, *(f"  assign {to} = {name}[{at}];" for to, at in reads)]
    return "\n".join(lines) + "\n"


def design(folder, top_memories, below="", ports="input clk, input [63:0] i, output [63:0] o, output [31:0] p, output [15:0] q"):
    """RTLIL of a top with two equal instances of a module that reads a table four times, and with memories of its own."""
    twice = memory("store", SQUARES, [(f"o[{8 * n} +: 8]", f"i[{8 * n} +: 8]") for n in range(4)])
    text = f"module half(input [31:0] i, output [31:0] o);\n{twice}endmodule\n{below}"
    text += f"module top({ports});\n  half a(.i(i[31:0]), .o(o[31:0]));\n  half b(.i(i[63:32]), .o(o[63:32]));\n{top_memories}endmodule\n"
    path = folder / "top.v"
    path.write_text(text)
    return verilog_to_rtlil(path, "top")


def reads(bus, count, first=0):
    return [(f"{bus}[{8 * n} +: 8]", f"i[{8 * (n + first)} +: 8]") for n in range(count)]


@pytest.fixture
def rtlil(tmp_path):
    """Squares in eight places, in three modules' memories; cubes in two."""
    return design(tmp_path, memory("other", SQUARES, reads("p", 4, 2)) + memory("few", CUBES, reads("q", 2, 1)))


def outputs(rtlil, inputs):
    simulation = Simulation.of(rtlil, "top", optimize=0)
    found = []
    for value in inputs:
        simulation.set("i", value)
        found.append(tuple(simulation.get(name) for name in ("o", "p", "q")))
    return found


def test_the_design_computes_the_same(rtlil):
    apart = tables_apart(rtlil)
    rng = random.Random(1)
    inputs = [0, (1 << 64) - 1, *(rng.getrandbits(64) for _ in range(500))]
    found = outputs(apart, inputs)
    assert found == outputs(rtlil, inputs)
    for value, (o, p, q) in zip(inputs, found, strict=True):
        parts = value.to_bytes(8, "little")
        assert o.to_bytes(8, "little") == bytes(SQUARES[byte] for byte in parts)
        assert p.to_bytes(4, "little") == bytes(SQUARES[byte] for byte in parts[2:6])
        assert q.to_bytes(2, "little") == bytes(CUBES[byte] for byte in parts[1:3])


def test_equal_tables_are_one_module(rtlil):
    """Of different memories in different modules; places in a module count once, whatever its instances."""
    apart = tables_apart(rtlil)
    names = re.findall(rf"attribute \\{TABLE} 1\nmodule \\(\S+)", apart)
    assert len(names) == 1 and apart.count(f"  cell \\{names[0]} ") == MANY == 8
    # The cubes are read in two places.
    assert apart.count("memory width 8 size 256") == 2
    assert tables_apart(apart) == apart


@pytest.mark.parametrize(
    "what",
    [
        memory("other", SQUARES, reads("p", 4), extra="  always @(posedge clk) other[i[7:0]] <= i[15:8];"),
        memory("other", SQUARES, reads("p", 4), missing=1),
        memory("other", SQUARES, reads("p", 4), style="block"),
        memory("other", SQUARES, reads("p", 3)),
        memory("other", [*SQUARES[:-1], SQUARES[-1] ^ 1], reads("p", 4)),
    ],
    ids=["written", "not whole", "block memory", "too few places", "another word"],
)
def test_what_is_no_table_stays(tmp_path, what):
    text = design(tmp_path, what)
    assert tables_apart(text) == text


@pytest.mark.parametrize("target", ["ecp5", "xc7"])
def test_a_design_with_tables_is_mapped_and_flattened(tmp_path, target):
    """Tables in eight places take no more LUTs than eight times one, four more with the same inputs none, and their levels count."""
    many = design(tmp_path, memory("other", SQUARES, reads("p", 4, 2)))
    one = tmp_path / "one.v"
    one.write_text(f"module one(input [7:0] i, output [7:0] o);\n{memory('store', SQUARES, [('o', 'i')])}endmodule\n")
    whole, single = synthesize(many, "top", target), synthesize(verilog_to_rtlil(one, "one"), "one", target)
    assert 6 * single.luts < whole.luts <= 8 * single.luts and 1 <= whole.levels <= single.levels + 1
    assert not [cell for cell in whole.cells if cell.startswith("table")]


class Cubes(wiring.Component):
    """A table that is read in ten places."""

    i: In(80)
    o: Out(80)

    def __init__(self, attributes):
        super().__init__()
        self.attributes = attributes

    def elaborate(self, platform):
        m = Module()
        m.submodules.rom = rom = Memory(shape=8, depth=256, init=CUBES, attrs={"rom_style": "logic", **self.attributes})
        for low in range(0, 80, 8):
            port = rom.read_port(domain="comb")
            m.d.comb += [port.addr.eq(self.i[low : low + 8]), self.o[low : low + 8].eq(port.data)]
        return m


def test_tables_that_are_mapped_by_themselves():
    """A table of Amaranth with ``table_whole`` is a module of its own that keeps its words; without, it stays where it is."""
    plain, whole = (convert(Cubes(attributes), name="top") for attributes in ({}, {"table_whole": 1}))
    assert tables_apart(plain) == plain
    apart = tables_apart(whole)
    assert apart.count('attribute \\keep_hierarchy "yes"\nmodule \\table_8_8_') == 1 and TABLE not in apart
    assert len(re.findall(r"cell \\table_8_8_\w+_whole ", apart)) == 10
    simulation = Simulation.of(apart, "top", optimize=0)
    for n in range(0, 256, 7):
        places = [(n + 25 * place) % 256 for place in range(10)]
        simulation.set("i", int.from_bytes(bytes(places), "little"))
        assert simulation.get("o").to_bytes(10, "little") == bytes(CUBES[place] for place in places)
    # Four LUTs of six inputs for each bit, and wide multiplexers.
    mapped = synthesize(whole, "top", "xc6v")
    assert mapped.luts <= 32 * 10 < synthesize(plain, "top", "xc6v").luts + 1
