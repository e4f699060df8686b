# SPDX-License-Identifier: Apache-2.0
"""AES pipelines: one block a cycle, fixed latency, round keys of several slots.

Byte 0 of a block is bits [7:0] of the signal; byte r + 4c is row r, column c of the state. With n rounds::

    cycle      0                   1        ...            latency - 1    latency
    i, slot ──▶(+)──▶ w. reg ──▶ round 1 ──▶ ... ──▶ ... ──▶ round n ──▶ reg ──▶ o
                ▲                  ▲                           ▲
              key 0              key 1                       key n           (a decrypter: n, n - 1, ..., 0)

Registers of a round, each added to those of the row above it::

    registers_per_round   registers behind
    1                     AddRoundKey
    2                     SubBytes
    3                     the sums of columns in MixColumns; its last doubling is left, with AddRoundKey
    4                     the table look-up by six bits in SubBytes; the choice between four results is left

With S-boxes in block memories the register behind AddRoundKey is the one inside of the memory that follows; the fourth register is one
of its own before the memory.

Nothing stalls: no register of the data path has a clock enable or a reset.
"""

from __future__ import annotations

from collections.abc import Callable

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .mixcolumns import cut_inv_mix_columns, cut_mix_columns, inv_shift_rows, join_mix_columns, shift_rows
from .parameters import BLOCK_BITS, ROUNDS, check_count, check_key_bits, columns, slot_shape
from .round_keys import read_round_key
from .sbox import clocked_sub_bytes, cut_sub_bytes, inv_sub_bytes, join_sub_bytes, quarter_of_bytes, sub_bytes

__all__ = ["SBOXES", "AESDecryptPipeline", "AESEncryptPipeline"]

SBOXES = ("lut", "bram")
"""Forms of the S-box: logic, which FPGAs have as look-up tables, or block memories."""


def _add(a: Value, b: Value) -> Value:
    # Column by column, for the sake of the simulator: see mixcolumns.
    return Cat(a_c ^ b_c for a_c, b_c in zip(columns(a), columns(b), strict=True))


class _AESPipeline(wiring.Component):
    _inverse: bool

    def __init__(
        self, key_bits: int = 128, registers_per_round: int = 1, slots: int = 1, *, whitening_register: bool = True,
        sbox: str = "lut",
    ):
        self.key_bits = check_key_bits(key_bits)
        self.registers_per_round = check_count("registers_per_round", registers_per_round, 1, 4)
        self.slots = check_count("slots", slots)
        if not isinstance(whitening_register, bool):
            raise TypeError(f"whitening_register must be True or False, not {whitening_register!r}")
        if sbox not in SBOXES:
            raise ValueError(f"sbox must be one of {', '.join(SBOXES)}, not {sbox!r}")
        if sbox == "bram" and not whitening_register:
            raise ValueError("a block memory registers its address: sbox 'bram' needs whitening_register")
        self.whitening_register, self.sbox = whitening_register, sbox
        self.rounds = ROUNDS[key_bits]
        self.latency = self.rounds * registers_per_round + whitening_register
        self.interval = 1
        super().__init__({
            "i": In(BLOCK_BITS),
            "slot": In(slot_shape(slots)),
            "o": Out(BLOCK_BITS),
            "key_we": In(1),
            "key_slot": In(slot_shape(slots)),
            "key_round": In(4),
            "key_data": In(BLOCK_BITS),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        travel: list[Value] = [self.slot]
        if self.slots > 1:
            # Keys are read one cycle ahead of their use, which is in cycle latency - 1 at the latest.
            for n in range(1, self.latency - 1):
                slot_reg = Signal(self.slot.shape(), name=f"slot_{n}_reg", reset_less=True)
                m.d.sync += slot_reg.eq(travel[-1])
                travel.append(slot_reg)

        def round_key(index: int, cycle: int) -> Value:
            write = Signal(name=f"write_{index}")
            m.d.comb += write.eq(self.key_we & (self.key_round == index))
            return read_round_key(
                m, write, self.key_slot, self.key_data, slots=self.slots, travel=travel, cycle=cycle, index=index
            )

        def register(value: Value, name: str) -> Value:
            regs = [
                Signal(len(column), name=f"{name}_column_{c}_reg", reset_less=True)
                for c, column in enumerate(columns(value))
            ]
            m.d.sync += [reg.eq(column) for reg, column in zip(regs, columns(value), strict=True)]
            return Cat(regs)

        first, *others = range(self.rounds, -1, -1) if self._inverse else range(self.rounds + 1)
        state = _add(self.i, round_key(first, 0))
        if self.whitening_register and self._registers_sums:
            state = register(state, "whitened")
        for number, index in enumerate(others, start=1):
            end = number * self.registers_per_round + self.whitening_register
            state = self._round(m, state, round_key(index, end - 1), register, number)
        m.d.comb += self.o.eq(state)
        return m

    @property
    def _registers_sums(self) -> bool:
        """Whether the sums with round keys have registers outside of the S-boxes."""
        return self.sbox != "bram" or self.registers_per_round >= 4

    def _round(
        self, m: Module, state: Value, key: Value, register: Callable[[Value, str], Value], number: int
    ) -> Value:
        if self.sbox == "bram":
            state = clocked_sub_bytes(m, state, inverse=self._inverse)
        elif self.registers_per_round >= 4:
            quarters = cut_sub_bytes(m, state, inverse=self._inverse)
            quarters = [register(quarter, f"round_{number}_quarter_{n}") for n, quarter in enumerate(quarters)]
            chosen = register(quarter_of_bytes(state), f"round_{number}_chosen")
            state = join_sub_bytes(m, quarters, chosen)
        else:
            state = inv_sub_bytes(m, state) if self._inverse else sub_bytes(m, state)
        state = inv_shift_rows(state) if self._inverse else shift_rows(state)
        if self.registers_per_round >= 2:
            state = register(state, f"round_{number}_substituted")

        if number == self.rounds:
            if self.registers_per_round >= 3:
                state = register(state, f"round_{number}_waiting")
        else:
            u, v = cut_inv_mix_columns(m, state) if self._inverse else cut_mix_columns(m, state)
            if self.registers_per_round >= 3:
                u = register(u, f"round_{number}_u")
                v = register(v, f"round_{number}_v")
            state = join_mix_columns(m, u, v)
        state = _add(state, key)
        return register(state, f"round_{number}") if self._registers_sums or number == self.rounds else state


_DOC = """AES {direction} ({section}), one block a cycle.

    Parameters
    ----------
    key_bits : int
        128, 192 or 256.
    registers_per_round : int
        1 to 4; where they stand is told at the head of the file.
    slots : int
        Key slots, at least 1. One slot is held in registers, more are held in LUT memories, one for each round.
    whitening_register : bool
        Registers the sum of the input and the first round key, one cycle more. Without it the first round has an XOR
        (and a key memory) before its S-boxes in one cycle; and with that as the longest path, abc has slack in all
        other rounds, which it spends badly: on xc7, with two registers a round, a quarter more LUTs in all.
    sbox : str
        "lut": S-boxes of logic; "bram": eight block memories of two ports a round, each 256 x 8 bits.

    Attributes
    ----------
    rounds : int
        10, 12 or 14.
    latency : int
        rounds * registers_per_round, and 1 with the whitening register: the result of a block given in cycle t is at
        ``o`` in cycle t + latency. The input has no register before the whitening, the output has one.
    interval : int
        1: a block every cycle.

    Members
    -------
    i, slot
        Block (128 bits) and the key slot that it is for, every cycle.
    o
        Result (128 bits).
    key_we, key_slot, key_round, key_data
        Writes round key ``key_round`` (0 is the cipher key's first block, as in FIPS 197) of a slot. The keys are those
        of ``KeySchedule.{data}``. A block given in a later cycle meets the new key; the keys of a slot must not change
        while its blocks are in flight.

    Raises
    ------
    TypeError
        A parameter has the wrong type.
    ValueError
        A parameter is out of range.
    """


class AESEncryptPipeline(_AESPipeline):
    __doc__ = _DOC.format(direction="encryption", section="FIPS 197, 5.1", data="data")
    _inverse = False


class AESDecryptPipeline(_AESPipeline):
    # With the straight inverse cipher, InvMixColumns has the round key in its input: the XOR then needs LUTs of its own
    # behind the S-box. The equivalent inverse cipher adds the key in the last LUT of InvMixColumns (on xc7 860 LUTs a
    # round with two registers, where the straight one has 950 to 1070).
    __doc__ = _DOC.format(
        direction="decryption, by the equivalent inverse cipher", section="FIPS 197, 5.3.5", data="data_dec"
    )
    _inverse = True
