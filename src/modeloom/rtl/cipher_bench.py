# SPDX-License-Identifier: Apache-2.0
"""One core of a block cipher with its key schedule, as a simulation of it alone needs them.

::

    key_start, key_erase, key ──▶ key schedule ──[reg]──▶ key ports ┐
                                      └──▶ we, round, data, ...     core ──▶ o
    i, slot, decrypt, start ────────────────────────────────────────┘

The writes of round keys have a register on their way, as in a core of a mode.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["CipherBench"]


class CipherBench(wiring.Component):
    """A core and a key schedule, joined.

    Parameters
    ----------
    direction : str
        Of the core, "encrypt", "decrypt" or "both": a decrypter takes round keys in the form for inverse ciphers, "both" takes both forms.
    core, schedule : component
        With the ports that ``ciphers.BlockCipher`` tells.
    slots : int
        Key slots of the core.

    Members
    -------
    key_start, key_erase, key, key_slot : In
        What the key schedule is to do, and the slot that the core writes round keys to meanwhile.
    we, round, data, data_dec, done : Out
        The key schedule's.
    i, slot, decrypt, start : In
        The core's; unused where it has none.
    o : Out
        The core's.
    """

    def __init__(self, direction: str, core: Any, schedule: Any, slots: int):
        self.direction, self.core, self.schedule = direction, core, schedule
        slot, data = range(max(2, slots)), len(schedule.data)
        super().__init__({
            "key_start": In(1), "key_erase": In(1), "key": In(len(schedule.key)), "key_slot": In(slot),
            "we": Out(1), "round": Out(len(schedule.round)), "data": Out(data), "data_dec": Out(data), "done": Out(1),
            "i": In(len(core.i)), "slot": In(slot), "decrypt": In(1), "start": In(1), "o": Out(len(core.o)),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.core, m.submodules.schedule = core, schedule = self.core, self.schedule
        m.d.comb += [
            schedule.start.eq(self.key_start), schedule.erase.eq(self.key_erase), schedule.key.eq(self.key),
            *(getattr(self, name).eq(getattr(schedule, name)) for name in ("we", "round", "data", "data_dec", "done")),
            core.i.eq(self.i), self.o.eq(core.o),
        ]  # fmt: skip
        data = schedule.data_dec if self.direction == "decrypt" else schedule.data
        writes = {"key_we": schedule.we, "key_slot": self.key_slot, "key_round": schedule.round, "key_data": data}
        if hasattr(core, "key_data_dec"):
            writes["key_data_dec"] = schedule.data_dec
        if self.direction == "both":
            m.d.comb += core.decrypt.eq(self.decrypt)
        for name, value in writes.items():
            reg = Signal(len(value), name=f"{name}_reg")
            m.d.sync += reg.eq(value)
            m.d.comb += getattr(core, name).eq(reg)
        for name in ("slot", "start"):
            if hasattr(core, name):
                m.d.comb += getattr(core, name).eq(getattr(self, name))
        return m
