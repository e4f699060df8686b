# SPDX-License-Identifier: Apache-2.0
"""The options as a user spells them, in commands and in the grids of sweeps, and what they make of a core.

::

    --sector 512,4096 --key-bits 256   ──▶  Options(sector=512, more_sectors=(4096,), key_bits=256)
    sector = 512                       ──▶  the same from a file
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from modeloom.ciphers import cipher_of
from modeloom.options.messages import USUAL, StreamOptions
from modeloom.options.row import Choices, Value, option
from modeloom.options.sectors import PRESETS, Options, preset
from modeloom.spec import InputError
from modeloom.spec.stream import StreamMode

__all__ = ["ALL", "Spelled", "message_options", "read", "sector_options", "spelled", "text"]

ALL = "all"
"""Takes the place of a key size."""

SECTORS, MESSAGES = "sector", "stream"
"""The kinds of cores."""

CLASSES: dict[str, type[Choices]] = {SECTORS: Options, MESSAGES: StreamOptions}


@dataclass(frozen=True)
class Spelled:
    """An option of commands.

    Attributes
    ----------
    name : str
        Its name in Python.
    spellings : tuple of str
        Its names on the command line, today's first.
    type : str
        "integer", "text", "flag", "sizes" for numbers with commas between them, or "key size".
    about : str
        For ``--help``.
    kinds : tuple of str
        The kinds of cores that have it.
    """

    name: str
    spellings: tuple[str, ...]
    type: str
    about: str
    kinds: tuple[str, ...]


TYPES = {"sector": "sizes", "key_bits": "key size"}
"""The types of options that take more than the type of their field says."""


@cache
def spelled() -> dict[str, Spelled]:
    """All options by name: those of cores for sectors, and then those that only cores for messages have."""
    made: dict[str, Spelled] = {}
    for kind, choices in CLASSES.items():
        kinds = tuple(each for each in CLASSES if each == kind)
        for one in choices._fields():
            name, row = one.name, choices.rows()[one.name]
            if name in made:
                made[name] = Spelled(**{**vars(made[name]), "kinds": (*made[name].kinds, kind)})
            elif row.about:
                shape = TYPES.get(name) or {"int": "integer", "str": "text", "bool": "flag"}[str(one.type).partition(" | ")[0]]
                about = f"Stream modes: {row.about}" if kind == MESSAGES else row.about
                names = tuple(option(each) for each in (name, row.older) if each)
                made[name] = Spelled(name, names, shape, about, kinds)
                if row.off:
                    made[f"no_{name}"] = Spelled(f"no_{name}", (option(f"no_{name}"),), "flag", row.off, kinds)
    made["preset"] = Spelled("preset", ("--preset",), "text", f"Named set of options: {', '.join(PRESETS)}.", (SECTORS,))
    return made


def read(one: Spelled, value: int | str) -> Value:
    """The value of an option from a text or a number, or True for a flag.  Raises ``ValueError`` with what is wrong."""
    if one.type == "flag":
        return True
    if one.type == "text":
        return str(value)
    if one.type == "sizes":
        try:
            return tuple(int(size) for size in str(value).split(","))
        except ValueError:
            raise ValueError(f"{value} is not a size in bytes; give a number, or several as 512,4096") from None
    if one.type == "key size" and value == ALL:
        return ALL
    try:
        return int(value)
    except ValueError:
        raise ValueError(f"{value!r} is not a valid integer") from None


def sector_options(values: Mapping[str, Value]) -> Options:
    """The options of a core for sectors from values by name; None or False is not given.

    Raises ``InputError`` for an option that only stream modes have.
    """
    given = _given(values)
    for name in given:
        if name in spelled() and SECTORS not in spelled()[name].kinds:
            raise InputError(f"{option(name)} is an option of stream modes, but this mode is for sectors; leave it out")
    base = preset(str(given.pop("preset", "default")))
    for name in [name for name in given if f"no_{name}" in given]:
        raise InputError(f"{option(name)} and {option(f'no_{name}')} cannot be combined; give one of them")
    changes: dict[str, Value] = {
        name.removeprefix("no_"): not name.startswith("no_") if value is True else value for name, value in given.items()
    }
    if isinstance(sizes := changes.get("sector"), tuple):
        changes["sector"], changes["more_sectors"] = sizes[0], sizes[1:]
    if changes.get("key_bits") == ALL:
        raise InputError("--key-bits all is for stream modes, but this mode is for sectors; give one size")
    return base.but(**changes)


def message_options(mode: StreamMode, values: Mapping[str, Value]) -> StreamOptions:
    """The options of a core for messages from values by name; None or False is not given.

    Raises ``InputError`` for an option that only modes for sectors have.
    """
    given = _given(values)
    if given.get("key_bits") == ALL:
        sizes = sorted(cipher_of(mode, text(given, "cipher")).key_bits, reverse=True)
        first, *more = [bits for bits in sizes if not mode.cipher_key_bits or bits in mode.cipher_key_bits]
        given |= {"key_bits": first, "more_key_bits": tuple(more)}
    for name in given:
        if name not in StreamOptions.rows():
            raise InputError(f"{option(name)} is an option of modes for sectors, but {mode.name} is a stream mode; leave it out")
    return USUAL.but(**given)


def text(values: Mapping[str, Value], name: str) -> str | None:
    """The value of an option that is a text, or None if it is not given."""
    value = values.get(name)
    return None if value is None else str(value)


def _given(values: Mapping[str, Value]) -> dict[str, Value]:
    return {name: value for name, value in values.items() if value is not None and value is not False}
