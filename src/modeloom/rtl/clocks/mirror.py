# SPDX-License-Identifier: Apache-2.0
"""Flags of the core in the clock of a host: all of them as they were in one cycle of the core.

::

    i ──▶ [sent_reg] ─────────────────────▶ [shown_reg] ──▶ o
          [turn_reg] ──▶ Synchronizer ────▶ it is another turn: [answer_reg]
          the next one may be sent ◀── Synchronizer ◀──────────────┘
"""

from __future__ import annotations

from amaranth.hdl import DomainRenamer, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.clocks.synchronizer import Synchronizer

__all__ = ["Mirror"]


class Mirror(wiring.Component):
    """Gives the last value at the latest after some cycles of both clocks.  Values in between may be left out.

    Domains "core" and "host".

    Parameters
    ----------
    width : int

    Members
    -------
    i, o : In(width), Out(width)
    core_clear, host_clear : In
        Sets back each side.  There is a time in which both are high.
    """

    def __init__(self, width: int):
        self.width = width
        super().__init__({"i": In(width), "o": Out(width), "core_clear": In(1), "host_clear": In(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        sent_reg, shown_reg = Signal(self.width, name="sent_reg"), Signal(self.width, name="shown_reg")
        turn_reg, answer_reg = Signal(name="turn_reg"), Signal(name="answer_reg")
        m.submodules.to_host = to_host = DomainRenamer("host")(Synchronizer())
        m.submodules.to_core = to_core = DomainRenamer("core")(Synchronizer())
        m.d.comb += [to_host.i.eq(turn_reg), to_core.i.eq(answer_reg), self.o.eq(shown_reg)]
        with m.If(self.core_clear):
            m.d.core += [turn_reg.eq(0), sent_reg.eq(0)]
        with m.Elif((turn_reg == to_core.o) & (sent_reg != self.i)):
            m.d.core += [turn_reg.eq(~turn_reg), sent_reg.eq(self.i)]
        with m.If(self.host_clear):
            m.d.host += [answer_reg.eq(0), shown_reg.eq(0)]
        with m.Elif(answer_reg != to_host.o):
            m.d.host += [answer_reg.eq(to_host.o), shown_reg.eq(sent_reg)]
        return m
