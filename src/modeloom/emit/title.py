# SPDX-License-Identifier: Apache-2.0
"""The name of a core: mode, sector sizes, and a word for each option that is not as it is by default.

::

    modeloom build hctr2                                      ──▶  hctr2_512
    modeloom build hctr2 --sector 4096 --key-bits 256 --cipher-cores 2 ──▶  hctr2_4096_k256_aes2

All modules, files and the FuseSoC name begin with it, so that two cores of one mode can stand in one design.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import asdict, fields, replace
from typing import Any

from modeloom.ciphers import AES, cipher_of
from modeloom.compiler.options import Options
from modeloom.emit.names import KEYWORDS
from modeloom.spec import InputError

__all__ = ["core_name"]

LONGEST = 48
"""Characters of a name that is made; of a longer one the end gives way to its hash."""

HASH = 8
"""Hexadecimal digits of that hash."""

WORDS = {
    "cipher": "{}",
    "key_bits": "k{}",
    "direction": "{}",
    "tweak": "t{}",
    "cipher_cores": "aes{}",
    "cipher_arch": "{}",
    "cipher_sbox": "{}_sbox",
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
"""For each option what its value makes; an option without a word gives its name and value."""

ABBREVIATED = {"encrypt": "enc", "decrypt": "dec", "both": "encdec", "sequential": "seq"}


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def _words(compiled: Any) -> list[str]:
    """A word for each option that differs."""
    mode, options = compiled.mode, compiled.options
    usual = asdict(replace(Options().of(mode).on(cipher_of(mode, options.cipher)), cipher=cipher_of(mode).name))
    chosen = asdict(options)
    names = [*WORDS, *sorted(field.name for field in fields(Options) if field.name not in WORDS)]
    words = []
    for name in names:
        value = chosen[name]
        # None takes the default, too.
        if value not in (None, usual[name]) and name not in ("sector", "more_sectors"):
            word = "cores{}" if name == "cipher_cores" and options.cipher != AES.name else WORDS.get(name, name + "{}")
            words.append(_plain(word.format(ABBREVIATED.get(value, value))))
    return words


def core_name(compiled: Any, name: str | None = None) -> str:
    """The given name, checked, or one made of mode, sector sizes and options; raises ``InputError``."""
    if name is None:
        sizes = [str(one.source.nbytes) for one in compiled.sizes]
        name = "_".join([_plain(compiled.mode.name), *sizes, *_words(compiled)])
        if len(name) > LONGEST:
            name = f"{name[: LONGEST - HASH - 1].rstrip('_')}_{hashlib.sha256(name.encode()).hexdigest()[:HASH]}"
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,62}", name) or name in KEYWORDS:
        raise InputError(
            f"{name!r} cannot be the name of a core; use letters, digits and underscores, begin with a letter, and do not use a "
            "Verilog keyword"
        )
    return name
