# SPDX-License-Identifier: Apache-2.0
"""Versions of the tools that determine the bytes of a core."""

from __future__ import annotations

from importlib import metadata

from modeloom.version import VERSION

__all__ = ["EXACT_TOOLS", "FRONT_TOOLS", "PACKAGES", "versions"]

PACKAGES = {"yosys": "pyosys"}
"""The packages of tools that have another name."""

EXACT_TOOLS = ("ortools",)
"""The tools that an exact schedule depends on, too."""

FRONT_TOOLS = ("systemrdl-compiler", "peakrdl-cheader")
"""The tools that the files of a front end depend on, too."""


def versions(*more: str) -> dict[str, str]:
    """Versions of this project, of Yosys (the one in pyosys) and of Amaranth, and those of ``more`` tools."""
    tools = dict.fromkeys(("yosys", "amaranth", *(name for name in more if name != "modeloom")))
    return {"modeloom": VERSION, **{name: metadata.version(PACKAGES.get(name, name)) for name in tools}}
