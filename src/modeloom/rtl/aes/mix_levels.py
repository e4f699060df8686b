# SPDX-License-Identifier: Apache-2.0
"""MixColumns and InvMixColumns in two parts, for registers that cost no LUT: each output bit has at most six inputs behind the cut.

A column is a word of 32 bits with row 0 at [7:0]; a, b, c, d are the bytes in the rows r, r + 1, r + 2, r + 3, and s is their sum::

    first part                            second part
    x_r = a_7 + b_7                       row r = rol(a) + rol(b) + b + c + d + [x_r in bits 1, 3, 4]     (luts2017, decomposition 2)

    s, x_r, and what the reduction        z = s + 4 (a + c) + 8 s, the same for the rows r and r + 2
    of z wants                            row r = rol(a) + rol(b) + a + z + [x_r in bits 1, 3, 4]

rol turns a byte by one bit: without the carries of x^8 = x^4 + x^3 + x + 1 into bits 1, 3 and 4, that is doubling.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Value

from .parameters import columns, named

__all__ = ["inv_mix_sums", "inv_mix_with_sums", "mix_sums", "mix_with_sums"]

_LOW = 0x01010101
# Bits of each byte to which bit 8 of a doubled byte is carried, but for bit 0.
_CARRIED = 0x1A1A1A1A


def _rol(word: Value) -> Value:
    return (word << 1)[:32] & (0xFFFFFFFF ^ _LOW) | (word >> 7 & _LOW)


def _carries(m: Module, x: Value) -> Value:
    """Bit r of x in bits 1, 3 and 4 of byte r."""
    return Cat(x[row].replicate(8) for row in range(4)) & _CARRIED


def _x(word: Value) -> Value:
    return Cat(word[8 * row + 7] ^ word[8 * ((row + 1) % 4) + 7] for row in range(4))


def mix_sums(m: Module, state: Value) -> Value:
    """The sums that MixColumns needs beside the state: 4 bits a column of 32 bits."""
    return Cat(named(m, _x(word)) for word in columns(state))


def mix_with_sums(m: Module, state: Value, sums: Value) -> Value:
    """MixColumns of *state*, with what :func:`mix_sums` made of it."""
    result = []
    for n, a in enumerate(columns(state)):
        a = named(m, a)
        b, c, d = a.rotate_right(8), a.rotate_right(16), a.rotate_right(24)
        result.append(named(m, _rol(a) ^ _rol(b) ^ b ^ c ^ d ^ _carries(m, sums[4 * n : 4 * n + 4])))
    return Cat(result)


def inv_mix_sums(m: Module, state: Value) -> Value:
    """The sums that InvMixColumns needs beside the state: 16 bits a column of 32 bits."""
    result = []
    for a in columns(state):
        a = named(m, a)
        s = named(m, a[:8] ^ a[8:16] ^ a[16:24] ^ a[24:])
        # 4 (a + c) + 8 s reaches x^8 with a_6 + c_6 + s_5, x^9 with a_7 + c_7 + s_6, x^10 with s_7.
        eight = (a[8 * row + 6] ^ a[8 * row + 22] ^ a[5] ^ a[13] ^ a[21] ^ a[29] for row in range(2))
        nine = (a[8 * row + 7] ^ a[8 * row + 23] ^ a[6] ^ a[14] ^ a[22] ^ a[30] for row in range(2))
        result += [s, named(m, _x(a)), named(m, Cat(eight)), named(m, Cat(nine))]
    return Cat(result)


def inv_mix_with_sums(m: Module, state: Value, sums: Value) -> Value:
    """InvMixColumns of *state*, with what :func:`inv_mix_sums` made of it."""
    result = []
    for n, a in enumerate(columns(state)):
        a = named(m, a)
        own = sums[16 * n : 16 * n + 16]
        s, x, eight, nine = own[:8], own[8:12], own[12:14], own[14:16]
        z = []
        for row in range(2):
            pair = named(m, a[8 * row : 8 * row + 8] ^ a[8 * row + 16 : 8 * row + 24])
            e, f, g = eight[row], nine[row], s[7]
            reduction = Cat(e, e ^ f, f ^ g, e ^ g, e ^ f, f ^ g, g, 0)
            z.append(named(m, s ^ (pair << 2)[:8] ^ (s << 3)[:8] ^ reduction))
        result.append(named(m, _rol(a) ^ _rol(a.rotate_right(8)) ^ a ^ Cat(*z, *z) ^ _carries(m, x)))
    return Cat(result)
