# SPDX-License-Identifier: Apache-2.0
"""Blocks moved and scaled by a number that is known when the core runs: a multiplexer for each bit of the number.

::

    move by n + c     string of the block, moved by c ──▶ by 1 or not ──▶ by 2 or not ──▶ by 4 or not ...
    block * x^n       coefficients ──▶ up by 1 or not ──▶ up by 2 or not ... ──▶ what has left returns, reduced by the modulus

The string of a block begins with the highest bit of byte 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import xor

from amaranth.hdl import Cat, Const, Module, Signal, Value

from modeloom.spec.field import Field

__all__ = ["moved", "reversed_bytes", "scaled", "string_moved"]


def reversed_bytes(value: Value) -> Value:
    """A block with its bytes in the other order."""
    return Cat(value.word_select(at, 8) for at in reversed(range(len(value) // 8)))


def _string(value: Value) -> list[Value]:
    """The bits of a block as a string, or the bits of a block whose string this is."""
    return [value[i & ~7 | 7 - i % 8] for i in range(len(value))]


def _chosen_by(bit: Value, one: Value, other: Value) -> Value:
    """One of two values.  As gates, it selects nothing: a nonce may have the bit, and no control signal depends on a nonce."""
    width = max(len(one), len(other))
    return (one & bit.replicate(width)) | (other & ~bit.replicate(width))


def string_moved(value: Value, places: int) -> Value:
    """A block whose string is moved this far to the front, or to the end for a number below 0.

    This takes wires only.  The block should be a signal, because each bit is selected from it.
    """
    width = len(value)
    bits = _string(value)
    zeros: Sequence[Value] = [Const(0, 1)] * min(abs(places), width)
    string = [*bits[places:], *zeros] if places >= 0 else [*zeros, *bits][:width]
    return Cat(string[i & ~7 | 7 - i % 8] for i in range(width))


def moved(m: Module, value: Value, amount: Value, plus: int, name: str) -> Value:
    """A block whose string is moved to the front by ``amount + plus`` bits.

    Parameters
    ----------
    m : Module
        The multiplexers are added to it.
    value, amount : Value
    plus : int
        May be negative.
    name : str
        Prefix of the names of signals.
    """
    width, most = len(value), (1 << len(amount)) - 1
    bits = _string(value)
    # Bit j of the result is bit j + amount + plus of the string.
    wide: Value = Cat(bits[at] if 0 <= at < width else Const(0, 1) for at in range(plus, plus + width + most))
    for level in reversed(range(len(amount))):
        step = 1 << level
        chosen = Signal(len(wide) - step, name=f"{name}_{level}")
        m.d.comb += chosen.eq(_chosen_by(amount[level], wide[step:], wide[: len(wide) - step]))
        wide = chosen
    return Cat(_string(wide))


def scaled(m: Module, field: Field, value: Value, amount: Value, name: str) -> Value:
    """A block times x^amount.  The parameters are those of :func:`moved`."""
    width, most = field.width, (1 << len(amount)) - 1
    wide: Value = Cat(value[field.bit(i)] for i in range(width))
    for level in range(len(amount)):
        step = 1 << level
        chosen = Signal(len(wide) + step, name=f"{name}_{level}")
        m.d.comb += chosen.eq(_chosen_by(amount[level], Cat(Const(0, step), wide), wide))
        wide = chosen
    back: list[list[Value]] = [[wide[i]] for i in range(width)]
    for place in range(width, width + most):
        remainder = field.x_power(place)
        for i in range(width):
            if remainder >> i & 1:
                back[i].append(wide[place])
    result: list[Value] = [Const(0, 1)] * width
    for i, terms in enumerate(back):
        result[field.bit(i)] = reduce(xor, terms)
    return Cat(result)
