# SPDX-License-Identifier: Apache-2.0
"""Groups of blocks, and where their borders lie."""

import pytest
from tests.synth.designs import TwoBlocks, convert

from modeloom.synth.hierarchy import assign, instances

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
