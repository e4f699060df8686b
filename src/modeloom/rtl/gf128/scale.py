# SPDX-License-Identifier: Apache-2.0
"""Multiplication of a block by a small constant power of x."""

from amaranth.hdl import Cat, Value

from modeloom.spec.field import Field


def scale(field: Field, value: Value, k: int) -> Value:
    """``value`` * x^k."""
    columns = [field.scale(1 << i, k) for i in range(field.width)]
    bits = []
    for o in range(field.width):
        bit = None
        for i, column in enumerate(columns):
            if column >> o & 1:
                bit = value[i] if bit is None else bit ^ value[i]
        bits.append(bit)
    return Cat(*bits)
