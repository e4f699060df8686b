# SPDX-License-Identifier: Apache-2.0
"""How often tokens that use the cipher enter, and what the hardware is made of that depends on it.

A core with batches has one round of its cipher, and the registers at its ports would be a large part of it.  In a memory, a bit
takes less than a LUT, instead of two registers and a multiplexer.
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Module, ShapeLike, Value
from amaranth.lib import wiring

from modeloom.rtl.bus.ports import MemorySlice, RegisterSlice
from modeloom.rtl.stream.line import Line, QuietLine
from modeloom.spec.cadence import Cadence
from modeloom.streams.plan import StreamPlan

__all__ = ["Batched", "Pace"]


class Pace:
    """A token in every cycle.  The ``interval`` is that of places for tokens in cycles, and ``batches`` the bits of a signal that begins a
    batch."""

    interval, batches = 1, 0

    def __init__(self, plan: StreamPlan):
        self.plan = plan

    def places(self, cycles: int) -> int:
        """Places for tokens in so many cycles, which are whole intervals."""
        return cycles

    def entering(self, cycles: int, waiting: int, *titles: str) -> int:
        """The largest number of tokens of some steps that enter in so many cycles, with those that wait before the pipeline."""
        # A pair comes every two cycles, and some wait before the pipeline.
        blocks = self.plan.mode.blocks_of(titles[0])
        return cycles // blocks + (blocks - 1) * waiting

    def starting(self, cycles: int, *titles: str) -> int:
        """The largest number of starts that run ahead and enter in so many cycles: no two of them in a row."""
        return cycles // 2

    def slice(self, m: Module, shape: ShapeLike, whole: wiring.Component, blanks: Sequence[slice] = ()) -> RegisterSlice | MemorySlice:
        """A buffer of two payloads for a port of *whole*.  A memory is erased with it, and registers may take some bits as zeros."""
        return RegisterSlice(shape, blanks=blanks)

    def flag(self, m: Module, value: Value, stage: int, name: str) -> Line:
        """A line of a bit that says that there is a token."""
        return Line(m, value, stage, name, reset=True)


class Batched(Pace):
    """Tokens in the batches of a cadence."""

    batches = 1

    def __init__(self, plan: StreamPlan, cadence: Cadence):
        super().__init__(plan)
        self.cadence, self.interval = cadence, cadence.interval

    def places(self, cycles: int) -> int:
        return self.cadence.places(cycles)

    def entering(self, cycles: int, waiting: int, *titles: str) -> int:
        if any(self.plan.reservations.phases(title) is None for title in titles):
            return cycles
        whole, rest = divmod(cycles, self.interval)
        return whole * self.cadence.blocks + min(rest, self.cadence.blocks)

    def starting(self, cycles: int, *titles: str) -> int:
        return self.entering(cycles, 0, *titles)

    def slice(self, m: Module, shape: ShapeLike, whole: wiring.Component, blanks: Sequence[slice] = ()) -> RegisterSlice | MemorySlice:
        made = MemorySlice(shape)
        m.d.comb += [made.erase.eq(whole.erase), made.erase_address.eq(whole.erase_address[0])]
        return made

    def flag(self, m: Module, value: Value, stage: int, name: str) -> Line:
        return QuietLine(m, value, stage, name)
