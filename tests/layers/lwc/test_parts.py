# SPDX-License-Identifier: Apache-2.0
"""The parts of the LWC interface alone: beats of words, judged headers, and words that stay closed off."""

from random import Random
from types import SimpleNamespace

import pytest
from amaranth.sim import Simulator
from tests.cores.lwc.patched import patched
from tests.layers.lwc.sizes import parameters

from modeloom.interfaces.lwc import Header, Segment
from modeloom.layers.lwc import parser
from modeloom.layers.lwc.parameters import HeaderGate, LwcParameters, Segments
from modeloom.layers.lwc.parser import ExpectedSegment, Phase


def simulate(component, process, clocked=True):
    """Runs a process with a component."""
    simulator = Simulator(component)
    if clocked:
        simulator.add_clock(1e-6)
    simulator.add_testbench(process)
    simulator.run()


# -- the assembler ----------------------------------------------------------------------------------------------------------------


def beats_of(ad, text, size):
    """Beats of a message, each with whether it is associated data and whether it is the last one."""
    parts = [(part[at : at + size], here) for part, here in ((ad, 1), (text, 0)) for at in range(0, len(part), size)]
    if not text:
        parts.append((b"", 0))
    return [(data, here, int(number == len(parts) - 1)) for number, (data, here) in enumerate(parts)]


def pieces_of(data, word, here, ends):
    """Words of associated data or text; without ``ends`` a flush follows."""
    cut = [data[at : at + word] for at in range(0, len(data), word)]
    return [(piece, here, int(ends and number == len(cut) - 1)) for number, piece in enumerate(cut)] + ([] if ends else [None])


def assembled(module=parser, **options):
    """Beats that come of the words of many messages, with pauses on both sides, and those that must come."""
    p, rng = parameters(**options), Random(5)
    size, word = p.messages.beat_bytes, p.word_bytes
    dut, jobs, wanted = module.BeatAssembler(p), [], []
    for _ in range(60):
        ad, text = (rng.randbytes(rng.choice((0, 1, word, size, 3 * size, rng.randrange(4 * size)))) for _ in range(2))
        ends = rng.random() < 0.5
        if not ends:
            # What ends with a segment without data has whole words.
            ad, text = ad[: len(ad) // word * word], text[: len(text) // word * word]
        jobs.append([*pieces_of(ad, word, 1, ends), *pieces_of(text, word, 0, ends)])
        wanted += beats_of(ad, text, size)
    got = []

    async def process(ctx):
        ctx.set(dut.o.ready, 0)
        waiting = [piece for job in jobs for piece in [*job, "finish"]]
        offered, left = False, 40 * len(waiting)
        while (waiting or len(got) < len(wanted)) and left:
            left -= 1
            piece = waiting[0] if waiting else "nothing"
            offered = offered or rng.random() < 0.7
            is_word = isinstance(piece, tuple) and offered
            ctx.set(dut.i.valid, int(is_word))
            ctx.set(dut.finish.valid, int(piece == "finish"))
            ctx.set(dut.flush, int(piece is None))
            ctx.set(dut.o.ready, int(rng.random() < 0.6))
            if is_word:
                data, here, ends = piece
                ctx.set(dut.i.payload.data, int.from_bytes(data, "little"))
                ctx.set(dut.i.payload.nbytes, len(data))
                ctx.set(dut.i.payload.associated, here)
                ctx.set(dut.i.payload.ends, ends)
            taken = is_word and ctx.get(dut.i.ready) or piece is None or (piece == "finish" and ctx.get(dut.finish.ready))
            if ctx.get(dut.o.valid) and ctx.get(dut.o.ready):
                beat = dut.o.payload
                keep = ctx.get(beat.keep)
                assert keep & keep + 1 == 0
                data = ctx.get(beat.data).to_bytes(size, "little")[: keep.bit_count()]
                got.append((data, ctx.get(beat.associated), ctx.get(beat.last)))
            if taken:
                waiting.pop(0)
                offered = False
            await ctx.tick()

    simulate(dut, process)
    return got, wanted


@pytest.mark.parametrize("options", [{}, {"interface_bits": 64, "blocks_per_cycle": 2}, {"interface_bits": 128}])
def test_assembler(options):
    """Every beat once and in order, whatever the lengths."""
    got, wanted = assembled(**options)
    assert len(wanted) > 120 and got == wanted


@pytest.mark.parametrize("before, after", [
    ("word_reg.eq(piece.data)", "word_reg.eq(word_reg | piece.data)"),
    ("self.i.ready.eq(~full_reg | self.o.ready)", "self.i.ready.eq(1)"),
    ("(full_reg & (associated_reg | self.i.valid))", "full_reg"),
    ("last.eq(self.finish.valid & ~(full_reg & associated_reg))", "last.eq(self.finish.valid)"),
    ("with m.If(self.flush & (fill_reg != 0)):", "with m.If(self.flush & 0):"),
    ("| piece.ends", "| 0"),
    ("nbytes_reg.eq(fill_reg * p.word_bytes + piece.nbytes)", "nbytes_reg.eq(fill_reg * p.word_bytes + p.word_bytes)"),
])  # fmt: skip
def test_planted_faults_of_the_assembler_are_found(before, after):
    """Words that are lost, doubled or mixed."""
    got, wanted = assembled(patched(parser, before, after))
    assert got != wanted


# -- the order of segments --------------------------------------------------------------------------------------------------------


def judged(headers, decrypt=False, mode="gcm", **options):
    """Whether each header is right, one after another, as long as they are."""
    dut, found = ExpectedSegment(parameters(mode, **options)), []

    async def process(ctx):
        phase = int(Phase.START)
        for header in headers:
            ctx.set(dut.header.as_value(), header.value)
            ctx.set(dut.phase, Phase(phase))
            ctx.set(dut.decrypt, int(decrypt))
            await ctx.delay(1e-7)
            found.append(bool(ctx.get(dut.right)))
            if not found[-1]:
                return
            phase = int(ctx.get(dut.next_phase))

    simulate(dut, process, clocked=False)
    return found


NPUB, AD, NO_AD = Header(Segment.NPUB, 12), Header(Segment.AD, 5), Header(Segment.AD, 0)
MORE_AD = Header(Segment.AD, 8, eot=False)
TEXT, NO_TEXT = Header(Segment.PLAINTEXT, 5, last=True), Header(Segment.PLAINTEXT, 0, last=True)
MORE_TEXT = Header(Segment.PLAINTEXT, 20, eot=False)
CIPHER, TAG = Header(Segment.CIPHERTEXT, 5), Header(Segment.TAG, 16, last=True)


@pytest.mark.parametrize("headers, decrypt", [
    ([NPUB, AD, TEXT], False), ([NPUB, NO_AD, NO_TEXT], False), ([NPUB, TEXT], False),
    ([NPUB, MORE_AD, MORE_AD, AD, MORE_TEXT, TEXT], False),
    ([NPUB, MORE_AD, NO_AD, MORE_TEXT, NO_TEXT], False), ([NPUB, AD, CIPHER, TAG], True), ([NPUB, CIPHER, TAG], True),
])  # fmt: skip
def test_right_orders(headers, decrypt):
    assert all(judged(headers, decrypt)) and len(judged(headers, decrypt)) == len(headers)


@pytest.mark.parametrize("headers, decrypt", [
    ([AD], False), ([TEXT], False), ([NPUB, NPUB], False), ([NPUB, AD, AD], False), ([NPUB, MORE_AD, TEXT], False),
    ([NPUB, TEXT], True), ([NPUB, CIPHER], False), ([NPUB, AD, TAG], True), ([NPUB, MORE_TEXT, TAG], False),
    ([NPUB, Header(Segment.AD, 7, eot=False)], False), ([NPUB, Header(Segment.PLAINTEXT, 12, eot=False)], False),
    ([NPUB, Header(Segment.PLAINTEXT, 5)], False), ([NPUB, Header(Segment.AD, 5, last=True)], False),
    ([NPUB, CIPHER, Header(Segment.TAG, 12, last=True)], True), ([NPUB, CIPHER, Header(Segment.TAG, 16)], True),
    ([NPUB, Header(Segment.CIPHERTEXT, 5, last=True)], True), ([Header(Segment.NPUB, 0)], False), ([Header(Segment.NPUB, 17)], False),
    ([Header(Segment.NPUB, 12, eot=False)], False), ([Header(Segment.LENGTH, 8)], False), ([Header(0x2, 5)], False),
])  # fmt: skip
def test_wrong_orders(headers, decrypt):
    """All headers but the last one are right."""
    assert judged(headers, decrypt) == [True] * (len(headers) - 1) + [False]


def test_lengths_come_first_where_the_mode_needs_them():
    assert judged([Header(Segment.LENGTH, 8), NPUB, AD, TEXT], mode="ccm") == [True] * 4
    assert judged([NPUB], mode="ccm") == [False]
    assert judged([Header(Segment.LENGTH, 4)], mode="ccm") == [False]


# -- the gate and the sizes -------------------------------------------------------------------------------------------------------


def test_data_do_not_pass_the_gate():
    dut, rng = HeaderGate(parameters(interface_bits=64)), Random(1)

    async def process(ctx):
        for _ in range(50):
            word, public = rng.getrandbits(64), rng.randrange(2)
            ctx.set(dut.word, word)
            ctx.set(dut.public, public)
            await ctx.delay(1e-7)
            assert ctx.get(dut.header.as_value()) == (word >> 32 if public else 0)

    simulate(dut, process, clocked=False)


def test_sizes_that_do_not_fit():
    messages = parameters().messages
    with pytest.raises(ValueError, match="words have 32, 64, 128 bits, not 16"):
        LwcParameters(messages=messages, word_bits=16)
    with pytest.raises(ValueError, match="two key slots"):
        LwcParameters(messages=SimpleNamespace(form=Segments(), key_slots=3))
    with pytest.raises(ValueError, match="a block of 8 bytes is no whole number of words of 16 bytes"):
        LwcParameters(messages=SimpleNamespace(form=Segments(), key_slots=2, block_bytes=8), word_bits=128)
