# SPDX-License-Identifier: Apache-2.0
"""One vocabulary for directions: "both" has no other names in hardware, ciphers and circuits."""

from __future__ import annotations

import ast
from pathlib import Path

import modeloom
from modeloom.ciphers import CIPHERS
from modeloom.ciphers.description import DIRECTION_OF
from modeloom.spec.mode import DIRECTIONS
from modeloom_circuits import all_circuits, find_circuit

SOURCES = Path(modeloom.__file__).parents[1]
OTHER_WORDS = {"either", "shared", "combined"}


def words(tree: ast.Module) -> set[str]:
    """Texts of one word, and the words in the names of functions and classes that a file has at its top."""
    found = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found |= set(node.name.lower().split("_"))
    return found


def test_no_other_word_in_hardware():
    found = set()
    for room in ("modeloom/rtl", "modeloom/ciphers", "modeloom_circuits"):
        paths = sorted((SOURCES / room).rglob("*.py"))
        assert paths
        for path in paths:
            other = words(ast.parse(path.read_text(encoding="utf-8"))) & OTHER_WORDS
            found |= {(str(path.relative_to(SOURCES)), word) for word in other}
            assert path.stem not in OTHER_WORDS
    assert found == {("modeloom_circuits/catalogue/parts_of_aes.py", "shared")}, "but for the older name of an option's value"


def test_the_words_of_ciphers():
    assert set(DIRECTION_OF.values()) == set(DIRECTIONS)
    for cipher in CIPHERS.values():
        assert set(cipher.pipelined) == set(DIRECTIONS)
        # There are no sequential cores of a tweakable cipher.
        assert set(cipher.sequential) == (set() if cipher.tweak_bytes else set(DIRECTIONS))


def test_the_words_of_circuits():
    for circuit in all_circuits().values():
        for option in circuit.options:
            if option.name == "direction":
                assert set(option.choices) <= {*DIRECTIONS, "forward", "inverse"}, circuit.name


def test_the_older_name_of_both():
    for name in ("sbox-lut", "mixcolumns"):
        assert find_circuit(name).build(direction="shared").figures["direction"] == "both"
