# SPDX-License-Identifier: Apache-2.0
"""Cores of modes with several cipher keys, of the host or made by set-up, and of those that count, steal or need several ciphers."""

from __future__ import annotations

from typing import Any

import pytest
from tests.built import slow

SEARCH = {"restarts": 50, "cipher_stages": 1}
"""A short search and one register a round: small circuits, quickly built."""

XCB: tuple[str, dict[str, Any]] = ("xcb-1619", {"sector": 56, "key_bits": 192, "key_slots": 2, **SEARCH})
"""Three cipher keys that set-up makes, each of two words; a counter; bytes that move by wire; a partial block."""

XTS: tuple[str, dict[str, Any]] = ("xts", {"sector": 40, "key_slots": 2, "cipher_arch": "sequential", **SEARCH})
"""Two cipher keys that must differ; ciphertext stealing; one round of the cipher, so that it is built in little time."""

TET: tuple[str, dict[str, Any]] = ("tet", {"sector": 64, "more_sectors": (32, 96), "key_slots": 3, **SEARCH})
"""Two cipher keys and a word; inverses at each of three sizes."""

CORES: dict[str, tuple[str, dict[str, Any]]] = {
    "xcb-1619": XCB,
    "xts": XTS,
    "xts-pipelined": ("xts", {"sector": 56, "key_slots": 2, **SEARCH}),
    "xts-192": ("xts", {"sector": 48, "key_bits": 192, "key_slots": 3, "direction": "encrypt"}),
    "xts-256": ("xts", {"sector": 512, "key_bits": 256, "cipher_cores": 2}),
    "tet": TET,
    "xcb": ("xcb", {"sector": 64, "key_slots": 2}),
    "xcb-1619-decrypt": ("xcb-1619", {"sector": 64, "key_slots": 3, "direction": "decrypt", **SEARCH}),
    "eme2": ("eme2", {"sector": 56, "cipher_cores": 2, **SEARCH}),
    "eme": ("eme", {"sector": 64, **SEARCH}),
    "cmc": ("cmc", {"sector": 64, **SEARCH}),
    "hch": ("hch", {"sector": 64, **SEARCH}),
    "hctr": ("hctr", {"sector": 56, **SEARCH}),
}

EACH = [pytest.param(*core, id=name, marks=() if name == "xts" else slow) for name, core in CORES.items()]
"""Cases of ``parametrize``: one of them by default."""
