# SPDX-License-Identifier: Apache-2.0
"""Blocks of a sector and their length, whole and partial."""

from __future__ import annotations

import pytest

from modeloom.spec.mode import Blocks


@pytest.mark.parametrize("block_bytes", [16, 32])
@pytest.mark.parametrize("nbytes", range(0, 100))
def test_lengths_of_blocks_and_slices(nbytes: int, block_bytes: int) -> None:
    whole = bytes(range(nbytes))
    parts = [whole[i : i + block_bytes] for i in range(0, nbytes, block_bytes)]
    blocks = Blocks(parts, nbytes, block_bytes)
    assert list(blocks) == parts and len(blocks) == len(parts)
    assert blocks.lengths == [len(part) for part in parts]
    assert blocks.tail == (len(parts[-1]) if parts else block_bytes)
    assert blocks.whole == all(len(part) == block_bytes for part in parts)
    for start in range(-1, len(parts) + 2):
        for stop in range(-1, len(parts) + 2):
            some = blocks[start:stop]
            assert list(some) == parts[start:stop]
            assert some.nbytes == len(b"".join(parts[start:stop])) and some.block_bytes == block_bytes
    assert blocks.like(parts).nbytes == nbytes and blocks.like(parts).block_bytes == block_bytes


def test_wrong_numbers_of_blocks_and_steps_are_refused() -> None:
    for values in ([1], [1, 2, 3]):
        with pytest.raises(ValueError, match=rf"32 bytes are not {len(values)} blocks of 16 bytes"):
            Blocks(values, 32)
    with pytest.raises(ValueError, match="step 1"):
        Blocks([1, 2], 32)[::2]
    assert Blocks([1, 2], 32)[1] == 2
