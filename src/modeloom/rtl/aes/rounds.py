# SPDX-License-Identifier: Apache-2.0
"""A round of AES without its key: SubBytes, ShiftRows and MixColumns or their inverses, with registers between them.

::

    state ──▶ SubBytes, ShiftRows ──▶ reg ──┬──▶ MixColumns ──▶ mixed       (+ round key: the round's last register)
                                            └──▶ reg ─────────▶ plain       the last round has no MixColumns

Registers of a round.  Each row adds one register to the row above.  The first one is not in this file::

    registers   behind
    1           AddRoundKey
    2           SubBytes
    3           the sums of columns in MixColumns; its last doubling is left, with AddRoundKey
    4           the table look-up by six bits in SubBytes; the choice between four results is left.
                With both directions: the inversion in the field, the same for both; S-boxes of gates are cut in the middle

With S-boxes in block memories, the register after AddRoundKey is the register inside the memory that follows.  The fourth register is a
separate one before the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import memory

from modeloom.rtl.aes.layers import (
    add_in_luts,
    both_shift_rows,
    clocked_both_sub_bytes,
    cut_both_mix_columns,
    cut_inv_mix_columns,
    cut_mix_columns,
    inv_shift_rows,
    invert_bytes,
    join_mix_columns,
    keyed_both_network,
    keyed_forward_network,
    keyed_inverse_network,
    lower_columns,
    map_after,
    map_after_split,
    map_before,
    map_before_split,
    plain_network,
    shift_rows,
    split_register,
)
from modeloom.rtl.aes.parameters import Direction, check_count, columns, named
from modeloom.rtl.aes.sbox import (
    INV_SBOX,
    SBOX,
    clocked_sub_bytes,
    cut_sub_bytes,
    inv_sub_bytes,
    join_sub_bytes,
    quarter_of_bytes,
    sub_bytes,
)
from modeloom.rtl.aes.sboxes import SBOXES as FORMS
from modeloom.rtl.aes.sboxes import sub_bytes_of

__all__ = [
    "MIXCOLUMNS", "RoundStages", "SBOXES", "STREAMS", "add", "check_streams", "register", "stream_round", "table_round",
    "table_words",
]  # fmt: skip

SBOXES = tuple(FORMS)
"""Forms of the S-box (``sboxes``): tables in logic or in block memories, or gates."""


MIXCOLUMNS = ("plain", "lut6")
"""Forms of MixColumns: left to the mapper, or partitioned by hand into LUTs of six inputs (see ``round_networks``)."""


def add(a: Value, b: Value) -> Value:
    """The sum of two blocks, column by column, which is faster in simulation (see ``mixcolumns``)."""
    return Cat(a_c ^ b_c for a_c, b_c in zip(columns(a), columns(b), strict=True))


def register(m: Module, value: Value, name: str) -> Value:
    """*value* a cycle later, in registers ``<name>_column_<n>_reg`` without reset."""
    regs = [Signal(len(c), name=f"{name}_column_{n}_reg", reset_less=True) for n, c in enumerate(columns(value))]
    m.d.sync += [reg.eq(column) for reg, column in zip(regs, columns(value), strict=True)]
    return Cat(regs)


@dataclass(frozen=True)
class RoundStages:
    """The structure of rounds.

    Attributes
    ----------
    direction : Direction
        Decryption is the equivalent inverse cipher (FIPS 197, 5.3.5).  InvMixColumns has been applied to
        its round keys, except the first and the last.
    registers : int
        Number of registers in a round, 1 to 4.
    sbox : str
        One of ``SBOXES``.
    mixcolumns : str
        One of ``MIXCOLUMNS``.
    whole_sboxes : bool
        Asks tools to map each table of a pipeline that encrypts by itself (see ``sub_bytes``).

    Raises
    ------
    TypeError
        *registers* is not an integer.
    ValueError
        A value is out of range.
    """

    direction: Direction
    registers: int
    sbox: str = "lut"
    mixcolumns: str = "plain"
    whole_sboxes: bool = False

    def __post_init__(self) -> None:
        check_count("registers_per_round", self.registers, 1, 4)
        if self.sbox not in SBOXES:
            raise ValueError(f"sbox must be one of {', '.join(SBOXES)}, not {self.sbox!r}")
        if self.mixcolumns not in MIXCOLUMNS:
            raise ValueError(f"mixcolumns must be one of {', '.join(MIXCOLUMNS)}, not {self.mixcolumns!r}")

    @property
    def registers_sums(self) -> bool:
        """Whether sums with round keys have registers outside the S-boxes."""
        return self.sbox != "bram" or self.registers >= 4

    def hold(self, m: Module, state: Value, decrypt: Value, name: str) -> Value | tuple[Value, Value]:
        """*state* a cycle later, in the form for :meth:`substitute`.  *decrypt* is its direction."""
        split = self.sbox == "lut" and self.mixcolumns == "lut6"
        return hold_state(m, state, decrypt, name, self.direction) if split else register(m, state, name)

    def substitute(
        self, m: Module, state: Value | tuple[Value, Value], decrypt: Value, name: str = "",
        later: Callable[[Value], Value] = lambda value: value,
    ) -> tuple[Value, Value]:
        """SubBytes and ShiftRows, or their inverses, with the registers within them and after them.

        Parameters
        ----------
        m : Module
            Receives logic and registers.
        state : Value or tuple of Value
            128 bits, or the result of :meth:`hold`.
        decrypt : Value
            Direction of this block.  It is used with direction "both".
        name : str
            Prefix of the names of registers.
        later : callable
            ``later(decrypt)``: the direction, a cycle later.

        Returns
        -------
        tuple
            The state, and the direction of the block that it belongs to.
        """
        both, inverse = self.direction == "both", self.direction == "decrypt"
        if self.sbox not in ("lut", "bram"):
            if both:
                state = both_shift_rows(m, state, decrypt)
            inside = int(self.registers >= 4)
            state = sub_bytes_of(m, state, self.sbox, inverse=decrypt if both else inverse, stages=inside)
            decrypt = later(decrypt) if inside else decrypt
        elif both and self.sbox == "bram":
            state = clocked_both_sub_bytes(m, both_shift_rows(m, state, decrypt), decrypt)
            decrypt = later(decrypt)
        elif both:
            split = isinstance(state, tuple)
            state = invert_bytes(m, map_before_split(m, state, decrypt) if split else map_before(m, state, decrypt))
            if self.registers >= 4:
                state, decrypt = register(m, state, f"{name}inverted"), later(decrypt)
            state = (map_after_split if split and self.registers < 4 else map_after)(m, state, decrypt)
        elif self.sbox == "bram":
            state = clocked_sub_bytes(m, state, inverse=inverse)
        elif self.registers >= 4:
            quarters = cut_sub_bytes(m, state, inverse=inverse)
            quarters = [register(m, quarter, f"{name}quarter_{n}") for n, quarter in enumerate(quarters)]
            state = join_sub_bytes(m, quarters, register(m, quarter_of_bytes(state), f"{name}chosen"))
        else:
            state = inv_sub_bytes(m, state) if inverse else sub_bytes(m, state, whole=self.whole_sboxes)
        if not both:
            state = inv_shift_rows(state) if inverse else shift_rows(state)
        if self.registers >= 2:
            state, decrypt = register(m, state, f"{name}substituted"), later(decrypt)
        return state, decrypt

    def mix(self, m: Module, state: Value, decrypt: Value, key: Value, name: str = "") -> Value:
        """MixColumns, or its inverse, with its inner register, and the sum with *key*.  Other parameters are as in :meth:`substitute`."""
        both, inverse = self.direction == "both", self.direction == "decrypt"
        if self.mixcolumns == "lut6" and not (both and self.registers >= 3):
            networks = {"encrypt": keyed_forward_network, "decrypt": keyed_inverse_network, "both": keyed_both_network}

            def late(value: Value, term: str) -> Value:
                return register(m, value, f"{name}{term}")

            return lower_columns(m, networks[self.direction](), state, key, decrypt, late if self.registers >= 3 else None)
        if both:
            u, v = cut_both_mix_columns(m, state, decrypt)
        else:
            u, v = cut_inv_mix_columns(m, state) if inverse else cut_mix_columns(m, state)
        if self.registers >= 3:
            u, v = register(m, u, f"{name}u"), register(m, v, f"{name}v")
        return add(join_mix_columns(m, u, v), key)

    def finish(self, m: Module, state: Value, key: Value, name: str = "") -> Value:
        """The sum of *state* and *key* in the last round, with the same delay as the result of :meth:`mix`."""
        if self.registers >= 3:
            state = register(m, state, f"{name}waiting")
        return add_in_luts(m, state, key) if self.mixcolumns == "lut6" else add(state, key)


# -- tables ------------------------------------------------------------------------------------------------------------------------

# A round with tables in block memories.  A word contains S-box and MixColumns, or their inverses.
#
# A byte in row r gives a column of four bytes: the column for row 0, rotated by r.  Four columns and the round key add up to the next one
# (J. Daemen, V. Rijmen, The Design of Rijndael, section 4.2).  The words of a byte x in row 0, with byte 0 at [7:0]:
#
#     decrypt  last   byte 0   1    2    3
#        0      0       2 s    s    s   3 s       s = S(x)
#        0      1         s    0    0    0        the last round needs no multiplexer
#        1      0      14 s  9 s 13 s  11 s       s = S^-1(x)
#        1      1         s    0    0    0
#        └──────┴─ address {decrypt, last, x}; a core for one direction has no bit for it
#
# 1 024 words of 32 bits are one block memory of 36 kbit with two ports.  A state needs eight of them, for one or both directions.

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


def table_round(m: Module, state: Value, decrypt: Value, last: Value, direction: Direction, registers: int) -> Value:
    """A round without its key, one or two cycles after *state* (128 bits), *decrypt* and *last* (one bit each).

    Parameters
    ----------
    m : Module
        Receives logic, memories and registers.
    state, decrypt, last : Value
        The state, whether its block is decrypted (only with direction "both"), and whether this is its last round.
    direction : Direction
    registers : int
        1: registers for the addresses of the memories; 2: also for their outputs.
    """
    state = direction.chosen(m, "chosen", decrypt, shift_rows(state), inv_shift_rows(state))
    words, choice = table_words(direction), [decrypt][: len(direction.ways) - 1]
    result = []
    for column in range(4):
        terms = []
        for row in range(0, 4, 2):
            table = memory.Memory(shape=32, depth=len(words), init=words, attrs={"rom_style": "block"})
            m.submodules += table
            for r in (row, row + 1):
                port = table.read_port()
                byte = state.word_select(4 * column + r, 8)
                m.d.comb += [port.addr.eq(Cat(byte, last, *choice)), port.en.eq(1)]
                word = register(m, port.data, f"table_{4 * column + r}") if registers > 1 else port.data
                terms.append(word.rotate_left(8 * r))
        result.append(named(m, "mixed", terms[0] ^ terms[1] ^ terms[2] ^ terms[3]))
    return Cat(result)


# -- stream round ------------------------------------------------------------------------------------------------------------------

# The round of AES around a loop, with registers at places where they cost no LUT (luts2017, section 3.3).
#
# With four streams, each register holds a different block, and every LUT6 is followed by a register:
#
#     state reg ──▶ S-boxes ──▶ reg ──▶ x = a_7 + b_7 ──▶ reg ──▶ MixColumns ──▶ reg ──▶ mixed     (+) key: the state again
#                               └──────▶ reg ────────────────────▶ waiting reg ──────▶ plain     (+) key: the result
#     stage              1                     2                        3                      4
#
#     streams   registers at the end of stage
#     1         4: the sum with the round key
#     2         1 (S-boxes), 4
#     4         1, 2, 3, 4; both directions: inversion in the field, S-box, MixColumns, 4

STREAMS = {1: "", 2: "S", 4: "ISXM"}
"""Possible numbers of blocks in a round, each with its registers: inside the S-boxes for both directions (I), behind S-boxes (S), at the
sums with x for one direction (X), and behind MixColumns (M)."""


def check_streams(count: int, known: Collection[int] = STREAMS) -> int:
    """*count* if a round can have so many streams.

    Raises
    ------
    ValueError
        *count* is another number.
    """
    if count not in known or isinstance(count, bool):
        raise ValueError(f"streams must be one of {', '.join(map(str, known))}, not {count!r}")
    return count


def hold_state(m: Module, state: Value, decrypt: Value, name: str, direction: Direction) -> Value | tuple[Value, Value]:
    """*state* a cycle later, for :func:`stream_round`: in two sets of registers if a block has the direction *decrypt*."""
    both = len(direction.ways) > 1
    return split_register(m, state, decrypt, name) if both else register(m, state, name)


def stream_round(
    m: Module, state: Value | tuple[Value, Value], ways: Sequence[Value], *, streams: int, direction: Direction, whole_sboxes: bool = False
) -> tuple[Value, Value]:
    """Stages 1 to 3 of a round: the state with MixColumns and without, *streams* - 1 cycles later.

    Parameters
    ----------
    m : Module
        Receives logic and registers.
    state : Value or tuple of Value
        What ``hold_state`` gives.
    ways : sequence of Value
        The direction of the block in each stage, used with direction "both".
    streams : int
        One of ``STREAMS``.
    direction : Direction
        Decryption is that of FIPS 197, 5.3.5.
    whole_sboxes : bool
        Asks tools to map each table of an encrypter by itself.
    """
    cuts, network = STREAMS[streams], plain_network(direction)

    def late(value: Value, name: str) -> Value:
        return register(m, value, name)

    def cut(place: str, value: Value, name: str) -> Value:
        return late(value, name) if place in cuts else value

    if isinstance(state, tuple):
        inside = int("I" in cuts)
        inverted = cut("I", invert_bytes(m, map_before_split(m, state, ways[0])), "inverted")
        waiting = cut("S", (map_after if inside else map_after_split)(m, inverted, ways[inside]), "substituted")
        mixed = lower_columns(m, network, waiting, gate=ways[inside + ("S" in cuts)])
    else:
        inverse = direction == "decrypt"
        substituted = inv_shift_rows(inv_sub_bytes(m, state)) if inverse else shift_rows(sub_bytes(m, state, whole=whole_sboxes))
        substituted = cut("S", substituted, "substituted")
        mixed = lower_columns(m, network, substituted, register=late if "X" in cuts else None)
        waiting = cut("X", substituted, "beside_sums")
    return cut("M", mixed, "mixed"), cut("M", waiting, "waiting")
