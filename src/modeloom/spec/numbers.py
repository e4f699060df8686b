# SPDX-License-Identifier: Apache-2.0
"""The operations of a mode on numbers: with them a definition is the software model.

A block is an ``int`` with byte 0 in bits [7:0]; XOR is Python's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from modeloom.spec.field import Field

__all__ = ["Cipher", "Numbers"]


class Cipher(Protocol):
    """A keyed block cipher on bytes."""

    def encrypt(self, block: bytes) -> bytes: ...
    def decrypt(self, block: bytes) -> bytes: ...


class Numbers:
    """Operations on integers.

    Parameters
    ----------
    field : Field
        Field and bit order of the products.
    cipher : Cipher
        The keyed cipher behind ``enc`` and ``dec``.
    """

    def __init__(self, field: Field, cipher: Cipher):
        self.field = field
        self.cipher = cipher
        self._block_bytes = field.width // 8
        self._powers: dict[tuple[int, int], int] = {}
        self._tables: dict[int, list[list[int]]] = {}

    def const(self, value: int) -> int:
        """The block whose little-endian number is ``value``."""
        return value

    def enc(self, block: int) -> int:
        """Block cipher, forward."""
        return int.from_bytes(self.cipher.encrypt(block.to_bytes(self._block_bytes, "little")), "little")

    def dec(self, block: int) -> int:
        """Block cipher, inverse."""
        return int.from_bytes(self.cipher.decrypt(block.to_bytes(self._block_bytes, "little")), "little")

    def mul(self, a: int, b: int) -> int:
        """Product in the mode's field."""
        return self.field.mul(a, b)

    def double(self, block: int, times: int = 1) -> int:
        """block * x^times."""
        return self.field.scale(block, times)

    def power(self, h: int, exponent: int) -> int:
        """h^exponent of a key value h; in hardware computed at key set-up."""
        if (h, exponent) not in self._powers:
            self._powers[h, exponent] = self.field.power(h, exponent)
        return self._powers[h, exponent]

    def poly(self, h: int, blocks: Sequence[int]) -> int:
        """X_1 h^m + X_2 h^(m-1) + ... + X_m h for a key value h."""
        total = 0
        for block in blocks:
            total = self._mul_by_key(total ^ block, h)
        return total

    def head(self, block: int, nbytes: int) -> int:
        """The first ``nbytes`` bytes of a block, zeros behind them."""
        return block & ((1 << 8 * nbytes) - 1)

    def pad(self, block: int, nbytes: int, byte: int) -> int:
        """A block of ``nbytes`` bytes with ``byte`` put behind them; unchanged if it is whole."""
        return block if nbytes == self._block_bytes else block ^ (byte << 8 * nbytes)

    def _mul_by_key(self, a: int, h: int) -> int:
        # A table a byte of a: 16 look-ups and XORs instead of a 128-step product, for the long runs of a hash.
        table = self._tables.get(h)
        if table is None:
            basis = [self.field.mul(1 << i, h) for i in range(self.field.width)]
            table = []
            for byte in range(self._block_bytes):
                row = [0]
                for bit in basis[8 * byte : 8 * byte + 8]:
                    row += [entry ^ bit for entry in row]
                table.append(row)
            self._tables[h] = table
        result = 0
        for row, byte in zip(table, a.to_bytes(self._block_bytes, "little")):
            result ^= row[byte]
        return result
