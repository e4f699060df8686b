# SPDX-License-Identifier: Apache-2.0
"""Tokens that enter: a message whose start takes tokens of its own, beside tokens that overwrite what messages have left."""

import random

import pytest
from amaranth.sim import Simulator
from tests.built import slowly
from tests.streams.modes import WideAEAD

from modeloom.rtl.bus import KeyParameters
from modeloom.rtl.stream.entry import TokenEntry
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.sizes import TokenStep
from modeloom.streams.plan import plan_stream


class StartsWithTokens(WideAEAD):
    """The start of a message with a nonce of the usual length takes a product."""

    name = "starts-with-tokens"
    nonce_bytes = tuple(reversed(WideAEAD.nonce_bytes))


def parameters(mode, channels):
    plan = plan_stream(mode, mode.block_bytes, {"cipher": 6, "mul": 3})
    keys = KeyParameters(
        slots=2, block_bits=256, cipher_key_bits=256, round_keys=21, round_key_bits=256, raw_words_before=0, raw_words_after=1,
        words=len(plan.words),
    )  # fmt: skip
    return MessageParameters(plan=plan, keys=keys, channels=channels)


def message(rng, number):
    """A message of some tokens: steps, the class of its nonce, and its number in all other places."""
    steps = [TokenStep.ASSOCIATED] * rng.randrange(3) + [TokenStep.TEXT] * rng.randrange(3) + [TokenStep.TAG]
    return {"steps": steps, "nonce_class": rng.randrange(2), "number": number}


def wanted(one, p):
    """Kinds and blocks of the tokens of a message: those of its start have its nonce."""
    titles = {TokenStep.ASSOCIATED: "associated", TokenStep.TEXT: "encrypt", TokenStep.TAG: "tag"}
    start = p.program(list(p.starts)[one["nonce_class"]])
    return [kind for _, kind in start.tokens] + [kind for step in one["steps"] for _, kind in p.program(titles[step]).tokens]


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("mode", [StartsWithTokens, *slowly(WideAEAD)])
def test_tokens_that_overwrite_leave_messages_whole(mode, channels):
    p, rng = parameters(mode(), channels), random.Random(3)
    assert any(p.program(title).tokens for title in p.starts)
    assert bool(p.program(next(p.starts)).tokens) == (mode is StartsWithTokens)
    dut = TokenEntry(p)
    sent = [message(rng, number + 1) for number in range(60)]
    entered, told, scrubs = {one["number"]: [] for one in sent}, [], 0

    async def bench(ctx):
        nonlocal scrubs
        waiting = [(one, at) for one in sent for at in range(len(one["steps"]))]
        pause = current = 0
        for _ in range(6000):
            there = bool(waiting) and not pause
            pause = max(0, pause - 1)
            ctx.set(dut.token.valid, there)
            ctx.set(dut.message.valid, there)
            if there:
                one, at = waiting[0]
                token, whole = dut.token.payload.token, dut.message.payload
                for place, value in (
                    (token.step, one["steps"][at]), (token.first, at == 0), (token.full, one["steps"][at] != TokenStep.TAG),
                    (token.blocks[0], one["number"]), (token.nbytes, 32), (token.tag, 0), (whole.nonce, one["number"]),
                    (whole.nonce_class, one["nonce_class"]), (whole.slot, 1), (whole.id, one["number"]), (whole.decrypt, 0),
                    *([(token.context, one["number"] % p.contexts)] if channels > 1 else []),
                ):  # fmt: skip
                    ctx.set(place, value)
            if rng.random() < 0.05:
                ctx.set(dut.scrub, 1)
            taken = there and ctx.get(dut.token.ready)
            scrubbed = ctx.get(dut.scrub) and ctx.get(dut.scrubbed)
            scrubs += scrubbed
            current = waiting[0][0]["number"] if there else 0
            await ctx.tick()
            # What has entered in this cycle stands in the registers now: a token of a message has the slot of the message.
            if ctx.get(dut.o.valid) and ctx.get(dut.o.slot):
                entered[current].append(ctx.get(dut.o.kind[0]))
            if ctx.get(dut.verdict_valid) and not ctx.get(dut.verdict.empty):
                told.append(ctx.get(dut.verdict.id))
            ctx.set(dut.text_taken, ctx.get(dut.beat))
            ctx.set(dut.tag_taken, ctx.get(dut.verdict_valid))
            if scrubbed:
                ctx.set(dut.scrub, 0)
            if taken:
                _, at = waiting.pop(0)
                if rng.random() < 0.5:
                    pause = rng.randrange(8)
            if not waiting:
                break

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert told == [one["number"] for one in sent]
    assert entered == {one["number"]: wanted(one, p) for one in sent}
    assert scrubs > 5
