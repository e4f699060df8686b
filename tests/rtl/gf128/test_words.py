# SPDX-License-Identifier: Apache-2.0
import random

import pytest
from amaranth.hdl import Module, Signal
from amaranth.sim import Simulator

from modeloom.rtl.gf128.multiplier import lower, place_cuts
from modeloom.rtl.gf128.words import Word, bit_depth, evaluate, gate_counts, join, spread, variables_of, xor_all, zero


def test_views_and_gates_on_integers():
    a, b = Word.input(12), Word.input(12)
    values = {a: 0xB37, b: 0x5A9}
    cases = [
        (a ^ b, 0xB37 ^ 0x5A9),
        (a & b, 0xB37 & 0x5A9),
        (a & 0x0F0, 0x030),
        (a << 4, 0x370),
        (a >> 4, 0x0B3),
        (a << 12, 0),
        (a.part(4, 4), 3),
        (a.part(8, 8), 0xB),
        (a.part(20, 4), 0),
        (a.extend(16), 0xB37),
        (join([a, b]), 0x5A9B37),
        ((a & 0x00F) | (b & 0xF00), 0x507),
        (a.parity(0x137), (0xB37 & 0x137).bit_count() % 2),
        (a.parity(0), 0),
        (spread(a.part(1, 1), 12, 0xABC), 0xABC),
        (spread(a.part(3, 1), 12, 0xABC), 0),
        (a.anchored() ^ zero(12), 0xB37),
    ]
    for word, expected in cases:
        assert evaluate(word, values) == expected, word.kind


def test_support_says_which_bits_can_be_set():
    a = Word.input(8)
    assert (a & 0x3C).support == 0x3C
    assert ((a & 0x3C) << 3).support == 0xE0
    assert (a & 0x3C & 0x3C).kind == "mask" and (a & 0xFF) is a
    assert ((a & 0xF0) & (a & 0x0F)).kind == "zero"
    assert gate_counts((a & 0x3C) ^ (a << 2 & 0x0F)) == (0, 2)


def test_merge_of_overlapping_words_is_refused():
    a = Word.input(8)
    with pytest.raises(ValueError, match="common bit"):
        (a & 0x1F) | (a & 0xF0)


def test_words_of_different_widths_are_refused():
    with pytest.raises(ValueError, match="8 and 9 bits"):
        Word.input(8) ^ Word.input(9)


def test_xor_all_has_least_depth():
    words = [Word.input(4) for _ in range(8)]
    assert xor_all(words).depth == 3
    late = xor_all(words[:4])
    assert xor_all([late, *words[4:]]).depth == 3


def test_variables_tell_linear_from_bilinear():
    a, b = Word.input(8), Word.input(8)
    linear = (a << 2) ^ ((a & 0x0F) | (a & 0xF0))
    assert variables_of(linear) == {(a,)}
    assert variables_of(linear & (b >> 1)) == {(a, b)}
    assert variables_of((linear & b) ^ a) == {(a, b), (a,)}
    assert variables_of(a & (a << 1)) == {(a, a)}


def example() -> tuple[Word, Word, Word]:
    a, b = Word.input(40), Word.input(40)
    total = a & b
    for distance in (1, 5, 33, 7):
        total = (total << distance & 0xFF_FFFF_FFF0) ^ (total >> 3).anchored() ^ spread(a.part(39, 1), 40, 0x8421084210)
    tail = join([total.part(8, 32), total.part(0, 8)])
    return a, b, tail ^ (b << 1)


@pytest.mark.parametrize("at_output", [False, True])
@pytest.mark.parametrize("stages", range(5))
def test_cuts_are_balanced(stages, at_output):
    output = example()[2]
    if at_output and not stages:
        assert place_cuts(output, 0, at_output=True) == ()
        return
    cuts = place_cuts(output, stages, at_output=at_output, gate_bits=10**9)
    assert len(cuts) == stages and list(cuts) == sorted(cuts)
    total = output.depth if at_output else output.depth + 1
    edges = [0, *cuts] + ([] if at_output else [total])
    stretches = stages if at_output else stages + 1
    assert not at_output or cuts[-1] == output.depth
    assert max(y - x for x, y in zip(edges, edges[1:], strict=False)) == -(-total // stretches)


def test_cuts_avoid_expensive_places():
    a, b = Word.input(16), Word.input(16)
    factors = a ^ b, a ^ (b << 3)
    output = xor_all((factors[0] << i) & (factors[1] >> j) for i in range(4) for j in range(4))
    assert place_cuts(output, 2, at_output=True, gate_bits=10**9) == (3, 6)
    assert place_cuts(output, 2, at_output=True, gate_bits=1) == (5, 6)
    assert place_cuts(output, 1, at_output=False, gate_bits=10**9) == (4,)
    assert place_cuts(output, 1, at_output=False, gate_bits=1) == (5,)


def wide_in_the_middle(bits: int) -> Word:
    """Four levels: 4 bits behind the first one, some more behind the next two, and an output of 2 bits."""
    total = Word.input(4) ^ Word.input(4)
    turned = join([total.part(1, 3), total.part(0, 1)])
    wide = join([total] * 8).part(0, bits) & join([turned] * 8).part(0, bits)
    wide ^= wide << 1
    return wide.part(0, 2) ^ wide.part(bits - 2, 2)


@pytest.mark.parametrize(("saved", "cut"), [(11, 2), (15, 2), (16, 2), (17, 1), (20, 1)])
def test_a_gate_is_worth_eight_widths_of_the_output(saved, cut):
    """The register in the middle is as wide as the network there; one level earlier it leaves four gates behind it, not three."""
    assert place_cuts(wide_in_the_middle(4 + saved), 1, at_output=False) == (cut,)


def test_a_constant_is_no_wider_than_its_word():
    assert spread(Word.input(1), 8, 255).width == 8
    with pytest.raises(ValueError, match="256 has more than 8 bits"):
        spread(Word.input(1), 8, 256)


@pytest.mark.parametrize("stages", [0, 1, 3, 12])
def test_lowered_graph_computes_and_delays(stages):
    a, b, output = example()
    m = Module()
    left, right, result = Signal(40), Signal(40), Signal(40)
    cuts = place_cuts(output, stages, at_output=False)
    m.d.comb += result.eq(lower(output, {a: left, b: right}, module=m, cuts=cuts))
    m.d.sync += Signal().eq(0)
    source = random.Random(stages)
    inputs = [(source.getrandbits(40), source.getrandbits(40)) for _ in range(30)]
    seen = []

    async def bench(context):
        for x, y in inputs:
            context.set(left, x)
            context.set(right, y)
            await context.delay(1e-9)
            seen.append(context.get(result))
            await context.tick()

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    expected = [evaluate(output, {a: x, b: y}) for x, y in inputs]
    assert seen[stages:] == expected[: len(inputs) - stages]


def test_registers_need_a_module():
    a = Word.input(8)
    with pytest.raises(ValueError, match="need a module"):
        lower(a ^ (a << 1), {a: Signal(8)}, cuts=(0,))


def test_depth_bit_by_bit():
    """Views move depths with their bits; a position where one operand of an XOR is 0 is a wire."""
    a, b = Word.input(4), Word.input(4)
    product = a & b  # depth 1
    assert bit_depth(product ^ (a & 0b0001)) == 2 and bit_depth((a << 2) ^ (b & 0b0011)) == 0
    assert ((a << 2) ^ (b & 0b0011)).depth == 1
    upper = (a & 0b1100) ^ product  # bits 2 and 3 have depth 2
    assert bit_depth(upper.part(0, 2)) == 1 and bit_depth(upper.part(1, 2)) == 2
    assert bit_depth(upper << 2) == 1 and bit_depth(upper >> 2) == 2
    assert bit_depth(join([upper.part(0, 2), b]) ^ join([b, upper.part(0, 2)])) == 2
    assert bit_depth(spread(upper.part(3, 1), 4, 0b0110) & a) == 3
    assert bit_depth(upper.parity(0b0111)) == 3 and bit_depth(upper.parity(0b0001)) == 1
    assert bit_depth((upper & 0b0011) | (a & 0b0100)) == 1 and bit_depth(upper.anchored()) == 2
    assert bit_depth(zero(3)) == 0


@pytest.mark.parametrize(("bits", "depth"), [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4), (16, 4)])
def test_parities_are_trees(bits, depth):
    word = Word.input(16)
    assert word.parity((1 << bits) - 1).depth == depth
    assert (word & 0xFFFF ^ word.parity(1).extend(16)).depth == 1 and word.depth == 0


def test_bits_beyond_the_end_of_a_part_are_a_word_of_their_own():
    """A slice is as wide as it says, so that what is joined above it comes to lie where it should."""
    word = Word.input(8)
    low, high = word.part(5, 8).arguments
    assert (low.kind, low.parameter, low.width) == ("slice", 5, 3)
    assert high.width == 5 and not high.support
    assert evaluate(join([word.part(5, 8), word]), {word: 0xB7}) == 0xB7 >> 5 | 0xB7 << 8
    assert word.part(0, 8) is word and not word.part(9, 4).support
