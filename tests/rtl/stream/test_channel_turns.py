# SPDX-License-Identifier: Apache-2.0
"""Tokens that wait for the chain of their message: a channel in order and not too early, none lost, none in the way of other channels."""

import inspect
import random

import pytest
from amaranth.sim import Simulator
from tests.rtl.stream.ccm_parameters import parameters

from modeloom.rtl.stream import channels
from modeloom.rtl.stream.channels import ChannelTurns


def run(unit, p, cycles, seed, rate, stall, channels, in_turn):
    """Tokens in and out: the number of a token, its context, and its cycle.  At the end nothing more comes in."""
    simulator = Simulator(unit)
    simulator.add_clock(1e-6)
    rng, sent, given = random.Random(seed), [], []

    async def bench(context):
        waiting = False
        for cycle in range(cycles + 400):
            if not waiting:
                waiting = cycle < cycles and rng.random() < rate
                number = len(sent)
                of = number % channels if in_turn else rng.randrange(channels)
            context.set(unit.i.valid, int(waiting))
            if waiting:
                context.set(unit.i.payload.context, of)
                context.set(unit.i.payload.message, number % p.message_store)
                context.set(unit.i.payload.blocks[0], number)
            context.set(unit.o.ready, int(rng.random() >= stall))
            if context.get(unit.i.valid) and context.get(unit.i.ready):
                sent.append((number, of, cycle))
                waiting = False
            valid = context.get(unit.o.valid)
            entered = valid and context.get(unit.o.ready)
            if entered:
                token = unit.o.payload.token
                given.append((context.get(token.blocks[0]), context.get(token.context), cycle))
                assert context.get(token.message) == given[-1][0] % p.message_store
            # The entry tells of it in the cycle in which it takes the token.
            context.set(unit.entered, int(entered))
            context.set(unit.context, given[-1][1] if entered else rng.randrange(channels))
            await context.tick()

    simulator.add_testbench(bench)
    simulator.run()
    return sent, given


def check(unit, p, *arguments, in_turn=False):
    channels = arguments[-1]
    sent, given = run(unit, p, *arguments, in_turn)
    assert sorted(number for number, _, _ in given) == [number for number, _, _ in sent], "a token is lost"
    for channel in range(channels):
        mine = [(number, cycle) for number, of, cycle in given if of == channel]
        in_order = sorted(number for number, of, _ in sent if of == channel)
        assert [number for number, _ in mine] == in_order, "tokens of a channel change places"
        assert all(b - a >= p.plan.placed.turn for (_, a), (_, b) in zip(mine, mine[1:])), "a token comes early"
    return sent, given


@pytest.mark.parametrize(("rate", "stall"), [(1, 0), (0.5, 0), (0.15, 0), (0.3, 0.5)])
@pytest.mark.parametrize("cipher", [3, 6])
def test_random_tokens(rate, stall, cipher):
    p = parameters(cipher=cipher)
    for seed in range(2):
        sent, _ = check(ChannelTurns(p), p, 400, seed, rate, stall, 4)
        assert len(sent) > 40


def test_the_least_distance_is_that_of_the_chain():
    """Where tokens wait, a channel takes a turn of exactly so many cycles."""
    p = parameters()
    _, given = check(ChannelTurns(p), p, 200, 1, 1, 0, 1)
    assert {b[2] - a[2] for a, b in zip(given[4:], given[5:])} == {p.plan.placed.turn}


def test_enough_channels_fill_every_cycle():
    p = parameters(channels=8)
    assert p.plan.placed.turn == 7
    _, given = check(ChannelTurns(p), p, 400, 2, 1, 0, 7, in_turn=True)
    assert given[300][2] - given[100][2] == 200


@pytest.mark.parametrize(("old", "new"), [
    (" | (put & (here == context))", ""),
    ("p.plan.placed.turn - PICK_CYCLES", "p.plan.placed.turn - PICK_CYCLES - 1"),
    ("new.i.valid.eq(put & ~active)", "new.i.valid.eq(put)"),
    ("!= TURN_PLACES)", "!= TURN_PLACES + 1)"),
    ("new.o.ready.eq(self.move & ~again.o.valid)", "new.o.ready.eq(self.move)"),
    ("tokens.raddr[0].eq(Cat(gone.rdata[2]", "tokens.raddr[0].eq(Cat(gone.rdata[1]"),
])  # fmt: skip
def test_faults_are_found(old, new):
    source = inspect.getsource(channels)
    assert source.count(old) == 1
    changed = {"__name__": channels.__name__}
    exec(compile(source.replace(old, new), channels.__file__, "exec"), changed)
    p = parameters()
    with pytest.raises(AssertionError):
        for seed, rate in enumerate((1, 0.15, 0.15, 0.3)):
            check(changed["ChannelTurns"](p), p, 400, seed, rate, 0.1, 4)
