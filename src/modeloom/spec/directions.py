# SPDX-License-Identifier: Apache-2.0
"""The directions of a core. Ciphers, modes, their hardware and their options all use these names."""

from __future__ import annotations

__all__ = ["DIRECTIONS"]

DIRECTIONS = ("encrypt", "decrypt", "both")
"""Directions of a core.  A core for "both" is given the direction of each block or sector."""
