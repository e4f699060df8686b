# SPDX-License-Identifier: Apache-2.0
"""Flags of the core in the clock of a host: what is shown is what all of them were in one cycle of the core, and the last value is shown.

::

    core   flags ─▶ sent, and another turn ──▶ shown, and the answer   host
           the next one may be sent ◀────────────────┘

``value`` is any value, and ``seen`` says whether the flags had it in a cycle of the core.  An erasure sets both sides back, at any time.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from tests.formal.bits import Bits, all_of, concat, constant, fresh
from tests.formal.bridge_rules import COMMON, TOP, BridgeState, clocked_machine
from tests.formal.induction import unproved_by_induction
from tests.formal.signs import Part, agrees, equal, goes_on, same, zero

from modeloom.rtl.clocks import CrossingParameters, Crossings, StreamCrossing
from modeloom.rtl.clocks.bridge import Phase
from modeloom_verilog.modules import component_rtlil, inner_verilog

__all__ = ["INVARIANTS", "MIRROR", "RULES", "MirrorState", "mirror_verilog", "unproved_mirror"]

MIRROR = "key_flags"
FLAGS = (("key_loaded", 2), ("key_busy", 1), ("key_error", 1))
COUNT = 6
"""Bits of the count of beats that goes with them."""

WIDTH = COUNT + sum(bits for _, bits in FLAGS)
ALWAYS = constant(1, 1)


@lru_cache
def mirror_verilog() -> str:
    """The crossings of keys in a clock of their own as they are emitted."""
    keys = StreamCrossing("s_axis_key", (("tdata", 8), ("tlast", 1)), True, "clk_host")
    return inner_verilog(component_rtlil(Crossings(CrossingParameters(streams=(keys,), key_flags=FLAGS)), TOP), TOP)


class MirrorState(BridgeState):
    """The crossings of keys, and what the flags have been."""

    WIDTHS = {"seen": 1, "value": WIDTH}

    def __init__(self, state, values):
        super().__init__(state, values)
        self.turn, self.answer = self[f"{MIRROR}.turn_reg"], self[f"{MIRROR}.answer_reg"]
        self.to_host = self.chain(f"{MIRROR}.to_host", f"{MIRROR}.turn_reg")
        self.to_core = self.chain(f"{MIRROR}.to_core", f"{MIRROR}.answer_reg")
        self.sent, self.shown = self[f"{MIRROR}.sent_reg"], self[f"{MIRROR}.o"]
        self.flags = concat([*(self[f"core_{name}"] for name, _ in FLAGS), self["keys_came_reg"]])

    @classmethod
    def start(cls, machine):
        """The state at power-on, with any value."""
        return cls(machine.powered("start"), {"seen": constant(0, 1), "value": fresh("value", WIDTH)})

    def after(self) -> dict[str, Bits]:
        return {"seen": self["seen"] | self.core & self.flags.equals(self["value"]), "value": self["value"]}

    @property
    def begun(self) -> Bits:
        """The host's side has been set back."""
        return self.asked[0] & (self.host_address.some() | self.answers)

    @property
    def idle(self) -> Bits:
        """There is no erasure, and none begins."""
        return self.at(Phase.IDLE) & zero(*self.asked) & ~self.reset & ~self["zeroize"] & ~self["core_zeroizing"]


def _crosses(s: MirrorState) -> Bits:
    """Turn and answer follow each other."""
    there = agrees([*s.to_host, s.turn], s.turn) & equal(s.to_core, s.answer)
    back = equal(s.to_host, s.turn) & agrees([*s.to_core, s.answer], s.answer) & s.shown.equals(s.sent)
    return s.turn.differs(s.answer).choose(there, back)


# -- invariants ----------------------------------------------------------------------------------------------------------------------


def values_cross(s: MirrorState) -> Bits:
    """While the host is not set back, turn and answer follow each other, and the host shows what was sent when it has answered."""
    runs = ~s.asked[0] | s.at(Phase.REQUEST) & ~s.begun
    return runs.implies(_crosses(s))


def the_host_is_set_back(s: MirrorState) -> Bits:
    """In an erasure it shows zeros, and the core has seen its answer fall before it sweeps."""
    request = s.at(Phase.REQUEST)
    late = s.asked[0] & (s.host_address > 1) | s.answers
    told = [(late & request, s.to_core[2:]), (request & s.answered[2], s.to_core[2:]), (request & s.answered[1], s.to_core[1:])]
    told += [(request & s.answered[0], s.to_core), (s.at(Phase.SWEEP), s.to_core), (s.at(Phase.DROP) & s.asked[0], s.to_core)]
    early = (~s.asked[0] & ~s.answers).implies(zero(s.host_address))
    held = s.begun & ~s.at(Phase.DROP) | s.at(Phase.SWEEP) | s.at(Phase.DROP) & s.asked[0]
    return early & held.implies(zero(s.answer, s.shown)) & all_of(when.implies(zero(*what)) for when, what in told)


def the_core_is_set_back(s: MirrorState) -> Bits:
    """In its sweep.  In the last phase it may send again.  The host sees none of the turns of before when it runs."""
    sweep, drop = s.at(Phase.SWEEP), s.at(Phase.DROP) & s.asked[0]
    begun, later = s.core_address.some() | s.swept, (s.core_address > 1) | s.swept
    rest = all_of((~asked).implies(~mine) for asked, mine in zip(s.asked, s.to_host))
    meta = (~s.asked[1]).implies(s.to_host[1].implies(s.to_host[2]))
    return all_of([
        (sweep & begun).implies(zero(s.turn, s.sent)), (sweep & later).implies(zero(s.to_host[2])),
        (drop & ~s.turn).implies(zero(s.sent, s.to_host[2]) & rest), (drop & s.turn).implies(meta),
    ])  # fmt: skip


def what_is_sent_stands_still(s: MirrorState) -> Bits:
    """From the step after its turn on, until it is answered."""
    sent = s.turn.differs(s.answer) & s.to_host[2].equals(s.turn)
    return ((~s.asked[0] | s.at(Phase.DROP)) & sent).implies(same(s.state, f"{MIRROR}.sent_reg"))


def values_were_there(s: MirrorState) -> Bits:
    """A value that is sent or shown is one that all flags had in one cycle of the core, or zero."""
    there = s["seen"] | s["value"].equals(0)
    return all_of(one.equals(s["value"]).implies(there) for one in (s.sent, s.shown))


INVARIANTS = (*COMMON, values_cross, the_host_is_set_back, the_core_is_set_back, what_is_sent_stands_still, values_were_there)


# -- rules ---------------------------------------------------------------------------------------------------------------------------


def still_for_both(s: MirrorState, t: MirrorState) -> Bits:
    """No register here takes a bit of the other clock that may change, but for first registers of synchronisers."""
    core, host = ([f"{MIRROR}.{name}" for name in names] for names in (("turn_reg", "sent_reg"), ("answer_reg", "o")))
    return s.state.takes_no_change("aclk", core) & s.state.takes_no_change("clk_host", host)


def what_is_shown_was_there(s: MirrorState, t: MirrorState) -> Bits:
    """The host sees only values that all flags had in one cycle of the core, and zeros after an erasure."""
    return t.shown.equals(s["value"]).implies(t["seen"] | s["value"].equals(0))


def an_erasure_leaves_nothing(s: MirrorState, t: MirrorState) -> Bits:
    """When the core sweeps no more, both sides are zero."""
    return (s.at(Phase.SWEEP) & t.at(Phase.DROP)).implies(zero(t.sent, t.shown))


def parts(s: MirrorState) -> list[Part]:
    """What stands between flags that stay and a host that shows them, first things first."""
    other = s.sent.differs(s.flags)
    there, back = [one.differs(s.turn) for one in s.to_host], [one.differs(s.answer) for one in s.to_core]
    answers = s.answer.differs(s.turn)
    return [
        (other & there[2], ALWAYS), (other & there[1], s.host), (other & there[0], s.host), (other & answers, s.host),
        (other & back[2], ALWAYS), (other & back[1], s.core), (other & back[0], s.core), (other, s.core), (there[2], ALWAYS),
        (there[1], s.host), (there[0], s.host), (answers, s.host),
    ]  # fmt: skip


def the_last_value_is_shown(s: MirrorState, t: MirrorState) -> Bits:
    """Flags that stay are shown after at most six rises of the host and three of the core, without an erasure."""
    waits = s.shown.differs(s.flags) & s.idle & t.idle & t.flags.equals(s.flags)
    return waits.implies(goes_on(parts(s), parts(t)))


RULES = (still_for_both, what_is_shown_was_there, an_erasure_leaves_nothing, the_last_value_is_shown)


def unproved_mirror(verilog: str, only: Collection[str] = ()) -> list[str]:
    """Invariants and rules that do not hold."""
    machine = clocked_machine(verilog)
    start, s = MirrorState.start(machine), MirrorState.any(machine)
    return unproved_by_induction(INVARIANTS, RULES, start, [], s, s.next(), [], only)
