# SPDX-License-Identifier: Apache-2.0
"""The LUTs of a result of ``modeloom synth``, or of one of its blocks: those of logic, those as memories, and all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["all_luts", "lut_figure", "memory_luts"]


def memory_luts(figures: Mapping[str, Any]) -> int | None:
    """LUTs as memories and as shift registers, or None if they are not known."""
    memories = figures.get("memories") or {}
    return memories["lutram_luts"] + memories.get("srl_luts", 0) if "lutram_luts" in memories else None


def all_luts(figures: Mapping[str, Any]) -> int | None:
    """LUTs of logic, as memories and as shift registers together.  None for gates."""
    logic: int | None = figures.get("luts")
    return None if logic is None else logic + (memory_luts(figures) or 0)


def lut_figure(figures: Mapping[str, Any], kind: str) -> Any:
    """A figure of a table of areas: ``memory_luts``, ``all_luts``, one of the memories, or one by its name.  None if it is not known."""
    if kind in ("memory_luts", "all_luts"):
        return memory_luts(figures) if kind == "memory_luts" else all_luts(figures)
    memories = figures.get("memories") or {}
    return memories[kind] if kind in memories else figures.get(kind)
