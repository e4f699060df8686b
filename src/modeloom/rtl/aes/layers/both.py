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

from modeloom.rtl.aes.direction import choose
from modeloom.rtl.aes.parameters import columns, named
from modeloom.rtl.aes.sboxes.sbox import INV_SBOX, SBOX

__all__ = [
    "affine_in_luts", "both_shift_rows", "clocked_both_sub_bytes", "cut_both_mix_columns", "cut_inv_mix_columns", "cut_mix_columns",
    "inv_mix_columns", "inv_shift_rows", "invert_bytes", "join_mix_columns", "map_after", "map_after_split", "map_before",
    "map_before_in_luts", "map_before_split", "mix_columns", "shift_rows", "split_register", "twice",
]  # fmt: skip


# The linear layers of AES: ShiftRows, MixColumns and their inverses.
#
# A column is a 32-bit word with row 0 at [7:0]. Column c of a state is bits [32c + 31 : 32c]:
#
#     bits  31:24  23:16  15:8   7:0
#     row     3      2      1     0
#
# All arithmetic is on whole columns, four bytes at a time. Results are concatenations of 32-bit signals, so selecting a column costs
# nothing. CXXRTL computes a 32-bit word in one machine instruction. With signals of 128 bits that are sliced into bytes and concatenated
# again, the simulation of a pipeline was ten times slower.
#
# Functions with a module as an argument add their logic at the place of the call. Call them outside of ``If`` and ``Switch``.

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


# -- both --------------------------------------------------------------------------------------------------------------------------

def _choose(m: Module, decrypt: Value, backward: Value, forward: Value) -> Value:
    return named(m, "chosen", choose(decrypt, backward, forward))


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
