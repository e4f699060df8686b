# SPDX-License-Identifier: Apache-2.0
"""The options of the points of a sweep: those of cores for modes, and those of each circuit."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from modeloom.circuits import find_circuit
from modeloom.options.messages import StreamOptions
from modeloom.options.row import Value
from modeloom.options.sectors import Options
from modeloom.options.spelled import message_options, read, sector_options, spelled
from modeloom.spec import InputError, Mode, UnknownName
from modeloom.spec.stream import StreamMode

__all__ = ["check_options", "mode_options", "option_name", "option_names"]

ONE, MANY = {"sector": "a mode for sectors", "stream": "a stream mode"}, {"sector": "modes for sectors", "stream": "stream modes"}


@cache
def option_names(kind: str, name: str = "") -> dict[str, str]:
    """Every spelling of the options of a kind of points, or of a circuit, each with its name in a configuration."""
    if kind == "circuit":
        return {option.name.replace("_", "-"): option.name.replace("_", "-") for option in find_circuit(name).options}
    return {
        spelling.removeprefix("--"): one.spellings[0].removeprefix("--")
        for one in spelled().values() if kind in one.kinds
        for spelling in one.spellings
    }  # fmt: skip


def option_name(kind: str, name: str, given: str) -> str:
    """The name of an option in a configuration.  Underscores may stand for hyphens.

    Raises
    ------
    InputError
        The option is one of another kind of modes.
    UnknownName
        There is no such option.
    """
    spelling, known = given.replace("_", "-"), option_names(kind, name)
    if spelling in known:
        return known[spelling]
    other = {"sector": "stream", "stream": "sector"}.get(kind)
    if other and spelling in option_names(other):
        raise InputError(f"{given} is an option of {MANY[other]}, but {name} is {ONE[kind]}; put {name} into a grid of its own")
    raise UnknownName("option", given, known, f"of {name}" if kind == "circuit" else "")


def check_options(kind: str, name: str, options: Mapping[str, int | str]) -> None:
    """Raises ``InputError`` for values that no option takes, whatever the mode, such as a text for a number."""
    if kind == "circuit":
        for each in find_circuit(name).options:
            if (value := options.get(each.name.replace("_", "-"))) is not None:
                each.checked(value)
        return
    _read(options)


def mode_options(mode: Mode | StreamMode, options: Mapping[str, int | str]) -> Options | StreamOptions:
    """The options of a mode as the compiler has them.  Raises ``InputError`` if no core has them."""
    values = _read(options)
    return message_options(mode, values) if isinstance(mode, StreamMode) else sector_options(values)


def _read(options: Mapping[str, int | str]) -> dict[str, Value]:
    """Values by the names in Python.  Raises ``InputError``."""
    by_name = {one.spellings[0].removeprefix("--"): one for one in spelled().values()}
    values: dict[str, Value] = {}
    for name, value in options.items():
        one = by_name[name]
        if (value is True) != (one.type == "flag"):
            raise InputError(f"{name} must be {'true or false' if value is not True else 'a value'}, not {str(value).lower()}")
        try:
            values[one.name] = read(one, value)
        except ValueError as error:
            raise InputError(f"--{name}: {error}") from None
    return values
