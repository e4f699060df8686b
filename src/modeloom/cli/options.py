# SPDX-License-Identifier: Apache-2.0
"""The unit options that several commands share, and how they become ``Options``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from modeloom.ciphers import CIPHERS
from modeloom.compiler.options import Options
from modeloom.compiler.presets import PRESETS, preset
from modeloom.spec import InputError

__all__ = ["cipher_option", "optimize_option", "unit_options", "options_from", "tweaks"]


class SectorSizes(click.ParamType):
    """Sizes in bytes, with commas between them."""

    name = "bytes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """The sizes as a tuple."""
        try:
            return tuple(int(size) for size in value.split(","))
        except ValueError:
            self.fail(f"{value} is no size in bytes; give a number, or several as 512,4096", param, ctx)


cipher_option = click.option("--cipher", help=f"Block cipher: {', '.join(CIPHERS)} (the mode's, mostly AES).")

_UNIT_OPTIONS = [
    click.option("--sector", type=SectorSizes(), help="Bytes of a sector (512); several sizes as 512,4096."),
    click.option("--tweak", type=int, help="Bytes of a tweak (the mode's first size)."),
    cipher_option,
    click.option("--key-bits", type=int, help="Key size of the cipher (its first; AES has 128, 192 and 256)."),
    click.option("--direction", help="encrypt, decrypt or both (all that the mode has)."),
    click.option("--aes", type=int, help="AES cores (1)."),
    click.option("--aes-arch", help="pipelined (but for a decrypter that a sector uses once), or sequential (pipelined)."),
    click.option("--aes-sbox", help="S-boxes of the AES cores: lut, bram (block memories), composite, bdd or compact (lut)."),
    click.option("--aes-stages", type=int, help="Registers a round, or cycles a round of a sequential core, 1 to 4 (2)."),
    click.option("--mul", type=int, help="Multipliers (as many as the initiation interval needs)."),
    click.option("--mul-arch", help="Multiplier circuit: karatsuba, fan-hasan, mastrovito, or lut6, made for 6-input LUTs (karatsuba)."),
    click.option("--mul-stages", type=int, help="Registers inside a multiplier, 1 to 8 (3)."),
    click.option("--squares", help="setup or fly: squares of key values as key words, or from a squaring unit (setup)."),
    click.option("--lanes", type=int, help="Blocks that enter and leave a cycle (the number of AES cores)."),
    click.option("--terms", type=int, help="Most terms of an operand (4)."),
    click.option("--storage", help="lut, or bram: block memories for banks of more than 64 blocks, as long sectors have them (lut)."),
    click.option("--key-slots", type=int, help="Keys that the core holds (1)."),
    click.option("--overlap", is_flag=True, help="Sectors overlap, on the papers' unit sets too."),
    click.option("--no-overlap", "no_overlap", is_flag=True, help="One sector at a time, as in the papers."),
    click.option("--exact", is_flag=True, help="Search for the least latency with a solver."),
    click.option("--preset", help=f"Unit set by name: {', '.join(PRESETS)}."),
]


optimize_option = click.option(
    "--optimize", type=click.IntRange(0, 3), default=2,
    help="How much the C++ compiler optimises the simulation (2): with less it is built sooner and runs slower.",
)  # fmt: skip


def unit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the unit options to a command."""
    for option in reversed(_UNIT_OPTIONS):
        command = option(command)
    return command


def options_from(values: dict[str, Any]) -> Options:
    """Options from a command's parameters; takes the unit options out of ``values``."""
    base = preset(values.pop("preset") or "default")
    changes: dict[str, Any] = {}
    overlap, alone = values.pop("overlap"), values.pop("no_overlap")
    if overlap and alone:
        raise InputError("--overlap and --no-overlap exclude each other; give one of them")
    if overlap or alone:
        changes["overlap"] = overlap
    if values.pop("exact"):
        changes["exact"] = True
    names = ("tweak", "key_bits", "direction", "aes", "aes_arch", "aes_sbox", "aes_stages", "mul", "mul_arch", "mul_stages", "lanes")
    if (sizes := values.pop("sector")) is not None:
        changes["sector"], *more = sizes
        changes["more_sectors"] = tuple(more)
    for name in (*names, "cipher", "squares", "terms", "storage", "key_slots"):
        value = values.pop(name)
        if value is not None:
            changes[name] = value
    return base.but(**changes)


def tweaks(base: int, step: int, nbytes: int, sectors: int) -> Callable[[int], bytes]:
    """The tweak of a sector number, as dm-crypt's plain64: a 64-bit little-endian number, zeros behind it.

    Raises ``InputError`` for numbers that do not fit or wrap within so many sectors, a step of 0, which gives all sectors one tweak, or a
    tweak that is shorter than the number.
    """
    most = (1 << 64) - 1
    if not 0 <= base <= most:
        raise InputError(f"--tweak-base is from 0 to 2^64 - 1, not {base}")
    if not 1 <= step <= most:
        raise InputError(f"--tweak-step is from 1 to 2^64 - 1, not {step}")
    if base + (sectors - 1) * step > most:
        last = (most - base) // step + 1
        raise InputError(f"tweaks are numbers of 64 bits, and sector {last} of {sectors} would be number {base + last * step}")
    if nbytes < 8:
        raise InputError(f"--tweak {nbytes} is too short for a sector number of 8 bytes; choose 8 or more")

    def tweak(number: int) -> bytes:
        return (base + number * step).to_bytes(8, "little").ljust(nbytes, b"\0")

    return tweak
