# SPDX-License-Identifier: Apache-2.0
"""Squares of key values as operations: how many there are, what is still a key word, and who reads which."""

from __future__ import annotations

import pytest

from modeloom.ir.expand import expand
from modeloom.ir.graph import Op, Term
from modeloom.ir.lower import key_words, lower_direction, lower_setup
from modeloom.ir.pair import renew_squares
from modeloom.ir.trace import trace
from modeloom.modes.heh import HEH
from modeloom.modes.hmch import HMCH
from modeloom.spec import CIPHER, Keys, Mode

LATENCY = {"enc": 22, "dec": 22, "mul": 5, "sqr": 2, "acc": 1, "out": 0}


def lowered(mode, nbytes, chains=1):
    """Operations of each direction, those of set-up, and the key words that it computes."""
    expanded = expand(trace(mode, nbytes, 16), chains, squares=True)
    order, names = key_words(expanded)
    sides = {d: lower_direction(expanded, d, names, 4, LATENCY.__getitem__) for d in expanded.outputs}
    return sides, lower_setup(expanded, order, names, 4, LATENCY.__getitem__), [names[i] for i in order]


def squares(ops):
    return [op for op in ops if op.kind == "sqr"]


@pytest.mark.parametrize("mode", [HEH(), HMCH()], ids=lambda mode: mode.name)
@pytest.mark.parametrize(("blocks", "number"), [(2, 0), (3, 0), (4, 1), (5, 2), (9, 3), (31, 4), (32, 4), (256, 7)])
def test_a_square_for_each_power_of_brw(mode, blocks, number):
    """BRW on m blocks reads h^2, h^4, ..., h^(2^floor(log2 m)) (brw2013, section 2), m = blocks - 1; no word is left to set-up."""
    sides, setup, words = lowered(mode, 16 * blocks)
    assert not words and not setup
    for ops in sides.values():
        assert len(squares(ops)) == number
        renewed = renew_squares(ops)
        assert len(squares(renewed)) == 2 * number, "each of the two hashes has its own"
        assert len(renewed) == len(ops) + number
        assert all(t.source[1] < i for i, op in enumerate(renewed) for _, t in op.terms() if t.source[0] == "op")


def test_squares_follow_each_other_from_the_key_word():
    ops = renew_squares(lowered(HEH(), 16 * 32)[0]["encrypt"])
    seen = {}
    for i, op in enumerate(ops):
        if op.kind == "sqr":
            [[term]] = op.pre
            seen[i] = 2 if term == Term(("key", "h")) else 2 * seen[term.source[1]]
    assert sorted(seen.values()) == [2, 2, 4, 4, 8, 8, 16, 16]


def test_products_of_powers_stay_key_words():
    class Powers(Mode):
        """h^12 = ((h^3)^2)^2 and h^5 = h^4 h; a sum with a square in it."""

        name, title, source, security = "powers", "powers", "for tests", "none"
        key_parts = (CIPHER, "h")

        def setup(self, o, key):
            return Keys(h=key.h, s=o.power(key.h, 2) ^ o.enc(o.const(1)))

        def encrypt(self, o, k, t, p):
            return [o.mul(x, o.power(k.h, 12)) ^ o.mul(t[0], o.power(k.h, 5)) ^ k.s for x in p]

        decrypt = encrypt

    sides, setup, words = lowered(Powers(), 32)
    assert [word for word in words if word.startswith("h")] == ["h^3", "h^5"] and "s" in words
    assert len(squares(sides["encrypt"])) == 2
    assert len(squares(setup)) == 2, "h^2 and h^4, each once"


def test_squares_of_data_are_products():
    class Squared(Mode):
        name, title, source, security = "squared", "squared", "for tests", "none"
        key_parts = (CIPHER, "h")

        def setup(self, o, key):
            return Keys(h=key.h)

        def encrypt(self, o, k, t, p):
            return [o.mul(x, x) ^ o.mul(x, o.mul(k.h, k.h)) for x in p]

        decrypt = encrypt

    ops = lowered(Squared(), 32)[0]["encrypt"]
    assert sum(op.kind == "mul" for op in ops) == 4 and len(squares(ops)) == 1


def test_a_square_with_another_reader_in_each_phase():
    h, block = Term(("key", "h")), Term(("block", 0))

    def op(*numbers):
        return tuple(Term(("op", n)) for n in numbers)

    ops = [
        Op("sqr", [(h,)]), Op("sqr", [op(0)]), Op("mul", [(block,), op(1)]), Op("enc", [op(2)]),
        Op("mul", [op(3), op(1)], op(0)), Op("out", [op(4)], index=0, block=0),
    ]  # fmt: skip
    renewed = renew_squares(ops)
    assert [op.kind for op in renewed] == ["sqr", "sqr", "mul", "enc", "sqr", "sqr", "mul", "out"]
    assert renewed[6].pre == [op(3), op(5)] and renewed[6].post == op(4) and renewed[5].pre == [op(4)]
