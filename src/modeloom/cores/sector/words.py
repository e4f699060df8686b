# SPDX-License-Identifier: Apache-2.0
"""Words of the name of a core for sectors: mode, sector sizes, and a word for each option that differs from its default."""

from __future__ import annotations

from dataclasses import asdict, replace

from modeloom.ciphers import AES, cipher_of
from modeloom.compiler.compile import Compiled
from modeloom.compiler.options import Options
from modeloom.cores.words import option_words

__all__ = ["name_words"]

WORDS = {
    "cipher": "{}",
    "key_bits": "k{}",
    "direction": "{}",
    "tweak": "t{}",
    "cipher_cores": "aes{}",
    "cipher_arch": "{}",
    "cipher_sbox": "{}_sbox",
    "streams": "streams{}",
    "cipher_stages": "round{}",
    "mul": "mul{}",
    "mul_arch": "{}",
    "mul_stages": "mulstages{}",
    "squares": "{}",
    "acc": "acc{}",
    "lanes": "lanes{}",
    "terms": "terms{}",
    "storage": "{}",
    "key_slots": "slots{}",
    "overlap": "plain",
    "exact": "exact",
    "registered": "unregistered",
    "restarts": "search{}",
}
"""The word for the value of each option.  For an option that is not in the table, the word is its name and value."""

def name_words(compiled: Compiled) -> tuple[str, ...]:
    """The mode, its sector sizes, and a word for each option that differs from its default."""
    mode, options = compiled.mode, compiled.options
    usual = asdict(replace(Options().of(mode).on(cipher_of(mode, options.cipher)), cipher=cipher_of(mode).name))
    named = dict(WORDS)
    if options.cipher != AES.name:
        named["cipher_cores"] = "cores{}"
    chosen = {name: value for name, value in asdict(options).items() if name not in ("sector", "more_sectors")}
    return (mode.name, *(str(one.source.nbytes) for one in compiled.sizes), *option_words(chosen, usual, named))
