# SPDX-License-Identifier: Apache-2.0
"""Laws of the normal forms, and normal forms evaluated against plain arithmetic."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modeloom.prove.execute import ProofError
from modeloom.prove.polynomials import Algebra
from modeloom.spec import GHASH_ORDER, POLYVAL_ORDER, CipherKey, Field, Numbers
from modeloom.spec.kinds import OPERATIONS

FIELDS = {field.name: field for field in (GHASH_ORDER, POLYVAL_ORDER)}
SMALL = Field("small", 8, 0x11B, factor=-8)
FIELDS["small"] = SMALL


class Permutation:
    """A permutation in the place of a cipher: rotation by a byte and a constant, which is its key."""

    def __init__(self, constant):
        self.constant = constant

    def encrypt(self, block):
        return bytes(b ^ self.constant for b in block[1:] + block[:1])

    def decrypt(self, block):
        plain = bytes(b ^ self.constant for b in block)
        return plain[-1:] + plain[:-1]


CIPHERS = [Permutation(0x5A), Permutation(0xC3)]


def expressions():
    """Trees of operations: ("atom", n), ("const", v), ("xor", a, b), ("scale", a, k), ("head", a, n), ..."""
    leaves = st.one_of(
        st.tuples(st.just("atom"), st.integers(0, 3)), st.tuples(st.just("const"), st.integers(0, (1 << 128) - 1))
    )

    def extend(inner):
        return st.one_of(
            st.tuples(st.just("xor"), inner, inner),
            st.tuples(st.just("mul"), inner, inner),
            st.tuples(st.just("scale"), inner, st.integers(-9, 9)),
            st.tuples(st.sampled_from(["head", "tail"]), inner, st.integers(1, 16)),
            st.tuples(st.sampled_from(["enc", "dec"]), inner, st.integers(0, len(CIPHERS) - 1)),
            st.tuples(st.just("power"), inner, st.integers(1, 4)),
        )

    return st.recursive(leaves, extend, max_leaves=6)


def cipher(algebra, name, value, rest=None, key=0):
    """A call of a cipher under a key of some number."""
    return algebra.permutation(OPERATIONS[name], [value], key, rest)


def normal(algebra, tree):
    """Normal form of a tree."""
    kind, *args = tree
    width = algebra.field.width
    if kind == "atom":
        return algebra.atom("block", args[0])
    if kind == "const":
        return algebra.const(args[0] & (1 << width) - 1)
    first = normal(algebra, args[0])
    if kind in ("xor", "mul"):
        second = normal(algebra, args[1])
        return first ^ second if kind == "xor" else algebra.mul(first, second)
    if kind == "scale":
        return algebra.scale(first, args[1])
    if kind in ("head", "tail"):
        size = min(args[1], width // 8)
        return algebra.head(first, size if kind == "head" else -size)
    if kind == "power":
        return algebra.power(first, args[1])
    return cipher(algebra, kind, first, key=args[1])


def number(o, tree, atoms):
    """Value of a tree."""
    kind, *args = tree
    width = o.field.width
    if kind == "atom":
        return atoms[args[0]]
    if kind == "const":
        return args[0] & (1 << width) - 1
    first = number(o, args[0], atoms)
    if kind in ("xor", "mul"):
        second = number(o, args[1], atoms)
        return first ^ second if kind == "xor" else o.mul(first, second)
    if kind == "scale":
        return o.double(first, args[1])
    if kind in ("head", "tail"):
        return getattr(o, kind)(first, min(args[1], width // 8))
    if kind == "power":
        return o.power(first, args[1])
    return getattr(o, kind)(first, CipherKey(args[1]))


@pytest.mark.parametrize("name", FIELDS)
@settings(max_examples=40, deadline=None)
@given(a=expressions(), b=expressions(), c=expressions(), k=st.integers(-200, 200), n=st.integers(1, 16))
def test_laws(name, a, b, c, k, n):
    algebra = Algebra(FIELDS[name])
    n = min(n, algebra.field.width // 8)
    a, b, c = (normal(algebra, tree) for tree in (a, b, c))
    mul, scale, head, enc, dec = algebra.mul, algebra.scale, algebra.head, "enc", "dec"
    assert a ^ b == b ^ a
    assert (a ^ b) ^ c == a ^ (b ^ c)
    assert a ^ a == algebra.zero
    assert mul(a, b) == mul(b, a)
    assert mul(mul(a, b), c) == mul(a, mul(b, c))
    assert mul(a, b ^ c) == mul(a, b) ^ mul(a, c)
    assert mul(a, algebra.const(FIELDS[name].one)) == a
    assert scale(a ^ b, k) == scale(a, k) ^ scale(b, k)
    assert scale(scale(a, k), -k) == a
    assert scale(mul(a, b), k) == mul(scale(a, k), b)
    assert head(a ^ b, n) == head(a, n) ^ head(b, n)
    assert cipher(algebra, dec, cipher(algebra, enc, a)) == a
    assert cipher(algebra, enc, cipher(algebra, dec, b)) == b
    assert cipher(algebra, dec, cipher(algebra, enc, a, key=1), key=1) == a
    assert head(a, n) ^ head(a, -n) == a
    assert head(a ^ b, -n) == head(a, -n) ^ head(b, -n)
    assert algebra.add([a, b, c]) == a ^ b ^ c
    assert algebra.power(a, 3) == mul(a, mul(a, a))
    assert hash(a ^ b) == hash(b ^ a) == hash(type(a)((a ^ b).terms)) and (hash(a) == hash(b)) == (a == b)


def evaluated(algebra, o, terms, atoms):
    """The block that a normal form stands for, straight from its definition."""
    field = algebra.field
    calls = list(algebra._results)

    def scaled_atom(number):
        name = algebra._names[number]
        if name[0] == "block":
            value = atoms[name[1]]
        elif name[0] == "head":
            value = o.head(evaluated(algebra, o, {name[1]: field.x_power(name[2])}.items(), atoms), name[3])
        else:
            core, (number,), form = calls[name[1]]
            value = getattr(o, core)(evaluated(algebra, o, form.terms.items(), atoms), CipherKey(number))
        return field.poly_mul(field.to_polynomial(value), field.x_power(field.factor))

    total = 0
    for monomial, coefficient in terms:
        product = coefficient
        for atom, exponent in algebra._monomials[monomial]:
            for _ in range(exponent):
                product = field.poly_mul(product, scaled_atom(atom))
        total ^= product
    return field.from_polynomial(field.poly_mul(total, field.x_power(-field.factor)))


@settings(max_examples=150, deadline=None)
@given(tree=expressions(), seeds=st.lists(st.integers(0, 255), min_size=4, max_size=4))
def test_a_form_has_the_value_of_its_expression(tree, seeds):
    """So two expressions with one form have one value, whatever the atoms are."""
    algebra = Algebra(SMALL)
    o = Numbers(SMALL, CIPHERS)
    assert evaluated(algebra, o, normal(algebra, tree).terms.items(), seeds) == number(o, tree, seeds)


@settings(max_examples=60, deadline=None)
@given(tree=expressions(), seeds=st.lists(st.integers(0, 255), min_size=4, max_size=4))
def test_a_constant_form_is_its_number(tree, seeds):
    """A tree without atoms and ciphers has the constant as its form that the arithmetic gives."""
    algebra = Algebra(SMALL)
    o = Numbers(SMALL, CIPHERS)

    def closed(node):
        if node[0] == "atom":
            return ("const", seeds[node[1]])
        if node[0] in ("enc", "dec"):
            return closed(node[1])
        return (node[0], *(closed(part) if isinstance(part, tuple) else part for part in node[1:]))

    tree = closed(tree)
    assert normal(algebra, tree) == algebra.const(number(o, tree, seeds))


def test_a_cipher_is_any_permutation_and_no_more():
    algebra = Algebra(GHASH_ORDER)
    p, q = algebra.atom("block", 0), algebra.atom("block", 1)
    assert cipher(algebra, "enc", p) == cipher(algebra, "enc", p)
    assert cipher(algebra, "enc", p) != cipher(algebra, "dec", p)
    assert cipher(algebra, "enc", p ^ q) != cipher(algebra, "enc", p) ^ cipher(algebra, "enc", q)
    assert cipher(algebra, "enc", algebra.zero) != algebra.zero
    assert cipher(algebra, "enc", p) != cipher(algebra, "enc", p, key=1)
    assert cipher(algebra, "dec", cipher(algebra, "enc", p, key=1)) != p


def test_the_atom_of_a_sum_gives_the_same_result():
    plain, named = Algebra(GHASH_ORDER), Algebra(GHASH_ORDER)
    forms = []
    for algebra, use in ((plain, False), (named, True)):
        p, q = algebra.atom("block", 0), algebra.atom("block", 1)
        e = cipher(algebra, "enc", p, algebra.scale(q, 3) if use else None)
        forms.append((len(e ^ algebra.scale(q, 3)), cipher(algebra, "dec", e) == p, cipher(algebra, "enc", p) == e))
    assert forms == [(2, True, True), (1, True, True)]


def test_masks():
    algebra = Algebra(GHASH_ORDER)
    p = algebra.atom("block", 0)
    assert algebra.head(algebra.head(p, 7), 9) == algebra.head(algebra.head(p, 9), 7) == algebra.head(p, 7)
    assert algebra.head(p, 16) == algebra.head(p, 0) == p
    assert algebra.head(algebra.scale(p, 1), 8) != algebra.scale(algebra.head(p, 8), 1)
    assert algebra.head(algebra.const(0x0102030405), 2) == algebra.const(0x0405)
    both = algebra.scale(p, 3) ^ algebra.scale(p, 5)
    assert algebra.head(both, 4) == algebra.head(algebra.scale(p, 3), 4) ^ algebra.head(algebra.scale(p, 5), 4)


def test_messages_name_atoms():
    algebra = Algebra(GHASH_ORDER)
    p, h = algebra.atom("block", 0), algebra.atom("raw", "h")
    assert algebra.text(algebra.mul(p, algebra.mul(h, h)) ^ algebra.const(1 << 7)) == "0x1 + block_0*raw_h^2"
    assert algebra.text(algebra.zero) == "0"
    with pytest.raises(ValueError, match="exponent"):
        algebra.power(p, 0)


def test_a_single_term_that_is_inverted_stays_and_a_sum_is_an_atom():
    algebra = Algebra(GHASH_ORDER)
    a, b = algebra.atom("a"), algebra.atom("b")
    square = algebra.mul(a, a)
    assert algebra.unit(square) == square
    assert algebra.inverse(square) == algebra.mul(algebra.inverse(a), algebra.inverse(a)) != algebra.inverse(a)
    unit = algebra.unit(a ^ b)
    assert len(unit) == 1 and unit not in (a, b) and unit == algebra.unit(b ^ a) != algebra.unit(a ^ b ^ square)


MIDDLE = Field("middle", 32, (1 << 32) | 0x8D, factor=-32)
"""Blocks of four bytes, so that a part of a block is a part."""


def moves():
    """Trees of parts of blocks and of moves by bytes and bits."""
    leaves = st.tuples(st.just("atom"), st.integers(0, 1))

    def extend(inner):
        return st.one_of(
            st.tuples(st.just("xor"), inner, inner),
            st.tuples(st.just("scale"), inner, st.sampled_from([-24, -16, -8, -3, 5, 8, 16, 24])),
            st.tuples(st.sampled_from(["head", "tail"]), inner, st.integers(1, 3)),
        )

    return st.recursive(leaves, extend, max_leaves=8)


@settings(max_examples=300, deadline=None)
@given(tree=moves(), seeds=st.lists(st.integers(0, 2**32 - 1), min_size=2, max_size=2))
def test_moved_parts_have_the_value_of_their_expression(tree, seeds):
    algebra = Algebra(MIDDLE)
    o = Numbers(MIDDLE, [])
    assert evaluated(algebra, o, normal(algebra, tree).terms.items(), seeds) == number(o, tree, seeds)


@settings(max_examples=200, deadline=None)
@given(a=moves(), b=moves(), n=st.integers(1, 3))
def test_heads_of_sums_are_sums_of_heads(a, b, n):
    algebra = Algebra(MIDDLE)
    a, b = normal(algebra, a), normal(algebra, b)
    assert algebra.head(a ^ b, n) == algebra.head(a, n) ^ algebra.head(b, n)


@pytest.mark.parametrize("field", [GHASH_ORDER, POLYVAL_ORDER, MIDDLE], ids=lambda field: field.name)
def test_bytes_that_are_moved_within_a_block_are_still_its_bytes(field):
    algebra, size = Algebra(field), field.width // 8
    x = algebra.atom("block", 0)
    for n in range(1, size):
        front, back = algebra.head(x, n), algebra.head(x, -n)
        moved = algebra.scale(back, -8 * n)
        assert algebra.head(moved, size - n) == moved
        assert algebra.scale(algebra.head(moved, 1), 8 * n) == algebra.head(x, n + 1) ^ front
        up = algebra.scale(front, 8 * (size - n))
        assert not algebra.head(up, size - n) and algebra.head(up, -(size - n)) == up
        assert algebra.scale(up ^ algebra.head(up ^ x, size - n) ^ algebra.head(x, size - n), -8 * (size - n)) == front


def test_what_is_inverted_is_the_sum_that_it_is():
    algebra = Algebra(GHASH_ORDER, relations=True)
    t, a = algebra.atom("raw", "t"), algebra.atom("block", 0)
    value = algebra.add([algebra.const(GHASH_ORDER.one), t, algebra.scale(algebra.power(t, 3), 5)])
    unit = algebra.unit(value)
    assert len(unit) == 1 and algebra.unit(unit) == unit
    one = algebra.const(GHASH_ORDER.one)
    assert algebra.mul(unit, algebra.inverse(unit)) == one
    # x^5 t^3 a, made in two ways.
    direct = algebra.mul(algebra.scale(algebra.power(t, 3), 5), a)
    assert direct == algebra.mul(unit, a) ^ algebra.mul(t, a) ^ a
    assert algebra.mul(algebra.inverse(unit), direct ^ a ^ algebra.mul(t, a)) == a
    assert algebra.mul(algebra.inverse(unit), direct) != a
    high = algebra.power(t, 9)
    assert all(dict(algebra.factors(m)).get(0, 0) < 3 for m in high.terms)
    assert algebra.mul(high, algebra.power(t, 4)) == algebra.power(t, 13)
    plain = Algebra(GHASH_ORDER)
    assert len(plain.power(plain.atom("raw", "t"), 9)) == 1


def test_forms_with_a_relation_have_the_value_of_their_expression():
    """In the field of 256 elements, for every value of what is inverted but 0: a product of sums, reduced by the rule, is that product."""
    field = Field("eight", 8, 0x11B)
    for t in range(1, 256):
        algebra = Algebra(field, relations=True)
        tau, a = algebra.atom("raw", "t"), algebra.atom("block", 0)
        value = algebra.add([algebra.const(1), tau, algebra.scale(algebra.power(tau, 3), 2)])
        unit, a_value = algebra.unit(value), (7 * t) & 255
        numbers = {"raw": t, "block": a_value, "unit": 1 ^ t ^ field.scale(field.power(t, 3), 2)}
        if not numbers["unit"]:
            continue

        def computed(form, algebra=algebra, numbers=numbers):
            total = 0
            for monomial, coefficient in form.terms.items():
                product = coefficient
                for atom, exponent in algebra.factors(monomial):
                    product = field.mul(product, field.power(numbers[algebra._names[atom][0]], exponent))
                total ^= product
            return total

        product = algebra.mul(algebra.power(tau, 7) ^ algebra.mul(unit, a), algebra.mul(tau, algebra.inverse(unit)) ^ a)
        left = field.power(t, 7) ^ field.mul(numbers["unit"], a_value)
        right = field.mul(t, field.power(numbers["unit"], 254)) ^ a_value
        assert computed(product) == field.mul(left, right)
        assert all(dict(algebra.factors(m)).get(0, 0) < 3 for m in product.terms)


def test_a_single_key_value_is_replaced_too():
    algebra = Algebra(GHASH_ORDER, relations=True)
    one = algebra.const(GHASH_ORDER.one)
    unit = algebra.unit(algebra.atom("raw", "t") ^ one)
    assert algebra.atom("raw", "t") == unit ^ one
    assert algebra.mul(algebra.atom("raw", "t"), algebra.inverse(unit)) == one ^ algebra.inverse(unit)
    # The result of a cipher stays what it is, as the cipher knows it.
    other = Algebra(GHASH_ORDER, relations=True)
    result = cipher(other, "enc", other.atom("block", 0))
    assert len(other.unit(result ^ one)) == 1 and cipher(other, "dec", result) == other.atom("block", 0)
    assert other.mul(result, other.const(GHASH_ORDER.one)) == result


def test_numbers_on_one_counter():
    algebra = Algebra(GHASH_ORDER)
    x = algebra.atom("block", 0)
    one = algebra.counter("add", 1, 32, x)
    assert one != x and algebra.counter("add", 2**32 - 1, 32, one) == x
    assert algebra.counter("add", 4, 32, one) == algebra.counter("add", 5, 32, x)
    assert algebra.counter("add64", 4, 64, one) not in (algebra.counter("add", 5, 32, x), algebra.counter("add64", 5, 64, x))
    assert algebra.counter("add", 1, 32, algebra.scale(one, 1)) != algebra.counter("add", 2, 32, x)
    assert algebra.counter("add", 1, 32, x ^ one) != algebra.counter("add", 2, 32, x)
    assert algebra.counter("add", 1, 32, algebra.zero) not in (algebra.zero, one)


def test_a_limit_of_products():
    algebra = Algebra(GHASH_ORDER, most_products=3)
    a, b = algebra.atom("block", 0), algebra.atom("block", 1)
    algebra.mul(a ^ b, a)
    with pytest.raises(ProofError, match="more than 3 products of terms"):
        algebra.mul(a ^ b, b)
