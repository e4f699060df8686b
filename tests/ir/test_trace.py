# SPDX-License-Identifier: Apache-2.0
"""Traces: what they compute, cipher keys of the host and of set-up, words that are refused."""

from __future__ import annotations

import random

import pytest
from tests.ir.trace_values import Values

from modeloom.definition.software import Model
from modeloom.ir.graph import Trace
from modeloom.ir.trace import trace
from modeloom.modes import all_modes, find
from modeloom.spec import CipherKey, DefinitionError, Keys, Mode


def sector(name: str) -> int:
    """A small sector, partial where the mode has that."""
    return 75 if find(name).partial else 80


@pytest.mark.parametrize("name", sorted(all_modes()))
def test_a_trace_computes_its_mode(name: str) -> None:
    mode, rng = find(name), random.Random(name)
    key_bytes = 16 if name == "xcb" else 32
    made = trace(mode, sector(name), mode.tweak_sizes[-1], key_bytes=key_bytes)
    key = rng.randbytes(mode.key_bytes(key_bytes))
    values, model = Values(mode, made, key), Model(mode, key)
    tweak, data = rng.randbytes(mode.tweak_sizes[-1]), rng.randbytes(sector(name))
    for direction in ("encrypt", "decrypt"):
        assert values.run(direction, tweak, data) == getattr(model, direction)(tweak, data)


@pytest.mark.parametrize("name", sorted(all_modes()))
def test_nodes_come_after_what_they_read_and_only_once(name: str) -> None:
    made = trace(find(name), 512, 16)
    assert all(i < node.id for node in made.nodes for i in node.inputs)
    assert len({(node.kind, node.args) for node in made.nodes}) == len(made.nodes)
    assert [node.id for node in made.nodes] == list(range(len(made.nodes)))


@pytest.mark.parametrize(
    ("name", "keys", "derived"),
    [
        ("hctr", ["cipher"], 0),
        ("xts", ["K1", "K2"], 0),
        ("cmc", ["K", "K2"], 0),
        ("tet", ["K1", "K2"], 0),
        ("xcb", ["cipher", "Ke", "Kc", "Kd"], 3),
        ("xcb-1619", ["cipher", "Ke", "Kd", "Kc"], 3),
    ],
)
def test_cipher_keys_by_number(name: str, keys: list[str], derived: int) -> None:
    made = trace(find(name), 64, 16)
    assert made.cipher_keys == keys and len(made.derived) == derived
    assert made.raw_names == tuple(part for part in find(name).key_parts if part not in find(name).cipher_keys)
    used = {node.args[1] for node in made.nodes if node.kind in ("enc", "dec")}
    assert used == set(range(len(keys)))


@pytest.mark.parametrize(("key_bytes", "blocks"), [(16, 1), (24, 2), (32, 2)])
def test_a_derived_key_takes_as_many_blocks_as_it_needs(key_bytes: int, blocks: int) -> None:
    made = trace(find("xcb-1619"), 64, 16, key_bytes=key_bytes)
    assert [len(nodes) for nodes in made.derived] == [blocks] * 3
    assert all(made.nodes[i].kind == "enc" and made.nodes[i].key_only for nodes in made.derived for i in nodes)


def test_what_must_not_be_zero() -> None:
    made = trace(find("tet"), 64, 16)
    (node,) = made.nonzero
    assert made.key_names[node] == "sigma" and made.nonzero[node] == "sigma = 1 + tau + ... + tau^4"
    assert not trace(find("xcb"), 64, 16).nonzero


def test_equal_operations_under_different_keys_are_different_nodes() -> None:
    class Twice(_Mode):
        def encrypt(self, o, k, t, p):
            return [o.enc(p[0], k.A) ^ o.enc(p[0], k.B) ^ o.enc(p[0]) ^ o.add32(p[0], 1) ^ o.add32(p[0], 2**32 + 1) ^ o.add32(p[0], 0)]

        decrypt = encrypt

    made = trace(Twice(), 16, 16)
    assert [node.args[1] for node in made.nodes if node.kind == "enc"] == [0, 1]
    assert [node.args[1] for node in made.nodes if node.kind == "add"] == [1]


class _Mode(Mode):
    name = "wrong"
    title = source = security = "a test"
    key_parts = ("A", "h", "B")
    cipher_keys = ("A", "B")

    def setup(self, o, key):
        return Keys(h=key.h, A=key.A, B=key.B)

    def encrypt(self, o, k, t, p):
        return [o.enc(x) for x in p]

    def decrypt(self, o, k, t, c):
        return [o.dec(x) for x in c]


def in_sector(use):
    """A mode whose encryption uses a word wrongly."""
    return type("InSector", (_Mode,), {"encrypt": lambda self, o, k, t, p: [use(o, k, p[0])]})


def in_setup(use):
    """A mode whose set-up does."""
    return type("InSetup", (_Mode,), {"setup": lambda self, o, key: Keys(h=use(o, key, key.h))})


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        (in_sector(lambda o, k, x: o.enc(x, k.h)), "is not a cipher key; name it in cipher_keys, or make one"),
        (in_sector(lambda o, k, x: o.enc(x, 1)), "1 is not a cipher key"),
        (in_sector(lambda o, k, x: o.enc(k.A)), "which is not a block"),
        (in_sector(lambda o, k, x: o.mul(x, k.B)), "which is not a block"),
        (in_sector(lambda o, k, x: o.enc(x, o.cipher_key(k.h))), r"o.cipher_key\(\) is for setup\(\) only, and takes 1 or more blocks"),
        (in_sector(lambda o, k, x: o.inverse(x, "x")), r"o.inverse\(\) takes key values that the set-up computes"),
        (in_sector(lambda o, k, x: o.inverse(k.h, "h")), r"o.inverse\(\) takes key values .* not a part of the key itself"),
        (in_setup(lambda o, key, h: o.inverse(o.const(3), "3")), r"o.inverse\(\) takes key values that the set-up computes"),
        (in_setup(lambda o, key, h: o.cipher_key(h)), r"o.cipher_key\(\) takes key values that the set-up computes"),
        (in_sector(lambda o, k, x: o.power(x, 2)), r"o.power\(\) takes a key value"),
        (in_sector(lambda o, k, x: o.power(k.h, 0)), "takes exponents of at least 1, not 0"),
        (in_sector(lambda o, k, x: o.poly(k.h, [])), r"o.poly\(\) takes at least one block"),
        (in_sector(lambda o, k, x: o.head(x, 17)), r"o.head\(\) takes 0 to 16 bytes, not 17"),
        (in_sector(lambda o, k, x: o.tail(x, -1)), r"o.tail\(\) takes 0 to 16 bytes, not -1"),
        (in_sector(lambda o, k, x: x ^ o.const(1 << 128)), "does not fit into a block"),
        (in_setup(lambda o, key, h: o.cipher_key()), r"o.cipher_key\(\) is for setup\(\) only, and takes 1 or more blocks"),
        (in_setup(lambda o, key, h: o.enc(h, o.cipher_key(o.enc(h)))), "set-up uses a cipher key that it makes itself; only encrypt"),
        (in_setup(lambda o, key, h: o.enc(h, CipherKey(7))), "set-up uses a cipher key that it makes itself"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(mode: type[Mode], message: str) -> None:
    with pytest.raises(DefinitionError, match=f"^wrong: .*{message}") as caught:
        trace(mode(), 16, 16)
    assert "\n" not in str(caught.value)


def test_a_cipher_key_of_more_than_a_block() -> None:
    mode = in_setup(lambda o, key, h: o.cipher_key(o.enc(h)))()
    assert trace(mode, 16, 16).derived
    with pytest.raises(DefinitionError, match="takes 2 or more blocks"):
        trace(mode, 16, 16, key_bytes=24)


def test_parts_of_no_bytes() -> None:
    made: Trace = trace(in_sector(lambda o, k, x: o.head(x, 0) ^ o.tail(x, 16) ^ o.head(x, 16) ^ o.tail(x, 0))(), 16, 16)
    assert not [node for node in made.nodes if node.kind == "keep"]
