# SPDX-License-Identifier: Apache-2.0
"""Small cores for the tests of emission."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests import built
from tests.built import COMMAND

from modeloom.compiler.compile import Compiled
from modeloom.cores.sector import SectorCore

__all__ = ["COMMAND", "PARTIAL", "PLAIN", "SIZES", "SLOTS", "SMALLEST", "core", "folder", "made"]

PARTIAL: tuple[str, dict[str, Any]] = ("hctr2", {"sector": 40})
"""Both directions, a partial last block, two equal multipliers."""

PLAIN: tuple[str, dict[str, Any]] = ("heh-brw", {"sector": 32, "direction": "encrypt", "overlap": False})
"""One direction, sectors one after the other."""

SLOTS: tuple[str, dict[str, Any]] = ("heh-brw", {"sector": 48, "direction": "encrypt", "key_slots": 3, "key_bits": 192})
"""Slots that are no power of two, a key that ends in the middle of a beat."""

SIZES: tuple[str, dict[str, Any]] = ("xts", {"sector": 64, "more_sectors": (32, 40), "cipher_arch": "sequential", "key_slots": 3})
"""Both directions, three sizes, one of them with a partial block, two slots in use, keys that are refused."""

SMALLEST: tuple[str, dict[str, Any]] = ("xts", {"sector": 32, "direction": "encrypt", "cipher_arch": "sequential"})
"""What is emitted, and compiled by simulators, soonest: it multiplies nothing."""

SHORT = {"cipher_stages": 1, "restarts": 50, "prove": False}
"""One register a round, a short search, no proof."""


def core(choice: tuple[str, dict[str, Any]]) -> Compiled:
    """The compiled core of a choice."""
    return built.compiled(choice[0], **{**SHORT, **choice[1]})


def made(choice: tuple[str, dict[str, Any]]) -> SectorCore:
    """The same as what is emitted."""
    return SectorCore(core(choice))


def folder(choice: tuple[str, dict[str, Any]]) -> Path:
    """The emitted folder of a choice."""
    return built.folder(choice[0], **{**SHORT, **choice[1]})
