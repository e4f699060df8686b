# SPDX-License-Identifier: Apache-2.0
"""The LUTs of a result of ``modeloom synth``, or of one of its blocks: those of logic, those as memories, and all."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["all_luts", "blocks_of", "lut_figure", "memory_luts"]


def _memories(figures: Mapping[str, object]) -> Mapping[str, int]:
    found = figures.get("memories")
    return found if isinstance(found, Mapping) else {}


def blocks_of(result: Mapping[str, object]) -> Mapping[str, Mapping[str, object]]:
    """The figures of the blocks, which are empty if the core was mapped as a whole only."""
    found = result.get("blocks")
    return found if isinstance(found, Mapping) else {}


def memory_luts(figures: Mapping[str, object]) -> int | None:
    """LUTs as memories and as shift registers, or None if they are not known."""
    memories = _memories(figures)
    return memories["lutram_luts"] + memories.get("srl_luts", 0) if "lutram_luts" in memories else None


def all_luts(figures: Mapping[str, object]) -> int | None:
    """LUTs of logic, as memories and as shift registers together.  None for gates."""
    logic = figures.get("luts")
    return logic + (memory_luts(figures) or 0) if isinstance(logic, int) else None


def lut_figure(figures: Mapping[str, object], kind: str) -> float | None:
    """A figure of a table of areas: ``memory_luts``, ``all_luts``, one of the memories, or one by its name.  None if it is not known."""
    if kind in ("memory_luts", "all_luts"):
        return memory_luts(figures) if kind == "memory_luts" else all_luts(figures)
    found = _memories(figures).get(kind, figures.get(kind))
    return found if isinstance(found, (int, float)) else None
