# SPDX-License-Identifier: Apache-2.0
"""An erasure of a queue between two clocks out of the core: the core writes, and the host reads.

::

    core   REQUEST: held ──▶ SWEEP: its place and all words are zero ──▶ DROP: held ──▶ IDLE
    host            └─ asked: its place is zero, nothing is offered ──────────┘ runs

What a side has seen of the place of the other one goes to zero with the handshake, because both pass equal synchronisers.
"""

from __future__ import annotations

from tests.formal.bits import Bits, all_of, concat
from tests.formal.clock_rules import INVARIANTS
from tests.formal.erasure_rules import DEPTH, PairState, both_shake_hands

from modeloom.rtl.clocks.bridge import Phase

__all__ = ["OUT_INVARIANTS", "OUT_RULES"]


def _zero(*values: Bits) -> Bits:
    return all_of(one.equals(0) for one in values)


def the_host_sets_back_its_place(s: PairState) -> Bits:
    """From its first cycle behind the request on; it offers nothing then, and the core knows this when it knows the answer."""
    begun = s.asked[0] & (s.host_address.some() | s.answers)
    own = _zero(s.r, s.r_code, s["o_valid"], s["o_payload"])
    request = s.at(Phase.REQUEST)
    # The address tells how many cycles the host has had, until it answers.
    told = [(s.asked[0] & (s.host_address > 1) | s.answers, s.to_write[2])]
    told += [(request & s.answered[1], s.to_write[1]), (request & s.answered[0], s.to_write[0])]
    early = (~s.asked[0] & ~s.answers).implies(s.host_address.equals(0))
    held = (s.at(Phase.SWEEP) | s.at(Phase.DROP)).implies(own & _zero(*s.to_write))
    return all_of([begun.implies(own), *(when.implies(_zero(what)) for when, what in told), early, held])


def the_core_sweeps_from_the_first_word(s: PairState) -> Bits:
    """All words before its address are zero, and its place is zero after a cycle; the host knows this before it runs."""
    sweep, drop = s.at(Phase.SWEEP), s.at(Phase.DROP)
    words = [(((s.core_address > at) | s.swept) & sweep | drop).implies(s.word(at).equals(0)) for at in range(DEPTH)]
    begun = (sweep & (s.core_address.some() | s.swept)) | drop
    later = (sweep & ((s.core_address > 1) | s.swept)) | drop
    seen = [drop.implies((~s.asked[1]).implies(_zero(s.to_read[1])) & (~s.asked[0]).implies(_zero(s.to_read[0])))]
    return all_of([*words, begun.implies(_zero(s.w, s.w_code, s.left)), later.implies(_zero(s.to_read[2])), *seen])


def the_queue_is_sound_while_the_host_reads(s: PairState) -> Bits:
    """All invariants of a queue hold until the host knows of the request, and again when it knows of its end."""
    runs = ~s.asked[0] | (s.at(Phase.REQUEST) & ~s.host_address.some() & ~s.answers)
    return runs.implies(all_of(one(s) for one in INVARIANTS))


OUT_INVARIANTS = (
    both_shake_hands, the_host_sets_back_its_place, the_core_sweeps_from_the_first_word, the_queue_is_sound_while_the_host_reads,
)  # fmt: skip


def nothing_is_left_for_the_host(s: PairState, t: PairState) -> Bits:
    """When the core begins to drop its request, all words are zero, and the queue is empty."""
    ends = s.at(Phase.SWEEP) & t.at(Phase.DROP)
    return ends.implies(_zero(t.w, t.r, *(t.word(at) for at in range(DEPTH)), t["o_valid"], t["o_payload"]))


def results_come_once_and_in_order(s: PairState, t: PairState) -> Bits:
    """While it is not held, the host takes the word after the last one that it took, and of none of before an erasure."""
    takes = s["o_valid"] & s["o_ready"] & s["r_rises"] & ~s["host_held"]
    taken = s.r - s["o_valid"].extend(s.bits)
    return takes.implies(s["o_payload"].equals(concat([taken, takes])))


def results_stay(s: PairState, t: PairState) -> Bits:
    """AXI4-Stream: what is offered to the host stays until it is taken, or until the host is held for an erasure."""
    waits = s["o_valid"] & ~(s["o_ready"] & s["r_rises"])
    withdrawn = s["host_held"] & s["r_rises"]
    return (waits & ~withdrawn).implies(t["o_valid"] & t["o_payload"].equals(s["o_payload"]))


def nothing_waits_for_ready(s: PairState, t: PairState) -> Bits:
    """A word that the host has seen to be there is offered after its next edge, whether it is ready or not."""
    there = s.to_read[0].differs(s.r_code) & ~s["o_valid"] & ~s["host_held"]
    return (there & s["r_rises"]).implies(t["o_valid"])


OUT_RULES = (nothing_is_left_for_the_host, results_come_once_and_in_order, results_stay, nothing_waits_for_ready)
