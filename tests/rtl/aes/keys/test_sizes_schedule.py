# SPDX-License-Identifier: Apache-2.0
"""The key schedule for several sizes: FIPS 197 appendix A, random keys of all sizes in any order, declared cycles, erasing."""

from __future__ import annotations

import random
from typing import Any

import pytest
from amaranth.sim import Simulator
from tests.rtl.aes.bench import INV_MIX, expand_key, from_bytes, multiply_columns, to_bytes
from tests.rtl.aes.kept import leaves_nothing, simulation
from tests.rtl.aes.keys.fips_197 import FIPS_197_A

from modeloom.rtl.aes.key_schedule import SizesKeySchedule

# Some components are made only to be asked for their figures, or to be refused.
pytestmark = pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")

Write = tuple[int, int, bytes, bytes]


def requested(sizes: tuple[int, ...], requests: list[bytes | None], gaps: list[int]) -> tuple[list[list[Write]], list[int]]:
    """Writes of each request, a key or None for an erasure, with the cycles from its start; and the cycles that it took."""
    schedule = SizesKeySchedule(sizes)
    rng = random.Random(5)
    found: list[list[Write]] = []
    taken: list[int] = []

    async def bench(context: Any) -> None:
        for key, gap in zip(requests, gaps, strict=True):
            context.set(schedule.length, rng.randrange(len(sizes)) if key is None else sizes.index(8 * len(key)))
            # What is above a shorter key is of no meaning.
            rubbish = rng.getrandbits(max(sizes))
            context.set(schedule.key, rubbish if key is None else (rubbish >> 8 * len(key) << 8 * len(key)) | from_bytes(key))
            context.set(schedule.start, 1 if key is not None else rng.getrandbits(1))
            context.set(schedule.erase, key is None)
            await context.tick()
            writes: list[Write] = []
            for cycle in range(1, 80):
                assert context.get(schedule.busy)
                # A request while it is busy changes nothing.
                for port in (schedule.start, schedule.erase):
                    context.set(port, rng.getrandbits(1))
                context.set(schedule.key, rng.getrandbits(max(sizes)))
                if context.get(schedule.we):
                    data, data_dec = to_bytes(context.get(schedule.data)), to_bytes(context.get(schedule.data_dec))
                    writes.append((cycle, context.get(schedule.round), data, data_dec))
                if context.get(schedule.done):
                    break
                await context.tick()
            taken.append(cycle)
            found.append(writes)
            for port in (schedule.start, schedule.erase):
                context.set(port, 0)
            for _ in range(gap):
                await context.tick()
                assert not context.get(schedule.busy) and not context.get(schedule.we)
                assert not context.get(schedule.data) and not context.get(schedule.data_dec)

    simulator = Simulator(schedule)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return found, taken


def expected(key: bytes | None, rounds: int) -> list[Write]:
    if key is None:
        return [(1 + r, r, bytes(16), bytes(16)) for r in range(rounds + 1)]
    keys = expand_key(key)
    last = len(keys) - 1
    return [(4 * r + 2, r, k, k if r in (0, last) else multiply_columns(INV_MIX, k)) for r, k in enumerate(keys)]


@pytest.mark.parametrize("sizes", [(256, 192, 128), (128, 192, 256), (128, 256), (192, 128), (256, 192)])
def test_keys_of_all_sizes_in_any_order(sizes):
    """A request comes as early as it may, or later."""
    rng = random.Random(9)
    published = [bytes.fromhex(FIPS_197_A[bits][0]) for bits in sizes]
    chosen = [rng.randbytes(rng.choice(sizes) // 8) if rng.random() < 0.75 else None for _ in range(12)]
    requests = [*published, None, *published[::-1], *chosen]
    schedule = SizesKeySchedule(sizes)
    found, taken = requested(sizes, requests, [rng.choice((1, 1, 2, 7)) for _ in requests])
    assert found == [expected(key, schedule.rounds) for key in requests]
    assert taken == [schedule.erase_latency if key is None else schedule.latencies[8 * len(key)] for key in requests]
    for writes, bits in zip(found, sizes, strict=False):
        assert writes[-1][2] == bytes.fromhex(FIPS_197_A[bits][2])


def test_nothing_is_left_of_a_key():
    """All registers are the same after keys of another size and value: two cycles after ``done``, as the counters of words, which tell
    the size, go back to 0 a cycle later than the rest.
    """
    unit = simulation(SizesKeySchedule((128, 192, 256)))
    keys = (bytes(range(32)), b"\xa5" * 16)

    def use(number: int) -> None:
        key = keys[number]
        for name, value in (("length", {16: 0, 32: 2}[len(key)]), ("key", from_bytes(key)), ("start", 1)):
            unit.set(name, value)
        unit.step()
        for name in ("key", "start"):
            unit.set(name, 0)
        while not unit.get("done"):
            unit.step()

    def erase() -> None:
        unit.set("length", 0)
        unit.step()

    assert leaves_nothing(unit, use, erase, 2)


def test_declared_cycles():
    schedule = SizesKeySchedule((192, 256, 128))
    assert schedule.latencies == {192: 50, 256: 58, 128: 42}
    assert (schedule.latency, schedule.interval, schedule.erase_latency, schedule.rounds) == (58, 59, 15, 14)


@pytest.mark.parametrize(
    ("sizes", "error", "message"),
    [
        ((64, 128), ValueError, "key_bits must be"), ((128, "256"), TypeError, "key_bits must be"),
        ((256,), ValueError, "sizes must be two or three"), ((128, 128), ValueError, "sizes must be two or three different"),
    ],
)  # fmt: skip
def test_parameters_are_checked(sizes, error, message):
    with pytest.raises(error, match=message):
        SizesKeySchedule(sizes)
