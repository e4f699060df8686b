# SPDX-License-Identifier: Apache-2.0
"""The words that docs/new-mode.md lists: its examples hold, each word has one, and on bytes they are what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from modeloom.modes import words
from modeloom.spec import GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER, DefinitionError, Numbers

PAGE = (Path(__file__).parents[2] / "docs" / "new-mode.md").read_text(encoding="utf-8")
EXAMPLES = next(code for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "assert" in code)


def test_the_examples_hold():
    exec(compile(EXAMPLES, "new-mode.md", "exec"), {})
    broken = EXAMPLES.replace("a >> 16", "a >> 8")
    with pytest.raises(AssertionError):
        exec(compile(broken, "new-mode.md", "exec"), {})


@pytest.mark.parametrize("word", words.__all__)
def test_each_word_has_a_line_and_an_example(word):
    assert callable(getattr(words, word))
    assert f"| `{word}(" in PAGE and f"assert {word}(" in EXAMPLES


@pytest.mark.parametrize("field", [GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER], ids=lambda field: field.name)
def test_bytes_move(field):
    o, block = Numbers(field, []), bytes(range(1, 17))
    number = int.from_bytes(block, "little")
    for n in (1, 7, 15):
        assert words.up(o, number, n).to_bytes(16, "little") == bytes(n) + block[: 16 - n]
        assert words.down(o, number, n).to_bytes(16, "little") == block[n:] + bytes(n)
    assert words.big_endian(o, 258).to_bytes(16, "little") == bytes(14) + b"\x01\x02"
    assert words.lengths(o, 1, 2).to_bytes(16, "little") == (1).to_bytes(8, "big") + (2).to_bytes(8, "big")


@pytest.mark.parametrize(("bits", "order"), [(32, "middle"), (48, "big"), ("64", "big"), (None, "little")])
def test_there_is_no_such_counter(bits, order):
    with pytest.raises(DefinitionError, match=r"o\.add\(\) takes bits=32, 64 or 128"):
        Numbers(GHASH_ORDER, []).add(1, 1, bits, order)
