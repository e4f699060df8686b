# SPDX-License-Identifier: Apache-2.0
"""Words whose bits are symbols: constants, atoms, and sums of atoms over GF(2).

::

    word of w bits    one int, LANES binary digits for each bit, bit 0 lowest
    0, 1              all digits 0, all digits 1
    an atom's bit     LANES digits that a hash of the atom's name gives
    a sum             the XOR of its terms, so that equal sums are equal ints

XORs, slices, masks and products with x^k are therefore exact operations on one int.  The result of any other operation on symbols is a new
atom, named by the operation and its operands.  Names are hashed with SHAKE-256.  Two different sums have equal digits with a probability
of 2^-LANES.  This is the only way in which unequal words can compare as equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import shake_256

from modeloom.spec import Field

__all__ = [
    "LANES", "ONE", "apart", "atom", "bits_of", "constant", "cut", "joined", "mask", "moved", "number", "operation", "repeated", "scaled",
]  # fmt: skip

LANES = 128
"""Number of binary digits for each bit."""

_BYTES = LANES // 8

ONE = (1 << LANES) - 1
"""The bit 1."""

_DIGITS = {b"\0" * _BYTES: "0", b"\xff" * _BYTES: "1"}

_numbers: dict[int, int] = {}

_MOST = 1 << 18
"""Number of words whose number is cached."""


@lru_cache(maxsize=4096)
def mask(width: int) -> int:
    """A word of ones."""
    return (1 << width * LANES) - 1


@lru_cache(maxsize=4096)
def repeated(width: int) -> int:
    """The factor that turns a bit into a word of copies of it."""
    return sum(1 << i * LANES for i in range(width))


@lru_cache(maxsize=1 << 16)
def constant(value: int, width: int) -> int:
    """A number as a word."""
    word = b"".join((b"\xff" if value >> i & 1 else b"\0") * _BYTES for i in range(width))
    return int.from_bytes(word, "little")


def number(word: int) -> int | None:
    """The number in a word; None if one of its bits is a symbol."""
    found = _numbers.get(word)
    if found is None:
        size = -(-word.bit_length() // LANES) * _BYTES
        data = word.to_bytes(size, "little")
        digits = []
        for at in range(0, size, _BYTES):
            digit = _DIGITS.get(data[at : at + _BYTES])
            if digit is None:
                return None
            digits.append(digit)
        found = int("".join(reversed(digits)) or "0", 2)
        if len(_numbers) > _MOST:
            _numbers.clear()
        _numbers[word] = found
    return found


def bits_of(word: int, width: int) -> list[int]:
    """The bits of a word, bit 0 first."""
    data = word.to_bytes(width * _BYTES, "little")
    return [int.from_bytes(data[at : at + _BYTES], "little") for at in range(0, len(data), _BYTES)]


def joined(bits: Sequence[int]) -> int:
    """The word of the given bits, bit 0 first."""
    return int.from_bytes(b"".join(bit.to_bytes(_BYTES, "little") for bit in bits), "little")


def atom(name: str, width: int) -> int:
    """A word of ``width`` new symbols."""
    return int.from_bytes(shake_256(name.encode()).digest(width * _BYTES), "little")


def operation(name: str, width: int, *operands: int) -> int:
    """The result of an unknown operation.  It is only known that equal operands give equal results."""
    parts = [name.encode()]
    for operand in operands:
        data = operand.to_bytes(-(-operand.bit_length() // 8), "little")
        parts += [len(data).to_bytes(4, "little"), data]
    return int.from_bytes(shake_256(b"\0".join(parts)).digest(width * _BYTES), "little")


def apart(a: int, b: int, width: int) -> bool:
    """Whether two words differ in all cases, because one of their bits is 0 in one word and 1 in the other."""
    return any(x ^ y == ONE for x, y in zip(bits_of(a, width), bits_of(b, width)))


def cut(word: int, width: int, keep: int) -> int:
    """A block of ``width`` bits of which only some bytes are kept.  The others are zero.  A positive ``keep`` keeps the first bytes, a
    negative one removes the first bytes, and 0 keeps all bytes."""
    if not keep:
        return word
    first = word & mask(8 * abs(keep))
    return first if keep > 0 else word ^ first


def moved(word: int, width: int, places: int) -> int:
    """A block whose bits move this far to the front of its string, or to the end for a number below 0.

    The first bit of the string is the highest one of byte 0.
    """
    bits = bits_of(word, width)
    string = [bits[i & ~7 | 7 - i % 8] for i in range(width)]
    string = (string[places:] if places >= 0 else [0] * -places + string)[:width]
    string += [0] * (width - len(string))
    return joined([string[i & ~7 | 7 - i % 8] for i in range(width)])


@lru_cache(maxsize=1024)
def _matrix(field: Field, k: int) -> list[list[int]]:
    """For each bit of a * x^k, the bits of a that are its terms."""
    rows: list[list[int]] = [[] for _ in range(field.width)]
    for i in range(field.width):
        column = field.scale(1 << i, k)
        while column:
            low = column & -column
            rows[low.bit_length() - 1].append(i)
            column ^= low
    return rows


def scaled(field: Field, word: int, k: int) -> int:
    """A block times x^k."""
    if not k or not word:
        return word
    bits = bits_of(word, field.width)
    result = []
    for row in _matrix(field, k):
        total = 0
        for i in row:
            total ^= bits[i]
        result.append(total)
    return joined(result)
