# SPDX-License-Identifier: Apache-2.0
"""What the engine does by wires alone: addresses of round keys, parts of blocks, and multiples x^k that move whole bytes.

::

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
    """The number under which ciphers know one of the cipher keys of a slot: the cipher key in the lower bits, the slot above.

    ``keys`` are the cipher keys of a slot; ``key`` may be of fewer bits than their numbers.
    """
    bits = (keys - 1).bit_length()
    return Cat(key[:bits], Const(0, bits - min(bits, len(key))), slot) if bits else slot


def kept(value: Value, keep: int) -> Value:
    """The first ``keep`` bytes of a block, zeros behind them; all for 0; all but the first ``-keep`` for a number below 0."""
    if not keep:
        return value
    bits = 8 * abs(keep)
    zeros = Const(0, len(value) - bits if keep > 0 else bits)
    return Cat(value[:bits], zeros) if keep > 0 else Cat(zeros, value[bits:])


def moved(field: Field, value: Value, keep: int, k: int) -> Value:
    """value * x^k of a block that ``kept`` has cut: bytes move by wire as long as none leaves the block.

    Coefficients rise with the bytes in all orders of fields, so that x^8 moves each byte one place towards the end.
    """
    if not k:
        return value
    zeros = len(value) - 8 * keep if keep > 0 else 8 * keep
    if not keep or k % 8 or (k > 0) != (keep > 0) or abs(k) > abs(zeros):
        return scale(field, value, k)
    if k > 0:
        return Cat(Const(0, k), value[: len(value) - k])
    return Cat(value[-k:], Const(0, -k))
