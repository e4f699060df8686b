# SPDX-License-Identifier: Apache-2.0
"""What every layer knows of the sizes of the layers inside of it."""

from __future__ import annotations

from typing import Protocol

from modeloom.interfaces import Interface
from modeloom.interfaces.table import CoreShape

__all__ = ["Sizes"]


class Sizes(CoreShape, Protocol):
    """The sizes of the buses of a core."""

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The interfaces of the core."""

    @property
    def most_commands(self) -> int:
        """Commands of a channel that the core takes without a status."""

    @property
    def most_packets(self) -> int:
        """Packets of a channel that the core takes without a status."""

    @property
    def erase_words(self) -> int:
        """The number of words of the deepest memory."""

    @property
    def flush(self) -> int:
        """The largest number of cycles that a value takes through registers without a reset."""
