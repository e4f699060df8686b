# SPDX-License-Identifier: Apache-2.0
"""The directions of a core: the one vocabulary for ciphers and modes, their hardware and their options."""

from __future__ import annotations

__all__ = ["DIRECTIONS"]

DIRECTIONS = ("encrypt", "decrypt", "both")
"""What a core does; one for "both" is told the direction of each block or sector."""
