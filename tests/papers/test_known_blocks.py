# SPDX-License-Identifier: Apache-2.0
"""Mapped blocks that benches keep on disk come back as they were."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.scripts import script

from modeloom.synth.parts import MappedPart


def test_blocks_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("MODELOOM_CACHE", str(tmp_path))
    module = script("bench/known_blocks.py")
    key, other = ("fingerprint", "xc4v", "abc9", "synth"), ("fingerprint", "xc5v", "abc9", "synth")
    part = MappedPart(Counter({"LUT4": 3, "FDRE": 2}), None, ("synth", "clean"), "0.70")
    gates = MappedPart(Counter({"$_AND_": 1}), Counter({"$_NAND_": 2}), (), "0.70")
    blocks = module.KnownBlocks("0.70")
    assert key not in blocks and len(blocks) == 0
    blocks.update({key: part, other: gates})
    again = module.KnownBlocks("0.70")
    assert (again[key], again[other], len(again)) == (part, gates, 2)
    assert key not in module.KnownBlocks("0.71")
    del again[key]
    with pytest.raises(KeyError):
        blocks[key]
    assert [path.suffix for path in (tmp_path / "mapped-0.70").iterdir()] == [".json"]
