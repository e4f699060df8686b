# SPDX-License-Identifier: Apache-2.0
"""Words of the name of a core: the mode, its sector sizes, and a word for each option that differs from its default."""

from __future__ import annotations

from dataclasses import replace

from modeloom.ciphers import AES, cipher_of
from modeloom.compiler.compile import Compiled
from modeloom.compiler.streams import CipherNumbers, CompiledStream, default_sizes
from modeloom.options.messages import StreamOptions
from modeloom.options.sectors import Options

__all__ = ["sector_words", "stream_words"]

FIRST_OF_SECTORS = (
    "cipher", "key_bits", "direction", "tweak", "cipher_cores", "cipher_arch", "cipher_sbox", "streams", "cipher_stages",
)  # fmt: skip
FIRST_OF_MESSAGES = (
    "cipher", "cipher_arch", "streams", "key_bits", "direction", "blocks_per_cycle", "cipher_sbox", "cipher_stages", "mul_arch",
    "mul_stages", "key_slots", "hold", "channels", "keys", "packet", "order", "key_schedule", "key_schedules", "key_derivers",
    "message_buffer",
)  # fmt: skip
"""The options whose words come first.  Words of other options follow in the order of their rows."""


def sector_words(compiled: Compiled) -> tuple[str, ...]:
    """The words of a core for sectors."""
    mode, options = compiled.mode, compiled.options
    usual = replace(Options().of(mode).on(cipher_of(mode, options.cipher)), cipher=cipher_of(mode).name)
    other = {} if options.cipher == AES.name else {"cipher_cores": "cores{}"}
    return mode.name, *(str(one.source.nbytes) for one in compiled.sizes), *options.words(usual, FIRST_OF_SECTORS, **other)


def stream_words(compiled: CompiledStream) -> tuple[str, ...]:
    """The words of a core for messages."""
    mode, options = compiled.mode, compiled.options
    cipher = cipher_of(mode, options.cipher)
    first, *more = default_sizes(mode, cipher)
    # What follows from where keys come from, and from the interface, needs no word of its own.
    usual = replace(
        StreamOptions(key_bits=first, keys=options.keys, interface=options.interface).on(cipher), more_key_bits=tuple(more),
        cipher=cipher_of(mode).name, keys=StreamOptions.keys, interface=StreamOptions.interface,
        cipher_cores=CipherNumbers.of(compiled.plan, options.channels).usual,
    )  # fmt: skip
    return mode.name, *options.words(usual, FIRST_OF_MESSAGES)
