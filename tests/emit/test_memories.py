# SPDX-License-Identifier: Apache-2.0
"""The memories that ``core.json`` lists are those that Yosys finds in the emitted Verilog."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from pyosys import libyosys
from tests.emit.package.folders import CASES, folder

from modeloom.emit.package import outside
from modeloom.product.folder import read_description
from modeloom_verilog.circuit import Circuit, Instance, Memory
from modeloom_verilog.memories import memories_of


def found_by_yosys(path: Path, work: Path) -> Counter[tuple]:
    """Module, instances, width, depth, read ports and write ports of each memory."""
    seen = outside(read_description(path))
    design = libyosys.Design()
    for file in seen.verilog:
        libyosys.run_pass(f"read_verilog -sv {path / file}", design)
    for command in (f"hierarchy -top {seen.top}", "proc", "opt_expr", "opt_clean", "memory_share", "memory_collect"):
        libyosys.run_pass(command, design)
    libyosys.run_pass(f"write_json {work / 'design.json'}", design)
    modules = json.loads((work / "design.json").read_text())["modules"]

    def instances(name: str, times: int, into: Counter[str]) -> Counter[str]:
        into[name] += times
        for cell in modules[name]["cells"].values():
            if cell["type"] in modules:
                instances(cell["type"], times, into)
        return into

    number = instances(seen.top, 1, Counter())
    result: Counter[tuple] = Counter()
    for name, module in modules.items():
        for cell in module["cells"].values():
            if cell["type"] == "$mem_v2":
                width, depth, reads, writes = (int(cell["parameters"][key], 2) for key in ("WIDTH", "SIZE", "RD_PORTS", "WR_PORTS"))
                result[name, number[name], width, depth, reads, writes] += 1
    return result


@pytest.mark.parametrize("kind", CASES)
def test_they_are_those_of_the_verilog(kind, tmp_path):
    path = folder(kind)
    listed = read_description(path).memories
    assert listed and any(not one.write_ports for one in listed)
    mine = Counter((one.module, one.instances, one.width, one.depth, one.read_ports, one.write_ports) for one in listed)
    assert found_by_yosys(path, tmp_path) == mine


@pytest.mark.parametrize("kind", CASES)
def test_names_registers_and_styles_are_those_of_the_verilog(kind):
    path = folder(kind)
    text = "".join((path / file).read_text() for file in outside(read_description(path)).verilog)
    modules = dict(re.findall(r"^module (\w+) .*?$(.*?)^endmodule", text, re.M | re.S))
    for one in read_description(path).memories or ():
        size = rf"(?:\[{one.width - 1}:0\] )?{one.name} \[{one.depth - 1}:0\];"
        attributes = re.search(rf"(?:\(\* (.*) \*\)\n)?  reg {size}", modules[one.module])
        assert attributes, one
        # A register takes its word at an edge, and without one the word is assigned.
        assert len(re.findall(rf"<= {one.name}\[", modules[one.module])) == one.registered_read_ports
        wanted = {"block": 'ram_style = "block"', "distributed": 'ram_style = "distributed"', "logic": 'ram_style = "registers"'}
        assert one.style == "auto" and attributes[1] is None or wanted[one.style] in attributes[1]


def test_instances_multiply():
    """Two of a module that has three of another one."""
    inner = Circuit("\\inner", memories={"\\words": Memory(8, 4, {"ram_style": '"block"'})})
    middle = Circuit("\\middle", instances={f"\\i{n}": Instance("\\inner", f"\\i{n}") for n in range(3)})
    top = Circuit("\\top", instances={f"\\m{n}": Instance("\\middle", f"\\m{n}") for n in range(2)})
    (one,) = memories_of([top, middle, inner], "\\top")
    assert (one.module, one.name, one.instances, one.style) == ("inner", "words", 6, "block")
    assert (one.read_ports, one.registered_read_ports, one.write_ports) == (0, 0, 0)


def test_the_datasheet_has_them():
    path = folder("sectors")
    text = (path / "datasheet.md").read_text()
    for one in read_description(path).memories or ():
        assert (f"| `{one.module}` | `{one.name}` |" in text) == bool(one.write_ports)
