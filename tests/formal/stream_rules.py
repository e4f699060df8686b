# SPDX-License-Identifier: Apache-2.0
"""The proved rules of the buses of a core, the invariants that they need, and the assumptions on the engine.

All are formulas over a state of the buses and the next one, so a rule holds for ever if it holds for any two such states.  Nothing
is counted from the reset on.  Instead a number is read from the state, and is shown to change as the count would.  For instance,
``in_flight`` grows by one with each command taken and falls by one with each status given.  So it is the number of commands without
a status, in runs of any length::

    commands  taken_reg ▶ valid_reg ▶ storage[consume + 0 .. level) ▶ r_data ▶ status_reg         youngest ... oldest
    sectors   enter_reg ▶ engine ▶ done_reg ▶ to_send ▶ fetched ▶ m_axis
              └──────────── ring_sectors - free ──────┘ └─ unsent ─┘
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tests.formal.bits import WIDE, Bits, all_of, constant, total
from tests.formal.machine import State

from modeloom.cycles import FILL_AHEAD
from modeloom.rtl.bus.sector import BusParameters

__all__ = [
    "ASSUMPTIONS",
    "INVARIANTS",
    "RULES",
    "BusState",
    "host_takes",
    "longest_wait",
    "result_is_offered",
    "result_is_there",
    "status_given",
    "status_is_offered",
    "status_is_there",
    "waits_for_the_host_only",
]

OK = 0

TAG = slice(256, 272)
"""The bits of the tag in a command."""


@dataclass
class BusState:
    """Names for the parts of a state of the buses."""

    state: State
    p: BusParameters

    def __getitem__(self, name: str) -> Bits:
        return self.state[name]

    @property
    def ring_beat(self) -> Bits:
        """Number of the beat that is read next, in its sector.  A core whose sectors have a single beat has no register for it."""
        return self["ring.beat_reg"] if self.state.has("ring.beat_reg") else constant(0, 1)

    # -- sizes of sectors -----------------------------------------------------------------------------------------------------

    @property
    def several(self) -> bool:
        """Whether the core is for several sizes."""
        return len(self.p.sizes) > 1

    def of_size(self, values: Sequence[int], size: Bits | None) -> Bits:
        """The value, ``WIDE`` bits wide, for the size of this number; None stands for the only one."""
        result = constant(values[-1], WIDE)
        if size is not None:
            for number, value in enumerate(values[:-1]):
                result = size.wide.equals(number).choose(constant(value, WIDE), result)
        return result

    def beats(self, size: Bits | None) -> Bits:
        """The number of beats of a sector of this size."""
        return self.of_size([one.beats for one in self.p.sizes], size)

    @property
    def marks_first(self) -> bool:
        """Whether the core has several sizes and sectors of one beat: then the last beat of these is known by being a first one."""
        return self.several and min(one.beats for one in self.p.sizes) == 1

    def is_final(self, beat: Bits, size: Bits | None) -> Bits:
        """Whether a beat of this number is marked as the last by the register for it."""
        beats = self.beats(size)
        final = beat.equals(beats - 1)
        return final & beats.differs(1) if self.marks_first else final

    @property
    def size(self) -> Bits | None:
        """The size to which engine and intake are set."""
        return self["engine_size_number"] if self.several else None

    @property
    def size_read(self) -> Bits | None:
        """The size of the sector that is read from the ring next."""
        if not self.several:
            return None
        result = self["ring.size0_reg"]
        for place in range(1, self.p.buffers.ring_sectors):
            result = self["ring.place_read_reg"].wide.equals(place).choose(self[f"ring.size{place}_reg"], result)
        return result

    @property
    def belongs(self) -> Bits:
        """The packet that is on its way in has a command, and the intake is set to its size (or it has none, and is refused)."""
        size = self["engine_size_number"]
        waits = self["command.command_valid"] & ~self["entry.packet_entering"]
        fits = ~self["command_upcoming_known"] | self["command_command_size"].equals(size)
        next_fits = ~self["command_upcoming_next_known"] | self["command_upcoming_next_size"].equals(size)
        return waits.choose(fits, self["command.taken_valid_reg"] & next_fits)

    @property
    def begun(self) -> Bits:
        """A packet is on its way in, or complete and undecided."""
        return self["sector.beat_reg"].some() | self["sector.overrun_reg"] | self["sector.packet_complete"]

    @property
    def decided(self) -> Bits:
        """A command gets its status code, which goes into the queue."""
        return self["entry.packet_take"]

    @property
    def undecided(self) -> Bits:
        """A checked command waits for its decision; it stays until its sector has entered."""
        return self["command.command_valid"] & ~self["entry.packet_entering"]

    @property
    def ticket(self) -> Bits:
        """Place of the ring that the next sector to be admitted gets; the register counts at the entry."""
        return (self["entry.place_ticket"].wide + self["entry.packet_entering"].wide) % self.p.buffers.ring_sectors

    def next(self) -> BusState:
        """The state of the cycle after."""
        return BusState(self.state.next(), self.p)

    def shake(self, stream: str) -> Bits:
        """Whether a beat passes on ``command``, ``m`` or ``status``."""
        valid, ready = {
            "command": ("command.cmd_valid", "command.cmd_ready"),
            "m": ("ring.out.valid_reg", "ring.out.o_ready"),
            "status": ("queue.valid_reg", "queue.status_ready"),
        }[stream]
        return self[valid] & self[ready]

    # -- commands without a status ------------------------------------------------------------------------------------------

    @property
    def depth(self) -> int:
        """Entries of the status queue's memory; one more stands in its output register."""
        return self.p.buffers.ring_sectors + 3

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
        return self.state.word(self.state.machine.memory("queue.queue"), constant(n, 16))

    def occupied(self, n: int) -> Bits:
        """Whether word n holds an entry."""
        distance = (constant(n + self.depth, 16) - self["queue.queue.r_port_addr"].wide) % self.depth
        return distance < self.level

    @cached_property
    def queued(self) -> Bits:
        """Commands in flight that have been decided, so that they have a code."""
        return total([self.level, self["queue.queue.r_rdy"], self["queue.valid_reg"]])

    def status(self, place: Bits) -> Bits:
        """Tag and, above it, code (0 before it is decided) of the command in flight that ``place`` others precede."""
        at = (self["queue.queue.r_port_addr"].wide + place - total([self["queue.queue.r_rdy"], self["queue.valid_reg"]])) % self.depth
        stored = self.entry(0)
        for n in range(1, self.depth):
            stored = at.equals(n).choose(self.entry(n), stored)
        stages = [
            (self["queue.valid_reg"].wide, self["queue.status_payload"][:19]),
            (self["queue.queue.r_rdy"].wide, self["queue.queue.r_data"]),
            (self.level, stored),
            (self.undecided.wide, self["command.command_tag"].extend(19)),
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
        return constant(self.p.buffers.ring_sectors, 16) - total([self["ring.free_reg"], self["ring.finish_reg"]])

    @cached_property
    def in_engine(self) -> Bits:
        """Sectors that have entered the engine and are not done."""
        return self.places - total([self["ring.to_send_reg"], self["ring.done_reg"], self["entry.packet_entering"]])

    @cached_property
    def undelivered(self) -> Bits:
        """Sectors admitted whose last beat the host has not taken."""
        return total([self.places, *(held & last for held, last, *_ in self.leaving)])

    @cached_property
    def leaving(self) -> list[tuple[Bits, Bits, Bits, Bits | None]]:
        """Beats read from the ring and not taken, the oldest first: whether there is one, whether it is a last one, its data or,
        before the choice of a part of the ring, nothing, and the size of its sector.
        """
        last = self.p.data.beat_bits
        newer = self["ring.out.from_reg"]
        zero, one = self["ring.out.payload0_reg"], self["ring.out.payload1_reg"]
        head, second = newer.choose(one, zero), newer.choose(zero, one)
        nothing = constant(0, last)
        sizes: list[Bits | None] = [None] * 4
        if self.several:
            sizes = [head[last + 1 :], second[last + 1 :], self["ring.fetched_size_reg"], self["ring.read_size_reg"]]
        return [
            (self["ring.out.valid_reg"], head[last], head[:last], sizes[0]),
            (self["ring.out.full_reg"], second[last], second[:last], sizes[1]),
            (self["ring.fetched_reg"], self["ring.fetched_last_reg"], nothing, sizes[2]),
            (self["ring.read_reg"], self["ring.read_last_reg"], nothing, sizes[3]),
        ]

    @cached_property
    def numbers(self) -> list[tuple[Bits, Bits]]:
        """For each of ``leaving`` its number in its sector, and whether the beat behind it belongs to a sector of the same size or
        is a first one.

        Read backwards from the beat that is read next: before a first beat comes the last of another sector.
        """
        number, behind = self.ring_beat.wide, self.size_read
        found = []
        for held, _, _, size in reversed(self.leaving):
            before = number.equals(0).choose(self.beats(size), number) - 1
            agrees = constant(1, 1) if size is None or behind is None else number.equals(0) | size.equals(behind)
            found.append((before, agrees))
            number = held.choose(before, number)
            if size is not None and behind is not None:
                behind = held.choose(size, behind)
        return found[::-1]

    @property
    def last(self) -> Bits:
        """tlast of m."""
        return self["ring.m_payload"][self.p.data.beat_bits + self.p.beat_bytes]

    @cached_property
    def good(self) -> Bits:
        """Statuses of good sectors in the queue."""
        stored = [self.occupied(n) & self.entry(n)[16:].equals(OK) for n in range(self.depth)]
        return total([*stored, self["queue.queue.r_rdy"] & self["queue.queue.r_data"][16:].equals(OK)])

    @cached_property
    def delivered(self) -> Bits:
        """Sectors whose data the host has taken and whose status is still in the queue."""
        return self["queue.delivered_reg"].wide

    @cached_property
    def next_beat(self) -> Bits:
        """Number in its sector of the beat that m gives next."""
        result = self.ring_beat.wide
        for (held, *_), (number, _) in zip(reversed(self.leaving), reversed(self.numbers), strict=True):
            result = held.choose(number, result)
        return result

    @property
    def after_next_beat(self) -> Bits:
        """Number in its sector of the beat after that."""
        beats = self.beats(self.leaving[0][3])
        return self.next_beat.equals(beats - 1).choose(constant(0, WIDE), self.next_beat + 1)

    @cached_property
    def oldest_place(self) -> Bits:
        """Place of the oldest sector in the ring."""
        return (self.ticket + self.p.buffers.ring_sectors - self.places) % self.p.buffers.ring_sectors


# -- what is assumed of the engine and of the host -------------------------------------------------------------------------------


def ack_answers(s: BusState) -> Bits:
    """``enter_ack`` is high only while ``enter_request`` is."""
    return s["entry.enter_ack"].implies(s["entry.packet_entering"])


def done_has_a_sector(s: BusState) -> Bits:
    """``done`` is high only if more sectors have entered than have been done."""
    return s["ring.done_valid"].implies(s.in_engine > 0)


def idle_is_empty(s: BusState) -> Bits:
    """``idle`` is high only if no sector is in the engine; a core for one size does not ask."""
    return s["engine_size_idle"].implies(s.in_engine.equals(0)) if s.several else constant(1, 1)


ASSUMPTIONS = (ack_answers, done_has_a_sector, idle_is_empty)
"""The assumptions on the engine: at most one acknowledgement for a request, at most one ``done`` for a sector, ``idle`` only if
empty.

There are no assumptions on the host.
"""


# -- invariants --------------------------------------------------------------------------------------------------------------------


def queue_is_in_order(s: BusState) -> Bits:
    """The memory of the status queue holds ``level`` entries between its pointers."""
    produce, consume = s["queue.queue.w_port_addr"].wide, s["queue.queue.r_port_addr"].wide
    return all_of([
        s.level <= s.depth, produce < s.depth, consume < s.depth, produce.equals((consume + s.level) % s.depth),
    ])  # fmt: skip


def sectors_have_places(s: BusState) -> Bits:
    """The number of places in use is the number of sectors that are to enter, in the engine, done, or to be sent."""
    waiting = total([s["ring.to_send_reg"], s["ring.done_reg"], s["entry.packet_entering"]])
    free = s["ring.free_reg"]
    return all_of([
        total([free, s["ring.finish_reg"]]) <= s.p.buffers.ring_sectors,
        waiting <= s.places,
        s["ring.place_free"].equals(free.some()),
        s["ring.more_reg"].equals(s["ring.to_send_reg"].some()),
    ])  # fmt: skip


def good_statuses_wait_for_data(s: BusState) -> Bits:
    """The queue has a good status for each sector that is undelivered and for each that is delivered without its status."""
    return all_of([s.good.equals(s.delivered + s.undelivered), s.delivered <= s.depth + 1])


def beats_are_in_step(s: BusState) -> Bits:
    """The last beat of a sector, and no other, is marked as the last."""
    beats = s.beats(s.size_read)
    beat = s.ring_beat.wide
    rules = [beat < beats, s["ring.final_reg"].equals(s.is_final(beat, s.size_read))]
    if s.marks_first:
        rules.append(s["ring.first_reg"].equals(beat.equals(0)))
    if not s.several:
        wrap = s["ring.read_address_reg"].wide.equals(s.p.buffers.ring_sectors * s.p.beats - 1)
        rules.append(s["ring.wrap_reg"].equals(wrap))
    if s.several:
        for place in range(s.p.buffers.ring_sectors):
            used = (constant(place + s.p.buffers.ring_sectors, WIDE) - s.oldest_place) % s.p.buffers.ring_sectors < s.places
            rules.append(used.implies(s[f"ring.size{place}_reg"].wide < len(s.p.sizes)))
    for (held, marked, _, size), (number, agrees) in zip(s.leaving, s.numbers, strict=True):
        rules += [held.implies(agrees), held.implies(marked.equals(number.equals(s.beats(size) - 1)))]
        if size is not None:
            rules.append(held.implies(size.wide < len(s.p.sizes)))
    return all_of(rules)


def slice_is_in_order(s: BusState) -> Bits:
    """The last registers before m fill one after the other.  Bytes behind the end of a sector are zero."""
    p = s.p
    valid, full = s["ring.out.valid_reg"], s["ring.out.full_reg"]
    rules = [full.implies(valid)]
    for held, marked, data, size in s.leaving[:2]:
        for b in range(p.beat_bytes):
            kept = s.of_size([one.last_keep >> b & 1 for one in p.sizes], size)[0]
            rules.append((held & marked & ~kept).implies(data[8 * b : 8 * b + 8].equals(0)))
    return all_of(rules)


def reading_is_in_order(s: BusState) -> Bits:
    """The beat that is read from the ring is the next one of the oldest sector."""
    address = s.oldest_place * s.p.beats + s.ring_beat.wide
    place = s["ring.place_read_reg"].wide.equals(s.oldest_place) if s.several else constant(1, 1)
    return all_of([s["entry.place_ticket"].wide < s.p.buffers.ring_sectors, place, s["ring.read_address_reg"].wide.equals(address)])


def sent_is_one_with_beats(s: BusState) -> Bits:
    """The beats of a sector are read only while it is to be sent."""
    return s.ring_beat.some().implies(s["ring.to_send_reg"].some())


def zero_outside_keep(s: BusState) -> Bits:
    """Bytes of m outside tkeep are zero.  All bytes are zero while it is not valid."""
    p = s.p
    data, keep = s["ring.m_payload"][: p.data.beat_bits], s["ring.m_payload"][p.data.beat_bits : p.data.beat_bits + p.beat_bytes]
    return all_of(keep[b] | data[8 * b : 8 * b + 8].equals(0) for b in range(p.beat_bytes))


def zero_without_status(s: BusState) -> Bits:
    """The status bus is zero while it is not valid.  Its bits behind the code are always zero."""
    shown = s["queue.status_payload"]
    return (s["queue.valid_reg"] | shown.equals(0)) & shown[19:].equals(0)


def complete_begins_anew(s: BusState) -> Bits:
    """When a packet is complete, the next beat is the first one of a packet."""
    return s["sector.packet_complete"].implies(s["sector.beat_reg"].equals(0) & ~s["sector.overrun_reg"])


def packet_is_good_or_has_a_code(s: BusState) -> Bits:
    """A packet without fault has the code OK, and a packet with a fault has another code."""
    complete, ok = s["sector.packet_complete"], s["sector.packet_ok"]
    coded = complete.implies(ok.equals(s["sector.code_reg"].equals(OK)))
    return coded & s["sector.packet_good"].equals(complete & ok)


def decision_is_prepared(s: BusState) -> Bits:
    """The decision that was prepared a cycle ago is still right.

    A command waits.  If it may go, there is a place and room for its status.  If it is dropped, its packet is complete and there is
    a code.  A good packet is not dropped while its command may go.
    """
    waits = s.undecided & s["queue.verdict_room"]
    go, drop = s["entry.go_reg"], s["entry.drop_reg"]
    return all_of([
        go.implies(waits & s["ring.free_reg"].some()),
        drop.implies(waits & s["sector.packet_complete"] & s["entry.drop_code_reg"].differs(OK)),
        ~(go & drop & s["sector.packet_good"]),
        s["entry.packet_entering"].implies(s["command.command_valid"]),
    ])  # fmt: skip


def fill_beat_in_range(s: BusState) -> Bits:
    """No beat is counted beyond the last, and none is written too far ahead of a sector that asks to enter.

    The flags of the count are right.
    """
    number = s["sector.fill_beat"].wide
    ahead = (s["sector.fill_we"] & s["entry.packet_entering"]).implies(number < FILL_AHEAD)
    beat = s["sector.beat_reg"].wide
    beats = s.beats(s.size)
    flags = [s["sector.final_reg"].equals(s.is_final(beat, s.size))]
    if s.marks_first:
        flags.append(s["sector.first_reg"].equals(beat.equals(0) & ~s["sector.overrun_reg"]))
    if s.p.beats > FILL_AHEAD:
        flags.append(s["sector.early_reg"].equals(beat < FILL_AHEAD))
    return all_of([beat < beats, s["sector.fill_we"].implies(number < beats), ahead, *flags])


def packets_have_a_size(s: BusState) -> Bits:
    """In a core for several sizes, the intake is set to the size of the command whose packet it takes in.

    This is also the size of the sector that asks to enter.  A beat that it wrote in this cycle belongs to a packet that has begun.
    """
    if not s.several:
        return constant(1, 1)
    return all_of([
        s["engine_size_number"].wide < len(s.p.sizes),
        s.begun.implies(s.belongs),
        s["sector.fill_we"].implies(s.begun),
        s["entry.go_reg"].implies(s["command_upcoming_known"]),
        (s["command.command_valid"] & s["command_upcoming_known"]).implies(s["command_command_size"].wide < len(s.p.sizes)),
        s["entry.packet_entering"].implies(s["command_command_size"].equals(s["engine_size_number"])),
    ])  # fmt: skip


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
    packets_have_a_size,
)
"""These invariants hold after a reset and from then on."""


# -- rules -------------------------------------------------------------------------------------------------------------------------


def data_stay(s: BusState, t: BusState) -> Bits:
    """A beat on m_axis that is not taken stays, with its payload."""
    waits = s["ring.out.valid_reg"] & ~s["ring.out.o_ready"]
    return waits.implies(t["ring.out.valid_reg"] & t["ring.m_payload"].equals(s["ring.m_payload"]))


def status_stays(s: BusState, t: BusState) -> Bits:
    """A status on m_axis_status that is not taken stays, with its payload."""
    waits = s["queue.valid_reg"] & ~s["queue.status_ready"]
    return waits.implies(t["queue.valid_reg"] & t["queue.status_payload"].equals(s["queue.status_payload"]))


def request_stays(s: BusState, t: BusState) -> Bits:
    """A request to the engine to enter stays, with all of its fields, until it is acknowledged."""
    waits = s["entry.packet_entering"] & ~s["entry.enter_ack"]
    names = [n for n in ("engine_enter_ticket", "engine_enter_decrypt", "engine_tweak", "engine_enter_slot") if s.state.has(n)]
    if len(names) < 2:
        raise KeyError("the buses have no request")
    return waits.implies(all_of(t[name].equals(s[name]) for name in ("entry.packet_entering", *names)))


def one_status_a_command(s: BusState, t: BusState) -> Bits:
    """The number of commands in flight grows with each command and falls with each status.  No status comes before its command."""
    counted = (s.in_flight + s.shake("command").wide).equals(t.in_flight + s.shake("status").wide)
    return counted & s.shake("status").implies(s.in_flight > 0)


def statuses_in_order(s: BusState, t: BusState) -> Bits:
    """Tags and codes in flight form a queue.

    A status takes the oldest entry, and a command becomes the youngest.  It gets the code of its decision, and keeps it.
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
            (s.decided & before.equals(s.queued)).implies(new[16:].equals(s["entry.verdict_code"])),
        ]
    return all_of(rules)


def data_before_status(s: BusState, t: BusState) -> Bits:
    """A good status leaves the queue only after the last beat of its sector has been taken, and takes one such sector with it."""
    good = s["queue.pop"] & s["queue.queue.r_data"][16:].equals(OK)
    last = s.shake("m") & s.last
    counted = (s.delivered + last.wide).equals(t.delivered + good.wide)
    return good.implies(s.delivered > 0) & counted


def whole_packets(s: BusState, t: BusState) -> Bits:
    """Each packet on m has the beats of a sector.  tlast is high in the last one only, and no beat is lost or repeated."""
    beat = s.shake("m")
    marked = beat.implies(s.last.equals(s.next_beat.equals(s.beats(s.leaving[0][3]) - 1)))
    return marked & t.next_beat.equals(beat.choose(s.after_next_beat, s.next_beat))


def places_suffice(s: BusState, t: BusState) -> Bits:
    """A sector is admitted only into a free place, and the numbers of sectors change as sectors move."""
    admitted, entered, done = s["ring.place_admit"], s["entry.enter_ack"], s["ring.done_valid"]
    return all_of([
        admitted.implies(s["ring.free_reg"].some()),
        (s.in_engine + entered.wide).equals(t.in_engine + done.wide),
        (s.undelivered + admitted.wide).equals(t.undelivered + (s.shake("m") & s.last).wide),
    ])  # fmt: skip


def refused_gives_no_data(s: BusState, t: BusState) -> Bits:
    """A sector is admitted if and only if its status is OK.

    Its packet is then without fault, and its command could be obeyed in this cycle or in the one before.
    """
    take, admit = s.decided, s["ring.place_admit"]
    return all_of([
        admit.equals(take & s["entry.verdict_code"].equals(OK)),
        take.implies(s.undecided & s["sector.packet_complete"] & s["queue.verdict_room"]),
        admit.implies(s["sector.packet_ok"]),
        t["ring.place_admit"].implies(s["command.command_ok"] | t["command.command_ok"]),
    ])  # fmt: skip


def ready_status_goes(s: BusState, t: BusState) -> Bits:
    """A status that need not wait is on the bus in the next cycle."""
    ok = s["queue.queue.r_data"][16:].equals(OK)
    free = ~s["queue.valid_reg"] | s["queue.status_ready"]
    may = s["queue.queue.r_rdy"] & free & (~ok | s.delivered.some())
    return may.implies(t["queue.valid_reg"])


def command_moves_on(s: BusState, t: BusState) -> Bits:
    """A command that has been taken is checked in the next cycle, if no other command is before it."""
    return (s["command.taken_valid_reg"] & ~s["command.command_valid"]).implies(t["command.command_valid"])


def decision_is_made(s: BusState, t: BusState) -> Bits:
    """A command that waits with its packet is decided by the next cycle, if no sector asks to enter and the queue has room.

    A good one also needs a place in the ring.
    """
    waits = all_of([s.undecided, s["sector.packet_complete"], s["queue.verdict_room"], ~s["entry.packet_entering"]])
    bad = ~(s["command.command_ok"] & s["sector.packet_ok"])
    return (waits & (bad | s["ring.free_reg"].some())).implies(s.decided | t.decided)


def size_is_the_commands(s: BusState, t: BusState) -> Bits:
    """In a core for several sizes, a sector is taken in, enters, and is given back with the size of its command."""
    if not s.several:
        return constant(1, 1)
    admitted = s["ring.place_admit"]
    rules = [admitted.implies(s["command_upcoming_known"] & s["command_command_size"].equals(s["engine_size_number"]))]
    for place in range(s.p.buffers.ring_sectors):
        name = f"ring.size{place}_reg"
        here = admitted & s.ticket.equals(place)
        rules.append(t[name].equals(here.choose(s["command_command_size"], s[name])))
    return all_of(rules)


def size_changes_between_sectors(s: BusState, t: BusState) -> Bits:
    """The size changes only while no sector is in the engine or asks to enter.

    ``restart`` follows in the next cycle.  No beat is written in either cycle.
    """
    if not s.several:
        return constant(1, 1)
    changes = t["engine_size_number"].differs(s["engine_size_number"])
    empty = s.in_engine.equals(0) & ~s["entry.packet_entering"]
    return all_of([
        changes.implies(t["engine_size_restart"] & empty),
        t["engine_size_restart"].implies(~s["sector.fill_we"] & ~t["sector.fill_we"] & ~t["entry.packet_entering"]),
    ])  # fmt: skip


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
    size_is_the_commands,
    size_changes_between_sectors,
)
"""These rules hold in every cycle without reset."""


# -- progress --------------------------------------------------------------------------------------------------------------------


def waits_for_the_host_only(s: BusState) -> Bits:
    """A decided command has no status yet, and no sector is in the engine or on its way there."""
    return (s.queued > 0) & s.in_engine.equals(0) & ~s["entry.packet_entering"]


def host_takes(s: BusState) -> Bits:
    """The host is ready for results and statuses."""
    return s["ring.out.o_ready"] & s["queue.status_ready"]


def status_given(s: BusState) -> Bits:
    """A status passes."""
    return s.shake("status")


def longest_wait(p: BusParameters) -> int:
    """The number of cycles within which a status then passes: the beats of a sector, and the registers from done to the status."""
    return p.beats + 5


def result_is_there(s: BusState) -> Bits:
    """A sector is to be sent."""
    return s["ring.to_send_reg"].some()


def result_is_offered(s: BusState) -> Bits:
    """A beat of it is on m_axis."""
    return s["ring.out.valid_reg"]


def status_is_there(s: BusState) -> Bits:
    """A status is next, and the data of its sector have been taken."""
    return s["queue.queue.r_rdy"] & s["queue.delivered_reg"].some()


def status_is_offered(s: BusState) -> Bits:
    """A status is on m_axis_status."""
    return s["queue.valid_reg"]
