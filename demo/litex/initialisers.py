# SPDX-License-Identifier: Apache-2.0
"""Bytes for the firmware, as initialisers in C."""

from __future__ import annotations

__all__ = ["Pool", "values"]


def values(data: bytes) -> str:
    """Bytes as an initialiser."""
    return f"{{{','.join(map(str, data))}}}"


class Pool:
    """One array for many strings of bytes, which may be parts of each other.

    Parameters
    ----------
    name : str
        The name of the array.
    """

    def __init__(self, name: str):
        self.name = name
        self.data = bytearray()

    def place(self, data: bytes) -> str:
        """An expression for the address of these bytes."""
        at = self.data.find(data)
        if at < 0:
            at = len(self.data)
            self.data += data
        return f"{self.name} + {at}"

    @property
    def text(self) -> str:
        """The definition of the array."""
        return f"static const uint8_t {self.name}[] = {values(bytes(self.data) or bytes(1))};"
