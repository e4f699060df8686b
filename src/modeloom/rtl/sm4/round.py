# SPDX-License-Identifier: Apache-2.0
"""The parts of SM4: words, the S-box, and the linear maps.

Byte 0 of a block is bits [7:0] of the signal.  The words of SM4 have their first byte in the highest bits.  Here each word is a signal of
32 bits with this order, so rotations are as in the standard::

    block   bits   31:0        63:32       95:64       127:96
            word   X_0         X_1         X_2         X_3
    byte           0 1 2 3     4 5 6 7     ...
    X_0     bits   31:24 23:16 15:8 7:0

A round of one cycle, and the place of the second register in a round of two cycles::

    X_{i+1} ⊕ X_{i+2} ⊕ X_{i+3} ⊕ rk_i ──▶ S-boxes ──[second register]──▶ L ──▶ ⊕ X_i ──[register]──▶ X_{i+4}

The S-box is computed from its algebraic form, s(x) = A(1 / A(x)) with an affine map A and the field of x^8 + x^7 + x^6 + x^5 + x^4 + x^2 +
x + 1 (F. Liu et al., Analysis of the SMS4 block cipher, ACISP 2007).  ``golden`` has the printed table of the standard.
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Cat, Module, Value

from modeloom.rtl.aes.sboxes.sbox import look_up
from modeloom.spec.field import Field

__all__ = ["FIXED_PARAMETERS", "ROUNDS", "SBOX", "SYSTEM_PARAMETER", "block_of", "key_linear", "linear", "substitute", "words_of"]

ROUNDS = 32
WORD_BITS = 32

SYSTEM_PARAMETER = (0xA3B1BAC6, 0x56AA3350, 0x677D9197, 0xB27022DC)
"""FK, the system parameter that is added to the words of a key."""

FIXED_PARAMETERS = tuple(sum(7 * (4 * i + j) % 256 << 8 * (3 - j) for j in range(4)) for i in range(ROUNDS))
"""CK_i, the fixed parameters, one word for each round key."""

_FIELD = Field("SM4 S-box", 8, 0x1F5)
_ROW, _CONSTANT = 0xA7, 0xD3


def _affine(a: int) -> int:
    """A circulant matrix times a byte, plus a constant.  Bit i is the parity of the bits in row 0 rotated by i."""
    rows = ((_ROW << i | _ROW >> 8 - i) & 0xFF for i in range(8))
    return _CONSTANT ^ sum((row & a).bit_count() % 2 << i for i, row in enumerate(rows))


SBOX: tuple[int, ...] = tuple(_affine(_FIELD.power(_affine(x), 254)) for x in range(256))
"""The S-box for each byte.  a^254 is 1 / a, and 0 for 0."""


def _turned(word: Value) -> Value:
    return Cat(word[low : low + 8] for low in (24, 16, 8, 0))


def words_of(block: Value) -> list[Value]:
    """The four words of a block or key.  X_0 is the first."""
    return [_turned(block[low : low + WORD_BITS]) for low in range(0, 4 * WORD_BITS, WORD_BITS)]


def block_of(words: Sequence[Value]) -> Value:
    """The block of four words, in order."""
    return Cat(_turned(word) for word in words)


def substitute(m: Module, word: Value) -> Value:
    """τ: the S-box for each of four bytes.  It adds one asynchronous memory to *m*, with 32 LUT6 for each byte."""
    return look_up(m, [word[low : low + 8] for low in range(0, WORD_BITS, 8)], SBOX, "sm4_sbox")


def _rotations(word: Value, places: Sequence[int]) -> Value:
    total = word
    for places_left in places:
        total = total ^ word.rotate_left(places_left)
    return total


def linear(word: Value) -> Value:
    """L, the linear map of a round."""
    return _rotations(word, (2, 10, 18, 24))


def key_linear(word: Value) -> Value:
    """L', the linear map of the key schedule."""
    return _rotations(word, (13, 23))
