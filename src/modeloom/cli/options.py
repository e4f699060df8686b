# SPDX-License-Identifier: Apache-2.0
"""The unit options that several commands share, and how they become ``Options``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from modeloom.options import Options, preset
from modeloom.spec import InputError

__all__ = ["unit_options", "options_from", "read_key", "tweaks"]

_UNIT_OPTIONS = [
    click.option("--sector", type=int, help="Bytes of a sector (512)."),
    click.option("--tweak", type=int, help="Bytes of a tweak (the mode's first size)."),
    click.option("--key-bits", type=int, help="Key size of the cipher: 128, 192 or 256 (128)."),
    click.option("--direction", help="encrypt, decrypt or both (both)."),
    click.option("--aes", type=int, help="AES pipelines (1)."),
    click.option("--aes-arch", help="pipelined (a decrypter used once a sector is sequential by itself)."),
    click.option("--aes-stages", type=int, help="Registers a round, 1 to 4 (2)."),
    click.option("--mul", type=int, help="Multipliers (as many as the initiation interval needs)."),
    click.option("--mul-arch", help="Multiplier circuit (karatsuba)."),
    click.option("--mul-stages", type=int, help="Registers inside a multiplier, 1 to 8 (3)."),
    click.option("--lanes", type=int, help="Blocks that enter and leave a cycle (the number of AES pipelines)."),
    click.option("--terms", type=int, help="Most terms of an operand (4)."),
    click.option("--key-slots", type=int, help="Keys that the core holds (1)."),
    click.option("--no-overlap", "no_overlap", is_flag=True, help="One sector at a time, as in the papers."),
    click.option("--exact", is_flag=True, help="Search for the least latency with a solver."),
    click.option("--preset", help="Unit set by name: default, brw2013-1core, brw2013-2core."),
]


def unit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the unit options to a command."""
    for option in reversed(_UNIT_OPTIONS):
        command = option(command)
    return command


def options_from(values: dict[str, Any]) -> Options:
    """Options from a command's parameters; takes the unit options out of ``values``."""
    base = preset(values.pop("preset") or "default")
    changes: dict[str, Any] = {}
    if values.pop("no_overlap"):
        changes["overlap"] = False
    if values.pop("exact"):
        changes["exact"] = True
    names = ("sector", "tweak", "key_bits", "direction", "aes", "aes_arch", "aes_stages", "mul", "mul_arch", "mul_stages", "lanes")
    for name in (*names, "terms", "key_slots"):
        value = values.pop(name)
        if value is not None:
            changes[name] = value
    return base.but(**changes)


def read_key(path: str) -> bytes:
    """A key from a file, raw bytes or hexadecimal digits; raises ``InputError``."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise InputError(f"cannot read key file {path}: {error.strerror}") from None
    text = data.strip()
    if text and len(text) % 2 == 0 and len(text) >= 32 and all(c in b"0123456789abcdefABCDEF" for c in text):
        return bytes.fromhex(text.decode())
    if not data:
        raise InputError(f"key file {path} is empty; write the key into it as raw bytes or as hex digits")
    return data


def tweaks(base: int, step: int, nbytes: int) -> Callable[[int], bytes]:
    """The tweak of a sector number, as dm-crypt's plain64: a 64-bit little-endian number, zeros behind it."""
    if base < 0 or step < 0:
        raise InputError("--tweak-base and --tweak-step are not negative")

    def tweak(number: int) -> bytes:
        return ((base + number * step) & (1 << 64) - 1).to_bytes(8, "little").ljust(nbytes, b"\0")[:nbytes]

    return tweak
