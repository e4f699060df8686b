# SPDX-License-Identifier: Apache-2.0
"""The unit options that several commands share, and their conversion to ``Options``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from modeloom.ciphers import CIPHERS
from modeloom.compiler.limits import LONGER_SECTORS, MOST_BLOCKS, MOST_SLOTS
from modeloom.compiler.options import Options
from modeloom.compiler.presets import PRESETS, preset
from modeloom.compiler.stream_options import MOST_SLOTS as MOST_MESSAGE_SLOTS
from modeloom.compiler.stream_options import RING, SLOTS
from modeloom.spec import InputError

__all__ = ["ALL", "cipher_option", "optimize_option", "unit_options", "options_from", "tweaks"]


class SectorSizes(click.ParamType):
    """Sizes in bytes, separated by commas."""

    name = "bytes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """The sizes as a tuple."""
        try:
            return tuple(int(size) for size in value.split(","))
        except ValueError:
            self.fail(f"{value} is not a size in bytes; give a number, or several as 512,4096", param, ctx)


ALL = "all"
"""Takes the place of a key size."""


class KeyBits(click.ParamType):
    """A key size in bits, or all of them."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """A number, or ``ALL``."""
        if value == ALL:
            return ALL
        return click.INT.convert(value, param, ctx)  # type: ignore[no-any-return]


cipher_option = click.option("--cipher", help=f"Block cipher: {', '.join(CIPHERS)} (default: that of the mode, usually AES).")

_UNIT_OPTIONS = [
    click.option(
        "--sector", type=SectorSizes(),
        help=f"Sector size in bytes (default: 512). Give several sizes as 512,4096. A sector has at most {MOST_BLOCKS} blocks, which are "
        f"{16 * MOST_BLOCKS} bytes with AES; {LONGER_SECTORS}.",
    ),
    click.option("--tweak", type=int, help="Tweak size in bytes (default: the first size of the mode)."),
    cipher_option,
    click.option(
        "--key-bits", type=KeyBits(),
        help="Key size of the cipher in bits; AES has 128, 192 and 256 (default for sectors: the first size of the cipher). Stream modes "
        "also take all, so that each key slot has the size of its key (default for messages: all sizes of the mode, if the cipher has "
        "cores for several sizes).",
    ),
    click.option("--direction", help="encrypt, decrypt or both (default: all directions of the mode)."),
    click.option("--cipher-cores", "--aes", type=int, help="Number of cipher cores (default: 1)."),
    click.option(
        "--cipher-arch", "--aes-arch",
        help="pipelined (except for a core that a sector uses once or twice), combined (one pipeline for both directions), sequential, or "
        "multistream: one round for several blocks at a time (default: pipelined). Stream modes take pipelined or multistream.",
    ),
    click.option(
        "--cipher-sbox", "--aes-sbox", help="S-boxes of the cipher: lut; AES also has bram (block memories), composite, bdd and compact.",
    ),
    click.option(
        "--cipher-stages", "--aes-stages", type=int,
        help="Registers in a round, or cycles for a round of a sequential core: 1 to 4 for AES, 1 or 2 for SM4 (default: 2).",
    ),
    click.option("--streams", type=int, help="With --cipher-arch multistream: blocks in one round, 1, 2 or 4 (default: 4)."),
    click.option("--mul", type=int, help="Number of multipliers (default: as many as the initiation interval needs)."),
    click.option(
        "--mul-arch",
        help="Multiplier: karatsuba, fan-hasan, mastrovito, or lut6 for 6-input LUTs, which also affects S-boxes and MixColumns "
        "(default: karatsuba).",
    ),
    click.option("--mul-stages", type=int, help="Pipeline registers in a multiplier, 1 to 8; stream modes also take 0 (default: 3)."),
    click.option("--squares", help="Squares of key values: setup computes them once for each key, fly in every sector (default: setup)."),
    click.option("--acc", type=int, help="Number of adders of terms (default: as many as the initiation interval needs)."),
    click.option("--lanes", type=int, help="Blocks per cycle at the input and at the output (default: the number of cipher cores)."),
    click.option("--terms", type=int, help="Largest number of terms in an operand (default: 4)."),
    click.option("--storage", help="lut, or bram: block memories for banks of more than 64 blocks, for long sectors (default: lut)."),
    click.option(
        "--key-slots", type=int,
        help=f"Number of keys that the core holds (default: 1; for messages {SLOTS}, or {RING} with --keys inline). A core for sectors "
        f"holds at most {MOST_SLOTS}, because a command has eight bits for the slot, and a core for messages at most {MOST_MESSAGE_SLOTS}.",
    ),
    click.option("--overlap", is_flag=True, help="Overlap sectors, even with a preset of a paper."),
    click.option("--no-overlap", "no_overlap", is_flag=True, help="Process one sector at a time, as in the papers."),
    click.option("--exact", is_flag=True, help="Search for the minimal latency with a solver."),
    click.option("--preset", help=f"Named set of options: {', '.join(PRESETS)}."),
]


NUMBERS_AND_NAMES = (
    "tweak", "cipher", "key_bits", "direction", "cipher_cores", "cipher_arch", "cipher_sbox", "cipher_stages", "streams", "mul",
    "mul_arch",
    "mul_stages", "squares", "acc", "lanes", "terms", "storage", "key_slots",
)  # fmt: skip
"""Options with the names of ``Options``.  They have no value if they are not given."""

optimize_option = click.option(
    "--optimize", type=click.IntRange(0, 3), default=2,
    help="Optimisation level of the C++ compiler for the simulation (default: 2). A lower level builds faster and runs slower.",
)  # fmt: skip


def unit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the unit options to a command."""
    for option in reversed(_UNIT_OPTIONS):
        command = option(command)
    return command


def options_from(values: dict[str, Any]) -> Options:
    """Options from the parameters of a command.  The unit options are removed from ``values``."""
    for name in (
        "blocks_per_cycle", "channels", "hold", "interface", "interface_bits", "key_derivers", "key_schedule", "key_schedules", "keys",
        "message_buffer", "order", "packet",
    ):  # fmt: skip
        if values.pop(name, None) is not None:
            raise InputError(f"--{name.replace('_', '-')} is an option of stream modes, but this mode is for sectors; leave it out")
    base = preset(values.pop("preset") or "default")
    changes: dict[str, Any] = {}
    overlap, alone = values.pop("overlap"), values.pop("no_overlap")
    if overlap and alone:
        raise InputError("--overlap and --no-overlap cannot be combined; give one of them")
    if overlap or alone:
        changes["overlap"] = overlap
    if values.pop("exact"):
        changes["exact"] = True
    if (sizes := values.pop("sector")) is not None:
        changes["sector"], *more = sizes
        changes["more_sectors"] = tuple(more)
    if values["key_bits"] == ALL:
        raise InputError("--key-bits all is for stream modes, but this mode is for sectors; give one size")
    for name in NUMBERS_AND_NAMES:
        value = values.pop(name)
        if value is not None:
            changes[name] = value
    return base.but(**changes)


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
