# SPDX-License-Identifier: Apache-2.0
"""All published vectors of AES: FIPS 197, NIST's CAVP files, those of Botan."""

from __future__ import annotations

from functools import cache

from modeloom import vectors

COUNTS = {128: 955, 192: 897, 256: 1327}
"""Tests with keys of this size; most are one block."""


@cache
def published(key_bits: int) -> dict[bytes, list[tuple[bytes, bytes]]]:
    """Blocks and their ciphertexts by key."""
    found: dict[bytes, dict[tuple[bytes, bytes], None]] = {}
    number = 0
    for name in ("aes_fips197", "aes_cavp", "aes_botan"):
        for test in vectors.load(name)["tests"]:
            key, pt, ct = (bytes.fromhex(test[member]) for member in ("key", "pt", "ct"))
            if 8 * len(key) == key_bits:
                number += 1
                pairs = ((pt[at : at + 16], ct[at : at + 16]) for at in range(0, len(pt), 16))
                found.setdefault(key, {}).update(dict.fromkeys(pairs))
    assert number == COUNTS[key_bits]
    return {key: list(pairs) for key, pairs in found.items()}
