# SPDX-License-Identifier: Apache-2.0
"""LED of eprint 2012/600 once more, on numbers of 64 bits: matrices over GF(2), polynomials for the S-box, and the table of constants.

It is written from the specification alone and has nothing in common with ``modeloom_golden.led``: cells are never taken apart.  Bit 63 - n
of a state is bit n of the specification, so a block in hexadecimal is the number that it looks like.
"""

from __future__ import annotations

#: The constants rc_5 ... rc_0 of the rounds, as the specification lists them.
RC = bytes.fromhex(
    "0103070f1f3e3d3b372f1e3c3933270e1d3a352b162c1830"
    "2102050b172e1c383123060d1b362d1a3429122408112204"
)

LOW = 0x1111111111111111
"""Bit x^0 of every cell."""


def planes(state: int) -> list[int]:
    """Bit x^0, x^1, x^2 and x^3 of every cell, each at the place of x^0."""
    return [state >> n & LOW for n in range(4)]


def sub_cells(state: int) -> int:
    """The algebraic normal form of the S-box of PRESENT, on all cells at once."""
    a, b, c, d = planes(state)
    y0 = a ^ c ^ d ^ b & c
    y1 = b ^ d ^ b & d ^ c & d ^ a & b & c ^ a & b & d ^ a & c & d
    y2 = LOW ^ c ^ d ^ a & b ^ a & d ^ b & d ^ a & b & d ^ a & c & d
    y3 = LOW ^ a ^ b ^ d ^ b & c ^ a & b & c ^ a & b & d ^ a & c & d
    return y0 | y1 << 1 | y2 << 2 | y3 << 3


def shift_rows(state: int) -> int:
    """Each row is a number of 16 bits, which rotates by whole cells."""
    rows = [state >> 48 - 16 * r & 0xFFFF for r in range(4)]
    turned = [(row << 4 * r | row >> 16 - 4 * r) & 0xFFFF for r, row in enumerate(rows)]
    return sum(row << 48 - 16 * r for r, row in enumerate(turned))


def times(matrix_a: list[int], matrix_b: list[int]) -> list[int]:
    """The product of matrices over GF(2).  A row is a number, and bit k of it belongs to input k."""
    return [_combined(matrix_b, row) for row in matrix_a]


def _combined(rows: list[int], chosen: int) -> int:
    total = 0
    for n, row in enumerate(rows):
        if chosen >> n & 1:
            total ^= row
    return total


def serial() -> list[int]:
    """A on the whole state as a matrix of 64 x 64 bits.  The output bit of row 3, x^k, column c is a row of the matrix."""

    def place(row: int, column: int, bit: int) -> int:
        return 1 << 60 - 16 * row - 4 * column + bit

    rows = [0] * 64
    for column in range(4):
        for bit in range(4):
            for row in range(3):
                rows[(place(row, column, bit)).bit_length() - 1] = place(row + 1, column, bit)
            # 4 a + b + 2 c + 2 d.  2 (x_3 ... x_0) = (x_2, x_1, x_0 + x_3, x_3), and 4 is 2 of 2.
            twice = [(3,), (0, 3), (1,), (2,)]
            four = [(2,), (2, 3), (0, 3), (1,)]
            total = place(1, column, bit)
            for each in four[bit]:
                total ^= place(0, column, each)
            for each in twice[bit]:
                total ^= place(2, column, each) ^ place(3, column, each)
            rows[place(3, column, bit).bit_length() - 1] = total
    return rows


SQUARED = times(serial(), serial())
MIX = times(SQUARED, SQUARED)


def mix_columns_serial(state: int) -> int:
    """The matrix of A^4 times the state."""
    return sum(((row & state).bit_count() & 1) << n for n, row in enumerate(MIX))


def constant(rc: int, key_bits: int) -> int:
    """The state that AddConstants adds: cell 0 of row r is r + a half of the key size, and cell 1 a half of rc."""
    high, low = rc // 8, rc % 8
    up, down = key_bits // 16, key_bits % 16
    text = f"{up:x}{high:x}00" f"{up ^ 1:x}{low:x}00" f"{down ^ 2:x}{high:x}00" f"{down ^ 3:x}{low:x}00"
    return int(text, 16)


def encrypt(key: bytes, block: bytes) -> bytes:
    """LED with a key of 8 or 16 bytes."""
    halves = [int.from_bytes(key[at : at + 8], "big") for at in range(0, len(key), 8)]
    state = int.from_bytes(block, "big")
    rounds = 32 if len(key) == 8 else 48
    for n in range(rounds):
        if n % 4 == 0:
            state ^= halves[n // 4 % len(halves)]
        state = mix_columns_serial(shift_rows(sub_cells(state ^ constant(RC[n], 8 * len(key)))))
    return (state ^ halves[rounds // 4 % len(halves)]).to_bytes(8, "big")
