# SPDX-License-Identifier: Apache-2.0
"""What a message about an unknown name offers."""

from __future__ import annotations

import pytest

from modeloom.spec.errors import DefinitionError, InputError, UnknownName

KNOWN = ("HCTR2", "hctr", "hch", "heh-brw", "heh-poly", "xts")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("hctr3", "did you mean hctr or HCTR2 or hch?"),
        ("hctr2", "did you mean HCTR2?"),
        ("XTS", "did you mean xts?"),
        ("heh", "did you mean hch or heh-brw or heh-poly?"),
        ("zzz", "choose from HCTR2, hch, hctr and 3 more"),
    ],
)
def test_three_names_at_most(name: str, hint: str) -> None:
    assert str(UnknownName("mode", name, KNOWN)) == f"unknown mode {name!r}; {hint}"
    assert UnknownName("mode", name, KNOWN).name == name


def test_few_names() -> None:
    assert str(UnknownName("cipher", "quad", ["aes"])) == "unknown cipher 'quad'; the only one is aes"
    assert str(UnknownName("unit", "zzz", ["b", "a"])) == "unknown unit 'zzz'; choose from a, b"
    assert str(UnknownName("unit", "zzz", ["c", "b", "a"])) == "unknown unit 'zzz'; choose from a, b, c"
    assert str(UnknownName("unit", "zzz", "abcd")) == "unknown unit 'zzz'; choose from a, b, c and 1 more"


def test_errors_of_definitions_say_whether_they_name_the_place() -> None:
    assert not DefinitionError("x").placed and DefinitionError("x", True).placed
    assert issubclass(UnknownName, InputError) and issubclass(DefinitionError, InputError)
