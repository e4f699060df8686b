# SPDX-License-Identifier: Apache-2.0
"""A key port for more slots than a port lists: their flags are in a memory, and an answer is that of the cycle in which it comes."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.sim import Simulator
from tests.rtl.bus.mock_engine import MockSchedule

from modeloom.interfaces.shared import KEY_FLAGS, KEYS, key_flags
from modeloom.interfaces.table import LISTED_SLOTS, slot_number_bits
from modeloom.rtl.bus import KeyParameters
from modeloom.rtl.bus.key_port import KeyPort, SlotFlags
from modeloom.rtl.bus.ports import key_beat


@pytest.mark.parametrize("slots", [65, 300])
def test_flags_follow_the_packets(slots: int) -> None:
    """Keys, erasures and packets that do not fit, in random slots, while some slot is asked for in each cycle."""
    port = KeyPort(KeyParameters(slots=slots))
    schedule = MockSchedule(128)
    rng = random.Random(slots)
    used = [0, 1, 63, 64, slots - 1]
    loaded: dict[int, bool] = {}

    async def bench(ctx: Any) -> None:
        asked: list[int] = []

        async def cycle(working: int | None) -> None:
            """One cycle; what was asked in the one before is answered."""
            if asked:
                slot = asked.pop()
                # The port says of the slot that it works on what counts now.
                wanted = bool(ctx.get(port.state.loaded)) if slot == working else loaded.get(slot, False)
                assert ctx.get(port.lookup.loaded) == wanted, slot
            asked.append(working if working is not None and rng.random() < 0.5 else rng.choice([*used, rng.randrange(slots)]))
            ctx.set(port.lookup.slot, asked[0])
            ctx.set(port.preparation.setup.done, ctx.get(port.preparation.setup.request))
            await ctx.tick()

        for turn in range(40):
            kind = rng.choice(["key", "key", "erase", "wrong", "no slot"]) if turn > 4 else "key"
            slot = used[turn] if turn < 5 else rng.choice(used)
            given = rng.randrange(slots, 1 << slot_number_bits(slots)) if kind == "no slot" else slot
            working = slot if kind != "no slot" else None
            for name, value in (("data", rng.getrandbits(128)), ("last", 1), ("slot", given)):
                ctx.set(port.key.payload[name], value)
            ctx.set(port.key.payload.keep, 0xFF if kind == "wrong" else 0xFFFF)
            ctx.set(port.key.payload.erase, int(kind == "erase"))
            ctx.set(port.key.valid, 1)
            ctx.set(port.lookup.slot, 0)
            await ctx.tick()
            asked.clear()
            loaded[slot] = loaded.get(slot, False) and working is None
            for _ in range(200):
                taken = ctx.get(port.key.ready)
                await cycle(working)
                if taken:
                    ctx.set(port.key.valid, 0)
                if not ctx.get(port.state.busy):
                    break
            loaded[slot] = kind == "key" or (working is None and loaded[slot])
            assert ctx.get(port.state.loaded) == int(kind == "key")
            assert ctx.get(port.state.error) == int(kind in ("wrong", "no slot"))
            for _ in range(rng.randrange(1, 8)):
                await cycle(None)

    both = Module()
    both.submodules.port, both.submodules.schedule = port, schedule
    wiring.connect(both, port.schedule, schedule)
    simulator = Simulator(both)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


def test_an_answer_counts_what_is_written_in_the_cycle_of_the_question() -> None:
    """Random writes and questions of few slots, against a table."""
    flags = SlotFlags(5)
    rng = random.Random(4)

    async def bench(ctx: Any) -> None:
        table = [0] * 8
        for slot in range(8):
            ctx.set(flags.erase, 1)
            ctx.set(flags.erase_address, slot)
            await ctx.tick()
        ctx.set(flags.erase, 0)
        for _ in range(300):
            slot, value, we, asked = rng.randrange(5), rng.getrandbits(1), rng.getrandbits(1), rng.randrange(8)
            for signal, given in ((flags.write.slot, slot), (flags.write.loaded, value), (flags.write.we, we), (flags.lookup.slot, asked)):
                ctx.set(signal, given)
            await ctx.tick()
            if we:
                table[slot] = value
            assert ctx.get(flags.lookup.loaded) == table[asked]
        # An erasure overwrites all of them, whatever else is asked for.
        for slot in range(8):
            ctx.set(flags.erase, 1)
            ctx.set(flags.erase_address, slot)
            await ctx.tick()
        ctx.set(flags.erase, 0)
        ctx.set(flags.write.we, 0)
        for slot in range(8):
            ctx.set(flags.lookup.slot, slot)
            await ctx.tick()
            assert not ctx.get(flags.lookup.loaded)

    simulator = Simulator(flags)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


@pytest.mark.parametrize(("slots", "bits"), [(1, 8), (64, 8), (256, 8), (257, 9), (512, 9), (513, 10), (1024, 10)])
def test_the_number_of_a_slot_has_room(slots: int, bits: int) -> None:
    assert slot_number_bits(slots) == bits
    assert KEYS.port("tdest").width.bits(SimpleNamespace(key_slots=slots, beat_bytes=16)) == bits
    assert key_beat(slots).size == 128 + 16 + 1 + bits + 1


def test_flags_of_many_slots_are_no_vector() -> None:
    few, many = (SimpleNamespace(key_slots=slots, beat_bytes=16) for slots in (LISTED_SLOTS, LISTED_SLOTS + 1))
    assert key_flags(LISTED_SLOTS) is KEY_FLAGS
    assert KEY_FLAGS.port("loaded").width.bits(few) == LISTED_SLOTS
    assert key_flags(LISTED_SLOTS + 1).port("loaded").width.bits(many) == KEY_FLAGS.port("loaded").width.bits(many) == 1
