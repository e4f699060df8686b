# SPDX-License-Identifier: Apache-2.0
"""Synchronisers: the only registers that take a signal of another clock, besides words that stand still.

::

    register of another clock ──▶ [meta_reg] ──▶ [stable_reg] ──▶ o

The names of the registers are those that the emitted constraints look for.
"""

from __future__ import annotations

from amaranth.hdl import ClockDomain, ClockSignal, DomainRenamer, Module, ResetSignal, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Mirror", "ResetCatcher", "Synchronizer"]

ASYNC = {"async_reg": "TRUE"}
"""The attribute of registers that may become metastable, and of those behind them."""


class Synchronizer(wiring.Component):
    """Two registers.  Of several bits, at most one may change at a time: they are Gray code, or independent of each other.

    Parameters
    ----------
    width : int
    init : int
        The value at power-up.

    Members
    -------
    i, o : In(width), Out(width)
    """

    def __init__(self, width: int = 1, init: int = 0):
        self.width, self.init = width, init
        super().__init__({"i": In(width), "o": Out(width)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        meta_reg = Signal(self.width, init=self.init, reset_less=True, attrs=ASYNC)
        stable_reg = Signal(self.width, init=self.init, reset_less=True, attrs=ASYNC)
        m.d.sync += [meta_reg.eq(self.i), stable_reg.eq(meta_reg)]
        m.d.comb += self.o.eq(stable_reg)
        return m


class ResetCatcher(wiring.Component):
    """Takes a reset that comes at any time, and gives one that begins and ends with the clock.

    A pulse of any length is seen, also while the clock stands.  What comes out lasts for two cycles or more.

    Members
    -------
    i, o : In(1), Out(1)
        Both are active high.
    """

    def __init__(self) -> None:
        super().__init__({"i": In(1), "o": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.domains.caught = ClockDomain("caught", async_reset=True, local=True)
        m.d.comb += [ClockSignal("caught").eq(ClockSignal()), ResetSignal("caught").eq(self.i)]
        caught_reg = Signal(2, init=3, attrs=ASYNC)
        m.d.caught += caught_reg.eq(caught_reg << 1)
        # The beginning of an asynchronous reset is asynchronous, too.
        m.submodules.to_core = to_core = Synchronizer(init=1)
        m.d.comb += [to_core.i.eq(caught_reg[1]), self.o.eq(to_core.o)]
        return m


# -- mirror ------------------------------------------------------------------------------------------------------------------------

# Flags of the core in the clock of a host: all of them as they were in one cycle of the core.
#
#     i ──▶ [sent_reg] ─────────────────────▶ [shown_reg] ──▶ o
#           [turn_reg] ──▶ Synchronizer ────▶ it is another turn: [answer_reg]
#           the next one may be sent ◀── Synchronizer ◀──────────────┘

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
