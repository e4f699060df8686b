# SPDX-License-Identifier: Apache-2.0
"""Parameters that every AES component shares, and their checks.

AES state (FIPS 197, 3.4) in a 128-bit signal: row r, column c is byte r + 4c, at bits [8(r+4c) + 7 : 8(r+4c)]::

    bits     7:0   39:32   71:64  103:96
            15:8   47:40   79:72 111:104
           23:16   55:48   87:80 119:112
           31:24   63:56   95:88 127:120
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Shape, Signal, Value

from modeloom.spec import DefinitionError

__all__ = ["BLOCK_BITS", "ROUNDS", "check_count", "check_key_bits", "columns", "named", "slot_shape"]

BLOCK_BITS = 128

#: Key length in bits to number of rounds (FIPS 197, table 3).
ROUNDS = {128: 10, 192: 12, 256: 14}


def check_count(name: str, value: int, low: int = 1, high: int | None = None) -> int:
    """*value* if it is an integer of at least *low* (and at most *high*).

    Raises
    ------
    TypeError
        *value* is not an integer.
    ValueError
        *value* is out of range.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an integer, not {value!r}")
    if value < low or (high is not None and value > high):
        wanted = f"at least {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name} must be {wanted}, not {value}")
    return value


def check_key_bits(key_bits: object) -> int:
    """*key_bits* if it is an AES key length, 128, 192 or 256.

    Raises
    ------
    TypeError
        *key_bits* is not an integer.
    ValueError
        *key_bits* is another number.
    """
    if isinstance(key_bits, bool) or not isinstance(key_bits, int):
        raise TypeError(f"key_bits must be an integer, not {key_bits!r}")
    if key_bits not in ROUNDS:
        raise ValueError(f"key_bits must be 128, 192 or 256, not {key_bits}")
    return key_bits


UNNAMED = None
"""In the place of a value, if a call has the form of interface 1."""


def slot_shape(slots: int) -> Shape:
    """Shape of a slot number. It has at least one bit, because Verilog has no ports of zero bits."""
    return Shape.cast(range(max(2, slots)))


def named(m: Module, name: str, value: Value | None = UNNAMED) -> Value:
    """*value* on signals of up to 32 bits, in *m*.  If there are several, each name ends in its number.

    Amaranth emits the logic of an expression again for each use and walks through all of it for each slice; a signal is
    there once.

    Raises ``DefinitionError`` for a call in the form of interface 1, which had no name (docs/user-api.md).
    """
    if not isinstance(name, str):
        raise DefinitionError('named(m, value) of interface 1 is now named(m, "name", value); docs/user-api.md lists changed calls')
    words = columns(value)
    signals = []
    for n, column in enumerate(words):
        signal = Signal(len(column), name=f"{name}_{n}" if len(words) > 1 else name)
        m.d.comb += signal.eq(column)
        signals.append(signal)
    return Cat(signals) if len(signals) > 1 else signals[0]


def columns(block: Value) -> list[Value]:
    """The 32-bit words of *block*, column 0 first."""
    return [block[low : low + 32] for low in range(0, len(block), 32)]
