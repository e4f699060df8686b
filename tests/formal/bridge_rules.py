# SPDX-License-Identifier: Apache-2.0
"""Registers in a clock of their own: the crossings as they are emitted, and what their erasure and reset say to both sides.

::

    core   IDLE ─▶ REQUEST ─▶ SWEEP ─▶ DROP ─▶ IDLE          resets ▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔╲___
    host           asked ▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔╲___                  reset      ▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔╲__

``lite_bridge_rules`` and ``apb_bridge_rules`` have the buses.  An erasure and a reset may begin at any time, also in each other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Self

from tests.formal.bits import Bits, all_of, constant, fresh
from tests.formal.clocked import ClockedMachine, ClockedState
from tests.formal.emitted_bus import machine_of
from tests.formal.erasure_rules import both_shake_hands
from tests.formal.induction import unproved_by_induction
from tests.formal.signs import agrees, equal, falling, one_after_the_other, zero

from modeloom.rtl.clocks import CrossingParameters, Crossings
from modeloom.rtl.clocks.bridge import Phase
from modeloom_verilog.modules import component_rtlil, inner_verilog

__all__ = [
    "ADDRESS_BITS", "CLOCK", "COMMON", "FOUR", "TOP", "BridgeState", "WriteCrossing", "bridge_verilog", "clocked_machine", "comes_to_rest",
    "crosses_in_turn", "has_rested", "still_for_the_core", "still_for_the_host", "unproved_bridge",
]  # fmt: skip

TOP, CLOCK = "crossings", "clk_host"
ADDRESS_BITS = 6
FOUR = 4
"""Bits of counts of accesses; none comes near their end."""


@lru_cache
def bridge_verilog(bus: str) -> str:
    """The crossings of a bus of registers as they are emitted."""
    parameters = CrossingParameters(register_clock=CLOCK, register_bus=bus, address_bits=ADDRESS_BITS)
    return inner_verilog(component_rtlil(Crossings(parameters), TOP), TOP)


@lru_cache
def clocked_machine(verilog: str) -> ClockedMachine:
    """The crossings as a transition system."""
    return ClockedMachine(machine_of(verilog, TOP).netlist)


@dataclass(frozen=True)
class WriteCrossing:
    """A write on its way, as an erasure finds it.

    Attributes
    ----------
    there, given : Bits
        The host's side has data of a write, or gets them in this step.
    sent, answered : Bits
        They were sent, and the core's side has the response.
    seen, back : list of Bits
        Whether each register of the synchronisers has seen that it was sent, and that it was answered.
    """

    there: Bits
    given: Bits
    sent: Bits
    answered: Bits
    seen: list[Bits]
    back: list[Bits]


class BridgeState:
    """A state of crossings, with variables beside the hardware.

    ``WIDTHS`` are the variables with their bits.  All are zero at first.
    """

    WIDTHS: ClassVar[dict[str, int]] = {}
    kept: list[Bits]
    """Data and strobes on the side of the host."""
    passed: list[Bits]
    """Those on the side of the core."""
    busy: Bits
    """The core's side has a write."""
    crossing: WriteCrossing

    def __init__(self, state: ClockedState, values: dict[str, Bits]):
        self.state, self.values = state, values
        self.phase, self.resets = state[f"{CLOCK}_core.phase_reg"], state[f"{CLOCK}_core_resets"]
        self.asks, self.answers = state[f"{CLOCK}_core_asks"], state[f"{CLOCK}_host_answer"]
        self.again, self.swept = state[f"{CLOCK}_core.again_reg"], state[f"{CLOCK}_core.swept_reg"]
        # The address of a side with words is a port, too.
        self.core_address, self.host_address = (
            state[next(name for name in (f"{side}.address_reg", f"{side}.erase_address") if state.has(name))]
            for side in (f"{CLOCK}_core", f"{CLOCK}_host")
        )  # fmt: skip
        self.asked = self.chain(f"{CLOCK}_asked", f"{CLOCK}_core_asks")
        self.answered = self.chain(f"{CLOCK}_answer", f"{CLOCK}_host_answer")
        self.reset_seen = self.chain(f"{CLOCK}_resets", f"{CLOCK}_core_resets")

    @classmethod
    def any(cls, machine: ClockedMachine, label: str = "s") -> Self:
        """Any state."""
        return cls(machine.free(label), {name: fresh(f"{label}.{name}", width) for name, width in cls.WIDTHS.items()})

    @classmethod
    def start(cls, machine: ClockedMachine) -> Self:
        """The state at power-on."""
        return cls(machine.powered("start"), {name: constant(0, width) for name, width in cls.WIDTHS.items()})

    def next(self) -> Self:
        """The state after a step."""
        return type(self)(self.state.next(), self.after())

    def after(self) -> dict[str, Bits]:
        """The variables after a step."""
        return {}

    def __getitem__(self, name: str) -> Bits:
        return self.values[name] if name in self.values else self.state[name]

    def chain(self, synchronizer: str, source: str) -> list[Bits]:
        """The registers of a synchroniser, the last one first, and its source a step before."""
        return [self.state[f"{synchronizer}.stable_reg"], self.state[f"{synchronizer}.meta_reg"], self.state.earlier(source)]

    def at(self, *phases: Phase) -> Bits:
        """Whether the core is in one of some phases."""
        found = constant(0, 1)
        for phase in phases:
            found = found | self.phase.equals(phase.value)
        return found

    @property
    def core(self) -> Bits:
        """The clock of the core rises."""
        return self["aclk"]

    @property
    def host(self) -> Bits:
        """The clock of the host rises."""
        return self[CLOCK]

    @property
    def reset(self) -> Bits:
        """The core, and its registers, are in reset."""
        return ~self["aresetn"]

    @property
    def no_reset(self) -> Bits:
        """Neither side is in reset, nor does a reset begin."""
        return ~self.reset & zero(self.resets, *self.reset_seen)

    @property
    def held(self) -> Bits:
        """An erasure holds the host."""
        return self[f"{CLOCK}_zeroizing"]

    @property
    def host_reset(self) -> Bits:
        """The host's side is in reset."""
        return self.reset_seen[0]

    @property
    def told(self) -> Bits:
        """The end phase of a reset that the host's side knows, or will know before it runs."""
        return self.at(Phase.DROP) & ~self.again & self.resets

    @property
    def set_back(self) -> Bits:
        """The host's side has been set back in a reset, and the core's side has not."""
        return all_of([self.resets, *self.reset_seen])

    @property
    def old_reset(self) -> Bits:
        """The host's side is in a reset that is over in the core, where another one may have begun."""
        return self.host_reset & ~self.set_back


# -- invariants of the erasure -------------------------------------------------------------------------------------------------------


def phases_say_what_is_asked(s: BridgeState) -> Bits:
    """The core asks in two phases.  It asks again only of what came in the last phase."""
    return all_of([
        s.asks.equals(s.at(Phase.REQUEST, Phase.SWEEP)), s.again.implies(s.at(Phase.DROP, Phase.REQUEST)),
        s.resets.implies(~s.at(Phase.IDLE)), (s.at(Phase.IDLE)).implies(~s.answers),
    ])  # fmt: skip


def a_reset_is_known(s: BridgeState) -> Bits:
    """A host that is no longer asked knows of the reset; and one that is asked anew knows of the end of the reset before."""
    over = all_of([
        falling([*s.reset_seen, s.resets]), s.at(Phase.SWEEP, Phase.DROP).implies(zero(*s.reset_seen)),
        s.at(Phase.REQUEST).implies(~s.reset_seen[2] & all_of(asked.implies(~seen) for asked, seen in zip(s.asked, s.reset_seen))),
    ])  # fmt: skip
    known = all_of((~asked).implies(seen) for asked, seen in zip(s.asked, s.reset_seen))
    stable, meta, earlier = s.reset_seen
    again = (s.resets & meta & ~earlier).implies(stable)
    return (~s.resets).implies(over) & s.told.implies(known & earlier) & again


def crosses_in_turn(s: BridgeState, request: Bits, answer: Bits, asked: Sequence[Bits], answered: Sequence[Bits]) -> Bits:
    """The same with resets.  A host that was set back had seen the answer, if there was one: so it sees the answer fall, once."""
    zero_, one = constant(0, 1), constant(1, 1)
    back = ~request & answer.choose(equal(answered, one), agrees([*answered, answer], zero_))
    known = all_of([(s.resets & s.reset_seen[2]).implies(answered[2]), s.set_back.implies(answered[1])])
    return (one_after_the_other(request, answer, asked, answered) | s.set_back & back) & (request & answer).implies(known)


def comes_to_rest(s: BridgeState, sign: Bits, asked: Sequence[Bits]) -> Bits:
    """At the end of a reset, the core's side has seen that the sign of the host is zero before it knows that the host runs."""
    told = [(s.answers, [sign]), (s.answered[2], [asked[2]]), (s.answered[1], [asked[2]]), (s.answered[0], asked[1:])]
    return all_of((s.told & ~one).implies(zero(*those)) for one, those in told)


def has_rested(s: BridgeState, answer: Bits, answered: Sequence[Bits]) -> Bits:
    """In a reset, the core's side has stood still since before the host was asked no more, and the host has seen it."""
    rests = (s.at(Phase.SWEEP) & s.resets & (s.core_address.some() | s.swept)) | s.told
    seen = all_of((s.told & ~one).implies(seen.equals(answer)) for one, seen in zip(s.asked, answered))
    return rests.implies(answered[2].equals(answer)) & seen


COMMON: tuple[Callable[[Any], Bits], ...] = (both_shake_hands, phases_say_what_is_asked, a_reset_is_known)
"""What is proved of each bus."""


# -- rules of all buses --------------------------------------------------------------------------------------------------------------


def still_for_the_core(s: BridgeState, t: BridgeState) -> Bits:
    """No register of the core takes a bit of the host that changes, but for first registers of synchronisers."""
    return s.state.takes_no_change("aclk")


def still_for_the_host(s: BridgeState, t: BridgeState) -> Bits:
    """No register of the host's side takes a bit of the core that changes, but for first registers of synchronisers."""
    return s.state.takes_no_change(CLOCK)


def unproved_bridge(
    kind: type[BridgeState], verilog: str, invariants: Sequence[Callable[[Any], Bits]], rules: Sequence[Callable[[Any, Any], Bits]],
    assumed: Callable[[Any], Bits], only: Collection[str] = (),
) -> list[str]:  # fmt: skip
    """Invariants and rules of crossings that do not hold.  ``assumed`` is what is assumed of the registers in each step."""
    machine = clocked_machine(verilog)
    start, s = kind.start(machine), kind.any(machine)
    t = s.next()
    return unproved_by_induction(invariants, rules, start, [assumed(start)], s, t, [assumed(s), assumed(t)], only)
