# SPDX-License-Identifier: Apache-2.0
"""The cores that stand inside the front ends of these tests."""

from __future__ import annotations

from typing import Any

from tests import built, streamed

from modeloom.cores.sector import SectorCore
from modeloom.cores.stream import StreamCore

SECTORS = {"sector": 64, "key_slots": 3, "cipher_arch": "sequential", "cipher_sbox": "bram"}
MESSAGES = {"key_bits": 128, "key_slots": 3, "cipher_arch": "multistream", "streams": 1}


def sector_core() -> SectorCore:
    """A core for sectors."""
    return SectorCore(built.compiled("xts", prove=False, **SECTORS))


def message_core(mode: str = "ccm", **options: Any) -> StreamCore:
    """A core for messages."""
    return StreamCore(streamed.compiled(mode, prove=False, **{**MESSAGES, **options}))
