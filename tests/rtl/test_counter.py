# SPDX-License-Identifier: Apache-2.0
"""Adders of counters: 32, 64 and 128 bits, in both byte orders; they wrap, carry through all bytes, and no other bit moves."""

from __future__ import annotations

import random

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Cat, Value
from amaranth.sim import Simulator

from modeloom.rtl.counter import CounterAdder
from modeloom.spec import COUNTERS, GHASH_ORDER, Counter, Numbers

KINDS = [(name, stages) for name in COUNTERS for stages in (0, 1)]


def words(bits: int) -> list[int]:
    """Counters with carries of all lengths."""
    full = (1 << bits) - 1
    return [0, 1, 0xFF, 0x100, full >> 1, full // 2 + 1, full - 0xFF, full - 1, full, (1 << bits // 2) - 1, 1 << bits // 2, 0x12345678]


def sums(adder: CounterAdder, pairs: list[tuple[int, int]]) -> list[int]:
    """Outputs of the adder for pairs of block and number, one a cycle."""
    found: list[int] = []

    async def bench(ctx) -> None:
        for block, number in [*pairs, *[(0, 0)] * adder.latency]:
            ctx.set(adder.i, block)
            ctx.set(adder.number, number)
            if not adder.latency:
                found.append(ctx.get(adder.o))
            else:
                found.append(ctx.get(adder.o))
                await ctx.tick()

    simulator = Simulator(adder)
    if adder.latency:
        simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return found[adder.latency :]


@pytest.mark.parametrize(("name", "stages"), KINDS)
@pytest.mark.parametrize("width", [128, 256])
def test_adds(name: str, stages: int, width: int) -> None:
    """Compared with Python's integers on the bytes that the document names."""
    bits, order = COUNTERS[name]
    rng, size, part = random.Random(width), width // 8, bits // 8
    pairs = [(rng.randbytes(size - part), word, number) for word in words(bits) for number in words(bits)]
    pairs += [(rng.randbytes(size - part), rng.getrandbits(bits), rng.getrandbits(bits)) for _ in range(50)]

    def block(rest: bytes, count: int) -> bytes:
        return rest + count.to_bytes(part, "big") if order == "big" else count.to_bytes(part, "little") + rest

    given = [(int.from_bytes(block(rest, word), "little"), number) for rest, word, number in pairs]
    for (rest, word, number), result in zip(pairs, sums(CounterAdder(width, COUNTERS[name], stages), given), strict=True):
        assert result.to_bytes(size, "little") == block(rest, (word + number) % (1 << bits)), (word, number)


@pytest.mark.parametrize("name", COUNTERS)
def test_is_what_definitions_add(name: str) -> None:
    rng = random.Random(1)
    o, counter = Numbers(GHASH_ORDER, []), COUNTERS[name]
    pairs = [(rng.getrandbits(128), rng.getrandbits(counter.bits)) for _ in range(50)] + [((1 << 128) - 1, 1)]
    assert sums(CounterAdder(128, counter), pairs) == [o.add(block, number, *counter) for block, number in pairs]


@pytest.mark.parametrize("stages", [0, 1])
def test_a_broken_carry_shows(stages: int, monkeypatch) -> None:
    """An adder whose carry stops at some bit fails the comparison above."""
    whole = Value.__add__

    def cut(a: Value, b: Value) -> Value:
        return Cat(whole(a[:17], b[:17])[:17], whole(a[17:], b[17:])) if isinstance(b, Value) and len(b) > 17 else whole(a, b)

    monkeypatch.setattr(Value, "__add__", cut)
    with pytest.raises(AssertionError):
        test_adds("add128", stages, 128)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((24,), ValueError, "width must be a multiple of 8 bits from 32 on, not 24"),
        ((100,), ValueError, "width must be"),
        ((128.0,), TypeError, "width must be"),
        ((True,), TypeError, "width must be"),
        ((64, COUNTERS["add128"]), ValueError, "from 128 on, not 64"),
        ((128, Counter(48, "big")), ValueError, "counter must be one of COUNTERS"),
        ((128, COUNTERS["add"], 2), ValueError, "stages must be 0 or 1, not 2"),
    ],
)
def test_wrong_parameters(arguments, error, message) -> None:
    with pytest.raises(error, match=message):
        CounterAdder(*arguments)


def test_one_adder():
    """A slice for each byte would be an adder each, and a linter finds bits of them that nothing drives."""
    assert rtlil.convert(CounterAdder(128), name="counter", emit_src=False).count("cell $add") == 1
