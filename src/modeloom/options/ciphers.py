# SPDX-License-Identifier: Apache-2.0
"""The options of the cipher that cores of all kinds have: their rows, and what a cipher makes of them."""

from __future__ import annotations

from typing import Protocol, Self, TypeVar

from modeloom.ciphers import CIPHERS, BlockCipher
from modeloom.options.row import Terms, Value, row, series
from modeloom.spec import InputError, UnknownName

__all__ = ["MULTIPLIERS", "OfCipher", "cipher", "cipher_arch", "cipher_sbox", "cipher_stages", "mul_arch", "on_cipher", "streams"]

MULTIPLIERS = ("karatsuba", "fan-hasan", "mastrovito", "lut6")
"""Multiplier circuits in ``rtl.gf128.architectures``."""

STAGES = 2
"""Default number of registers in a round, if the cipher supports as many."""


def cipher() -> str | None:
    """The field of the cipher."""
    return row(None, f"Block cipher: {', '.join(CIPHERS)} (default: that of the mode, usually AES).", word="{}")


def cipher_arch(values: tuple[str, ...], noun: str) -> str:
    """The field of the form of the cipher cores."""
    return row(
        "pipelined",
        "pipelined (except for a core that a sector uses once or twice), combined (one pipeline for both directions), sequential, or "
        "multistream: one round for several blocks at a time (default: pipelined). Stream modes take pipelined or multistream.",
        noun=noun, values=values, word="{}", older="aes_arch",
    )  # fmt: skip


def cipher_sbox() -> str | None:
    """The field of the S-boxes."""
    return row(
        None, "S-boxes of the cipher: lut; AES also has bram (block memories), composite, bdd and compact.", word="{}_sbox",
        older="aes_sbox",
    )  # fmt: skip


def cipher_stages() -> int | None:
    """The field of the registers in a round."""
    return row(
        None, "Registers in a round, or cycles for a round of a sequential core: 1 to 4 for AES, 1 or 2 for SM4 (default: 2).",
        word="round{}", older="aes_stages",
    )  # fmt: skip


def streams(sparse: bool = False) -> int | None:
    """The field of the blocks in a multistream core."""
    return row(
        None, "With --cipher-arch multistream: blocks in one round, 1, 2 or 4 (default: 4).", word="streams{}",
        terms=Terms(needs="--cipher-arch multistream"), sparse=sparse,
    )  # fmt: skip


def mul_arch() -> str:
    """The field of the multiplier circuit."""
    return row(
        "karatsuba",
        "Multiplier: karatsuba, fan-hasan, mastrovito, or lut6 for 6-input LUTs, which also affects S-boxes and MixColumns "
        "(default: karatsuba).",
        noun="multiplier", values=MULTIPLIERS, word="{}",
    )  # fmt: skip


class OfCipher(Protocol):
    """Options that have those of a cipher."""

    @property
    def key_bits(self) -> int | None: ...
    @property
    def cipher_arch(self) -> str: ...
    @property
    def cipher_sbox(self) -> str | None: ...
    @property
    def cipher_stages(self) -> int | None: ...
    @property
    def streams(self) -> int | None: ...

    def but(self, **changes: Value) -> Self:
        """A copy with some options changed."""


Some = TypeVar("Some", bound=OfCipher)


def on_cipher(options: Some, chosen: BlockCipher) -> Some:
    """A copy with the properties of a cipher filled in.  Raises ``InputError`` for options that the cipher does not support."""
    rounds = options.cipher_arch == "multistream"
    streams, stages = (_streams(options, chosen), None) if rounds else (None, _stages(options, chosen))
    key_bits = chosen.key_bits[0] if options.key_bits is None else options.key_bits
    if key_bits not in chosen.key_bits:
        raise InputError(f"--key-bits must be {series(chosen.key_bits)}, not {key_bits}")
    sbox = chosen.sboxes[0] if options.cipher_sbox is None else options.cipher_sbox
    if sbox not in chosen.sboxes:
        raise UnknownName("S-box", sbox, chosen.sboxes)
    return options.but(cipher=chosen.name, key_bits=key_bits, cipher_stages=stages, cipher_sbox=sbox, streams=streams)


def _stages(options: OfCipher, chosen: BlockCipher) -> int:
    """The number of registers in a round of a pipeline."""
    stages = min(STAGES, chosen.most_stages) if options.cipher_stages is None else options.cipher_stages
    if not 1 <= stages <= chosen.most_stages:
        raise InputError(f"--cipher-stages must be from 1 to {chosen.most_stages}, not {stages}")
    return stages


def _streams(options: OfCipher, chosen: BlockCipher) -> int:
    """The number of streams of a multistream core."""
    if not chosen.multistream:
        raise InputError(f"--cipher-arch multistream: {chosen.name} has no round core for several streams; choose another --cipher-arch")
    streams = chosen.streams[-1] if options.streams is None else options.streams
    if streams not in chosen.streams:
        raise InputError(f"--streams must be {series(chosen.streams)}, not {streams}")
    if options.cipher_stages is not None:
        raise InputError("--cipher-stages is for pipelines: --streams is the number of registers in the round; leave it out")
    if options.cipher_sbox not in (None, chosen.sboxes[0]):
        raise InputError(f"--cipher-sbox {options.cipher_sbox} is for pipelines; a multistream core has S-boxes {chosen.sboxes[0]}")
    return streams
