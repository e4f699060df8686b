# SPDX-License-Identifier: Apache-2.0
"""The options of cores for commands that look at many of them, each with one value or with several."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from modeloom.cli.options import core_options
from modeloom.options.spelled import spelled
from modeloom.spec import InputError

__all__ = ["point_options", "point_values"]


def point_options(*, several: bool, without: Collection[str] = ()) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Adds the options of cores to a command.  Their values are texts.  With ``several``, there may be commas between them."""
    return core_options(texts="A,B,…" if several else "A", without=without)


def point_values(values: Mapping[str, str | bool | None]) -> dict[str, list[int | str]]:
    """The values of options that are given, by the names of a configuration.  Numbers are numbers.

    Raises ``InputError`` for an empty value, or one that is given twice.
    """
    found: dict[str, list[int | str]] = {}
    for one in spelled().values():
        given = values.get(one.name)
        if given is None or given is False:
            continue
        name = one.spellings[0].removeprefix("--")
        texts = [] if given is True else given.split(",")
        parts: list[int | str] = [int(part) if part.isdecimal() else part for part in texts] or [True]
        if "" in parts:
            raise InputError(f"--{name} {given} has an empty value")
        if len(set(parts)) < len(parts):
            raise InputError(f"--{name} {given} names a value twice")
        found[name] = parts
    return found
