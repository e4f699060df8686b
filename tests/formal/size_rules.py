# SPDX-License-Identifier: Apache-2.0
"""Keys of several sizes: the end of a packet tells the size, round keys are written with their size, and an erasure reaches all of
them.

::

    RECEIVE: a beat with tlast      tkeep and number of the beat are the end of a size ──▶ START, with this size until the slot is
    loaded
                                    they are not ──▶ OVERWRITE, with the longest size
    ERASE:                          zeros, round 0, 1, ... to the last of the longest size, one a cycle

So after an erasure and a key of any size, all that is in the slot is zero or a round key of this key.
"""

from __future__ import annotations

from tests.formal.bits import Bits, all_of, any_of, constant
from tests.formal.key_rules import ERASE, EXPAND, FENCE, LOADED, OVERWRITE, RECEIVE, SCRUB, SETTLE, SETUP, START, in_state
from tests.formal.stream_rules import BusState

from modeloom.rtl.bus.parameters import key_beats, packet_ends

__all__ = ["SIZE_INVARIANTS", "SIZE_RULES"]

LENGTH, WRITTEN = "key_port.schedule_length", "key_port.preparation_round_key_length"
"""The names of the size that is worked on, and of the size of the round key that is written."""

HELD = ("word_0_reg", "word_1_reg", "word_2_reg", "last_word_reg", *(f"mixed_{n}_reg" for n in range(4)))
"""Registers of the key schedule that its outputs show."""


def _several(s: BusState) -> bool:
    return bool(s.p.keys.more_key_bits)


def _longest(s: BusState, name: str) -> Bits:
    return s[name].wide.equals(s.p.keys.longest)


def length_is_a_size(s: BusState) -> Bits:
    """The size is the longest wherever an erasure runs or may follow.  The zeros of the erasure are written with this size, too.

    A packet has no more beats than the longest packet.
    """
    if not _several(s):
        return constant(1, 1)
    return all_of([
        s[LENGTH].wide < len(s.p.keys.sizes),
        s[WRITTEN].wide < len(s.p.keys.sizes),
        in_state(s, FENCE, OVERWRITE, ERASE, RECEIVE, SCRUB).implies(_longest(s, LENGTH)),
        in_state(s, ERASE).implies(_longest(s, WRITTEN)),
        (in_state(s, FENCE, OVERWRITE, ERASE) & ~s["key_port.refused_reg"]).implies(s["key_port.beat_reg"].equals(0)),
        in_state(s, RECEIVE).implies(s["key_port.beat_reg"].wide < key_beats(s.p.keys)),
    ])  # fmt: skip


def schedule_rests_empty(s: BusState) -> Bits:
    """A key schedule that does not expand holds zeros, and will begin with round 0.  While it erases, it writes in each cycle."""
    if not _several(s):
        return constant(1, 1)
    part = "key_schedule"
    expanding, erasing, done = (s[f"{part}.{name}"] for name in ("expanding_reg", "erasing_reg", "done"))
    number, last = s[f"{part}.round"].wide, s.p.keys.round_keys - 1
    return all_of([
        *((~expanding).implies(s[f"{part}.{name}"].equals(0)) for name in HELD),
        (~expanding & ~erasing).implies(number.equals(0) & ~done & s[f"{part}.phase_reg"].equals(0)),
        erasing.implies(s[f"{part}.phase_reg"].equals(1) & (number <= last) & done.equals(number.equals(last))),
    ])  # fmt: skip


SIZE_INVARIANTS = (length_is_a_size, schedule_rests_empty)
"""These invariants hold together with those of keys and streams.  They are true for buses with one size."""


def packet_tells_the_size(s: BusState, t: BusState) -> Bits:
    """A packet is expanded with the size whose end it has.  Any other end is an error, and the slot is overwritten."""
    keys = s.p.keys
    taken, last = in_state(s, RECEIVE) & s["key_valid"], s["key_payload"][144]
    beat, keep = s["key_port.beat_reg"].wide, s["key_payload"][128:144]
    ends = [beat.equals(end.beat) & keep.equals(end.keep) for end in packet_ends(keys)]
    goes_on = (beat < key_beats(keys) - 1) & keep.equals(0xFFFF)
    starts = in_state(t, START)
    known = [(taken & last & end).implies(starts & t[LENGTH].wide.equals(n)) for n, end in enumerate(ends)]
    fits = any_of([last & any_of(ends), ~last & goes_on])
    refused = in_state(t, OVERWRITE) & t["key_port.state_error"] & t["key_port.refused_reg"] & _longest(t, LENGTH)
    return all_of([
        *known,
        (taken & ~fits).implies(refused),
        (taken & ~last & goes_on).implies(in_state(t, RECEIVE)),
        (in_state(s, RECEIVE) & ~s["key_valid"]).implies(in_state(t, RECEIVE)),
    ])  # fmt: skip


def size_is_kept(s: BusState, t: BusState) -> Bits:
    """The size does not change from the start of an expansion to its end, and each round key is written with it."""
    expanding = in_state(s, START, EXPAND, SETTLE, SETUP)
    goes_on = in_state(t, EXPAND, SETTLE, SETUP, LOADED)
    return all_of([
        (expanding & goes_on).implies(t[LENGTH].equals(s[LENGTH])),
        (in_state(s, EXPAND) & s["key_schedule.we"]).implies(t["key_port.preparation_round_key_we"] & t[WRITTEN].equals(s[LENGTH])),
    ])  # fmt: skip


def erasure_reaches_all_round_keys(s: BusState, t: BusState) -> Bits:
    """Before the port goes on, zeros are written to rounds 0, 1, ... up to the last round of the longest size, one in each
    cycle."""
    erasing, number, last = s["key_schedule.erasing_reg"], s["key_schedule.round"].wide, s.p.keys.round_keys - 1
    after, following = t["key_schedule.erasing_reg"], t["key_schedule.round"].wide
    written = all_of([
        t["key_port.preparation_round_key_we"],
        t["key_port.preparation_round_key_round"].wide.equals(number),
        t["key_port.preparation_round_key_data"].equals(0),
        t["key_port.preparation_round_key_data_dec"].equals(0),
        _longest(t, WRITTEN),
    ])  # fmt: skip
    leaves = in_state(s, ERASE) & ~in_state(t, ERASE)
    return all_of([
        (~erasing & after).implies(in_state(s, OVERWRITE) & following.equals(0)),
        (erasing & ~number.equals(last)).implies(after & following.equals(number + constant(1, number.width))),
        (erasing & number.equals(last)).implies(~after),
        erasing.implies(written),
        in_state(s, OVERWRITE).implies(in_state(t, ERASE) & after),
        leaves.implies(~erasing & ~s["key_port.rounds_left_reg"]),
        in_state(t, RECEIVE).implies(in_state(s, RECEIVE, ERASE)),
    ])  # fmt: skip


SIZE_RULES = (packet_tells_the_size, size_is_kept, erasure_reaches_all_round_keys)
"""These rules are for keys of several sizes."""
