# SPDX-License-Identifier: Apache-2.0
"""A part of a design is mapped once, wherever it comes from."""

from __future__ import annotations

import re

import pytest
from tests.synth.designs import TwoBlocks, convert

from modeloom.synth import parts, synthesize_blocks

GROUPS = {"tables": ["rom_", "engine.rom"], "engine": ["engine"]}


@pytest.fixture(scope="module")
def design() -> str:
    return convert(TwoBlocks(), "two")


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
    known: dict[parts.Key, parts.MappedPart] = {}
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
    monkeypatch.setattr(parts, "APART", "module")
    alone = synthesize_blocks(design, "two", "xc4v", groups)
    assert len(runs) == 2 + 2 * 2 and alone.blocks == together.blocks
