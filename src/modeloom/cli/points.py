# SPDX-License-Identifier: Apache-2.0
"""The options of cores for commands that look at many of them: those of ``modeloom explain``, each with one value or with several."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import click

from modeloom.cli.explain import explain
from modeloom.spec import InputError

__all__ = ["point_options", "point_values"]

PRINTED = ("mode", "dumps", "data_width", "svg", "as_json")
"""Parameters of ``modeloom explain`` that are none of a core."""


def point_options(*, several: bool, without: Collection[str] = ()) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds the options of cores to a command.  Their values are texts.  With ``several``, there may be commas between them."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for one in reversed(explain.params):
            if not isinstance(one, click.Option) or not one.name or one.name in (*PRINTED, *without):
                continue
            about = (one.help or "").rstrip()
            if one.is_flag:
                command = click.option(*one.opts, one.name, is_flag=True, help=about)(command)
            else:
                command = click.option(*one.opts, one.name, metavar="A,B,…" if several else "A", help=about)(command)
        return command

    return add


def point_values(values: dict[str, Any]) -> dict[str, list[Any]]:
    """The values of options that are given, by the names of a configuration.  Numbers are numbers.

    Raises ``InputError`` for an empty value, or one that is given twice.
    """
    found: dict[str, list[Any]] = {}
    for one in explain.params:
        given = values.get(one.name or "")
        if given is None or given is False:
            continue
        name = one.opts[0].removeprefix("--")
        parts = [given] if given is True else [int(part) if part.isdecimal() else part for part in given.split(",")]
        if "" in parts:
            raise InputError(f"--{name} {given} has an empty value")
        if len(set(parts)) < len(parts):
            raise InputError(f"--{name} {given} names a value twice")
        found[name] = parts
    return found
