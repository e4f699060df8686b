# SPDX-License-Identifier: Apache-2.0
"""Expansion: the same values in products, and how many of these there are."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from tests.ir.trace_values import Values

from modeloom.definition.software import Model
from modeloom.ir.expand import expand
from modeloom.ir.graph import Trace
from modeloom.ir.lower import key_words
from modeloom.ir.trace import trace
from modeloom.modes import all_modes, find
from modeloom.spec import GHASH_ORDER, Field, Keys, Mode


def reached(made: Trace, roots: list[int]) -> list[int]:
    """Nodes that some nodes need."""
    found: set[int] = set()
    stack = list(roots)
    while stack:
        i = stack.pop()
        if i not in found:
            found.add(i)
            stack.extend(made.nodes[i].inputs)
    return sorted(found)


def kinds(made: Trace, direction: str, key_only: bool = False) -> Counter[str]:
    """Operations of a direction, those on key values alone or the others."""
    nodes = (made.nodes[i] for i in reached(made, made.outputs[direction]))
    return Counter(node.kind for node in nodes if node.key_only == key_only)


@pytest.mark.parametrize("name", sorted(all_modes()))
@pytest.mark.parametrize(("chains", "squares"), [(1, False), (3, False), (2, True)])
def test_the_values_stay(name: str, chains: int, squares: bool) -> None:
    mode, rng = find(name), random.Random(name)
    nbytes = 75 if mode.partial else 80
    expanded = expand(trace(mode, nbytes, 16), chains, squares)
    assert not {node.kind for node in expanded.nodes} & {"poly", "power", "inverse"}
    key = rng.randbytes(mode.key_bytes(16))
    values, model = Values(mode, expanded, key), Model(mode, key)
    tweak, data = rng.randbytes(16), rng.randbytes(nbytes)
    for direction in ("encrypt", "decrypt"):
        assert values.run(direction, tweak, data) == getattr(model, direction)(tweak, data)


class Polynomial(Mode):
    """A polynomial of the sector's blocks in the key value h or in a block, with another last factor."""

    name = "polynomial"
    title = source = security = "a test"
    key_parts = ("cipher", "h", "g")
    field = GHASH_ORDER
    fixed = True

    def setup(self, o, key):
        return Keys(h=key.h, g=key.g)

    def encrypt(self, o, k, t, p):
        h, last = (k.h, k.g) if self.fixed else (t[0], k.g)
        return [o.poly(h, p, last), *p[1:]]

    decrypt = encrypt


class OfTheSector(Polynomial):
    """The same in a block of the sector."""

    fixed = False


@pytest.mark.parametrize("mode", [Polynomial(), OfTheSector()])
@pytest.mark.parametrize("m", [1, 2, 3, 9, 16])
@pytest.mark.parametrize("chains", [1, 2, 5])
def test_a_polynomial_with_a_last_factor(mode: Mode, m: int, chains: int) -> None:
    expanded = expand(trace(mode, 16 * m, 16), chains)
    assert kinds(expanded, "encrypt")["mul"] == m
    rng = random.Random(m)
    values, model = Values(mode, expanded, bytes(range(48))), Model(mode, bytes(range(48)))
    tweak, data = rng.randbytes(16), rng.randbytes(16 * m)
    assert values.run("encrypt", tweak, data) == model.encrypt(tweak, data)


def test_blocks_of_the_key_are_one_key_value() -> None:
    """XCB's lengths, HCTR2's, TET's: a term that depends on the key alone costs no product in a sector."""
    counts = {"hctr2": 2 * 3 + 1, "hctr": 2 * 3 + 1, "xcb": 2 * 4}
    for name, products in counts.items():
        # h^2 T is shared by both hashes of HCTR and HCTR2; XCB has two hash keys.
        assert kinds(expand(trace(find(name), 64, 16), 1), "encrypt")["mul"] == products, name


class Inverse(Mode):
    """1 / E(h)."""

    name = "inverse"
    title = source = security = "a test"
    key_parts = ("cipher", "h")

    def setup(self, o, key):
        return Keys(i=o.inverse(o.enc(key.h), "E(h)"), E=o.enc(key.h))

    def encrypt(self, o, k, t, p):
        return [o.mul(k.i, x) for x in p]

    decrypt = encrypt


@pytest.mark.parametrize(("width", "poly", "products"), [(128, (1 << 128) | 0x87, 12), (64, (1 << 64) | 0x1B, 10), (8, 0x11B, 4)])
def test_an_inverse_takes_few_products(width: int, poly: int, products: int) -> None:
    """n - 1 squarings; and a product for each bit of n - 1 but the first, two for those that are 1 (Itoh, Tsujii 1988)."""

    class Narrow(Inverse):
        field = Field("narrow", width, poly)
        block_bytes = width // 8

    expanded = expand(trace(Narrow(), width // 8, width // 8), 1, True)
    counts = kinds(expanded, "encrypt", key_only=True)
    assert (counts["sqr"], counts["mul"]) == (width - 1, products)
    plain = expand(trace(Narrow(), width // 8, width // 8), 1)
    assert kinds(plain, "encrypt", key_only=True)["mul"] == width - 1 + products


def test_what_only_an_inversion_reads_gets_no_key_word() -> None:
    expanded = expand(trace(Inverse(), 16, 16), 1)
    order, names = key_words(expanded)
    assert [names[i] for i in order] == ["E", "i"] and set(names.values()) == {"h", "E", "i"}
    assert len(expanded.scratch) == 138 and not expanded.scratch & set(order)
    made = expand(trace(find("tet"), 512, 16), 4)
    order, names = key_words(made)
    assert len(made.scratch) == 138 and not made.scratch & set(order)
    assert {"tau", "sigma", "last", "X"} <= set(names.values())


def test_what_must_not_be_zero_and_cipher_keys_stay() -> None:
    made = trace(find("tet"), 64, 16)
    expanded = expand(made, 1)
    assert list(expanded.nonzero.values()) == list(made.nonzero.values())
    assert [expanded.key_names[i] for i in expanded.nonzero] == ["sigma"]
    made = trace(find("xcb-1619"), 64, 16, key_bytes=32)
    expanded = expand(made, 1)
    assert expanded.cipher_keys == made.cipher_keys
    assert [[expanded.nodes[i].kind for i in blocks] for blocks in expanded.derived] == [["enc", "enc"]] * 3
    words = key_words(expanded)[1]
    assert all(i in words for blocks in expanded.derived for i in blocks)
