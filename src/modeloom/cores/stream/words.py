# SPDX-License-Identifier: Apache-2.0
"""Words of the name of a core for messages: the mode, and one for each option that is not as it is by default."""

from __future__ import annotations

from dataclasses import asdict, replace

from modeloom.ciphers import cipher_of
from modeloom.compiler.options import Options
from modeloom.compiler.streams import CompiledStream, StreamOptions
from modeloom.cores.words import option_words

__all__ = ["name_words"]

WORDS = {
    "cipher": "{}", "key_bits": "k{}", "more_key_bits": "{}", "direction": "{}", "cipher_sbox": "{}_sbox", "cipher_stages": "round{}",
    "mul_arch": "{}", "mul_stages": "mulstages{}", "key_slots": "slots{}", "hold": "hold{}", "keys": "{}",
}  # fmt: skip
"""For each option what its value makes; an option without a word gives its name and value."""


def name_words(compiled: CompiledStream) -> tuple[str, ...]:
    """The mode, and a word for each option that differs."""
    mode, options = compiled.mode, compiled.options
    own = Options().on(cipher_of(mode, options.cipher))
    usual = replace(
        StreamOptions(), key_bits=own.key_bits, cipher=cipher_of(mode).name, cipher_sbox=own.cipher_sbox, cipher_stages=own.cipher_stages
    )
    chosen = asdict(options) | {"more_key_bits": "_".join(map(str, options.more_key_bits))}
    return (mode.name, *option_words(chosen, asdict(usual) | {"more_key_bits": ""}, WORDS))
