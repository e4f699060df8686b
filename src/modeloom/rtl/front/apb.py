# SPDX-License-Identifier: Apache-2.0
"""APB4, 32 bits.

::

    cycle      0          1                    2
    host       setup      access               access
    here       [taken] ─▶ read, write ──────▶ [PREADY, PRDATA, PSLVERR]

A transfer takes three cycles.  Every output comes from a register, so that none depends on an input of the same cycle.
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.front import WORD_BITS, WORD_BYTES
from modeloom.rtl.front.axi_lite import access_signature

__all__ = ["Apb", "apb_signature"]


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
