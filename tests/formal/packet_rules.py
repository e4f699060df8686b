# SPDX-License-Identifier: Apache-2.0
"""The verdict on a packet is that of docs/interfaces.md, for every length and every tkeep.

The document requires a number of bytes and a form of tkeep.  The buses do not hold the number, so the model counts it: the beats of
the packet so far, and whether one of them had another form (``Ghost``)::

    s ──▶ beats_are_checked ──▶ beats_stay_in_order ──▶ verdict_is_right ──▶ code_is_the_verdict ──▶ status
          flags of one beat     the register slice      with ``Ghost``         of command and packet

The count stops at the beats of the largest sector.  A packet that goes on is longer than any sector.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.formal.bits import WIDE, Bits, all_of, any_of, constant, fresh
from tests.formal.machine import Machine
from tests.formal.proof import Counterexample, holds, running, sound
from tests.formal.stream_rules import BusState

from modeloom.rtl.bus.sector import BusParameters

__all__ = ["check_packets"]

TOO_SHORT, TOO_LONG, BAD_KEEP = 1, 2, 3


@dataclass
class Checked:
    """A beat behind the check of its tkeep."""

    payload: Bits
    p: BusParameters

    @property
    def data(self) -> Bits:
        """Its bytes, zero outside tkeep."""
        return self.payload[: self.p.data.beat_bits]

    @property
    def last(self) -> Bits:
        """Whether the packet ends with it."""
        return self.payload[self.p.data.beat_bits]

    @property
    def bad(self) -> Bits:
        """Whether its tkeep has a form that is refused."""
        return self.payload[self.p.data.beat_bits + 1]

    def is_shorter(self, size: int) -> Bits:
        """Whether it has fewer bytes than the last beat of a sector."""
        return self.payload[self.p.data.beat_bits + 2 + size]

    def is_longer(self, size: int) -> Bits:
        """Whether it has more bytes than the last beat of a sector."""
        return self.payload[self.p.data.beat_bits + 2 + len(self.p.sizes) + size]

    def has(self, count: Bits) -> Bits:
        """Whether the flags are those of a beat with ``count`` bytes."""
        claims = []
        for number, size in enumerate(self.p.sizes):
            last = size.last_keep.bit_length()
            claims += [self.is_shorter(number).equals(count < last), self.is_longer(number).equals(count > last)]
        return all_of(claims)


@dataclass
class Ghost:
    """The packet so far: the number of its beats, up to those of the largest sector, and whether a tkeep was bad."""

    beats: Bits
    bad: Bits

    def after(self, s: BusState) -> Ghost:
        """The packet after a cycle in which a beat may be taken."""
        beat, accept = _taken(s), s["sector.accept"]
        most = s.p.beats
        more = (self.beats < most).choose(self.beats + 1, self.beats)
        zero, none = constant(0, WIDE), constant(0, 1)
        return Ghost(
            accept.choose(beat.last.choose(zero, more), self.beats),
            accept.choose(beat.last.choose(none, self.bad | beat.bad), self.bad),
        )  # fmt: skip


def _taken(s: BusState) -> Checked:
    return Checked(s["sector.slice.o_payload"], s.p)


def beats_are_checked(s: BusState) -> Bits:
    """A beat is bad unless its tkeep has the form in docs/interfaces.md.

    It is all ones before the last beat.  In the last beat it has ones from bit 0 on, and at least one.
    """
    p = s.p
    payload, bits = s["s_payload"], p.data.beat_bits
    given, keep, last = payload[:bits], payload[bits : bits + p.beat_bytes], payload[-1:]
    beat = Checked(s["sector.slice.i_payload"], p)
    forms = [keep.equals((1 << count) - 1) for count in range(1, p.beat_bytes + 1)]
    claims = [beat.last.equals(last), beat.bad.equals(last.choose(~any_of(forms), ~forms[-1]))]
    claims += [form.implies(beat.has(constant(count, WIDE))) for count, form in enumerate(forms, 1)]
    for byte in range(p.beat_bytes):
        bits = slice(8 * byte, 8 * byte + 8)
        claims.append(beat.data[bits].equals(keep[byte].choose(given[bits], constant(0, 8))))
    return all_of(claims)


def beats_stay_in_order(s: BusState, t: BusState) -> Bits:
    """The slice gives every beat once, in order.  The first beat leaves, the second becomes the first, and a new one is the
    last."""
    first, full, get, put = s["sector.slice.valid_reg"], s["sector.slice.full_reg"], s["sector.slice.get"], s["sector.slice.put"]
    held = [s["sector.slice.payload0_reg"], s["sector.slice.payload1_reg"]]
    after = [t["sector.slice.payload0_reg"], t["sector.slice.payload1_reg"]]
    at, then = s["sector.slice.from_reg"], t["sector.slice.from_reg"]
    one, other = at.choose(held[1], held[0]), at.choose(held[0], held[1])
    next_one, next_other = then.choose(after[1], after[0]), then.choose(after[0], after[1])
    new = s["sector.slice.i_payload"]
    count, next_count = first.wide + full.wide, t["sector.slice.valid_reg"].wide + t["sector.slice.full_reg"].wide
    stays, gone = first & ~get, first & get
    return all_of([
        put.equals(s["s_valid"] & s["s_ready"]), s["sector.slice.o_payload"].equals(one), full.implies(first),
        get.equals(s["sector.accept"]), (next_count + get.wide).equals(count + put.wide),
        stays.implies(next_one.equals(one)), (gone & full).implies(next_one.equals(other)),
        (stays & full).implies(next_other.equals(other)),
        (put & (count - get.wide).equals(0)).implies(next_one.equals(new)),
        (put & (count - get.wide).equals(1)).implies(next_other.equals(new)),
    ])  # fmt: skip


def slice_fills_in_order(s: BusState) -> Bits:
    """Invariant: the second place holds a beat only if the first does."""
    return s["sector.slice.full_reg"].implies(s["sector.slice.valid_reg"])


def counters_follow(s: BusState, ghost: Ghost) -> Bits:
    """Invariant: the registers of the intake are what the model counts."""
    beats = s.beats(s.size)
    here = (ghost.beats < beats).choose(ghost.beats, beats - 1)
    return all_of([
        ghost.beats <= s.p.beats,
        s["sector.beat_reg"].wide.equals(here),
        s["sector.overrun_reg"].equals(ghost.beats >= beats),
        s["sector.bad_reg"].equals(ghost.bad),
        s["sector.packet_complete"].implies(ghost.beats.equals(0) & ~ghost.bad),
    ])  # fmt: skip


def verdict_is_right(s: BusState, t: BusState, ghost: Ghost, count: Bits) -> Bits:
    """A packet that ends with a beat of ``count`` bytes gets the code that its bytes and its tkeep ask for."""
    p, beat = s.p, _taken(s)
    lengths = [(size.beats - 1) * p.beat_bytes + size.last_keep.bit_length() for size in p.sizes]
    nbytes, wanted = ghost.beats * p.beat_bytes + count, s.of_size(lengths, s.size)
    code = (nbytes < wanted).choose(constant(TOO_SHORT, 2), (nbytes > wanted).choose(constant(TOO_LONG, 2), constant(0, 2)))
    code = (ghost.bad | beat.bad).choose(constant(BAD_KEEP, 2), code)
    right = t["sector.packet_complete"] & t["sector.code_reg"].equals(code) & t["sector.packet_good"].equals(code.equals(0))
    return (s["sector.accept"] & beat.last).implies(right)


def code_is_the_verdict(s: BusState, t: BusState) -> Bits:
    """A status has the code of the packet if its command is good, and otherwise that of the command.

    The code of the packet stays until then.
    """
    code = s["command.command_ok"].choose(s["sector.code_reg"].extend(3), s["command.command_code"])
    waits = s["sector.packet_complete"] & ~s["entry.packet_take"]
    return all_of([
        t["entry.drop_reg"].implies(t["entry.verdict_code"].equals(code) & s["sector.packet_complete"]),
        (t["entry.packet_take"] & ~t["entry.drop_reg"]).implies(t["sector.packet_good"] & t["entry.verdict_code"].equals(0)),
        waits.implies(t["sector.packet_complete"] & t["sector.code_reg"].equals(s["sector.code_reg"])),
    ])  # fmt: skip


def check_packets(machine: Machine, p: BusParameters) -> None:
    """Proves the verdict on packets by induction over a cycle.  Raises ``Counterexample`` with the name of the rule that fails."""
    anything, power, s = BusState(machine.free("any"), p), BusState(machine.powered("power"), p), BusState(machine.free("s"), p)
    reset, t = anything.next(), s.next()
    empty = Ghost(constant(0, WIDE), constant(0, 1))
    ghost, count = Ghost(fresh("beats", WIDE), fresh("bad", 1)), fresh("count", WIDE)
    assumed = [sound(s), running(s), counters_follow(s, ghost)]
    # A beat without fault has a number of bytes, as ``beats_are_checked`` says.  Nothing is known of a beat with a fault.
    fits = _taken(s).bad | (_taken(s).has(count) & (count > 0) & (count <= p.beat_bytes))
    steps = {
        "beats_are_checked": holds(beats_are_checked(s)),
        "slice_fills_in_order after a reset": holds(slice_fills_in_order(reset), anything["rst"]),
        "slice_fills_in_order at power-on": holds(slice_fills_in_order(power)),
        "slice_fills_in_order": holds(slice_fills_in_order(t), slice_fills_in_order(s)),
        "beats_stay_in_order": holds(beats_stay_in_order(s, t), slice_fills_in_order(s), ~s["rst"]),
        "counters_follow after a reset": holds(counters_follow(reset, empty), anything["rst"]),
        "counters_follow at power-on": holds(counters_follow(power, empty)),
        "counters_follow": holds(counters_follow(t, ghost.after(s)), *assumed),
        "verdict_is_right": holds(verdict_is_right(s, t, ghost, count), *assumed, fits),
        "code_is_the_verdict": holds(code_is_the_verdict(s, t), *assumed),
    }
    for name, found in steps.items():
        if found is not None:
            raise Counterexample(f"{name} does not hold")
