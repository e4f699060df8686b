# SPDX-License-Identifier: Apache-2.0
"""The operations of modes on numbers, with which a definition is the software model: ``Numbers`` for sectors, and ``StreamNumbers`` for
messages, whose operations also depend on lengths, indices and nonces.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Protocol

from modeloom.spec.counters import COUNTERS, checked_order, counter_name
from modeloom.spec.errors import DefinitionError, InputError
from modeloom.spec.field import Field
from modeloom.spec.kinds import OPERATIONS
from modeloom.spec.mode import CipherKey
from modeloom.spec.stream import Nonce

__all__ = ["Cipher", "Numbers", "Piece", "StreamNumbers", "shifted", "trailing_zeros"]


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


# -- stream numbers ----------------------------------------------------------------------------------------------------------------

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
        byte_order = checked_order(order)
        half = self._block_bytes // 2
        parts = [8 * operator.index(nbytes) for nbytes in (first, second)]
        if max(parts) >> 8 * half:
            raise DefinitionError(
                f"o.bit_lengths() writes a length with {8 * half} bits, in which the bits of {max(parts) // 8} bytes have no room; "
                "state a smaller most_text or most_associated"
            )
        data = b"".join(bits.to_bytes(half, byte_order) for bits in parts)
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
