# SPDX-License-Identifier: Apache-2.0
"""The counter of GCM and XCB: the last four bytes, big-endian; it wraps, and no other bit moves."""

from __future__ import annotations

import random

import pytest
from amaranth.back import rtlil
from amaranth.sim import Simulator

from modeloom.rtl.counter import COUNTER_BITS, CounterAdder
from modeloom.spec import GHASH_ORDER, Numbers

WORDS = (0, 1, 0xFF, 0x100, 0x7FFFFFFF, 0x80000000, 0xFFFFFF00, 0xFFFFFFFE, 0xFFFFFFFF, 0x12345678)


def sums(width: int, pairs: list[tuple[int, int]]) -> list[int]:
    """Outputs of the adder for pairs of block and number."""
    adder = CounterAdder(width)
    found: list[int] = []

    async def bench(ctx) -> None:
        for block, number in pairs:
            ctx.set(adder.i, block)
            ctx.set(adder.number, number)
            found.append(ctx.get(adder.o))

    simulator = Simulator(adder)
    simulator.add_testbench(bench)
    simulator.run()
    return found


@pytest.mark.parametrize("width", [32, 128, 256])
def test_adds_to_the_last_four_bytes(width: int) -> None:
    rng = random.Random(width)
    size = width // 8
    pairs = [(rng.randbytes(size - 4) + word.to_bytes(4, "big"), number) for word in WORDS for number in WORDS]
    pairs += [(rng.randbytes(size), rng.getrandbits(COUNTER_BITS)) for _ in range(50)]
    found = sums(width, [(int.from_bytes(block, "little"), number) for block, number in pairs])
    for (block, number), result in zip(pairs, found, strict=True):
        after = (int.from_bytes(block[-4:], "big") + number) % (1 << COUNTER_BITS)
        assert result.to_bytes(size, "little") == block[:-4] + after.to_bytes(4, "big"), (block.hex(), number)


def test_is_what_definitions_add() -> None:
    rng = random.Random(1)
    o = Numbers(GHASH_ORDER, [])
    pairs = [(rng.getrandbits(128), rng.getrandbits(32)) for _ in range(50)] + [((1 << 128) - 1, 1)]
    assert sums(128, pairs) == [o.add32(block, number) for block, number in pairs]


@pytest.mark.parametrize(("width", "error"), [(24, ValueError), (100, ValueError), (0, ValueError), (128.0, TypeError), (True, TypeError)])
def test_wrong_widths(width, error) -> None:
    with pytest.raises(error, match="width must be"):
        CounterAdder(width)


def test_one_adder():
    """A slice for each byte would be an adder each, and a linter finds bits of them that nothing drives."""
    assert rtlil.convert(CounterAdder(128), name="counter", emit_src=False).count("cell $add") == 1
