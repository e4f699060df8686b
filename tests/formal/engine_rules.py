# SPDX-License-Identifier: Apache-2.0
"""Rules of an engine's control: every sector that enters is done once, in order, after as many cycles as its program has.

A sector is first in a stage, until the row in which it is done has passed, and then on its way through registers to ``done``::

    enter_ack ──▶ stage 0 ──▶ stage 1 ──▶ ... stage S, up to row D ──▶ done_valid_0 ──▶ ... ──▶ done

Stages go with the row that the control store gives, which is the pointer's of the cycle before.  So a rule is a formula over three
successive states, and a sector's place one over two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

from tests.formal.bits import Bits, all_of, any_of, constant, total
from tests.formal.machine import State

from modeloom.allocate.build import CoreProgram
from modeloom.cycles import DRAIN

__all__ = ["ENGINE_INVARIANTS", "ENGINE_RULES", "Control", "Place", "done_after", "first_size", "within"]


class Control:
    """A state of an engine's control, and its program."""

    def __init__(self, state: State, program: CoreProgram):
        self.state, self.program = state, program
        self.sizes, self.stages = program.sizes, program.stages
        starts = list(accumulate([table.rows for table in program.tables], initial=0))
        self.starts, self.setup_starts, self.end = starts[: self.sizes], starts[self.sizes : -1], starts[-1]
        self.rows = [table.rows for table in program.mains]
        self.setup_rows = [table.rows for table in program.setups]

    def __getitem__(self, name: str) -> Bits:
        return self.state[name if self.state.has(name) else f"sequencer.{name}"]

    def next(self) -> Control:
        """The state of the cycle after."""
        return Control(self.state.next(), self.program)

    @property
    def valid(self) -> list[Bits]:
        """Whether each stage holds something."""
        return [self[f"stage{q}_valid"] for q in range(self.stages)]

    @property
    def row(self) -> Bits:
        """The row pointer."""
        return self["row"].wide

    @property
    def restart(self) -> Bits:
        """Whether the size has just changed."""
        return self["size_restart"] if self.sizes > 1 else constant(0, 1)

    @property
    def at_start(self) -> Bits:
        """Whether the pointer is at the first row; always, in a table of one."""
        return self["at_start_reg"] if self.state.has("sequencer.at_start_reg") else constant(1, 1)

    def _of_setup(self, values: Sequence[int]) -> Bits:
        result = constant(values[0], 16)
        for number, value in enumerate(values[1:], 1):
            result = self["setup_number_reg"].wide.equals(number).choose(constant(value, 16), result)
        return result

    @property
    def setup_start(self) -> Bits:
        """First row of the set-up table that runs."""
        return self._of_setup(self.setup_starts)

    @property
    def setup_end(self) -> Bits:
        """The row behind it."""
        return self._of_setup([start + rows for start, rows in zip(self.setup_starts, self.setup_rows)])

    @property
    def size(self) -> Bits:
        """The size that sectors have."""
        return self["size_number"].wide if self.sizes > 1 else constant(0, 16)

    def of_size(self, values: Sequence[int]) -> Bits:
        """The number for the size that sectors have."""
        result = constant(values[0], 16)
        for number, value in enumerate(values[1:], 1):
            result = self.size.equals(number).choose(constant(value, 16), result)
        return result

    def pipe(self, name: str) -> list[Bits]:
        """The registers between a row and ``done``: that behind the stage first."""
        return [self.state[net] for net in (f"row_{name}_reg", *(f"{name}_{n}_reg" for n in range(DRAIN - 5)))]


class Place:
    """Where sectors are in a state, given the one before."""

    def __init__(self, before: Control, now: Control):
        self.now, self.store_row = now, before.row
        program = now.program
        self.start = now.of_size(now.starts)
        self.rows = now.of_size(now.rows)
        self.done_stage = now.of_size([main.latency // main.rows for main in program.mains])
        self.done_row = self.start + now.of_size([main.latency % main.rows for main in program.mains])
        self.in_main = (self.store_row >= self.start) & (self.store_row < self.start + self.rows)
        self.waiting = [self._waits(q) for q in range(now.stages)]
        """Whether a stage holds a sector that is not done."""
        self.leaves = any_of(w & self.done_stage.equals(q) for q, w in enumerate(self.waiting)) & self.store_row.equals(self.done_row)
        """Whether one passes the row in which it is done."""

    def _waits(self, q: int) -> Bits:
        here = self.done_stage.equals(q) & (self.store_row <= self.done_row)
        return self.now.valid[q] & self.in_main & (here | (self.done_stage > q))

    @property
    def count(self) -> Bits:
        """Sectors that entered and were not done before this cycle."""
        return total([*self.waiting, *self.now.pipe("done_valid")])


# -- invariants ------------------------------------------------------------------------------------------------------------


def pointer_in_table(s: Control) -> Bits:
    """The row pointer is in the table that runs, and its flags say where."""
    start, rows = s.of_size(s.starts), s.of_size(s.rows)
    inside = (s.row >= start) & (s.row < start + rows)
    first = s.at_start.equals(s.row.equals(start))
    at_end = s["at_end_reg"] if s.state.has("sequencer.at_end_reg") else s.row.equals(start + rows - 1)
    last = at_end.equals(s.row.equals(start + rows - 1))
    setup = s.at_start & (rows.equals(1) | ~at_end) & (s.row >= s.setup_start) & (s.row < s.setup_end)
    setup = setup & s.row.equals(s.setup_end - 1).implies(s["at_last_reg"])
    # After a change of size the pointer is still at the beginning of the table before.
    changed = s.at_start & ~at_end & any_of(s.row.equals(other) for other in s.starts) & ~any_of(s.valid)
    return s["in_setup_reg"].choose(setup, s.restart.choose(changed, inside & first & last))


def rests_at_start(s: Control) -> Bits:
    """While no stage holds anything, the pointer is at the first row of the main table."""
    return any_of([*s.valid, s["in_setup_reg"], s.at_start])


def entries_at_start(s: Control) -> Bits:
    """A sector may enter in a cycle in which the stages shift, and none during a set-up."""
    return s["ready_reg"].implies(s.at_start & ~s["in_setup_reg"])


def setup_is_alone(s: Control) -> Bits:
    """While a set-up runs no stage holds a sector and nothing is on its way, and stage 0 is empty again before its end."""
    alone = all_of(~valid for valid in s.valid[1:]) & ~any_of(s.pipe("done_valid"))
    ended = s["scrub"] | s["preparation_setup_done"]
    waits, last = s["wait_reg"], s["at_last_reg"]
    steps = ended.choose(waits.equals(DRAIN) & last, (waits < DRAIN) & (last | waits.equals(0)))
    rests = waits.equals(0) & ~ended & ~last
    number = s["setup_number_reg"] if s.sizes > 1 else constant(0, 1)
    running = alone & steps & s.valid[0].implies(waits < 2) & (number.wide < s.sizes)
    return s["in_setup_reg"].choose(running, rests & number.equals(0))


def idle_is_empty(s: Control) -> Bits:
    """``idle``: no stage holds anything, and nothing is on its way."""
    busy = any_of([*s.valid, s["in_setup_reg"]])
    return s["size_idle"].implies(~busy & s["rest_reg"].equals(0))


def rest_covers_the_way(s: Control) -> Bits:
    """What is on its way to ``done`` is there before the engine counts as idle."""
    return all_of(on_way.implies(s["rest_reg"].wide >= DRAIN + 1 - n) for n, on_way in enumerate(s.pipe("done_valid")))


ENGINE_INVARIANTS: tuple[Callable[[Control], Bits], ...] = (
    pointer_in_table, rests_at_start, entries_at_start, setup_is_alone, idle_is_empty, rest_covers_the_way,
)  # fmt: skip
"""Hold after a reset and in every cycle after it."""


# -- rules -----------------------------------------------------------------------------------------------------------------


def done_once(r: Control, s: Control, t: Control) -> Bits:
    """Sectors that entered less sectors that are done is the number of those that are somewhere: none is done twice, or unasked."""
    before, after = Place(r, s), Place(s, t)
    return (after.count + s["done_valid_3_reg"].wide).equals(before.count + s["enter_ack"].wide)


def sectors_advance(r: Control, s: Control, t: Control) -> Bits:
    """A sector that is not done comes a row further in every cycle: nothing stops it.  So it is done after as many as it has rows."""
    before, after = Place(r, s), Place(s, t)
    claims = []
    for q, waits in enumerate(before.waiting):
        wraps = before.store_row.equals(before.start + before.rows - 1)
        moved = after.store_row.equals(before.store_row + 1)
        stays = moved & after.waiting[q]
        shifts = after.store_row.equals(after.start) & (after.waiting[q + 1] if q + 1 < s.stages else constant(0, 1))
        leaves = before.leaves & before.done_stage.equals(q)
        claims.append(waits.implies(leaves | wraps.choose(shifts, stays)))
    return all_of(claims)


def enters_at_the_beginning(r: Control, s: Control, t: Control) -> Bits:
    """A sector that enters is in stage 0 at row 0 in the next cycle, with its ticket; and nothing else gets there."""
    after = Place(s, t)
    there = after.waiting[0] & after.store_row.equals(after.start)
    entered = there & t["stage0_ticket"].equals(s["enter_ticket"]) if s.state.has("enter_ticket") else there
    return s["enter_ack"].choose(entered, ~there)


def in_order(r: Control, s: Control, t: Control) -> Bits:
    """Each sector keeps its ticket, and its place behind those that entered before it."""
    before, after = Place(r, s), Place(s, t)
    tickets = [s[f"stage{q}_ticket"] for q in range(s.stages)]
    later = [t[f"stage{q}_ticket"] for q in range(s.stages)]
    shift = after.store_row.equals(after.start)
    claims = []
    for q in range(s.stages):
        onward = later[q + 1].equals(tickets[q]) if q + 1 < s.stages else constant(1, 1)
        goes_on = before.waiting[q] & ~(before.leaves & before.done_stage.equals(q))
        wraps = before.store_row.equals(before.start + before.rows - 1)
        claims.append(goes_on.implies(wraps.choose(shift & onward, later[q].equals(tickets[q]))))
        claims.append((before.leaves & before.done_stage.equals(q)).implies(t.pipe("done_ticket")[0].equals(tickets[q])))
    way, next_way = s.pipe("done_valid"), t.pipe("done_valid")
    ticket, next_ticket = s.pipe("done_ticket"), t.pipe("done_ticket")
    claims.append(next_way[0].equals(before.leaves))
    for n in range(len(way) - 1):
        claims.append(next_way[n + 1].equals(way[n]) & way[n].implies(next_ticket[n + 1].equals(ticket[n])))
    return all_of(claims)


def idle_means_empty(r: Control, s: Control, t: Control) -> Bits:
    """While ``idle`` is high, every sector that entered has been done."""
    return s["size_idle"].implies(Place(r, s).count.equals(0))


ENGINE_RULES: tuple[Callable[[Control, Control, Control], Bits], ...] = (
    done_once, sectors_advance, enters_at_the_beginning, in_order, idle_means_empty,
)  # fmt: skip


def first_size(s: Control) -> Bits:
    """What is assumed of the buses after a reset."""
    return s.size.equals(0) & ~s.restart


def within(s: Control, t: Control) -> Bits:
    """What is assumed of the buses: the size changes only while the engine is idle, ``restart`` is high in the first cycle of the new one,
    and no sector asks to enter in either (``size_changes_between_sectors`` of ``stream_rules``).
    """
    if s.sizes == 1:
        return constant(1, 1)
    changed = s.size.differs(t.size)
    quiet = s["size_idle"] & ~s["fill_ahead"] & ~t["fill_ahead"]
    return changed.implies(quiet) & t.restart.equals(changed) & all_of(x.size < x.sizes for x in (s, t))


def done_after(program: CoreProgram) -> list[int]:
    """For each size, the cycles from ``enter_ack`` to ``done``."""
    return [main.latency + 1 + DRAIN - 4 for main in program.mains]
