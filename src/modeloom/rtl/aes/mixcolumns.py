# SPDX-License-Identifier: Apache-2.0
"""The linear layers of AES: ShiftRows, MixColumns and their inverses.

A column is a 32-bit word with row 0 at [7:0]; column c of a state is bits [32c + 31 : 32c]::

    bits  31:24  23:16  15:8   7:0
    row     3      2      1     0

All arithmetic is on whole columns, four bytes at a time: written bit by bit the same circuit simulates
several times slower, because a 32-bit word is what the simulator computes in one machine instruction.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal, Value

__all__ = ["inv_mix_columns", "inv_shift_rows", "mix_columns", "shift_rows"]


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


def _named(m: Module, value: Value) -> Value:
    # A signal, not an expression: Amaranth would emit the logic again for each use.
    signal = Signal(len(value))
    m.d.comb += signal.eq(value)
    return signal


def _times_x(m: Module, word: Value) -> Value:
    high = _named(m, (word >> 7) & 0x01010101)
    low = (word & 0x7F7F7F7F).shift_left(1)[:32]
    # x^8 = x^4 + x^3 + x + 1; no carry leaves a byte, since each holds 0 or 1.
    return _named(m, low ^ high ^ high.shift_left(1)[:32] ^ high.shift_left(3)[:32] ^ high.shift_left(4)[:32])


def _mix_column(m: Module, a: Value) -> Value:
    # 2 a_r + 3 a_{r+1} + a_{r+2} + a_{r+3} = 2 d_r + a_{r+1} + d_{r+2} with d_r = a_r + a_{r+1}. The doubling then
    # takes the seventh bit of d_r, which luts2017 (3.2, decomposition 2) shares between three output bits.
    d = _named(m, a ^ a.rotate_right(8))
    return _times_x(m, d) ^ a.rotate_right(8) ^ d.rotate_right(16)


def _inv_mix_column(m: Module, a: Value) -> Value:
    # M^-1 = M N with N = circ(5, 0, 4, 0): b_r = a_r + 4 (a_r + a_{r+2}).
    e = _named(m, a ^ a.rotate_right(16))
    return _mix_column(m, _named(m, a ^ _times_x(m, _times_x(m, e))))


def mix_columns(m: Module, state: Value) -> Value:
    """MixColumns of a state, or of any whole number of 32-bit columns. Logic is added to *m*; no registers.

    Raises
    ------
    ValueError
        The width of *state* is no multiple of 32, or 0.
    """
    state = _check_columns(state, "MixColumns")
    return Cat(_named(m, _mix_column(m, _named(m, state[low : low + 32]))) for low in range(0, len(state), 32))


def inv_mix_columns(m: Module, state: Value) -> Value:
    """InvMixColumns of a state; as :func:`mix_columns`."""
    state = _check_columns(state, "InvMixColumns")
    return Cat(_named(m, _inv_mix_column(m, _named(m, state[low : low + 32]))) for low in range(0, len(state), 32))
