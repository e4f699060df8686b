# SPDX-License-Identifier: Apache-2.0
"""Changes the size of sectors in cores for several sizes.

::

    command ──┬─ same size ─────────────────────────────▶ open: its packet may be taken in
              └─ another ──▶ wait for an idle engine ──▶ size, restart ──▶ open
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Member, Out

from modeloom.rtl.bus.component import BusComponent
from modeloom.rtl.engine.interface import size_signature

from .links import opening_signature, upcoming_signature
from .parameters import BusParameters

__all__ = ["SizeGate"]


class SizeGate(BusComponent[BusParameters]):
    """Lets the packet of a command in when the engine is set to its size.

    Members
    -------
    upcoming : upcoming_signature
        The sizes of the next two sectors.
    opening : opening_signature
        Whether the next packet may be taken in.  The packet of a command with an unknown size is always taken in, and dropped.
    size : size_signature
        The size for the engine.
    """

    @staticmethod
    def ports(parameters: BusParameters) -> dict[str, Member]:
        return {
            "upcoming": In(upcoming_signature(parameters)),
            "opening": Out(opening_signature(parameters)),
            "size": Out(size_signature(len(parameters.sizes))),
        }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        size_reg = Signal.like(self.size.number)
        restart_reg = Signal()
        # The command whose packet comes next.
        upcoming, opening = self.upcoming, self.opening
        first = upcoming.valid & ~opening.admitted
        fits = ~upcoming.known | (upcoming.size == size_reg)
        next_fits = ~upcoming.next_known | (upcoming.next_size == size_reg)
        change = Signal()
        m.d.comb += [
            change.eq(first & ~fits & self.size.idle & ~restart_reg),
            opening.open.eq(Mux(first, fits, upcoming.next_valid & next_fits)),
            opening.size.eq(size_reg),
            self.size.number.eq(size_reg),
            self.size.restart.eq(restart_reg),
        ]
        m.d.sync += restart_reg.eq(change)
        with m.If(change):
            m.d.sync += size_reg.eq(upcoming.size)
        return m
