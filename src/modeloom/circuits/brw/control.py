# SPDX-License-Identifier: Apache-2.0
"""Control of a hash circuit: a counter with a table, and a token for the work of a message after its interval.

::

    start ──▶ slot: 0, 1, …, interval - 1, 0 ──▶ table of the next slot ──▶ register ──▶ selects, writes
                                   └──▶ token of slot interval, interval + 1, …, latency (done) ──┘

After its interval, a message only finishes products and writes accumulators, so tokens of several messages may be in progress at the same
time.  Control bits come from registers.  The circuit waits in slot 0 with the selects of this slot.  ``start`` gates everything that
changes a register there.  Nothing depends on data.
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

__all__ = ["Control"]


class Control:
    """Adds the control of a plan to a module.

    Parameters
    ----------
    module : Module
        Where it goes.
    start : Value
        Requests a new message.  It is ignored unless ``ready`` is high.
    interval, latency : int
        Of the plan, in cycles.

    Attributes
    ----------
    ready, begin, done : Value
        A start is accepted; this is slot 0 of a message; this is slot ``latency`` of a message.
    """

    def __init__(self, module: Module, start: Value, interval: int, latency: int):
        self.module, self.interval, self.latency = module, interval, latency
        self.slot_reg = Signal(range(interval))
        self.begin = Signal()
        self.ready: Value = Const(1) if interval == 1 else self.slot_reg == 0
        self._following = Signal(range(interval))
        module.d.comb += self.begin.eq(start & self.ready)
        if interval > 1:
            last = self.slot_reg == interval - 1
            stepped = Mux(last, 0, self.slot_reg + 1)
            module.d.comb += self._following.eq(Mux(self.ready, self.begin, stepped))
            module.d.sync += self.slot_reg.eq(self._following)
        else:
            last = self.begin
        # Bit k: in the next cycle a message is in slot interval + k.
        token_reg = Signal(latency - interval + 1)
        self._tokens = Cat(last, token_reg[:-1])
        module.d.sync += token_reg.eq(self._tokens)
        self.done = token_reg[-1]

    def _next(self, numbers: Sequence[int]) -> Value:
        """The number of the next slot, for each slot of the interval."""
        width = max(numbers).bit_length()
        tables = [sum((number >> bit & 1) << slot for slot, number in enumerate(numbers)) for bit in range(width)]
        return Cat(Const(table, self.interval).bit_select(self._following, 1) for table in tables)

    def select(self, numbers: Sequence[int | None], name: str) -> Value:
        """A number for each slot of the interval; None if it does not matter."""
        known = sorted({number for number in numbers if number is not None})
        if len(known) < 2:
            return Const(known[0] if known else 0)
        filled = [known[0] if number is None else number for number in numbers]
        reg = Signal(range(known[-1] + 1), name=f"{name}_reg", init=filled[0])
        self.module.d.sync += reg.eq(self._next(filled))
        return reg

    def act(self, slots: Sequence[int], name: str) -> Value:
        """A bit that is high in the given slots of a message, which may be any slots below the latency."""
        later = [slot for slot in slots if 0 < slot]
        bit: Value = Const(0)
        if later:
            parts = [self._tokens[slot - self.interval] for slot in later if slot >= self.interval]
            within = [int(slot in later) for slot in range(self.interval)]
            if any(within):
                parts.append(self._next(within))
            reg = Signal(name=f"{name}_reg")
            self.module.d.sync += reg.eq(Cat(parts).any())
            bit = reg
        return bit | self.begin if 0 in slots else bit

    def following(self, numbers: Sequence[int]) -> Value:
        """The number of the next slot, in this cycle.  It depends on ``start``."""
        return self._next(numbers) if any(numbers) else Const(0)
