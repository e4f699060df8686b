# SPDX-License-Identifier: Apache-2.0
"""Two clocks as one, and an erasure of a queue between them.  Either the host writes and the core reads, or the other way round.

The invariants here are those of a queue into the core; ``erasure_out_rules`` has those of a queue out of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from amaranth.hdl import DomainRenamer, Elaboratable, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from tests.formal.bits import Bits, all_of, concat, constant
from tests.formal.clock_rules import INVARIANTS, TOP, LateSynchronizer, QueueState, numbered, one_clock
from tests.formal.machine import Machine, State
from tests.formal.proof import holds

from modeloom.rtl.clocks import fifo as fifo_module
from modeloom.rtl.clocks.bridge import CoreErasure, HostErasure, Phase
from modeloom.rtl.clocks.fifo import ClockFifo
from modeloom_verilog.modules import component_rtlil, inner_verilog

DEPTH = 4
BITS = 3

PORTS = {
    "w_rises": In(1), "r_rises": In(1), "i_valid": In(1), "i_payload": In(BITS + 1), "i_ready": Out(1), "o_valid": Out(1),
    "o_payload": Out(BITS + 1), "o_ready": In(1), "late_w": In(BITS), "late_r": In(BITS), "late_asked": In(1), "late_answer": In(1),
    "reset": In(1), "request": In(1), "held": Out(1), "host_held": Out(1),
}  # fmt: skip


class Pair(wiring.Component):
    """A queue with both sides of its erasure, whose clocks rise when inputs say so.  It is *outward* if the core writes."""

    def __init__(self, outward: bool = False) -> None:
        self.outward = outward
        super().__init__(PORTS)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        inside = _Inside(self.outward)
        m.submodules.both = one_clock(inside, {"write": self.w_rises, "read": self.r_rises})
        for name, member in self.signature.members.items():
            if name.endswith("rises"):
                continue
            here, there = getattr(self, name), inside.ports[name]
            m.d.comb += there.eq(here) if member.flow is In else here.eq(there)
        return m


class _Inside(Elaboratable):
    def __init__(self, outward: bool) -> None:
        self.outward = outward
        self.ports = {name: Signal(one.shape, name=f"p_{name}") for name, one in PORTS.items()}

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.ports
        saved = fifo_module.Synchronizer
        fifo_module.Synchronizer = LateSynchronizer  # type: ignore[misc,assignment]
        try:
            queue = ClockFifo(BITS + 1, DEPTH)
            inner = queue.elaborate(platform)
        finally:
            fifo_module.Synchronizer = saved  # type: ignore[misc]
        m.submodules.queue = inner
        core, host = CoreErasure(DEPTH), HostErasure(DEPTH)
        asked, answer = LateSynchronizer(init=1), LateSynchronizer()
        of_core, of_host = ("write", "read") if self.outward else ("read", "write")
        parts = (("core", core, of_core), ("host", host, of_host), ("asked", asked, of_host), ("answer", answer, of_core))
        for name, part, domain in parts:
            m.submodules[name] = DomainRenamer(domain)(part)
        writer, reader = (core, host) if self.outward else (host, core)
        m.d.comb += [
            inner.submodules.to_read.late.eq(p["late_w"]), inner.submodules.to_write.late.eq(p["late_r"]),
            asked.late.eq(p["late_asked"]), answer.late.eq(p["late_answer"]), asked.i.eq(core.asks), answer.i.eq(host.answer),
            host.asked.eq(asked.o), core.answer.eq(answer.o), core.reset.eq(p["reset"]), core.request.eq(p["request"]),
            queue.write.hold.eq(writer.control.hold), queue.write.clear.eq(writer.control.clear), queue.read.hold.eq(reader.control.hold),
            queue.read.clear.eq(reader.control.clear), queue.erase.we.eq(writer.erase.we), queue.erase.address.eq(writer.erase.address),
            queue.i.valid.eq(p["i_valid"]), queue.i.payload.eq(p["i_payload"]), p["i_ready"].eq(queue.i.ready),
            p["o_valid"].eq(queue.o.valid), p["o_payload"].eq(queue.o.payload), queue.o.ready.eq(p["o_ready"]),
            p["held"].eq(core.control.hold), p["host_held"].eq(host.control.hold),
        ]  # fmt: skip
        return m


@lru_cache
def pair_verilog(outward: bool = False) -> str:
    """The pair as it is emitted, but for its clocks."""
    return inner_verilog(component_rtlil(Pair(outward), TOP), TOP)


class PairState(QueueState):
    """A state of the pair."""

    def __init__(self, state: State):
        super().__init__(state, DEPTH, "both.queue")
        self.phase = self["both.core.phase_reg"]
        self.asks, self.answers = self["both.core.asks"], self["both.host.answer"]
        self.asked = [self[f"both.asked.{name}_reg"] for name in ("stable", "meta", "before")]
        self.answered = [self[f"both.answer.{name}_reg"] for name in ("stable", "meta", "before")]
        self.swept = self["both.core.swept_reg"]
        # The address of the side that writes is a port, too.
        self.core_address, self.host_address = (
            self[next(name for name in (f"{side}.address_reg", f"{side}.erase_address") if state.has(name))]
            for side in ("both.core", "both.host")
        )  # fmt: skip

    def next(self) -> PairState:
        """The state after a step."""
        return type(self)(self.state.next())

    def at(self, phase: Phase) -> Bits:
        """Whether the core is in a phase."""
        return self.phase.equals(phase.value)


def _rising(chain: list[Bits]) -> Bits:
    """No register is ahead of the one before it.  The source stands last."""
    return all_of(later.implies(earlier) for later, earlier in zip(chain, chain[1:]))


def _all(chain: list[Bits], value: int) -> Bits:
    return all_of(one.equals(value) for one in chain)


def both_shake_hands(s: PairState) -> Bits:
    """What each side has seen of the other one follows from the phase."""
    asked, answered = [*s.asked, s.asks], [*s.answered, s.answers]
    idle = _all(asked, 0) & _all(answered, 0)
    request = s.asks & _rising(asked) & _rising(answered) & s.answers.implies(s.asked[0])
    sweep = _all(asked, 1) & _all(answered, 1)
    falling = [~one for one in asked], [~one for one in answered]
    drop = ~s.asks & _rising(falling[0]) & _rising(falling[1]) & (~s.answers).implies(~s.asked[0])
    return all_of([
        s.at(Phase.IDLE).implies(idle), s.at(Phase.REQUEST).implies(request), s.at(Phase.SWEEP).implies(sweep),
        s.at(Phase.DROP).implies(drop),
    ])  # fmt: skip


def the_host_sweeps_from_the_first_word(s: PairState) -> Bits:
    """Its address is 0 until it is asked, and all words before the address are zero."""
    begun = s.asked[0] & (s.host_address.some() | s.answers)
    zero = [((s.host_address > at) | s.answers).implies(s.word(at).equals(0)) for at in range(DEPTH)]
    places = all_of(one.equals(0) for one in (s.w, s.left, s.w_code))
    late = ((s.host_address > 1) | s.answers).implies(s.to_read[2].equals(0))
    return (~s.asked[0] & ~s.answers).implies(s.host_address.equals(0)) & begun.implies(all_of([*zero, places, late]))


def the_core_sets_back_its_place(s: PairState) -> Bits:
    """After a cycle of its sweep, and until it is idle; and what each side has seen of the other one is zero before it runs."""
    own = all_of(one.equals(0) for one in (s.r, s.r_code))
    sweep, drop = s.at(Phase.SWEEP), s.at(Phase.DROP)
    begun = (sweep & (s.core_address.some() | s.swept)) | drop
    later = (sweep & ((s.core_address > 1) | s.swept)) | drop
    seen = s.to_read[1].equals(0) & s.to_write[2].equals(0)
    last = (sweep & ((s.core_address > 2) | s.swept)) | drop
    asked = drop.implies((~s.asked[1]).implies(s.to_write[1].equals(0)) & (~s.asked[0]).implies(s.to_write[0].equals(0)))
    held = (drop & s.asked[0]).implies(_all([s.w, s.left, *s.to_read], 0))
    return all_of([
        begun.implies(own), later.implies(seen | drop), last.implies(s.to_read[0].equals(0) | drop), drop.implies(s.to_write[2].equals(0)),
        asked, held,
    ])  # fmt: skip


def the_queue_is_sound_while_the_host_runs(s: PairState) -> Bits:
    """All invariants of a queue hold unless the host is held; and while the core is held, nothing is at its output."""
    runs = ~s.asked[0] | (s.at(Phase.REQUEST) & ~s.host_address.some() & ~s.answers)
    quiet = (s.at(Phase.SWEEP) | s.at(Phase.DROP)).implies(~s["o_valid"] & s["o_payload"].equals(0))
    return runs.implies(all_of(one(s) for one in INVARIANTS)) & quiet


ALL = (both_shake_hands, the_host_sweeps_from_the_first_word, the_core_sets_back_its_place, the_queue_is_sound_while_the_host_runs)


def nothing_of_before_comes_out(s: PairState, t: PairState) -> Bits:
    """When the core begins to drop its request, all words are zero and the queue is empty; it then runs as a queue that was erased."""
    ends = s.at(Phase.SWEEP) & t.at(Phase.DROP)
    empty = [t.w.equals(0), t.r.equals(0), *(t.word(at).equals(0) for at in range(DEPTH)), t["o_valid"].equals(0)]
    return ends.implies(all_of(empty))


def words_come_once_and_in_order(s: PairState, t: PairState) -> Bits:
    """While the core runs, it takes the word after the last one that it took."""
    takes = s["o_valid"] & s["o_ready"] & s["r_rises"] & ~s["held"]
    taken = s.r - s["o_valid"].extend(s.bits)
    return takes.implies(s["o_payload"].equals(concat([taken, constant(1, 1)])))


RULES = (nothing_of_before_comes_out, words_come_once_and_in_order)


def unproved_pair(machine: Machine, invariants: Sequence[Any] = ALL, rules: Sequence[Any] = RULES) -> list[str]:
    """Invariants and rules that do not hold."""
    start, s = PairState(machine.powered("start")), PairState(machine.free("s"))
    t = s.next()
    sound = [all_of(one(s) for one in invariants), numbered(s)]
    # The words have an initial value in the Verilog, which the machine does not read.
    zero = [start.word(at).equals(0) for at in range(DEPTH)]
    names = [f"{one.__name__} at power-up" for one in invariants if holds(one(start), *zero) is not None]
    names += [one.__name__ for one in invariants if holds(one(t), *sound) is not None]
    return names + [one.__name__ for one in rules if holds(one(s, t), *sound) is not None]

