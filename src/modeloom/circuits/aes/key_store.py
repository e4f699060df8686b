# SPDX-License-Identifier: Apache-2.0
"""The offline AES key schedule with a memory for its round keys.  Several keys are expanded in advance, and can be read in any order.

::

    start, erase, slot, key ──▶ KeySchedule ──▶ write ──▶ memory: round key r of slot s at word 16 s + r
                                                            │
                                read_slot, read_round ──────┴──▶ data, a cycle later
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.aes.keys.key_schedule import KeySchedule
from modeloom.rtl.aes.parameters import BLOCK_BITS, ROUNDS, check_count, check_key_bits, slot_shape

__all__ = ["KeyStore"]


class KeyStore(wiring.Component):
    """``KeySchedule`` with a memory (in LUTs) for the round keys of several slots.

    Parameters
    ----------
    key_bits : int
        128, 192 or 256.
    slots : int
        Key slots, at least 1.
    inverse : bool
        Whether the round keys are those of the equivalent inverse cipher.

    Attributes
    ----------
    rounds : int
        10, 12 or 14.
    latency : int
        4 * rounds + 3 cycles from ``start`` to the first in which ``data`` may show any of the round keys.
    interval : int
        The same number of cycles from one start to the earliest next start.
    read_latency : int
        1: ``data`` shows the round key that was requested in the previous cycle.
    erase_latency : int
        rounds + 3 cycles from ``erase`` to the first in which neither the memory nor any register holds a part of the slot's keys.

    Members
    -------
    start, slot, key
        Expands ``key`` into a slot.  It is ignored while ``busy`` is high.
    erase
        Overwrites a slot with zeros.  It takes precedence over ``start``, and is ignored while ``busy`` is high.
    busy, done
        As those of ``KeySchedule``.
    read_slot, read_round, data
        A round key (128 bits).  A slot that is being written shows old or new round keys.

    Raises
    ------
    TypeError
        A parameter has the wrong type.
    ValueError
        A parameter is out of range.
    """

    def __init__(self, key_bits: int = 128, slots: int = 1, *, inverse: bool = False):
        self.key_bits = check_key_bits(key_bits)
        self.slots = check_count("slots", slots)
        if not isinstance(inverse, bool):
            raise TypeError(f"inverse must be True or False, not {inverse!r}")
        self.inverse = inverse
        self.rounds = ROUNDS[key_bits]
        self.latency = self.interval = 4 * self.rounds + 3
        self.read_latency = 1
        # The last word is written in cycle rounds + 1.  A read in this cycle shows the old word, and later reads do not.
        self.erase_latency = self.rounds + 3
        super().__init__({
            "start": In(1),
            "erase": In(1),
            "slot": In(slot_shape(slots)),
            "key": In(key_bits),
            "busy": Out(1),
            "done": Out(1),
            "read_slot": In(slot_shape(slots)),
            "read_round": In(4),
            "data": Out(BLOCK_BITS),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.schedule = schedule = KeySchedule(self.key_bits)
        m.submodules.keys = keys = memory.Memory(
            shape=BLOCK_BITS, depth=16 * self.slots, init=[], attrs={"ram_style": "distributed"}
        )
        slot_reg = Signal(slot_shape(self.slots))
        with m.If(~schedule.busy):
            m.d.sync += slot_reg.eq(self.slot)
        write_port = keys.write_port()
        read_port = keys.read_port()
        bits = (self.slots - 1).bit_length()
        m.d.comb += [
            schedule.start.eq(self.start),
            schedule.erase.eq(self.erase),
            schedule.key.eq(self.key),
            self.busy.eq(schedule.busy),
            self.done.eq(schedule.done),
            write_port.en.eq(schedule.we),
            write_port.addr.eq(Cat(schedule.round, slot_reg[:bits])),
            write_port.data.eq(schedule.data_dec if self.inverse else schedule.data),
            read_port.addr.eq(Cat(self.read_round, self.read_slot[:bits])),
            self.data.eq(read_port.data),
        ]
        return m
