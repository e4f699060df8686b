# SPDX-License-Identifier: Apache-2.0
"""Counters in blocks: numbers of 32, 64 or 128 bits that ``o.add`` adds to.

A block is read as one number, in the byte order of the counter.  Its lowest bits are the counter.  No other bit changes::

    byte     0 ... n-5 n-4 n-3 n-2 n-1
    big      unchanged  counter, most significant byte first     CTR of SP 800-38A (128), GCM and XCB (32)
    little   counter, least significant byte first  unchanged    GCM-SIV (32)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Literal, NamedTuple, TypeVar

from modeloom.spec.errors import DefinitionError

__all__ = ["BYTE_ORDERS", "COUNTERS", "Amount", "Counter", "checked_order", "counter_name"]


# -- amounts ---------------------------------------------------------------------------------------------------------------------------

# Small numbers that are known when a message comes, and by which a step moves or scales a block.
#
#     number of the block ──▶ ntz ────────────┐
#     nonce, lengths ──▶ block ──▶ last bits ─┴──▶ block << amount, block * x^amount

W = TypeVar("W")
"""How a graph names a block: by its node, or by its form."""


@dataclass(frozen=True)
class Amount(Generic[W]):
    """A number that is known when a message comes.

    Attributes
    ----------
    kind : str
        "index", the number of a block; "ntz", the number of its trailing zeros; or "bits", some bits of a block that the message gives.
    what : int or Form or None
        For "bits": the node of this block, or its form.
    bits : int
        Its width: it is less than 2^bits.
    plus : int
        What is added to it.
    """

    kind: str
    what: W | None = None
    bits: int = 0
    plus: int = 0


# -- counters --------------------------------------------------------------------------------------------------------------------------

T = TypeVar("T")

ByteOrder = Literal["little", "big"]

BYTE_ORDERS: dict[str, ByteOrder] = {"big": "big", "little": "little"}
"""The orders of the bytes of a number."""


def checked_order(order: str, mode: str = "") -> ByteOrder:
    """The order of bytes of ``o.bit_lengths``.  Raises ``DefinitionError`` for another one; *mode* is what its text begins with."""
    try:
        return BYTE_ORDERS[order]
    except KeyError:
        raise DefinitionError(f'{mode}o.bit_lengths() takes order="big" or "little", not {order!r}') from None


class Counter(NamedTuple):
    """A counter of ``bits`` bits.  ``order`` is "big" for a big-endian counter at the end of a block, "little" for one at its front."""

    bits: int
    order: ByteOrder

    def low(self, block_bits: int) -> int:
        """Its lowest bit in a block of so many bits."""
        return {"little": 0, "big": block_bits - self.bits}[self.order]

    def ascending(self, parts: Sequence[T]) -> Sequence[T]:
        """Its bytes as they are in a block, from the least significant one on."""
        return {"little": parts, "big": parts[::-1]}[self.order]

    def of(self, block: int, block_bytes: int) -> int:
        """The number in the counter of a block."""
        return int.from_bytes(block.to_bytes(block_bytes, "little"), self.order) & (1 << self.bits) - 1

    def add(self, block: int, number: int, block_bytes: int) -> int:
        """Adds ``number`` to the counter of a block (byte 0 in bits [7:0]), modulo 2^bits."""
        whole, mask = int.from_bytes(block.to_bytes(block_bytes, "little"), self.order), (1 << self.bits) - 1
        return int.from_bytes((whole & ~mask | whole + number & mask).to_bytes(block_bytes, self.order), "little")


COUNTERS = {
    "add": Counter(32, "big"), "add64": Counter(64, "big"), "add128": Counter(128, "big"),
    "add32le": Counter(32, "little"), "add64le": Counter(64, "little"), "add128le": Counter(128, "little"),
}  # fmt: skip
"""All counters, by the names of the operations on them."""


def counter_name(bits: int, order: str, block_bytes: int) -> str:
    """Name of the operation that adds to a counter.  Raises ``DefinitionError`` if there is none, or if a block cannot hold it."""
    asked = bits, order
    for name, counter in COUNTERS.items():
        if counter == asked:
            if bits > 8 * block_bytes:
                raise DefinitionError(f"o.add(): a counter of {bits} bits does not fit into a block of {block_bytes} bytes")
            return name
    raise DefinitionError(f'o.add() takes bits=32, 64 or 128 and order="big" or "little", not bits={bits!r} and order={order!r}')
