# SPDX-License-Identifier: Apache-2.0
"""Layers of a round for both directions.  One bit selects the direction.  The inversion in the field and MixColumns are shared.

SubBytes is the inversion followed by an affine map.  InvSubBytes is the inverse map followed by the inversion.  Both ShiftRows come first::

             ┌── ShiftRows ─────────────────────────▶ 0 ┐                      ┌── affine ──▶ 0 ┐
    state ───┤                                          ├──▶ inversion in ─────┤                ├──▶
             └── InvShiftRows ──▶ inverse affine ───▶ 1 ┘      GF(2^8)         └──────────────▶ 1 ┘

The multiplexers and the logic before them are functions of five and six bits: 128 LUT6 each.  A second table would take 512.
Bit i of a byte is the coefficient of x^i.

In a block memory, both tables are adjacent and the direction is a bit of the address.  No map is needed.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import memory

from modeloom.rtl.aes.layers.mixcolumns import cut_mix_columns, inv_shift_rows, shift_rows, twice
from modeloom.rtl.aes.parameters import columns, named
from modeloom.rtl.aes.sboxes.sbox import INV_SBOX, SBOX

__all__ = [
    "affine_in_luts", "clocked_both_sub_bytes", "cut_both_mix_columns", "both_shift_rows", "invert_bytes", "map_after",
    "map_after_split", "map_before", "map_before_in_luts", "map_before_split", "split_register",
]


def _choose(m: Module, decrypt: Value, backward: Value, forward: Value) -> Value:
    return named(m, "chosen", Cat(Mux(decrypt, b, f) for b, f in zip(columns(backward), columns(forward), strict=True)))


def _turn(word: Value, bits: int) -> Value:
    """Each byte of a word of 32 bits rotated left by 1 to 7 bits."""
    low = 0x01010101 * ((1 << bits) - 1)
    return ((word << bits)[:32] & (0xFFFFFFFF ^ low)) | (word >> (8 - bits) & low)


def _affine(m: Module, state: Value, turns: tuple[int, ...], constant: int) -> Value:
    result = []
    for word in columns(state):
        word = named(m, "word", word)
        total = word if 0 in turns else _turn(word, turns[0])
        for bits in turns[1:]:
            total = total ^ _turn(word, bits)
        result.append(named(m, "mapped", total ^ 0x01010101 * constant))
    return Cat(result)


def both_shift_rows(m: Module, state: Value, decrypt: Value) -> Value:
    """ShiftRows of a state of 128 bits, or InvShiftRows if *decrypt*.  Rows 0 and 2 are wires."""
    return _choose(m, decrypt, inv_shift_rows(state), shift_rows(state))


def map_before(m: Module, state: Value, decrypt: Value) -> Value:
    """The layers before the inversion, for a state of 128 bits: ShiftRows, or InvShiftRows and the inverse affine map if *decrypt*."""
    # The inverse of FIPS 197, 5.1.1: b'_i = b_{i+2} + b_{i+5} + b_{i+7} + d_i with d = 05.
    backward = _affine(m, inv_shift_rows(state), (1, 3, 6), 0x05)
    return _choose(m, decrypt, backward, shift_rows(state))


def split_register(m: Module, state: Value, decrypt: Value, name: str) -> tuple[Value, Value]:
    """*state* a cycle later in two sets of registers, for :func:`map_before_split`.  The first is zero for a decrypted block, and the
    second is zero for an encrypted block.  The reset of the flip-flops does this and takes no input of a LUT.
    """
    halves = []
    for way, wrong in (("encrypt", decrypt), ("decrypt", ~decrypt)):
        regs = [Signal(32, name=f"{name}_{way}_column_{n}_reg", reset_less=True) for n in range(4)]
        m.d.sync += [reg.eq(column) for reg, column in zip(regs, columns(state), strict=True)]
        with m.If(wrong):
            m.d.sync += [reg.eq(0) for reg in regs]
        halves.append(Cat(regs))
    return halves[0], halves[1]


def map_before_split(m: Module, halves: tuple[Value, Value], decrypt: Value) -> Value:
    """Like :func:`map_before`, for the registers of :func:`split_register`.  Each bit is a sum of four or five bits in one LUT."""
    forward, backward = ([named(m, "rows", word) for word in columns(half)] for half in (shift_rows(halves[0]), inv_shift_rows(halves[1])))
    result = [Signal(name=f"before_{n}", attrs={"keep": 1}) for n in range(128)]
    for n, bit in enumerate(result):
        byte, at = backward[n // 32].word_select(n % 32 // 8, 8), n % 8
        constant = [decrypt] if 0x05 >> at & 1 else []
        m.d.comb += bit.eq(Cat(forward[n // 32][n % 32], *(byte[(at + step) % 8] for step in (2, 5, 7)), *constant).xor())
    return Cat(result)


def map_before_in_luts(m: Module, forward: Value, backward: Value, decrypt: Value) -> Value:
    """*forward*, or the inverse affine map of *backward* if *decrypt*, with a LUT of five inputs for each bit."""
    rows = [[named(m, "rows", word) for word in columns(each)] for each in (forward, backward)]
    result = [Signal(name=f"before_{n}", attrs={"keep": 1}) for n in range(128)]
    for n, bit in enumerate(result):
        byte, at = rows[1][n // 32].word_select(n % 32 // 8, 8), n % 8
        undone = Cat(byte[(at + step) % 8] for step in (2, 5, 7)).xor() ^ (0x05 >> at & 1)
        m.d.comb += bit.eq(Mux(decrypt, undone, rows[0][n // 32][n % 32]))
    return Cat(result)


def map_after(m: Module, state: Value, decrypt: Value) -> Value:
    """The layer after the inversion: the affine map of FIPS 197, 5.1.1, or nothing if *decrypt*."""
    return _choose(m, decrypt, state, _affine(m, state, (0, 1, 2, 3, 4), 0x63))


def _affine_in_luts(m: Module, words: list[Value]) -> list[Value]:
    sums = [Signal(name=f"affine_{n}", attrs={"keep": 1}) for n in range(128)]
    for n, bit in enumerate(sums):
        byte = words[n // 32].word_select(n % 32 // 8, 8)
        m.d.comb += bit.eq(Cat(byte[(n + step) % 8] for step in (0, 4, 5, 6, 7)).xor())
    return [named(m, "forward", Cat(sums[low : low + 32]) ^ 0x63636363) for low in range(0, 128, 32)]


def affine_in_luts(m: Module, state: Value) -> Value:
    """The affine map of FIPS 197, 5.1.1.  Each sum is a separate LUT, so the mapper cannot merge it into the table."""
    return Cat(_affine_in_luts(m, [named(m, "word", word) for word in columns(state)]))


def map_after_split(m: Module, state: Value, decrypt: Value) -> Value:
    """Like :func:`map_after`, but each sum is a separate LUT, so the mapper cannot merge it into the table."""
    words = [named(m, "word", word) for word in columns(state)]
    forward = _affine_in_luts(m, words)
    return named(m, "chosen", Cat(Mux(decrypt, word, f) for word, f in zip(words, forward, strict=True)))


def _inverses() -> tuple[int, ...]:
    # The inverse affine map of SubBytes on numbers.
    def undone(y: int) -> int:
        wide = y | y << 8
        return (wide >> 7 ^ wide >> 5 ^ wide >> 2) & 0xFF ^ 0x05

    return tuple(undone(y) for y in SBOX)


INVERSES = _inverses()
"""The inverse of each byte in GF(2^8), and 0 for 0."""


def invert_bytes(m: Module, state: Value, *, whole: bool = False) -> Value:
    """The inverse in GF(2^8) of each byte, 0 for 0, in one asynchronous memory (see ``sbox``)."""
    attributes = {"rom_style": "logic", "table": "aes_inverses", **({"table_whole": 1} if whole else {})}
    rom = memory.Memory(shape=8, depth=256, init=INVERSES, attrs=attributes)
    m.submodules += rom
    result = []
    for low in range(0, len(state), 8):
        port = rom.read_port(domain="comb")
        m.d.comb += port.addr.eq(state[low : low + 8])
        result.append(port.data)
    return named(m, "inverses", Cat(result))


def clocked_both_sub_bytes(m: Module, state: Value, decrypt: Value) -> Value:
    """SubBytes, or InvSubBytes if *decrypt*, of *state* of the previous cycle, in block memories with two ports and 512 bytes."""
    result = []
    for low in range(0, len(state), 16):
        rom = memory.Memory(shape=8, depth=512, init=[*SBOX, *INV_SBOX], attrs={"rom_style": "block", "table": "aes_both_sboxes_bram"})
        m.submodules += rom
        for at in (low, low + 8):
            port = rom.read_port()
            m.d.comb += [port.addr.eq(Cat(state[at : at + 8], decrypt)), port.en.eq(1)]
            result.append(port.data)
    return named(m, "substituted", Cat(result))


def cut_both_mix_columns(m: Module, state: Value, decrypt: Value) -> tuple[Value, Value]:
    """The first part of MixColumns, or of InvMixColumns if *decrypt*.  ``join_mix_columns`` is the second part."""
    u, v = cut_mix_columns(m, state)
    result = []
    for a, u_c in zip(columns(state), columns(u), strict=True):
        # InvMixColumns is MixColumns + 4 (a_r + a_{r+2}) + 8 (a_0 + a_1 + a_2 + a_3): see mixcolumns.
        a = named(m, "a", a)
        column_sum = named(m, "column_sum", u_c ^ u_c.rotate_right(16))
        inner = named(m, "inner", a ^ a.rotate_right(16) ^ twice(m, column_sum))
        more = named(m, "more", Mux(decrypt, twice(m, inner), 0))
        result.append(named(m, "u", u_c ^ more))
    return Cat(result), v
