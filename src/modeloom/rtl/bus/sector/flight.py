# SPDX-License-Identifier: Apache-2.0
"""Knows the key slots of the sectors in flight, so that a key is overwritten only when its own sectors are done.

::

    admission ──▶ slot of each place of the ring ──▶ in_use.slot == slot of a busy place? ──▶ in_use.busy
    done ───────▶ place no longer busy
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib.wiring import In, Member

from modeloom.rtl.bus.component import BusComponent
from modeloom.rtl.bus.preparation import in_use_signature
from modeloom.rtl.engine.interface import done_signature

from .links import admission_signature
from .parameters import BusParameters

__all__ = ["SlotsInFlight"]


class SlotsInFlight(BusComponent[BusParameters]):
    """Stores the slot of each sector from its admission to its ``done``.  ``in_use.busy`` is one cycle late.

    Members
    -------
    admission : admission_signature
        A sector will enter.
    done : done_signature
        A sector has left the engine.
    in_use : in_use_signature
        Whether a sector in flight uses a slot.
    """

    @staticmethod
    def ports(parameters: BusParameters) -> dict[str, Member]:
        return {
            "admission": In(admission_signature(parameters)),
            "done": In(done_signature(parameters.ticket_bits)),
            "in_use": In(in_use_signature(parameters.key_slots)),
        }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        hits = []
        for place in range(self.parameters.buffers.ring_sectors):
            busy_reg = Signal(name=f"busy{place}_reg")
            slot_reg = Signal.like(self.admission.slot, name=f"slot{place}_reg", reset_less=True)
            with m.If(self.admission.admit & (self.admission.ticket == place)):
                m.d.sync += [busy_reg.eq(1), slot_reg.eq(self.admission.slot)]
            with m.Elif(self.done.valid & (self.done.ticket == place)):
                m.d.sync += busy_reg.eq(0)
            hits.append(busy_reg & (slot_reg == self.in_use.slot))
        m.d.sync += self.in_use.busy.eq(Cat(hits).any())
        return m
