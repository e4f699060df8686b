# SPDX-License-Identifier: Apache-2.0
"""The hash circuits themselves, on a field of 16 bits, against the definitions of both polynomials."""

from random import Random

import pytest
from amaranth.sim import Simulator
from tests.built import slowly
from tests.circuits.brw.bench import SMALL, brw_of, poly_of, simulate

from modeloom.spec.field import GHASH_ORDER
from modeloom_circuits.brw import BRWHash, HornerHash

KEY = 0x2B5D

CASES = [
    (BRWHash, 31, 3, {"squares": "setup", "times_h": True}),
    (BRWHash, 31, 3, {"squares": "fly", "times_h": False}),
    (BRWHash, 16, 2, {"squares": "fly", "times_h": True}),
    (BRWHash, 6, 4, {"squares": "setup", "times_h": False}),
    (BRWHash, 3, 1, {"squares": "fly", "times_h": True}),
    (BRWHash, 2, 3, {"squares": "setup", "times_h": True}),
    (BRWHash, 1, 2, {"squares": "setup", "times_h": False}),
    (BRWHash, 1, 2, {"squares": "fly", "times_h": True}),
    (HornerHash, 31, 3, {"times_h": True}),
    (HornerHash, 7, 2, {"times_h": False}),
    (HornerHash, 2, 3, {"times_h": False}),
]
CASES += slowly(
    *[
        (BRWHash, m, stages, {"squares": squares, "times_h": times_h})
        for m in (4, 5, 7, 8, 30, 32, 33, 40)
        for stages, squares, times_h in ((3, "fly", True), (2, "setup", True), (1, "fly", False), (5, "setup", False))
    ],
    *[(HornerHash, m, stages, {"times_h": m % 3 == 0}) for m in (1, 3, 12, 33) for stages in (1, 3, 4)],
)


def test_the_field_of_the_tests():
    """Rabin's test of degree 16: x^(2^16) = x, and x^(2^8) - x has no factor in common with the modulus."""
    powers = [2]
    for _ in range(16):
        powers.append(SMALL.poly_mul(powers[-1], powers[-1]))
    a, b = SMALL.modulus, powers[8] ^ 2
    while b:
        while a.bit_length() >= b.bit_length():
            a ^= b << a.bit_length() - b.bit_length()
        a, b = b, a
    assert powers[16] == 2 and a == 1


@pytest.mark.parametrize(("circuit", "blocks", "stages", "options"), CASES, ids=str)
def test_hash(circuit, blocks, stages, options):
    """Messages one interval apart, and a cycle later; ``done`` with each result and at no other time."""
    component = circuit(SMALL, blocks, stages, halt=8, **options)
    interval, latency = component.interval, component.latency
    random = Random(blocks)
    starts = (0, interval, 2 * interval, 3 * interval + 1, 5 * interval + 2)
    messages = {start: [random.getrandbits(16) for _ in range(blocks)] for start in starts}
    value_of = brw_of if circuit is BRWHash else poly_of
    expected = {}
    for start, message in messages.items():
        value = value_of(KEY, message, SMALL.mul)
        expected[start + latency] = SMALL.mul(value, KEY) if options["times_h"] else value
    assert simulate(component, KEY, messages) == expected


def test_ready_and_a_start_that_comes_too_early():
    component = BRWHash(SMALL, 7, 2, halt=8)
    seen = []

    async def bench(ctx):
        for cycle in range(2 * component.interval + component.latency + 1):
            ctx.set(component.start, cycle < component.interval)
            seen.append((ctx.get(component.ready), ctx.get(component.done)))
            await ctx.tick()

    simulator = Simulator(component)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert [cycle for cycle, (ready, _) in enumerate(seen) if not ready] == list(range(1, component.interval))
    assert [cycle for cycle, (_, done) in enumerate(seen) if done] == [component.latency]


@pytest.mark.parametrize(
    ("arguments", "fault"),
    (
        ((None, 31, 3), TypeError), ((GHASH_ORDER, 31, 3, "never"), ValueError), ((GHASH_ORDER, 0, 3), ValueError),
        ((GHASH_ORDER, 31, 0), ValueError), ((GHASH_ORDER, 31.0, 3), TypeError),
    ),
)  # fmt: skip
def test_refused(arguments, fault):
    with pytest.raises(fault):
        BRWHash(*arguments)
