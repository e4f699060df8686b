# SPDX-License-Identifier: Apache-2.0
"""Keys of a slot are written only while none of its sectors is in flight: the fence of the key port, step by step.

::

    cycle of the fence   0              1           2              3             4                     then
                         loaded falls   key_ok_reg  go_reg falls   last one is   busy has all of them  wait for busy
                                        may rise    (and admits)   marked        of the slot           to fall

From each cycle on, one stage between the flag of a slot and its sectors in flight can no longer hold a new one.
"""

from __future__ import annotations

from tests.formal.bits import Bits, all_of, any_of
from tests.formal.stream_rules import BusState

from modeloom.rtl.bus.key_port import FENCE_CYCLES

__all__ = ["KEY_INVARIANTS", "KEY_RULES"]

IDLE, DISCARD, FENCE, OVERWRITE, ERASE, RECEIVE, SCRUB, START, EXPAND, SETTLE, SETUP, LOADED = range(12)
"""States of the key port by their numbers, in the order in which its source names them."""


def _state(s: BusState, *numbers: int) -> Bits:
    return any_of(s["key_port.fsm_state"].equals(number) for number in numbers)


def _closed(s: BusState, cycles: int) -> Bits:
    """The slot has been closed for that many cycles, or the old key is being overwritten or the new one taken."""
    return _state(s, OVERWRITE, ERASE, RECEIVE, SCRUB, START, EXPAND, SETTLE, SETUP) | (
        _state(s, FENCE) & (s["key_port.fence_reg"].wide >= cycles)
    )


def _of_slot(s: BusState, name: str) -> Bits:
    """Whether a register of the buses names the slot that the key port works on."""
    return s[name].wide.equals(s["key_port.query"].wide)


def _marked(s: BusState) -> Bits:
    """A sector of the slot is marked as in flight."""
    return any_of(s[f"flight.busy{n}_reg"] & _of_slot(s, f"flight.slot{n}_reg") for n in range(s.p.ring_sectors))


def states_are_known(s: BusState) -> Bits:
    """The key port is in one of its states, and works on a slot that exists."""
    works = ~_state(s, IDLE, DISCARD)
    return all_of([
        s["key_port.fsm_state"].wide <= LOADED,
        s["key_port.fence_reg"].wide < FENCE_CYCLES,
        works.implies(s["key_port.query"].wide < s.p.key_slots),
    ])  # fmt: skip


def slot_is_closed(s: BusState) -> Bits:
    """From cycle 1 on the slot is empty."""
    loaded = s["key_port.loaded"]
    mine = any_of(loaded[n] & s["key_port.query"].wide.equals(n) for n in range(s.p.key_slots))
    return _closed(s, 1).implies(~mine)


def command_is_refused(s: BusState) -> Bits:
    """From cycle 2 on no command for it is found good."""
    return _closed(s, 2).implies(~(s["command.key_ok_reg"] & _of_slot(s, "command.slot_reg")))


def good_commands_name_a_slot(s: BusState) -> Bits:
    """A command that is found good has a slot that exists."""
    good = s["command.key_ok_reg"] | s["entry.go_reg"]
    return good.implies(s["command.slot_reg"].wide < s.p.key_slots)


def nothing_enters(s: BusState) -> Bits:
    """From cycle 3 on none is admitted."""
    return _closed(s, 3).implies(~(s["entry.go_reg"] & _of_slot(s, "command.slot_reg")))


def all_are_seen(s: BusState) -> Bits:
    """In cycle 4, in which the key port looks, all of its sectors in flight are seen; after the fence there are none."""
    looks = _state(s, FENCE) & s["key_port.fence_reg"].wide.equals(FENCE_CYCLES - 1)
    after = _closed(s, FENCE_CYCLES)
    return looks.implies(_marked(s).implies(s["flight.busy"])) & after.implies(~_marked(s))


def schedule_is_in_step(s: BusState) -> Bits:
    """The key schedule works only while the key port waits for it, and what it wrote last arrives before the port goes on."""
    expanding, erasing = s["key_schedule.expanding_reg"], s["key_schedule.erasing_reg"]
    return all_of([
        expanding.implies(_state(s, EXPAND)),
        erasing.implies(_state(s, ERASE) & s["key_port.rounds_left_reg"]),
        ~(expanding & erasing),
        s["key_port.rk_we"].implies(_state(s, ERASE, EXPAND, SETTLE)),
        s["key_port.key_we"].implies(_state(s, OVERWRITE, ERASE, RECEIVE, START)),
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
"""Of the key port; they hold beside those of the streams."""


def keys_rest_in_flight(s: BusState, t: BusState) -> Bits:
    """Round keys and key words are written only while no sector of their slot is marked as in flight, nor asks to enter, nor is let in;
    set-up runs under the same rule.
    """
    writes = s["key_port.rk_we"] | s["key_port.key_we"] | s["key_port.setup"]
    admitted = s["ring.admit"] & _of_slot(s, "command.slot_reg")
    return writes.implies(~_marked(s) & ~admitted)


def sectors_are_marked(s: BusState, t: BusState) -> Bits:
    """A sector that is admitted is marked with its slot from the next cycle on, and stays so until done names its place."""
    rules = []
    for n in range(s.p.ring_sectors):
        admitted = s["ring.admit"] & s.ticket.equals(n)
        done = s["flight.done"] & s["flight.done_ticket"].equals(n)
        busy, slot = f"flight.busy{n}_reg", f"flight.slot{n}_reg"
        same = t[slot].equals(s[slot])
        rules += [
            admitted.implies(t[busy] & t[slot].wide.equals(s["command.slot_reg"].extend(s[slot].width).wide)),
            (s[busy] & ~admitted).implies(same & (done | t[busy])),
        ]
    return all_of(rules)


KEY_RULES = (keys_rest_in_flight, sectors_are_marked)
"""Hold in every cycle without reset."""
