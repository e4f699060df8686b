# SPDX-License-Identifier: Apache-2.0
"""Each word of definitions, and what words become together, all the way to a program that is proved and run on numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.program_runs import computes

from modeloom.compiler.compile import Compiled, compile_mode
from modeloom.definition.software import Model
from modeloom.options.sectors import Options
from modeloom.prove import prove
from modeloom.spec import XTS_ORDER, Keys, Mode


class Words(Mode):
    """One word in the first block, a cipher call in the second."""

    name = "words"
    title = source = security = "a test"
    field = XTS_ORDER
    key_parts = ("cipher", "h", "B")
    cipher_keys = ("cipher", "B")

    def setup(self, o, key):
        h2 = o.mul(key.h, key.h)
        return Keys(h=key.h, g=h2, i=o.inverse(h2, "h2"), B=key.B, D=o.cipher_key(o.enc(h2), o.enc(key.h, key.B)))

    def encrypt(self, o, k, t, p):
        return [self.word(o, k, t[0], o.enc(p[0])), o.enc(p[1])]

    decrypt = encrypt


CASES: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "head of scaled": lambda o, k, t, x: o.head(o.double(x, 5), 3) ^ t,
    "tail of scaled": lambda o, k, t, x: o.tail(o.double(x, -5), 3) ^ t,
    "tail of head": lambda o, k, t, x: o.tail(o.head(x, 9), 5) ^ t,
    "head of tail": lambda o, k, t, x: o.head(o.tail(x, 5), 9) ^ t,
    "head of head": lambda o, k, t, x: o.head(o.head(x, 9), 5) ^ t,
    "tail of tail": lambda o, k, t, x: o.tail(o.tail(x, 9), 5) ^ t,
    "scaled head and tail": lambda o, k, t, x: o.double(o.head(x, 9), 56) ^ o.double(o.tail(t, 9), -72),
    "heads that cancel": lambda o, k, t, x: o.head(o.head(x, 3) ^ o.head(x, 5), 2) ^ t,
    "head of a sum that is read twice": lambda o, k, t, x: o.head(x ^ t, 3) ^ o.double(x ^ t, 1),
    "parts of key values": lambda o, k, t, x: o.head(k.g, 3) ^ o.tail(o.double(k.h, 2), 7) ^ x,
    "parts of constants": lambda o, k, t, x: o.head(o.double(o.const(5), 3) ^ x, 4) ^ o.tail(o.const(1 << 99 | 1), 4),
    "constants": lambda o, k, t, x: o.double(o.const(5), 125) ^ x ^ o.const(9) ^ o.const(3),
    "constants that cancel": lambda o, k, t, x: o.const(40) ^ x ^ o.double(o.const(5), 3),
    "no byte": lambda o, k, t, x: o.head(x, 0) ^ o.tail(t, 16) ^ o.enc(t),
    "a result that cancels": lambda o, k, t, x: x ^ t ^ x,
    "added twice": lambda o, k, t, x: o.add32(o.add32(x ^ t, 1), 0xFFFFFFFF) ^ o.add32(x, 7),
    "added to a key value": lambda o, k, t, x: o.add32(k.g, 1000) ^ x,
    "parts of a counter": lambda o, k, t, x: o.head(o.add32(x ^ t, 1), 13) ^ o.tail(o.add32(x, 9), 15),
    "three keys": lambda o, k, t, x: o.enc(o.enc(x, k.B) ^ o.enc(t, k.D)) ^ o.dec(x, k.D),
    "inverse": lambda o, k, t, x: o.mul(o.mul(x, k.i), t) ^ o.poly(k.i, [x, t]),
    "what is inverted": lambda o, k, t, x: o.mul(k.g, x) ^ o.mul(o.mul(k.i, k.g), t) ^ k.g,
    "polynomial with another end": lambda o, k, t, x: o.poly(k.h, [x, t, k.h, x], k.i),
    "polynomial of one block": lambda o, k, t, x: o.poly(k.h, [x], k.g),
    "polynomial in a block": lambda o, k, t, x: o.poly(x, [t, k.h, x], k.g) ^ o.poly(k.h, [t, x], x),
}


def design(word: Callable[..., Any], **options: Any) -> Compiled:
    """A proved core of one word."""
    mode = type("OneWord", (Words,), {"word": lambda self, *args: word(*args)})()
    # A word alone need not give its block back, so that the definition as a whole is not checked.
    compiled = compile_mode(mode, Options(**{"sector": 32, "direction": "encrypt", "restarts": 0, **options}), prove=False)
    prove(compiled)
    return replace(compiled, proved=True)


@pytest.mark.parametrize("name", CASES)
def test_a_word_is_proved_and_computes(name: str) -> None:
    compiled = design(CASES[name], key_bits=192 if "keys" in name else 128)
    assert compiled.proved
    assert computes(compiled, lambda key: Model(compiled.mode, key), name, sectors=3)


def test_wires_take_no_operation() -> None:
    """Parts of a result, also moved by whole bytes, are terms."""
    for name in ("head of head", "tail of tail", "parts of constants", "constants"):
        assert design(CASES[name]).graph.uses("encrypt") == {"enc": 2, "out": 2}, name


def test_a_middle_or_a_part_of_a_multiple_has_a_name() -> None:
    for name in ("head of scaled", "tail of scaled", "tail of head", "head of tail"):
        assert design(CASES[name]).graph.uses("encrypt") == {"enc": 2, "acc": 2, "out": 2}, name


def test_what_cancels_is_not_computed() -> None:
    assert design(CASES["a result that cancels"]).graph.uses("encrypt") == {"enc": 1, "out": 2}
    assert design(CASES["heads that cancel"]).graph.uses("encrypt") == {"enc": 1, "out": 2}


def test_counters_on_key_values_are_key_words() -> None:
    compiled = design(CASES["added to a key value"])
    assert compiled.graph.uses("encrypt") == {"enc": 2, "out": 2} and compiled.setup_graph.uses("setup")["add"] == 1
