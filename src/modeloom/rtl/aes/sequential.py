# SPDX-License-Identifier: Apache-2.0
"""A sequential AES decrypter: one block at a time, a round in as many cycles as a pipeline has registers in it.

Byte 0 of a block is bits [7:0] of the signal; byte r + 4c is row r, column c of the state.  With n rounds of p cycles::

    cycle        0          1        1 + p      ...     1 + (n - 1) p    1 + n p
    state_reg    -       i ^ k_n    round 1     ...     round n - 1      next block
    o                                                                    result, until the next one

The registers of a round run freely; only in its last cycle is the sum with the round key taken back into ``state_reg``.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from .mixcolumns import cut_inv_mix_columns, inv_shift_rows, join_mix_columns
from .parameters import BLOCK_BITS, ROUNDS, check_count, check_key_bits, columns, slot_shape
from .round_keys import read_round_key
from .sbox import cut_sub_bytes, inv_sub_bytes, join_sub_bytes, quarter_of_bytes

__all__ = ["AESDecryptSequential"]


class AESDecryptSequential(wiring.Component):
    """AES decryption of one block (FIPS 197, 5.3.5, the equivalent inverse cipher).

    Parameters
    ----------
    key_bits : int
        128, 192 or 256.
    slots : int
        Key slots, at least 1.
    registers_per_round : int
        1 to 4, at the places of ``AESDecryptPipeline``'s: cycles of a round.

    Attributes
    ----------
    rounds : int
        10, 12 or 14.
    latency : int
        rounds * registers_per_round + 1: a block started in cycle t is at ``o`` from cycle t + latency on.
    interval : int
        The same: cycles from one start to the earliest next.

    Members
    -------
    start, i, slot
        Block (128 bits) and key slot, taken in a cycle with ``start`` high. A start less than ``interval`` cycles after
        the last one is ignored.
    o
        Result (128 bits), held until the next.
    key_we, key_slot, key_round, key_data
        Writes round key ``key_round`` (0 is the cipher key's first block, as in FIPS 197) of a slot, in the decrypter's
        form: ``KeySchedule.data_dec``. It holds from the next cycle on. Keys of a block at work must not change.

    Raises
    ------
    TypeError
        A parameter is no integer.
    ValueError
        A parameter is out of range.
    """

    def __init__(self, key_bits: int = 128, slots: int = 1, registers_per_round: int = 1):
        self.key_bits = check_key_bits(key_bits)
        self.slots = check_count("slots", slots)
        self.registers_per_round = check_count("registers_per_round", registers_per_round, 1, 4)
        self.rounds = ROUNDS[key_bits]
        self.latency = self.interval = self.rounds * registers_per_round + 1
        super().__init__({
            "i": In(BLOCK_BITS),
            "slot": In(slot_shape(slots)),
            "start": In(1),
            "o": Out(BLOCK_BITS),
            "key_we": In(1),
            "key_slot": In(slot_shape(slots)),
            "key_round": In(4),
            "key_data": In(BLOCK_BITS),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        idle_reg = Signal(init=1)
        # The round key that comes next, counted down, and the cycle of its round, one-hot.
        round_reg = Signal(4)
        phase_reg = Signal(self.registers_per_round, init=1)
        last_reg = Signal()
        slot_reg = Signal(slot_shape(self.slots), reset_less=True)
        turn = phase_reg[-1]
        with m.If(idle_reg):
            m.d.sync += [slot_reg.eq(self.slot), round_reg.eq(self.rounds - 1), phase_reg.eq(1), idle_reg.eq(~self.start)]
        with m.Else():
            m.d.sync += phase_reg.eq(phase_reg.rotate_left(1))
            with m.If(turn):
                m.d.sync += [round_reg.eq(round_reg - 1), idle_reg.eq(round_reg == 0)]
        # The cycle in which the last round's key is added, known a cycle ahead: it enables 128 registers.
        if self.registers_per_round == 1:
            m.d.sync += last_reg.eq(~idle_reg & (round_reg == 1))
        else:
            m.d.sync += last_reg.eq(~idle_reg & (round_reg == 0) & phase_reg[-2])

        first = Signal()
        m.d.comb += first.eq(self.key_we & (self.key_round == self.rounds))
        first_key = read_round_key(
            m, first, self.key_slot, self.key_data, slots=self.slots, travel=[self.slot], cycle=0, index=self.rounds
        )
        key = self._key(m, round_reg, slot_reg)

        state_reg = [Signal(32, name=f"state_column_{c}_reg", reset_less=True) for c in range(4)]
        # The result stays until the next one: the reset erases it.
        o_reg = [Signal(32, name=f"o_column_{c}_reg") for c in range(4)]
        substituted, mixed = self._round(m, Cat(state_reg))
        for state_c, o_c, i_c, first_c, substituted_c, mixed_c, key_c in zip(
            state_reg, o_reg, columns(self.i), columns(first_key), columns(substituted), columns(mixed), columns(key), strict=True
        ):
            m.d.sync += state_c.eq(Mux(idle_reg, i_c ^ first_c, mixed_c ^ key_c))
            with m.If(last_reg):
                m.d.sync += o_c.eq(substituted_c ^ key_c)
        m.d.comb += self.o.eq(Cat(o_reg))
        return m

    def _key(self, m: Module, index: Value, slot: Value) -> Value:
        """Round key ``index`` of the slot; registered where a round has a cycle for it."""
        keys = memory.Memory(shape=BLOCK_BITS, depth=16 * self.slots, init=[], attrs={"ram_style": "distributed"})
        m.submodules.keys = keys
        write_port = keys.write_port()
        read_port = keys.read_port(domain="comb" if self.registers_per_round == 1 else "sync")
        m.d.comb += [
            write_port.addr.eq(Cat(self.key_round, self.key_slot)),
            write_port.data.eq(self.key_data),
            write_port.en.eq(self.key_we),
            read_port.addr.eq(Cat(index, slot)),
        ]
        return read_port.data

    def _round(self, m: Module, state: Value) -> tuple[Value, Value]:
        """A round without its key, with registers: what the last round has, and what the others have."""

        def register(value: Value, name: str) -> Value:
            reg = [Signal(len(column), name=f"{name}_column_{c}_reg", reset_less=True) for c, column in enumerate(columns(value))]
            m.d.sync += [r.eq(column) for r, column in zip(reg, columns(value), strict=True)]
            return Cat(reg)

        if self.registers_per_round >= 4:
            quarters = cut_sub_bytes(m, state, inverse=True)
            quarters = [register(quarter, f"quarter_{n}") for n, quarter in enumerate(quarters)]
            state = join_sub_bytes(m, quarters, register(quarter_of_bytes(state), "chosen"))
        else:
            state = inv_sub_bytes(m, state)
        state = inv_shift_rows(state)
        if self.registers_per_round >= 2:
            state = register(state, "substituted")
        u, v = cut_inv_mix_columns(m, state)
        if self.registers_per_round >= 3:
            u, v = register(u, "u"), register(v, "v")
            state = register(state, "waiting")
        return state, join_mix_columns(m, u, v)
