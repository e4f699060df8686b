# SPDX-License-Identifier: Apache-2.0
"""The squarer is proved in two steps: its graph is linear in the block (structure), and every bit of a block alone gives the right
square.  Then the hardware: every bit once more, and the timing of a squaring unit.
"""

import random

import pytest
from amaranth.back import rtlil
from tests.rtl.gf128.bench import FIELDS, STANDARD, name_of

from modeloom.rtl.engine.unit import EngineUnit, UnitCore
from modeloom.rtl.gf128.reduction import Squarer, square_word
from modeloom.rtl.gf128.words import Word, evaluate, gate_counts, variables_of
from modeloom.sim import Simulation
from modeloom.spec.field import GHASH_ORDER
from modeloom.spec.kinds import SQR
from modeloom.synth import synthesize
from modeloom_golden.field import ghash_mul


def golden_square(block):
    octets = block.to_bytes(16, "little")
    return int.from_bytes(ghash_mul(octets, octets), "little")


@pytest.mark.parametrize("field", FIELDS, ids=name_of)
def test_structure_is_linear_and_all_bits_are_squared(field):
    block = Word.input(field.width)
    square = square_word(field, block)
    assert variables_of(square) == {(block,)}
    source = random.Random(field.name)
    for value in [*(1 << i for i in range(field.width)), *(source.getrandbits(field.width) for _ in range(20)), field.one]:
        assert evaluate(square, {block: value}) == field.mul(value, value)


@pytest.mark.parametrize("field", STANDARD, ids=name_of)
def test_gates(field):
    square = square_word(field, Word.input(128))
    ands, xors = gate_counts(square)
    assert not ands and xors < 210 and square.depth <= 5
    rows = [sum(field.mul(1 << i, 1 << i) >> bit & 1 for i in range(128)) for bit in range(128)]
    assert max(rows) == 5, "as the docstring says"


def test_a_level_of_luts():
    """docs/model.md has these figures."""
    result = synthesize(rtlil.convert(Squarer(GHASH_ORDER), name="squarer"), "squarer", "ecp5", command="pytest").to_dict()
    assert (result["luts"], result["levels"]) == (129, 1)


def test_a_squaring_unit():
    """One square a cycle of two, with terms added behind it; ``clear`` empties it."""
    unit = EngineUnit(128, SQR.unit, {"sqr": UnitCore(Squarer(GHASH_ORDER), (SQR.operation,))}, True, True, 0, (), 1, 4, 128)
    simulation = Simulation.of(rtlil.convert(unit, name="unit"), "unit")
    source = random.Random(3)
    blocks = [*(1 << i for i in range(128)), *(source.getrandbits(128) for _ in range(50))]
    posts = [source.getrandbits(128) for _ in blocks]
    found = []
    for t in range(len(blocks) + 2):
        # The operand passes a register; the terms are added in the cycle behind it.
        simulation.set("a", blocks[t] if t < len(blocks) else 0)
        simulation.set("post", posts[t - 1] if 1 <= t <= len(blocks) else 0)
        found.append(simulation.get("y"))
        simulation.step()
    assert found[2:] == [golden_square(block) ^ post for block, post in zip(blocks, posts)]
    simulation.set("a", 5)
    for _ in range(3):
        simulation.step()
    assert simulation.get("y") == golden_square(5)
    simulation.set("clear", 1)
    simulation.step()
    assert simulation.get("y") == 0


def test_parameters_are_checked():
    with pytest.raises(TypeError, match="field must be a Field"):
        Squarer(128)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="has 128 bits, not 64"):
        square_word(GHASH_ORDER, Word.input(64))
