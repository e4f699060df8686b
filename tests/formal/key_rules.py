# SPDX-License-Identifier: Apache-2.0
"""Keys of a slot are written only while none of its sectors is in flight.

The key port waits for this in its state FENCE, step by step::

    cycle of the fence   0              1           2              3             4                     then
                         loaded falls   key_ok_reg  go_reg falls   last one is   busy has all of them  wait for busy
                                        may rise    (and admits)   marked        of the slot           to fall

From each cycle on, one stage between the flag of a slot and its sectors in flight can no longer hold a new one.
"""

from __future__ import annotations

from tests.formal.bits import Bits, all_of, any_of, constant
from tests.formal.stream_rules import BusState

from modeloom.cycles import FENCE_CYCLES
from modeloom.rtl.bus.parameters import key_parts

__all__ = ["KEY_INVARIANTS", "KEY_RULES", "VERDICT_RULES", "in_state"]

IDLE, DISCARD, FENCE, OVERWRITE, ERASE, RECEIVE, SCRUB, START, EXPAND, SETTLE, SETUP, LOADED = range(12)
"""States of the key port by their numbers, in the order in which its source names them."""


def in_state(s: BusState, *numbers: int) -> Bits:
    """The key port is in one of these states."""
    return any_of(s["key_port.fsm_state"].equals(number) for number in numbers)


def _closed(s: BusState, cycles: int) -> Bits:
    """The slot has been closed for this number of cycles, or its old key is being overwritten, or the new one is being taken."""
    return in_state(s, OVERWRITE, ERASE, RECEIVE, SCRUB, START, EXPAND, SETTLE, SETUP, LOADED) | (
        in_state(s, FENCE) & (s["key_port.fence_reg"].wide >= cycles)
    )


def _of_slot(s: BusState, name: str) -> Bits:
    """Whether a register of the buses names the slot that the key port works on."""
    return s[name].wide.equals(s["key_port.in_use_slot"].wide)


def _marked(s: BusState) -> Bits:
    """A sector of the slot is marked as in flight."""
    return any_of(s[f"flight.busy{n}_reg"] & _of_slot(s, f"flight.slot{n}_reg") for n in range(s.p.buffers.ring_sectors))


def states_are_known(s: BusState) -> Bits:
    """The key port is in one of its states, and works on a slot that exists and one of its cipher keys."""
    works = ~in_state(s, IDLE, DISCARD)
    return all_of([
        s["key_port.fsm_state"].wide <= LOADED,
        s["key_port.fence_reg"].wide < FENCE_CYCLES,
        works.implies(s["key_port.in_use_slot"].wide < s.p.key_slots),
        s["key_port.number_reg"].wide < s.p.keys.all_cipher_keys if s.p.keys.all_cipher_keys > 1 else constant(1, 1),
    ])  # fmt: skip


def slot_is_closed(s: BusState) -> Bits:
    """From cycle 1 on the slot is empty."""
    loaded = s["key_port.state_loaded"]
    mine = any_of(loaded[n] & s["key_port.in_use_slot"].wide.equals(n) for n in range(s.p.key_slots))
    return _closed(s, 1).implies(~mine)


def command_is_refused(s: BusState) -> Bits:
    """From cycle 2 on no command for the slot is found good."""
    return _closed(s, 2).implies(~(s["command.key_ok_reg"] & _of_slot(s, "command.command_slot")))


def good_commands_name_a_slot(s: BusState) -> Bits:
    """A command that is found good has a slot that exists."""
    good = s["command.key_ok_reg"] | s["entry.go_reg"]
    return good.implies(s["command.command_slot"].wide < s.p.key_slots)


def nothing_enters(s: BusState) -> Bits:
    """From cycle 3 on no sector of the slot is admitted."""
    return _closed(s, 3).implies(~(s["entry.go_reg"] & _of_slot(s, "command.command_slot")))


def all_are_seen(s: BusState) -> Bits:
    """In cycle 4, in which the key port looks, all sectors of the slot in flight are marked.  After the fence there are none."""
    looks = in_state(s, FENCE) & s["key_port.fence_reg"].wide.equals(FENCE_CYCLES - 1)
    after = _closed(s, FENCE_CYCLES)
    return looks.implies(_marked(s).implies(s["flight.in_use_busy"])) & after.implies(~_marked(s))


def schedule_is_in_step(s: BusState) -> Bits:
    """The key schedule works only while the key port waits for it.  Its last write arrives before the port goes on.

    If there are several key schedules, only the one for the length of the present cipher key works.
    """
    lengths = s.p.keys.lengths
    # Keys of several sizes have one key schedule.
    several = len(lengths) > 1 and not s.p.keys.more_key_bits
    rules = []
    for bits in lengths:
        part = f"key_schedule.length_{bits}" if several else "key_schedule"
        expanding, erasing = s[f"{part}.expanding_reg"], s[f"{part}.erasing_reg"]
        chosen = any_of(s["key_port.number_reg"].wide.equals(n) for n in range(s.p.keys.all_cipher_keys) if s.p.keys.widths[n] == bits)
        rules += [
            expanding.implies(in_state(s, EXPAND)),
            erasing.implies(in_state(s, ERASE) & s["key_port.rounds_left_reg"]),
            ~(expanding & erasing),
            (expanding | erasing).implies(chosen) if several else constant(1, 1),
        ]
    return all_of([
        *rules,
        s["key_port.preparation_round_key_we"].implies(in_state(s, ERASE, EXPAND, SETTLE)),
        s["key_port.preparation_word_we"].implies(in_state(s, OVERWRITE, ERASE, RECEIVE, START)),
    ])  # fmt: skip


KEY_INVARIANTS = (
    states_are_known,
    slot_is_closed,
    command_is_refused,
    good_commands_name_a_slot,
    nothing_enters,
    all_are_seen,
    schedule_is_in_step,
)
"""Invariants of the key port.  They hold together with those of the streams."""


def keys_rest_in_flight(s: BusState, t: BusState) -> Bits:
    """Round keys and key words are written only while no sector of their slot is in flight, asks to enter, or is admitted.

    The same holds for a set-up.
    """
    writes = s["key_port.preparation_round_key_we"] | s["key_port.preparation_word_we"] | s["key_port.preparation_setup_request"]
    admitted = s["ring.place_admit"] & _of_slot(s, "command.command_slot")
    return writes.implies(~_marked(s) & ~admitted)


def sectors_are_marked(s: BusState, t: BusState) -> Bits:
    """A sector that is admitted is marked with its slot from the next cycle on.  The mark stays until ``done`` names its place."""
    rules = []
    for n in range(s.p.buffers.ring_sectors):
        admitted = s["ring.place_admit"] & s.ticket.equals(n)
        done = s["flight.done_valid"] & s["flight.done_ticket"].equals(n)
        busy, slot = f"flight.busy{n}_reg", f"flight.slot{n}_reg"
        same = t[slot].equals(s[slot])
        rules += [
            admitted.implies(t[busy] & t[slot].wide.equals(s["command.command_slot"].extend(s[slot].width).wide)),
            (s[busy] & ~admitted).implies(same & (done | t[busy])),
        ]
    return all_of(rules)


def verdict_has_its_reason(s: BusState, t: BusState) -> Bits:
    """A key is found unusable exactly when its second cipher key is equal to the first, or set-up writes 0 to a word that must not
    be 0.

    It stays unusable until the next packet.
    """
    reasons = []
    if s.p.keys.distinct_keys:
        second = next(part for part in key_parts(s.p.keys) if part.cipher == 1)
        arrives = in_state(s, RECEIVE) & s["key_valid"] & s["key_port.beat_reg"].wide.equals(second.end_beat)
        # The register holds the first key in this cycle, and the second one in the next.
        reasons.append(arrives & s["key_port.schedule_key"].equals(t["key_port.schedule_key"]))
    if s.p.keys.nonzero_words:
        index = s["engine_preparation_made_index"].wide
        named = any_of(index.equals(word) for word in s.p.keys.nonzero_words)
        reasons.append(in_state(s, SETUP) & s["engine_preparation_made_we"] & named & s["engine_preparation_made_data"].equals(0))
    new = in_state(s, IDLE)
    known = (~new).implies(t["key_port.unusable_reg"].equals(s["key_port.unusable_reg"] | any_of(reasons)))
    return known & new.implies(~t["key_port.unusable_reg"])


def verdict_is_due(s: BusState, t: BusState) -> Bits:
    """The core says that it decides on a key where it does, and nowhere else: the check of timing channels trusts this."""
    return s["key_port.judging"].equals(in_state(s, START, LOADED))


def verdict_is_kept(s: BusState, t: BusState) -> Bits:
    """A slot becomes loaded by a usable key only.  An unusable key is an error, and its slot is overwritten."""
    rises = (t["key_port.state_loaded"] & ~s["key_port.state_loaded"]).some()
    unusable = s["key_port.unusable_reg"]
    decides = in_state(s, START, LOADED) & unusable
    rests = s["key_port.state_error"] & ~t["key_port.state_error"]
    return all_of([
        rises.implies(in_state(s, LOADED) & ~unusable),
        decides.implies(in_state(t, OVERWRITE) & t["key_port.state_error"] & t["key_port.refused_reg"]),
        rests.implies(in_state(s, IDLE) & s["key_valid"]),
        (in_state(s, SCRUB) & ~in_state(t, SCRUB)).implies(in_state(t, IDLE, DISCARD)),
    ])  # fmt: skip


KEY_RULES = (keys_rest_in_flight, sectors_are_marked)
"""These rules hold in every cycle without reset."""

VERDICT_RULES = (verdict_has_its_reason, verdict_is_due, verdict_is_kept)
"""These rules are for modes that refuse some keys."""
