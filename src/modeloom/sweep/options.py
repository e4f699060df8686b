# SPDX-License-Identifier: Apache-2.0
"""The options of the points of a sweep: those of ``modeloom explain`` for modes, and those of each circuit.

The parser of the command line converts them, so that a point is what its command builds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any

import click

from modeloom.circuits import find_circuit
from modeloom.compiler.options import Options
from modeloom.compiler.stream_options import StreamOptions
from modeloom.spec import InputError, Mode, UnknownName
from modeloom.spec.stream import StreamMode
from modeloom.sweep.configuration import flags

__all__ = ["check_options", "mode_options", "option_name", "option_names"]

NOT_OF_POINTS = ("mode", "dumps", "data_width", "svg", "as_json")
"""Parameters of ``modeloom explain`` that say what is printed."""

OF_SECTORS = ("overlap", "no_overlap", "exact", "preset")
"""Options of modes on sectors that have other names in ``Options``, or none."""


ONE, MANY = {"sector": "a mode for sectors", "stream": "a stream mode"}, {"sector": "modes for sectors", "stream": "stream modes"}


@cache
def _parameters() -> dict[str, click.Parameter]:
    """The options of modes by their names in Python."""
    from modeloom.cli.explain import explain

    return {one.name: one for one in explain.params if one.name and one.name not in NOT_OF_POINTS}


@cache
def option_names(kind: str, name: str = "") -> dict[str, str]:
    """Every spelling of the options of a kind of points, or of a circuit, each with its name in a configuration."""
    if kind == "circuit":
        return {option.name.replace("_", "-"): option.name.replace("_", "-") for option in find_circuit(name).options}
    known = {one.name for one in fields(Options if kind == "sector" else StreamOptions)} | (set(OF_SECTORS) if kind == "sector" else set())
    return {
        spelling.removeprefix("--"): parameter.opts[0].removeprefix("--")
        for name, parameter in _parameters().items() if name in known
        for spelling in parameter.opts
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


def check_options(kind: str, name: str, options: Mapping[str, Any]) -> None:
    """Raises ``InputError`` for values that the command line does not take, whatever the mode, such as a text for a number."""
    if kind == "circuit":
        for each in find_circuit(name).options:
            if (value := options.get(each.name.replace("_", "-"))) is not None:
                each.checked(value)
        return
    for option, value in options.items():
        parameter = next(one for one in _parameters().values() if f"--{option}" in one.opts)
        if (value is True) != bool(getattr(parameter, "is_flag", False)):
            raise InputError(f"{option} must be {'true or false' if value is not True else 'a value'}, not {str(value).lower()}")
    _parsed(name, options)


def mode_options(mode: Mode | StreamMode, options: Mapping[str, Any]) -> Options | StreamOptions:
    """The options of a mode as the compiler has them.  Raises ``InputError`` if no core has them."""
    from modeloom.cli.options import options_from
    from modeloom.cli.streams import stream_options

    values = _parsed(mode.name, options)
    return stream_options(mode, values) if isinstance(mode, StreamMode) else options_from(values)


def _parsed(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of ``modeloom explain`` for options.  Raises ``InputError``."""
    from modeloom.cli import usage_text
    from modeloom.cli.explain import explain

    try:
        context = explain.make_context("explain", [name, *flags(options)])
    except click.UsageError as error:
        raise InputError(" ".join(usage_text(error).split())) from None
    return {key: value for key, value in context.params.items() if key not in NOT_OF_POINTS}
