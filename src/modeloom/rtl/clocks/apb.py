# SPDX-License-Identifier: Apache-2.0
"""Registers in the clock of a host: APB, a transfer at a time.

::

    host   access phase ──▶ [address, data] ── request ──▶ Synchronizer ──▶ setup, access   core
               PREADY ◀── [shown] ◀── Synchronizer ◀── answer ── [word, refused] ◀── PREADY

The request falls when the host has the answer, and then the answer falls and its word is overwritten.  A transfer is taken in its access
phase, so a host that an erasure keeps waiting needs no other setup.  A write that an erasure meets is passed on without its data and its
strobes, so that it is refused.
"""

from __future__ import annotations

from amaranth.hdl import Module, Signal

from modeloom.interfaces.front import WORD_BITS, WORD_BYTES
from modeloom.rtl.clocks.bridge import Bridge
from modeloom.rtl.front.apb import apb_signature

__all__ = ["ApbBridge"]


class ApbBridge(Bridge):
    """A bridge for APB.

    Parameters
    ----------
    address_bits : int
        Bits of an address in bytes.
    """

    def __init__(self, address_bits: int):
        super().__init__(apb_signature(address_bits))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bus, core = self.bus, self.core
        request, asked, answer, answered = self._signs(m, "request")

        address, write = Signal.like(bus.paddr, name="address_reg"), Signal(name="write_reg")
        data, strobe = Signal(WORD_BITS, name="data_reg"), Signal(WORD_BYTES, name="strobe_reg")
        done, shown, error = Signal(name="done_reg"), Signal(WORD_BITS, name="shown_reg"), Signal(name="error_reg")
        word, refused = Signal(WORD_BITS, name="word_reg"), Signal(name="refused_reg")
        takes = Signal()
        m.d.comb += [
            bus.pready.eq(done), bus.prdata.eq(shown), bus.pslverr.eq(error),
            takes.eq(bus.psel & bus.penable & ~request & ~answered & ~done & ~self.host_reset & ~(bus.pwrite & self.host_hold)),
        ]  # fmt: skip
        # The answer stays for the one cycle in which the host takes it.
        m.d.host += [done.eq(0), shown.eq(0), error.eq(0)]
        with m.If(takes):
            m.d.host += [request.eq(1), address.eq(bus.paddr), write.eq(bus.pwrite)]
            with m.If(bus.pwrite):
                m.d.host += [data.eq(bus.pwdata), strobe.eq(bus.pstrb)]
        # What was sent stands still until it is answered.
        with m.If(request & answered):
            m.d.host += [request.eq(0), done.eq(1), shown.eq(word), error.eq(refused), data.eq(0), strobe.eq(0)]
        with m.If(self.host_reset):
            m.d.host += [one.eq(0) for one in (request, done, shown, error, data, strobe)]

        psel, penable, pwrite = Signal(name="psel_reg"), Signal(name="penable_reg"), Signal(name="pwrite_reg")
        paddr, pwdata = Signal.like(core.paddr, name="paddr_reg"), Signal(WORD_BITS, name="pwdata_reg")
        pstrb = Signal(WORD_BYTES, name="pstrb_reg")
        passes = ~self.core_hold
        m.d.comb += [
            # A transfer that a reset meets does not begin behind it.
            core.psel.eq(psel & ~self.core_reset), core.penable.eq(penable), core.paddr.eq(paddr), core.pwrite.eq(pwrite),
            core.pwdata.eq(pwdata & passes.replicate(WORD_BITS)), core.pstrb.eq(pstrb & passes.replicate(WORD_BYTES)),
        ]  # fmt: skip
        with m.If(~psel & ~answer & asked):
            m.d.core += [psel.eq(1), paddr.eq(address), pwrite.eq(write), pwdata.eq(data), pstrb.eq(strobe)]
        with m.If(psel):
            m.d.core += penable.eq(1)
        with m.If(psel & penable & core.pready & ~self.core_reset):
            m.d.core += [
                psel.eq(0), penable.eq(0), pwdata.eq(0), pstrb.eq(0), answer.eq(1), word.eq(core.prdata), refused.eq(core.pslverr),
            ]  # fmt: skip
        with m.If(answer & ~asked):
            m.d.core += [answer.eq(0), word.eq(0), refused.eq(0)]
        with m.If(self.core_hold):
            m.d.core += [pwdata.eq(0), pstrb.eq(0)]
        with m.If(self.core_reset):
            m.d.core += [one.eq(0) for one in (psel, penable, pwdata, pstrb)]
        with m.If(self.core_reset_ends):
            m.d.core += [answer.eq(0), word.eq(0), refused.eq(0)]
        return m
