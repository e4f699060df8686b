# SPDX-License-Identifier: Apache-2.0
"""Words whose numbers are known when a message comes: on numbers, on normal forms, on words of symbols, and what definitions may not do."""

import random

import pytest
from tests.streams.modes import Ladder

from modeloom.equivalence import lanes
from modeloom.modes.ocb3 import OCB3
from modeloom.prove.polynomials import Algebra
from modeloom.spec import CMAC_ORDER, DefinitionError, Keys
from modeloom.spec.numbers import Piece, StreamNumbers, shifted, trailing_zeros
from modeloom.spec.stream import Nonce, State, StreamMode
from modeloom.streams.forms import Unknown
from modeloom.streams.plan import plan_stream
from modeloom.streams.trace import trace_stream

LATENCIES = {"cipher": 11, "mul": 5}
NUMBERS = StreamNumbers(CMAC_ORDER, [])


def string(block):
    """The bits of a block as text, the first one first."""
    return "".join(f"{byte:08b}" for byte in block.to_bytes(16, "little"))


def test_strings():
    rng = random.Random(7)
    for _ in range(200):
        a, b, n = rng.getrandbits(128), rng.getrandbits(128), rng.randrange(129)
        assert string(NUMBERS.window(a, b, n)) == (string(a) + string(b))[n : n + 128]
        assert string(NUMBERS.prefix(a, n)) == string(a)[:n].ljust(128, "0")
        assert NUMBERS.last_bits(a, 6) == int(string(a)[-6:], 2)
        assert string(NUMBERS.shift(a, n)) == string(a)[n:].ljust(128, "0")
        assert string(NUMBERS.shift(a, -n)) == string(a)[: 128 - n].rjust(128, "0")


def test_nonces_at_the_end_of_a_block():
    for nbytes in range(1, 16):
        data = bytes(range(1, nbytes + 1))
        padded = NUMBERS.pad01(Nonce(Piece(data), nbytes))
        assert padded.to_bytes(16, "little") == (b"\x01" + data).rjust(16, b"\0")
    whole = bytes(range(16))
    assert NUMBERS.pad01(Nonce(Piece(whole), 16)).to_bytes(16, "little") == whole


def test_numbers_of_blocks():
    assert [NUMBERS.ntz(NUMBERS.index(Piece(b"", number))) for number in range(1, 9)] == [0, 1, 0, 2, 0, 1, 0, 3]
    assert trailing_zeros(3 << 31) == 31


def test_the_order_of_bytes_of_cmac():
    """SP 800-38B: a block is doubled as a string that moves to the front; what leaves returns as 0x87 at the end."""
    rng = random.Random(8)
    for _ in range(100):
        a = rng.getrandbits(128)
        number = int(string(a), 2) << 1
        doubled = number ^ (1 << 128 | 0x87 if number >> 128 else 0)
        assert string(NUMBERS.double(a)) == f"{doubled:0128b}"
        assert CMAC_ORDER.from_polynomial(CMAC_ORDER.to_polynomial(a)) == a
        assert all((a >> CMAC_ORDER.bit(i) & 1) == (int(string(a), 2) >> i & 1) for i in range(128))


def test_words_of_symbols_move_as_numbers_do():
    rng = random.Random(9)
    for _ in range(30):
        a, n = rng.getrandbits(128), rng.randrange(-128, 129)
        assert lanes.number(lanes.moved(lanes.constant(a, 128), 128, n)) == shifted(a, n, 16)


def test_maps_of_normal_forms_are_linear():
    """Moves by an unknown number, too: but those by different numbers are not equal."""
    algebra = Algebra(CMAC_ORDER)
    a, b = algebra.atom("a"), algebra.atom("b")
    for name in (("shift", 5), ("shift", Unknown(a, 6)), ("scale", Unknown(b, 3))):
        both = algebra.linear(algebra.scale(a, 3) ^ b, *name)
        assert both == algebra.linear(algebra.scale(a, 3), *name) ^ algebra.linear(b, *name)
        assert both ^ algebra.linear(b, *name) != algebra.linear(a, *name)
    assert algebra.linear(a, "shift", Unknown(a, 6)) != algebra.linear(a, "shift", Unknown(b, 6))
    assert algebra.linear(a, "shift", Unknown(a, 6)) != algebra.linear(a, "shift", Unknown(a, 6) + -128)


def test_first_bytes_in_the_order_of_cmac():
    """A multiple of x^8 moves bytes to the front there, so no two heads of different multiples are equal."""
    algebra = Algebra(CMAC_ORDER)
    a = algebra.atom("a")
    assert algebra.head(algebra.head(a, 5), 3) == algebra.head(a, 3)
    assert algebra.head(algebra.scale(a, 8), 3) != algebra.scale(algebra.head(a, 2), 8)
    assert algebra.head(algebra.const(0x030201), 2) == algebra.const(0x0201)


class Plain(StreamMode):
    """A definition with nothing in it that is wrong."""

    name = "plain"
    title = source = security = "for tests"
    field = CMAC_ORDER

    def setup(self, o, key):
        return Keys(h=o.enc(o.const(0)))

    def start(self, o, k, nonce):
        return State(offset=o.enc(o.pad01(nonce)))

    def associated(self, o, k, s, a):
        return s.replace(offset=s.offset ^ o.double(k.h, o.ntz(o.index(a))))

    def encrypt(self, o, k, s, p):
        return s, o.cut(p ^ o.enc(s.offset), p)

    decrypt = encrypt

    def tag(self, o, k, s, n):
        return s.offset


WRONG = {
    "a number of another block": ("associated", lambda s, o, k, t, a: t.replace(offset=o.double(k.h, o.ntz(o.index(t.offset)))),
                                  r"o\.index\(block\) takes the block of the step"),
    "a whole number": ("associated", lambda s, o, k, t, a: t.replace(offset=o.double(t.offset, o.index(a))), "not the whole number"),
    "zeros of a constant": ("associated", lambda s, o, k, t, a: t.replace(offset=o.double(t.offset, o.ntz(4))), "the number of a block"),
    "bits of the text": ("encrypt", lambda s, o, k, t, p: (t, o.shift(p, o.last_bits(p, 3))), "not made of the nonce"),
    "bits of a secret": ("start", lambda s, o, k, n: State(offset=o.shift(o.enc(n.block), o.last_bits(o.enc(n.block), 3))), "not made of"),
    "a nonce in two forms": ("start", lambda s, o, k, n: State(offset=o.enc(o.pad01(n) ^ n.block)), "nonce and nonce at once|in one form"),
    "a product": ("tag", lambda s, o, k, t, n: o.mul(t.offset, k.h), r"o\.mul\(\) has no multiplier for the order of bytes"),
    "a block as a nonce": ("start", lambda s, o, k, n: State(offset=o.enc(o.pad01(n.block))), r"o\.pad01\(\) takes the nonce of start"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_wrong_definitions(what):
    step, function, message = WRONG[what]
    plan_stream(Plain(), 16, LATENCIES)
    with pytest.raises(DefinitionError, match=message) as error:
        plan_stream(type("Wrong", (Plain,), {step: function})(), 16, LATENCIES)
    assert "\n" not in str(error.value)


def test_what_is_planned():
    plan = plan_stream(OCB3(), 16, LATENCIES)
    assert plan.runs_ahead and plan.follows and plan.started == ("offset",) and plan.behind == 12
    assert plan.times_bits == 5 and plan.nonce_form == "01" and plan.nonce_end == 1 and plan.known_lengths == ("tag",)
    assert plan.placed.stages["cipher"] == plan.placed.homes["offset"] == 2 and plan.placed.ahead == {"start": 13}
    # A block is moved by five levels once, for state, cipher and text together.
    assert [term.source.kind for term in plan.step("encrypt").operations[0].operands[0]] == ["left", "text"]
    assert trace_stream(OCB3(), 16).state == ("offset", "checksum", "hash_offset", "sum")
    ladder = plan_stream(Ladder(), 32, LATENCIES)
    assert ladder.tag_lengths and ladder.started == ("offset", "mask", "own") and not plan.tag_lengths
