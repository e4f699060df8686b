# SPDX-License-Identifier: Apache-2.0
"""What starts that run ahead have computed, in memories of the pipeline until their messages begin.

::

    start ──unit──▶ value ──▶ memory of a part of the state, at the place of the message ──▶ first token of the message, at its home
                              zeros, when the message has begun ─▲
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from amaranth.hdl import Const, Mux, Value

from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.state import StateValues

__all__ = ["LUT_PLACES", "StartedValues"]

LUT_PLACES = 64
"""Most places in LUT memories.  More are in block memories."""


class StartedValues(StateValues):
    """Makes the memories of a pipeline whose starts run ahead."""

    def make_started(self) -> None:
        """Makes a memory for each part of the state that a start computes."""
        m, c = self.m, self.c
        if not self.plan.runs_ahead:
            return
        style = "distributed" if c.start_places <= LUT_PLACES else "block"
        busy: list[Value] = []
        last = 0
        memories = []
        for name in self.plan.started:
            reads = self.begun.get(name, {})
            memory = BlockMemory(self.width, c.start_places, max(1, len(reads)), style=style, erase_bits=c.erase_bits)
            m.submodules[f"{name}_started"] = memory
            m.d.comb += [memory.erase.eq(c.erase), memory.erase_address.eq(c.erase_address)]
            for port, (stage, value) in enumerate(reads.items()):
                m.d.comb += [memory.raddr[port].eq(self.lines["begin_place"].at(stage - 1)), value.eq(memory.rdata[port])]
            stage = self._computed_in(name)
            value, written = self._computed(name, stage)
            busy.append(written)
            last = max(last, stage)
            memories.append((memory, written, value, stage))
        free = ~reduce(or_, busy, Const(0, 1))
        for memory, written, value, stage in memories:
            m.d.comb += [
                memory.we.eq(written | (c.clear_started & free)),
                memory.waddr.eq(Mux(written, self.lines["start_place"].at(stage), c.clear_place)),
                # The value is zero while there is none.
                memory.wdata.eq(value),
            ]  # fmt: skip
        m.d.comb += [c.started.eq(self._starting(last)), c.started_cleared.eq(c.clear_started & free)]

    def _starts(self) -> list[int]:
        """The kinds of the tokens of starts."""
        return [number for number, token in enumerate(self.plan.tokens) if self.plan.step(token.title).name == "start"]

    def _starting(self, stage: int) -> Value:
        """Whether the token in a stage is one of a start."""
        return reduce(or_, (self.kinds[0][number].at(stage) for number in self._starts()))

    def _computed_in(self, name: str) -> int:
        """The stage in which every start has computed a part of the state."""
        return max(self._start_stage(self.plan.step(self.plan.tokens[n].title), self.plan.tokens[n], name) for n in self._starts())

    def _computed(self, name: str, stage: int) -> tuple[Value, Value]:
        """What the start in a stage has computed, and whether there is one."""
        parts: list[Value] = []
        for number in self._starts():
            token = self.plan.tokens[number]
            step = self.plan.step(token.title)
            parts.append(Mux(self.kinds[0][number].at(stage), self.form(step.updates[name], stage, step, token.part, 0), 0))
        return reduce(or_, parts), self._starting(stage)
