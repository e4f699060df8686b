# SPDX-License-Identifier: Apache-2.0
"""The arbiter is the reservation table in hardware: a token enters in the first cycle in which software finds all free that it takes."""

import random

import pytest
from amaranth.sim import Simulator
from tests.built import slowly

from modeloom.modes.aes_otr import AESOTR
from modeloom.modes.ccm import CCM
from modeloom.modes.deoxys_ii import DeoxysII
from modeloom.modes.ocb3 import OCB3
from modeloom.rtl.bus import KeyParameters
from modeloom.rtl.stream.entry import TokenEntry
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.sizes import TokenStep
from modeloom.spec.cadence import Cadence
from modeloom.streams.plan import plan_stream
from modeloom.streams.reservation import Reservations

CADENCE = Cadence(10, 2)


def parameters(mode, cadence):
    latencies = {"cipher": 6 if cadence is None else 11, "mul": 3}
    plan = plan_stream(mode(), 16, latencies, cadence=cadence)
    return MessageParameters(plan=plan, keys=KeyParameters(slots=2, cipher_key_bits=128, round_keys=11, words=len(plan.words)))


def drawn(rng, p, between):
    """A token: its fields, and the title of its step.  ``between`` says that none of its message has been."""
    plan, text = p.plan, rng.random() < 0.6
    blocks = 1 + (text and plan.pairs and rng.random() < 0.8)
    closes = plan.follows and rng.random() < 0.2
    final, decrypt = plan.ends and (closes or rng.random() < 0.2), rng.randrange(2)
    name = plan.mode.text_steps()[0] if text and not decrypt else "decrypt" if text else "associated"
    fields = {
        "step": TokenStep.TEXT if text else TokenStep.ASSOCIATED, "first": between, "full": blocks, "nbytes": 16 * blocks, "last": closes,
        "tag": closes, **({"final": final} if plan.ends else {}),
    }  # fmt: skip
    single = text and plan.pairs and blocks == 1
    title = next(
        prefix + name for prefix, holds in (("single_", single), ("last_", final), ("", True))
        if holds and any(step.title == prefix + name for step in plan.steps)
    )
    return fields, title, decrypt, closes


@pytest.mark.parametrize("cadence", [None, *slowly(CADENCE)])
@pytest.mark.parametrize("mode", [AESOTR, OCB3, *slowly(DeoxysII, CCM)])
def test_tokens_enter_as_the_table_says(mode, cadence):
    p, rng = parameters(mode, cadence), random.Random(7)
    plan, dut = p.plan, TokenEntry(p)
    reservations, table = Reservations(plan), plan.reservations
    entered = []

    async def bench(ctx):
        cycle = 0

        async def tick():
            nonlocal cycle
            await ctx.tick()
            cycle += 1
            # Places are free again at once.
            ctx.set(dut.text_taken, ctx.get(dut.beat))
            ctx.set(dut.tag_taken, ctx.get(dut.verdict_valid))

        while cadence is not None and not ctx.get(dut.batch):
            await tick()
        # The first token of a batch may be decided on in the cycle behind the signal.
        origin, between, free = cycle + (cadence is not None), True, 0
        for _ in range(120):
            fields, title, decrypt, closes = drawn(rng, p, between)
            for _ in range(rng.randrange(3) * rng.randrange(2)):
                ctx.set(dut.token.valid, 0)
                await tick()
            for name, value in fields.items():
                ctx.set(dut.token.payload.token[name], value)
            ctx.set(dut.message.payload.decrypt, decrypt)
            ctx.set(dut.token.valid, 1)
            ctx.set(dut.message.valid, 1)
            begin = reservations.enter(max(cycle - origin, free), title, closes)
            done = begin + table.sequence(title).cycles - 1
            free = done + plan.turn_after(plan.step(title))
            while not ctx.get(dut.token.ready):
                await tick()
            entered.append((cycle - origin, done, title))
            await tick()
            between = closes

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert [each for each in entered if each[0] != each[1]] == []
    assert len({title for _, _, title in entered}) > 2
