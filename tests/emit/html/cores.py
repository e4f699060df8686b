# SPDX-License-Identifier: Apache-2.0
"""Pages of cores of each kind, which are compiled and not emitted."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from tests import built
from tests.emit import emitted

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.cores.lwc import LwcCore
from modeloom.cores.sector import SectorCore
from modeloom.cores.stream import StreamCore
from modeloom.emit.html import html_datasheet
from modeloom.modes import find_any
from modeloom.product.core import Core

__all__ = ["CHOICES", "core_of", "page_of"]

SMALL = {"cipher_stages": 1, "restarts": 50, "prove": False}

CHOICES: dict[str, Any] = {
    "sectors": emitted.PLAIN, "sizes": emitted.SIZES, "partial": emitted.PARTIAL,
    "lanes": ("hctr2", {"sector": 64, "cipher_cores": 2}), "own": ("xcb-1619", {"sector": 48}),
    "gcm": ("gcm", {}), "ocb3": ("ocb3", {"blocks_per_cycle": 2}), "chained": ("ccm", {"channels": 4}), "pairs": ("aes-otr", {}),
    "two passes": ("deoxys-ii", {"direction": "encrypt"}), "derived": ("gcm-siv", {"keys": "derived"}),
    "held": ("gcm", {"direction": "decrypt", "hold": 256}), "lwc": ("ccm", {"interface": "lwc", "key_bits": 128}),
}  # fmt: skip
"""Modes with their options.  A stream mode is one that ``compile_stream`` takes."""

STREAMS = ("gcm", "ocb3", "ccm", "aes-otr", "deoxys-ii", "gcm-siv")


@lru_cache(maxsize=16)
def core_of(name: str) -> Core[Any]:
    """The core of a choice."""
    mode, options = CHOICES[name]
    if mode not in STREAMS:
        return SectorCore(built.compiled(mode, **{**SMALL, **options}))
    compiled = compile_stream(find_any(mode), StreamOptions(**options), prove=False)
    return LwcCore(compiled) if options.get("interface") == "lwc" else StreamCore(compiled)


@lru_cache(maxsize=16)
def page_of(name: str) -> str:
    """Its page."""
    core = core_of(name)
    return html_datasheet(core, core.describe("core", "modeloom build"))
