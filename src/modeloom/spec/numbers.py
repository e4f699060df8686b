# SPDX-License-Identifier: Apache-2.0
"""The operations of a mode on numbers. With them, a definition is the software model.

A block is an ``int`` with byte 0 in bits [7:0].  XOR is the operator ``^`` of Python.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Protocol

from modeloom.spec.counters import COUNTERS, counter_name
from modeloom.spec.errors import DefinitionError, InputError
from modeloom.spec.field import Field
from modeloom.spec.keyed import CipherKey
from modeloom.spec.kinds import OPERATIONS

__all__ = ["Cipher", "Numbers"]


class Cipher(Protocol):
    """A keyed block cipher on bytes."""

    def encrypt(self, block: bytes, /, *tweak: bytes) -> bytes: ...
    def decrypt(self, block: bytes, /, *tweak: bytes) -> bytes: ...


class Numbers:
    """Operations on integers.

    Parameters
    ----------
    field : Field
        Field and bit order of the products.
    ciphers : sequence of Cipher
        The cipher, keyed with each cipher key of the mode.
    keyed : callable or None
        ``keyed(key)`` is the cipher with a key of type bytes.  It is needed for keys that the set-up makes.
    key_bytes : int
        Bytes in a cipher key.

    Attributes
    ----------
    blocks : int
        Number of blocks in a sector, for a set-up that depends on it.
    """

    blocks: int = 0

    def __init__(
        self, field: Field, ciphers: Sequence[Cipher], keyed: Callable[[bytes], Cipher] | None = None, key_bytes: int = 16
    ):  # fmt: skip
        self.field = field
        self.ciphers = list(ciphers)
        self._keyed, self._key_bytes = keyed, key_bytes
        self._block_bytes = field.width // 8
        self._powers: dict[tuple[int, int], int] = {}
        self._tables: dict[int, list[list[int]]] = {}

    def __getattr__(self, name: str) -> Callable[..., int]:
        operation = OPERATIONS.get(name)
        if operation is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

        def operate(*args: int, key: CipherKey | None = None) -> int:
            operands, rest = args[: operation.operands], args[operation.operands :]
            return operation.on_numbers(self, operands, key.number if key else operator.index(rest[0]) if rest else 0)

        return operate

    def const(self, value: int) -> int:
        """The block that holds ``value`` as a little-endian number."""
        return operator.index(value)

    def enc(self, block: int, key: CipherKey | None = None) -> int:
        """Encrypts a block under a cipher key (default: the first one of the mode)."""
        return self._enciphered("enc", "encrypt", key, block)

    def dec(self, block: int, key: CipherKey | None = None) -> int:
        """Decrypts a block under a cipher key (default: the first one of the mode)."""
        return self._enciphered("dec", "decrypt", key, block)

    def tenc(self, block: int, tweak: int, key: CipherKey | None = None) -> int:
        """Encrypts a block by a tweakable cipher, under a tweak and a cipher key (default: the first one of the mode)."""
        return self._enciphered("tenc", "encrypt", key, block, tweak)

    def tdec(self, block: int, tweak: int, key: CipherKey | None = None) -> int:
        """Decrypts a block by a tweakable cipher, under a tweak and a cipher key (default: the first one of the mode)."""
        return self._enciphered("tdec", "decrypt", key, block, tweak)

    def _enciphered(self, word: str, direction: str, key: CipherKey | None, *operands: int) -> int:
        cipher = self.ciphers[key.number if key else 0]
        tweakable = bool(getattr(cipher, "tweak_bytes", 0))
        if tweakable != (len(operands) > 1):
            other = word.removeprefix("t") if len(operands) > 1 else f"t{word}"
            kind = "has tweaks" if tweakable else "has no tweaks"
            raise DefinitionError(f"o.{word}() is not for this cipher, which {kind}; use o.{other}()")
        result = getattr(cipher, direction)(*(operand.to_bytes(self._block_bytes, "little") for operand in operands))
        return int.from_bytes(result, "little")

    def cipher_key(self, *blocks: int) -> CipherKey:
        """Makes a further cipher key from the first bytes of some blocks, in the set-up only.  Bytes beyond its length are not used."""
        key = b"".join(block.to_bytes(self._block_bytes, "little") for block in blocks)[: self._key_bytes]
        if len(key) < self._key_bytes:
            raise DefinitionError(f"o.cipher_key() got {len(key)} bytes for a cipher key of {self._key_bytes} bytes")
        if self._keyed is None:
            raise DefinitionError("o.cipher_key() needs a cipher that takes keys")
        self.ciphers.append(self._keyed(key))
        return CipherKey(len(self.ciphers) - 1)

    def mul(self, a: int, b: int) -> int:
        """Product in the field of the mode."""
        return self.field.mul(a, b)

    def double(self, block: int, times: int = 1) -> int:
        """block * x^times."""
        return self.field.scale(block, operator.index(times))

    def power(self, h: int, exponent: int) -> int:
        """h^exponent of a key value h.  Hardware computes it during the set-up."""
        exponent = operator.index(exponent)
        if (h, exponent) not in self._powers:
            self._powers[h, exponent] = self.field.power(h, exponent)
        return self._powers[h, exponent]

    def inverse(self, value: int, what: str) -> int:
        """1 / value for a key value, in the set-up only.  A key with value 0 is refused; ``what`` names the value in the message."""
        if not value:
            raise InputError(f"this key cannot be used: {what} is 0; choose another key")
        return self.field.power(value, (1 << self.field.width) - 2)

    def poly(self, h: int, blocks: Sequence[int], last: int | None = None) -> int:
        """X_1 h^(m-1) l + X_2 h^(m-2) l + ... + X_m l for key values h and l.  l is ``last``, or h if that is not given."""
        total = 0
        for block in blocks[:-1]:
            total = self._mul_by_key(total ^ block, h)
        return self._mul_by_key(total ^ blocks[-1], h if last is None else last)

    def add32(self, block: int, number: int) -> int:
        """Adds ``number`` to the big-endian number in the last four bytes of the block, modulo 2^32."""
        return self.add(block, number)

    def add64(self, block: int, number: int) -> int:
        """Adds ``number`` to the big-endian number in the last eight bytes, modulo 2^64."""
        return self.add(block, number, 64)

    def add128(self, block: int, number: int) -> int:
        """Adds ``number`` to the big-endian number in the last sixteen bytes, modulo 2^128.  This is the counter of SP 800-38A."""
        return self.add(block, number, 128)

    def add(self, block: int, number: int, bits: int = 32, order: str = "big") -> int:
        """Adds ``number`` to a counter of 32, 64 or 128 bits, which wraps around.

        A "big" counter is big-endian at the end of the block.  A "little" counter is little-endian at its front.
        """
        return COUNTERS[counter_name(bits, order, self._block_bytes)].add(block, operator.index(number), self._block_bytes)

    def head(self, block: int, nbytes: int) -> int:
        """The first ``nbytes`` bytes of a block, followed by zeros."""
        return block & ((1 << 8 * operator.index(nbytes)) - 1)

    def tail(self, block: int, nbytes: int) -> int:
        """The block with zeros in place of its first ``nbytes`` bytes."""
        below = 8 * operator.index(nbytes)
        return block >> below << below

    def pad(self, block: int, nbytes: int, byte: int) -> int:
        """Appends ``byte`` to a block of ``nbytes`` bytes.  A whole block is unchanged."""
        return block if nbytes == self._block_bytes else block ^ (operator.index(byte) << 8 * operator.index(nbytes))

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
