# SPDX-License-Identifier: Apache-2.0
"""Checks the attributes of a mode before anything is computed: their types, and that they are consistent."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeGuard, TypeVar

from modeloom.spec.errors import DefinitionError, blame
from modeloom.spec.field import Field
from modeloom.spec.mode import Definition, Mode
from modeloom.spec.stream import ABSORB, BLOCKS, LAST, PARTIAL, SINGLE, LengthPrefix, StreamMode

__all__ = ["attribute_place", "checked_mode", "checked_stream"]

M = TypeVar("M", bound=Definition)


def checked_mode(mode: object) -> Mode:
    """Returns a mode, or an instance of a class of modes, after checking its attributes against ``Mode``.

    Raises
    ------
    TypeError
        The argument is neither a mode nor a class of modes.
    DefinitionError
        An attribute is missing or wrong. The message names it, with its line where that is known.
    """
    return _checked(mode, Mode, _ATTRIBUTES)


def checked_stream(mode: object) -> StreamMode:
    """The same for a stream mode, against ``StreamMode``, which also needs its steps."""
    checked = _checked(mode, StreamMode, _OF_STREAMS)
    if getattr(checked, "one_direction", ""):
        why = "is for modes on sectors; a message mode has both directions, and --direction builds a core for one; leave it out"
        raise _wrong(checked, "one_direction", f"one_direction {why}")
    for step in ("setup", "start", "associated", "encrypt", "decrypt", "tag"):
        if not checked.has(step):
            raise _wrong(checked, step, f"{type(checked).__name__} has no {step}(); write it (docs/streams.md lists the steps)")
    lengths = [length for group in checked.nonce_bytes for length in group]
    if len(set(lengths)) < len(lengths):
        twice = next(length for length in lengths if lengths.count(length) > 1)
        raise _wrong(checked, "nonce_bytes", f"nonce_bytes has {twice} bytes twice")
    for attribute, most in (("nonce_bytes", max(lengths)), ("tag_bytes", max(checked.tag_bytes))):
        if most > checked.block_bytes:
            raise _wrong(checked, attribute, f"{attribute} has {most}, and a block has {checked.block_bytes} bytes")
    _check_passes(checked)
    _check_steps(checked)
    return checked


def _check_passes(mode: StreamMode) -> None:
    """Raises ``DefinitionError`` if the steps of a mode are not those of as many passes as it says."""
    own = [name for name in ("absorb", "tagged") if mode.has(name)]
    if ABSORB not in mode.sealing():
        if own:
            raise _wrong(mode, "two_passes", f"{own[0]}() is a step of modes with two passes; set two_passes = True")
        return
    if mode.text_blocks > 1:
        raise _wrong(mode, "text_blocks", "a mode with two passes takes text block by block; leave out text_blocks")
    if len(own) < 2:
        missing = "absorb" if "absorb" not in own else "tagged"
        raise _wrong(mode, "two_passes", f"a mode with two passes has a step {missing}()")
    if mode.tag_bytes != (mode.block_bytes,):
        raise _wrong(mode, "tag_bytes", f"a mode with two passes encrypts under its whole tag, so tag_bytes is ({mode.block_bytes},)")


def _check_steps(mode: StreamMode) -> None:
    """Raises ``DefinitionError`` for steps of which no block takes one, or a block has none."""
    for step in BLOCKS:
        if mode.has(LAST + step) and mode.has(PARTIAL + step):
            raise _wrong(mode, PARTIAL + step, f"{LAST}{step}() takes partial blocks, too; leave out {PARTIAL}{step}()")
        if step in ("encrypt", "decrypt") and mode.has(SINGLE + step) != (mode.text_blocks == 2):
            what = "needs" if mode.text_blocks == 2 else "has text_blocks = 1, and so no"
            raise _wrong(mode, SINGLE + step, f"the mode {what} {SINGLE}{step}(), which takes a last block of text without a partner")


def _checked(mode: object, kind: type[M], attributes: dict[str, tuple[str, Callable[[object], bool]]]) -> M:
    if isinstance(mode, type) and issubclass(mode, kind):
        with blame(getattr(mode, "name", mode.__name__), mode):
            mode = mode()
    if not isinstance(mode, kind):
        what = kind.__name__
        raise TypeError(f"mode must be the name of a mode, a subclass of {what} or an instance of one, not {_said(mode)}")
    name = getattr(mode, "name", None)
    for attribute, (wanted, fits) in attributes.items():
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


def _wrong(mode: Definition, attribute: str, text: str) -> DefinitionError:
    name = getattr(mode, "name", None)
    title = name if isinstance(name, str) and name else type(mode).__name__
    return DefinitionError(f"{title}: {attribute_place(type(mode), attribute)}{text}", placed=True)


_BASES = (Mode, StreamMode, Definition)
"""Where no definition sets an attribute."""


def attribute_place(kind: type, attribute: str) -> str:
    """``FILE, line N: `` of the line where a class or one of its bases sets an attribute, or of the class if none does; "" if unknown."""
    owner = next((c for c in kind.__mro__ if attribute in vars(c) and c not in _BASES), kind)
    if owner in _BASES:
        return ""
    try:
        lines, first = inspect.getsourcelines(owner)
        file = Path(inspect.getsourcefile(owner) or "").name
    except (OSError, TypeError):
        return ""
    found = [number for number, line in enumerate(lines, first) if re.match(rf"\s+{attribute}\s*[:=]", line)]
    return f"{file}, line {[first, *found][-1]}: "


def _said(value: object) -> str:
    """A short description of a value, for messages."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if callable(value):
        return f"the function {getattr(value, '__name__', '?')}"
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value.strip()) and "\n" not in value


def _is_name(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and value.isidentifier()


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_table(value: object) -> bool:
    return isinstance(value, dict) and all(_is_name(name) and _is_count(bits) for name, bits in value.items())


def _are(fits: Callable[[object], bool], some: bool) -> Callable[[object], bool]:
    return lambda value: isinstance(value, tuple) and (bool(value) or not some) and all(map(fits, value))


def _are_limits(value: object) -> bool:
    return isinstance(value, dict) and all(_is_count(each) for pair in value.items() for each in pair)


def _are_prefixes(value: object) -> bool:
    """Prefixes in order, each with numbers that hold all lengths before the next one."""
    if not isinstance(value, tuple) or not all(isinstance(each, LengthPrefix) and isinstance(each.marker, bytes) for each in value):
        return False
    leasts = [each.least for each in value]
    fits = (after <= 1 << 8 * each.nbytes for each, after in zip(value, leasts[1:]))
    return leasts == sorted(set(leasts)) and leasts[:1] in ([], [1]) and all(fits)


_TEXT = ("a text of one line", _is_text)
_FLAG = ("True or False", _is_flag)
_COUNT = ("a whole number from 0", _is_count)
_NAMES = ('a tuple of names, such as ("cipher", "h")', _are(_is_name, True))

_ATTRIBUTES: dict[str, tuple[str, Callable[[object], bool]]] = {
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

_OF_STREAMS = {name: entry for name, entry in _ATTRIBUTES.items() if hasattr(Definition, name) or name in Definition.__annotations__} | {
    "nonce_bytes": (
        "a tuple of classes of lengths, such as ((12,),)",
        lambda value: _are(lambda group: _are(lambda length: _is_count(length) and length > 0, True)(group), True)(value),
    ),
    "tag_bytes": ("a tuple of numbers of bytes, such as (16,)", _are(lambda length: _is_count(length) and length > 0, True)),
    "text_blocks": ("1 or 2", lambda value: value in (1, 2) and not isinstance(value, bool)),
    "most_associated": _COUNT,
    "most_text": _COUNT,
    "most_text_with_nonce": ("a dict of bytes of nonces with bytes of text", _are_limits),
    "lengths_first": _FLAG,
    "two_passes": _FLAG,
    "associated_prefix": ("a tuple of LengthPrefix, the first of them for 1 byte", _are_prefixes),
}
"""The same for stream modes."""
