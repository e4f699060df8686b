# SPDX-License-Identifier: Apache-2.0
"""The parts of a round of LED: the order of cells, S-boxes, ShiftRows, MixColumnsSerial, constants.

Byte 0 of a block is bits [7:0] of the signal.  The first cell of the specification is the upper half of byte 0, and bit k of a cell is the
coefficient of x^k in GF(2^4) modulo x^4 + x + 1::

    bits   7:4  3:0   15:12  11:8   23:20  19:16  31:28  27:24   39:36 ...
    cell   m_0  m_1   m_2    m_3    m_4    m_5    m_6    m_7     m_8   ...
    row     0    0     0      0      1      1      1      1       2    ...

MixColumnsSerial multiplies a column four times by A, whose last row is (4 1 2 2).  Each time, a new row follows the three lower ones::

    n_0 = a_2 + b_0 + c_3 + d_3                          a b c d: the column from its first row on
    n_1 = n_0 + a_3 + b_0 + b_1 + c_0 + d_0              n_0 has a_2 + c_3 + d_3, which n_1 needs
    n_2 = a_0 + a_3 + b_2 + c_1 + d_1
    n_3 = a_1 + b_3 + c_2 + d_2

Each bit is a sum of at most six terms, so a column takes 16 LUT6: one LUT for each bit, and there is no smaller network.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from amaranth.hdl import Cat, Const, Module, Signal, Value

from modeloom.rtl.logic.xor_luts import Sum, XorLuts

__all__ = ["BLOCK_BITS", "CELLS", "SBOX", "column_network", "constants_of_round", "mix_columns", "place", "round_constants", "sub_cells"]

BLOCK_BITS = 64
CELLS = 16
SBOX = (0xC, 0x5, 0x6, 0xB, 0x9, 0x0, 0xA, 0xD, 0x3, 0xE, 0xF, 0x8, 0x4, 0x7, 0x1, 0x2)
"""SubCells, the S-box of PRESENT."""


def place(cell: int) -> int:
    """Number of the lowest bit of a cell in a block or key.  Cells are numbered as in the specification, row by row."""
    return 4 * (cell ^ 1)


def round_constants(rounds: int) -> list[int]:
    """rc of each round: six bits of a shift register with the feedback rc_5 + rc_4 + 1."""
    found, rc = [], 0
    for _ in range(rounds):
        rc = rc << 1 & 63 | (rc >> 5 ^ rc >> 4 ^ 1) & 1
        found.append(rc)
    return found


def constants_of_round(rc: Value) -> Value:
    """What AddConstants adds besides row numbers and key size: the halves of rc in the second column."""
    bits: list[Value] = [Const(0, 4)] * CELLS
    for row in range(4):
        bits[4 * row + 1] = Cat(rc[0:3] if row % 2 else rc[3:6], Const(0, 1))
    return Cat(bits[cell ^ 1] for cell in range(CELLS))


def sub_cells(state: Value, key_bits: int) -> Value:
    """SubCells.  The tables of the first column include what AddConstants always adds there: row number and key size."""
    result = []
    for at in range(CELLS):
        cell = at ^ 1
        row, column = divmod(cell, 4)
        added = (row ^ (key_bits >> 4 if row < 2 else key_bits & 15)) if column == 0 else 0
        address = state[place(cell) : place(cell) + 4]
        for k in range(4):
            truth = sum((SBOX[x ^ added] >> k & 1) << x for x in range(16))
            result.append(Const(truth, 16).bit_select(address, 1))
    return Cat(result)


def _bit(row: int, k: int) -> str:
    return f"i{row}_{k}" if row < 4 else f"o{row - 4}_{k}"


_INPUTS = tuple(_bit(row, k) for row in range(4) for k in range(4))
_OUTPUTS = tuple(_bit(row, k) for row in range(4, 8) for k in range(4))


@cache
def column_network(lut_inputs: int = 6) -> XorLuts:
    """MixColumnsSerial of a column: 16 LUTs with six inputs, or 24 with four.

    Row r, bit k is ``i{r}_{k}`` before and ``o{r}_{k}`` afterwards.
    """
    sums: dict[str, Sum] = {}
    for new in range(4, 8):
        a, b, c, d = (tuple(_bit(row, k) for k in range(4)) for row in range(new - 4, new))
        # The bits of d, and n_0, come last in longer sums.
        one: tuple[str, ...] = (a[3], b[0], b[1], c[0])
        two: tuple[str, ...] = (a[0], a[3], b[2], c[1])
        if lut_inputs == 4:
            sums |= {f"p{new}": Sum(one), f"q{new}": Sum(two)}
            one, two = (f"p{new}",), (f"q{new}",)
        sums[_bit(new, 0)] = Sum((a[2], b[0], c[3], d[3]))
        sums[_bit(new, 1)] = Sum((*one, _bit(new, 0), d[0]))
        sums[_bit(new, 2)] = Sum((*two, d[1]))
        sums[_bit(new, 3)] = Sum((a[1], b[3], c[2], d[2]))
    return XorLuts(_INPUTS, sums, _OUTPUTS, lut_inputs)


def mix_columns(m: Module, state: Value, lut_inputs: int = 6) -> Value:
    """ShiftRows and MixColumnsSerial, added to *m*."""
    network = column_network(lut_inputs)
    cells: list[Sequence[Value]] = [()] * CELLS
    for column in range(4):
        values: dict[str, Value] = {}
        for row in range(4):
            low = place(4 * row + (column + row) % 4)
            for k in range(4):
                bit = Signal(name=f"column_{column}_{row}_{k}")
                m.d.comb += bit.eq(state[low + k])
                values[_bit(row, k)] = bit
        outputs = network.lower(m, values)
        for row in range(4):
            cells[4 * row + column] = outputs[4 * row : 4 * row + 4]
    return Cat(Cat(cells[cell ^ 1]) for cell in range(CELLS))
