# SPDX-License-Identifier: Apache-2.0
"""Further operations of a stream mode on numbers.  They depend on what is known only when a message comes: lengths, the number of a
block, bits of the nonce.

As in most standards, the bits of a block are a string.  Its first bit is the highest one of byte 0::

    block bit     7  6 ... 0   15  14 ... 8   ...
    of string     1  2 ... 8    9  10 ... 16  ...
"""

from __future__ import annotations

import operator

from modeloom.spec.errors import DefinitionError
from modeloom.spec.numbers import Numbers
from modeloom.spec.stream import Nonce

__all__ = ["Piece", "StreamNumbers", "shifted", "trailing_zeros"]


def shifted(block: int, bits: int, block_bytes: int) -> int:
    """A block whose string moves this many bits to the front, or to the end for a number below 0."""
    string = int.from_bytes(block.to_bytes(block_bytes, "little"), "big")
    string = string << bits & (1 << 8 * block_bytes) - 1 if bits >= 0 else string >> -bits
    return int.from_bytes(string.to_bytes(block_bytes, "big"), "little")


def trailing_zeros(number: int) -> int:
    """The number of trailing zeros of a number that is not 0."""
    return (number & -number).bit_length() - 1


class Piece(int):
    """A block of a message with its length: a number with byte 0 in bits [7:0], padded with zeros.

    A sum with it is a plain number.  The number of a block of a pair is that of the pair.
    """

    nbytes: int
    number: int

    def __new__(cls, data: bytes, number: int = 1) -> Piece:
        """The block that holds these bytes, one to a block's, and that is the block with this number of its part, from 1."""
        piece = super().__new__(cls, int.from_bytes(data, "little"))
        piece.nbytes, piece.number = len(data), number
        return piece


class StreamNumbers(Numbers):
    """Operations on integers, for stream modes."""

    def cut(self, block: int, piece: object) -> int:
        """A block truncated to the length of a piece of the text, and padded with zeros."""
        if not isinstance(piece, Piece):
            raise DefinitionError("o.cut(block, piece) takes a block of text that a step was given as its second operand")
        return self.head(block, piece.nbytes)

    def pad10(self, block: int, piece: object) -> int:
        """Adds a bit 1 behind the bytes of a piece, the first bit of the next byte.  A whole block is unchanged."""
        if not isinstance(piece, Piece):
            raise DefinitionError("o.pad10(block, piece) takes a block that a step was given as its second operand")
        return self.pad(block, piece.nbytes, 0x80)

    def if_whole(self, block: int, piece: object) -> int:
        """A block, or zero if a piece is not whole."""
        if not isinstance(piece, Piece):
            raise DefinitionError("o.if_whole(block, piece) takes a block that a step was given as its second operand")
        return block if piece.nbytes == self._block_bytes else 0

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
        parts = [8 * operator.index(nbytes) for nbytes in (first, second)]
        if max(parts) >> 8 * half:
            raise DefinitionError(
                f"o.bit_lengths() writes a length with {8 * half} bits, in which the bits of {max(parts) // 8} bytes have no room; "
                "state a smaller most_text or most_associated"
            )
        data = b"".join(bits.to_bytes(half, "big" if order == "big" else "little") for bits in parts)
        return int.from_bytes(data, "little")

    def index(self, piece: object) -> int:
        """The number of a block among the blocks of associated data, or of text, from 1."""
        if not isinstance(piece, Piece):
            raise DefinitionError("o.index(piece) takes a block that a step was given as its second operand")
        return piece.number

    def ntz(self, number: int) -> int:
        """The number of trailing zeros of a number that is not 0."""
        return trailing_zeros(operator.index(number))

    def last_bits(self, block: int, bits: int) -> int:
        """The number in the last bits of a block."""
        return int.from_bytes(int(block).to_bytes(self._block_bytes, "little"), "big") % (1 << operator.index(bits))

    def prefix(self, block: int, bits: int) -> int:
        """The first bits of a block, followed by zeros."""
        rest = self.field.width - operator.index(bits)
        return self.shift(self.shift(block, -rest), rest)

    def window(self, first: int, second: int, start: int) -> int:
        """As many bits as a block has of the string of two blocks, without its first ``start`` bits.  That is at most a block."""
        return self.shift(first, start) ^ self.shift(second, start - self.field.width)

    def shift(self, block: int, bits: int) -> int:
        """A block whose bits move this far to the front, or to the end for a number below 0.  Zeros come in at the other end."""
        return shifted(int(block), operator.index(bits), self._block_bytes)

    def pad01(self, nonce: Nonce[int, int]) -> int:
        """A nonce at the end of a block, behind zeros and a bit 1.  A nonce as long as a block is unchanged."""
        return self.front01(nonce.block, nonce.nbytes)

    def front01(self, block: int, nbytes: int) -> int:
        """The same, from the bytes of the nonce, which are padded with zeros."""
        return ((block << 8) + 1) << 8 * (self._block_bytes - nbytes - 1) if nbytes < self._block_bytes else block
