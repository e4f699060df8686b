# SPDX-License-Identifier: Apache-2.0
"""The slot that a key packet is about: what becomes of it, whatever the packet has and however it is worked on.

::

    IDLE ──▶ FENCE ──▶ OVERWRITE ··▶ (of the port: erase, receive, set-up) ··▶ mark(1), IDLE
     │       empty         ▲                        │           └··▶ SCRUB ──▶ IDLE
     │       from here     └──── refuse ────────────┘                  │
     └────────────────────────────────────────────────▶ DISCARD ◀──────┘
       there is no such slot                             the rest of the packet

The slot is marked empty first, so nothing further uses it, and what is in flight under it ends.  What comes then, the port says:
``OVERWRITE`` is its state, and so are all others that are not here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Member, Out, Signature

from modeloom.cycles import FENCE_CYCLES
from modeloom.interfaces.table import LISTED_SLOTS

__all__ = ["KeySlot", "SlotFlags", "lookup_signature", "many_slots_members"]


# A block memory with a bit for each of many key slots, which says whether the slot holds a key.
#
# A write to the slot that is looked up goes past the memory:
#
#     write  ── slot, loaded ──▶ memory ──▶ [reg] ──┐
#                   └──▶ the same slot? ──▶ [reg] ──┴──▶ lookup.loaded, a cycle after lookup.slot

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


# -- key slot ----------------------------------------------------------------------------------------------------------------------

class KeySlot:
    """Registers and states of the slot that a key packet is about.

    Parameters
    ----------
    m : Module
        The module of the port.
    port : component
        It has ``key``, ``in_use``, ``state``, ``preparation`` and, with more than ``LISTED_SLOTS`` slots, ``lookup``, ``erase`` and
        ``erase_address``, as in :class:`~modeloom.rtl.bus.key_port.KeyPort`.
    slots : int
        Key slots.
    """

    def __init__(self, m: Module, port: wiring.Component, slots: int) -> None:
        self._m, self._port, self._slots = m, port, slots
        self.many = slots > LISTED_SLOTS
        self.number = Signal.like(port.in_use.slot, name="slot_reg")
        # Of few slots the flags, of many that of the last packet's slot.
        self._loaded = Signal(1 if self.many else slots, name="loaded_reg")
        self._error = Signal(name="error_reg")
        self.refused = Signal(name="refused_reg")
        self._ended = Signal(name="ended_reg")
        self._fence = Signal(range(FENCE_CYCLES), name="fence_reg")

    def connect_flags(self) -> None:
        """The memory for the flags of many slots."""
        if not self.many:
            return
        m, port = self._m, self._port
        m.submodules.flags = self._flags = SlotFlags(self._slots)
        m.d.comb += [
            self._flags.write.slot.eq(self.number), self._flags.erase.eq(port.erase), self._flags.erase_address.eq(port.erase_address),
        ]  # fmt: skip
        wiring.connect(m, wiring.flipped(port.lookup), self._flags.lookup)

    def mark(self, holds: int) -> None:
        """Says whether the slot holds a key from the next cycle on."""
        m = self._m
        m.d.sync += self._loaded.bit_select(0 if self.many or self._slots == 1 else self.number, 1).eq(holds)
        if self.many:
            m.d.comb += [self._flags.write.we.eq(1), self._flags.write.loaded.eq(holds)]

    def refuse(self, ended: Value | int) -> None:
        """The packet does not fit, and this was its last beat if ``ended``: the slot is overwritten and stays empty."""
        self._m.d.sync += [self._error.eq(1), self.refused.eq(1), self._ended.eq(ended)]
        self._m.next = "OVERWRITE"

    @contextmanager
    def idle(self) -> Iterator[None]:
        """State ``IDLE``, the first of the port; the port adds what it resets in it."""
        m, beat = self._m, self._port.key.p
        with m.State("IDLE"):
            m.d.sync += [self.number.eq(beat.slot), self.refused.eq(beat.erase), self._ended.eq(0), self._fence.eq(0)]
            yield
            with m.If(self._port.key.valid):
                if self.many:
                    m.d.sync += self._loaded.eq(0)
                m.d.sync += self._error.eq(beat.slot >= self._slots)
                with m.If(beat.slot >= self._slots):
                    m.next = "DISCARD"
                with m.Else():
                    m.next = "FENCE"

    def fence(self) -> None:
        """State ``FENCE``, until nothing is under way in the slot."""
        m = self._m
        with m.State("FENCE"):
            self.mark(0)
            with m.If(self._fence != FENCE_CYCLES - 1):
                m.d.sync += self._fence.eq(self._fence + 1)
            with m.Elif(~self._port.in_use.busy):
                m.next = "OVERWRITE"

    def scrub(self) -> None:
        """State ``SCRUB``, until what has been computed with the key is overwritten."""
        m, setup = self._m, self._port.preparation.setup
        with m.State("SCRUB"):
            m.d.comb += [setup.request.eq(1), setup.scrub.eq(1)]
            with m.If(setup.done):
                with m.If(self._ended):
                    m.next = "IDLE"
                with m.Else():
                    m.next = "DISCARD"

    def discard(self) -> None:
        """State ``DISCARD``, until the last beat of the packet."""
        m, key = self._m, self._port.key
        with m.State("DISCARD"):
            m.d.comb += key.ready.eq(1)
            with m.If(key.valid & key.p.last):
                m.next = "IDLE"

    def ask(self) -> None:
        """Names the slot to those who know what is under way, and to set-up."""
        self._m.d.comb += [self._port.in_use.slot.eq(self.number), self._port.preparation.setup.slot.eq(self.number)]

    def tell(self, idle: Value) -> None:
        """What the host is told; ``idle`` is high in state ``IDLE``."""
        state = self._port.state
        self._m.d.comb += [state.loaded.eq(self._loaded), state.busy.eq(~idle), state.error.eq(self._error)]
