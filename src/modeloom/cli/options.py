# SPDX-License-Identifier: Apache-2.0
"""The options of cores for commands, made of their rows, and options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial

import click

from modeloom.options.row import Value, option
from modeloom.options.spelled import Spelled, read, spelled
from modeloom.spec import InputError

__all__ = ["cipher_option", "core_options", "optimize_option", "point_options", "point_values", "tweaks"]


class OptionType(click.ParamType):
    """The type of the value of an option of cores."""

    def __init__(self, one: Spelled):
        self.one, self.name = one, METAVARS[one.type]

    def convert(self, value: int | str, param: click.Parameter | None, ctx: click.Context | None) -> Value:
        """The value as its row has it."""
        try:
            return read(self.one, value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


METAVARS = {"integer": "integer", "text": "text", "flag": "flag", "sizes": "bytes", "key size": "integer"}


def core_options(*, texts: str = "", without: Collection[str] = ()) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Adds the options of cores to a command.  With *texts*, which ``--help`` shows, their values are texts."""

    def add(command: Callable[..., object]) -> Callable[..., object]:
        for one in reversed([one for one in spelled().values() if one.name not in without]):
            made = partial(click.option, *one.spellings, one.name, help=one.about)
            command = (made(is_flag=True) if one.type == "flag" else made(metavar=texts) if texts else made(type=OptionType(one)))(command)
        return command

    return add


cipher_option = click.option(option("cipher"), help=spelled()["cipher"].about)

optimize_option = click.option(
    "--optimize", type=click.IntRange(0, 3), default=2,
    help="Optimisation level of the C++ compiler for the simulation (default: 2). A lower level builds faster and runs slower.",
)  # fmt: skip


def tweaks(base: int, step: int, nbytes: int, sectors: int) -> Callable[[int], bytes]:
    """The tweak for a sector number, as in plain64 of dm-crypt: a 64-bit little-endian number, padded with zeros.

    Raises ``InputError`` if a number does not fit or wraps within ``sectors`` sectors, if the step is 0, which would give all sectors the
    same tweak, or if the tweak is shorter than the number.
    """
    most = (1 << 64) - 1
    if not 0 <= base <= most:
        raise InputError(f"--tweak-base must be from 0 to 2^64 - 1, not {base}")
    if not 1 <= step <= most:
        raise InputError(f"--tweak-step must be from 1 to 2^64 - 1, not {step}")
    if base + (sectors - 1) * step > most:
        last = (most - base) // step + 1
        raise InputError(f"sector numbers have 64 bits, and sector {last} of {sectors} would have the number {base + last * step}")
    if nbytes < 8:
        raise InputError(f"--tweak {nbytes} is too short for a sector number of 8 bytes; choose 8 or more")

    def tweak(number: int) -> bytes:
        return (base + number * step).to_bytes(8, "little").ljust(nbytes, b"\0")

    return tweak


# The options of cores for commands that look at many of them, each with one value or with several.

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
