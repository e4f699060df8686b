# SPDX-License-Identifier: Apache-2.0
"""The stage that puts a prefix in front of associated data: every length of the last block, all encodings, channels that interleave."""

import inspect
import random

import pytest
from amaranth.sim import Simulator
from tests.rtl.stream.ccm_parameters import parameters
from tests.streams.chained_modes import WideChain

from modeloom.modes.ccm import CCM
from modeloom.rtl.stream import intake as module
from modeloom.rtl.stream.intake import AssociatedPrefix, ChannelPrefix
from modeloom.rtl.stream.sizes import TokenStep


def tokens_of(rng, p, channel, associated, stated):
    """The tokens of a message with these bytes of associated data: step, block, and whether it is the first one, and the last of these."""
    size = p.block_bytes
    data = rng.randbytes(associated)
    blocks = [data[at : at + size] for at in range(0, associated, size)]
    made = [(TokenStep.ASSOCIATED, block, n == 0, n == len(blocks) - 1) for n, block in enumerate(blocks)]
    made += [(TokenStep.TEXT, rng.randbytes(size), not made, False), (TokenStep.TAG, b"", False, False)]
    whole = p.plan.mode.prefix_of(stated) + data if associated else b""
    wanted = [(TokenStep.ASSOCIATED, whole[at : at + size]) for at in range(0, len(whole), size)]
    wanted += [(step, block) for step, block, _, _ in made if step != TokenStep.ASSOCIATED]
    return [(channel, stated, *one) for one in made], [(*one, number == 0) for number, one in enumerate(wanted)]


def prefix_of(p):
    """The kind of prefix for a number of channels."""
    return AssociatedPrefix if p.channels == 1 else ChannelPrefix


def run(unit, p, tokens, stall, seed=1):
    """What comes out, by context."""
    simulator = Simulator(unit)
    simulator.add_clock(1e-6)
    rng, given = random.Random(seed), {}

    async def bench(context):
        queue, cycle = list(tokens), 0
        while (queue or cycle < 20) and cycle < 20_000:
            cycle = 0 if queue else cycle + 1
            payload = unit.i.payload
            offer = bool(queue) and rng.random() >= stall
            context.set(unit.i.valid, int(offer))
            if queue:
                channel, stated, step, block, first, ending = queue[0]
                context.set(payload.token.step, step)
                context.set(payload.token.blocks[0], int.from_bytes(block, "little"))
                context.set(payload.token.nbytes, len(block))
                context.set(payload.token.first, int(first))
                context.set(payload.associated, stated)
                # What it says of other tokens means nothing.
                context.set(payload.ending, int(ending) if step == TokenStep.ASSOCIATED else rng.randrange(2))
                if p.channels > 1:
                    context.set(payload.token.context, channel)
            context.set(unit.o.ready, int(rng.random() >= stall))
            if context.get(unit.o.valid) and context.get(unit.o.ready):
                token = unit.o.payload
                of = context.get(token.context) if p.channels > 1 else 0
                nbytes = context.get(token.nbytes)
                block = context.get(token.blocks[0]).to_bytes(p.block_bytes, "little")
                assert not any(block[nbytes:])
                given.setdefault(of, []).append((context.get(token.step), block[:nbytes], bool(context.get(token.first))))
            if offer and context.get(unit.i.ready):
                queue.pop(0)
            await context.tick()

    simulator.add_testbench(bench)
    simulator.run()
    return given


def check(unit, p, lengths, stall=0.0, seed=1):
    rng = random.Random(seed)
    streams, wanted = {}, {}
    for number, (associated, stated) in enumerate(lengths):
        tokens, comes = tokens_of(rng, p, number % p.channels, associated, stated)
        streams.setdefault(number % p.channels, []).extend(tokens)
        wanted.setdefault(number % p.channels, []).extend(comes)
    mixed = []
    while streams:
        channel = rng.choice(sorted(streams))
        mixed.append(streams[channel].pop(0))
        if not streams[channel]:
            del streams[channel]
    assert run(unit, p, mixed, stall, seed) == wanted


@pytest.mark.parametrize("stall", [0, 0.4])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("mode", [CCM, WideChain])
def test_every_length(mode, channels, stall):
    p = parameters(mode, channels)
    check(prefix_of(p)(p), p, [(nbytes, nbytes) for nbytes in range(3 * p.block_bytes + 9)], stall)


@pytest.mark.parametrize("stated", [0xFF00, 0x12345678, 1 << 32, 0x0123456789ABCDEF])
def test_longer_encodings(stated):
    """The bytes that the command states decide; here fewer of them come, as no simulation has so many."""
    for channels in (1, 3):
        p = parameters(CCM, channels)
        check(prefix_of(p)(p), p, [(nbytes, stated) for nbytes in range(1, 37)], 0.2)


@pytest.mark.parametrize(("old", "new"), [
    ("reversed(range(one.nbytes))", "range(one.nbytes)"),
    ("ending_reg & overflows", "ending_reg & 0"),
    ("overflows.eq(total > size)", "overflows.eq(total >= size)"),
    ("out.first.eq(0)", "out.first.eq(token_reg.first)"),
    ("with m.If(write):", "with m.If(write & token.first):"),
    ("Mux(token_reg.first, prefix_reg, held)", "prefix_reg"),
    ("words.waddr.eq(token.context)", "words.waddr.eq(0)"),
    ("Mux(load, self.i.payload.token.context, token.context)", "self.i.payload.token.context"),
])  # fmt: skip
def test_faults_are_found(old, new):
    source = inspect.getsource(module)
    assert source.count(old) == 1
    changed = {"__name__": module.__name__}
    exec(compile(source.replace(old, new), module.__file__, "exec"), changed)
    p = parameters(CCM, 3 if "words" in old or "load" in old else 1)
    with pytest.raises(AssertionError):
        check(changed[prefix_of(p).__name__](p), p, [(nbytes, nbytes) for nbytes in range(50)], 0.4)
