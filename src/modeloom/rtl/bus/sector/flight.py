# SPDX-License-Identifier: Apache-2.0
"""Which key slots the sectors in flight use, so that a key is overwritten only when its own sectors are done.

::

    admit, ticket, slot ──▶ slot of each place of the ring ──▶ query == slot of a busy place? ──▶ busy
    done, ticket ─────────▶ place no longer busy
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.component import BusComponent

from .parameters import BusParameters

__all__ = ["SlotsInFlight"]


class SlotsInFlight(BusComponent[BusParameters]):
    """Remembers the slot of each sector from its admission to its ``done``.

    Members
    -------
    admit, admit_ticket, admit_slot
        A sector will enter.
    done, done_ticket
        A sector has left the engine.
    query : slot
        The slot in question.
    busy : 1
        A sector in flight uses it, as of one cycle ago.
    """

    @staticmethod
    def ports(parameters: BusParameters) -> dict[str, Any]:
        slot = range(max(2, parameters.key_slots))
        return {
            "admit": In(1),
            "admit_ticket": In(parameters.ticket_bits),
            "admit_slot": In(slot),
            "done": In(1),
            "done_ticket": In(parameters.ticket_bits),
            "query": In(slot),
            "busy": Out(1),
        }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        hits = []
        for place in range(self.parameters.buffers.ring_sectors):
            busy_reg = Signal(name=f"busy{place}_reg")
            slot_reg = Signal.like(self.admit_slot, name=f"slot{place}_reg", reset_less=True)
            with m.If(self.admit & (self.admit_ticket == place)):
                m.d.sync += [busy_reg.eq(1), slot_reg.eq(self.admit_slot)]
            with m.Elif(self.done & (self.done_ticket == place)):
                m.d.sync += busy_reg.eq(0)
            hits.append(busy_reg & (slot_reg == self.query))
        m.d.sync += self.busy.eq(Cat(hits).any())
        return m
