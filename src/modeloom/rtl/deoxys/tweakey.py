# SPDX-License-Identifier: Apache-2.0
"""The tweakey schedule of Deoxys-BC-256 (Deoxys v1.41, section 2.3) as layers: a permutation of bytes, an LFSR, round constants.

With key K and tweak T, subtweakey i is h^i(T) + key part i, and key part i is (h after LFSR_2)^i (K) + round constant i.  Byte 0 is bits
[7:0]::

    h        byte n of the result is byte H[n] of the argument: wires.  Eight times h changes nothing.
    LFSR_2   x7 x6 x5 x4 x3 x2 x1 x0  ->  x6 x5 x4 x3 x2 x1 x0 (x7 + x5), in each byte: 16 XORs
    h after LFSR_2 is linear, so that subtweakey i + 1 = h(subtweakey i) + step i + 1, with steps that depend on the key alone

A tweak needs no logic of its own, and a key's part is the same for all tweaks.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Value

from modeloom.rtl.aes.parameters import columns, named

__all__ = ["CONSTANTS", "H", "KEY_BITS", "ORDER", "ROUNDS", "lfsr_2", "next_constant", "permute", "round_constant", "step"]

KEY_BITS = 128

ROUNDS = 14

H = (1, 6, 11, 12, 5, 10, 15, 0, 9, 14, 3, 4, 13, 2, 7, 8)

ORDER = 8
"""The order of h."""

FIRST_CONSTANT = 0x2F


def _constants() -> tuple[int, ...]:
    values = [FIRST_CONSTANT]
    while len(values) <= ROUNDS:
        values.append(values[-1] << 1 ^ (0x11B if values[-1] & 0x80 else 0))
    return tuple(values)


CONSTANTS = _constants()
"""rcon_0 to rcon_14: each is twice the one before, in the field of AES."""


def permute(word: Value, times: int = 1) -> Value:
    """h, so many times.  A negative number stands for the inverse of h."""
    order = list(range(16))
    for _ in range(times % ORDER):
        order = [order[source] for source in H]
    return Cat(word.word_select(source, 8) for source in order)


def lfsr_2(m: Module, word: Value) -> Value:
    """LFSR_2 of each byte of a word of 128 bits."""
    result = []
    for column in columns(word):
        column = named(m, "lfsr", column)
        bits = [column[low : low + 8] for low in range(0, 32, 8)]
        result.append(named(m, "stepped", Cat(Cat(byte[7] ^ byte[5], byte[:7]) for byte in bits)))
    return Cat(result)


def next_constant(rcon: Value) -> Value:
    """The constant after *rcon*, of 8 bits."""
    return (Cat(rcon[7], rcon[:7]) ^ Cat(0, rcon[7], 0, rcon[7], rcon[7], 0, 0, 0))[:8]


def round_constant(rcon: Value) -> Value:
    """The round constant with *rcon*, of 8 bits, in 128 bits: column 0 is 1, 2, 4, 8, and column 1 is *rcon* four times."""
    return Cat(Const(0x08040201, 32), rcon, rcon, rcon, rcon, Const(0, 64))


def step(m: Module, word: Value, rcon: Value) -> tuple[Value, Value]:
    """The following word of the key, and what subtweakey i + 1 has besides h(subtweakey i).

    Parameters
    ----------
    m : Module
        Receives the logic.
    word : Value
        (h after LFSR_2)^i of the key, without round constant.
    rcon : Value
        rcon_i.
    """
    following = permute(lfsr_2(m, word))
    own = named(m, "own", word ^ round_constant(rcon))
    constant = round_constant(next_constant(rcon))
    return following, named(m, "step", following ^ constant ^ permute(own))


