# SPDX-License-Identifier: Apache-2.0
"""Delay lines for values that move through the pipeline with a token.

::

    Line          value ──[reg]──[reg]── ...                       any token, a register for each stage
    QuietLine     value ──[reg]──[reg]── ... ──▶ zero in a reset   without a reset of its own: a shift register in LUTs
    BatchLine     value ──▶ memory of some batches ──▶             tokens of a cadence alone, whatever the number of stages

With a cadence, the pipeline is deep and few tokens are in it.
"""

from __future__ import annotations

from contextlib import nullcontext

from amaranth.hdl import Cat, Const, Module, Mux, ResetSignal, ShapeLike, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from modeloom.spec.cadence import BATCH_LEAD, Cadence

__all__ = ["LEAST_BITS", "BatchLine", "Batches", "Delay", "Line", "QuietLine", "batches_within"]

LEAST_STAGES = 8
"""Stages for which a memory takes fewer LUTs than registers and shift registers."""

LEAST_BITS = 32
"""Bits for which a memory takes fewer LUTs than shift registers with its pointers."""


class Line:
    """A value of the token in *stage*, and in every later stage that asks for it.

    A register is made when a stage first needs it; its name is ``name_STAGE_reg``.  With *reset*, a reset clears the registers: it must
    clear those that say that there is a token.
    """

    def __init__(self, m: Module, value: Value, stage: int, name: str, reset: bool = False):
        self._m, self._name, self._reset, self.born = m, name, reset, stage
        self._values = {stage: value}

    def at(self, stage: int) -> Value:
        """The value of the token in a stage.  Raises ``ValueError`` for a stage before the first one."""
        if stage < self.born:
            raise ValueError(f"{self._name} is born in stage {self.born}, and asked for in stage {stage}")
        for number in range(max(each for each in self._values if each <= stage) + 1, stage + 1):
            before = self._values[number - 1]
            register = Signal(len(before), name=f"{self._name}_{number}_reg", reset_less=not self._reset)
            self._m.d.sync += register.eq(before)
            self._values[number] = register
        return self._values[stage]


class QuietLine(Line):
    """A line of a bit that says that there is a token, for long pipelines.

    Its registers have no reset, so that they are shift registers.  What they hold in a reset is not seen: every stage has 0 then.  The
    reset of a core is longer than its pipeline, so nothing is left behind it.
    """

    def __init__(self, m: Module, value: Value, stage: int, name: str):
        super().__init__(m, value, stage, name)
        self._seen: dict[int, Value] = {stage: value}

    def at(self, stage: int) -> Value:
        """The value of the token in a stage."""
        if stage not in self._seen:
            late = super().at(stage)
            self._seen[stage] = seen = Signal(len(late), name=f"{self._name}_{stage}")
            self._m.d.comb += seen.eq(late & (~ResetSignal()).replicate(len(late)))
        return self._seen[stage]


class Batches:
    """The places of the tokens of batches in memories.

    *begins* is the line of a signal that is high ``BATCH_LEAD`` cycles before the first token of a batch is in stage 0.
    """

    def __init__(self, m: Module, cadence: Cadence, begins: Line):
        self._m, self.cadence, self._begins = m, cadence, begins
        self._written: dict[tuple[int, int], tuple[Value, Value, Line]] = {}

    def written(self, stage: int, batches: int) -> tuple[Value, Value, Line]:
        """Whether a token of a batch may be in a stage, its place among those of *batches* batches, and a line of this place.

        In a reset, every place is written again and again, which overwrites it.
        """
        key = (stage, batches)
        if key in self._written:
            return self._written[key]
        m, blocks = self._m, self.cadence.blocks
        name = f"batch_at_{stage}"
        window_reg = Signal(name=f"{name}_window_reg")
        within_reg = Signal(range(max(2, blocks)), name=f"{name}_place_reg", reset_less=True)
        batch_reg = Signal(range(batches), name=f"{name}_number_reg", reset_less=True)
        begins = self._begins.at(stage + BATCH_LEAD - 1)
        last = within_reg == blocks - 1 if blocks > 1 else Const(1, 1)
        m.d.sync += [
            batch_reg.eq(batch_reg + (begins | (ResetSignal() & last))),
            window_reg.eq(begins | (window_reg & ~last)),
        ]
        place: Value = batch_reg
        if blocks > 1:
            m.d.sync += within_reg.eq(Mux(begins, 0, within_reg + 1))
            place = Cat(within_reg, batch_reg)
        self._written[key] = window_reg | ResetSignal(), place, Line(m, place, stage, f"{name}_read")
        return self._written[key]


def batches_within(cycles: int, cadence: Cadence) -> int:
    """Batches that a memory holds for a value that is read so many cycles later, a power of two of at least 2.

    A place is written again when as many batches have begun, and read before.
    """
    return 1 << max(1, (-(-cycles // cadence.interval) - 1).bit_length())


class BatchLine(Line):
    """A line of a wide value of tokens that all keep a cadence.

    A stage far behind the last one that was asked for reads a memory, which holds the tokens of the batches that are under way.
    """

    def __init__(self, m: Module, value: Value, stage: int, name: str, batches: Batches):
        super().__init__(m, value, stage, name)
        self._batches = batches

    def at(self, stage: int) -> Value:
        """The value of the token in a stage."""
        near = max((each for each in self._values if each <= stage), default=stage)
        cycles = stage - near
        if cycles < LEAST_STAGES:
            return super().at(stage)
        m, cadence = self._m, self._batches.cadence
        count = batches_within(cycles, cadence)
        valid, place, places = self._batches.written(near, count)
        value = self._values[near]
        words = memory.Memory(shape=len(value), depth=cadence.blocks * count, init=[], attrs={"ram_style": "distributed"})
        m.submodules[f"{self._name}_{near}_to_{stage}"] = words
        write, read = words.write_port(), words.read_port(domain="comb")
        m.d.comb += [
            write.en.eq(valid), write.addr.eq(place), write.data.eq(value), read.addr.eq(places.at(stage)),
        ]
        self._values[stage] = Signal(len(value), name=f"{self._name}_{stage}_word")
        m.d.comb += self._values[stage].eq(read.data)
        return self._values[stage]


# -- delay -------------------------------------------------------------------------------------------------------------------------

# A shift register, for values that accompany a token outside the pipeline.

class Delay(wiring.Component):
    """A shift register: ``o`` is what ``i`` was *cycles* cycles ago, at least 0.  If *counted*, those cycles count with ``counts``."""

    def __init__(self, shape: ShapeLike, cycles: int, counted: bool = False):
        self.shape, self.cycles, self.counted = shape, cycles, counted
        super().__init__({"i": In(shape), "o": Out(shape), **({"counts": In(1)} if counted else {})})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        value: Value = Value.cast(self.i)
        for number in range(self.cycles):
            register = Signal(value.shape(), name=f"stage_{number}_reg", reset_less=True)
            with m.If(self.counts) if self.counted else nullcontext():
                m.d.sync += register.eq(value)
            value = register
        m.d.comb += Value.cast(self.o).eq(value)
        return m
