# SPDX-License-Identifier: Apache-2.0
"""The options of cores for commands that look at many of them, each with one value or with several."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from modeloom.cli.options import core_options
from modeloom.options.spelled import spelled
from modeloom.spec import InputError

__all__ = ["point_options", "point_values"]


def point_options(*, several: bool, without: Collection[str] = ()) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds the options of cores to a command.  Their values are texts.  With ``several``, there may be commas between them."""
    return core_options(texts="A,B,…" if several else "A", without=without)


def point_values(values: dict[str, Any]) -> dict[str, list[Any]]:
    """The values of options that are given, by the names of a configuration.  Numbers are numbers.

    Raises ``InputError`` for an empty value, or one that is given twice.
    """
    found: dict[str, list[Any]] = {}
    for one in spelled().values():
        given = values.get(one.name)
        if given is None or given is False:
            continue
        name = one.spellings[0].removeprefix("--")
        parts = [given] if given is True else [int(part) if part.isdecimal() else part for part in given.split(",")]
        if "" in parts:
            raise InputError(f"--{name} {given} has an empty value")
        if len(set(parts)) < len(parts):
            raise InputError(f"--{name} {given} names a value twice")
        found[name] = parts
    return found
