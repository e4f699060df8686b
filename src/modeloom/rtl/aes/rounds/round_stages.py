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

from collections.abc import Callable
from dataclasses import dataclass

from amaranth.hdl import Cat, Module, Signal, Value

from modeloom.rtl.aes.layers.both import (
    both_shift_rows,
    clocked_both_sub_bytes,
    cut_both_mix_columns,
    invert_bytes,
    map_after,
    map_after_split,
    map_before,
    map_before_split,
    split_register,
)
from modeloom.rtl.aes.layers.mixcolumns import cut_inv_mix_columns, cut_mix_columns, inv_shift_rows, join_mix_columns, shift_rows
from modeloom.rtl.aes.layers.round_networks import (
    add_in_luts,
    keyed_both_network,
    keyed_forward_network,
    keyed_inverse_network,
    lower_columns,
)
from modeloom.rtl.aes.parameters import check_count, columns
from modeloom.rtl.aes.sboxes.forms import SBOXES as FORMS
from modeloom.rtl.aes.sboxes.forms import sub_bytes_of
from modeloom.rtl.aes.sboxes.sbox import (
    clocked_sub_bytes,
    cut_sub_bytes,
    inv_sub_bytes,
    join_sub_bytes,
    quarter_of_bytes,
    sub_bytes,
)
from modeloom.spec.directions import DIRECTIONS

__all__ = ["MIXCOLUMNS", "SBOXES", "RoundStages", "add", "register"]

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
    direction : str
        "encrypt", "decrypt" or "both".  Decryption is the equivalent inverse cipher (FIPS 197, 5.3.5).  InvMixColumns has been applied to
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

    direction: str
    registers: int
    sbox: str = "lut"
    mixcolumns: str = "plain"
    whole_sboxes: bool = False

    def __post_init__(self) -> None:
        if self.direction not in DIRECTIONS:
            raise ValueError(f"direction must be one of {', '.join(DIRECTIONS)}, not {self.direction!r}")
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
        if self.direction == "both" and self.sbox == "lut" and self.mixcolumns == "lut6":
            return split_register(m, state, decrypt, name)
        return register(m, state, name)

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

            gate, cut = decrypt if both else None, late if self.registers >= 3 else None
            return lower_columns(m, networks[self.direction](), state, key, gate, cut)
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
