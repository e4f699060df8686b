# SPDX-License-Identifier: Apache-2.0
"""The words of the name of a core for messages: the mode, and a word for each option that does not have its default."""

from __future__ import annotations

from dataclasses import asdict, replace

from modeloom.ciphers import cipher_of
from modeloom.compiler.options import Options
from modeloom.compiler.stream_options import LWC_BITS
from modeloom.compiler.streams import CompiledStream, StreamOptions, default_cores, default_sizes
from modeloom.cores.words import option_words

__all__ = ["name_words"]

WORDS = {
    "cipher": "{}", "cipher_arch": "{}", "streams": "streams{}", "key_bits": "k{}", "direction": "{}", "blocks_per_cycle": "lanes{}",
    "cipher_sbox": "{}_sbox", "cipher_stages": "round{}",
    "mul_arch": "{}", "mul_stages": "mulstages{}", "key_slots": "slots{}", "hold": "hold{}", "channels": "channels{}", "keys": "{}",
    "packet": "{}", "order": "{}", "key_schedule": "{}_keys", "key_schedules": "schedules{}", "key_derivers": "derivers{}",
    "message_buffer": "buffer{}", "cipher_cores": "ciphers{}",
    "interface": "{}", "interface_bits": "words{}",
}  # fmt: skip
"""For each option, the word for its value.  An option that is not here gives its name and value."""


def name_words(compiled: CompiledStream) -> tuple[str, ...]:
    """The mode, and a word for each option that does not have its default."""
    mode, options = compiled.mode, compiled.options
    cipher = cipher_of(mode, options.cipher)
    own, (first, *more) = Options().on(cipher), default_sizes(mode, cipher)
    usual = replace(
        StreamOptions(), key_bits=first, more_key_bits=tuple(more), cipher=cipher_of(mode).name, cipher_sbox=own.cipher_sbox,
        cipher_stages=options.cipher_stages if options.streams else own.cipher_stages,
    )  # fmt: skip
    keys = replace(usual, keys=options.keys, interface=options.interface).on_keys(cipher)
    width = LWC_BITS[0] if options.interface == "lwc" else None
    usual = replace(keys, keys=usual.keys, interface=usual.interface, interface_bits=width)
    usual = replace(usual, cipher_cores=default_cores(compiled.plan, options.channels))
    return (mode.name, *option_words(_values(options), _values(usual), WORDS))


def _values(options: StreamOptions) -> dict[str, object]:
    """The options by name.  All key sizes together are one value."""
    values = asdict(options)
    values["key_bits"] = "_".join(map(str, (options.key_bits, *values.pop("more_key_bits"))))
    return values
