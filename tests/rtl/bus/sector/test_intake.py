# SPDX-License-Identifier: Apache-2.0
"""The intake of sectors by itself, for one size and for several: statuses, beats for the engine, and who waits for whom."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import pytest
from amaranth.sim import Simulator
from tests.rtl.bus.codes import Case, status_code
from tests.rtl.bus.parameters import bus_sizes

from modeloom.cycles import FILL_AHEAD
from modeloom.rtl.bus.sector import BusParameters
from modeloom.rtl.bus.sector.core import SectorIntake

SIZES: dict[str, dict[str, Any]] = {
    "one size": {"blocks": 9},
    "one beat": {"blocks": 2, "lanes": 2, "tail": 5},
    "long and short": {"blocks": 3, "more_sizes": ((11, 0), (2, 7))},
    "of one beat, too": {"blocks": 8, "lanes": 2, "tail": 3, "more_sizes": ((1, 9), (2, 0), (5, 0))},
    "all of one beat": {"blocks": 1, "lanes": 4, "more_sizes": ((4, 0), (3, 1))},
}
"""Sizes of a core; some end within a beat, some have as few beats as may be written ahead, some more."""


@dataclass
class Packet:
    """Beats with their tkeep, for a size, and the status that the document gives."""

    size: int
    beats: list[int]
    keeps: list[int]
    code: int
    filled: list[tuple[int, int]] = field(default_factory=list)


def packet(p: BusParameters, rng: random.Random) -> Packet:
    """A good packet, or one with anything wrong."""
    size = rng.randrange(len(p.sizes))
    sector, full = p.sizes[size], (1 << p.beat_bytes) - 1
    nbytes = sector.nbytes
    kind = rng.choice(("good", "good", "good", "short", "long", "of another size", "keep"))
    if kind == "short":
        nbytes = rng.randrange(1, nbytes) if nbytes > 1 else 1
    elif kind == "long":
        nbytes += rng.randrange(1, 3 * p.beat_bytes)
    elif kind == "of another size":
        nbytes = rng.choice(p.sizes).nbytes
    count = -(-nbytes // p.beat_bytes)
    keeps = [full] * (count - 1) + [(1 << nbytes - (count - 1) * p.beat_bytes) - 1]
    if kind == "keep":
        keeps[rng.randrange(count)] = rng.choice((0, full, full >> 1, full ^ 2, rng.getrandbits(p.beat_bytes)))
    code = status_code(Case(tuple(keeps), p.beat_bytes, sector.nbytes))
    return Packet(size, [rng.getrandbits(p.data.beat_bits) for _ in keeps], keeps, code)


def masked(data: int, keep: int) -> int:
    """A beat with zeros outside tkeep."""
    raw = data.to_bytes(-(-data.bit_length() // 8) or 1, "little")
    return int.from_bytes(bytes(byte if keep >> n & 1 else 0 for n, byte in enumerate(raw)), "little")


@pytest.mark.parametrize("haste", [1.0, 0.5])
@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_packets(sizes: dict[str, Any], haste: float) -> None:
    """Packets of all kinds and sizes, admitted and refused as the gates do it, at any time or at once."""
    p, rng = bus_sizes(ring_sectors=2, **sizes), random.Random(f"{sizes} {haste}")
    packets = [packet(p, rng) for _ in range(60)]
    intake = SectorIntake(p)

    async def bench(ctx: Any) -> None:
        get, s = ctx.get, intake.s
        beats = deque((n, i) for n, one in enumerate(packets) for i in range(len(one.beats)))
        asks = cycles = taken = filling = size = 0
        waited = 0
        held = False
        while taken < len(packets):
            cycles += 1
            assert cycles < 20000
            # The bus.
            held = bool(beats) and (held or rng.random() < haste)
            ctx.set(s.valid, int(held))
            if held:
                n, i = beats[0]
                ctx.set(s.p.data, packets[n].beats[i])
                ctx.set(s.p.keep, packets[n].keeps[i])
                ctx.set(s.p.last, int(i == len(packets[n].beats) - 1))
            else:
                ctx.set(s.p.data, rng.getrandbits(p.data.beat_bits))
            # The gates: no admission while a sector asks to enter, and the size of the packet to come.
            ctx.set(intake.packet.entering, int(asks > 0))
            complete = get(intake.packet.complete)
            current = packets[taken]
            decided = complete and not asks and (waited > 0 or haste == 1.0) and rng.random() < haste
            if complete:
                assert (get(intake.packet.ok), get(intake.packet.good)) == ((current.code == 0),) * 2
                assert get(intake.packet.code) == current.code, f"packet {taken}: {current}"
                waited += 1
            admit = decided and current.code == 0
            ctx.set(intake.packet.take, int(decided))
            ctx.set(intake.packet.admit, int(admit))
            to_come = taken + admit
            fits = to_come < len(packets) and packets[to_come].size == size
            if len(p.sizes) > 1:
                ctx.set(intake.opening.size, size)
                ctx.set(intake.opening.open, int(fits))
                assert get(intake.opening.admitted) == (admit or asks > 0)
            assert get(intake.fill.ahead) == (asks > 0)
            # The engine.
            if get(intake.fill.we):
                one = packets[filling]
                beat, data = get(intake.fill.beat), get(intake.fill.data)
                assert not asks or beat < FILL_AHEAD, "no place for it while a sector asks to enter"
                one.filled.append((beat, data))
                filling += len(one.filled) == len(one.beats)
            if held and get(s.ready):
                beats.popleft()
                held = False
            await ctx.tick()
            asks = rng.randrange(1, 9) if admit else max(0, asks - 1)
            if decided:
                if current.code == 0:
                    shown = map(masked, current.beats, current.keeps)
                    assert current.filled == list(enumerate(shown)), f"packet {taken}"
                taken, waited = taken + 1, 0
            if taken < len(packets) and not asks and packets[taken].size != size and rng.random() < 0.5:
                size = packets[taken].size
        assert not beats

    simulator = Simulator(intake)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


@pytest.mark.parametrize("blocks", [1, 2, FILL_AHEAD, FILL_AHEAD + 1, 12])
def test_a_beat_a_cycle(blocks: int) -> None:
    """Good packets that are admitted in the cycle in which they are complete, and enter at once, come without a pause."""
    p, rng = bus_sizes(blocks=blocks, ring_sectors=2), random.Random(blocks)
    intake, count = SectorIntake(p), 8

    async def bench(ctx: Any) -> None:
        ctx.set(intake.s.valid, 1)
        ctx.set(intake.s.p.keep, (1 << p.beat_bytes) - 1)
        sent = asked = admitted = 0
        for cycle in range(count * blocks + 4):
            ctx.set(intake.s.p.data, rng.getrandbits(p.data.beat_bits))
            ctx.set(intake.s.p.last, int(sent % blocks == blocks - 1))
            ctx.set(intake.packet.entering, asked)
            good = ctx.get(intake.packet.good)
            ctx.set(intake.packet.admit, good)
            ctx.set(intake.packet.take, good)
            if cycle >= 2:
                # Two cycles from the bus.
                assert ctx.get(intake.fill.we) and ctx.get(intake.fill.beat) == (cycle - 2) % blocks
            sent += ctx.get(intake.s.ready)
            assert sent == cycle + 1
            await ctx.tick()
            admitted += good
            # Sectors of one beat would enter in every cycle; here they have entered by the next one.
            asked = good if blocks > 1 else 0
        assert admitted >= count

    simulator = Simulator(intake)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
