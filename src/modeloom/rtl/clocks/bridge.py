# SPDX-License-Identifier: Apache-2.0
"""What the bridges of all buses of registers have in common: their ports, and signs between the clocks.

::

    host   [sign] ──▶ Synchronizer ──▶ asked         core
        answered ◀── Synchronizer ◀── [answer]

Registers in the clock of a host: APB, a transfer at a time.

::

    host   access phase ──▶ [address, data] ── request ──▶ Synchronizer ──▶ setup, access   core
               PREADY ◀── [shown] ◀── Synchronizer ◀── answer ── [word, refused] ◀── PREADY

The request falls when the host has the answer, and then the answer falls and its word is overwritten.  A transfer is taken in its access
phase, so a host that an erasure keeps waiting needs no other setup.  A write that an erasure meets is passed on without its data and its
strobes, so that it is refused.

Registers in the clock of a host: AXI4-Lite, one read and one write at a time.

::

    host   AW, W ──▶ [address, data] ── turn ──▶ Synchronizer ──▶ [address, data] ──▶ AW, W   core
               B ◀── [answer] ◀── Synchronizer ◀── turn ── [response] ◀── B

The turn of a write changes with each one.  A read has a request instead, which falls when the host has the word, and then the core
overwrites it.

Queues would have to be emptied by an erasure, and a host whose access is lost waits for ever.  Here every access gets its response.  A
write that an erasure meets is passed on without its data and its strobes, so that it is refused.
"""

from __future__ import annotations

from enum import Enum

from amaranth.hdl import DomainRenamer, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.front import WORD_BITS, WORD_BYTES
from modeloom.rtl.clocks.fifo import Synchronizer, control_signature
from modeloom.rtl.front.registers import apb_signature, axi_lite_signature
from modeloom.rtl.zeroize import erase_signature

__all__ = ["ApbBridge", "Bridge", "CoreErasure", "HostErasure", "LiteBridge"]


# -- erasure ---------------------------------------------------------------------------------------------------------------------------

# Erases what stands between the clock of the core and that of a host, on both sides.
#
#     core   REQUEST ──────────▶ SWEEP: clear, zeros to its words ──▶ DROP ──────────────▶ IDLE
#               │ asks ▲ answer     until the core is erased, too       │ asks no more ▲
#     host      ▼      │                                                ▼              │
#            held: clear, zeros to its words ──────────────────────── runs again ──────┘ no answer
#
# Both sides are held between the two handshakes, so none looks at a place that the other one sets back.  A clock that stands still holds up
# the erasure: words that it writes cannot be erased without it.


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


# -- bridge ----------------------------------------------------------------------------------------------------------------------------


class Bridge(wiring.Component):
    """A bus of registers between the domains "core" and "host".

    Parameters
    ----------
    bus : wiring.Signature
        The signals of the bus, seen from the host.

    Members
    -------
    bus : In(bus)
        The port of the host.
    core : Out(bus)
        That of the registers.
    host_hold, core_hold : In(1)
        An erasure: the host side takes no write, and the core side erases words on their way.
    host_reset, core_reset : In(1)
        Sets back each side.  There is a time in which both are high, and that of the core ends first.
    core_reset_ends : In(1)
        The last cycle of ``core_reset``, in which ``host_reset`` is high.  What the host may read changes only then: before, an access that
        a reset meets would have an answer of none.
    """

    def __init__(self, bus: wiring.Signature):
        super().__init__({
            "bus": In(bus), "core": Out(bus), "host_hold": In(1), "core_hold": In(1), "host_reset": In(1), "core_reset": In(1),
            "core_reset_ends": In(1),
        })  # fmt: skip

    def _signs(self, m: Module, sign: str, prefix: str = "") -> tuple[Signal, Signal, Signal, Signal]:
        """The sign of the host with what the core sees of it, and that of the core with what the host sees of it."""
        request, answer = Signal(name=f"{prefix}{sign}_reg"), Signal(name=f"{prefix}answer_reg")
        m.submodules[f"{prefix}to_core"] = to_core = DomainRenamer("core")(Synchronizer())
        m.submodules[f"{prefix}to_host"] = to_host = DomainRenamer("host")(Synchronizer())
        m.d.comb += [to_core.i.eq(request), to_host.i.eq(answer)]
        return request, to_core.o, answer, to_host.o


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
            m.d.core += [psel.eq(0), penable.eq(0), pwdata.eq(0), pstrb.eq(0), answer.eq(1), word.eq(core.prdata), refused.eq(core.pslverr)]
        with m.If(answer & ~asked):
            m.d.core += [answer.eq(0), word.eq(0), refused.eq(0)]
        with m.If(self.core_hold):
            m.d.core += [pwdata.eq(0), pstrb.eq(0)]
        with m.If(self.core_reset):
            m.d.core += [one.eq(0) for one in (psel, penable, pwdata, pstrb)]
        with m.If(self.core_reset_ends):
            m.d.core += [answer.eq(0), word.eq(0), refused.eq(0)]
        return m


class LiteBridge(Bridge):
    """A bridge for AXI4-Lite.

    Parameters
    ----------
    address_bits : int
        Bits of an address in bytes.
    """

    def __init__(self, address_bits: int):
        super().__init__(axi_lite_signature(address_bits))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self._write(m)
        self._read(m)
        return m

    def _write(self, m: Module) -> None:
        bus, core = self.bus, self.core
        turn, asked, answer, answered = self._signs(m, "turn", "write_")
        address, data = Signal.like(bus.awaddr, name="w_address_reg"), Signal(WORD_BITS, name="w_data_reg")
        strobe = Signal(WORD_BYTES, name="w_strobe_reg")
        has_address, has_data, sent, done = (Signal(name=f"w_{name}_reg") for name in ("has_address", "has_data", "sent", "done"))
        response, shown = Signal(2, name="w_response_reg"), Signal(2, name="w_shown_reg")
        m.d.comb += [
            bus.awready.eq(~has_address & ~self.host_hold), bus.wready.eq(~has_data & ~self.host_hold),
            bus.bvalid.eq(done), bus.bresp.eq(shown),
        ]  # fmt: skip
        with m.If(bus.awvalid & bus.awready):
            m.d.host += [has_address.eq(1), address.eq(bus.awaddr)]
        with m.If(bus.wvalid & bus.wready):
            m.d.host += [has_data.eq(1), data.eq(bus.wdata), strobe.eq(bus.wstrb)]
        with m.If(self.host_hold & ~sent):
            m.d.host += [data.eq(0), strobe.eq(0)]
        # What was sent stands still until it is answered.
        with m.If(has_address & has_data & ~sent & ~done & ~self.host_hold):
            m.d.host += [sent.eq(1), turn.eq(~turn)]
        with m.If(sent & (answered == turn)):
            m.d.host += [sent.eq(0), done.eq(1), shown.eq(response), data.eq(0), strobe.eq(0)]
        with m.If(done & bus.bready):
            m.d.host += [done.eq(0), has_address.eq(0), has_data.eq(0)]
        with m.If(self.host_reset):
            m.d.host += [one.eq(0) for one in (has_address, has_data, sent, done, turn, data, strobe)]

        awvalid, wvalid, busy = Signal(name="awvalid_reg"), Signal(name="wvalid_reg"), Signal(name="w_busy_reg")
        awaddr, wdata = Signal.like(core.awaddr, name="awaddr_reg"), Signal(WORD_BITS, name="wdata_reg")
        wstrb = Signal(WORD_BYTES, name="wstrb_reg")
        m.d.comb += [
            # A write that a reset meets does not begin behind it.
            core.awvalid.eq(awvalid & ~self.core_reset), core.awaddr.eq(awaddr), core.wvalid.eq(wvalid & ~self.core_reset),
            core.wdata.eq(wdata), core.wstrb.eq(wstrb), core.bready.eq(busy),
        ]  # fmt: skip
        with m.If(core.awready):
            m.d.core += awvalid.eq(0)
        with m.If(core.wready | self.core_hold):
            m.d.core += [wdata.eq(0), wstrb.eq(0)]
        with m.If(core.wready):
            m.d.core += wvalid.eq(0)
        with m.If(~busy & (asked != answer)):
            m.d.core += [busy.eq(1), awvalid.eq(1), wvalid.eq(1), awaddr.eq(address)]
            with m.If(~self.core_hold):
                m.d.core += [wdata.eq(data), wstrb.eq(strobe)]
        with m.If(busy & core.bvalid):
            m.d.core += [busy.eq(0), answer.eq(~answer), response.eq(core.bresp)]
        with m.If(self.core_reset):
            m.d.core += [one.eq(0) for one in (awvalid, wvalid, busy, wdata, wstrb)]
        with m.If(self.core_reset_ends):
            m.d.core += answer.eq(0)

    def _read(self, m: Module) -> None:
        bus, core = self.bus, self.core
        request, asked, answer, answered = self._signs(m, "request", "read_")
        address = Signal.like(bus.araddr, name="r_address_reg")
        word, shown = Signal(WORD_BITS + 2, name="r_word_reg"), Signal(WORD_BITS + 2, name="r_shown_reg")
        done = Signal(name="r_done_reg")
        m.d.comb += [
            bus.arready.eq(~request & ~answered & ~done & ~self.host_reset), bus.rvalid.eq(done), bus.rdata.eq(shown[2:]),
            bus.rresp.eq(shown[:2]),
        ]  # fmt: skip
        with m.If(bus.arvalid & bus.arready):
            m.d.host += [request.eq(1), address.eq(bus.araddr)]
        with m.If(request & answered):
            m.d.host += [request.eq(0), done.eq(1), shown.eq(word)]
        with m.If(done & bus.rready):
            m.d.host += [done.eq(0), shown.eq(0)]
        with m.If(self.host_reset):
            m.d.host += [request.eq(0), done.eq(0), shown.eq(0)]

        arvalid, busy, araddr = Signal(name="arvalid_reg"), Signal(name="r_busy_reg"), Signal.like(core.araddr, name="araddr_reg")
        m.d.comb += [core.arvalid.eq(arvalid & ~self.core_reset), core.araddr.eq(araddr), core.rready.eq(busy)]
        with m.If(core.arready):
            m.d.core += arvalid.eq(0)
        with m.If(~busy & asked & ~answer):
            m.d.core += [busy.eq(1), arvalid.eq(1), araddr.eq(address)]
        with m.If(busy & core.rvalid):
            m.d.core += [busy.eq(0), answer.eq(1), word[:2].eq(core.rresp), word[2:].eq(core.rdata)]
        # The host has the word.
        with m.If(answer & ~asked):
            m.d.core += [answer.eq(0), word.eq(0)]
        with m.If(self.core_reset):
            m.d.core += [arvalid.eq(0), busy.eq(0)]
        with m.If(self.core_reset_ends):
            m.d.core += [answer.eq(0), word.eq(0)]
