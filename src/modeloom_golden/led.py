# SPDX-License-Identifier: Apache-2.0
"""LED (Guo, Peyrin, Poschmann, Robshaw, eprint 2012/600) on single blocks, cell by cell, written from the specification.

The state is a matrix of 4 x 4 cells, filled row by row.  A cell is four bits, an element of GF(2^4) with x^4 + x + 1::

    block   m_0 m_1 ... m_15          byte 0 is m_0 ‖ m_1, so its upper half comes first
    state   m_0   m_1   m_2   m_3
            m_4   m_5   m_6   m_7
            m_8   m_9   m_10  m_11
            m_12  m_13  m_14  m_15

A step is AddRoundKey and four rounds of AddConstants, SubCells, ShiftRows and MixColumnsSerial.  LED-64 has 8 steps and LED-128 has 12, and
one more AddRoundKey follows.  The constants are those of the revised version, which depend on the size of the key.
"""

from __future__ import annotations

from collections.abc import Sequence

from .checks import check_bytes

BLOCK_BYTES = 8
#: Steps by bytes of the key.
STEPS = {8: 8, 16: 12}

#: SubCells: the S-box of PRESENT.
SBOX = (0xC, 0x5, 0x6, 0xB, 0x9, 0x0, 0xA, 0xD, 0x3, 0xE, 0xF, 0x8, 0x4, 0x7, 0x1, 0x2)
INVERSE_SBOX = tuple(SBOX.index(value) for value in range(16))
#: The matrix A of MixColumnsSerial, which multiplies each column by A^4.
A = ((0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (4, 1, 2, 2))


def multiply(a: int, b: int) -> int:
    """The product in GF(2^4) modulo x^4 + x + 1."""
    product = 0
    for n in range(4):
        if b >> n & 1:
            product ^= a << n
    for n in (6, 5, 4):
        if product >> n & 1:
            product ^= 0b10011 << n - 4
    return product


def cells_of(data: bytes) -> list[int]:
    """The cells of a block or key, first to last."""
    return [half for byte in data for half in (byte >> 4, byte & 15)]


def bytes_of(cells: Sequence[int]) -> bytes:
    """Inverse of :func:`cells_of`."""
    return bytes(high << 4 | low for high, low in zip(cells[::2], cells[1::2], strict=True))


def round_constants(rounds: int) -> list[int]:
    """rc of each round: shifted left, with rc_5 + rc_4 + 1 as the new rc_0.  It begins with zeros, and is updated before it is used."""
    found, rc = [], 0
    for _ in range(rounds):
        rc = rc << 1 & 63 | (rc >> 5 ^ rc >> 4 ^ 1) & 1
        found.append(rc)
    return found


def add_constants(state: list[int], rc: int, key_bits: int) -> list[int]:
    """Row number and key size go to the first column, and the halves of rc to the second one."""
    state = list(state)
    for row in range(4):
        size = key_bits >> 4 if row < 2 else key_bits & 15
        state[4 * row] ^= row ^ size
        state[4 * row + 1] ^= rc & 7 if row % 2 else rc >> 3
    return state


def shift_rows(state: list[int]) -> list[int]:
    """Row i is rotated to the left by i cells."""
    return [state[4 * row + (column + row) % 4] for row in range(4) for column in range(4)]


def inverse_shift_rows(state: list[int]) -> list[int]:
    """Row i is rotated to the right by i cells."""
    return [state[4 * row + (column - row) % 4] for row in range(4) for column in range(4)]


def mix_columns_serial(state: list[int]) -> list[int]:
    """A times each column, four times."""
    for _ in range(4):
        last = [0, 0, 0, 0]
        for column in range(4):
            for row in range(4):
                last[column] ^= multiply(A[3][row], state[4 * row + column])
        state = state[4:] + last
    return state


def inverse_mix_columns_serial(state: list[int]) -> list[int]:
    """The inverse of A times each column, four times: the first row of a step is 1/4 of what its last row lacks."""
    quarter = next(value for value in range(16) if multiply(value, A[3][0]) == 1)
    for _ in range(4):
        first = [0, 0, 0, 0]
        for column in range(4):
            lacking = state[12 + column]
            for row in (1, 2, 3):
                lacking ^= multiply(A[3][row], state[4 * (row - 1) + column])
            first[column] = multiply(quarter, lacking)
        state = first + state[:12]
    return state


class LED:
    """The LED permutation of 64-bit blocks under one key.

    Parameters
    ----------
    key : bytes
        8 bytes (LED-64) or 16 bytes (LED-128).

    Raises ``TypeError`` if *key* is not bytes, and ``ValueError`` if *key* has a wrong length.
    """

    def __init__(self, key: bytes) -> None:
        key = check_bytes("LED key", key)
        if len(key) not in STEPS:
            raise ValueError(f"LED key must be 8 or 16 bytes, not {len(key)}")
        self._key = cells_of(key)
        self.key_bits, self.steps = 8 * len(key), STEPS[len(key)]
        self.rounds = 4 * self.steps

    def _add_round_key(self, state: list[int], step: int) -> list[int]:
        """Cell j of subkey i is cell j + 16 i of the key, modulo its length."""
        return [cell ^ self._key[(j + 16 * step) % len(self._key)] for j, cell in enumerate(state)]

    def encrypt_block(self, block: bytes) -> bytes:
        """E_K of one block of 8 bytes."""
        state = _state(block)
        constants = round_constants(self.rounds)
        for step in range(self.steps):
            state = self._add_round_key(state, step)
            for rc in constants[4 * step : 4 * step + 4]:
                state = [SBOX[cell] for cell in add_constants(state, rc, self.key_bits)]
                state = mix_columns_serial(shift_rows(state))
        return bytes_of(self._add_round_key(state, self.steps))

    def decrypt_block(self, block: bytes) -> bytes:
        """The inverse of :meth:`encrypt_block`."""
        state = self._add_round_key(_state(block), self.steps)
        constants = round_constants(self.rounds)
        for step in reversed(range(self.steps)):
            for rc in reversed(constants[4 * step : 4 * step + 4]):
                state = inverse_shift_rows(inverse_mix_columns_serial(state))
                state = add_constants([INVERSE_SBOX[cell] for cell in state], rc, self.key_bits)
            state = self._add_round_key(state, step)
        return bytes_of(state)


def _state(block: bytes) -> list[int]:
    block = check_bytes("block", block)
    if len(block) != BLOCK_BYTES:
        raise ValueError(f"block must be {BLOCK_BYTES} bytes, not {len(block)}")
    return cells_of(block)
