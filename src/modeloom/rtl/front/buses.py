# SPDX-License-Identifier: Apache-2.0
"""The buses of registers: AXI4-Lite and APB4, 32 bits, for one access at a time."""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.front import OKAY, SLVERR, WORD_BITS, WORD_BYTES

__all__ = ["Apb", "AxiLite", "access_signature", "apb_signature", "axi_lite_signature"]


# AXI4-Lite, 32 bits, for one access at a time.
#
#     AW ──▶ [address] ──┐
#     W  ──▶ [data] ─────┴──▶ write ──▶ registers ──▶ [error] ──▶ B
#     AR ──▶ [address] ─────▶ read  ──▶ registers ──▶ [data, error] ──▶ R
#
# Every response comes from a register, and no output depends on an input of the same cycle.  An address and its data may come in any order.

def axi_lite_signature(address_bits: int) -> wiring.Signature:
    """The five channels, seen from the host.  ``prot`` is left out."""
    return wiring.Signature({
        "awvalid": Out(1), "awready": In(1), "awaddr": Out(address_bits),
        "wvalid": Out(1), "wready": In(1), "wdata": Out(WORD_BITS), "wstrb": Out(WORD_BYTES),
        "bvalid": In(1), "bready": Out(1), "bresp": In(2),
        "arvalid": Out(1), "arready": In(1), "araddr": Out(address_bits),
        "rvalid": In(1), "rready": Out(1), "rdata": In(WORD_BITS), "rresp": In(2),
    })  # fmt: skip


def access_signature(address_bits: int) -> wiring.Signature:
    """An access to a register, seen from the bus.

    ``read`` or ``write`` is high for one cycle, in which ``read_data``, ``read_error`` and ``write_error`` have to be there.
    ``address`` counts words.
    """
    return wiring.Signature({
        "read": Out(1), "read_address": Out(address_bits - 2), "read_data": In(WORD_BITS), "read_error": In(1),
        "write": Out(1), "write_address": Out(address_bits - 2), "write_data": Out(WORD_BITS), "write_error": In(1),
    })  # fmt: skip


class AxiLite(wiring.Component):
    """The port.

    Parameters
    ----------
    address_bits : int
        Bits of an address in bytes.  The lowest two are not read.

    Members
    -------
    bus : In(axi_lite_signature)
    access : Out(access_signature)
        A write in which a byte is missing is not passed on.
    erase : In(1)
        Overwrites data that wait for their address.  Their write is refused.
    """

    def __init__(self, address_bits: int):
        super().__init__({"bus": In(axi_lite_signature(address_bits)), "access": Out(access_signature(address_bits)), "erase": In(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bus, access = self.bus, self.access
        address_reg = Signal.like(bus.awaddr)
        data_reg = Signal.like(bus.wdata)
        strobe_reg = Signal.like(bus.wstrb)
        has_address_reg = Signal()
        has_data_reg = Signal()
        answer_reg = Signal()
        error_reg = Signal()
        whole = strobe_reg.all()
        write = Signal()
        m.d.comb += [
            bus.awready.eq(~has_address_reg), bus.wready.eq(~has_data_reg), bus.bvalid.eq(answer_reg),
            bus.bresp.eq(Mux(error_reg, SLVERR, OKAY)),
            # The next access waits until the answer was taken.
            write.eq(has_address_reg & has_data_reg & ~answer_reg),
            access.write.eq(write & whole), access.write_address.eq(address_reg[2:]), access.write_data.eq(data_reg),
        ]  # fmt: skip
        with m.If(bus.awvalid & ~has_address_reg):
            m.d.sync += [has_address_reg.eq(1), address_reg.eq(bus.awaddr)]
        with m.If(bus.wvalid & ~has_data_reg):
            m.d.sync += [has_data_reg.eq(1), data_reg.eq(bus.wdata), strobe_reg.eq(bus.wstrb)]
        with m.If(write):
            # Data may be part of a key, so they go.
            m.d.sync += [answer_reg.eq(1), error_reg.eq(~whole | access.write_error), data_reg.eq(0)]
        with m.If(self.erase):
            m.d.sync += [data_reg.eq(0), strobe_reg.eq(0)]
        with m.If(answer_reg & bus.bready):
            m.d.sync += [answer_reg.eq(0), has_address_reg.eq(0), has_data_reg.eq(0)]

        read_reg = Signal()
        rvalid_reg = Signal()
        read_error_reg = Signal()
        read_address_reg = Signal.like(bus.araddr)
        read_data_reg = Signal.like(bus.rdata)
        m.d.comb += [
            bus.arready.eq(~read_reg & ~rvalid_reg), bus.rvalid.eq(rvalid_reg), bus.rdata.eq(read_data_reg),
            bus.rresp.eq(Mux(read_error_reg, SLVERR, OKAY)), access.read.eq(read_reg), access.read_address.eq(read_address_reg[2:]),
        ]  # fmt: skip
        with m.If(bus.arvalid & bus.arready):
            m.d.sync += [read_reg.eq(1), read_address_reg.eq(bus.araddr)]
        with m.If(read_reg):
            m.d.sync += [read_reg.eq(0), rvalid_reg.eq(1), read_data_reg.eq(access.read_data), read_error_reg.eq(access.read_error)]
        # Data may be part of a tag, so they go.
        with m.If(rvalid_reg & bus.rready):
            m.d.sync += [rvalid_reg.eq(0), read_data_reg.eq(0)]
        return m


# -- apb ---------------------------------------------------------------------------------------------------------------------------

# APB4, 32 bits.
#
#     cycle      0          1                    2
#     host       setup      access               access
#     here       [taken] ─▶ read, write ──────▶ [PREADY, PRDATA, PSLVERR]
#
# A transfer takes three cycles.  Every output comes from a register, so that none depends on an input of the same cycle.

def apb_signature(address_bits: int) -> wiring.Signature:
    """The signals, seen from the host.  ``pprot`` is left out."""
    return wiring.Signature({
        "psel": Out(1), "penable": Out(1), "paddr": Out(address_bits), "pwrite": Out(1), "pwdata": Out(WORD_BITS),
        "pstrb": Out(WORD_BYTES), "pready": In(1), "prdata": In(WORD_BITS), "pslverr": In(1),
    })  # fmt: skip


class Apb(wiring.Component):
    """The port.

    Parameters
    ----------
    address_bits : int
        Bits of an address in bytes.  The lowest two are not read.

    Members
    -------
    bus : In(apb_signature)
    access : Out(access_signature)
        A write in which a byte is missing is not passed on.
    erase : In(1)
        Overwrites data that were taken.  Their write is refused.
    """

    def __init__(self, address_bits: int):
        super().__init__({"bus": In(apb_signature(address_bits)), "access": Out(access_signature(address_bits)), "erase": In(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bus, access = self.bus, self.access
        taken_reg = Signal()
        write_reg = Signal()
        address_reg = Signal.like(bus.paddr)
        data_reg = Signal.like(bus.pwdata)
        strobe_reg = Signal.like(bus.pstrb)
        ready_reg = Signal()
        error_reg = Signal()
        read_data_reg = Signal.like(bus.prdata)
        whole = strobe_reg.all()
        setup = Signal()
        refused = Signal()
        m.d.comb += [
            # A transfer that is not over excludes another one, whatever the host does.
            setup.eq(bus.psel & ~bus.penable & ~taken_reg & ~ready_reg),
            bus.pready.eq(ready_reg), bus.prdata.eq(read_data_reg), bus.pslverr.eq(error_reg),
            access.write.eq(taken_reg & write_reg & whole), access.write_address.eq(address_reg[2:]), access.write_data.eq(data_reg),
            access.read.eq(taken_reg & ~write_reg), access.read_address.eq(address_reg[2:]),
            refused.eq(Mux(write_reg, ~whole | access.write_error, access.read_error)),
        ]  # fmt: skip
        # Data may be part of a key, so they stay for one cycle.
        m.d.sync += [
            taken_reg.eq(setup), data_reg.eq(0), ready_reg.eq(taken_reg), error_reg.eq(taken_reg & refused),
            read_data_reg.eq(access.read_data & (access.read & ~access.read_error).replicate(WORD_BITS)),
        ]  # fmt: skip
        with m.If(setup):
            m.d.sync += [address_reg.eq(bus.paddr), write_reg.eq(bus.pwrite), strobe_reg.eq(bus.pstrb)]
            with m.If(bus.pwrite):
                m.d.sync += data_reg.eq(bus.pwdata)
        with m.If(self.erase):
            m.d.sync += [data_reg.eq(0), strobe_reg.eq(0)]
        return m
