# SPDX-License-Identifier: Apache-2.0
"""Sectors for the firmware, with the results that the core must give, as a header in C.

Published vectors come first, if there are any of this mode, sector size and key size.  The software model has computed the others.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from initialisers import values

import modeloom
from modeloom.vectors import for_mode

__all__ = ["Example", "example_of", "headers"]

MOST_BYTES = 8192
"""Bytes of all sectors: the ROM has them twice."""


@dataclass(frozen=True)
class Example:
    """Sectors under a key."""

    mode: str
    key: bytes
    tweaks: Sequence[bytes]
    plain: Sequence[bytes]
    cipher: Sequence[bytes]
    published: int
    """How many of the first sectors are published vectors."""


def example_of(description: dict[str, Any], seed: int = 1) -> Example:
    """Sectors for a core of which this is ``core.json``."""
    size, tweak_bytes, cipher = description["sector_bytes"], description["tweak_bytes"], description["cipher"]
    generator = random.Random(seed)
    vectors = [
        test for test in for_mode(description["mode"], cipher)
        if test["result"] == "valid" and len(test["pt"]) == 2 * size and len(test["tweak"]) == 2 * tweak_bytes
        and len(test["key"]) == 2 * description["key_bytes"]
    ]  # fmt: skip
    key = bytes.fromhex(vectors[0]["key"]) if vectors else generator.randbytes(description["key_bytes"])
    count = max(1, min(16, MOST_BYTES // size))
    chosen = list({test["tweak"]: test for test in vectors if bytes.fromhex(test["key"]) == key}.values())[:count]
    tweaks, plain, results = ([bytes.fromhex(test[name]) for test in chosen] for name in ("tweak", "pt", "ct"))
    model = modeloom.model(description["definition"], key, cipher)
    while len(plain) < count:
        tweaks.append(generator.randbytes(tweak_bytes))
        plain.append(generator.randbytes(size))
        results.append(model.encrypt(tweaks[-1], plain[-1]))
    return Example(description["mode"], key, tweaks, plain, results, len(chosen))


def headers(description: dict[str, Any]) -> dict[str, str]:
    """``example.h``, for a core of which this is ``core.json``."""
    example = example_of(description)
    lines = [
        "#include <stdint.h>",
        f'#define MODE "{example.mode}"',
        f"enum {{ SECTORS = {len(example.plain)}, SECTOR_BYTES = {len(example.plain[0])}, TWEAK_BYTES = {len(example.tweaks[0])} }};",
        f"static const uint8_t KEY[] = {values(example.key)};",
        f"static const uint8_t TWEAKS[SECTORS][TWEAK_BYTES] = {{{','.join(values(one) for one in example.tweaks)}}};",
        f"static const uint8_t PLAIN[] = {values(b''.join(example.plain))};",
        f"static const uint8_t CIPHER[] = {values(b''.join(example.cipher))};", "",
    ]  # fmt: skip
    return {"example.h": "\n".join(lines)}
