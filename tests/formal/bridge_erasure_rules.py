# SPDX-License-Identifier: Apache-2.0
"""An erasure of a bridge of registers: no data of a write that began before it are left on either side when it is over.

::

    host   held: data that are not sent become zeros              data that were sent become zeros with the response
    core   REQUEST ─────▶ SWEEP: what was sent is passed on, as zeros ─────▶ DROP ─────▶ IDLE

``old`` says that the data were given before the host was held, and ``age`` counts the cycles of the core in which the registers have an
access.  It is assumed that they respond to it within ``LIMIT`` cycles.  Those of a core need three (``axi_lite_rules``, ``apb_rules``).
"""

from __future__ import annotations

from typing import Any

from tests.formal.bits import Bits, all_of, constant
from tests.formal.bridge_rules import BridgeState
from tests.formal.signs import zero

from modeloom.rtl.clocks.bridge import Phase

__all__ = ["ERASURE_INVARIANTS", "ERASURE_RULES", "ERASURE_WIDTHS", "erasure_after", "prompt"]

LIMIT = 8

ERASURE_WIDTHS = {"old": 1, "age": 4}
"""Variables for these rules."""


def erasure_after(s: BridgeState) -> dict[str, Bits]:
    """They after a step."""
    age, full = s["age"], constant(15, 4)
    older = s.busy.choose(age.equals(full).choose(full, age + 1), constant(0, 4))
    way = s.crossing
    return {"age": s.core.choose(older, age), "old": ~way.given & (s["old"] | s.host & s.asked[0] & way.there)}


def prompt(s: BridgeState) -> Bits:
    """The registers respond within ``LIMIT`` cycles."""
    return s.busy.implies(s["age"] <= LIMIT)


def _swept_to(s: BridgeState) -> Bits:
    """The cycles of the sweep so far."""
    return s.swept.choose(constant(16, 16), s.core_address.wide)


def a_held_host_sends_nothing(s: BridgeState) -> Bits:
    """Invariant: so the core has seen what was sent before it sweeps."""
    way = s.crossing
    held = (s.asked[0] & (s.host_address.some() | s.answers) & way.sent).implies(way.seen[2])
    early = (~s.asked[0] & ~s.answers).implies(zero(s.host_address))
    seen = all_of((answered & way.sent).implies(mine) for answered, mine in zip(s.answered, way.seen))
    sweeps = (~s.resets & s.at(Phase.SWEEP) & way.sent).implies(all_of(way.seen))
    return (~s.resets & s.at(Phase.REQUEST)).implies(held & seen) & sweeps & early


def the_sweep_waits_for_the_registers(s: BridgeState) -> Bits:
    """Invariant: what was sent goes to them in the first cycle of the sweep, and they have responded long before the last one."""
    way, cycles = s.crossing, _swept_to(s)
    sweep = s.at(Phase.SWEEP) & ~s.resets & way.sent
    begun = (sweep & ~way.answered & cycles.some()).implies(s.busy & (cycles <= s["age"].wide + 1) & ~s.swept)
    return begun & (sweep & (cycles > LIMIT + 2)).implies(way.back[2])


def responses_come_before_the_end(s: BridgeState) -> Bits:
    """Invariant: a host that is no longer held sees the response to a write of before."""
    way = s.crossing
    drop = s.at(Phase.DROP) & ~s.resets & way.sent & (s["old"] & ~zero(*s.kept) | s.asked[0])
    seen = all_of((~asked).implies(mine) for asked, mine in zip(s.asked, way.back))
    return drop.implies(way.answered & way.back[2] & seen)


def data_of_before_are_zeros(s: BridgeState) -> Bits:
    """Invariant: what was not sent is zero, nothing of it is sent later, and nothing waits for the registers after the sweep."""
    over = ~s.resets & s.at(Phase.DROP, Phase.IDLE)
    return all_of([
        (s["old"] & ~s.crossing.sent).implies(zero(*s.kept)), (over & ~s.answers & s["old"]).implies(zero(*s.kept)),
        (s.at(Phase.SWEEP) & _swept_to(s).some()).implies(zero(*s.passed)), (over & s["old"]).implies(zero(*s.passed)),
    ])  # fmt: skip


ERASURE_INVARIANTS: tuple[Any, ...] = (
    a_held_host_sends_nothing, the_sweep_waits_for_the_registers, responses_come_before_the_end, data_of_before_are_zeros,
)  # fmt: skip


def nothing_of_before_is_left(s: BridgeState, t: BridgeState) -> Bits:
    """When ``zeroizing`` falls, no register between the clocks has data of a write of before.  After a reset none has any data."""
    ends = s.at(Phase.DROP) & t.at(Phase.IDLE)
    return ends.implies((t["old"] | s.resets).implies(zero(*t.kept, *t.passed)))


ERASURE_RULES: tuple[Any, ...] = (nothing_of_before_is_left,)
