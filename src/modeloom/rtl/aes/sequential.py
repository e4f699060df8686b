# SPDX-License-Identifier: Apache-2.0
"""A sequential AES decrypter: one round a cycle, one block at a time, its own memory of round keys.

Byte 0 of a block is bits [7:0] of the signal; byte r + 4c is row r, column c of the state. With n rounds::

    cycle        0          1        ...     n - 1       n          n + 1
    key          n        n - 1      ...       1         0
    state_reg    -       i ^ k_n     ...                            next block
    o                                                               result, until the next one
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from .mixcolumns import inv_mix_columns, inv_shift_rows
from .parameters import BLOCK_BITS, ROUNDS, check_count, check_key_bits, columns, slot_shape
from .sbox import inv_sub_bytes

__all__ = ["AESDecryptSequential"]


class AESDecryptSequential(wiring.Component):
    """AES decryption of one block in rounds + 1 cycles (FIPS 197, 5.3.5, the equivalent inverse cipher).

    Parameters
    ----------
    key_bits : int
        128, 192 or 256.
    slots : int
        Key slots, at least 1.

    Attributes
    ----------
    rounds : int
        10, 12 or 14.
    latency : int
        rounds + 1: a block started in cycle t is at ``o`` from cycle t + latency on.
    interval : int
        rounds + 1: cycles from one start to the earliest next.

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

    def __init__(self, key_bits: int = 128, slots: int = 1):
        self.key_bits = check_key_bits(key_bits)
        self.slots = check_count("slots", slots)
        self.rounds = ROUNDS[key_bits]
        self.latency = self.rounds + 1
        self.interval = self.rounds + 1
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
        # The round whose key is read; it rests at the first one, so that an idle core has its key at hand.
        round_reg = Signal(4, init=self.rounds)
        slot_reg = Signal(slot_shape(self.slots), reset_less=True)
        idle = Signal()
        last = Signal()
        slot = Signal(slot_shape(self.slots))
        m.d.comb += [
            idle.eq(round_reg == self.rounds),
            last.eq(round_reg == 0),
            slot.eq(Mux(idle, self.slot, slot_reg)),
        ]
        with m.If(idle):
            m.d.sync += slot_reg.eq(self.slot)
        with m.If(last):
            m.d.sync += round_reg.eq(self.rounds)
        with m.Elif(self.start | ~idle):
            m.d.sync += round_reg.eq(round_reg - 1)

        keys = memory.Memory(shape=BLOCK_BITS, depth=16 * self.slots, init=[], attrs={"ram_style": "distributed"})
        m.submodules.keys = keys
        write_port = keys.write_port()
        read_port = keys.read_port(domain="comb")
        m.d.comb += [
            write_port.addr.eq(Cat(self.key_round, self.key_slot)),
            write_port.data.eq(self.key_data),
            write_port.en.eq(self.key_we),
            read_port.addr.eq(Cat(round_reg, slot)),
        ]
        key = read_port.data

        state_reg = [Signal(32, name=f"state_column_{c}_reg", reset_less=True) for c in range(4)]
        o_reg = [Signal(32, name=f"o_column_{c}_reg", reset_less=True) for c in range(4)]
        substituted = inv_shift_rows(inv_sub_bytes(m, Cat(state_reg)))
        mixed = inv_mix_columns(m, substituted)
        for state_c, o_c, i_c, substituted_c, mixed_c, key_c in zip(
            state_reg, o_reg, columns(self.i), columns(substituted), columns(mixed), columns(key), strict=True
        ):
            m.d.sync += state_c.eq(Mux(idle, i_c, mixed_c) ^ key_c)
            with m.If(last):
                m.d.sync += o_c.eq(substituted_c ^ key_c)
        m.d.comb += self.o.eq(Cat(o_reg))
        return m
