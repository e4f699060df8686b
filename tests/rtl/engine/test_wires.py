# SPDX-License-Identifier: Apache-2.0
"""What the engine does by wires: parts of blocks and their multiples x^k against the field, numbers of cipher keys for ciphers."""

from __future__ import annotations

import random

import pytest
from amaranth.hdl import Module, Signal, Value
from amaranth.sim import Simulator

from modeloom.rtl.engine.storage import cipher_slot, cut_bytes, moved
from modeloom.spec.field import GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER, Field

FIELDS = {"ghash": GHASH_ORDER, "polyval": POLYVAL_ORDER, "xts": XTS_ORDER}

BYTES = 16

BY_WIRE = {
    keep: range(8, 8 * (BYTES - keep) + 1, 8) if keep > 0 else range(8 * keep, 0, 8)
    for keep in range(1 - BYTES, BYTES)
    if keep
}
"""For each part, the k of multiples that stay within the block."""


def cut(block: int, keep: int) -> int:
    """What ``cut_bytes`` gives, on bytes."""
    data = block.to_bytes(BYTES, "little")
    part = data[:keep].ljust(BYTES, b"\0") if keep > 0 else data[-keep:].rjust(BYTES, b"\0")
    return int.from_bytes(part if keep else data, "little")


def values(made: dict[object, Value], inputs: list[tuple[Signal, list[int]]]) -> list[dict[object, int]]:
    """Values of expressions for each of the values of the inputs."""
    m = Module()
    results = {key: Signal(len(value), name=f"r{n}") for n, (key, value) in enumerate(made.items())}
    m.d.comb += [results[key].eq(value) for key, value in made.items()]
    found: list[dict[object, int]] = []

    async def bench(ctx) -> None:
        for numbers in zip(*(numbers for _, numbers in inputs), strict=True):
            for (signal, _), number in zip(inputs, numbers, strict=True):
                ctx.set(signal, number)
            found.append({key: ctx.get(result) for key, result in results.items()})

    simulator = Simulator(m)
    simulator.add_testbench(bench)
    simulator.run()
    return found


@pytest.mark.parametrize("field", FIELDS.values(), ids=FIELDS)
def test_parts_and_their_multiples(field: Field) -> None:
    """For all parts: every k of whole bytes within the block, and some that leave it or are no whole bytes."""
    block = Signal(8 * BYTES)
    cases = {(keep, k) for keep, ks in BY_WIRE.items() for k in (0, *ks)}
    cases |= {(0, 8), (0, -3), (5, 1), (5, 3), (5, 96), (5, -8), (-5, -48), (-5, 8), (-5, -1), (15, 16), (-15, -128)}
    made = {(keep, k): moved(field, cut_bytes(block, keep), keep, k) for keep, k in sorted(cases)}
    rng = random.Random(field.name)
    inputs = [rng.getrandbits(8 * BYTES), (1 << 8 * BYTES) - 1]
    for number, found in zip(inputs, values(made, [(block, inputs)]), strict=True):
        wrong = [case for case, value in found.items() if value != field.scale(cut(number, case[0]), case[1])]
        assert not wrong, wrong[:10]


@pytest.mark.parametrize("field", FIELDS.values(), ids=FIELDS)
def test_multiples_within_the_block_cost_no_gate(field: Field) -> None:
    block = Signal(8 * BYTES)
    for keep, ks in BY_WIRE.items():
        assert len(ks)
        for k in ks:
            assert "^" not in repr(moved(field, cut_bytes(block, keep), keep, k)), (keep, k)
    assert "^" in repr(moved(field, cut_bytes(block, 3), 3, 112)), "the last byte leaves the block"


@pytest.mark.parametrize(("keys", "slots"), [(1, 3), (2, 1), (2, 3), (3, 2), (4, 3), (5, 64)])
def test_each_cipher_key_of_each_slot_has_a_number(keys: int, slots: int) -> None:
    """However few bits the key's number comes in: a unit that uses key 0 only has a field of one bit for it."""
    slot = Signal(range(max(2, slots)))
    narrow, wide = Signal(1), Signal(32)
    made = {"narrow": cipher_slot(keys, narrow, slot), "wide": cipher_slot(keys, wide, slot)}
    pairs = [(k, s) for s in range(slots) for k in range(keys)]
    inputs = [(wide, [k for k, _ in pairs]), (narrow, [min(k, 1) for k, _ in pairs]), (slot, [s for _, s in pairs])]
    found = values(made, inputs)
    size = 1 << (keys - 1).bit_length()
    assert [f["wide"] for f in found] == [s * size + k for k, s in pairs]
    assert [f["narrow"] for f in found] == [s * size + min(k, 1) for k, s in pairs]
