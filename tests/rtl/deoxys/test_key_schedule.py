# SPDX-License-Identifier: Apache-2.0
"""The key's part of subtweakeys: layers against the reference, every write of an expansion and of an erasure, and nothing that remains."""

from random import Random

import pytest
from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator

from modeloom.rtl.deoxys import rounds
from modeloom.rtl.deoxys.rounds import DeoxysKeySchedule
from modeloom_golden.deoxys_bc import DeoxysBC256, key_parts, lfsr_2, permute, round_constant

pytestmark = pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")


def number(block):
    return int.from_bytes(block, "little")


def test_layers():
    """On each bit of a word, and on random ones; every round constant."""
    m, word, rcon = Module(), Signal(128), Signal(8)
    outputs = {name: Signal(128, name=name) for name in ("lfsr", "permuted", "thrice", "back", "following", "step", "constant")}
    following, step = rounds.step(m, word, rcon)
    values = {
        "lfsr": rounds.lfsr_2(m, word), "permuted": rounds.permute(word), "thrice": rounds.permute(word, 3),
        "back": rounds.permute(word, -1), "following": following, "step": step, "constant": rounds.round_constant(rcon),
    }  # fmt: skip
    m.d.comb += [outputs[name].eq(value) for name, value in values.items()]
    random = Random(1)
    words = [(1 << n).to_bytes(16, "little") for n in range(128)] + [random.randbytes(16) for _ in range(20)]

    async def check(ctx):
        for n, each in enumerate(words):
            r = n % 14
            ctx.set(word, number(each))
            ctx.set(rcon, rounds.CONSTANTS[r])
            after = permute(lfsr_2(each))
            subtweakey = [number(each) ^ number(round_constant(r)), number(after) ^ number(round_constant(r + 1))]
            own = subtweakey[0].to_bytes(16, "little")
            expected = {
                "lfsr": lfsr_2(each), "permuted": permute(each), "thrice": permute(permute(permute(each))),
                "following": after, "constant": round_constant(r),
            }  # fmt: skip
            assert {name: ctx.get(outputs[name]) for name in expected} == {name: number(value) for name, value in expected.items()}
            assert permute(ctx.get(outputs["back"]).to_bytes(16, "little")) == each
            assert ctx.get(outputs["step"]) == subtweakey[1] ^ number(permute(own))

    simulator = Simulator(m)
    simulator.add_testbench(check)
    simulator.run()


def test_step_leads_from_one_subtweakey_to_the_next():
    """For every tweak: h of a subtweakey and the step are the next subtweakey, so the steps depend on the key alone."""
    random = Random(2)
    key, tweak, other = (random.randbytes(16) for _ in range(3))

    def steps(tweak):
        keys = DeoxysBC256(key).subtweakeys(tweak)
        return [number(later) ^ number(permute(earlier)) for earlier, later in zip(keys, keys[1:], strict=False)]

    assert steps(tweak) == steps(other)


def writes(schedule, requests, cycles):
    """Writes by their cycle, the states of busy and done, and all registers at the end, for requests by their cycle."""
    found, busy, done = {}, [], []

    async def drive(ctx):
        for cycle in range(cycles):
            request = requests.get(cycle, {})
            for name in ("start", "erase", "key"):
                ctx.set(getattr(schedule, name), request.get(name, 0))
            if ctx.get(schedule.we):
                assert ctx.get(schedule.data) == ctx.get(schedule.data_dec)
                found[cycle] = (ctx.get(schedule.round), ctx.get(schedule.data))
            busy.extend([cycle] * ctx.get(schedule.busy))
            done.extend([cycle] * ctx.get(schedule.done))
            await ctx.tick()

    simulator = Simulator(schedule)
    simulator.add_clock(1e-6)
    simulator.add_testbench(drive)
    simulator.run()
    return found, busy, done


def test_writes():
    """Two expansions back to back, a request in between that is ignored, and an erasure, which takes precedence."""
    random = Random(3)
    first, second, ignored = (random.randbytes(16) for _ in range(3))
    schedule = DeoxysKeySchedule()
    assert (schedule.latency, schedule.interval, schedule.erase_latency) == (15, 16, 15)
    requests = {2: {"start": 1, "key": number(first)}, 7: {"start": 1, "key": number(ignored)}}
    requests[18] = {"start": 1, "key": number(second)}
    requests[34] = {"start": 1, "erase": 1, "key": number(first)}
    found, busy, done = writes(schedule, requests, 60)
    expected = {}
    for start, parts in ((2, key_parts(first)), (18, key_parts(second)), (34, [bytes(16)] * 15)):
        expected |= {start + 1 + n: (n, number(part)) for n, part in enumerate(parts)}
    assert found == expected and busy == sorted(expected)
    assert done == [17, 33, 49]


def test_nothing_remains():
    """After the last write, the data are those of a key of zeros with no round constant: the registers are zero."""
    schedule = DeoxysKeySchedule()
    after = []

    async def drive(ctx):
        for key in (0, (1 << 128) - 1):
            ctx.set(schedule.key, key)
            ctx.set(schedule.start, 1)
            await ctx.tick()
            ctx.set(schedule.start, 0)
            ctx.set(schedule.key, 0)
            for _ in range(schedule.latency):
                await ctx.tick()
            assert not ctx.get(schedule.busy)
            after.append(ctx.get(schedule.data))

    simulator = Simulator(schedule)
    simulator.add_clock(1e-6)
    simulator.add_testbench(drive)
    simulator.run()
    assert after == [number(bytes([1, 2, 4, 8, *bytes(12)]))] * 2


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("permute", lambda word, times=1, own=rounds.permute: own(word, times + 1)),
        ("lfsr_2", lambda m, word: word),
        ("next_constant", lambda rcon: rcon.rotate_left(1)),
        ("FIRST_CONSTANT", 1),
        ("round_constant", lambda rcon, own=rounds.round_constant: own(rcon).rotate_left(8)),
    ],
)
def test_a_mistake_is_seen(name, wrong, monkeypatch):
    monkeypatch.setattr(rounds, name, wrong)
    key = Random(4).randbytes(16)
    found, _, _ = writes(DeoxysKeySchedule(), {0: {"start": 1, "key": number(key)}}, 18)
    assert [data for _, data in found.values()] != [number(part) for part in key_parts(key)]
