# SPDX-License-Identifier: Apache-2.0
"""A block memory with a bit for each of many key slots, which says whether the slot holds a key.

A write to the slot that is looked up goes past the memory::

    write  ── slot, loaded ──▶ memory ──▶ [reg] ──┐
                  └──▶ the same slot? ──▶ [reg] ──┴──▶ lookup.loaded, a cycle after lookup.slot
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Member, Out, Signature

__all__ = ["SlotFlags", "lookup_signature", "many_slots_members"]


def lookup_signature(slots: int) -> Signature:
    """The question whether a slot holds a key, seen from the part that asks.

    Members
    -------
    slot : range(slots)
        The slot in question.
    loaded : 1
        In the next cycle, whether the slot holds a key.
    """
    return Signature({"slot": Out(range(slots)), "loaded": In(1)})


def many_slots_members(slots: int) -> dict[str, Member]:
    """The members of a key port that has a memory of flags."""
    return {"lookup": In(lookup_signature(slots)), "erase": In(1), "erase_address": In(range(slots))}


class SlotFlags(wiring.Component):
    """A memory with a bit for each slot.  After a power-up, all of them have to be erased.

    Parameters
    ----------
    slots : int
        Number of key slots, which is two or more.

    Members
    -------
    write : we, slot, loaded : 1, range(slots), 1
        Writes a flag.
    lookup : lookup_signature
        Asks for a flag.  The answer includes a write in the cycle of the question.
    erase, erase_address : 1, range(slots)
        Writes 0 to this flag.  Nothing else is written meanwhile.
    """

    def __init__(self, slots: int):
        self.slots = slots
        write = Signature({"we": Out(1), "slot": Out(range(slots)), "loaded": Out(1)})
        super().__init__({"write": In(write), **many_slots_members(slots)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        # A number that is no slot also has a flag, which stays 0.
        depth = 1 << len(self.write.slot)
        m.submodules.mem = mem = memory.Memory(shape=1, depth=depth, init=[], attrs={"ram_style": "block", "no_rw_check": 1})
        write, read = mem.write_port(), mem.read_port()
        m.d.comb += [
            write.en.eq(self.write.we | self.erase), write.data.eq(self.write.loaded & ~self.erase),
            write.addr.eq(Mux(self.erase, self.erase_address, self.write.slot)), read.addr.eq(self.lookup.slot),
        ]  # fmt: skip
        # If a word is read and written in one cycle, block memories of different devices give different values, so the written bit
        # goes past the memory.  In a reset, no slot is loaded.
        known_reg = Signal()
        same_reg = Signal()
        written_reg = Signal()
        m.d.sync += [known_reg.eq(1), same_reg.eq(self.write.we & (self.write.slot == self.lookup.slot)), written_reg.eq(write.data)]
        m.d.comb += self.lookup.loaded.eq(known_reg & Mux(same_reg, written_reg, read.data))
        return m
