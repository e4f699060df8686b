# SPDX-License-Identifier: Apache-2.0
"""What is proved of the buses of a core: rules of the streams, the invariants that they need, what is assumed of the engine.

All are formulas over a state of the buses and the one after it, so each holds for ever if it holds for any two.  Nothing is counted from
the reset on.  Instead a number is read from the state and shown to change as the count would: ``in_flight`` grows by one with each
command taken and falls by one with each status given, so it is the number of commands without a status, for however long a core runs.

::

    commands  taken_reg ▶ valid_reg ▶ storage[consume + 0 .. level) ▶ r_data ▶ status_reg         youngest ... oldest
    sectors   enter_reg ▶ engine ▶ done_reg ▶ to_send ▶ fetched ▶ m_axis
              └──────────── ring_sectors - free ──────┘ └─ unsent ─┘
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tests.formal.bits import Bits, all_of, constant, total
from tests.formal.machine import State

from modeloom.rtl.bus import BusParameters
from modeloom.rtl.engine.interface import FILL_AHEAD

__all__ = [
    "ASSUMPTIONS",
    "INVARIANTS",
    "RULES",
    "BusState",
    "host_takes",
    "longest_wait",
    "status_given",
    "waits_for_the_host_only",
]

OK = 0

TAG = slice(256, 272)
"""Of a command."""


@dataclass
class BusState:
    """Names for what a state of the buses holds."""

    state: State
    p: BusParameters

    def __getitem__(self, name: str) -> Bits:
        return self.state[name]

    @property
    def decided(self) -> Bits:
        """A command gets its status code, which goes into the queue."""
        return self["entry.push"]

    @property
    def undecided(self) -> Bits:
        """A checked command waits for its decision; it stays until its sector has entered."""
        return self["command.valid_reg"] & ~self["entry.enter_reg"]

    @property
    def ticket(self) -> Bits:
        """Place of the ring that the next sector to be admitted gets; the register counts at the entry."""
        return (self["entry.ticket_reg"].wide + self["entry.enter_reg"].wide) % self.p.ring_sectors

    def next(self) -> BusState:
        """The state of the cycle after."""
        return BusState(self.state.next(), self.p)

    def shake(self, stream: str) -> Bits:
        """Whether a beat passes on ``command``, ``m`` or ``status``."""
        valid, ready = {
            "command": ("command.cmd_valid", "command.cmd_ready"),
            "m": ("ring.out.valid_reg", "ring.o_ready"),
            "status": ("queue.valid_reg", "queue.status_ready"),
        }[stream]
        return self[valid] & self[ready]

    # -- commands without a status ------------------------------------------------------------------------------------------

    @property
    def depth(self) -> int:
        """Entries of the status queue's memory; one more stands in its output register."""
        return self.p.ring_sectors + 3

    @property
    def level(self) -> Bits:
        """Entries in that memory."""
        return self["queue.queue.inner_level"].wide

    @cached_property
    def in_flight(self) -> Bits:
        """Commands taken whose status has not been given."""
        return total([self.queued, self["command.taken_valid_reg"], self.undecided])

    def entry(self, n: int) -> Bits:
        """Word n of the queue's memory, tag below code."""
        cell = next(c for c in self.state.machine.netlist.cells if c.type == "$mem_v2" and c.name == "queue.queue.storage")
        return self.state.word(cell, constant(n, 16))

    def occupied(self, n: int) -> Bits:
        """Whether word n holds an entry."""
        distance = (constant(n + self.depth, 16) - self["queue.queue.r_port_addr"].wide) % self.depth
        return distance < self.level

    @cached_property
    def queued(self) -> Bits:
        """Commands in flight that have been decided, so that they have a code."""
        return total([self.level, self["queue.r_rdy"], self["queue.valid_reg"]])

    def status(self, place: Bits) -> Bits:
        """Tag and, above it, code (0 before it is decided) of the command in flight that ``place`` others precede."""
        at = (self["queue.queue.r_port_addr"].wide + place - total([self["queue.r_rdy"], self["queue.valid_reg"]])) % self.depth
        stored = self.entry(0)
        for n in range(1, self.depth):
            stored = at.equals(n).choose(self.entry(n), stored)
        stages = [
            (self["queue.valid_reg"].wide, self["queue.status_payload"][:19]),
            (self["queue.r_rdy"].wide, self["queue.r_data"]),
            (self.level, stored),
            (self.undecided.wide, self["command.tag"].extend(19)),
            (self["command.taken_valid_reg"].wide, self["command.taken_reg"][TAG].extend(19)),
        ]
        result, end = constant(0, 19), self.in_flight
        for held, word in reversed(stages):
            result = (place < end).choose(word, result)
            end = end - held
        return result

    # -- sectors that were let in -------------------------------------------------------------------------------------------

    @cached_property
    def places(self) -> Bits:
        """Places of the ring in use: sectors that have been admitted and not wholly read out of it."""
        return constant(self.p.ring_sectors, 16) - total([self["ring.free_reg"], self["ring.finish_reg"]])

    @cached_property
    def in_engine(self) -> Bits:
        """Sectors that have entered the engine and are not done."""
        return self.places - total([self["ring.to_send_reg"], self["ring.done_reg"], self["entry.enter_reg"]])

    @cached_property
    def undelivered(self) -> Bits:
        """Sectors admitted whose last beat the host has not taken."""
        return total([self.places, *(held & last for held, last, _ in self.leaving)])

    @cached_property
    def leaving(self) -> list[tuple[Bits, Bits, Bits]]:
        """Beats read from the ring and not taken, the oldest first: whether there is one, whether it is a last one, and its data or,
        before the choice of a part of the ring, nothing.
        """
        last = self.p.beat_bits
        newer = self["ring.out.from_reg"]
        zero, one = self["ring.out.payload0_reg"], self["ring.out.payload1_reg"]
        head, second = newer.choose(one, zero), newer.choose(zero, one)
        nothing = constant(0, last)
        return [
            (self["ring.out.valid_reg"], head[last], head[:last]),
            (self["ring.out.full_reg"], second[last], second[:last]),
            (self["ring.fetched_reg"], self["ring.fetched_last_reg"], nothing),
            (self["ring.read_reg"], self["ring.read_last_reg"], nothing),
        ]

    @property
    def last(self) -> Bits:
        """tlast of m."""
        return self["ring.m_payload"][self.p.beat_bits + self.p.beat_bytes]

    @cached_property
    def good(self) -> Bits:
        """Statuses of good sectors in the queue."""
        stored = [self.occupied(n) & self.entry(n)[16:].equals(OK) for n in range(self.depth)]
        return total([*stored, self["queue.r_rdy"] & self["queue.r_data"][16:].equals(OK)])

    @cached_property
    def delivered(self) -> Bits:
        """Sectors whose data the host has taken and whose status is still in the queue."""
        return self["queue.delivered_reg"].wide

    @cached_property
    def next_beat(self) -> Bits:
        """Number in its sector of the beat that m gives next."""
        ahead = total([held for held, *_ in self.leaving])
        beats = self.p.beats
        return (self["ring.beat_reg"].wide + len(self.leaving) * beats - ahead) % beats

    @cached_property
    def oldest_place(self) -> Bits:
        """Place of the oldest sector in the ring."""
        return (self.ticket + self.p.ring_sectors - self.places) % self.p.ring_sectors


# -- what is assumed of the engine and of the host -------------------------------------------------------------------------------


def ack_answers(s: BusState) -> Bits:
    """``enter_ack`` is high only while ``enter`` is."""
    return s["entry.enter_ack"].implies(s["entry.enter_reg"])


def done_has_a_sector(s: BusState) -> Bits:
    """``done`` is high only if more sectors have entered than have been done."""
    return s["ring.done"].implies(s.in_engine > 0)


ASSUMPTIONS = (ack_answers, done_has_a_sector)
"""Of the engine: at most one acknowledgement a request, at most one done a sector.  Nothing is assumed of the host."""


# -- invariants --------------------------------------------------------------------------------------------------------------------


def queue_is_in_order(s: BusState) -> Bits:
    """The memory of the status queue holds ``level`` entries between its pointers."""
    produce, consume = s["queue.queue.w_port_addr"].wide, s["queue.queue.r_port_addr"].wide
    return all_of([
        s.level <= s.depth, produce < s.depth, consume < s.depth, produce.equals((consume + s.level) % s.depth),
    ])  # fmt: skip


def sectors_have_places(s: BusState) -> Bits:
    """Sectors to enter, in the engine, done and to be sent are as many as there are places in use."""
    waiting = total([s["ring.to_send_reg"], s["ring.done_reg"], s["entry.enter_reg"]])
    free = s["ring.free_reg"]
    return all_of([
        total([free, s["ring.finish_reg"]]) <= s.p.ring_sectors,
        waiting <= s.places,
        s["ring.place_reg"].equals(free.some()),
        s["ring.more_reg"].equals(s["ring.to_send_reg"].some()),
    ])  # fmt: skip


def good_statuses_wait_for_data(s: BusState) -> Bits:
    """The queue has a good status for each sector that is undelivered and for each that is delivered without its status."""
    return all_of([s.good.equals(s.delivered + s.undelivered), s.delivered <= s.depth + 1])


def beats_are_in_step(s: BusState) -> Bits:
    """The last beat of a sector, and no other, is marked as the last."""
    last = s.p.beats - 1
    number = s.next_beat
    rules = [
        s["ring.beat_reg"].wide < s.p.beats,
        s["ring.final_reg"].equals(s["ring.beat_reg"].wide.equals(last)),
        s["ring.wrap_reg"].equals(s["ring.read_address_reg"].wide.equals(s.p.ring_sectors * s.p.beats - 1)),
    ]
    for held, marked, _ in s.leaving:
        rules.append(held.implies(marked.equals(number.equals(last))))
        number = (number + held.wide) % s.p.beats
    return all_of(rules)


def slice_is_in_order(s: BusState) -> Bits:
    """The last registers before m fill one after the other; bytes behind the end of a sector are zero."""
    p = s.p
    valid, full = s["ring.out.valid_reg"], s["ring.out.full_reg"]
    rules = [full.implies(valid)]
    behind = [b for b in range(p.beat_bytes) if not p.last_keep >> b & 1]
    for held, marked, data in s.leaving[:2]:
        rules += [(held & marked).implies(data[8 * b : 8 * b + 8].equals(0)) for b in behind]
    return all_of(rules)


def reading_is_in_order(s: BusState) -> Bits:
    """What is read from the ring is the next beat of the oldest sector."""
    address = s.oldest_place * s.p.beats + s["ring.beat_reg"].wide
    return (s["entry.ticket_reg"].wide < s.p.ring_sectors) & s["ring.read_address_reg"].wide.equals(address)


def sent_is_one_with_beats(s: BusState) -> Bits:
    """The beats of a sector are read only while it is to be sent."""
    return s["ring.beat_reg"].some().implies(s["ring.to_send_reg"].some())


def zero_outside_keep(s: BusState) -> Bits:
    """Bytes of m outside tkeep are zero; all are while it is not valid."""
    p = s.p
    data, keep = s["ring.m_payload"][: p.beat_bits], s["ring.m_payload"][p.beat_bits : p.beat_bits + p.beat_bytes]
    return all_of(keep[b] | data[8 * b : 8 * b + 8].equals(0) for b in range(p.beat_bytes))


def zero_without_status(s: BusState) -> Bits:
    """The status bus is zero while it is not valid; behind the code it always is."""
    shown = s["queue.status_payload"]
    return (s["queue.valid_reg"] | shown.equals(0)) & shown[19:].equals(0)


def complete_begins_anew(s: BusState) -> Bits:
    """When a packet is complete the next beat is a first one."""
    return s["sector.complete_reg"].implies(s["sector.beat_reg"].equals(0))


def packet_is_good_or_has_a_code(s: BusState) -> Bits:
    """A packet without fault has code OK, one with a fault has another."""
    complete, ok = s["sector.complete_reg"], s["sector.ok"]
    coded = complete.implies(ok.equals(s["sector.code_reg"].equals(OK)))
    return coded & s["sector.good_reg"].equals(complete & ok)


def decision_is_prepared(s: BusState) -> Bits:
    """What was found a cycle ago still holds: a command waits, with a place and room if it may go, with its packet and a code if it
    is dropped; and a good packet is not dropped while its command may go.
    """
    waits = s.undecided & s["queue.room"]
    go, drop = s["entry.go_reg"], s["entry.drop_reg"]
    return all_of([
        go.implies(waits & s["ring.free_reg"].some()),
        drop.implies(waits & s["sector.complete_reg"] & s["entry.drop_code_reg"].differs(OK)),
        ~(go & drop & s["sector.good_reg"]),
        s["entry.enter_reg"].implies(s["command.valid_reg"]),
    ])  # fmt: skip


def fill_beat_in_range(s: BusState) -> Bits:
    """No beat is counted beyond the last, and none is written far ahead of a sector that asks to enter; flags of the count are right."""
    number = s["sector.fill_beat"].wide
    ahead = (s["sector.fill_we"] & s["entry.enter_reg"]).implies(number < FILL_AHEAD)
    beat = s["sector.beat_reg"].wide
    flags = [s["sector.final_reg"].equals(beat.equals(s.p.beats - 1))]
    if s.p.beats > FILL_AHEAD:
        flags.append(s["sector.early_reg"].equals(beat < FILL_AHEAD))
    return all_of([beat < s.p.beats, s["sector.fill_we"].implies(number < s.p.beats), ahead, *flags])


INVARIANTS = (
    queue_is_in_order,
    sectors_have_places,
    good_statuses_wait_for_data,
    beats_are_in_step,
    slice_is_in_order,
    reading_is_in_order,
    sent_is_one_with_beats,
    zero_outside_keep,
    zero_without_status,
    complete_begins_anew,
    packet_is_good_or_has_a_code,
    decision_is_prepared,
    fill_beat_in_range,
)
"""Hold after a reset and from then on."""


# -- rules -------------------------------------------------------------------------------------------------------------------------


def data_stay(s: BusState, t: BusState) -> Bits:
    """m_axis: a beat that is not taken stays, with its payload."""
    waits = s["ring.out.valid_reg"] & ~s["ring.o_ready"]
    return waits.implies(t["ring.out.valid_reg"] & t["ring.m_payload"].equals(s["ring.m_payload"]))


def status_stays(s: BusState, t: BusState) -> Bits:
    """m_axis_status: a status that is not taken stays, with its payload."""
    waits = s["queue.valid_reg"] & ~s["queue.status_ready"]
    return waits.implies(t["queue.valid_reg"] & t["queue.status_payload"].equals(s["queue.status_payload"]))


def request_stays(s: BusState, t: BusState) -> Bits:
    """Towards the engine: a request to enter stays, with all that it says, until it is acknowledged."""
    waits = s["entry.enter_reg"] & ~s["entry.enter_ack"]
    names = [n for n in ("engine_enter_ticket", "engine_enter_decrypt", "engine_enter_tweak", "engine_enter_slot") if s.state.has(n)]
    if len(names) < 2:
        raise KeyError("the buses have no request")
    return waits.implies(all_of(t[name].equals(s[name]) for name in ("entry.enter_reg", *names)))


def one_status_a_command(s: BusState, t: BusState) -> Bits:
    """The number of commands in flight grows with each command and falls with each status; statuses never lead."""
    counted = (s.in_flight + s.shake("command").wide).equals(t.in_flight + s.shake("status").wide)
    return counted & s.shake("status").implies(s.in_flight > 0)


def statuses_in_order(s: BusState, t: BusState) -> Bits:
    """Tags and codes in flight are a queue: a status takes the oldest from it, a command joins it as the youngest, and gets the
    code of the decision, which is kept.
    """
    given, joins = s.shake("status"), s.shake("command")
    shown = s["queue.status_payload"]
    rules = [s["queue.valid_reg"].implies(shown[:19].equals(s.status(constant(0, 16))) & shown[19:].equals(0))]
    for n in range(s.depth + 4):
        place = constant(n, 16)
        before = place + given.wide
        old, new = s.status(before), t.status(place)
        rules += [
            (before < s.in_flight).implies(new[:16].equals(old[:16])),
            (before < s.queued).implies(new.equals(old)),
            (joins & before.equals(s.in_flight)).implies(new[:16].equals(s["command.cmd_payload"][TAG])),
            (s.decided & before.equals(s.queued)).implies(new[16:].equals(s["entry.code"])),
        ]
    return all_of(rules)


def data_before_status(s: BusState, t: BusState) -> Bits:
    """A good status leaves the queue only after the last beat of its sector has been taken, and takes one such sector with it."""
    good = s["queue.pop"] & s["queue.r_data"][16:].equals(OK)
    last = s.shake("m") & s.last
    counted = (s.delivered + last.wide).equals(t.delivered + good.wide)
    return good.implies(s.delivered > 0) & counted


def whole_packets(s: BusState, t: BusState) -> Bits:
    """Each packet on m has the beats of a sector: tlast is on the last one and on no other, and none is lost or repeated."""
    beat = s.shake("m")
    marked = beat.implies(s.last.equals(s.next_beat.equals(s.p.beats - 1)))
    return marked & t.next_beat.equals((s.next_beat + beat.wide) % s.p.beats)


def places_suffice(s: BusState, t: BusState) -> Bits:
    """A sector is admitted only into a free place, and the numbers of sectors change as sectors move."""
    admitted, entered, done = s["ring.admit"], s["entry.enter_ack"], s["ring.done"]
    return all_of([
        admitted.implies(s["ring.free_reg"].some()),
        (s.in_engine + entered.wide).equals(t.in_engine + done.wide),
        (s.undelivered + admitted.wide).equals(t.undelivered + (s.shake("m") & s.last).wide),
    ])  # fmt: skip


def refused_gives_no_data(s: BusState, t: BusState) -> Bits:
    """A sector is admitted if and only if its status is OK, only with a packet without fault, and only for a command that could be
    obeyed in this cycle or the one before.
    """
    take, admit = s.decided, s["ring.admit"]
    return all_of([
        admit.equals(take & s["entry.code"].equals(OK)),
        take.implies(s.undecided & s["sector.complete_reg"] & s["queue.room"]),
        admit.implies(s["sector.ok"]),
        t["ring.admit"].implies(s["command.ok"] | t["command.ok"]),
    ])  # fmt: skip


def ready_status_goes(s: BusState, t: BusState) -> Bits:
    """A status that may go is on the bus in the next cycle."""
    ok = s["queue.r_data"][16:].equals(OK)
    free = ~s["queue.valid_reg"] | s["queue.status_ready"]
    may = s["queue.r_rdy"] & free & (~ok | s.delivered.some())
    return may.implies(t["queue.valid_reg"])


def command_moves_on(s: BusState, t: BusState) -> Bits:
    """A command that has been taken is checked in the next cycle if no other stands before it."""
    return (s["command.taken_valid_reg"] & ~s["command.valid_reg"]).implies(t["command.valid_reg"])


def decision_is_made(s: BusState, t: BusState) -> Bits:
    """A command that waits with its packet is decided by the next cycle, if no sector asks to enter and the queue has room: a bad one
    at once, a good one if there is a place.
    """
    waits = all_of([s.undecided, s["sector.complete_reg"], s["queue.room"], ~s["entry.enter_reg"]])
    bad = ~(s["command.ok"] & s["sector.ok"])
    return (waits & (bad | s["ring.free_reg"].some())).implies(s.decided | t.decided)


RULES = (
    data_stay,
    status_stays,
    request_stays,
    one_status_a_command,
    statuses_in_order,
    data_before_status,
    whole_packets,
    places_suffice,
    refused_gives_no_data,
    ready_status_goes,
    command_moves_on,
    decision_is_made,
)
"""Hold in every cycle without reset."""


# -- progress --------------------------------------------------------------------------------------------------------------------


def waits_for_the_host_only(s: BusState) -> Bits:
    """A decided command has no status yet, and no sector is in the engine or on its way there."""
    return (s.queued > 0) & s.in_engine.equals(0) & ~s["entry.enter_reg"]


def host_takes(s: BusState) -> Bits:
    """The host is ready for results and statuses."""
    return s["ring.o_ready"] & s["queue.status_ready"]


def status_given(s: BusState) -> Bits:
    """A status passes."""
    return s.shake("status")


def longest_wait(p: BusParameters) -> int:
    """Cycles within which a status passes then: the beats of a sector, and the registers from done to the status."""
    return p.beats + 5
