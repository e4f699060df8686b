# SPDX-License-Identifier: Apache-2.0
"""Erases what stands between the clock of the core and that of a host, on both sides.

::

    core   REQUEST ──────────▶ SWEEP: clear, zeros to its words ──▶ DROP ──────────────▶ IDLE
              │ asks ▲ answer     until the core is erased, too       │ asks no more ▲
    host      ▼      │                                                ▼              │
           held: clear, zeros to its words ──────────────────────── runs again ──────┘ no answer

Both sides are held between the two handshakes, so none looks at a place that the other one sets back.  A clock that stands still holds up
the erasure: words that it writes cannot be erased without it.
"""

from __future__ import annotations

from enum import Enum

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.clocks.fifo import control_signature
from modeloom.rtl.zeroize import erase_signature

__all__ = ["CoreErasure", "HostErasure"]


class Phase(Enum):
    """Where an erasure is, on the side of the core."""

    IDLE = 0
    REQUEST = 1
    SWEEP = 2
    DROP = 3


class CoreErasure(wiring.Component):
    """The side of the core.  Its clock domain has no reset.

    Parameters
    ----------
    depth : int
        Words of the deepest queue.

    Members
    -------
    reset, request : In
        A reset, and whether the core is to be erased or is being erased.
    asks, answer : Out, In
        What the host gets (a register), and what it says.
    resets : Out
        Whether a reset is the reason (a register).  It stays until the erasure is over.
    reset_ends : Out
        The last cycle of ``resets``.  The host has been set back, too.
    control : Out(control_signature())
    erase : Out(erase_signature)
    """

    def __init__(self, depth: int):
        self.depth = depth
        super().__init__({
            "reset": In(1), "request": In(1), "asks": Out(1), "answer": In(1), "resets": Out(1), "reset_ends": Out(1),
            "control": Out(control_signature()), "erase": Out(erase_signature((depth - 1).bit_length())),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        phase_reg = Signal(Phase, init=Phase.REQUEST)
        asks_reg, resets_reg = Signal(init=1, name="asks_reg"), Signal(init=1, name="resets_reg")
        again_reg, swept_reg = Signal(name="again_reg"), Signal(name="swept_reg")
        address_reg = Signal.like(self.erase.address)
        want = Signal()
        sweeps = phase_reg == Phase.SWEEP
        m.d.comb += [
            want.eq(self.reset | self.request), self.asks.eq(asks_reg), self.resets.eq(resets_reg),
            self.control.hold.eq(phase_reg != Phase.IDLE), self.control.clear.eq(sweeps),
            self.erase.we.eq(sweeps & ~swept_reg), self.erase.address.eq(address_reg),
        ]  # fmt: skip
        with m.Switch(phase_reg):
            with m.Case(Phase.IDLE):
                m.d.sync += [asks_reg.eq(0), again_reg.eq(0)]
                with m.If(want):
                    m.d.sync += [phase_reg.eq(Phase.REQUEST), asks_reg.eq(1)]
            with m.Case(Phase.REQUEST):
                m.d.sync += [asks_reg.eq(1), again_reg.eq(0), address_reg.eq(0), swept_reg.eq(0)]
                with m.If(self.answer & ~self.reset):
                    m.d.sync += phase_reg.eq(Phase.SWEEP)
            with m.Case(Phase.SWEEP):
                m.d.sync += [address_reg.eq(address_reg + 1), swept_reg.eq(swept_reg | (address_reg == self.depth - 1))]
                with m.If(self.reset):
                    m.d.sync += phase_reg.eq(Phase.REQUEST)
                with m.Elif(swept_reg & ~want):
                    m.d.sync += [phase_reg.eq(Phase.DROP), asks_reg.eq(0)]
            with m.Case(Phase.DROP):
                # The host may run already, so what is asked for now is another erasure.
                m.d.sync += [asks_reg.eq(0), again_reg.eq(again_reg | want)]
                with m.If(~self.answer):
                    with m.If(again_reg | want):
                        m.d.sync += [phase_reg.eq(Phase.REQUEST), asks_reg.eq(1)]
                    with m.Else():
                        m.d.sync += [phase_reg.eq(Phase.IDLE), resets_reg.eq(0)]
        with m.If(self.reset):
            m.d.sync += resets_reg.eq(1)
        m.d.comb += self.reset_ends.eq(resets_reg & (phase_reg == Phase.DROP) & ~self.answer & ~again_reg & ~want)
        return m


class HostErasure(wiring.Component):
    """The side of the host.

    Parameters
    ----------
    depth : int
        Words of the deepest queue.

    Members
    -------
    asked, resets : In
        What the core asks for, after a synchroniser.
    answer : Out
        Whether all is erased here (a register).
    control : Out(control_signature())
    erase : Out(erase_signature)
    """

    def __init__(self, depth: int):
        self.depth = depth
        super().__init__({
            "asked": In(1), "resets": In(1), "answer": Out(1), "control": Out(control_signature()),
            "erase": Out(erase_signature((depth - 1).bit_length())),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        answer_reg = Signal()
        address_reg = Signal.like(self.erase.address)
        m.d.comb += [
            self.answer.eq(answer_reg), self.control.hold.eq(self.asked | self.resets), self.control.clear.eq(self.asked),
            self.erase.we.eq(self.asked & ~answer_reg), self.erase.address.eq(address_reg),
        ]  # fmt: skip
        with m.If(~self.asked):
            m.d.sync += [address_reg.eq(0), answer_reg.eq(0)]
        with m.Else():
            m.d.sync += [address_reg.eq(address_reg + 1), answer_reg.eq(answer_reg | (address_reg == self.depth - 1))]
        return m
