# SPDX-License-Identifier: Apache-2.0
"""Two clocks as one: in each step of a proof, each clock rises or does not, and what crosses may be seen late, bit by bit.

::

    any source ──▶ [now] ──▶ choice of each bit ──▶ [meta_reg] ──▶ [stable_reg]
                   [before: a step ago] ──▶▲

A register that is read while it changes gives each of its bits as it was, or as it becomes.  A synchroniser that takes longer is one whose
clock rises later.  So all orders of edges, all delays of less than a cycle of the source, and all results of metastability are covered.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from amaranth.hdl import DomainRenamer, Elaboratable, EnableInserter, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from tests.formal.bits import Bits, all_of, concat, constant
from tests.formal.machine import Machine, State
from tests.formal.proof import holds

from modeloom.rtl.clocks import fifo as fifo_module
from modeloom.rtl.clocks.fifo import ClockFifo
from modeloom_verilog.modules import component_rtlil, inner_verilog

TOP = "pair"
SYNC = ("write", "read", "core", "host", "always")


class LateSynchronizer(wiring.Component):
    """A synchroniser of which each bit may see its source as it was a step before."""

    def __init__(self, width: int = 1, init: int = 0):
        self.width, self.init = width, init
        super().__init__({"i": In(width), "o": Out(width), "late": In(width)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        before_reg, meta_reg, stable_reg = (
            Signal(self.width, init=self.init, name=f"{name}_reg") for name in ("before", "meta", "stable")
        )  # fmt: skip
        m.d.always += before_reg.eq(self.i)
        m.d.sync += [meta_reg.eq((self.i & ~self.late) | (before_reg & self.late)), stable_reg.eq(meta_reg)]
        m.d.comb += self.o.eq(stable_reg)
        return m


class OneClock(wiring.Component):
    """A queue of which the clocks rise when inputs say so."""

    def __init__(self, depth: int):
        self.depth, self.bits = depth, depth.bit_length()
        self.width = self.bits + 1
        super().__init__({
            "w_rises": In(1), "r_rises": In(1), "i_valid": In(1), "i_payload": In(self.width), "i_ready": Out(1), "o_valid": Out(1),
            "o_payload": Out(self.width), "o_ready": In(1), "late_w": In(self.bits), "late_r": In(self.bits),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        queue = _Late(ClockFifo(self.width, self.depth))
        m.submodules.queue = one_clock(queue, {"write": self.w_rises, "read": self.r_rises})
        m.d.comb += [
            queue.inner.i.valid.eq(self.i_valid), queue.inner.i.payload.eq(self.i_payload), self.i_ready.eq(queue.inner.i.ready),
            self.o_valid.eq(queue.inner.o.valid), self.o_payload.eq(queue.inner.o.payload), queue.inner.o.ready.eq(self.o_ready),
            queue.late_w.eq(self.late_w), queue.late_r.eq(self.late_r),
        ]  # fmt: skip
        return m


class _Late(Elaboratable):
    """A queue whose synchronisers may be late."""

    def __init__(self, inner: ClockFifo):
        self.inner = inner
        self.late_w, self.late_r = Signal(inner.bits + 1, name="late_w"), Signal(inner.bits + 1, name="late_r")

    def elaborate(self, platform: object) -> Module:
        saved = fifo_module.Synchronizer
        fifo_module.Synchronizer = LateSynchronizer  # type: ignore[misc,assignment]
        try:
            m = self.inner.elaborate(platform)
        finally:
            fifo_module.Synchronizer = saved  # type: ignore[misc]
        m.d.comb += [m.submodules.to_read.late.eq(self.late_w), m.submodules.to_write.late.eq(self.late_r)]
        return m


def one_clock(part: Any, rises: dict[str, Any]) -> Any:
    """A part whose clock domains are one, in which each rises if its signal is high."""
    return DomainRenamer(dict.fromkeys(SYNC, "sync"))(EnableInserter(rises)(part))


@lru_cache
def queue_verilog(depth: int) -> str:
    """A queue as it is emitted, but for its clocks."""
    return inner_verilog(component_rtlil(OneClock(depth), TOP), TOP)


def binary(code: Bits) -> Bits:
    """A number from its Gray code."""
    return concat(_xor(code[at:]) for at in range(code.width))


def _xor(bits: Bits) -> Bits:
    result = bits[0]
    for at in range(1, bits.width):
        result = result ^ bits[at]
    return result


def gray(number: Bits) -> Bits:
    """The Gray code of a number."""
    return number ^ (number >> 1)


class QueueState:
    """A state of a queue, with what the invariants speak of."""

    def __init__(self, state: State, depth: int, where: str = "queue"):
        self.state, self.depth, self.bits = state, depth, depth.bit_length()
        self.w, self.r, self.left = (self[f"{where}.{name}_reg"] for name in ("w_place", "r_place", "left"))
        self.w_code, self.r_code = (self[f"{where}.{name}_gray_reg"] for name in ("w", "r"))
        self.to_read = [self[f"{where}.to_read.{name}_reg"] for name in ("stable", "meta", "before")]
        self.to_write = [self[f"{where}.to_write.{name}_reg"] for name in ("stable", "meta", "before")]

    def __getitem__(self, name: str) -> Bits:
        return self.state[name]

    def next(self) -> QueueState:
        """The state after a step."""
        return QueueState(self.state.next(), self.depth)

    def word(self, at: int) -> Bits:
        """A word of the memory."""
        cell = next(one for one in self.state.machine.netlist.cells if one.type == "$mem_v2")
        return self.state.word(cell, constant(at, cell.parameters["ABITS"]))


def _ahead(number: Bits, base: Bits) -> Bits:
    """By how much a place is ahead of another one."""
    return number - base


def places_are_gray(s: QueueState) -> Bits:
    """What crosses is the Gray code of a place."""
    return s.w_code.equals(gray(s.w)) & s.r_code.equals(gray(s.r))


def the_reader_is_behind(s: QueueState) -> Bits:
    """What the reader has seen of the writer lies between its own place and that of the writer, the later register behind the earlier."""
    seen = [_ahead(binary(one), s.r) for one in s.to_read] + [_ahead(s.w, s.r)]
    return all_of([*(a <= b for a, b in zip(seen, seen[1:])), seen[-1] <= s.depth])


def the_writer_is_behind(s: QueueState) -> Bits:
    """What the writer has seen of the reader, in the same way; and it has overwritten no more than it has seen to be read."""
    seen = [_ahead(s.w, s.left), *(_ahead(s.w, binary(one)) for one in s.to_write), _ahead(s.w, s.r)]
    return all_of([*(a >= b for a, b in zip(seen, seen[1:])), seen[0] <= s.depth])


def what_crossed_a_step_ago_is_next_to_what_crosses(s: QueueState) -> Bits:
    """A place changes by at most one in a step."""
    return all_of(
        _ahead(place, binary(seen[2])) <= 1 for place, seen in ((s.w, s.to_read), (s.r, s.to_write))
    )  # fmt: skip


def words_are_there(s: QueueState) -> Bits:
    """Each word that is not read yet is the one that was written, and each word that was overwritten is zero."""
    found = []
    for at in range(s.depth):
        word = s.word(at)
        here, kept = [], []
        for number in (at, at + s.depth):
            place = constant(number, s.bits)
            there = _ahead(place, s.r) < _ahead(s.w, s.r)
            here.append(there.implies(word.equals(concat([place, constant(1, 1)]))))
            kept.append(_ahead(place, s.left) < _ahead(s.w, s.left))
        found += [*here, (~kept[0] & ~kept[1]).implies(word.equals(0))]
    return all_of(found)


def the_output_is_the_word_before(s: QueueState) -> Bits:
    """What stands at the output is the last word that was read, and zero otherwise."""
    before = concat([s.r - 1, constant(1, 1)])
    return s["o_valid"].choose(s["o_payload"].equals(before), s["o_payload"].equals(0))


INVARIANTS = (
    places_are_gray, the_reader_is_behind, the_writer_is_behind, what_crossed_a_step_ago_is_next_to_what_crosses, words_are_there,
    the_output_is_the_word_before,
)  # fmt: skip


def taken(s: QueueState) -> Bits:
    """The number of words that the host has taken."""
    return s.r - s["o_valid"].extend(s.bits)


def each_word_comes_once_and_in_order(s: QueueState, t: QueueState) -> Bits:
    """The host takes the word after the last one that it took, and nothing else."""
    takes = s["o_valid"] & s["o_ready"] & s["r_rises"]
    right = s["o_payload"].equals(concat([taken(s), constant(1, 1)]))
    return takes.implies(right) & taken(t).equals(taken(s) + takes.extend(s.bits))


def a_word_goes_in_when_it_is_taken(s: QueueState, t: QueueState) -> Bits:
    """The place of the writer counts the words that it has taken."""
    puts = s["i_valid"] & s["i_ready"] & s["w_rises"]
    return t.w.equals(s.w + puts.extend(s.bits))


def what_is_offered_stays(s: QueueState, t: QueueState) -> Bits:
    """AXI4-Stream: what is offered stays until it is taken."""
    waits = s["o_valid"] & ~(s["o_ready"] & s["r_rises"])
    return waits.implies(t["o_valid"] & t["o_payload"].equals(s["o_payload"]))


RULES = (each_word_comes_once_and_in_order, a_word_goes_in_when_it_is_taken, what_is_offered_stays)


def numbered(s: QueueState) -> Bits:
    """The words that the sender gives are their numbers, with a one above; and there is no reset, which a queue does not have."""
    return ~s["rst"] & s["i_payload"].equals(concat([s.w, constant(1, 1)]))


def erased(s: QueueState) -> Bits:
    """The state after an erasure."""
    zero = (s.w, s.r, s.left, *s.to_read, *s.to_write, s.w_code, s.r_code, s["o_valid"], s["o_payload"])
    return all_of([*(one.equals(0) for one in zero), *(s.word(at).equals(0) for at in range(s.depth))])


def unproved(machine: Machine, depth: int) -> list[str]:
    """Invariants and rules that do not hold."""
    start, s = QueueState(machine.free("start"), depth), QueueState(machine.free("s"), depth)
    t = s.next()
    sound = [all_of(one(s) for one in INVARIANTS), numbered(s)]
    names = [f"{one.__name__} after an erasure" for one in INVARIANTS if holds(one(start), erased(start)) is not None]
    names += [one.__name__ for one in INVARIANTS if holds(one(t), *sound) is not None]
    return names + [one.__name__ for one in RULES if holds(one(s, t), *sound) is not None]
