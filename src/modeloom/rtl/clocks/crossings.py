# SPDX-License-Identifier: Apache-2.0
"""All crossings beside a core, and its reset.

::

    aresetn, or areset ──▶ [ResetCatcher] ──▶ core_aresetn
    zeroize, core_zeroizing, reset ──▶ CoreErasure ◀──── for each clock ────▶ HostErasure ──▶ CLOCK_zeroizing
    s_axis, s_axis_cmd, s_axis_key ──▶ ClockFifo ──▶ core_...
    core_m_axis ──▶ ClockFifo ──▶ m_axis                core_m_axis_status ──▶ ClockFifo ──▶ order ──▶ m_axis_status
    s_axil ◀──▶ LiteBridge ◀──▶ core_s_axil             core_key_..., core_irq ──▶ Mirror, Synchronizer
    s_apb  ◀──▶ ApbBridge  ◀──▶ core_s_apb

Buses that stay in the clock of the core go past this module, except for the statuses of data that do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from amaranth.hdl import Cat, ClockDomain, ClockSignal, DomainRenamer, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.front import APB, AXI_LITE, register_bus
from modeloom.interfaces.table import Interface, Side
from modeloom.rtl.clocks.bridge import ApbBridge, CoreErasure, HostErasure, LiteBridge
from modeloom.rtl.clocks.fifo import ORDER_BITS, ClockFifo, EndCount, Mirror, PacketOrder, ResetCatcher, StatusGate, Synchronizer

__all__ = ["CORE", "DEPTH", "CrossingParameters", "CrossingPath", "Crossings", "StreamCrossing", "crossing_paths"]

CORE = "core"
"""The domain of the core."""

DEPTH = 16
"""Words of each queue.  LUT memories of this depth cost what smaller ones cost."""

KEY_COUNT_BITS = 6
"""Bits of a count of beats of keys: more than twice the beats that are on their way at a time."""

KEY_SEEN_AFTER = 4
"""Cycles after which ``key_busy`` tells of a beat that the core has taken, at the latest."""

RESULTS, STATUSES, KEYS = "m_axis", "m_axis_status", "s_axis_key"


@dataclass(frozen=True)
class StreamCrossing:
    """A stream that has a queue.

    Attributes
    ----------
    name : str
    payload : tuple of (str, int)
        Its ports without ``tvalid`` and ``tready``, with their bits.
    inward : bool
        Whether the host sends.
    clock : str
        The clock of the host, or ``CORE``.
    """

    name: str
    payload: tuple[tuple[str, int], ...]
    inward: bool
    clock: str

    @property
    def width(self) -> int:
        """Bits of a beat."""
        return sum(bits for _, bits in self.payload)


@dataclass(frozen=True)
class CrossingParameters:
    """The figures of crossings.

    Attributes
    ----------
    high, asynchronous : bool
        Whether the reset is active high, and whether it may begin at any time.
    streams : tuple of StreamCrossing
    key_flags : tuple of (str, int)
        The flags of keys with their bits, if ``s_axis_key`` has a clock of its own.
    register_clock, register_bus, address_bits : str, str, int
        The clock of registers, if they have their own, their bus of ``interfaces.front.REGISTER_BUSES``, and the bits of its addresses.
    ordered : bool
        Whether registers take the statuses, behind ``interfaces.front.STATUS_ORDER``.
    tells_erasure : bool
        Whether registers are told of an erasure (``interfaces.front.QUEUE_ERASURE``).
    """

    high: bool = False
    asynchronous: bool = False
    streams: tuple[StreamCrossing, ...] = ()
    key_flags: tuple[tuple[str, int], ...] = ()
    register_clock: str = ""
    register_bus: str = AXI_LITE
    address_bits: int = 0
    ordered: bool = False
    tells_erasure: bool = False

    @property
    def clocks(self) -> tuple[str, ...]:
        """The clocks of hosts, in order."""
        found = [one.clock for one in self.streams] + ([self.register_clock] if self.register_clock else [])
        return tuple(dict.fromkeys(clock for clock in found if clock != CORE))

    @property
    def reset(self) -> str:
        """The name of the port of the reset."""
        return "areset" if self.high else "aresetn"

    @property
    def bus(self) -> Interface:
        """The port for registers, without the type of protection, which nothing reads."""
        bus = register_bus(self.register_bus, self.address_bits)
        return replace(bus, payload=tuple(port for port in bus.payload if not port.name.endswith("prot")))

    def stream(self, name: str) -> StreamCrossing | None:
        """The crossing of a stream; None if it has none."""
        return next((one for one in self.streams if one.name == name), None)


@dataclass
class _Sides:
    """What holds the queues of one clock, on both sides."""

    core: Any
    host: Any
    core_erase: Any
    host_erase: Any
    asks: Value
    resets: Value
    reset_ends: Value
    host_resets: Value


@dataclass
class _Signals:
    """What parts of the module need of each other."""

    held: Signal = field(default_factory=lambda: Signal(name="held"))
    sides: dict[str, _Sides] = field(default_factory=dict)


class Crossings(wiring.Component):
    """The crossings.

    Parameters
    ----------
    parameters : CrossingParameters

    Members
    -------
    aclk, aresetn or areset : In
        There is no clock if the reset is inverted, and nothing else.
    core_aresetn : Out
        The reset of the core: active low, in its clock.
    zeroize, core_zeroizing, zeroizing : In, In, Out
        With clocks of hosts only: what erases the core, what it says, and whether it or a queue is being erased.
    CLOCK, CLOCK_zeroizing : In, Out
        Each clock of a host, and whether an erasure holds its buses.
    NAME_* : the buses of the host
    core_NAME_* : those of the core, seen from the other side
    """

    def __init__(self, parameters: CrossingParameters):
        self.parameters = p = parameters
        # A reset that is inverted alone needs no clock.
        clocked = bool(p.clocks) or p.asynchronous
        members: dict[str, In | Out] = {**({"aclk": In(1)} if clocked else {}), p.reset: In(1), "core_aresetn": Out(1)}
        if p.clocks:
            members |= {"zeroize": In(1), "core_zeroizing": In(1), "zeroizing": Out(1)}
        for clock in p.clocks:
            members |= {clock: In(1), f"{clock}_zeroizing": Out(1)}
        for one in p.streams:
            for prefix, inward in (("", one.inward), ("core_", not one.inward)):
                forward, backward = (In, Out) if inward else (Out, In)
                members |= {f"{prefix}{one.name}_tvalid": forward(1), f"{prefix}{one.name}_tready": backward(1)}
                members |= {f"{prefix}{one.name}_{port}": forward(bits) for port, bits in one.payload}
        for port, bits in p.key_flags:
            members |= {f"core_{port}": In(bits), port: Out(bits)}
        if p.register_clock:
            for prefix, host in (("", Side.HOST), ("core_", Side.CORE)):
                for pin in p.bus.ports:
                    flow = In if p.bus.driven_by(pin) is host else Out
                    members[prefix + p.bus.port_name(pin)] = flow(pin.width.count)
            members |= {"core_irq": In(1), "irq": Out(1)}
        if p.ordered:
            members |= {"core_status_waits": In(1), "core_status_may": Out(1)}
        if p.tells_erasure:
            members |= {"core_queues_held": Out(1)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.parameters
        if "aclk" in self.signature.members:
            m.domains.core = ClockDomain(CORE, reset_less=True)
            m.d.comb += ClockSignal(CORE).eq(self.aclk)
        for clock in p.clocks:
            m.domains += ClockDomain(clock, reset_less=True)
            m.d.comb += ClockSignal(clock).eq(getattr(self, clock))
        pin = getattr(self, p.reset)
        reset = Signal(name="reset_core")
        if p.asynchronous:
            m.submodules.reset_catcher = catcher = DomainRenamer(CORE)(ResetCatcher())
            m.d.comb += [catcher.i.eq(pin if p.high else ~pin), reset.eq(catcher.o)]
        else:
            m.d.comb += reset.eq(pin if p.high else ~pin)
        m.d.comb += self.core_aresetn.eq(~reset)
        if not p.clocks:
            return m
        signals = _Signals()
        for clock in p.clocks:
            signals.sides[clock] = self._sides(m, clock, reset)
        held = signals.held
        m.d.comb += [
            # All queues run again at the same time, because statuses wait for data of another clock.
            held.eq(Cat(one.core.hold for one in signals.sides.values()).any()), self.zeroizing.eq(self.core_zeroizing | held),
        ]  # fmt: skip
        if p.tells_erasure:
            m.d.comb += self.core_queues_held.eq(held)
        queues = {one.name: self._queue(m, one, signals) for one in p.streams}
        results, statuses = p.stream(RESULTS), p.stream(STATUSES)
        if results is not None and statuses is not None:
            self._order(m, results, statuses, queues[STATUSES], signals)
        if results is not None and p.ordered:
            self._gate(m, results, signals)
        if p.key_flags:
            self._flags(m, signals)
        if p.register_clock:
            self._registers(m, signals)
        return m

    def _sides(self, m: Module, clock: str, reset: Value) -> _Sides:
        """The erasure of what stands between a clock and the core."""
        core, host = DomainRenamer(CORE)(CoreErasure(DEPTH)), DomainRenamer(clock)(HostErasure(DEPTH))
        # All is held at power-up.
        asked, resets = (DomainRenamer(clock)(Synchronizer(init=1)) for _ in range(2))
        answer = DomainRenamer(CORE)(Synchronizer())
        for name, part in (("core", core), ("host", host), ("asked", asked), ("resets", resets), ("answer", answer)):
            m.submodules[f"{clock}_{name}"] = part
        m.d.comb += [
            core.reset.eq(reset), core.request.eq(self.zeroize | self.core_zeroizing), asked.i.eq(core.asks), resets.i.eq(core.resets),
            host.asked.eq(asked.o), host.resets.eq(resets.o), answer.i.eq(host.answer), core.answer.eq(answer.o),
            getattr(self, f"{clock}_zeroizing").eq(host.control.hold),
        ]  # fmt: skip
        return _Sides(core.control, host.control, core.erase, host.erase, core.asks, core.resets, core.reset_ends, resets.o)

    def _queue(self, m: Module, one: StreamCrossing, signals: _Signals) -> Any:
        """The queue of a stream, with its ports."""
        p = self.parameters
        ordered = one.name == STATUSES and p.stream(RESULTS) is not None
        fifo = ClockFifo(one.width + (ORDER_BITS if ordered else 0), DEPTH)
        domains = {"write": one.clock, "read": CORE} if one.inward else {"write": CORE, "read": one.clock}
        m.submodules[one.name] = DomainRenamer(domains)(fifo)
        sides = signals.sides.get(one.clock) or next(iter(signals.sides.values()))
        host = sides.core if one.clock == CORE else sides.host
        write, read, erase = (host, sides.core, sides.host_erase) if one.inward else (sides.core, host, sides.core_erase)
        holds = {True: signals.held, False: host.hold}
        m.d.comb += [
            fifo.write.hold.eq(holds[not one.inward or one.clock == CORE]), fifo.write.clear.eq(write.clear),
            fifo.read.hold.eq(holds[one.inward or one.clock == CORE]), fifo.read.clear.eq(read.clear),
            fifo.erase.we.eq(erase.we), fifo.erase.address.eq(erase.address),
        ]  # fmt: skip
        source, target = ("", "core_") if one.inward else ("core_", "")

        def port(prefix: str, name: str) -> Signal:
            found: Signal = getattr(self, f"{prefix}{one.name}_{name}")
            return found

        words = Cat(port(source, name) for name, _ in one.payload)
        m.d.comb += [
            fifo.i.valid.eq(port(source, "tvalid")), port(source, "tready").eq(fifo.i.ready), fifo.i.payload[: one.width].eq(words),
        ]  # fmt: skip
        low = 0
        may = Signal(name=f"{one.name}_may")
        if not ordered:
            m.d.comb += may.eq(1)
        m.d.comb += [port(target, "tvalid").eq(fifo.o.valid & may), fifo.o.ready.eq(port(target, "tready") & may)]
        for name, bits in one.payload:
            word = fifo.o.payload[low : low + bits]
            m.d.comb += port(target, name).eq(word & may.replicate(bits) if ordered else word)
            low += bits
        fifo.may = may
        return fifo

    def _ends(self, m: Module, results: StreamCrossing, signals: _Signals) -> tuple[EndCount, EndCount]:
        """Counts of packets that went into the queue of results, and of those that the host has taken."""

        def moved(prefix: str) -> Value:
            valid, ready, last = (getattr(self, f"{prefix}{RESULTS}_{name}") for name in ("tvalid", "tready", "tlast"))
            return valid & ready & last

        sides = signals.sides[results.clock]
        m.submodules.pushed_ends = pushed = DomainRenamer(CORE)(EndCount())
        m.submodules.taken_ends = taken = DomainRenamer(results.clock)(EndCount())
        m.d.comb += [
            pushed.ends.eq(moved("core_")), pushed.clear.eq(sides.core.clear), taken.ends.eq(moved("")), taken.clear.eq(sides.host.clear),
        ]  # fmt: skip
        return pushed, taken

    def _gate(self, m: Module, results: StreamCrossing, signals: _Signals) -> None:
        """The same for a status that goes into registers."""
        pushed, taken = self._ends(m, results, signals)
        m.submodules.order = order = DomainRenamer(CORE)(PacketOrder())
        m.submodules.order_gate = gate = DomainRenamer(CORE)(StatusGate())
        m.d.comb += [
            gate.waits.eq(self.core_status_waits), gate.hold.eq(signals.held), gate.ends.eq(pushed.now), order.taken.eq(taken.seen),
            order.number.eq(gate.number), gate.taken.eq(order.may), self.core_status_may.eq(gate.may),
        ]  # fmt: skip

    def _order(self, m: Module, results: StreamCrossing, statuses: StreamCrossing, queue: Any, signals: _Signals) -> None:
        """A status waits until the host has taken the packets before it."""
        pushed, taken = self._ends(m, results, signals)
        m.submodules.order = order = DomainRenamer(statuses.clock)(PacketOrder())
        m.d.comb += [
            queue.i.payload[statuses.width :].eq(pushed.now), order.taken.eq(taken.seen),
            order.number.eq(queue.o.payload[statuses.width :]), queue.may.eq(order.may),
        ]  # fmt: skip

    def _flags(self, m: Module, signals: _Signals) -> None:
        """The flags of keys.  ``key_busy`` is high from the first beat of a packet on, also while the beat is on its way."""
        p = self.parameters
        crossing = p.stream(KEYS)
        assert crossing is not None
        sides = signals.sides[crossing.clock]
        sent_reg, came_reg = Signal(KEY_COUNT_BITS, name="keys_sent_reg"), Signal(KEY_COUNT_BITS, name="keys_came_reg")
        with m.If(sides.host.clear):
            m.d[crossing.clock] += sent_reg.eq(0)
        with m.Elif(self.s_axis_key_tvalid & self.s_axis_key_tready):
            m.d[crossing.clock] += sent_reg.eq(sent_reg + 1)
        taken = self.core_s_axis_key_tvalid & self.core_s_axis_key_tready
        for at in range(KEY_SEEN_AFTER):
            # A beat counts when the flags tell of it.
            delayed = Signal(name=f"key_taken{at}_reg")
            m.d.core += delayed.eq(taken & ~sides.core.clear)
            taken = delayed
        with m.If(sides.core.clear):
            m.d.core += came_reg.eq(0)
        with m.Elif(taken):
            m.d.core += came_reg.eq(came_reg + 1)
        flags = Cat(getattr(self, f"core_{port}") for port, _ in p.key_flags)
        m.submodules.key_flags = mirror = DomainRenamer({"core": CORE, "host": crossing.clock})(Mirror(len(flags) + KEY_COUNT_BITS))
        m.d.comb += [mirror.i.eq(Cat(flags, came_reg)), mirror.core_clear.eq(sides.core.clear), mirror.host_clear.eq(sides.host.clear)]
        low = 0
        for port, bits in p.key_flags:
            shown = mirror.o[low : low + bits]
            more = mirror.o[len(flags) :] != sent_reg if port == "key_busy" else 0
            m.d.comb += getattr(self, port).eq(shown | more)
            low += bits

    def _registers(self, m: Module, signals: _Signals) -> None:
        """The bus of registers, and the interrupt."""
        p, clock = self.parameters, self.parameters.register_clock
        sides, name = signals.sides[clock], self.parameters.bus.name
        bridge: Any = (ApbBridge if p.register_bus == APB else LiteBridge)(p.address_bits)
        m.submodules[name] = DomainRenamer({"core": CORE, "host": clock})(bridge)
        m.submodules.interrupt = interrupt = DomainRenamer(clock)(Synchronizer())
        irq_reg = Signal()
        m.d.core += irq_reg.eq(self.core_irq)
        m.d.comb += [
            # When the core asks no more, the host may have begun another access, which is no part of what was erased.
            bridge.host_hold.eq(sides.host.hold), bridge.core_hold.eq(sides.asks), bridge.host_reset.eq(sides.host_resets),
            bridge.core_reset.eq(sides.resets), bridge.core_reset_ends.eq(sides.reset_ends), interrupt.i.eq(irq_reg),
            self.irq.eq(interrupt.o),
        ]  # fmt: skip
        for side, prefix in ((bridge.bus, f"{name}_"), (bridge.core, f"core_{name}_")):
            for port, member in side.signature.members.items():
                outer, inner = getattr(self, prefix + port), getattr(side, port)
                m.d.comb += inner.eq(outer) if member.flow is In else outer.eq(inner)


# -- paths -------------------------------------------------------------------------------------------------------------------------

# The paths between clocks: from which registers to which ones, by their names in the emitted Verilog.
#
#     gray     Gray code, into a synchroniser       the bits may come at most a cycle of their own clock apart
#     bit      one bit, into a synchroniser
#     word     what stands still since a bit of its own has begun to cross
#     memory   a word of a queue, which was written before the place behind it crossed
#     reset    an asynchronous reset, into the registers that catch it

@dataclass(frozen=True)
class CrossingPath:
    """Registers or a memory, and registers of another clock.

    Attributes
    ----------
    kind : str
    source, target : str
        Instances and a register, with "/" between them.  A reset has no source.
    """

    kind: str
    source: str
    target: str


def crossing_paths(parameters: CrossingParameters) -> tuple[CrossingPath, ...]:
    """All paths between clocks in the module of the crossings."""
    return tuple(_paths(parameters))


def _paths(p: CrossingParameters) -> Iterator[CrossingPath]:
    if p.asynchronous:
        yield CrossingPath("reset", "", "reset_catcher/caught_reg")
        # It begins at any time, though its source has the clock of its target.
        yield CrossingPath("bit", "reset_catcher/caught_reg", "reset_catcher/to_core/meta_reg")
    for clock in p.clocks:
        yield CrossingPath("bit", f"{clock}_core/asks", f"{clock}_asked/meta_reg")
        yield CrossingPath("bit", f"{clock}_core/resets", f"{clock}_resets/meta_reg")
        yield CrossingPath("bit", f"{clock}_host/answer", f"{clock}_answer/meta_reg")
    for one in p.streams:
        if one.clock == CORE:
            continue
        name = one.name
        yield CrossingPath("gray", f"{name}/w_gray_reg", f"{name}/to_read/meta_reg")
        yield CrossingPath("gray", f"{name}/r_gray_reg", f"{name}/to_write/meta_reg")
        yield CrossingPath("memory", f"{name}/beats", f"{name}/o_payload")
    results, statuses = p.stream(RESULTS), p.stream(STATUSES)
    apart = statuses is not None and results is not None and results.clock != statuses.clock
    if apart or results is not None and p.ordered:
        yield CrossingPath("gray", "taken_ends/seen", "order/to_statuses/meta_reg")
    if p.key_flags and p.stream(KEYS) is not None:
        yield CrossingPath("bit", "key_flags/turn_reg", "key_flags/to_host/meta_reg")
        yield CrossingPath("bit", "key_flags/answer_reg", "key_flags/to_core/meta_reg")
        yield CrossingPath("word", "key_flags/sent_reg", "key_flags/o")
    if p.register_clock and p.register_bus == APB:
        yield CrossingPath("bit", "s_apb/request_reg", "s_apb/to_core/meta_reg")
        yield CrossingPath("bit", "s_apb/answer_reg", "s_apb/to_host/meta_reg")
        for source, target in (
            ("address_reg", "core_paddr"), ("write_reg", "core_pwrite"), ("data_reg", "pwdata_reg"), ("strobe_reg", "pstrb_reg"),
            ("word_reg", "bus_prdata"), ("refused_reg", "bus_pslverr"),
        ):  # fmt: skip
            yield CrossingPath("word", f"s_apb/{source}", f"s_apb/{target}")
    elif p.register_clock:
        for name, sign in (("write", "turn"), ("read", "request")):
            yield CrossingPath("bit", f"s_axil/{name}_{sign}_reg", f"s_axil/{name}_to_core/meta_reg")
            yield CrossingPath("bit", f"s_axil/{name}_answer_reg", f"s_axil/{name}_to_host/meta_reg")
        for source, target in (
            ("w_address_reg", "core_awaddr"), ("w_data_reg", "core_wdata"), ("w_strobe_reg", "core_wstrb"),
            ("r_address_reg", "core_araddr"), ("w_response_reg", "bus_bresp"), ("r_word_reg", "r_shown_reg"),
        ):  # fmt: skip
            yield CrossingPath("word", f"s_axil/{source}", f"s_axil/{target}")
    if p.register_clock:
        yield CrossingPath("bit", "irq_reg", "interrupt/meta_reg")
