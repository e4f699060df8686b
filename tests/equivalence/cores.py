# SPDX-License-Identifier: Apache-2.0
"""Small cores for the tests of equivalence."""

from __future__ import annotations

from typing import Any

from tests.built import SEQUENTIAL

from modeloom.options.sectors import PRESETS

__all__ = ["CORES", "ONE"]

ONE: dict[str, Any] = {"cipher_arch": "sequential", "cipher_stages": 1, "restarts": 20}

CORES: dict[str, tuple[str, dict[str, Any]]] = {
    "hctr2": ("hctr2", SEQUENTIAL),
    "xts": ("xts", {"sector": 64, **ONE}),
    "slots of two keys": ("xts", {"sector": 32, "key_slots": 2, **ONE}),
    "combined": ("heh-poly", {"sector": 32, "cipher_arch": "combined", "cipher_stages": 1, "restarts": 20}),
    "one form of round keys": ("hctr", {"sector": 32, "cipher": "sm4", **ONE}),
    "multistream": (
        "xts",
        {"sector": 64, "more_sectors": (40,), "key_slots": 2, "cipher_arch": "multistream", "streams": 4, "restarts": 20},
    ),
    "unregistered": ("xcb", {**PRESETS["tes2010-sequential"], "sector": 64, "restarts": 20}),
}
"""Two key slots and a set-up; two cipher keys and chains of masks; two keys in each of two slots, whose number comes from two signals;
a cipher that takes batches, and two sizes; adders whose numbers have few bits; pipelines for both directions; a cipher whose inverse has
the same round keys."""
