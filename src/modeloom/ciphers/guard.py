# SPDX-License-Identifier: Apache-2.0
"""Checks the description of a block cipher, which may come from a user, and the results of its functions.

An exception in one of its functions, or an impossible result, becomes one line with the place of the function.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from modeloom.ciphers.interface import FORMS, OLD_DIRECTIONS, arguments_of, old_form
from modeloom.ciphers.made import made
from modeloom.ciphers.request import CoreTiming
from modeloom.spec import Cipher, DefinitionError, blame
from modeloom.spec.blame import is_users, place_of
from modeloom.spec.directions import DIRECTIONS

if TYPE_CHECKING:
    from modeloom.ciphers.description import BlockCipher

__all__ = ["guard"]

FUNCTIONS = {
    "round_keys": "key_bits", "timing": "a CoreRequest", "software": "key", "hardware": "a CoreRequest", "key_schedule": "key_bits",
    "key_schedule_for": "key_sizes", "iterative_schedule": "key_sizes", "expand": "key",
}  # fmt: skip
"""The functions of a description, each with its argument."""

OPTIONAL = ("key_schedule_for", "iterative_schedule", "expand")
"""The functions that may be None."""


@dataclass(frozen=True)
class Guarded:
    """Wraps a function of the description of a cipher.  Exceptions and wrong results become errors of one line."""

    cipher: str
    word: str
    function: Callable[..., Any]
    description: BlockCipher = field(repr=False, compare=False)

    def __call__(self, *arguments: Any) -> Any:
        with blame(self.cipher, self.function):
            result = self.function(*arguments)
        if self.word == "timing":
            self._check(isinstance(result, CoreTiming), result, "a CoreTiming(latency=..., interval=...)")
            for cycles in (result.latency, result.interval, result.blocks):
                self._check(_is_count(cycles), result, "a CoreTiming of whole numbers of cycles from 1")
            self._check(result.blocks < max(2, result.interval), result, "a CoreTiming with fewer blocks than cycles of an interval")
        elif self.word == "round_keys":
            self._check(_is_count(result), result, "a number of round keys from 1")
        elif self.word == "expand":
            self._check(isinstance(result, list | tuple) and all(isinstance(one, bytes) for one in result), result, "a list of bytes")
        elif self.word == "software":
            self._check(all(callable(getattr(result, name, None)) for name in ("encrypt", "decrypt")), result, "a keyed cipher: an "
                        "object with encrypt(blocks) and decrypt(blocks)")  # fmt: skip
            return GuardedSoftware(self, result)
        elif self.word == "hardware":
            self._check(_is_count(getattr(result, "latency", None)), result, "a component with its latency in cycles")
            made(result, self.description, *arguments)
        return result

    def _check(self, fits: bool, result: object, wanted: str) -> None:
        if not fits:
            text = " ".join(repr(result).split())
            text = text if len(text) <= 60 else f"{text[:57]}..."
            raise DefinitionError(f"{self.cipher}: {place_of(self.function)}: {self.word} gives {text}, not {wanted}", placed=True)


class GuardedSoftware:
    """Wraps a keyed cipher.  Its results must be as many whole blocks as its input."""

    def __init__(self, made_by: Guarded, keyed: Cipher):
        self._made_by, self._keyed = made_by, keyed

    def encrypt(self, blocks: bytes) -> bytes:
        """The blocks, enciphered."""
        return self._call("encrypt", blocks)

    def decrypt(self, blocks: bytes) -> bytes:
        """The blocks, deciphered."""
        return self._call("decrypt", blocks)

    def _call(self, name: str, blocks: bytes) -> bytes:
        function = getattr(self._keyed, name)
        with blame(self._made_by.cipher, function):
            result = function(blocks)
        if not isinstance(result, bytes) or len(result) != len(blocks):
            what = f"{len(result)} bytes" if isinstance(result, bytes) else f"a {type(result).__name__}"
            place = place_of(function)
            raise DefinitionError(f"{self._made_by.cipher}: {place}: {name} gives {what} for {len(blocks)} bytes", placed=True)
        return result


def guard(description: BlockCipher) -> None:
    """Checks the values in a ``BlockCipher``, and guards the functions that come from a user.  Raises ``DefinitionError``."""
    if not isinstance(description.name, str) or not description.name.isprintable() or not description.name.strip():
        _refuse(description, "its name must be a text of one line")
    _check_sizes(description)
    _check_names(description)
    for word, argument in FUNCTIONS.items():
        _guard_function(description, word, argument)


def _refuse(description: BlockCipher, what: str) -> NoReturn:
    raise DefinitionError(f"the block cipher {description.name!r}: {what}")


def _check_sizes(description: BlockCipher) -> None:
    """Checks the sizes of blocks, round keys and keys."""
    for name in ("block_bytes", "round_key_bits", "most_stages"):
        if not _is_count(getattr(description, name)):
            _refuse(description, f"{name} is {getattr(description, name)!r}; it must be a whole number from 1")
    sizes = description.key_bits
    if not isinstance(sizes, tuple) or not sizes or not all(_is_count(size) and size % 8 == 0 for size in sizes):
        what = "it must be a tuple of numbers of bits that are whole bytes, such as (128, 256)"
        _refuse(description, f"key_bits is {sizes!r}; {what}")


def _check_names(description: BlockCipher) -> None:
    """Checks the forms of cores, with their directions, S-boxes and numbers of streams."""
    for name in ("pipelined", "sequential", "multistream", "sboxes", "several_sizes"):
        value = getattr(description, name)
        if not isinstance(value, tuple) or not all(isinstance(entry, str) for entry in value):
            _refuse(description, f"{name} is {value!r}; it must be a tuple of names")
    if not description.sboxes:
        _refuse(description, 'sboxes is (); it must have one name, such as ("lut",)')
    if not isinstance(description.streams, tuple) or not all(map(_is_count, description.streams)):
        _refuse(description, f"streams is {description.streams!r}; it must be a tuple of numbers of blocks")
    if description.multistream and not description.streams:
        _refuse(description, "it has multistream cores, and streams is (); it must have one number, such as (4,)")
    for name in ("pipelined", "sequential", "multistream", "several_sizes"):
        if not set(getattr(description, name)) <= set(DIRECTIONS):
            old = [f'"{one}" of interface 1 is now "{OLD_DIRECTIONS[one]}"' for one in getattr(description, name) if one in OLD_DIRECTIONS]
            more = f"; {', '.join(old)}" if old else ""
            _refuse(description, f'{name} is {getattr(description, name)!r}; its names are "encrypt", "decrypt" and "both"{more}')


def _guard_function(description: BlockCipher, word: str, argument: str) -> None:
    """Checks a function of a description, and guards it if it comes from a user."""
    function = getattr(description, word)
    if isinstance(function, Guarded):
        function = function.function
    if function is None and word in OPTIONAL:
        return
    if not callable(function):
        _refuse(description, f"{word} is {function!r}; it must be a function")
    if not _takes_one(function):
        place, before = place_of(function), old_form(word, arguments_of(function) or 0)
        what = f"{word}{f' ({place})' if place else ''}"
        form = f"{what} does not take one argument; it is called with {argument}: {FORMS[word]}"
        _refuse(description, f"{what}: {before}" if before else form)
    if is_users(getattr(function, "__module__", None) or ""):
        object.__setattr__(description, word, Guarded(description.name, word, function, description))


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _takes_one(function: Callable[..., object]) -> bool:
    """Whether a function can be called with one argument, as far as this is known."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return True
    try:
        signature.bind(None)
    except TypeError:
        return False
    return True
