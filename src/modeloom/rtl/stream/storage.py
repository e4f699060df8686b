# SPDX-License-Identifier: Apache-2.0
"""Values that wait: delay lines, which move with a token, and queues in memories that can be erased."""

from __future__ import annotations

from contextlib import nullcontext

from amaranth.hdl import Cat, Const, Module, Mux, ResetSignal, ShapeLike, Signal, Value
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.ports import signals
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.spec.cadence import BATCH_LEAD, Cadence

__all__ = ["BatchLine", "Batches", "Delay", "LEAST_BITS", "Line", "Pool", "Queue", "QuietLine", "batches_within"]


# -- delay lines -------------------------------------------------------------------------------------------------------------------------

# Delay lines for values that move through the pipeline with a token.
#
#     Line          value ──[reg]──[reg]── ...                       any token, a register for each stage
#     QuietLine     value ──[reg]──[reg]── ... ──▶ zero in a reset   without a reset of its own: a shift register in LUTs
#     BatchLine     value ──▶ memory of some batches ──▶             tokens of a cadence alone, whatever the number of stages
#
# With a cadence, the pipeline is deep and few tokens are in it.

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
        m.d.sync += [batch_reg.eq(batch_reg + (begins | (ResetSignal() & last))), window_reg.eq(begins | (window_reg & ~last))]
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
        m.d.comb += [write.en.eq(valid), write.addr.eq(place), write.data.eq(value), read.addr.eq(places.at(stage))]
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


# -- queues ------------------------------------------------------------------------------------------------------------------------------

# A queue in a memory that can be erased.
#
#     i ──▶ memory ──[reg]──▶ o         two cycles from i to o, one payload a cycle

class Queue(wiring.Component):
    """A queue of payloads.

    Parameters
    ----------
    shape : ShapeLike
        The shape of a payload.
    depth : int
        Number of payloads that it holds, a power of two of at least 2.
    erase_bits : int
        Width of ``erase_address``.
    masked : bool
        Without it, the payload at the input must be zero while the queue is held in reset, because the memory is overwritten with it.
    clears : bool
        Whether the payload at the output is zero from the second cycle of a reset on.

    Members
    -------
    i, o : stream
        The input and the output.
    erase, erase_address : In(1), In(erase_bits)
        Writes zeros to this word, while the queue is held in reset.

    Raises
    ------
    ValueError
        If *depth* is not a power of two of at least 2.
    """

    def __init__(self, shape: ShapeLike, depth: int, erase_bits: int, *, masked: bool = True, clears: bool = False):
        if depth < 2 or depth & (depth - 1):
            raise ValueError(f"depth is a power of two of at least 2, not {depth}")
        self.shape, self.depth, self.erase_bits, self.masked, self.clears = shape, depth, erase_bits, masked, clears
        super().__init__({
            "i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape)),
            "erase": In(1), "erase_address": In(erase_bits),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        written = Value.cast(self.i.payload)
        m.submodules.memory = memory = BlockMemory(len(written), self.depth, 1, erase_bits=self.erase_bits, clears=self.clears)
        if self.clears:
            m.d.comb += memory.clear[0].eq(ResetSignal())
        # These have one bit more than an address, so that full and empty differ.
        put_reg = Signal(range(2 * self.depth))
        get_reg = Signal.like(put_reg)
        get = Signal.like(put_reg)
        # Whether a payload leaves is known late in a cycle, so both addresses are registers.
        next_reg = Signal.like(put_reg, init=1)
        pop, ready_reg, valid_reg, put = signals("pop ready_reg valid_reg put")
        bits = (self.depth - 1).bit_length()
        level = Signal.like(put_reg)
        m.d.comb += [
            put.eq(self.i.valid & ready_reg),
            self.i.ready.eq(ready_reg),
            pop.eq(valid_reg & self.o.ready),
            get.eq(Mux(pop, next_reg, get_reg)),
            memory.we.eq(put), memory.waddr.eq(put_reg[:bits]),
            memory.wdata.eq(written & put.replicate(len(written)) if self.masked else written),
            memory.raddr[0].eq(get[:bits]),
            memory.erase.eq(self.erase), memory.erase_address.eq(self.erase_address),
            self.o.valid.eq(valid_reg),
            Value.cast(self.o.payload).eq(memory.rdata[0]),
            level.eq(put_reg - get_reg),
        ]  # fmt: skip
        m.d.sync += [
            put_reg.eq(Mux(put, put_reg + 1, put_reg)),
            get_reg.eq(get), next_reg.eq(Mux(pop, next_reg + 1, next_reg)),
            valid_reg.eq(Mux(pop, next_reg != put_reg, get_reg != put_reg)),
            # A payload that leaves in this cycle is not counted, so that ready does not wait for o.ready.
            ready_reg.eq(Mux(put, level + 1 < self.depth, level < self.depth)),
        ]
        return m


# -- pool --------------------------------------------------------------------------------------------------------------------------

# The free places of a memory that several channels share.
#
#     never used: 0, 1, 2, ... ──┐
#     given back ──▶ queue ──────┴──▶ [reg] ──▶ place

class Pool(wiring.Component):
    """Gives each place away once, until it comes back.

    A place a cycle; four cycles from ``free`` to ``o``.

    Parameters
    ----------
    depth : int
        Places, a power of two of at least 2.
    erase_bits : int
        Width of ``erase_address``.

    Members
    -------
    o : stream
        A free place.
    free, place : In
        This place, which was given away, is free again.
    erase, erase_address : In
        While it is held in reset: zeros to this word.
    """

    def __init__(self, depth: int, erase_bits: int):
        self.depth, self.erase_bits = depth, erase_bits
        super().__init__({
            "o": Out(stream.Signature(range(depth))), "free": In(1), "place": In(range(depth)),
            "erase": In(1), "erase_address": In(erase_bits),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.queue = queue = Queue(range(self.depth), self.depth, self.erase_bits)
        # Those from here on have never been used.
        unused_reg = Signal(range(self.depth + 1))
        valid_reg, unused, move = signals("valid_reg unused move")
        place_reg = Signal(range(self.depth))
        m.d.comb += [
            unused.eq(unused_reg != self.depth),
            move.eq(~valid_reg | self.o.ready),
            queue.i.valid.eq(self.free), queue.i.payload.eq(self.place),
            queue.o.ready.eq(move & ~unused),
            queue.erase.eq(self.erase), queue.erase_address.eq(self.erase_address),
            self.o.valid.eq(valid_reg), self.o.payload.eq(place_reg),
        ]  # fmt: skip
        with m.If(move):
            m.d.sync += [
                valid_reg.eq(unused | queue.o.valid), place_reg.eq(Mux(unused, unused_reg, queue.o.payload)),
                unused_reg.eq(unused_reg + unused),
            ]  # fmt: skip
        return m
