# SPDX-License-Identifier: Apache-2.0
"""Blocks of an emitted core: equal cipher cores are one module, and every group is there."""

import re

import pytest
from tests.built import folder
from tests.core.several_keys import XCB

from modeloom.measure import area as measure
from modeloom.product.description import sector_groups
from modeloom.product.folder import read_description
from modeloom.synth import BlockResult, blocks


def outline(path):
    """Module names and instances of a core's Verilog, in the form in which RTLIL has them."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if module := re.match(r"module (\w+)", line):
            lines.append(f"module \\{module[1]}")
        elif instance := re.match(r"  (\w+) (\w+) \($", line):
            lines.append(f"  cell \\{instance[1]} \\{instance[2]}")
        elif line == "endmodule":
            lines.append("end")
    return "".join(f"{line}\n" for line in lines)


def test_equal_cores_are_one_module(monkeypatch):
    """``measure_blocks`` hands over groups that fit; both cipher cores are instances of one module."""
    core = folder("xts", sector=64, cipher_cores=2, cipher_arch="sequential", direction="encrypt", restarts=0)
    asked = {}

    def mapped(text, top, target, groups, **more):
        asked.update(groups)
        owner = blocks.assign(text, top, groups)
        assert set(owner.values()) == {*(name for name, prefixes in groups.items() if prefixes), blocks.OTHER}
        paths = blocks.instances(text, top).items()
        ciphers = [module for path, module in paths if re.fullmatch(r"core\.engine\.enc\d+\.\w+", path)]
        assert len(ciphers) > 1 and len(set(ciphers)) == 1
        return BlockResult(top, target, "", more["command"], {}, (), {}, None)

    monkeypatch.setattr(measure, "verilog_to_rtlil", lambda path, top: outline(path))
    monkeypatch.setattr(measure, "synthesize_blocks", mapped)
    assert measure.measure_blocks(core, "ecp5").command == read_description(core).command
    # XTS reads no key words: its core has no memory for them.
    assert asked["storage"] and "core.engine.key_memory" not in asked["storage"]


QUICK = {"cipher_arch": "sequential", "direction": "encrypt", "restarts": 0}


@pytest.mark.parametrize(
    ("mode", "options", "more"),
    [
        ("heh-brw", {"sector": 96, "squares": "fly", **QUICK}, {"squarers", "multipliers"}),
        ("xcb-1619", XCB[1], {"counters", "multipliers"}),
    ],
)
def test_groups_of_emitted_cores(mode, options, more):
    """Each kind of unit is found under the name that it has in the Verilog."""
    core = folder(mode, **options)
    description = read_description(core)
    groups = sector_groups(blocks.instances(outline(core / description.verilog), description.top), "aes")
    assert {name for name, prefixes in groups.items() if prefixes} == {"aes", "storage", "engine", "bus", *more}


def test_groups_of_a_core_that_has_everything():
    paths = [
        "", "core", "core.bus", "core.bus.key_schedule", "core.bus.ring", "core.bus.ring.lane0", "core.engine", "core.engine.acc0",
        "core.engine.bank_acc0", "core.engine.bank_in0", "core.engine.cipher0", "core.engine.cipher0.dec", "core.engine.cipher0.enc",
        "core.engine.control", "core.engine.enc10.core", "core.engine.key_memory", "core.engine.mul0", "core.engine.mul0.mul",
        "core.engine.sqr0.square", "core.engine.add1.counter", "core.zeroizer",
    ]  # fmt: skip
    assert sector_groups(paths, "quad256") == {
        "quad256": ["core.bus.key_schedule", "core.engine.cipher0.", "core.engine.enc10."],
        "multipliers": ["core.engine.mul0."],
        "storage": ["core.bus.ring", "core.engine.bank_acc0", "core.engine.bank_in0", "core.engine.key_memory"],
        "counters": ["core.engine.add1."],
        "squarers": ["core.engine.sqr0."],
        "engine": ["core.engine"],
        "bus": ["core.bus"],
    }
