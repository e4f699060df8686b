# SPDX-License-Identifier: Apache-2.0
"""What the listing of a program says of its sources and cipher keys."""

from __future__ import annotations

import re

import pytest
from tests.built import compiled

from modeloom.allocate.program import Source, _source_text, listing


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (Source("bank", "mul0", 3), "mul0[3]"),
        (Source("y", "mul0"), "mul0.y"),
        (Source("y", "mul0", 2), "mul0.y-2"),
        (Source("chain", "", 1), "chain1"),
        (Source("key", "", 4), "key[4]"),
        (Source("const"), "const"),
        (Source("y", "mul0", keep=5), "head(mul0.y,5)"),
        (Source("y", "mul0", keep=-5), "tail(mul0.y,5)"),
        (Source("bank", "in0", 1, k=-1, keep=7), "head(in0[1],7)*x^-1"),
    ],
)
def test_sources(source: Source, text: str) -> None:
    assert _source_text(source) == text


def test_a_cipher_key_is_named_where_there_are_several() -> None:
    one = listing(compiled("hctr2", sector=48, restarts=0, prove=False).allocation.program)
    two = listing(compiled("xts", sector=48, restarts=0, prove=False).allocation.program)
    assert not re.search(r"\b(enc|dec) under ", one) and re.search(r"^  cipher\d\.a .* enc ", one, re.M)
    names = compiled("xts", sector=48, restarts=0, prove=False).allocation.program.cipher_keys
    assert {match[1] for match in re.finditer(r"\b(?:enc|dec) under (\w+) ", two)} == set(names) and len(names) == 2
