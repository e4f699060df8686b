# SPDX-License-Identifier: Apache-2.0
"""A design is cut at the borders of its groups, and a part is mapped once, wherever it comes from."""

from __future__ import annotations

import re

import pytest
from tests.synth.designs import TwoBlocks, convert

from modeloom.synth import parts, synthesize_blocks
from modeloom.synth.hierarchy import assign

GROUPS = {"tables": ["rom_", "engine.rom"], "engine": ["engine"]}


@pytest.fixture(scope="module")
def design() -> str:
    return convert(TwoBlocks(), "two")


def parts_of(design: str, groups: dict[str, list[str]], top: str = "two") -> dict[str, parts.Part]:
    return {part.module: part for part in parts.cut(design, top, assign(design, top, groups))}


def modules(part: parts.Part) -> list[str]:
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
    prints = {name: parts.fingerprint(part) for name, part in found.items()}
    assert prints["two.rom_0"] == prints["two.engine.rom"] and len(set(prints.values())) == 3
    other = parts_of(design.replace("\\two", "\\three").replace("designs.py:3", "designs.py:4"), GROUPS, "three")
    assert [parts.fingerprint(part) for part in other.values()] == list(prints.values())
    changed = parts_of(design.replace("cell $add", "cell $sub"), GROUPS)
    assert {name for name, part in changed.items() if parts.fingerprint(part) != prints[name]} == {"two"}


@pytest.fixture
def runs(monkeypatch):
    """The modules that each run of Yosys has mapped."""
    found, real = [], parts.map_design

    def counted(rtlil, top, *arguments, **more):
        boxes = set(re.findall(r"attribute .blackbox 1\nmodule .(\S+)", rtlil))
        found.append(set(re.findall(r"^module .(\S+)", rtlil, re.MULTILINE)) - boxes)
        return real(rtlil, top, *arguments, **more)

    monkeypatch.setattr(parts, "map_design", counted)
    return found


def test_equal_parts_are_mapped_once(design, runs):
    known: parts.Known = {}
    first = synthesize_blocks(design, "two", "ecp5", GROUPS, known=known)
    assert len(runs) == 1 and len(known) == 3
    second = synthesize_blocks(design.replace("\\two", "\\three"), "three", "ecp5", GROUPS, known=known)
    assert len(runs) == 1 and second.blocks == first.blocks and second.total == first.total
    # What stands above a new part is mapped again, as Yosys has to find it; the others are not.
    changed = design.replace("cell $add", "cell $sub")
    synthesize_blocks(changed, "two", "ecp5", GROUPS, known=known)
    assert len(known) == 4 and runs[1] == {"two", "two.adder"}


def test_alone_and_together(design, runs, monkeypatch):
    """A part gives the same cells in a run of its own, which parts with ``mapped_apart`` get."""
    together = synthesize_blocks(design, "two", "xc4v", GROUPS)
    assert len(runs) == 2, "a run for each way to map"
    monkeypatch.setattr(parts, "APART", "module")
    alone = synthesize_blocks(design, "two", "xc4v", GROUPS)
    assert len(runs) == 2 + 2 * 3 and alone.blocks == together.blocks
