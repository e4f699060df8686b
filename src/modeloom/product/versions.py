# SPDX-License-Identifier: Apache-2.0
"""Versions of the tools that determine the bytes of a core."""

from __future__ import annotations

from importlib import metadata

from modeloom.version import VERSION

__all__ = ["versions"]


def versions() -> dict[str, str]:
    """Versions of this project, of Yosys (the one in pyosys) and of Amaranth."""
    return {"modeloom": VERSION, "yosys": metadata.version("pyosys"), "amaranth": metadata.version("amaranth")}
