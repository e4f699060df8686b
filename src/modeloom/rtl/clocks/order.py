# SPDX-License-Identifier: Apache-2.0
"""Keeps statuses behind the data of their packets, although both go through queues of their own.

::

    core                        pushed_reg: ends of packets that went into the queue of m_axis
                                    └── with each status ──▶ queue of m_axis_status ──▶ [may it come?] ──▶ m_axis_status
    clock of m_axis             taken_reg: ends of packets that the host has taken, in Gray code ──────────────┘

A status for registers has no queue here.  It waits in the core, and its number with it.
"""

from __future__ import annotations

from amaranth.hdl import DomainRenamer, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.clocks.fifo import gray
from modeloom.rtl.clocks.synchronizer import Synchronizer

__all__ = ["ORDER_BITS", "EndCount", "PacketOrder", "StatusGate"]

ORDER_BITS = 12
"""Bits of a count of packets.  Half of what it counts is more than the packets that are on their way at a time."""


class EndCount(wiring.Component):
    """Counts in its domain.

    Members
    -------
    ends, clear : In(1)
    now : Out(ORDER_BITS)
        The count, with what this cycle adds.
    seen : Out(ORDER_BITS)
        The count in Gray code, from a register.
    """

    def __init__(self) -> None:
        super().__init__({"ends": In(1), "clear": In(1), "now": Out(ORDER_BITS), "seen": Out(ORDER_BITS)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count_reg, gray_reg, after = (Signal(ORDER_BITS, name=name) for name in ("count_reg", "gray_reg", "after"))
        m.d.comb += [self.now.eq(count_reg + self.ends), after.eq(Mux(self.clear, 0, self.now)), self.seen.eq(gray_reg)]
        m.d.sync += [count_reg.eq(after), gray_reg.eq(gray(after))]
        return m


class PacketOrder(wiring.Component):
    """Says whether all packets up to a number were taken, in the domain of the statuses.

    Members
    -------
    taken : In(ORDER_BITS)
        ``EndCount.seen`` of another domain.
    number : In(ORDER_BITS)
    may : Out(1)
    """

    def __init__(self) -> None:
        super().__init__({"taken": In(ORDER_BITS), "number": In(ORDER_BITS), "may": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.to_statuses = taken = DomainRenamer("sync")(Synchronizer(ORDER_BITS))
        count = Signal(ORDER_BITS)
        bits: list[Value] = [taken.o[at:].xor() for at in range(ORDER_BITS)]
        for at, bit in enumerate(bits):
            m.d.comb += count[at].eq(bit)
        ahead = Signal(ORDER_BITS)
        m.d.comb += [taken.i.eq(self.taken), ahead.eq(count - self.number), self.may.eq(~ahead[-1])]
        return m


class StatusGate(wiring.Component):
    """Holds back one status at a time until the host has taken the packets that ended before it came.

    Members
    -------
    waits : In(1)
        A status could be taken.
    may : Out(1)
        It may be taken now; it is, if ``waits`` is high.
    ends : In(ORDER_BITS)
        ``EndCount.now`` of this domain.
    number, taken : Out(ORDER_BITS), In(1)
        To ``PacketOrder``, and from it.
    hold : In(1)
        An erasure: there is no status.
    """

    def __init__(self) -> None:
        super().__init__({
            "waits": In(1), "may": Out(1), "ends": In(ORDER_BITS), "number": Out(ORDER_BITS), "taken": In(1), "hold": In(1),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        known_reg, number_reg = Signal(name="known_reg"), Signal(ORDER_BITS, name="number_reg")
        m.d.comb += [self.number.eq(number_reg), self.may.eq(known_reg & self.taken)]
        with m.If(self.hold | self.waits & self.may):
            m.d.sync += known_reg.eq(0)
        with m.Elif(self.waits & ~known_reg):
            m.d.sync += [known_reg.eq(1), number_reg.eq(self.ends)]
        return m
