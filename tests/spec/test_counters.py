# SPDX-License-Identifier: Apache-2.0
"""Counters of every width and order, and what they leave of a block."""

from __future__ import annotations

import pytest

from modeloom.spec.counters import COUNTERS, counter_name
from modeloom.spec.errors import DefinitionError

WANTED = {"add": (32, "big"), "add64": (64, "big"), "add128": (128, "big"), "add32le": (32, "little"), "add64le": (64, "little"),
          "add128le": (128, "little")}  # fmt: skip


def test_the_counters_that_there_are() -> None:
    assert {name: tuple(counter) for name, counter in COUNTERS.items()} == WANTED


@pytest.mark.parametrize("block_bytes", [16, 32])
@pytest.mark.parametrize("name", WANTED)
def test_counters_turn_over_and_leave_the_rest(name: str, block_bytes: int) -> None:
    bits, order = WANTED[name]
    assert counter_name(bits, order, block_bytes) == name
    size = bits // 8
    last = (1 << bits) - 1
    for counter, number in ((0, 1), (1 << 31, 1 << 31), (last, 1), (last - 2, 7), (0x0102030405060708 & last, 255)):
        rest = bytes(range(200, 200 + block_bytes - size))
        old, new = (n.to_bytes(size, order) for n in (counter, (counter + number) % (1 << bits)))
        block, wanted = (rest + n if order == "big" else n + rest for n in (old, new))
        result = COUNTERS[name].add(int.from_bytes(block, "little"), number, block_bytes)
        assert result.to_bytes(block_bytes, "little") == wanted


def test_counters_that_there_are_not() -> None:
    for bits, order in ((16, "big"), (33, "big"), (32, "middle"), (128, "")):
        with pytest.raises(DefinitionError, match=rf"not bits={bits} and order='{order}'"):
            counter_name(bits, order, 16)
    with pytest.raises(DefinitionError, match="a counter of 128 bits does not fit into a block of 8 bytes"):
        counter_name(128, "big", 8)
    assert counter_name(64, "big", 8) == "add64"
