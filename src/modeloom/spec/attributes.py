# SPDX-License-Identifier: Apache-2.0
"""Checks the attributes of a mode before anything is computed: their types, and that they are consistent."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from modeloom.spec.blame import blame
from modeloom.spec.errors import DefinitionError
from modeloom.spec.field import Field
from modeloom.spec.keyed import Definition
from modeloom.spec.mode import Mode

__all__ = ["attribute_place", "checked_mode"]


def checked_mode(mode: Any) -> Mode:
    """Returns a mode, or an instance of a class of modes, after checking its attributes against ``Mode``.

    Raises
    ------
    TypeError
        The argument is neither a mode nor a class of modes.
    DefinitionError
        An attribute is missing or wrong. The message names it, with its line where that is known.
    """
    if isinstance(mode, type) and issubclass(mode, Mode):
        with blame(getattr(mode, "name", mode.__name__), mode):
            mode = mode()
    if not isinstance(mode, Mode):
        raise TypeError(f"mode must be the name of a mode, a subclass of Mode or an instance of one, not {_said(mode)}")
    name = getattr(mode, "name", None)
    for attribute, (wanted, fits) in _ATTRIBUTES.items():
        value = getattr(mode, attribute, None)
        if value is None and not hasattr(mode, attribute):
            raise _wrong(mode, attribute, f"{type(mode).__name__} has no {attribute}; docs/new-mode.md lists the attributes of a mode")
        if not fits(value):
            raise _wrong(mode, attribute, f"{attribute} is {_said(value)}; it must be {wanted}")
    assert isinstance(name, str)
    if not mode.field.irreducible:
        raise _wrong(
            mode, "field", f"the modulus of the field {mode.field.name} is reducible, so blocks other than 0 have no inverse; choose an "
            "irreducible polynomial"
        )  # fmt: skip
    parts, keys = mode.key_parts, mode.cipher_keys
    for part in parts:
        if parts.count(part) > 1:
            raise _wrong(mode, "key_parts", f"key_parts has {part!r} twice")
    for key in keys:
        if key not in parts:
            raise _wrong(mode, "cipher_keys", f"cipher_keys has {key!r}, which is not a part of the key; key_parts are {', '.join(parts)}")
    return mode


def _wrong(mode: Mode, attribute: str, text: str) -> DefinitionError:
    name = getattr(mode, "name", None)
    title = name if isinstance(name, str) and name else type(mode).__name__
    return DefinitionError(f"{title}: {attribute_place(type(mode), attribute)}{text}", placed=True)


def attribute_place(kind: type, attribute: str) -> str:
    """``FILE, line N: `` of the line where a class or one of its bases sets an attribute, or of the class if none does; "" if unknown."""
    owner = next((c for c in kind.__mro__ if attribute in vars(c) and c not in (Mode, Definition)), kind)
    if owner in (Mode, Definition):
        return ""
    try:
        lines, first = inspect.getsourcelines(owner)
        file = Path(inspect.getsourcefile(owner) or "").name
    except (OSError, TypeError):
        return ""
    found = [number for number, line in enumerate(lines, first) if re.match(rf"\s+{attribute}\s*[:=]", line)]
    return f"{file}, line {[first, *found][-1]}: "


def _said(value: Any) -> str:
    """A short description of a value, for messages."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if callable(value):
        return f"the function {getattr(value, '__name__', '?')}"
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\n" not in value


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and value.isidentifier()


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) and all(_is_name(name) and _is_count(bits) for name, bits in value.items())


def _are(fits: Callable[[Any], bool], some: bool) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, tuple) and (bool(value) or not some) and all(map(fits, value))


_TEXT = ("a text of one line", _is_text)
_FLAG = ("True or False", _is_flag)
_COUNT = ("a whole number from 0", _is_count)
_NAMES = ('a tuple of names, such as ("cipher", "h")', _are(_is_name, True))

_ATTRIBUTES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "name": _TEXT,
    "title": _TEXT,
    "source": _TEXT,
    "security": _TEXT,
    "broken": _FLAG,
    "field": ("a Field of modeloom.spec", lambda value: isinstance(value, Field)),
    "block_bytes": ("a whole number from 1", lambda value: _is_count(value) and value > 0),
    "key_parts": _NAMES,
    "cipher_keys": ("a tuple of names", _are(_is_name, False)),
    "distinct_keys": _FLAG,
    "refused_keys": ("a text", lambda value: isinstance(value, str)),
    "cipher_key_bits": ("a tuple of numbers of bits", _are(_is_count, False)),
    "fixed_key_bits": ("a dict of names with numbers of bits", _is_table),
    "tweak_sizes": ("a tuple of numbers of bytes, such as (16,)", _are(_is_count, True)),
    "setup_of_size": _FLAG,
    "any_tweak": _FLAG,
    "partial": _FLAG,
    "one_direction": ('"encrypt", "decrypt", or "" for both', lambda value: value in ("", "encrypt", "decrypt")),
    "wide": _FLAG,
    "min_bytes": _COUNT,
    "max_blocks": _COUNT,
    "max_blocks_reason": ("a text", lambda value: isinstance(value, str)),
}
"""For each attribute, what it must be in words, and a check of a value."""
