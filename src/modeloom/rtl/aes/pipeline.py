# SPDX-License-Identifier: Apache-2.0
"""AES pipelines: one block a cycle, fixed latency, round keys of several slots.

Byte 0 of a block is bits [7:0] of the signal; byte r + 4c is row r, column c of the state::

    cycle            0          ...        latency - 1     latency
    i, slot     ──▶ round 1 ──▶ ... ──▶ round n ──▶ reg ──▶ o
                 ▲    ▲                    ▲
              key 0  key 1               key n

Nothing stalls: no register of the data path has a clock enable or a reset.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .mixcolumns import inv_mix_columns, inv_shift_rows, mix_columns, shift_rows
from .parameters import BLOCK_BITS, ROUNDS, check_count, check_key_bits
from .round_keys import read_round_key
from .sbox import inv_sub_bytes, sub_bytes

__all__ = ["AESDecryptPipeline", "AESEncryptPipeline"]

class _AESPipeline(wiring.Component):
    _inverse: bool

    def __init__(self, key_bits: int = 128, registers_per_round: int = 1, slots: int = 1):
        self.key_bits = check_key_bits(key_bits)
        self.registers_per_round = check_count("registers_per_round", registers_per_round, 1, 2)
        self.slots = check_count("slots", slots)
        self.rounds = ROUNDS[key_bits]
        self.latency = self.rounds * registers_per_round
        self.interval = 1
        slot = range(max(2, slots))
        super().__init__({
            "i": In(BLOCK_BITS),
            "slot": In(slot),
            "o": Out(BLOCK_BITS),
            "key_we": In(1),
            "key_slot": In(slot),
            "key_round": In(4),
            "key_data": In(BLOCK_BITS),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        travel: list[Value] = [self.slot]
        if self.slots > 1:
            for n in range(1, self.latency - 1):
                slot_reg = Signal(self.slot.shape(), name=f"slot_{n}_reg", reset_less=True)
                m.d.sync += slot_reg.eq(travel[-1])
                travel.append(slot_reg)

        def round_key(index: int, cycle: int) -> Value:
            write = Signal(name=f"write_{index}")
            m.d.comb += write.eq(self.key_we & (self.key_round == index))
            return read_round_key(
                m, write, self.key_slot, self.key_data, slots=self.slots, travel=travel, cycle=cycle)

        def register(value: Value, name: str) -> Value:
            columns = [Signal(32, name=f"{name}_column_{c}_reg", reset_less=True) for c in range(4)]
            m.d.sync += [column.eq(value[32 * c : 32 * c + 32]) for c, column in enumerate(columns)]
            return Cat(columns)

        order = range(self.rounds, -1, -1) if self._inverse else range(self.rounds + 1)
        key = round_key(order[0], 0)
        columns = [Signal(32, name=f"whitened_column_{c}") for c in range(4)]
        m.d.comb += [s.eq(self.i[32*c:32*c+32] ^ key[32*c:32*c+32]) for c, s in enumerate(columns)]
        state = Cat(columns)
        for number, index in enumerate(order[1:], start=1):
            if self._inverse:
                state = inv_shift_rows(inv_sub_bytes(m, state))
            else:
                state = shift_rows(sub_bytes(m, state))
            if self.registers_per_round == 2:
                state = register(state, f"substituted_{number}")
            if number < self.rounds:
                state = inv_mix_columns(m, state) if self._inverse else mix_columns(m, state)
            key = round_key(index, number * self.registers_per_round - 1)
            state = register(Cat(state[n:n+32] ^ key[n:n+32] for n in range(0,128,32)), f"round_{number}")
        m.d.comb += self.o.eq(state)
        return m


class AESEncryptPipeline(_AESPipeline):
    _inverse = False
class AESDecryptPipeline(_AESPipeline):
    _inverse = True
