# SPDX-License-Identifier: Apache-2.0
"""What a mode may say of itself, for values that have not even the right type."""

from __future__ import annotations

import pytest

from modeloom.modes.xts import XTS
from modeloom.spec.attributes import checked_mode
from modeloom.spec.errors import DefinitionError


@pytest.mark.parametrize("name", [5, "", None, ["x"]])
def test_a_name_that_is_no_text(name: object) -> None:
    """Then the class is named."""
    mode = XTS()
    mode.name = name  # type: ignore[assignment]
    with pytest.raises(DefinitionError, match=r"^XTS: .*name is "):
        checked_mode(mode)


@pytest.mark.parametrize("parts", [(5, "b"), ("a", "2b"), ("a", None), "ab", ("a", "a b")])
def test_parts_of_a_key_are_names(parts: object) -> None:
    mode = XTS()
    mode.key_parts = parts  # type: ignore[assignment]
    with pytest.raises(DefinitionError, match=r"^xts: .*key_parts is .*; it must be "):
        checked_mode(mode)


def test_modes_and_their_classes() -> None:
    assert checked_mode(XTS).name == checked_mode(XTS()).name == "xts"
    with pytest.raises(TypeError, match="not the class int"):
        checked_mode(int)
