# SPDX-License-Identifier: Apache-2.0
"""A design is cut at the borders of its groups, and equal parts are known by their circuit."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.synth.designs import TwoBlocks, convert

from modeloom.sim.build import verilog_to_rtlil
from modeloom.synth import blocks
from modeloom.synth.blocks import assign

GROUPS = {"tables": ["rom_", "engine.rom"], "engine": ["engine"]}


@pytest.fixture(scope="module")
def design() -> str:
    return convert(TwoBlocks(), "two")


def parts_of(design: str, groups: dict[str, list[str]], top: str = "two") -> dict[str, blocks.Part]:
    return {part.module: part for part in blocks.cut(design, top, assign(design, top, groups))}


def modules(part: blocks.Part) -> list[str]:
    return re.findall(r"^module .(\S+)", part.rtlil, re.MULTILINE)


def test_cut_at_the_borders(design):
    found = parts_of(design, GROUPS)
    assert {name: (part.group, part.count, part.boxes) for name, part in found.items()} == {
        "two": ("other", 1, ("two.engine", "two.rom_0")),
        "two.rom_0": ("tables", 1, ()),
        "two.engine": ("engine", 1, ("two.engine.rom",)),
        "two.engine.rom": ("tables", 1, ()),
    }
    assert set(modules(found["two"])) == {"two", "two.adder", "two.engine", "two.rom_0"}, "the adder is in the group of the top"
    assert [part.boxes for part in parts_of(design, {"engine": ["engine"]}).values()] == [("two.engine",), ()]
    assert list(parts_of(design, {})) == ["two"]


def test_a_black_box_has_its_ports_and_nothing_else(design):
    text = parts_of(design, GROUPS)["two"].rtlil
    box = re.search(r"attribute .blackbox 1\nmodule .two.engine\n(.*?)^end$", text, re.MULTILINE | re.DOTALL)[1]
    assert box and all(re.match(r"  wire .*(input|output) ", line) for line in box.splitlines())
    named = re.search(r"cell .two.engine .engine\n(.*?)\n  end", text, re.DOTALL)[1]
    assert set(re.findall(r"connect (\S+)", named)) == {line.split()[-1] for line in box.splitlines()}


def test_modules_that_are_shared_are_one_part(design):
    shared = design.replace("cell \\two.engine.rom", "cell \\two.rom_0")
    found = parts_of(shared, GROUPS)
    assert found["two.rom_0"].count == 2 and found["two.engine"].boxes == ("two.rom_0",)


def test_fingerprints(design):
    """Names of modules do not count, nor do places in source files; what a part does counts."""
    found = parts_of(design, GROUPS)
    prints = {name: blocks.fingerprint(part) for name, part in found.items()}
    assert prints["two.rom_0"] == prints["two.engine.rom"] and len(set(prints.values())) == 3
    other = parts_of(design.replace("\\two", "\\three").replace("designs.py:3", "designs.py:4"), GROUPS, "three")
    assert [blocks.fingerprint(part) for part in other.values()] == list(prints.values())
    changed = parts_of(design.replace("cell $add", "cell $sub"), GROUPS)
    assert {name for name, part in changed.items() if blocks.fingerprint(part) != prints[name]} == {"two"}


ROM = """
module {name}(input [1:0] address, output [7:0] data);
  reg [7:0] words [0:3];
  initial begin words[0] = 1; words[1] = 2; words[2] = 3; words[3] = 4; end
  assign data = words[address];
endmodule
"""


def test_places_of_first_values_do_not_count(tmp_path):
    """Yosys numbers the first values of memories from the first module of a design to the last one: their order alone counts."""
    names = ("near", "far")
    inside = "".join(f"  {name} {name}_0(address, {name}_data);\n" for name in names)
    ports = ", ".join(f"output [7:0] {name}_data" for name in names)
    verilog = tmp_path / "top.v"
    verilog.write_text("".join(ROM.format(name=name) for name in names) + f"module top(input [1:0] address, {ports});\n{inside}endmodule\n")
    design = verilog_to_rtlil(verilog, "top")
    found = parts_of(design, {name: [f"{name}_0"] for name in names}, "top")
    numbers = {name: re.findall(r"PRIORITY (\d+)", found[name].rtlil) for name in names}
    assert len(numbers["near"]) == 4 and not set(numbers["near"]) & set(numbers["far"])
    assert blocks.fingerprint(found["near"]) == blocks.fingerprint(found["far"])
    first, last = numbers["near"][0], numbers["near"][-1]
    swapped = re.sub(rf"PRIORITY ({first}|{last})\n", lambda m: f"PRIORITY {last if m[1] == first else first}\n", found["near"].rtlil)
    assert blocks.fingerprint(replace(found["near"], rtlil=swapped)) != blocks.fingerprint(found["near"])
