# SPDX-License-Identifier: Apache-2.0
"""The sequencer: which row runs, and which sector each stage holds.

The row pointer turns through the main table while a sector is in flight.  In every cycle at row 0 the stages shift, and a waiting
sector may enter stage 0; stage q holds the sector that entered q turns ago::

    row      … II-1 │ 0 │ 1 … II-1 │ 0 │ 1 …
    enter_ack       │ ▲ │          │ ▲ │           stage state changes with the store's output, one cycle behind the pointer

The set-up table stands behind the main one and runs once, in stage 0, while no sector is in flight.
"""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Sequencer"]


class Sequencer(wiring.Component):
    """Row pointer, stages and rotation counters.

    Parameters
    ----------
    rows, setup_rows : int
        Rows of the main and of the set-up table.
    stages : int
        Sectors in flight at most.
    moduli : sequence of int
        Numbers of cells of the banks: a counter for each different one.
    slots, ticket_bits : int
    drain : int
        Cycles from a row to its last effect.

    Attributes
    ----------
    stage_decrypt, stage_slot, stage_ticket, stage_base
        State of each stage, as arrays; ``stage_base[R]`` counts sectors modulo R.
    next_base, ahead_base : dict
        Counter of the sector that enters next, and of the one after it.
    """

    def __init__(self, rows: int, setup_rows: int, stages: int, moduli: tuple[int, ...], slots: int, ticket_bits: int, drain: int):
        self.rows, self.setup_rows, self.stages, self.drain = rows, setup_rows, stages, drain
        self.moduli = tuple(sorted(set(moduli)))
        slot = range(max(2, slots))
        self.stage_valid = Array(Signal(name=f"stage{q}_valid") for q in range(stages))
        self.stage_decrypt = Array(Signal(name=f"stage{q}_decrypt") for q in range(stages))
        self.stage_slot = Array(Signal(slot, name=f"stage{q}_slot") for q in range(stages))
        self.stage_ticket = Array(Signal(ticket_bits, name=f"stage{q}_ticket") for q in range(stages))
        self.stage_base = {
            r: Array(Signal(range(max(2, r)), name=f"stage{q}_base{r}") for q in range(stages)) for r in self.moduli
        }
        self.next_base = {r: Signal(range(max(2, r)), name=f"next_base{r}") for r in self.moduli}
        self.ahead_base = {r: Signal(range(max(2, r)), init=1 % r, name=f"ahead_base{r}") for r in self.moduli}
        super().__init__(
            {
                "row": Out(range(max(2, rows + setup_rows))),
                "enter": In(1),
                "enter_ack": Out(1),
                "enter_decrypt": In(1),
                "enter_slot": In(slot),
                "enter_ticket": In(ticket_bits),
                "setup": In(1),
                "setup_slot": In(slot),
                "setup_done": Out(1),
                "idle": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        in_setup = Signal()
        # The comparison with 0 is made a cycle ahead: the entry of a sector goes on into the buses in the same cycle.
        self.next_row = Signal.like(self.row, name="next_row")
        self.at_start = Signal(init=1, name="at_start_reg")
        m.d.comb += self.next_row.eq(self.row)
        m.d.sync += [self.row.eq(self.next_row), self.at_start.eq(self.next_row == 0)]
        rest = Signal(range(self.drain + 2))
        busy = Signal()
        m.d.comb += [
            busy.eq(Cat(*self.stage_valid).any()),
            self.idle.eq(~busy & ~in_setup & (rest == 0)),
            self.enter_ack.eq(self.enter & self.at_start & ~in_setup & ~self.setup),
        ]
        with m.If(busy | in_setup | self.enter_ack):
            m.d.sync += rest.eq(self.drain + 1)
        with m.Elif(rest != 0):
            m.d.sync += rest.eq(rest - 1)

        with m.If(in_setup):
            self._run_setup(m, in_setup)
        with m.Else():
            self._run_main(m)
            with m.If(self.setup & self.idle & ~self.setup_done):
                m.d.comb += self.next_row.eq(self.rows)
                m.d.sync += [
                    in_setup.eq(1),
                    self.stage_decrypt[0].eq(0),
                    self.stage_slot[0].eq(self.setup_slot),
                ]
        return m

    def _run_setup(self, m: Module, in_setup: Signal) -> None:
        last = self.rows + self.setup_rows - 1
        wait = Signal(range(self.drain + 1))
        m.d.comb += self.setup_done.eq((wait == self.drain) & in_setup)
        # The store is a cycle behind the pointer, and so is the stage: its rows act from the second cycle on, the last one once.
        with m.If((self.row == self.rows) & (wait == 0)):
            m.d.sync += self.stage_valid[0].eq(1)
        with m.If(wait == 1):
            m.d.sync += self.stage_valid[0].eq(0)
        with m.If(self.row != last):
            m.d.comb += self.next_row.eq(self.row + 1)
        with m.Elif(wait != self.drain):
            m.d.sync += wait.eq(wait + 1)
        with m.Else():
            m.d.comb += self.next_row.eq(0)
            m.d.sync += [wait.eq(0), in_setup.eq(0)]

    def _run_main(self, m: Module) -> None:
        stays = Cat(*list(self.stage_valid)[:-1]).any() if self.stages > 1 else 0
        with m.If(self.at_start):
            m.d.sync += self.stage_valid[0].eq(self.enter_ack)
            if self.rows > 1:
                with m.If(self.enter_ack | stays):
                    m.d.comb += self.next_row.eq(1)
            m.d.sync += [
                self.stage_decrypt[0].eq(self.enter_decrypt),
                self.stage_slot[0].eq(self.enter_slot),
                self.stage_ticket[0].eq(self.enter_ticket),
            ]
            m.d.sync += [self.stage_base[r][0].eq(self.next_base[r]) for r in self.moduli]
            for q in range(1, self.stages):
                pairs: list[Array] = [self.stage_valid, self.stage_decrypt, self.stage_slot, self.stage_ticket]
                m.d.sync += [state[q].eq(state[q - 1]) for state in (*pairs, *self.stage_base.values())]
        with m.Elif(self.row == self.rows - 1):
            m.d.comb += self.next_row.eq(0)
        with m.Else():
            m.d.comb += self.next_row.eq(self.row + 1)
        with m.If(self.enter_ack):
            for r in self.moduli:
                ahead = self.ahead_base[r]
                m.d.sync += [self.next_base[r].eq(ahead), ahead.eq(Mux(ahead == r - 1, 0, ahead + 1))]

    def of_stage(self, states: Array, stage: Value) -> Value:
        """State of the stage that a field names."""
        return states[stage] if self.stages > 1 else states[0]
