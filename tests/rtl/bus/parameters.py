# SPDX-License-Identifier: Apache-2.0
"""Sizes of buses from one list of names, for tests that vary a few of them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from modeloom.rtl.bus import DataParameters, KeyParameters
from modeloom.rtl.bus.sector import BufferParameters, BusParameters, SectorParameters

RENAMED = {"key_slots": "slots", "key_words": "words"}
"""Names that stand for a parameter of the keys."""


def bus_sizes(**sizes: Any) -> BusParameters:
    """The parts that have parameters of these names."""
    sizes = {RENAMED.get(name, name): value for name, value in sizes.items()}
    parts = {}
    for part, kind in (("sectors", SectorParameters), ("buffers", BufferParameters), ("data", DataParameters), ("keys", KeyParameters)):
        names = [field.name for field in fields(kind)]
        parts[part] = kind(**{name: sizes[name] for name in names if name in sizes})
    unknown = sizes.keys() - {field.name for part in parts.values() for field in fields(part)}
    if unknown:
        raise TypeError(f"no part of the buses has {', '.join(sorted(unknown))}")
    return BusParameters(**parts)
