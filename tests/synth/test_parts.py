# SPDX-License-Identifier: Apache-2.0
"""A part of a design is mapped once, wherever it comes from."""

from __future__ import annotations

import re

import pytest
from tests.synth.designs import Rom, TwoBlocks, convert

from modeloom.synth import blocks, synthesize_blocks
from modeloom.synth.yosys import Mapped

GROUPS = {"tables": ["rom_", "engine.rom"], "engine": ["engine"]}


@pytest.fixture(scope="module")
def design() -> str:
    return convert(TwoBlocks(), "two")


@pytest.fixture
def runs(monkeypatch):
    """The modules that each run of Yosys has mapped."""
    found, real = [], blocks.map_design

    def counted(rtlil, top, *arguments, **more):
        boxes = set(re.findall(r"attribute .blackbox 1\nmodule .(\S+)", rtlil))
        found.append(set(re.findall(r"^module .(\S+)", rtlil, re.MULTILINE)) - boxes)
        return real(rtlil, top, *arguments, **more)

    monkeypatch.setattr(blocks, "map_design", counted)
    return found


def test_equal_parts_are_mapped_once(design, runs):
    known: dict[blocks.Key, blocks.MappedPart] = {}
    first = synthesize_blocks(design, "two", "ecp5", GROUPS, known=known)
    assert len(runs) == 1 and len(known) == 3
    second = synthesize_blocks(design.replace("\\two", "\\three"), "three", "ecp5", GROUPS, known=known)
    assert len(runs) == 1 and second.blocks == first.blocks and second.total == first.total
    # What stands above a new part is mapped again, as Yosys has to find it; the others are not.
    changed = design.replace("cell $add", "cell $sub")
    synthesize_blocks(changed, "two", "ecp5", GROUPS, known=known)
    assert len(known) == 4 and runs[1] == {"two", "two.adder"}


@pytest.mark.slow
def test_alone_and_together(design, runs, monkeypatch):
    """A part gives the same cells in a run of its own, which parts with ``mapped_apart`` get."""
    groups = {"engine": ["engine"]}
    together = synthesize_blocks(design, "two", "xc4v", groups)
    assert len(runs) == 2, "a run for each way to map"
    assert [command.count("-nowidelut") for command in together.script] == [0, 1]
    monkeypatch.setattr(blocks, "APART", "module")
    alone = synthesize_blocks(design, "two", "xc4v", groups)
    assert len(runs) == 2 + 2 * 2 and alone.blocks == together.blocks


@pytest.fixture
def tried(monkeypatch):
    """The top and the way of each run.  Instead of Yosys, two LUTs and a wide multiplexer stand for each module, or three LUTs."""
    found = []

    def mapped(rtlil, top, target, *rest, **more):
        (command,) = target.commands
        narrow = "-nowidelut" in command
        found.append((top, narrow))
        kinds = ["LUT4"] * 3 if narrow else ["LUT4"] * 2 + ["MUXF5"]
        cells = {f"c{number}": {"type": kind} for number, kind in enumerate(kinds)}
        modules = {name: {"cells": cells} for name in re.findall(r"^module .(\S+)", rtlil, re.MULTILINE)}
        return Mapped({"creator": "Yosys 0.70 (git)", "modules": modules}, None, None, [], None)

    monkeypatch.setattr(blocks, "map_design", mapped)
    return found


def test_groups_without_wide_multiplexers(design, tried):
    """Their parts are never mapped with them, and are kept apart from the same parts that were."""
    groups, known = {"tables": ["rom_", "engine.rom"]}, {}
    found = synthesize_blocks(design, "two", "xc4v", groups, known=known, narrow=["tables"])
    # The part on top is mapped both ways.  Both ROMs are equal.
    assert tried == [("two", False), ("two", True), ("two.engine.rom", True)]
    assert found.narrow == ("tables",) and found.blocks["tables"].cells == {"LUT4": 6}
    assert found.blocks["other"].cells == {"LUT4": 2, "MUXF5": 1}
    usual = synthesize_blocks(design, "two", "xc4v", groups, known=known)
    assert len(tried) == 3 + 2 and len(known) == 3
    assert usual.narrow == () and usual.blocks["tables"].cells == {"LUT4": 4, "MUXF5": 2}
    assert synthesize_blocks(design, "two", "xc4v", groups, known=known, narrow=["tables"]) == found
    assert synthesize_blocks(design, "two", "xc4v", groups, known=known) == usual and len(tried) == 5


def test_groups_that_cannot_be_mapped_without_wide_multiplexers(design, tried):
    groups = {"tables": ["rom_", "engine.rom"]}
    with pytest.raises(ValueError, match="target xc7 has no mapping without wide multiplexers"):
        synthesize_blocks(design, "two", "xc7", groups, narrow=["tables"])
    with pytest.raises(ValueError, match="no group is called 'table'; there are tables, other"):
        synthesize_blocks(design, "two", "xc4v", groups, narrow=["table"])
    with pytest.raises(ValueError, match="mapper compact uses no wide multiplexers"):
        synthesize_blocks(design, "two", "xc4v", groups, mapper="compact", narrow=["tables"])
    assert not tried


@pytest.mark.slow
def test_cells_without_wide_multiplexers():
    """Yosys takes MUXF5 for a table, except where it must not."""
    table = convert(Rom(), "rom")
    usual, narrow = (synthesize_blocks(table, "rom", "xc4v", {}, narrow=chosen).total for chosen in ([], ["other"]))
    assert usual.cells["MUXF5"] > 0 and not [cell for cell in narrow.cells if cell.startswith("MUXF")]
    assert narrow.luts > usual.luts
