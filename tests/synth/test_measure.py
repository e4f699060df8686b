# SPDX-License-Identifier: Apache-2.0
"""Blocks of an emitted core: equal cipher cores are one module, and every group is there."""

import re

from tests.built import folder

from modeloom import measure
from modeloom.simulated import read_description
from modeloom.synth import BlockResult, hierarchy


def outline(path):
    """Module names and instances of a core's Verilog, in the form in which RTLIL has them."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if module := re.match(r"module (\w+)", line):
            lines.append(f"module \\{module[1]}")
        elif instance := re.match(r"  (\w+) (\w+) \($", line):
            lines.append(f"  cell \\{instance[1]} \\{instance[2]}")
    return "\n".join(lines)


def test_equal_cores_are_one_module(monkeypatch):
    """``measure_blocks`` hands over groups that fit; both cipher cores are instances of one module."""
    core = folder("xts", sector=64, aes=2, aes_arch="sequential", direction="encrypt", restarts=0)
    asked = {}

    def mapped(text, top, target, groups, **more):
        asked.update(groups)
        owner = hierarchy.assign(text, top, groups)
        assert set(owner.values()) == {*(name for name, prefixes in groups.items() if prefixes), hierarchy.OTHER}
        paths = hierarchy.instances(text, top).items()
        ciphers = [module for path, module in paths if re.fullmatch(r"core\.engine\.enc\d+\.\w+", path)]
        assert len(ciphers) > 1 and len(set(ciphers)) == 1
        return BlockResult(top, target, "", more["command"], {}, (), {}, None)

    monkeypatch.setattr(measure, "verilog_to_rtlil", lambda path, top: outline(path))
    monkeypatch.setattr(measure, "synthesize_blocks", mapped)
    assert measure.measure_blocks(core, "ecp5").command == read_description(core)["command"]
    # XTS reads no key words: its core has no memory for them.
    assert asked["storage"] and "core.engine.key_memory" not in asked["storage"]
    assert measure.block_groups([], [])["storage"] == ["core.engine.key_memory", "core.bus.ring"]
