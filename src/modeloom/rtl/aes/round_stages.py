# SPDX-License-Identifier: Apache-2.0
"""A round of AES without its key: SubBytes, ShiftRows and MixColumns or their inverses, with registers between them.

::

    state ──▶ SubBytes, ShiftRows ──▶ reg ──┬──▶ MixColumns ──▶ mixed       (+ round key: the round's last register)
                                            └──▶ reg ─────────▶ plain       the last round has no MixColumns

Registers of a round, each added to those of the row above it; the first is not in here::

    registers   behind
    1           AddRoundKey
    2           SubBytes
    3           the sums of columns in MixColumns; its last doubling is left, with AddRoundKey
    4           the table look-up by six bits in SubBytes; the choice between four results is left.
                With both directions: the inversion in the field, the same for both

With S-boxes in block memories the register behind AddRoundKey is the one inside of the memory that follows; the fourth register is one
of its own before the memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from amaranth.hdl import Cat, Module, Signal, Value

from .either import clocked_either_sub_bytes, cut_either_mix_columns, either_shift_rows, invert_bytes, map_after, map_before
from .mixcolumns import cut_inv_mix_columns, cut_mix_columns, inv_shift_rows, join_mix_columns, shift_rows
from .parameters import check_count, columns
from .sbox import clocked_sub_bytes, cut_sub_bytes, inv_sub_bytes, join_sub_bytes, quarter_of_bytes, sub_bytes

__all__ = ["DIRECTIONS", "SBOXES", "RoundStages", "add", "register"]

DIRECTIONS = ("encrypt", "decrypt", "both")
"""What a cipher core does; with "both" each block says which."""

SBOXES = ("lut", "bram")
"""Forms of the S-box: logic, which FPGAs have as look-up tables, or block memories."""


def add(a: Value, b: Value) -> Value:
    """The sum of two blocks, column by column, for the sake of the simulator: see mixcolumns."""
    return Cat(a_c ^ b_c for a_c, b_c in zip(columns(a), columns(b), strict=True))


def register(m: Module, value: Value, name: str) -> Value:
    """*value* a cycle later, in registers ``<name>_column_<n>_reg`` without reset."""
    regs = [Signal(len(c), name=f"{name}_column_{n}_reg", reset_less=True) for n, c in enumerate(columns(value))]
    m.d.sync += [reg.eq(column) for reg, column in zip(regs, columns(value), strict=True)]
    return Cat(regs)


@dataclass(frozen=True)
class RoundStages:
    """How rounds are built.

    Attributes
    ----------
    direction : str
        One of ``DIRECTIONS``.  Decryption is that of the equivalent inverse cipher (FIPS 197, 5.3.5): its round keys, but the first and
        the last, have gone through InvMixColumns.
    registers : int
        Registers a round, 1 to 4.
    sbox : str
        One of ``SBOXES``.

    Raises
    ------
    TypeError
        *registers* is no integer.
    ValueError
        A value is out of range.
    """

    direction: str
    registers: int
    sbox: str = "lut"

    def __post_init__(self) -> None:
        if self.direction not in DIRECTIONS:
            raise ValueError(f"direction must be one of {', '.join(DIRECTIONS)}, not {self.direction!r}")
        check_count("registers_per_round", self.registers, 1, 4)
        if self.sbox not in SBOXES:
            raise ValueError(f"sbox must be one of {', '.join(SBOXES)}, not {self.sbox!r}")

    @property
    def registers_sums(self) -> bool:
        """Whether sums with round keys have registers outside of the S-boxes."""
        return self.sbox != "bram" or self.registers >= 4

    def substitute(
        self, m: Module, state: Value, decrypt: Value, name: str = "", later: Callable[[Value], Value] = lambda value: value
    ) -> tuple[Value, Value]:
        """SubBytes and ShiftRows, or their inverses, with the registers among them and behind them.

        Parameters
        ----------
        m : Module
            Receives logic and registers.
        state : Value
            128 bits.
        decrypt : Value
            Direction of this block; used with direction "both".
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
        if both and self.sbox == "bram":
            state = clocked_either_sub_bytes(m, either_shift_rows(m, state, decrypt), decrypt)
            decrypt = later(decrypt)
        elif both:
            state = invert_bytes(m, map_before(m, state, decrypt))
            if self.registers >= 4:
                state, decrypt = register(m, state, f"{name}inverted"), later(decrypt)
            state = map_after(m, state, decrypt)
        elif self.sbox == "bram":
            state = clocked_sub_bytes(m, state, inverse=inverse)
        elif self.registers >= 4:
            quarters = cut_sub_bytes(m, state, inverse=inverse)
            quarters = [register(m, quarter, f"{name}quarter_{n}") for n, quarter in enumerate(quarters)]
            state = join_sub_bytes(m, quarters, register(m, quarter_of_bytes(state), f"{name}chosen"))
        else:
            state = inv_sub_bytes(m, state) if inverse else sub_bytes(m, state)
        if not both:
            state = inv_shift_rows(state) if inverse else shift_rows(state)
        if self.registers >= 2:
            state, decrypt = register(m, state, f"{name}substituted"), later(decrypt)
        return state, decrypt

    def mix(self, m: Module, state: Value, decrypt: Value, name: str = "") -> Value:
        """MixColumns, or its inverse, with the register in it; parameters as for :meth:`substitute`."""
        if self.direction == "both":
            u, v = cut_either_mix_columns(m, state, decrypt)
        else:
            u, v = cut_inv_mix_columns(m, state) if self.direction == "decrypt" else cut_mix_columns(m, state)
        if self.registers >= 3:
            u, v = register(m, u, f"{name}u"), register(m, v, f"{name}v")
        return join_mix_columns(m, u, v)

    def wait(self, m: Module, state: Value, name: str = "") -> Value:
        """*state* as late as :meth:`mix` gives it."""
        return register(m, state, f"{name}waiting") if self.registers >= 3 else state
