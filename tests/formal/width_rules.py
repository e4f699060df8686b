# SPDX-License-Identifier: Apache-2.0
"""The rules of the converters of ``--data-width``: those of AXI4-Stream, and that no byte is lost, doubled or mixed.

::

    s_axis ──▶ [second] [first] ──▶ [rule] ──▶ seen beat ──▶ [beat] [kept] ──▶ core_s_axis
               └── beats in order, unchanged ──┘             └── bytes in order, unchanged ──┘

What waits is read from the registers, and the proof shows that it changes as a queue of bytes would.  So the n-th byte that comes is the
n-th that leaves, in runs of any length.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from tests.formal.bits import WIDE, Bits, all_of, any_of, constant, total
from tests.formal.follow import select
from tests.formal.induction import unproved_by_induction
from tests.formal.machine import Machine
from tests.formal.width_gather_rules import GATHER_INVARIANTS, GATHER_RULES, Gathered
from tests.formal.width_split_rules import DIRECT_INVARIANTS, DIRECT_RULES, SPLIT_INVARIANTS, SPLIT_RULES, Parted, PartedDirectly
from tests.formal.width_state import Converters, front, masked, surroundings, what_the_core_offers_stays, words_are_erased

from modeloom.rtl.width import WidthParameters

__all__ = ["DIRECTIONS", "Direction", "direction", "unproved"]


# -- beats in front of the part that converts ------------------------------------------------------------------------------------


def waiting(s: Converters) -> list[tuple[Bits, Bits]]:
    """The beats from the host that have not been seen, the oldest first: whether there is one, and its payload."""
    at, zero, one = s["entry.from_reg"], s["entry.payload0_reg"], s["entry.payload1_reg"]
    places = [(s["entry.valid_reg"], at.choose(one, zero)), (s["entry.full_reg"], at.choose(zero, one))]
    return [(s["rule.valid_reg"], s["rule.beat_reg"]), *places] if s.p.parts else places


def _nth(places: Sequence[tuple[Bits, Bits]], n: Bits) -> Bits:
    """The payload that so many others precede."""
    cases, before = [], constant(0, WIDE)
    for held, payload in places:
        cases.append((held & before.equals(n), payload))
        before = before + held.wide
    return select(cases, constant(0, places[0][1].width))


def slice_fills_in_order(s: Converters) -> Bits:
    """Invariant: the second place holds a beat only if the first does."""
    return s["entry.full_reg"].implies(s["entry.valid_reg"])


def beats_are_seen_in_order(s: Converters, t: Converters) -> Bits:
    """Each beat of ``s_axis`` is seen once, unchanged, and in order; those of channels that the core does not have are dropped."""
    came, seen = s.port("s_axis"), s.seen
    own = came["channel"] < s.p.channels if 1 < s.p.channels < 256 else constant(1, 1)
    comes = came.moves & own
    put, get = comes.wide, seen.moves.wide
    here, then = waiting(s), waiting(t)
    count, after = (total(held for held, _ in places) for places in (here, then))
    rules = [(after + get).equals(count + put), seen.valid.implies(here[0][0] & seen.payload[: here[0][1].width].equals(here[0][1]))]
    for n in range(len(here)):
        at = constant(n, WIDE) + get
        rules += [(at < count).implies(_nth(then, constant(n, WIDE)).equals(_nth(here, at)))]
        rules += [(comes & at.equals(count)).implies(_nth(then, constant(n, WIDE)).equals(came.payload))]
    return s.quiet.implies(all_of(rules))


def begun_is_counted(s: Converters) -> Bits:
    """Invariant: the register says whether a beat of the packet has been seen."""
    return constant(1, 1) if s.p.parts else s["rule.begun_reg"].equals(s["begun"])


def wrong_beats_are_seen(s: Converters, t: Converters) -> Bits:
    """A beat is wrong if its bytes do not stand in front, if it is not whole and does not end its packet, or is empty behind another."""
    if s.p.parts:
        return constant(1, 1)
    seen, size = s.seen, s.p.host_bytes
    forms = [seen["keep"].equals((1 << count) - 1) for count in range(size + 1)]
    right = any_of(forms) & (forms[-1] | seen["last"]) & ~(forms[0] & s["begun"])
    return seen.valid.implies(seen["bad"].equals(~right))


def right_beats_stand_in_front(s: Converters, t: Converters) -> Bits:
    """A beat that is not wrong has its bytes in front, and is whole unless it ends the packet or the associated data."""
    seen = s.seen
    keep, whole = seen["keep"], seen["keep"].equals((1 << s.p.host_bytes) - 1)
    return seen.valid.implies(seen["bad"] | front(keep) & (whole | seen["ends"])) & seen["last"].implies(seen["ends"])


# -- AXI4-Stream ---------------------------------------------------------------------------------------------------------------------


def offers_stay(s: Converters, t: Converters) -> Bits:
    """AXI4-Stream: a beat that is offered stays as it is until it is taken."""
    here, then = (one.port("core_s_axis" if s.inward else "m_axis") for one in (s, t))
    return (s.quiet & here.valid & ~here.ready).implies(then.valid & then.same(here))


def commands_stay(s: Converters, t: Converters) -> Bits:
    """A command that the host offers, and that has been offered to the core, stays; and both take it in the same cycle."""
    if not s.p.parts:
        return constant(1, 1)
    valid, ready, to_core, of_core = "s_axis_cmd_tvalid", "s_axis_cmd_tready", "core_s_axis_cmd_tvalid", "core_s_axis_cmd_tready"
    stays = (s.quiet & s[to_core] & ~s[of_core] & t[valid] & t.quiet).implies(t[to_core])
    return stays & (s[valid] & s[ready]).equals(s[to_core] & s[of_core])


def commands_have_packets(s: Converters, t: Converters) -> Bits:
    """Each command has a packet that the rule waits for, but for one of a channel that the core does not have."""
    if not s.p.parts or s.p.channels == 1:
        return constant(1, 1)
    own = s["channel"] < s.p.channels if s.p.channels < 256 else constant(1, 1)
    return s["rule_put"].equals(s["s_axis_cmd_tvalid"] & s["s_axis_cmd_tready"] & own)


def bytes_outside_are_zero(s: Converters, t: Converters) -> Bits:
    """Bytes of ``m_axis`` outside ``tkeep`` are zero, and so is all of it while it is not valid."""
    out = s.port("m_axis")
    # The channel of the proof is any, so it may be that of the beat.
    known = out.valid & out.of(s.channel) & s.quiet
    return known.implies(masked(out["data"], out["keep"]).equals(out["data"])) & (~out.valid).implies(
        out["data"].equals(0) & out["keep"].equals(0) & ~out["last"] & ~out["cut"]
    )


# -- both directions -----------------------------------------------------------------------------------------------------------------


class GatheredIn(Gathered):
    """Data of the host, whose beats are narrower."""

    inward = True


class GatheredOut(Gathered):
    """Data of a core, whose beats are narrower."""

    inward = False


@dataclass(frozen=True)
class Direction:
    """What is proved of a direction."""

    state: Any
    invariants: Sequence[Any]
    rules: Sequence[Any]


HOST_INVARIANTS = (slice_fills_in_order, begun_is_counted)
HOST_RULES = (beats_are_seen_in_order, wrong_beats_are_seen, right_beats_stand_in_front, offers_stay, commands_stay, commands_have_packets)
CORE_RULES = (offers_stay, bytes_outside_are_zero)
DIRECTIONS = {
    ("in", "gather"): Direction(GatheredIn, (*HOST_INVARIANTS, words_are_erased, *GATHER_INVARIANTS), (*HOST_RULES, *GATHER_RULES)),
    ("in", "split"): Direction(Parted, (*HOST_INVARIANTS, *SPLIT_INVARIANTS), (*HOST_RULES, *SPLIT_RULES)),
    ("out", "gather"): Direction(GatheredOut, (words_are_erased, *GATHER_INVARIANTS), (*CORE_RULES, *GATHER_RULES)),
    ("out", "split"): Direction(PartedDirectly, DIRECT_INVARIANTS, (*CORE_RULES, *DIRECT_RULES)),
}
"""The direction, and the part that converts."""


def direction(p: WidthParameters, way: str) -> Direction:
    """What is proved of the data "in" or "out"."""
    return DIRECTIONS[way, "split" if (p.host_bytes > p.core_bytes) == (way == "in") else "gather"]


def unproved(machine: Machine, p: WidthParameters, way: str, only: Collection[str] = ()) -> list[str]:
    """The invariants and rules of a direction that are not proved."""
    proof = direction(p, way)
    before = machine.free("any")
    s = proof.state.any(machine, p, "s")
    t = s.next()
    assumed = [surroundings(s), surroundings(t), what_the_core_offers_stays(s, t)]
    after_reset = proof.state.nothing(before.next(), p)
    return unproved_by_induction(
        proof.invariants, proof.rules, after_reset, [~before["aresetn"], surroundings(after_reset)], s, t, assumed, only
    )
