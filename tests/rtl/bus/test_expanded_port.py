# SPDX-License-Identifier: Apache-2.0
"""The key port for round keys, alone: what it writes, what it refuses, and that nothing of an old key is left."""

from random import Random

import pytest
from amaranth.sim import Simulator

from modeloom.cycles import FENCE_CYCLES
from modeloom.rtl.bus.expanded_port import ExpandedKeyParameters, ExpandedKeyPort

SLOTS = 3
SHAPES = {
    "AES-128": {"round_keys": 11},
    "round keys of less than a beat": {"round_keys": 5, "round_key_bits": 32},
    "words before and behind": {"round_keys": 3, "raw_words_before": 2, "raw_words_after": 1, "words": 5},
    "more than a beat": {
        "round_keys": 4, "round_key_bits": 192, "block_bits": 256, "raw_words_before": 1, "raw_words_after": 1, "words": 3,
    },
}  # fmt: skip


class Bench:
    """A port, and what it has written to each slot: words by (0, index), round keys by (1, number)."""

    def __init__(self, ctx, port, rng):
        self.ctx, self.port, self.p, self.rng = ctx, port, port.parameters, rng
        self.slots = [{} for _ in range(SLOTS)]
        self.busy = self.cycle = self.setups = self.scrubs = 0

    async def step(self):
        ctx, wanted = self.ctx, self.port.preparation
        ctx.set(self.port.in_use.busy, self.busy)
        if ctx.get(wanted.word.we):
            self.slots[ctx.get(wanted.word.slot)][0, ctx.get(wanted.word.index)] = ctx.get(wanted.word.data)
        if ctx.get(wanted.round_key.we):
            self.slots[ctx.get(wanted.round_key.slot)][1, ctx.get(wanted.round_key.round)] = ctx.get(wanted.round_key.data)
        if ctx.get(wanted.setup.request) and self.rng.random() < 0.3:
            scrub = ctx.get(wanted.setup.scrub)
            self.setups, self.scrubs = self.setups + (not scrub), self.scrubs + scrub
            ctx.set(wanted.setup.done, 1)
        await ctx.tick()
        ctx.set(wanted.setup.done, 0)
        self.cycle += 1

    def parts(self):
        """A key: its words and round keys, in the order of the packet, with their beats."""
        p, parts = self.p, []
        numbers = [*((0, n) for n in range(p.raw_words_before)), *((1, n) for n in range(p.round_keys))]
        for name in [*numbers, *((0, n) for n in range(p.raw_words_before, p.raw_words))]:
            bits = p.round_key_bits if name[0] else p.block_bits
            beats = -(-bits // 128)
            # What is behind a round key is not read.
            parts.append((name, self.rng.getrandbits(bits) | 1, self.rng.getrandbits(128 * beats) >> bits << bits))
        return {name: value for name, value, _ in parts}, [
            (value | behind) >> 128 * at & (1 << 128) - 1
            for (kind, _), value, behind in parts for at in range(-(-(p.round_key_bits if kind else p.block_bits) // 128))
        ]  # fmt: skip

    async def send(self, slot, beats, keep=0xFFFF, erase=0, gap=0.0):
        """A packet, until the port is at rest."""
        ctx, payload = self.ctx, self.port.key.payload
        for number, data in enumerate(beats):
            last = number == len(beats) - 1
            while self.rng.random() < gap:
                await self.step()
            values = {"data": data, "keep": keep if last else 0xFFFF, "last": last, "slot": slot, "erase": erase}
            for name, value in values.items():
                ctx.set(getattr(payload, name), value)
            ctx.set(self.port.key.valid, 1)
            for _ in range(200):
                taken = ctx.get(self.port.key.ready)
                await self.step()
                if taken:
                    break
            else:
                raise AssertionError("a beat is not taken")
            ctx.set(self.port.key.valid, 0)
            ctx.set(payload.data, self.rng.getrandbits(128))
        for _ in range(200):
            if not ctx.get(self.port.state.busy):
                return
            await self.step()
        raise AssertionError("the port does not come to rest")

    def loaded(self, slot):
        return self.ctx.get(self.port.state.loaded) >> slot & 1

    def at_rest(self):
        """No register of the port holds a part of a key."""
        wanted = self.port.preparation
        return not self.ctx.get(wanted.word.data) and not self.ctx.get(wanted.round_key.data)

    def erased(self, slot):
        written = self.slots[slot]
        return not any(written.values()) and len(written) == self.p.words + self.p.round_keys


def run(shape, what, seed=1):
    """Runs a coroutine with a bench."""
    port = ExpandedKeyPort(ExpandedKeyParameters(slots=SLOTS, **SHAPES[shape]))

    async def testbench(ctx):
        bench = Bench(ctx, port, Random(seed))
        await bench.step()
        await what(bench)

    simulator = Simulator(port)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()


@pytest.mark.parametrize("shape", SHAPES)
def test_keys_reach_their_slots(shape):
    async def check(bench):
        keys = {}
        for turn in range(7):
            slot = turn % SLOTS
            keys[slot], beats = bench.parts()
            assert len(beats) * 16 == bench.p.packet_bytes
            await bench.send(slot, beats, gap=0.4 * (turn % 2))
            assert bench.loaded(slot) and not bench.ctx.get(bench.port.state.error) and bench.setups == turn + 1
            assert bench.at_rest()
            for each, key in keys.items():
                made = {(0, n): 0 for n in range(bench.p.raw_words, bench.p.words)}
                assert bench.slots[each] == key | made

    run(shape, check)


@pytest.mark.parametrize("shape", SHAPES)
def test_other_packets_are_refused(shape):
    """The slot is empty and overwritten, and the others keep their keys."""

    async def check(bench):
        other, beats = bench.parts()
        await bench.send(0, beats)
        kept = dict(bench.slots[0])
        wrong = [(beats[:count], 0xFFFF) for count in range(1, len(beats))]
        wrong += [([*beats, 1], 0xFFFF), ([*beats, *beats], 0xFFFF), *((beats, keep) for keep in (0, 0x7FFF, 0xFFFE, 0xFEFF, 1))]
        for packet, keep in wrong:
            _, right = bench.parts()
            await bench.send(1, right)
            assert bench.loaded(1) and not bench.erased(1)
            await bench.send(1, packet, keep)
            assert bench.ctx.get(bench.port.state.error) and not bench.loaded(1) and bench.erased(1) and bench.at_rest()
        assert bench.scrubs == len(wrong) and bench.slots[0] == kept and bench.loaded(0)

    run(shape, check)


def test_erasure_and_slots_that_do_not_exist():
    async def check(bench):
        for slot in range(SLOTS):
            _, beats = bench.parts()
            await bench.send(slot, beats)
        before = [dict(written) for written in bench.slots]
        await bench.send(SLOTS, beats)
        assert bench.ctx.get(bench.port.state.error) and bench.slots == before
        await bench.send(1, [5, 6, 7], erase=1)
        assert not bench.ctx.get(bench.port.state.error) and bench.erased(1) and bench.scrubs == 1
        assert bench.ctx.get(bench.port.state.loaded) == 0b101

    run("AES-128", check)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_old_key_goes_before_the_new_one_comes(shape):
    """Nothing happens to a slot that is in use but that it counts as empty; the first beat is taken when all is overwritten."""

    async def check(bench):
        _, beats = bench.parts()
        await bench.send(2, beats)
        before = dict(bench.slots[2])
        bench.busy = 1
        bench.ctx.set(bench.port.key.payload.slot, 2)
        bench.ctx.set(bench.port.key.valid, 1)
        for _ in range(30):
            await bench.step()
        assert not bench.loaded(2) and bench.slots[2] == before
        bench.busy = 0
        for _ in range(FENCE_CYCLES + 5 + max(bench.p.words, bench.p.round_keys)):
            if bench.ctx.get(bench.port.key.ready):
                break
            await bench.step()
        else:
            raise AssertionError("the first beat is not taken in time")
        bench.ctx.set(bench.port.key.valid, 0)
        await bench.step()
        assert bench.erased(2)

    run(shape, check)


@pytest.mark.parametrize(
    "words",
    [{"cipher_keys": 2}, {"more_key_bits": (256,)}, {"nonzero_words": (0,), "words": 1}, {"derived_keys": ((0,),), "words": 1}],
)
def test_parameters_are_checked(words):
    with pytest.raises(ValueError, match="expanded keys are for one cipher key of one size"):
        ExpandedKeyParameters(**words)
