# SPDX-License-Identifier: Apache-2.0
"""Mapped blocks that benches keep on disk come back as they were."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor, wait

import pytest

from modeloom.measure.area import KnownBlocks
from modeloom.synth.blocks import MappedPart


def test_blocks_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("MODELOOM_CACHE", str(tmp_path))
    key, other = ("fingerprint", "xc4v", "abc9", "synth"), ("fingerprint", "xc5v", "abc9", "synth")
    part = MappedPart(Counter({"LUT4": 3, "FDRE": 2}), None, "0.70")
    gates = MappedPart(Counter({"$_AND_": 1}), Counter({"$_NAND_": 2}), "0.70")
    blocks = KnownBlocks()
    assert key not in blocks and other not in blocks
    blocks[key], blocks[other] = part, gates
    again = KnownBlocks()
    assert key in again and (again[key], again[other]) == (part, gates)
    with pytest.raises(KeyError):
        again[(*key, "opt")]
    assert sorted(path.suffix for path in again.folder.iterdir()) == [".json", ".json", ".lock", ".lock"]
    assert (blocks.mapped, again.reused) == (2, 1)


def test_who_asks_for_a_block_that_another_one_maps_waits_for_it(monkeypatch, tmp_path):
    """One thread has the lock of a block until it has mapped it.  The other one asks meanwhile, and finds it."""
    monkeypatch.setenv("MODELOOM_CACHE", str(tmp_path))
    key, part = ("fingerprint", "xc7"), MappedPart(Counter({"LUT6": 1}), None, "0.70")
    first, second = KnownBlocks(), KnownBlocks()
    assert key not in first
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(second.__contains__, key)
        assert wait([asked], timeout=0.3).not_done
        first[key] = part
        assert asked.result(timeout=10) and second[key] == part and second.mapped == 0


def test_a_failed_mapping_gives_the_block_to_the_next_one(monkeypatch, tmp_path):
    monkeypatch.setenv("MODELOOM_CACHE", str(tmp_path))
    key = ("fingerprint", "xc7")
    with pytest.raises(RuntimeError), KnownBlocks() as blocks:
        assert key not in blocks
        raise RuntimeError("Yosys failed")
    with ThreadPoolExecutor() as pool, KnownBlocks() as other:
        assert pool.submit(other.__contains__, key).result(timeout=10) is False
