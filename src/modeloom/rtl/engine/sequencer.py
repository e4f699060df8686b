# SPDX-License-Identifier: Apache-2.0
"""The sequencer knows which row runs, and which sector each stage holds.

The row pointer goes round the main table while a sector is in flight.  In every cycle at row 0 the stages shift, and a waiting
sector may enter stage 0.  Stage q holds the sector that entered q turns ago::

    row      … II-1 │ 0 │ 1 … II-1 │ 0 │ 1 …
    enter.ack       │ ▲ │          │ ▲ │           stage state changes with the store's output, one cycle behind the pointer

``ready_reg`` says a cycle ahead whether an entry would be granted, so that ``enter.ack`` is one gate.

The set-up table stands behind the main one and runs once, in stage 0, while no sector is in flight.  Then ``scrub`` overwrites the
banks of results, so that no intermediate value of a set-up outlives it.  After the erasure of a key only ``scrub`` happens.

A core for several sector sizes has a main table and a set-up table for each size.  A set-up runs all set-up tables, one after the
other.  The size changes only while nothing is in flight.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from amaranth.hdl import Array, C, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.preparation import setup_signature
from modeloom.rtl.engine.interface import enter_signature, size_signature

__all__ = ["Sequencer"]


def _name(cells: tuple[int, ...]) -> str:
    return "_".join(map(str, cells))


class Sequencer(wiring.Component):
    """Row pointer, stages and rotation counters.

    Parameters
    ----------
    rows, setup_rows : sequence of int
        Rows of the main table and of the set-up table, for each size.
    stages : int
        The most sectors that are in flight at a time.
    moduli : sequence of tuple of int
        For each bank, its number of cells for each size.  Each different tuple gets a counter.
    slots, ticket_bits : int
        Number of key slots, and the width of a ticket in bits.
    drain : int
        Cycles from a row to its last effect.
    scrub_words : int
        Words of the deepest bank of results.

    Members
    -------
    size : size_signature
    enter : enter_signature
    setup : setup_signature
        These three are ports of the engine.
    table_size : Out
        The size whose table runs.  In a set-up it is the size of the set-up table, otherwise ``size.number``.
    scrub, scrub_address : Out
        After a set-up, or instead of one (``setup.scrub``), this word of all banks of results is overwritten with zeros.

    Attributes
    ----------
    stage_valid, stage_decrypt, stage_slot, stage_ticket, stage_base
        The state of each stage, as arrays.  ``stage_base[R]`` counts sectors modulo R, where R is taken for the size that runs.
    next_base, ahead_base : dict
        The counter of the sector that enters next, and of the one after it.

    Raises
    ------
    ValueError
        If there are several sizes, and the table of one has a single row.
    """

    def __init__(
        self, rows: Sequence[int], setup_rows: Sequence[int], stages: int, moduli: Sequence[tuple[int, ...]], slots: int,
        ticket_bits: int, drain: int, scrub_words: int,
    ):  # fmt: skip
        self.rows, self.setup_rows = tuple(rows), tuple(setup_rows)
        self.stages, self.drain, self.scrub_words = stages, drain, scrub_words
        self.sizes = len(self.rows)
        if self.sizes > 1 and min(self.rows) < 2:
            raise ValueError("a core for several sizes needs an initiation interval of at least two cycles in each")
        self.moduli = tuple(sorted(set(moduli)))
        slot = range(max(2, slots))
        self.stage_valid = Array(Signal(name=f"stage{q}_valid") for q in range(stages))
        self.stage_decrypt = Array(Signal(name=f"stage{q}_decrypt") for q in range(stages))
        self.stage_slot = Array(Signal(slot, name=f"stage{q}_slot") for q in range(stages))
        self.stage_ticket = Array(Signal(ticket_bits, name=f"stage{q}_ticket") for q in range(stages))
        self.stage_base = {
            r: Array(Signal(range(max(2, *r)), name=f"stage{q}_base{_name(r)}") for q in range(stages)) for r in self.moduli
        }
        self.next_base = {r: Signal(range(max(2, *r)), name=f"next_base{_name(r)}") for r in self.moduli}
        self.ahead_base = {r: Signal(range(max(2, *r)), init=1 % r[0], name=f"ahead_base{_name(r)}") for r in self.moduli}
        super().__init__(
            {
                "row": Out(range(max(2, sum(self.rows) + sum(self.setup_rows)))),
                "size": In(size_signature(self.sizes)),
                "table_size": Out(range(max(2, self.sizes))),
                "enter": In(enter_signature(key_slots=slots, ticket_bits=ticket_bits)),
                "setup": In(setup_signature(slots)),
                "scrub": Out(1),
                "scrub_address": Out(range(max(2, scrub_words))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Makes what says that the engine rests, the grants of set-ups and entries, the row pointer, its flags, and the states of the
        stages.

        Each flag is computed a cycle ahead.  In set-up the pointer runs once through the rows of each size, and waits until the last
        results are written; otherwise it turns around as long as a sector is in flight.
        """
        m = Module()
        starts = list(accumulate((*self.rows, *self.setup_rows), initial=0))
        main_starts, setup_starts = starts[: self.sizes], starts[self.sizes : -1]
        ends = starts[1:]
        several = self.sizes > 1
        number = Signal(range(max(2, self.sizes)), name="setup_number_reg")
        start = self.pick(main_starts)
        in_setup = Signal(name="in_setup_reg")
        # These flags of the pointer's row are computed a cycle ahead, so that no comparison and no carry delays what they decide.
        at_start = Signal(init=1, name="at_start_reg")
        at_end = Signal(init=int(self.rows == (1,)), name="at_end_reg")
        ready = Signal(name="ready_reg")
        rest = Signal(range(self.drain + 2), name="rest_reg")
        quiet = Signal(name="quiet_reg")
        busy = Signal()
        stays = Signal()
        stop = Signal()
        start_setup = Signal()
        at_last = Signal(name="at_last_reg")
        finished = Signal(name="finished_reg")
        scrub = Signal(name="scrub_reg")
        scrub_address = Signal.like(self.scrub_address, name="scrub_address_reg")
        wait = Signal(range(self.drain + 1), name="wait_reg")
        m.d.comb += [
            busy.eq(Cat(*self.stage_valid).any()),
            stays.eq(Cat(*list(self.stage_valid)[:-1]).any() if self.stages > 1 else 0),
            self.size.idle.eq(quiet),
            self.table_size.eq(Mux(in_setup, number, self.size.number) if several else 0),
            self.scrub.eq(scrub),
            self.scrub_address.eq(scrub_address),
            # The buses use the entry of a sector in the same cycle, so only two registers decide it.
            self.enter.ack.eq(self.enter.request & ready),
        ]
        with m.If(busy | in_setup | self.enter.ack | start_setup):
            m.d.sync += [rest.eq(self.drain + 1), quiet.eq(0)]
        with m.Elif(rest != 0):
            m.d.sync += [rest.eq(rest - 1), quiet.eq(rest == 1)]
        with m.Else():
            m.d.sync += quiet.eq(1)

        # A request for set-up starts nothing in a cycle in which an entry may be granted.
        asked = Signal(name="asked_reg")
        m.d.sync += asked.eq(self.setup.request & ~self.setup.done)
        m.d.comb += [
            start_setup.eq(asked & quiet & ~ready & ~in_setup & (~self.size.restart if several else 1)),
            self.setup.done.eq(finished),
        ]
        run = Signal()
        m.d.comb += [run.eq(self.enter.ack | stays), stop.eq(asked | in_setup)]
        if self.rows != (1,):
            m.d.sync += ready.eq(Mux(at_start, ~run, at_end) & ~stop)
        else:
            m.d.sync += ready.eq(~stop)

        with m.If(in_setup):
            # The store and the stage are a cycle behind the pointer, so the rows act from the second cycle on, and the last one
            # once.
            with m.If((self.row == self.pick(setup_starts, number)) & (wait == 0)):
                m.d.sync += self.stage_valid[0].eq(1)
            with m.If(wait == 1):
                m.d.sync += self.stage_valid[0].eq(0)
            with m.If(~at_last):
                m.d.sync += [self.row.eq(self.row + 1), at_last.eq(self.row == self.pick([end - 2 for end in ends[self.sizes :]], number))]
            with m.Elif(scrub):
                m.d.sync += scrub_address.eq(scrub_address + 1)
                with m.If(scrub_address == self.scrub_words - 1):
                    m.d.sync += [scrub.eq(0), scrub_address.eq(0), finished.eq(1)]
            with m.Elif(~finished):
                m.d.sync += [wait.eq(wait + 1), scrub.eq(wait == self.drain - 1)]
                if several:
                    with m.If((wait == self.drain - 1) & (number != self.sizes - 1)):
                        following = [*range(1, self.sizes), 0]
                        m.d.sync += [
                            scrub.eq(0), wait.eq(0), number.eq(number + 1),
                            self.row.eq(self.pick([setup_starts[i] for i in following], number)),
                            at_last.eq(self.pick([int(self.setup_rows[i] == 1) for i in following], number)),
                        ]  # fmt: skip
            with m.Else():
                m.d.sync += [wait.eq(0), finished.eq(0), at_last.eq(0), in_setup.eq(0), self.row.eq(start)]
                if several:
                    m.d.sync += number.eq(0)
        with m.Elif(start_setup):
            m.d.sync += [
                in_setup.eq(1), self.row.eq(setup_starts[0]), at_last.eq(self.setup_rows[0] == 1),
                self.stage_decrypt[0].eq(0), self.stage_slot[0].eq(self.setup.slot),
            ]  # fmt: skip
            with m.If(self.setup.scrub):
                m.d.sync += [at_last.eq(1), wait.eq(self.drain), scrub.eq(1)]
        with m.Elif(at_end):
            m.d.sync += self.row.eq(start)
        with m.Elif(~at_start | run):
            m.d.sync += self.row.eq(self.row + 1)

        # The stages shift in every cycle at row 0.  While nothing is in flight they are empty.
        if self.rows != (1,):
            with m.If(in_setup):
                pass
            with m.Elif(at_start):
                m.d.sync += [at_start.eq(~run), at_end.eq(run & self.pick([int(rows == 2) for rows in self.rows]))]
            with m.Else():
                m.d.sync += [at_start.eq(at_end), at_end.eq(~at_end & (self.row == self.pick([end - 2 for end in ends[: self.sizes]])))]
        self._shift(m, at_start & ~in_setup, start_setup)
        if several:
            with m.If(self.size.restart & ~in_setup):
                m.d.sync += self.row.eq(start)
        return m

    def _shift(self, m: Module, shifts: Value, start_setup: Value) -> None:
        """Shifts the states of the stages, takes in those of the sector that enters, and counts the bases of rotating banks."""
        several = self.sizes > 1
        with m.If(shifts):
            m.d.sync += self.stage_valid[0].eq(self.enter.ack)
            with m.If(~start_setup):
                m.d.sync += [self.stage_decrypt[0].eq(self.enter.decrypt), self.stage_slot[0].eq(self.enter.slot)]
            m.d.sync += self.stage_ticket[0].eq(self.enter.ticket)
            # A set-up counts cells for its own size, and begins at 0.
            for r in self.moduli:
                base = Mux(start_setup, 0, self.next_base[r]) if several else self.next_base[r]
                m.d.sync += self.stage_base[r][0].eq(base)
            for q in range(1, self.stages):
                pairs: list[Array] = [self.stage_valid, self.stage_decrypt, self.stage_slot, self.stage_ticket]
                m.d.sync += [state[q].eq(state[q - 1]) for state in (*pairs, *self.stage_base.values())]
        for r in self.moduli:
            ahead = self.ahead_base[r]
            with m.If(self.enter.ack):
                m.d.sync += [self.next_base[r].eq(ahead), ahead.eq(Mux(ahead == self.pick([cells - 1 for cells in r]), 0, ahead + 1))]
            if several:
                with m.If(self.size.restart):
                    m.d.sync += [self.next_base[r].eq(0), ahead.eq(self.pick([1 % cells for cells in r]))]

    def pick(self, values: Sequence[int], by: Value | None = None) -> Value:
        """The value for the size ``by``, or for the size that runs."""
        if len(set(values)) == 1:
            return C(values[0], max(1, values[0].bit_length()))
        return Array(C(value, max(1, max(values).bit_length())) for value in values)[self.size.number if by is None else by]

    def of_stage(self, states: Array, stage: Value) -> Value:
        """The state of the stage that a field names."""
        return states[stage] if self.stages > 1 else states[0]
