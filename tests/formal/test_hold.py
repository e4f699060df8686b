# SPDX-License-Identifier: Apache-2.0
"""A held packet leaves the buffer for unverified text only after a good verdict, whatever host and pipeline do.  This is proved.

Here a beat has one bit, which says whether its packet will be released.  All beats of a packet that is not held are 1, and all
beats of a held packet have its verdict.  So the promise is that every beat at the output is 1.  ``promise`` is the future verdict
on the held packet.  It is free, and stays the same while this packet is held.
"""

import inspect
from functools import lru_cache

import pytest
from amaranth.back import rtlil
from amaranth.hdl import unsigned
from tests.formal.bits import Bits, all_of, constant, fresh
from tests.formal.induction import unproved_by_induction
from tests.formal.machine import Machine
from tests.formal.proof import holds

from modeloom.rtl.stream import hold
from modeloom.taint.graph import netlist_of_rtlil

DEPTHS = (4, 5, 8)
BEAT, LAST, HELD, STORED = range(4)
"""Bits of ``i__payload``."""


@lru_cache
def machine(depth, before="", after=""):
    """The buffer, or a copy with a mistake."""
    source = inspect.getsource(hold)
    assert not before or source.count(before) == 1
    names = {"__name__": "copy"}
    exec(compile(source.replace(before, after) if before else source, "copy", "exec"), names)
    return Machine(netlist_of_rtlil(rtlil.convert(names["HoldBuffer"](unsigned(1), depth, 3), name="hold", emit_src=False), "hold"))


class Buffer:
    """Names for the parts of a state of the buffer."""

    def __init__(self, state, depth, promise):
        self.state, self.depth, self.promise = state, depth, promise

    def __getitem__(self, name: str) -> Bits:
        return self.state[name]

    def input(self, bit: int) -> Bits:
        """A bit of the beat that is offered."""
        return self["i__payload"][bit]

    @property
    def takes(self) -> Bits:
        """A beat is taken."""
        return self["i__valid"] & self["i__ready"]

    @property
    def begins(self) -> Bits:
        """A held packet begins."""
        return self.takes & self.input(HELD) & ~self["held_reg"]

    @property
    def current(self) -> Bits:
        """The future verdict on the packet of this cycle."""
        return self["held_reg"].choose(self.promise, self.input(BEAT))

    def place(self, offset: Bits) -> Bits:
        """The place with this offset from the one that is read."""
        at = self["get_reg"].wide + offset.wide
        return (at < self.depth).choose(at, at - self.depth)

    def contents(self, place: int) -> Bits:
        """The beat in a place."""
        (memory,) = (cell for cell in self.state.machine.netlist.cells if cell.type == "$mem_v2")
        return self.state.word(memory, constant(place, memory.parameters["ABITS"]))

    def next(self):
        """The state of the next cycle, with the same promise for the same packet."""
        return Buffer(self.state.next(), self.depth, self["held_reg"].choose(self.promise, self.input(BEAT)))


def numbers(s):
    """All pointers and counts are in their ranges, and the flag of a full buffer is right."""
    size = constant(s.depth, 16)
    places = [s[name].wide < size for name in ("put_reg", "begin_reg", "get_reg")]
    used = s["used_reg"].wide
    return all_of([*places, s["visible_reg"].wide <= used, used <= size, s["full_reg"].equals(used.equals(size))])


def pointers(s):
    """Visible places begin at the place that is read, and end where hidden places begin."""
    return s["put_reg"].wide.equals(s.place(s["used_reg"])) & s["begin_reg"].wide.equals(s.place(s["visible_reg"]))


def between_packets(s):
    """Beats are hidden only while a packet is held."""
    return (s["held_reg"] | s["visible_reg"].equals(s["used_reg"])) & s["ended_reg"].implies(s["held_reg"])


def contents(s):
    """Visible beats were released or not held.  Hidden beats belong to the packet that is held."""
    truths = []
    for place in range(s.depth):
        at, get = constant(place, 16), s["get_reg"].wide
        offset = (get <= at).choose(at - get, at + s.depth - get)
        visible, used = offset < s["visible_reg"].wide, offset < s["used_reg"].wide
        truths += [visible.implies(s.contents(place)), (used & ~visible).implies(s.contents(place).equals(s.promise))]
    return all_of(truths)


def output(s):
    """The promise: a beat at the output belongs to a packet that was released or not held."""
    return s["o__valid"].implies(s["rdata__0"] & s["visible_reg"].some())


def quiet(s):
    """Nothing is erased except in a reset."""
    return ~s["memory.erase_reg"]


def one_verdict(s, t):
    """A verdict is taken in the last cycle in which its packet is held.  So each held packet takes one verdict, in order."""
    taken = s["verdict__valid"] & s["verdict__ready"]
    return taken.equals((s["held_reg"] | s.begins) & ~t["held_reg"])


def drops_are_told(s, t):
    """``dropped`` follows each verdict that drops a packet, and nothing else."""
    return t["dropped"].equals(s["verdict__valid"] & s["verdict__ready"] & ~s["verdict__payload"])


RULES = (one_verdict, drops_are_told)
INVARIANTS = (numbers, pointers, between_packets, contents, output, quiet)


def surroundings(s):
    """There is no reset, and beats and verdicts agree with the promise."""
    return all_of([
        ~s["rst"], ~s["erase"],
        s["i__valid"].implies(s.input(HELD).choose(s.input(BEAT).equals(s.current), s.input(BEAT))),
        # A packet is held in all its beats or in none.
        (s["held_reg"] & s["i__valid"] & ~s["ended_reg"]).implies(s.input(HELD)),
        s["i__valid"].implies(s.input(HELD) | s.input(STORED)),
        ((s["held_reg"] | s.begins) & s["verdict__valid"]).implies(s["verdict__payload"].equals(s.current)),
    ])  # fmt: skip


def unproved(built, depth):
    """The invariants that do not hold after a reset or one cycle after they held, and the rules that do not hold."""
    any_ = Buffer(built.free("any"), depth, fresh("any.promise", 1))
    s = Buffer(built.free("s"), depth, fresh("s.promise", 1))
    reset = [any_["rst"], ~any_["erase"]]
    return unproved_by_induction(INVARIANTS, RULES, any_.next(), reset, s, s.next(), [surroundings(s)])


@pytest.mark.parametrize("depth", DEPTHS)
def test_nothing_leaves_before_its_verdict(depth):
    assert not unproved(machine(depth), depth)


def test_the_surroundings_are_possible():
    """The assumptions are possible: there are states in which a held packet is released, and states in which one is dropped."""
    for verdict in (0, 1):
        s = Buffer(machine(5).free("s"), 5, fresh("s.promise", 1))
        seen = s["held_reg"] & s["ended_reg"] & s["verdict__valid"] & s["verdict__payload"].equals(verdict) & s["o__valid"]
        assert holds(~seen, all_of(each(s) for each in INVARIANTS), surroundings(s)) is not None


MISTAKES = {
    "a wrong verdict is forgotten": ("wrong.eq(held & self.verdict.valid & ~self.verdict.payload)", "wrong.eq(0)"),
    "written is visible": ("hidden.eq(held & ~right)", "hidden.eq(0)"),
    "the first beat is visible": ("hidden.eq(held & ~right)", "hidden.eq(held_reg & ~right)"),
    "begin stands before the last beat": ("m.d.sync += begin_reg.eq(put)", "m.d.sync += begin_reg.eq(put_reg)"),
    "places do not come back": ("used.eq(Mux(wrong, shown, used_reg + store - pop))", "used.eq(used_reg + store - pop)"),
    "what is dropped is not told": ("dropped_reg.eq(wrong & done)", "dropped_reg.eq(wrong & ended_reg)"),
    "the next packet does not wait": ("~ended_reg & (~full_reg", "(~full_reg"),
    "full is not seen": ("full_reg.eq(used == self.depth)", "full_reg.eq(0)"),
    "what is not there is read": ("valid_reg.eq(shown.any())", "valid_reg.eq(visible.any())"),
    "the verdict is left for the next packet": ("self.verdict.ready.eq(held & done)", "self.verdict.ready.eq(0)"),
}  # fmt: skip


@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistake_is_found(what):
    assert unproved(machine(5, *MISTAKES[what]), 5)
