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
    part = MappedPart(Counter({"LUT4": 3, "FDRE": 2}), None, "0.70")
    gates = MappedPart(Counter({"$_AND_": 1}), Counter({"$_NAND_": 2}), "0.70")
    blocks = module.KnownBlocks()
    assert key not in blocks and not list(tmp_path.iterdir())
    blocks[key], blocks[other] = part, gates
    again = module.KnownBlocks()
    assert key in again and (again[key], again[other]) == (part, gates)
    with pytest.raises(KeyError):
        again[(*key, "opt")]
    assert [path.suffix for path in again.folder.iterdir()] == [".json"] * 2
