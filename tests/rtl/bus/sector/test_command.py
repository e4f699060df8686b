# SPDX-License-Identifier: Apache-2.0
"""The intake of commands by itself: fields, codes and sizes of the command that waits and of the one behind it."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import pytest
from amaranth.sim import Simulator
from tests.rtl.bus.parameters import bus_sizes

from modeloom.interfaces.sector import StatusCode, pack_command
from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.rtl.bus.sector import BusParameters
from modeloom.rtl.bus.sector.core import CommandIntake

SHAPES: dict[str, dict[str, Any]] = {
    "one size, one slot": {},
    "no tweak, two slots": {"tweak_blocks": 0, "key_slots": 2, "decrypt": False},
    "three sizes, five slots": {"more_sizes": ((7, 0), (2, 3)), "key_slots": 5, "tweak_blocks": 2},
    "as many slots as a port lists": {"key_slots": 64},
    "two sizes, 100 slots": {"more_sizes": ((7, 0),), "key_slots": 100},
    "all slots that a command can name": {"key_slots": 256},
    "two sizes, decryption": {"more_sizes": ((7, 0),), "key_slots": 3, "encrypt": False},
}


def code_of(p: BusParameters, command: dict[str, Any], loaded: int) -> StatusCode:
    """The highest of the codes that hold."""
    if command["size"] >= len(p.sizes):
        return StatusCode.UNKNOWN_SIZE
    if not (p.sectors.decrypt if command["decrypt"] else p.sectors.encrypt):
        return StatusCode.NO_DIRECTION
    return StatusCode.OK if command["slot"] < p.key_slots and loaded >> command["slot"] & 1 else StatusCode.NO_KEY


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_commands(shape: dict[str, Any]) -> None:
    """Commands of all kinds while keys come and go; what is said of a key is as of the cycle before."""
    p, rng = bus_sizes(blocks=4, ring_sectors=2, **shape), random.Random(str(shape))
    intake = CommandIntake(p)

    def command() -> dict[str, Any]:
        return {
            "tweak": rng.randbytes(32), "tag": rng.getrandbits(16), "slot": rng.choice([*range(min(256, p.key_slots + 1)), 255, 128]),
            "size": rng.choice([*range(len(p.sizes) + 1), 255]), "decrypt": bool(rng.getrandbits(1)),
        }  # fmt: skip

    async def bench(ctx: Any) -> None:
        get = ctx.get
        taken: deque[tuple[int, dict[str, Any]]] = deque()
        offered: dict[str, Any] | None = None
        loaded = before = seen = good = gone = asked = 0
        held: dict[str, Any] | None = None
        for cycle in range(1500):
            if offered is None and rng.random() < 0.6:
                offered = command()
            ctx.set(intake.cmd.valid, int(offered is not None))
            ctx.set(intake.cmd.payload.as_value(), int.from_bytes(pack_command(**(offered or command())), "little"))
            if rng.random() < 0.2:
                loaded = rng.getrandbits(p.key_slots)
            if p.key_slots <= LISTED_SLOTS:
                ctx.set(intake.key_loaded, loaded)
            else:
                # Of a number that is no slot, the memory has a zero.
                ctx.set(intake.lookup.loaded, before >> asked & 1)
            valid = get(intake.command.valid)
            if valid:
                since, held = taken[0]
                assert cycle >= since + 2, "two cycles from the bus"
                code = code_of(p, held, before)
                assert get(intake.command.ok) == (code == StatusCode.OK)
                assert code == StatusCode.OK or get(intake.command.code) == code
                if len(p.sizes) > 1:
                    upcoming = (get(intake.upcoming.valid), get(intake.upcoming.known), get(intake.upcoming.size))
                    assert upcoming == (1, held["size"] < len(p.sizes), get(intake.command.size))
                seen += 1
                good += code == StatusCode.OK
            if held and (valid or gone == cycle - 1):
                # The fields hold for a cycle more.
                assert (get(intake.command.tag), get(intake.command.decrypt)) == (held["tag"], held["decrypt"])
                assert get(intake.tweak) == int.from_bytes(held["tweak"], "little") % (1 << p.tweak_bits)
                assert held["slot"] >= p.key_slots or get(intake.command.slot) == held["slot"]
                assert held["size"] >= len(p.sizes) or get(intake.command.size) == held["size"]
            behind = [one for since, one in list(taken)[valid:] if cycle > since]
            if len(p.sizes) > 1:
                assert get(intake.upcoming.next_valid) == bool(behind) and (valid or not get(intake.upcoming.valid))
                known = bool(behind) and behind[0]["size"] < len(p.sizes)
                assert not behind or get(intake.upcoming.next_known) == known
                assert not known or get(intake.upcoming.next_size) == behind[0]["size"]
            take = int(valid and rng.random() < 0.4)
            ctx.set(intake.command.take, take)
            if offered is not None and get(intake.cmd.ready):
                taken.append((cycle, offered))
                offered = None
            before = loaded
            if p.key_slots > LISTED_SLOTS:
                asked = get(intake.lookup.slot)
            await ctx.tick()
            if take:
                taken.popleft()
                gone = cycle
                assert not get(intake.command.valid), "low for a cycle after it was taken"
        assert seen > 300 and good > 30 and len(taken) <= 2

    simulator = Simulator(intake)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
