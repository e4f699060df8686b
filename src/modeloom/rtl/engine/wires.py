# SPDX-License-Identifier: Apache-2.0
"""Functions of the engine that take no gates: addresses of round keys, parts of blocks, and multiples x^k that move whole bytes.

Parts and multiples of a block a::

    byte           0   1   2 ...             15
    keep 3         a0  a1  a2  0   ...        0
    keep -3        0   0   0   a3  ...      a15
    the same, k = -24:     a3 ...  a15  0  0  0
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Value

from modeloom.rtl.gf128.scale import scale
from modeloom.spec import Field

__all__ = ["cipher_slot", "kept", "moved"]


def cipher_slot(keys: int, key: Value, slot: Value) -> Value:
    """The number that ciphers have for a cipher key of a slot.

    The lower bits are the number of the cipher key, and the upper bits are the slot.

    Parameters
    ----------
    keys : int
        Number of cipher keys of a slot.
    key : Value
        Number of the cipher key.  It may have fewer bits than ``keys`` numbers need.
    slot : Value
        The slot.
    """
    bits = (keys - 1).bit_length()
    return Cat(key[:bits], Const(0, bits - min(bits, len(key))), slot) if bits else slot


def kept(value: Value, keep: int) -> Value:
    """A block of which only some bytes are kept, and the others are zero.

    The first ``keep`` bytes are kept.  For 0 all bytes are kept.  For a number below 0 all bytes but the first ``-keep`` are kept.
    """
    if not keep:
        return value
    bits = 8 * abs(keep)
    zeros = Const(0, len(value) - bits if keep > 0 else bits)
    return Cat(value[:bits], zeros) if keep > 0 else Cat(zeros, value[bits:])


def moved(field: Field, value: Value, keep: int, k: int) -> Value:
    """value * x^k, for a block that ``kept`` has cut.

    If k is a multiple of 8 and no byte leaves the block, the bytes only move.  Coefficients rise with the bytes in all bit orders
    of fields, so x^8 moves each byte one place towards the end.
    """
    if not k:
        return value
    zeros = len(value) - 8 * keep if keep > 0 else 8 * keep
    if not keep or k % 8 or (k > 0) != (keep > 0) or abs(k) > abs(zeros):
        return scale(field, value, k)
    if k > 0:
        return Cat(Const(0, k), value[: len(value) - k])
    return Cat(value[-k:], Const(0, -k))
