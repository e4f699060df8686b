# SPDX-License-Identifier: Apache-2.0
"""A round with tables in block memories.  A word contains S-box and MixColumns, or their inverses.

A byte in row r gives a column of four bytes: the column for row 0, rotated by r.  Four columns and the round key add up to the next one
(J. Daemen, V. Rijmen, The Design of Rijndael, section 4.2).  The words of a byte x in row 0, with byte 0 at [7:0]::

    decrypt  last   byte 0   1    2    3
       0      0       2 s    s    s   3 s       s = S(x)
       0      1         s    0    0    0        the last round needs no multiplexer
       1      0      14 s  9 s 13 s  11 s       s = S^-1(x)
       1      1         s    0    0    0
       └──────┴─ address {decrypt, last, x}; a core for one direction has no bit for it

1 024 words of 32 bits are one block memory of 36 kbit with two ports.  A state needs eight of them, for one or both directions.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Value
from amaranth.lib import memory

from modeloom.rtl.aes.layers.both import both_shift_rows
from modeloom.rtl.aes.layers.mixcolumns import inv_shift_rows, shift_rows
from modeloom.rtl.aes.parameters import named
from modeloom.rtl.aes.rounds.round_stages import register
from modeloom.rtl.aes.sboxes.sbox import INV_SBOX, SBOX

__all__ = ["table_round", "table_words"]

_TABLES = {False: (SBOX, (2, 1, 1, 3)), True: (INV_SBOX, (14, 9, 13, 11))}


def _times(factor: int, byte: int) -> int:
    product = 0
    while factor:
        product ^= byte * (factor & 1)
        byte = byte << 1 ^ (byte >> 7) * 0x11B
        factor >>= 1
    return product


def table_words(direction: str) -> list[int]:
    """The words of a table for "encrypt", "decrypt" or "both", in the order of the addresses."""
    words = []
    for inverse in {"encrypt": (False,), "decrypt": (True,), "both": (False, True)}[direction]:
        table, factors = _TABLES[inverse]
        words += [sum(_times(factor, s) << 8 * row for row, factor in enumerate(factors)) for s in table]
        words += table
    return words


def table_round(m: Module, state: Value, decrypt: Value, last: Value, direction: str, registers: int) -> Value:
    """A round without its key, one or two cycles after *state* (128 bits), *decrypt* and *last* (one bit each).

    Parameters
    ----------
    m : Module
        Receives logic, memories and registers.
    state, decrypt, last : Value
        The state, whether its block is decrypted (only with direction "both"), and whether this is its last round.
    direction : str
        "encrypt", "decrypt" or "both".
    registers : int
        1: registers for the addresses of the memories; 2: also for their outputs.
    """
    both = direction == "both"
    if both:
        state = both_shift_rows(m, state, decrypt)
    else:
        state = inv_shift_rows(state) if direction == "decrypt" else shift_rows(state)
    words = table_words(direction)
    result = []
    for column in range(4):
        terms = []
        for row in range(0, 4, 2):
            table = memory.Memory(shape=32, depth=len(words), init=words, attrs={"rom_style": "block"})
            m.submodules += table
            for r in (row, row + 1):
                port = table.read_port()
                byte = state.word_select(4 * column + r, 8)
                m.d.comb += [port.addr.eq(Cat(byte, last, decrypt) if both else Cat(byte, last)), port.en.eq(1)]
                word = register(m, port.data, f"table_{4 * column + r}") if registers > 1 else port.data
                terms.append(word.rotate_left(8 * r))
        result.append(named(m, "mixed", terms[0] ^ terms[1] ^ terms[2] ^ terms[3]))
    return Cat(result)
