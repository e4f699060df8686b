# SPDX-License-Identifier: Apache-2.0
"""Further operations of a stream mode on numbers.  They depend on lengths that are known only after the whole message."""

from __future__ import annotations

import operator
from typing import Any

from modeloom.spec.errors import DefinitionError
from modeloom.spec.numbers import Numbers

__all__ = ["Piece", "StreamNumbers"]


class Piece(int):
    """A block of a message with its length: a number with byte 0 in bits [7:0], padded with zeros.

    A sum with it is a plain number.
    """

    nbytes: int

    def __new__(cls, data: bytes) -> Piece:
        """The block that holds these bytes, one to a block's."""
        piece = super().__new__(cls, int.from_bytes(data, "little"))
        piece.nbytes = len(data)
        return piece


class StreamNumbers(Numbers):
    """Operations on integers, for stream modes."""

    def cut(self, block: int, piece: Any) -> int:
        """A block truncated to the length of a piece of the text, and padded with zeros."""
        if not isinstance(piece, Piece):
            raise DefinitionError("o.cut(block, piece) takes a block of text that a step was given as its second operand")
        return self.head(block, piece.nbytes)

    def pad10(self, block: int, piece: Any) -> int:
        """Adds a bit 1 behind the bytes of a piece, the first bit of the next byte.  A whole block is unchanged."""
        if not isinstance(piece, Piece):
            raise DefinitionError("o.pad10(block, piece) takes a block that a step was given as its second operand")
        return self.pad(block, piece.nbytes, 0x80)

    def number(self, value: int, first: int, nbytes: int) -> int:
        """A number as big-endian bytes of a block: ``nbytes`` of them from byte ``first`` on, beside zeros.

        In a step, it is a length, or a small number that depends on lengths of which there are only a few.
        """
        first, nbytes = operator.index(first), operator.index(nbytes)
        if first < 0 or nbytes < 1 or first + nbytes > self._block_bytes:
            raise DefinitionError(f"o.number() has no {nbytes} bytes from byte {first} on in a block of {self._block_bytes} bytes")
        if not 0 <= operator.index(value) < 1 << 8 * nbytes:
            raise DefinitionError(f"o.number(): {value} does not fit into {nbytes} bytes")
        return int.from_bytes(operator.index(value).to_bytes(nbytes, "big"), "little") << 8 * first

    def bit_lengths(self, first: int, second: int, order: str = "big") -> int:
        """Two lengths in bytes as numbers of bits.  Each takes half a block, and both are "big" or "little" endian."""
        if order not in ("big", "little"):
            raise DefinitionError(f'o.bit_lengths() takes order="big" or "little", not {order!r}')
        half = self._block_bytes // 2
        parts = (8 * operator.index(nbytes) for nbytes in (first, second))
        data = b"".join(bits.to_bytes(half, "big" if order == "big" else "little") for bits in parts)
        return int.from_bytes(data, "little")
