# SPDX-License-Identifier: Apache-2.0
"""Statuses stay behind the data of their packets, although both cross to clocks of their own.  Two clocks as one (``clock_rules``).

::

    last status taken <= number of the status that waits <= packets pushed
    last status taken <= stable <= meta <= before <= packets that the host has taken <= packets pushed

All numbers are counts modulo 4096.  So they are compared by how far they are ahead of the last status that was taken, which is less than
2048.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from amaranth.hdl import DomainRenamer, Elaboratable, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from tests.formal.bits import Bits, all_of, constant, fresh
from tests.formal.clock_rules import TOP, LateSynchronizer, gray, one_clock
from tests.formal.induction import unproved_by_induction
from tests.formal.machine import Machine, State

from modeloom.rtl.clocks import fifo as order_module
from modeloom.rtl.clocks.fifo import ORDER_BITS, EndCount, PacketOrder
from modeloom_verilog.modules import component_rtlil, inner_verilog

__all__ = ["INVARIANTS", "RULES", "OrderState", "order_verilog", "surroundings", "unproved_order"]

PORTS = {"ends": In(1), "number": In(ORDER_BITS), "late": In(ORDER_BITS), "may": Out(1)}


class _Inside(Elaboratable):
    """The count in the clock of the data, and what reads it in that of the statuses.  Its synchroniser may be late."""

    def __init__(self) -> None:
        self.ports = {name: Signal(one.shape, name=f"p_{name}") for name, one in PORTS.items()}

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.ports
        saved, order = order_module.Synchronizer, PacketOrder()
        order_module.Synchronizer = LateSynchronizer  # type: ignore[misc,assignment]
        try:
            inner = order.elaborate(platform)
        finally:
            order_module.Synchronizer = saved  # type: ignore[misc]
        m.submodules.order = DomainRenamer("read")(inner)
        m.submodules.data = taken = DomainRenamer("host")(EndCount())
        m.d.comb += [
            inner.submodules.to_statuses.late.eq(p["late"]),
            taken.ends.eq(p["ends"]), order.taken.eq(taken.seen), order.number.eq(p["number"]), p["may"].eq(order.may),
        ]  # fmt: skip
        return m


class Order(wiring.Component):
    """Both, whose clocks rise when inputs say so."""

    def __init__(self) -> None:
        super().__init__({"data_rises": In(1), "status_rises": In(1), **PORTS})

    def elaborate(self, platform: object) -> Module:
        m, inside = Module(), _Inside()
        m.submodules.both = one_clock(inside, {"host": self.data_rises, "read": self.status_rises})
        for name, member in PORTS.items():
            here, there = getattr(self, name), inside.ports[name]
            m.d.comb += there.eq(here) if member.flow is In else here.eq(there)
        return m


@lru_cache
def order_verilog() -> str:
    """The order of statuses as it is emitted, but for its clocks."""
    return inner_verilog(component_rtlil(Order(), TOP), TOP)


class OrderState:
    """A state, with what stands around it.

    ``last`` is the number of the last status that was taken, ``pushed`` the packets that the core has given, and ``stable``, ``meta`` and
    ``before`` are the counts of which these registers have the Gray code.  In each step the core may push a packet, a status may wait, and
    the host may take it.
    """

    WIDTHS = dict.fromkeys(("last", "pushed", "stable", "meta", "before"), ORDER_BITS)

    def __init__(self, state: State, values: dict[str, Bits]):
        self.state, self.values = state, values
        self.push, self.waits, self.ready = (fresh(f"{state.label}.{name}", 1) for name in ("push", "waits", "ready"))
        self.count, self.code = self["both.data.count_reg"], self["both.data.seen"]
        self.seen = [self[f"both.order.to_statuses.{name}_reg"] for name in ("stable", "meta", "before")]

    @classmethod
    def any(cls, machine: Machine, label: str) -> OrderState:
        """Any state."""
        return cls(machine.free(label), {name: fresh(f"{label}.{name}", width) for name, width in cls.WIDTHS.items()})

    @classmethod
    def start(cls, state: State) -> OrderState:
        """A state before the first packet."""
        return cls(state, {name: constant(0, width) for name, width in cls.WIDTHS.items()})

    def __getitem__(self, name: str) -> Bits:
        return self.values[name] if name in self.values else self.state[name]

    @property
    def offered(self) -> Bits:
        """A status is on the bus."""
        return self.waits & self["may"]

    @property
    def takes(self) -> Bits:
        """The host takes a status."""
        return self.offered & self.ready & self["status_rises"]

    def ahead(self, number: Bits) -> Bits:
        """By how much a count is ahead of the last status that was taken."""
        return number - self["last"]

    def next(self) -> OrderState:
        """The state after a step."""
        t, moves = OrderState(self.state.next(), {}), self["status_rises"]
        caught = t.seen[1].equals(self.code).choose(self.count, self["before"])
        t.values = {
            "last": self.takes.choose(self["number"], self["last"]), "pushed": self["pushed"] + self.push.extend(ORDER_BITS),
            "before": self.count, "meta": moves.choose(caught, self["meta"]), "stable": moves.choose(self["meta"], self["stable"]),
        }  # fmt: skip
        return t


def counts_cross_in_gray_code(s: OrderState) -> Bits:
    """Invariant: what crosses is the Gray code of a count, also where its bits are of two steps, between which it grew by one.

    So the count that is compared is the one in the register.
    """
    seen = all_of(code.equals(gray(s[name])) for code, name in zip(s.seen, ("stable", "meta", "before")))
    return s.code.equals(gray(s.count)) & seen & ((s.count - s["before"]) <= 1) & s["both.order.count"].equals(s["stable"])


def stable_is_behind(s: OrderState) -> Bits:
    """Invariant: the second register of the synchroniser knows of no more packets than the first one."""
    return s.ahead(s["stable"]) <= s.ahead(s["meta"])


def meta_is_behind(s: OrderState) -> Bits:
    """Invariant: the first register knows of no more packets than there were a step ago."""
    return s.ahead(s["meta"]) <= s.ahead(s["before"])


def the_step_before_is_behind(s: OrderState) -> Bits:
    """Invariant: there were no more packets a step ago than there are."""
    return s.ahead(s["before"]) <= s.ahead(s.count)


def what_is_taken_was_pushed(s: OrderState) -> Bits:
    """Invariant: the host has taken no more packets than the core has pushed."""
    return s.ahead(s.count) <= s.ahead(s["pushed"])


INVARIANTS = (counts_cross_in_gray_code, stable_is_behind, meta_is_behind, the_step_before_is_behind, what_is_taken_was_pushed)


def surroundings(s: OrderState, t: OrderState) -> Bits:
    """The queues on both sides: the host takes packets that were pushed; a status has the number of packets pushed before it, and stays.

    Fewer packets than half of what is counted are pushed while a status is not taken.
    """
    stays = s.waits & ~s.takes
    return all_of([
        ~s["rst"], s["ends"].implies(s.count.differs(s["pushed"])),
        *(one.waits.implies(one.ahead(one["number"]) <= one.ahead(one["pushed"])) for one in (s, t)),
        *((one["pushed"] - one["last"]) < 1 << ORDER_BITS - 1 for one in (s, t)),
        stays.implies(t.waits & t["number"].equals(s["number"])),
    ])  # fmt: skip


def offered_statuses_stay(s: OrderState, t: OrderState) -> Bits:
    """AXI4-Stream: a status that is offered is offered until the host takes it."""
    return (s.offered & ~s.takes).implies(t.offered & t["number"].equals(s["number"]))


def statuses_follow_their_data(s: OrderState, t: OrderState) -> Bits:
    """When a status is offered, the host has taken all packets up to its number."""
    return s.offered.implies(s.ahead(s.count) >= s.ahead(s["number"]))


def statuses_do_not_wait_longer(s: OrderState, t: OrderState) -> Bits:
    """A status is offered when its clock has seen that its packets were taken, whether the host is ready for it or not."""
    seen = s.ahead(s["stable"]) >= s.ahead(s["number"])
    return s.waits.implies(s.offered.equals(seen))


RULES = (offered_statuses_stay, statuses_follow_their_data, statuses_do_not_wait_longer)


def unproved_order(machine: Machine, only: Collection[str] = ()) -> list[str]:
    """Invariants and rules that do not hold."""
    start, s = OrderState.start(machine.powered("start")), OrderState.any(machine, "s")
    t = s.next()
    return unproved_by_induction(INVARIANTS, RULES, start, [], s, t, [surroundings(s, t)], only)
