# SPDX-License-Identifier: Apache-2.0
"""Groups of blocks, and where their borders lie."""

import pytest
from tests.synth.designs import TwoBlocks, convert

from modeloom.synth.blocks import assign, cut, fingerprint, instances, separated

GROUPS = {"tables": ["rom_", "engine.rom"], "engine": ["engine"]}


@pytest.fixture(scope="module")
def design() -> str:
    return convert(TwoBlocks(), "two")


def test_instances(design):
    assert instances(design, "two") == {"": "two", "rom_0": "two.rom_0", "engine": "two.engine",
                                        "engine.rom": "two.engine.rom", "adder": "two.adder"}
    with pytest.raises(ValueError, match="no module named 'three'"):
        instances(design, "three")


def test_longest_prefix_decides(design):
    owner = assign(design, "two", GROUPS)
    assert owner == {"two": "other", "two.rom_0": "tables", "two.engine": "engine", "two.engine.rom": "tables",
                     "two.adder": "other"}


def test_errors(design):
    with pytest.raises(ValueError, match="no instance begins with 'engin3'; there are engine"):
        assign(design, "two", {"x": ["engin3"]})
    with pytest.raises(ValueError, match="in two groups, x and y"):
        assign(design, "two", {"x": ["engine"], "y": ["engine"]})
    with pytest.raises(TypeError, match="sequence of strings"):
        assign(design, "two", {"x": "engine"})
    shared = design.replace("cell \\two.adder", "cell \\two.rom_0")
    with pytest.raises(ValueError, match="instances in two groups"):
        assign(shared, "two", GROUPS)


def test_modules_of_one_group_stay_as_they_are(design):
    assert separated(design, "two", GROUPS) == design


def test_a_module_in_two_groups_is_copied(design):
    """So is what is below it, and each copy has its cells."""
    shared = design.replace("cell \\two.adder ", "cell \\two.engine ")
    groups = {"tables": ["rom_"], "engine": ["engine"], "sum": ["adder"], "deep": ["adder.rom"]}
    apart = separated(shared, "two", groups)
    owner = assign(apart, "two", groups)
    assert owner == {
        "two": "other", "two.rom_0": "tables", "two.engine": "engine", "two.engine.rom": "engine", "two.engine$sum": "sum",
        "two.engine.rom$deep": "deep",
    }  # fmt: skip
    paths = instances(apart, "two")
    assert {path: owner[module] for path, module in paths.items()} == {
        "": "other", "rom_0": "tables", "engine": "engine", "engine.rom": "engine", "adder": "sum", "adder.rom": "deep"
    }  # fmt: skip
    # Equal modules stay equal: they are mapped once.
    parts = {part.module: part for part in cut(apart, "two", owner)}
    assert fingerprint(parts["two.engine.rom$deep"]) == fingerprint(next(cut(design, "two.engine.rom", {"two.engine.rom": ""})))
    assert all(part.count == 1 for part in parts.values())


def test_copies_cannot_differ_in_their_cells(design):
    """An instance of a shared module would have to be a module of its own if only its cell is in another group."""
    shared = design.replace("cell \\two.adder ", "cell \\two.engine ")
    with pytest.raises(ValueError, match=r"instances of two\.engine in group other have rom in two groups"):
        separated(shared, "two", {"deep": ["adder.rom"]})
