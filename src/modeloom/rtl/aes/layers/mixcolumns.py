# SPDX-License-Identifier: Apache-2.0
"""The linear layers of AES: ShiftRows, MixColumns and their inverses.

A column is a 32-bit word with row 0 at [7:0]. Column c of a state is bits [32c + 31 : 32c]::

    bits  31:24  23:16  15:8   7:0
    row     3      2      1     0

All arithmetic is on whole columns, four bytes at a time. Results are concatenations of 32-bit signals, so selecting a column costs nothing.
CXXRTL computes a 32-bit word in one machine instruction. With signals of 128 bits that are sliced into bytes and concatenated again, the
simulation of a pipeline was ten times slower.

Functions with a module as an argument add their logic at the place of the call. Call them outside of ``If`` and ``Switch``.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Value

from modeloom.rtl.aes.parameters import columns, named

__all__ = [
    "cut_inv_mix_columns",
    "cut_mix_columns",
    "inv_mix_columns",
    "inv_shift_rows",
    "join_mix_columns",
    "mix_columns",
    "shift_rows",
    "twice",
]


def _check_columns(state: Value, what: str) -> Value:
    state = Value.cast(state)
    if len(state) == 0 or len(state) % 32:
        raise ValueError(f"{what} input must be a whole number of 32-bit columns, not {len(state)} bits")
    return state


def _check_state(state: Value, what: str) -> Value:
    state = Value.cast(state)
    if len(state) != 128:
        raise ValueError(f"{what} input must be a state of 128 bits, not {len(state)}")
    return state


def shift_rows(state: Value) -> Value:
    """ShiftRows of a 128-bit state: row r moves r columns to the left. Wires only.

    Raises
    ------
    ValueError
        *state* is not 128 bits wide.
    """
    state = _check_state(state, "ShiftRows")
    return Cat(state.word_select((r + 4 * (c + r)) % 16, 8) for c in range(4) for r in range(4))


def inv_shift_rows(state: Value) -> Value:
    """InvShiftRows of a 128-bit state: row r moves r columns to the right. Wires only.

    Raises
    ------
    ValueError
        *state* is not 128 bits wide.
    """
    state = _check_state(state, "InvShiftRows")
    return Cat(state.word_select((r + 4 * (c - r)) % 16, 8) for c in range(4) for r in range(4))


def twice(m: Module, word: Value) -> Value:
    """2 times each byte of a word of 32 bits, in GF(2^8)."""
    high = named(m, "high", (word >> 7) & 0x01010101)
    low = (word & 0x7F7F7F7F).shift_left(1)[:32]
    # x^8 = x^4 + x^3 + x + 1.  No carry leaves a byte, because each byte is 0 or 1.
    return named(m, "doubled", low ^ high ^ high.shift_left(1)[:32] ^ high.shift_left(3)[:32] ^ high.shift_left(4)[:32])


# MixColumns and its inverse are both 2 u + v, with different u and v. A pipeline can have a register there. The rest, with the
# round key, is a function of four bits.


def _cut_column(m: Module, a: Value) -> tuple[Value, Value]:
    # 2 a_r + 3 a_{r+1} + a_{r+2} + a_{r+3} with u_r = a_r + a_{r+1}, v_r = a_{r+1} + u_{r+2}. The doubling then
    # takes the seventh bit of u_r, which luts2017 (3.2, decomposition 2) shares between three output bits.
    a = named(m, "a", a)
    u = named(m, "u", a ^ a.rotate_right(8))
    return u, named(m, "v", a.rotate_right(8) ^ u.rotate_right(16))


def _cut_inv_column(m: Module, a: Value) -> tuple[Value, Value]:
    # 14 a_r + 11 a_{r+1} + 13 a_{r+2} + 9 a_{r+3} is MixColumns + 4 (a_r + a_{r+2}) + 8 (a_0 + a_1 + a_2 + a_3),
    # doubled step by step as in Horner's scheme. It has the fewest operations and LUTs of all forms that we tried. Among them were
    # M N with N = circ(5, 0, 4, 0), and equation 3 of luts2017.
    a = named(m, "a", a)
    u, v = _cut_column(m, a)
    opposite = named(m, "opposite", a ^ a.rotate_right(16))
    column_sum = named(m, "column_sum", u ^ u.rotate_right(16))
    inner = named(m, "inner", opposite ^ twice(m, column_sum))
    return named(m, "u", u ^ twice(m, inner)), v


def cut_mix_columns(m: Module, state: Value) -> tuple[Value, Value]:
    """The first part of MixColumns: u and v, as wide as *state*.  :func:`join_mix_columns` combines them.

    Raises
    ------
    ValueError
        The width of *state* is not a multiple of 32, or 0.
    """
    u, v = zip(*(_cut_column(m, column) for column in columns(_check_columns(state, "MixColumns"))), strict=True)
    return Cat(u), Cat(v)


def cut_inv_mix_columns(m: Module, state: Value) -> tuple[Value, Value]:
    """The first part of InvMixColumns, like :func:`cut_mix_columns`."""
    u, v = zip(*(_cut_inv_column(m, column) for column in columns(_check_columns(state, "InvMixColumns"))), strict=True)
    return Cat(u), Cat(v)


def join_mix_columns(m: Module, u: Value, v: Value) -> Value:
    """The second part of MixColumns and of InvMixColumns: 2 u + v for each byte."""
    return Cat(named(m, "mixed", twice(m, u_c) ^ v_c) for u_c, v_c in zip(columns(u), columns(v), strict=True))


def mix_columns(m: Module, state: Value) -> Value:
    """MixColumns of a state, or of any whole number of 32-bit columns. Logic is added to *m*; no registers.

    Raises
    ------
    ValueError
        The width of *state* is not a multiple of 32, or 0.
    """
    return join_mix_columns(m, *cut_mix_columns(m, state))


def inv_mix_columns(m: Module, state: Value) -> Value:
    """InvMixColumns, like :func:`mix_columns`."""
    return join_mix_columns(m, *cut_inv_mix_columns(m, state))
