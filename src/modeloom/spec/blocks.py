# SPDX-License-Identifier: Apache-2.0
"""A sector or a tweak as a list of blocks, of which the last one may be partial.

A partial last block holds its bytes first, followed by zeros::

    byte   0 … tail-1     tail … n/8-1
           data           0
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, Self, TypeVar, overload

__all__ = ["B", "Block", "Blocks"]


class Block(Protocol):
    """A block in a definition: a number in the software model, a symbol in the tracer."""

    def __xor__(self, other: Self, /) -> Self: ...


B = TypeVar("B", bound=Block)
"""The blocks on which a definition runs."""


class Blocks(Sequence[B]):
    """A sequence of blocks with its length in bytes.

    Parameters
    ----------
    values : iterable
        The blocks: numbers in the software model, symbolic values in the tracer.
    nbytes : int
        Total number of bytes.  The last block holds the remainder.
    block_bytes : int
        Bytes in a block.
    """

    def __init__(self, values: Iterable[B], nbytes: int, block_bytes: int = 16):
        self._values = tuple(values)
        self.nbytes = nbytes
        self.block_bytes = block_bytes
        if len(self._values) != -(-nbytes // block_bytes):
            raise ValueError(f"{nbytes} bytes are not {len(self._values)} blocks of {block_bytes} bytes")

    @property
    def tail(self) -> int:
        """Number of bytes in the last block: ``block_bytes`` unless it is partial."""
        return (self.nbytes - 1) % self.block_bytes + 1 if self.nbytes else self.block_bytes

    @property
    def whole(self) -> bool:
        """Whether the last block is whole, too."""
        return self.nbytes % self.block_bytes == 0

    @property
    def lengths(self) -> list[int]:
        """Number of bytes in each block."""
        return [self.block_bytes] * (len(self) - 1) + [self.tail] if len(self) else []

    def __len__(self) -> int:
        return len(self._values)

    @overload
    def __getitem__(self, index: int) -> B: ...
    @overload
    def __getitem__(self, index: slice) -> Blocks[B]: ...
    def __getitem__(self, index: int | slice) -> B | Blocks[B]:
        if not isinstance(index, slice):
            if not -len(self) <= index < len(self):
                raise IndexError(f"there is no block {index}: {self.nbytes} bytes have {len(self)}")
            return self._values[index]
        start, stop, step = index.indices(len(self))
        if step != 1:
            raise ValueError("blocks are sliced with step 1")
        nbytes = min(self.nbytes, stop * self.block_bytes) - min(self.nbytes, start * self.block_bytes)
        return Blocks(self._values[start:stop], max(0, nbytes), self.block_bytes)

    def __repr__(self) -> str:
        return f"<{len(self)} blocks>"

    def like(self, values: Iterable[B]) -> Blocks[B]:
        """Makes blocks of the same lengths from other values."""
        return Blocks(values, self.nbytes, self.block_bytes)
