# SPDX-License-Identifier: Apache-2.0
"""A design is cut at the borders of its groups, and equal parts are known by their circuit."""

from __future__ import annotations

import re

import pytest
from tests.synth.designs import TwoBlocks, convert

from modeloom.synth import cut
from modeloom.synth.hierarchy import assign

GROUPS = {"tables": ["rom_", "engine.rom"], "engine": ["engine"]}


@pytest.fixture(scope="module")
def design() -> str:
    return convert(TwoBlocks(), "two")


def parts_of(design: str, groups: dict[str, list[str]], top: str = "two") -> dict[str, cut.Part]:
    return {part.module: part for part in cut.cut(design, top, assign(design, top, groups))}


def modules(part: cut.Part) -> list[str]:
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
    prints = {name: cut.fingerprint(part) for name, part in found.items()}
    assert prints["two.rom_0"] == prints["two.engine.rom"] and len(set(prints.values())) == 3
    other = parts_of(design.replace("\\two", "\\three").replace("designs.py:3", "designs.py:4"), GROUPS, "three")
    assert [cut.fingerprint(part) for part in other.values()] == list(prints.values())
    changed = parts_of(design.replace("cell $add", "cell $sub"), GROUPS)
    assert {name for name, part in changed.items() if cut.fingerprint(part) != prints[name]} == {"two"}
