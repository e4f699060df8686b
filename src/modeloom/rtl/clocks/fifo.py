# SPDX-License-Identifier: Apache-2.0
"""A queue between two clocks, whose words can be erased.

::

             domain "write"                    domain "read"

    i ──▶ beats ─────────────────────────────▶ [payload_reg] ──▶ o
          [w_gray_reg] ──▶ Synchronizer ─────▶ there is a word
          there is room ◀───── Synchronizer ◀─ [r_gray_reg]
          zeros to words that were read ◀──┘

Each side learns of the place of the other in Gray code, at least two of its own cycles late.  So it sees fewer words, or less room, than
there are, and never more (C. E. Cummings, "Simulation and Synthesis Techniques for Asynchronous FIFO Design", SNUG 2002, style #2).
"""

from __future__ import annotations

from amaranth.hdl import ClockDomain, ClockSignal, DomainRenamer, Module, Mux, ResetSignal, Signal, Value
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out, Signature

from modeloom.rtl.zeroize import erase_signature

__all__ = [
    "ORDER_BITS", "ClockFifo", "EndCount", "Mirror", "PacketOrder", "ResetCatcher", "StatusGate", "Synchronizer",
    "control_signature", "gray",
]  # fmt: skip


# -- synchronizer ----------------------------------------------------------------------------------------------------------------------

# Synchronisers: the only registers that take a signal of another clock, besides words that stand still.
#
#     register of another clock ──▶ [meta_reg] ──▶ [stable_reg] ──▶ o
#
# The names of the registers are those that the emitted constraints look for.

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


# -- fifo ------------------------------------------------------------------------------------------------------------------------------


def gray(number: Value) -> Value:
    """A number in Gray code."""
    return number ^ (number >> 1)


def control_signature() -> Signature:
    """What stops one side.

    Members
    -------
    hold : 1
        Nothing goes in, or comes out.
    clear : 1
        The place of this side is the first one again.  Both sides are held before and after this.
    """
    return Signature({"hold": Out(1), "clear": Out(1)})


class ClockFifo(wiring.Component):
    """Takes a payload in each cycle of the slower clock, if none waits.

    A payload is at the output two or three cycles of "read" after it was taken.  ``o`` comes from registers, which are zero without a
    payload.  No output depends on an input of the same cycle.

    Parameters
    ----------
    width : int
        Bits of a payload.
    depth : int
        Words: a power of two, at least 4.

    Members
    -------
    i, o : stream
    write, read : In(control_signature())
    erase : In(erase_signature)
        In domain "write", while both sides are held: zeros to this word.
    """

    def __init__(self, width: int, depth: int):
        if depth < 4 or depth & depth - 1:
            raise ValueError(f"depth is a power of two, at least 4, not {depth}")
        self.width, self.depth = width, depth
        self.bits = depth.bit_length() - 1
        super().__init__({
            "i": In(stream.Signature(width)), "o": Out(stream.Signature(width)), "write": In(control_signature()),
            "read": In(control_signature()), "erase": In(erase_signature(self.bits)),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m, bits = Module(), self.bits
        m.submodules.beats = words = memory.Memory(shape=self.width, depth=self.depth, init=[], attrs={"ram_style": "distributed"})
        m.submodules.to_read = to_read = DomainRenamer("read")(Synchronizer(bits + 1))
        m.submodules.to_write = to_write = DomainRenamer("write")(Synchronizer(bits + 1))

        w_place_reg, w_gray_reg, w_next = (Signal(bits + 1, name=f"w_{name}") for name in ("place_reg", "gray_reg", "next"))
        put, full = Signal(name="put"), Signal(name="full")
        m.d.comb += [
            # The other side is a whole round behind.
            full.eq(w_gray_reg == to_write.o ^ (3 << bits - 1)), self.i.ready.eq(~full & ~self.write.hold),
            put.eq(self.i.valid & self.i.ready), w_next.eq(Mux(self.write.clear, 0, w_place_reg + put)), to_read.i.eq(w_gray_reg),
        ]  # fmt: skip
        m.d.write += [w_place_reg.eq(w_next), w_gray_reg.eq(gray(w_next))]

        # Words that were read are overwritten in cycles in which none is written.
        left_reg, read, wipes = Signal(bits + 1, name="left_reg"), Signal(bits + 1, name="read"), Signal(name="wipes")
        leaves = Signal()
        m.d.comb += [read[at].eq(to_write.o[at:].xor()) for at in range(bits + 1)]
        m.d.comb += [wipes.eq((left_reg != read) & ~put), leaves.eq(wipes | put & (w_place_reg == left_reg ^ self.depth))]
        m.d.write += left_reg.eq(Mux(self.write.clear, 0, left_reg + leaves))
        port = words.write_port(domain="write")
        m.d.comb += [
            port.en.eq(put | wipes | self.erase.we),
            port.addr.eq(Mux(self.erase.we, self.erase.address, Mux(put, w_place_reg[:bits], left_reg[:bits]))),
            port.data.eq(self.i.payload & put.replicate(self.width)),
        ]  # fmt: skip

        r_place_reg, r_gray_reg, r_next = (Signal(bits + 1, name=f"r_{name}") for name in ("place_reg", "gray_reg", "next"))
        valid_reg, payload_reg = Signal(name="valid_reg"), Signal(self.width, name="payload_reg")
        moves, get = Signal(name="moves"), Signal(name="get")
        word = words.read_port(domain="comb")
        m.d.comb += [
            moves.eq(~valid_reg | self.o.ready), get.eq((r_gray_reg != to_read.o) & moves & ~self.read.hold),
            r_next.eq(Mux(self.read.clear, 0, r_place_reg + get)), to_write.i.eq(r_gray_reg), word.addr.eq(r_place_reg[:bits]),
            self.o.valid.eq(valid_reg), self.o.payload.eq(payload_reg),
        ]  # fmt: skip
        m.d.read += [r_place_reg.eq(r_next), r_gray_reg.eq(gray(r_next))]
        with m.If(self.read.hold):
            m.d.read += [valid_reg.eq(0), payload_reg.eq(0)]
        with m.Elif(moves):
            m.d.read += [valid_reg.eq(get), payload_reg.eq(word.data & get.replicate(self.width))]
        return m


# -- order -------------------------------------------------------------------------------------------------------------------------

# Keeps statuses behind the data of their packets, although both go through queues of their own.
#
#     core                        pushed_reg: ends of packets that went into the queue of m_axis
#                                     └── with each status ──▶ queue of m_axis_status ──▶ [may it come?] ──▶ m_axis_status
#     clock of m_axis             taken_reg: ends of packets that the host has taken, in Gray code ──────────────┘
#
# A status for registers has no queue here.  It waits in the core, and its number with it.

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
        super().__init__({"waits": In(1), "may": Out(1), "ends": In(ORDER_BITS), "number": Out(ORDER_BITS), "taken": In(1), "hold": In(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        known_reg, number_reg = Signal(name="known_reg"), Signal(ORDER_BITS, name="number_reg")
        m.d.comb += [self.number.eq(number_reg), self.may.eq(known_reg & self.taken)]
        with m.If(self.hold | self.waits & self.may):
            m.d.sync += known_reg.eq(0)
        with m.Elif(self.waits & ~known_reg):
            m.d.sync += [known_reg.eq(1), number_reg.eq(self.ends)]
        return m
