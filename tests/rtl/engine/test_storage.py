# SPDX-License-Identifier: Apache-2.0
"""The memories of an engine against lists of words, and the addresses that rotate."""

from __future__ import annotations

import random
from random import Random
from typing import Any

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator

from modeloom.cycles import ERASE_DELAY
from modeloom.rtl.engine.storage import BlockMemory, rotated

WIDTH, CYCLES = 8, 600

SHAPES = [
    (1, 1, False), (2, 2, False), (5, 3, False), (33, 1, False),
    (6, 2, True), (32, 1, True), (33, 2, True), (70, 2, True), (300, 1, True),
]  # fmt: skip
"""Words, read ports, and whether it reads in two cycles."""


@pytest.mark.parametrize(
    ("depth", "ports", "deep", "style"),
    [*((*shape, "distributed") for shape in SHAPES), (70, 2, True, "block"), (70, 2, False, "block"), (70, 2, True, "")],
)
def test_reads_and_writes(depth: int, ports: int, deep: bool, style: str) -> None:
    """Random traffic: a read sees what was written up to the cycle before it, a cycle or two later; with ``move`` low it stands."""
    erase_bits = (depth - 1).bit_length() + 2
    memory, rng = BlockMemory(WIDTH, depth, ports, deep, style, erase_bits), random.Random(depth)
    words: list[int | None] = [None] * max(2, depth)
    first: list[int | None] = [None] * ports
    second: list[int | None] = [None] * ports
    erased: list[int | None] = [None] * ERASE_DELAY

    async def bench(ctx: Any) -> None:
        for cycle in range(CYCLES):
            move = 3 if rng.random() < 0.6 else rng.getrandbits(2)
            if cycle == 0:
                assert ctx.get(memory.move) == 3, "both are high if not driven"
            else:
                ctx.set(memory.move, move)
            we, at, data = rng.getrandbits(1), rng.randrange(depth), rng.getrandbits(WIDTH)
            erase, erase_at = int(rng.random() < 0.2), rng.getrandbits(erase_bits)
            reads = [rng.randrange(depth) for _ in range(ports)]
            for port, value in (
                (memory.we, we), (memory.waddr, at), (memory.wdata, data), (memory.erase, erase), (memory.erase_address, erase_at),
                *zip(memory.raddr, reads, strict=True),
            ):  # fmt: skip
                ctx.set(port, value)
            for found, wanted in zip(memory.rdata, second if deep else first, strict=True):
                assert wanted is None or ctx.get(found) == wanted, f"cycle {cycle}"
            await ctx.tick()
            move = 3 if cycle == 0 else move
            if move & 2:
                second[:] = first
            if move & 1:
                first[:] = [words[read] for read in reads]
            here = erased.pop()
            # Of one word, the address has a bit, too.
            erased.insert(0, erase_at if erase and erase_at < max(2, depth) else None)
            if here is not None:
                words[here] = data
            elif we:
                words[at] = data

    simulator = Simulator(memory)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


@pytest.mark.parametrize(("depth", "ports"), [(1, 1), (1, 3), (2, 2), (3, 1), (3, 2)])
def test_few_words_are_registers(depth: int, ports: int) -> None:
    """They read, write and are erased as others.  A word that is read while it is written is the old one, as programs without rest need."""
    memory, rng = BlockMemory(WIDTH, depth, ports, erase_bits=4, registers=True), random.Random(depth)
    assert "move" not in memory.signature.members
    words: list[int | None] = [None] * depth
    read: list[int | None] = [None] * ports
    erased: list[int | None] = [None] * ERASE_DELAY
    seen: set[int] = set()

    async def bench(ctx: Any) -> None:
        for cycle in range(CYCLES):
            we, at, data = rng.getrandbits(1), rng.randrange(depth), rng.getrandbits(WIDTH)
            erase, erase_at, reads = int(rng.random() < 0.2), rng.getrandbits(4), [rng.randrange(depth) for _ in range(ports)]
            for port, value in (
                (memory.we, we), (memory.waddr, at), (memory.wdata, data), (memory.erase, erase), (memory.erase_address, erase_at),
                *zip(memory.raddr, reads, strict=True),
            ):  # fmt: skip
                ctx.set(port, value)
            for found, wanted in zip(memory.rdata, read, strict=True):
                assert wanted is None or ctx.get(found) == wanted, f"cycle {cycle}"
            await ctx.tick()
            read[:] = [words[each] for each in reads]
            here = erased.pop()
            erased.insert(0, erase_at if erase and erase_at < depth else None)
            if here is not None:
                seen.add(here)
                words[here] = data
            elif we:
                words[at] = data

    simulator = Simulator(memory)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert seen == set(range(depth))
    assert "$mem" not in rtlil.convert(memory)


def test_more_words_are_no_registers() -> None:
    assert "$mem" in rtlil.convert(BlockMemory(WIDTH, 4, 1, registers=True))


@pytest.mark.parametrize(
    ("depth", "deep", "style", "words"),
    [
        (1, False, "distributed", [2]), (70, False, "distributed", [70]),
        (1, True, "distributed", [2]), (31, True, "distributed", [32]), (32, True, "distributed", [32]),
        (33, True, "distributed", [32, 2]), (96, True, "distributed", [32] * 3), (256, True, "distributed", [32] * 8),
        (257, True, "distributed", [64] * 4 + [2]), (300, True, "distributed", [64] * 5), (512, True, "distributed", [64] * 8),
        (2049, True, "distributed", [512] * 4 + [2]), (300, True, "block", [300]), (300, True, "", [300]),
    ],
)  # fmt: skip
def test_words_of_all_parts(depth: int, deep: bool, style: str, words: list[int]) -> None:
    """A deep LUT memory has at most eight parts, of as few words as that allows and of 32 at least; others are in one piece.  The
    last part has all words that its addresses name.
    """
    text = rtlil.convert(BlockMemory(WIDTH, depth, 1, deep, style), ports=None)
    assert [int(line.split()[4]) for line in text.splitlines() if line.strip().startswith("memory ")] == words


def test_a_port_that_gives_zeros() -> None:
    """A cleared port is zero in the next cycle, and has the word again in the one behind it; a word that is written is seen later."""
    memory, rng = BlockMemory(WIDTH, 5, 2, clears=True), Random(5)
    words, seen = [0] * 5, []

    async def bench(ctx: Any) -> None:
        wanted = None
        for _ in range(200):
            if wanted is not None:
                seen.append([ctx.get(memory.rdata[port]) for port in range(2)] == wanted)
            put, place, word = rng.getrandbits(1), rng.randrange(5), rng.getrandbits(WIDTH)
            reads = [(rng.randrange(5), rng.getrandbits(1)) for _ in range(2)]
            for signal, value in ((memory.we, put), (memory.waddr, place), (memory.wdata, word)):
                ctx.set(signal, value)
            for port, (address, clear) in enumerate(reads):
                ctx.set(memory.raddr[port], address)
                ctx.set(memory.clear[port], clear)
            wanted = [0 if clear else words[address] for address, clear in reads]
            if put:
                words[place] = word
            await ctx.tick()

    simulator = Simulator(memory)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert len(seen) == 199 and all(seen)


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("cells", [1, 2, 3, 4, 7])
def test_rotated(cells: int, late: bool) -> None:
    """Every cell and base, through all cells and through fewer of them."""
    m = Module()
    cell, base, modulus = (Signal(range(cells + 1)) for _ in range(3))
    fixed, chosen = Signal(range(max(2, cells)), name="fixed"), Signal(range(max(2, cells)), name="chosen")
    rotated(m, cell, base, cells, fixed, late=late)
    rotated(m, cell, base, cells, chosen, late=late, modulus=modulus)

    async def bench(ctx: Any) -> None:
        for size in range(1, cells + 1):
            ctx.set(modulus, size)
            pairs = [(place, start) for place in range(size) for start in range(size)]
            for n in range(len(pairs) + 1 + late):
                if n > late:
                    wanted = sum(pairs[n - 1 - late]) % size
                    assert ctx.get(chosen) == wanted and (size < cells or ctx.get(fixed) == wanted)
                place, start = pairs[n % len(pairs)]
                ctx.set(cell, place)
                ctx.set(base, start)
                await ctx.tick()

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
