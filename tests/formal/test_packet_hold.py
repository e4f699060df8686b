# SPDX-License-Identifier: Apache-2.0
"""Packets on the wire that are held leave whole or not at all, once and in order, and only if their last beat is right.  This is proved.

Two beats that are put are followed, ``a`` and then ``b``, until they leave or their packet is dropped.  A beat has its number of bits here,
and ``last``, ``failed`` and ``held``::

    put ──▶ THERE at a place ──▶ GONE          a packet that failed ──▶ DROPPED
"""

import inspect
from functools import lru_cache

import pytest
from amaranth.back import rtlil
from amaranth.lib.data import StructLayout
from tests.built import slowly
from tests.formal.bits import Bits, all_of, any_of, constant, fresh
from tests.formal.follow import select
from tests.formal.induction import unproved_by_induction
from tests.formal.machine import Machine
from tests.formal.proof import holds

from modeloom.rtl.stream import wire as hold
from modeloom.taint.graph import netlist_of_rtlil

DEPTHS = (4, 5, *slowly(8))
LAYOUT = StructLayout({"data": 2, "last": 1, "failed": 1, "held": 1})
DATA, LAST, FAILED, HELD, MARK = slice(0, 2), 2, 3, 4, 5
IDLE, THERE, GONE, DROPPED = range(4)


@lru_cache
def machine(depth, before="", after=""):
    """The queue, or a copy with a mistake."""
    source = inspect.getsource(hold)
    assert not before or source.count(before) == 1
    names = {"__name__": "copy"}
    exec(compile(source.replace(before, after) if before else source, "copy", "exec"), names)
    return Machine(netlist_of_rtlil(rtlil.convert(names["PacketHold"](LAYOUT, depth, 3), name="hold", emit_src=False), "hold"))


class Packets:
    """Names for the parts of a state, with two beats that are followed.

    ``inside`` says that a packet has begun and not ended, ``kept`` whether it is held.
    """

    WIDTHS = {"a": 2, "b": 2, "a_at": 3, "b_at": 3, "beat": LAYOUT.size, "inside": 1, "kept": 1, "a_last": 1, "b_last": 1}

    def __init__(self, state, depth, values):
        self.state, self.depth, self.values = state, depth, values

    @classmethod
    def any(cls, built, depth, label):
        return cls(built.free(label), depth, {name: fresh(f"{label}.{name}", width) for name, width in cls.WIDTHS.items()})

    @classmethod
    def nothing(cls, state, depth):
        return cls(state, depth, {name: constant(0, width) for name, width in cls.WIDTHS.items()})

    def __getitem__(self, name: str) -> Bits:
        return self.values[name] if name in self.values else self.state[name]

    @property
    def put(self) -> Bits:
        """``put_reg``, which has no name of its own here: the register that ``waddr`` is if nothing is dropped."""
        machine = self.state.machine
        address = machine.netlist.net("waddr")
        cell, _, _ = machine.driver[address[0]]
        return self.state.value(cell["A"] if cell.type == "$mux" else address)

    @property
    def full(self) -> Bits:
        """``full_reg``."""
        return ~self["i__ready"]

    def input(self, bit: int) -> Bits:
        """A bit of the beat that is offered."""
        return self["i__payload"][bit]

    @property
    def stores(self) -> Bits:
        """A beat is taken."""
        return self["i__valid"] & self["i__ready"]

    @property
    def drops(self) -> Bits:
        """A held packet ends and has failed."""
        return self.stores & self.input(HELD) & self.input(LAST) & self.input(FAILED)

    def offset(self, at: Bits) -> Bits:
        """How far a place is behind the one that is read."""
        at, get = at.wide, self["get_reg"].wide
        return (get <= at).choose(at - get, at + self.depth - get)

    def place(self, offset: Bits) -> Bits:
        """The place with this offset."""
        at = self["get_reg"].wide + offset.wide
        return (at < self.depth).choose(at, at - self.depth)

    def word(self, place: Bits | int) -> Bits:
        """What a place holds."""
        (memory,) = (cell for cell in self.state.machine.netlist.cells if cell.type == "$mem_v2")
        bits = memory.parameters["ABITS"]
        return self.state.word(memory, constant(place, bits) if isinstance(place, int) else place.extend(bits))

    def next(self):
        """The state of the cycle after."""
        t = Packets(self.state.next(), self.depth, {})
        values = dict(self.values)
        popped = self["visible_reg"].some() & t["get_reg"].differs(self["get_reg"])
        for who, others in (("a", constant(1, 1)), ("b", self["a"].differs(IDLE))):
            where = self[who]
            pick = fresh(f"{self.state.label}.choose_{who}", 1) & others
            comes = where.equals(IDLE) & self.stores & pick
            hidden = where.equals(THERE) & (self.offset(self[f"{who}_at"]) >= self["visible_reg"].wide)
            leaves = where.equals(THERE) & popped & self[f"{who}_at"].equals(self["get_reg"].extend(3))
            cases = [
                (comes, self.drops.choose(constant(DROPPED, 2), constant(THERE, 2))), (hidden & self.drops, constant(DROPPED, 2)),
                (leaves, constant(GONE, 2)),
            ]  # fmt: skip
            values[who] = select(cases, where)
            values[f"{who}_at"] = comes.choose(self.put.extend(3), self[f"{who}_at"])
        values["beat"] = (self["a"].equals(IDLE) & values["a"].differs(IDLE)).choose(self["i__payload"], self["beat"])
        values["inside"] = self.stores.choose(~self.input(LAST), self["inside"])
        values["kept"] = self.stores.choose(self.input(HELD), self["kept"])
        t.values = values
        return t


def numbers(s):
    """All pointers and counts are in their ranges; the flag of a full queue is right, and what is offered is visible."""
    size = constant(s.depth, 16)
    places = [s[name].wide < size for name in ("begin_reg", "get_reg")]
    places.append(s.put.wide < size)
    used, visible = s["used_reg"].wide, s["visible_reg"].wide
    return all_of([
        *places, visible <= used, used <= size, s.full.equals(used.equals(size)), s["valid_reg"].implies(visible > 0),
        ~s["memory.erase_reg"],
    ])  # fmt: skip


def pointers(s):
    """Visible places begin at the place that is read, and end where hidden ones begin."""
    return s.put.wide.equals(s.place(s["used_reg"])) & s["begin_reg"].wide.equals(s.place(s["visible_reg"]))


def only_packets_under_way_are_hidden(s):
    """Between packets, and in one that is not held, everything is visible."""
    return (s["inside"] & s["kept"]) | s["visible_reg"].equals(s["used_reg"])


def output_is_the_oldest(s):
    """What is read is the oldest visible place."""
    return s["valid_reg"].implies(s["read"].equals(s.word(s["get_reg"])))


def beats_are_there(s):
    """The beats that are followed are in their places; the second is behind the first."""
    rules = [s["a"].equals(IDLE).implies(s["b"].equals(IDLE))]
    for who in "ab":
        there = s[who].equals(THERE)
        rules.append(there.implies((s[f"{who}_at"].wide < s.depth) & (s.offset(s[f"{who}_at"]) < s["used_reg"].wide)))
    word = s.word(s["a_at"])
    rules.append(s["a"].equals(THERE).implies(word[: LAYOUT.size].equals(s["beat"]) & ~word[MARK]))
    both = s["a"].equals(THERE) & s["b"].equals(THERE)
    rules += [both.implies(s.offset(s["a_at"]) < s.offset(s["b_at"])), s["b"].equals(GONE).implies(s["a"].differs(THERE))]
    return all_of(rules)


def hidden_beats_are_of_the_packet(s):
    """A hidden beat is held, and none that ends a packet."""
    hidden = s["a"].equals(THERE) & (s.offset(s["a_at"]) >= s["visible_reg"].wide)
    return hidden.implies(s["beat"][HELD] & ~s["beat"][LAST])


def dropped_beats_were_held(s):
    """Nothing is dropped but beats of held packets."""
    return s["a"].equals(DROPPED).implies(s["beat"][HELD])


def bad_ends_are_dropped(s):
    """The last beat of a held packet that failed never waits to leave."""
    bad = s["beat"][HELD] & s["beat"][LAST] & s["beat"][FAILED]
    return (s["a"].equals(THERE) | s["a"].equals(GONE)).implies(~bad)


INVARIANTS = (
    numbers, pointers, only_packets_under_way_are_hidden, output_is_the_oldest, beats_are_there, hidden_beats_are_of_the_packet,
    dropped_beats_were_held, bad_ends_are_dropped,
)  # fmt: skip


def surroundings(s):
    """No reset; a packet is held in all its beats or in none, and has no more beats than there are places."""
    hidden = s["used_reg"].wide - s["visible_reg"].wide
    return all_of([
        ~s["rst"], ~s["erase"], (s["i__valid"] & s["inside"]).implies(s.input(HELD).equals(s["kept"])),
        (s["i__valid"] & s.input(HELD) & ~s.input(LAST)).implies(hidden + 1 < s.depth),
    ])  # fmt: skip


def beats_leave_as_they_came(s, t):
    """A beat that leaves at its place is offered unchanged, and taken by the part behind, behind those that came before it."""
    leaves = s["a"].equals(THERE) & t["a"].equals(GONE)
    offered = s["o__valid"] & s["o__ready"] & s["o__payload"].equals(s["beat"])
    return leaves.implies(offered) & (s["b"].equals(THERE) & t["b"].equals(GONE)).implies(s["a"].differs(THERE))


def nothing_else_leaves(s, t):
    """What leaves was put, is one beat or a mark, and lies at the oldest place."""
    left = (s["o__valid"] & s["o__ready"]) | s["dropped"]
    at = s["get_reg"].wide
    following = (at + 1).equals(s.depth).choose(constant(0, 16), at + 1)
    # A held packet that fails leaves a mark in its place.
    hidden = s["used_reg"] - s["visible_reg"]
    kept = s["used_reg"].wide + s.stores.wide - left.wide
    after = s.drops.choose(s["used_reg"].wide - hidden.wide + 1 - left.wide, kept)
    one = ~(s["dropped"] & s["o__valid"])
    return t["get_reg"].wide.equals(left.choose(following, at)) & t["used_reg"].wide.equals(after) & one


def output_waits(s, t):
    """A beat that is offered stays until it is taken; a mark waits until the part behind is empty."""
    waits = s["o__valid"] & ~s["o__ready"]
    return waits.implies(t["o__valid"] & t["o__payload"].equals(s["o__payload"])) & s["dropped"].implies(s["idle"])


def held_packets_leave_whole(s, t):
    """A held packet becomes visible with its last beat, which is right, and not before."""
    more = t["visible_reg"].wide + any_of([s["o__valid"] & s["o__ready"], s["dropped"]]).wide > s["visible_reg"].wide
    return (more & s.input(HELD)).implies(s.stores & s.input(LAST))


RULES = (beats_leave_as_they_came, nothing_else_leaves, output_waits, held_packets_leave_whole)


def unproved(built, depth):
    """The invariants that do not hold after a reset or one cycle after they held, and the rules that do not hold."""
    first = built.free("any")
    second = first.next()
    after = Packets.nothing(second.next(), depth)
    reset = [truth for state in (first, second) for truth in (state["rst"], ~state["erase"])]
    s = Packets.any(built, depth, "s")
    return unproved_by_induction(INVARIANTS, RULES, after, reset, s, s.next(), [surroundings(s)])


@pytest.mark.parametrize("depth", DEPTHS)
def test_packets_leave_whole_or_not_at_all(depth):
    assert not unproved(machine(depth), depth)


def test_the_surroundings_are_possible():
    """There are states in which a held packet fails while another one waits, and in which one is let go."""
    for failed in (0, 1):
        s = Packets.any(machine(5), 5, "s")
        seen = s.stores & s.input(HELD) & s.input(LAST) & s.input(FAILED).equals(failed) & s["a"].equals(THERE) & s["b"].equals(THERE)
        assert holds(~(seen & s["o__valid"]), all_of(each(s) for each in INVARIANTS), surroundings(s)) is not None


MISTAKES = {
    "a failed packet leaves": ("drop.eq(store & beat.held & beat.last & beat.failed)", "drop.eq(0)"),
    "a packet that is not held is dropped": (
        "drop.eq(store & beat.held & beat.last & beat.failed)", "drop.eq(store & beat.last & beat.failed)",
    ),
    "seen before its end": ("hidden.eq(beat.held & ~beat.last)", "hidden.eq(0)"),
    "a mark does not wait": ("Mux(read.mark, self.idle, self.o.ready)", "self.o.ready"),
    "full is not seen": ("full_reg.eq(used == self.depth)", "full_reg.eq(0)"),
    "places of a dropped packet do not come back": ("used.eq(Mux(drop, shown + 1, used_reg + 1 - pop))", "used.eq(used_reg + 1 - pop)"),
    "a mark is written behind the packet": ("at.eq(Mux(drop, begin_reg, put_reg))", "at.eq(Mux(drop & valid_reg, begin_reg, put_reg))"),
    "what is not there is read": ("valid_reg.eq(shown.any())", "valid_reg.eq(used_reg.any())"),
    "a mark looks like a beat": ("self.o.valid.eq(valid_reg & ~read.mark)", "self.o.valid.eq(valid_reg)"),
}  # fmt: skip


@pytest.mark.parametrize("what", [list(MISTAKES)[0], *slowly(*list(MISTAKES)[1:])])
def test_a_mistake_is_found(what):
    assert unproved(machine(5, *MISTAKES[what]), 5)
