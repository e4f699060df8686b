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

from collections.abc import Callable
from functools import cache

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import memory

from modeloom.rtl.aes.mixcolumns_lut6 import both_network, forward_network, inverse_network
from modeloom.rtl.aes.parameters import choose, columns, named
from modeloom.rtl.aes.sbox import INV_SBOX, SBOX
from modeloom.rtl.logic import Sum, XorLuts

__all__ = [
    "add_in_luts", "affine_in_luts", "both_shift_rows", "clocked_both_sub_bytes", "cut_both_mix_columns", "cut_inv_mix_columns",
    "cut_mix_columns", "inv_mix_columns", "inv_shift_rows", "invert_bytes", "join_mix_columns", "keyed_both_network",
    "keyed_forward_network", "keyed_inverse_network", "lower_columns", "map_after", "map_after_split", "map_before",
    "map_before_in_luts", "map_before_split", "mix_columns", "plain_network", "shift_rows", "split_register", "twice", "undo_map",
]  # fmt: skip

# -- round networks --------------------------------------------------------------------------------------------------------------------

# MixColumns with the round key, in LUTs of six inputs.  The networks may have a register after some of their levels.
#
# Bit k of the bytes of a column, from row r on, is ``a_k b_k c_k d_k``, its round key ``k``, and u = a + b + c + d for every r::
#
#     network             LUT6   levels
#     MixColumns + key      39        2     five terms and k; bits 1, 3, 4: 2 (a + b) + a + u + [a_7 + b_7] + k, with u shared by all rows
#     Inverse + key         61        3     2 (a + b) + a + z + [a_7 + b_7] + k with z = u + 4 (a + c) + 8 u, shared by rows r and r + 2
#     either + key          66        4     the same with z = u + [4 (a + c) + 8 u, if the gate is 1]
#
# A cipher round with one register takes 32 LUT6 for each S-box and 39 for each column: 668 LUT6.  Each of the last 128 has its flip-flop.
# If the sums with a_7 + b_7 and u also get registers, there is only one LUT between registers, and the number of LUTs is the same.

_REDUCED = (1, 3, 4)
"""Bits that x^8 = x^4 + x^3 + x + 1 changes, except bit 0."""


def _bit(row: int, k: int) -> str:
    return f"i{row % 4}_{k}"


_INPUTS = tuple(_bit(row, k) for row in range(4) for k in range(8))
_KEYS = tuple(f"k{row}_{k}" for row in range(4) for k in range(8))
_OUTPUTS = tuple(f"o{row}_{k}" for row in range(4) for k in range(8))


def _column_sums(*bits: int) -> dict[str, Sum]:
    return {f"u{k}": Sum(tuple(_bit(row, k) for row in range(4))) for k in bits}


def _carries() -> dict[str, Sum]:
    return {f"x{row}": Sum((_bit(row, 7), _bit(row + 1, 7))) for row in range(4)}


@cache
def keyed_forward_network() -> XorLuts:
    """MixColumns of a column, and a round key added: 39 LUTs, two levels."""
    sums = _column_sums(*_REDUCED) | _carries()
    for row in range(4):
        for k in range(8):
            doubled = (_bit(row, (k - 1) % 8), _bit(row + 1, (k - 1) % 8))
            rest = (_bit(row, k), f"u{k}", f"x{row}") if k in _REDUCED else tuple(_bit(row + n, k) for n in (1, 2, 3))
            sums[f"o{row}_{k}"] = Sum((*doubled, *rest, f"k{row}_{k}"))
    return XorLuts((*_INPUTS, *_KEYS), sums, _OUTPUTS)


def _add_outputs(sums: dict[str, Sum], shared: Callable[[int, int], tuple[str, ...]]) -> XorLuts:
    for row in range(4):
        for k in range(8):
            terms = (_bit(row, (k - 1) % 8), _bit(row + 1, (k - 1) % 8), _bit(row, k), f"k{row}_{k}", *shared(row, k))
            sums[f"o{row}_{k}"] = Sum((*terms, f"x{row}") if k in _REDUCED else terms)
    return XorLuts((*_INPUTS, *_KEYS), sums, _OUTPUTS)


@cache
def keyed_inverse_network() -> XorLuts:
    """InvMixColumns of a column, and a round key added: 61 LUTs, three levels."""
    sums = _column_sums(*range(8)) | _carries()
    for r in range(2):
        a, c = r, r + 2
        # The coefficients of x^8 and x^9 in 4 (a + c) + 8 u.  That of x^10 is u_7.
        sums[f"e{r}"] = Sum((_bit(a, 6), _bit(c, 6), *(_bit(row, 5) for row in range(4))))
        sums[f"f{r}"] = Sum((_bit(a, 7), _bit(c, 7), *(_bit(row, 6) for row in range(4))))
    for r in range(2):
        pair = {k: (_bit(r, k), _bit(r + 2, k)) for k in range(8)}
        carried = {1: (f"e{r}", f"f{r}"), 2: (f"f{r}", "u7"), 3: (f"e{r}", "u7"), 4: (f"e{r}", f"f{r}"), 5: (f"f{r}", "u7")}
        for k in range(1, 6):
            four = pair[k - 2] if k >= 2 else ()
            eight = (f"u{k - 3}",) if k >= 3 else ()
            sums[f"z{r}_{k}"] = Sum((f"u{k}", *four, *eight, *carried[k]))
        if r == 0:
            sums["z0_0"] = Sum(("u0", *pair[6], "u5"))
            sums["z0_6"] = Sum(("u6", *pair[4], "u3", "u7"))
            sums["z0_7"] = Sum(("u7", *pair[5], "u4"))

    def shared(row: int, k: int) -> tuple[str, ...]:
        # Rows 1 and 3 contain 4 u, unlike rows 0 and 2.  In bits 0, 6 and 7 this is one term, for which there is a free input.
        more = {0: "u6", 6: "u4", 7: "u5"}
        return (f"z0_{k}", more[k]) if k in more and row % 2 else (f"z{row % 2}_{k}",)

    return _add_outputs(sums, shared)


@cache
def keyed_both_network() -> XorLuts:
    """MixColumns of a column, or InvMixColumns if the gate is 1, and a round key added: 66 LUTs, four levels."""
    sums = _column_sums(*range(8)) | _carries()
    for r in range(2):
        a, c = r, r + 2
        sums[f"f{r}"] = Sum((_bit(1 - r, 7), _bit(3 - r, 7), *(_bit(row, 6) for row in range(4))))
        sums[f"e{r}"] = Sum((_bit(a, 6), _bit(c, 6), "u5", "u7"))
        pair = {k: (_bit(a, k), _bit(c, k)) for k in range(8)}
        sums[f"g{r}"] = Sum((*pair[2], "u1", f"f{r}"))
        gated = {
            0: (*pair[6], "u5"), 1: (f"e{r}", f"f{r}"), 2: (*pair[0], f"f{r}"), 3: (*pair[1], "u0", f"e{r}"), 4: (f"e{r}", f"g{r}"),
            5: (*pair[3], "u2", f"f{r}"), 6: (*pair[4], "u3", "u7"), 7: (*pair[5], "u4"),
        }  # fmt: skip
        for k, terms in gated.items():
            sums[f"z{r}_{k}"] = Sum((f"u{k}",), terms)
    return _add_outputs(sums, lambda row, k: (f"z{row % 2}_{k}",))


def plain_network(direction: str) -> XorLuts:
    """MixColumns ("encrypt"), its inverse ("decrypt", three levels) or either ("both") without a key: 36, 57 and 60 LUTs for each
    column."""
    networks: dict[str, Callable[[], XorLuts]] = {"encrypt": forward_network, "decrypt": lambda: inverse_network(3), "both": both_network}
    return networks[direction]()


def add_in_luts(m: Module, a: Value, b: Value) -> Value:
    """The sum of two values, with a LUT for each bit.  If the mapper decided, the S-boxes before it would become larger."""
    result = []
    for a_c, b_c in zip(columns(a), columns(b), strict=True):
        a_c, b_c = named(m, "a", a_c), named(m, "b", b_c)
        sums = [Signal(name=f"sum_{n}", attrs={"keep": 1}) for n in range(len(a_c))]
        m.d.comb += [bit.eq(Cat(a_c[n], b_c[n]).xor()) for n, bit in enumerate(sums)]
        result.append(named(m, "sums", Cat(sums)))
    return Cat(result)


def lower_columns(
    m: Module, network: XorLuts, state: Value, key: Value | None = None, gate: Value | None = None,
    register: Callable[[Value, str], Value] | None = None, cut: int = 1,
) -> Value:  # fmt: skip
    """The network of each column of *state* (and *key*), added to *m*.

    Parameters
    ----------
    m : Module
        Receives the logic.
    network : XorLuts
        Of one column.
    state, key : Value
        Whole columns of 32 bits.  The key is only for a network with a key, and belongs to the cycle of the result.
    gate : Value, optional
        One bit for all columns.
    register : callable, optional
        ``register(value, name)``: *value* a cycle later.  What the first *cut* levels give is then registered, and with it what later
        levels need of *state*.
    """
    first, second = (network, None) if register is None else _cut(network, cut)
    result = []
    for n, column in enumerate(columns(state)):
        # One column at a time, because mapping keeps only signals of one bit as LUTs.
        column = named(m, "column", column)
        values: dict[str, Value] = {name: column[at] for at, name in enumerate(_INPUTS)}
        keys: dict[str, Value] = {}
        if key is not None:
            own_key = named(m, "key", key[32 * n : 32 * n + 32])
            keys = {name: own_key[at] for at, name in enumerate(_KEYS)}
        if second is None or register is None:
            result.append(named(m, "mixed", Cat(first.lower(m, values | keys, gate))))
            continue
        made = values | dict(zip(first.outputs, first.lower(m, values, gate), strict=True))
        wanted = [name for name in second.inputs if name in made]
        late = register(Cat(made[name] for name in wanted), f"sums_{n}")
        result.append(named(m, "mixed", Cat(second.lower(m, {name: late[at] for at, name in enumerate(wanted)} | keys, gate))))
    return Cat(result)


def _cut(network: XorLuts, cut: int) -> tuple[XorLuts, XorLuts]:
    """Two networks: the sums of the first levels without outputs, and the remaining sums, which read them."""
    level = dict.fromkeys(network.inputs, 0)
    for name, each in network.sums.items():
        level[name] = 1 + max(level[term] for term in (*each.terms, *each.gated))
    early = {name: each for name, each in network.sums.items() if level[name] <= cut and name not in network.outputs}
    late = {name: each for name, each in network.sums.items() if name not in early}
    read = {term for each in late.values() for term in (*each.terms, *each.gated)}
    wanted = [name for name in (*network.inputs, *early) if name in read]
    return XorLuts(_INPUTS, early, tuple(name for name in early if name in read)), XorLuts(wanted, late, network.outputs)


# -- both ------------------------------------------------------------------------------------------------------------------------------

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


def _choose(m: Module, decrypt: Value, backward: Value, forward: Value) -> Value:
    return named(m, "chosen", choose(decrypt, backward, forward))


def _turn(word: Value, bits: int) -> Value:
    """Each byte of a word of up to 32 bits rotated left by 1 to 7 bits."""
    ones = (1 << len(word)) - 1
    low = 0x01010101 * ((1 << bits) - 1) & ones
    return ((word << bits)[: len(word)] & (ones ^ low)) | (word >> (8 - bits) & low)


def _affine(m: Module, state: Value, turns: tuple[int, ...], constant: int) -> Value:
    result = []
    for word in columns(state):
        word = named(m, "word", word)
        total = word if 0 in turns else _turn(word, turns[0])
        for bits in turns[1:]:
            total = total ^ _turn(word, bits)
        result.append(named(m, "mapped", total ^ (0x01010101 * constant & (1 << len(word)) - 1)))
    return Cat(result)


def both_shift_rows(m: Module, state: Value, decrypt: Value) -> Value:
    """ShiftRows of a state of 128 bits, or InvShiftRows if *decrypt*.  Rows 0 and 2 are wires."""
    return _choose(m, decrypt, inv_shift_rows(state), shift_rows(state))


def undo_map(m: Module, state: Value) -> Value:
    """The inverse affine map of FIPS 197, 5.1.1, of any whole number of bytes: b'_i = b_{i+2} + b_{i+5} + b_{i+7} + d_i with d = 05."""
    return _affine(m, state, (1, 3, 6), 0x05)


def map_before(m: Module, state: Value, decrypt: Value) -> Value:
    """The layers before the inversion, for a state of 128 bits: ShiftRows, or InvShiftRows and the inverse affine map if *decrypt*."""
    return _choose(m, decrypt, undo_map(m, inv_shift_rows(state)), shift_rows(state))


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
