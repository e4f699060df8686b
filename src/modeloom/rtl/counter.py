# SPDX-License-Identifier: Apache-2.0
"""Adders for counter mode: they add a number to the counter in a block.  The counter wraps, and no other bit changes.

``spec.counters`` has the position of each counter.  With one register stage, the carry into the upper half is registered::

    lower half ──▶ + number ──[reg]──────────────▶ o
                     └ carry ─[reg]─┐
    upper half ──────────────[reg]──▶ + number ──▶ o
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.spec import COUNTERS, Counter
from modeloom.spec.cadence import BATCH_LEAD

__all__ = ["CounterAdder", "count_places", "counter_bits", "run_batches"]


# -- batch places ----------------------------------------------------------------------------------------------------------------------

# Counts the rounds of a cipher core for batches: which round ends in its last stage, and when a batch enters there.
#
#     batch       high
#     window              1 1 ... 1   0 0 ... 0   0 ...                            1 ... 1     a batch enters
#     place       ...     n n ... n   1 1 ... 1   2 2 ... 2   ...   n - 1 ...      n ... n     the round that ends; n rounds
#                         N cycles    N cycles
#
# A batch enters in the cycles in which the last round of the batch before it ends.


def count_places(m: Module, batch: Value, *, streams: int, rounds: int, enters: int, ahead: int) -> tuple[list[Value], list[Value]]:
    """The round that ends in the last stage, and whether a batch enters there, now and in the next cycles.

    Parameters
    ----------
    m : Module
        Receives the counters.
    batch : Value
        High ``BATCH_LEAD`` cycles before the first block of a batch.
    streams, rounds : int
        Blocks of a batch, which is the number of cycles of a round, and rounds of a block.
    enters : int
        Cycles from a block to its place in the last stage.
    ahead : int
        How many cycles before it is needed a number is known, at most ``BATCH_LEAD`` - 1 + *enters*.

    Returns
    -------
    places, windows : list of Value
        Item n is what the number and the signal will be in n cycles, for n up to *ahead*.  A number is 1 to *rounds*: it is *rounds* for
        a block that leaves, whose place a block of the next batch takes.
    """
    begin: Value = batch
    for n in range(BATCH_LEAD - 1 + enters - ahead):
        late = Signal(name=f"batch_{n}_reg")
        m.d.sync += late.eq(begin)
        begin = late
    stream_reg = Signal(streams, name="stream_reg", init=1)
    place_reg = Signal(4, name="place_reg", init=rounds)
    # A batch enters throughout a reset, so that nothing goes round.
    window_reg = Signal(name="window_reg", init=1)
    m.d.sync += stream_reg.eq(Mux(begin, 1, stream_reg.rotate_left(1)))
    with m.If(begin):
        m.d.sync += [place_reg.eq(rounds), window_reg.eq(1)]
    with m.Elif(stream_reg[-1]):
        m.d.sync += [place_reg.eq(Mux(place_reg == rounds, 1, place_reg + 1)), window_reg.eq(0)]
    places: list[Value] = [place_reg]
    windows: list[Value] = [window_reg]
    for n in reversed(range(ahead)):
        place, window = Signal(4, name=f"place_{n}_reg", init=rounds), Signal(name=f"window_{n}_reg", init=1)
        m.d.sync += [place.eq(places[0]), window.eq(windows[0])]
        places, windows = [place, *places], [window, *windows]
    return places, windows


def run_batches(
    m: Module, ready: Value, start: Value, valid: Value | None = None, *, streams: int, rounds: int
) -> tuple[Signal, Signal, Signal, Signal, Signal]:
    """The control of a round core that takes a batch if it is *ready* and *start* is high.  It drives *ready*, and *valid* for results that
    come a cycle after the last round ends.

    Returns
    -------
    round_reg, phase_reg : Signal
        The round of the block that is in the last stage, or comes (0 for a block that enters), and its stream, one-hot.
    enter_reg, ending_reg : Signal
        Whether this is round 0, and whether it is the last round of the batch before, too.  A new batch is processed from its start on.
    takes : Signal
        Whether a batch begins.
    """
    round_reg = Signal(range(rounds), name="round_reg")
    phase_reg = Signal(streams, name="phase_reg", init=1)
    enter_reg = Signal(name="enter_reg", init=1)
    ending_reg, work_reg = Signal(name="ending_reg"), Signal(name="work_reg")
    takes, goes_on, ends = Signal(name="takes"), Signal(name="goes_on"), Signal(name="ends")
    m.d.comb += [ready.eq(enter_reg & phase_reg[0]), takes.eq(ready & start), goes_on.eq(Mux(ready, start, work_reg))]
    if valid is not None:
        m.d.comb += valid.eq(valid_reg := Signal(name="valid_reg"))
    m.d.sync += [work_reg.eq(goes_on), *([] if valid is None else [valid_reg.eq(ending_reg)])]
    with m.If(goes_on | ending_reg):
        m.d.sync += phase_reg.eq(phase_reg.rotate_left(1))
        with m.If(phase_reg[-1]):
            m.d.comb += ends.eq(round_reg == rounds - 1)
            m.d.sync += [round_reg.eq(Mux(ends | ~goes_on, 0, round_reg + 1)), enter_reg.eq(ends | ~goes_on), ending_reg.eq(ends)]
    return round_reg, phase_reg, enter_reg, ending_reg, takes


# -- counter ---------------------------------------------------------------------------------------------------------------------------


def counter_bits(counter: Counter, width: int) -> slice:
    """The bits of a block of *width* bits that a counter changes."""
    return {"big": slice(width - counter.bits, width), "little": slice(0, counter.bits)}[counter.order]


class CounterAdder(wiring.Component):
    """``o`` is ``i`` with ``number`` added to its counter.

    Parameters
    ----------
    width : int
        Bits in a block: a multiple of 8, at least the bits of the counter.
    counter : Counter
        Bits and byte order of the counter; one of ``COUNTERS``.
    stages : int
        Registers in the carry chain: 0, or 1 to halve its length.

    Attributes
    ----------
    latency : int
        Cycles from ``i`` to ``o``: ``stages``.

    Members
    -------
    i, number : In(width), In(counter.bits)
    o : Out(width)

    Raises
    ------
    TypeError, ValueError
        *width* is not allowed, *counter* is unknown, or *stages* is neither 0 nor 1.
    """

    def __init__(self, width: int = 128, counter: Counter = COUNTERS["add"], stages: int = 0):
        if not isinstance(width, int) or isinstance(width, bool):
            raise TypeError(f"width must be an integer, not {width!r}")
        if counter not in COUNTERS.values():
            raise ValueError(f"counter must be one of COUNTERS, not {counter!r}")
        if width % 8 or width < counter.bits:
            raise ValueError(f"width must be a multiple of 8 bits from {counter.bits} on, not {width}")
        if stages not in (0, 1):
            raise ValueError(f"stages must be 0 or 1, not {stages!r}")
        self.width, self.counter, self.latency = width, counter, stages
        super().__init__({"i": In(width), "number": In(counter.bits), "o": Out(width)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bits, big = self.counter.bits, self.counter.order == "big"
        below = self.width - bits

        def turned(word: Value) -> Value:
            return Cat(word[at : at + 8] for at in range(bits - 8, -8, -8)) if big else word

        def added(a: Value, b: Value, name: str) -> Signal:
            # The sum with its carry is a signal.  Without it, slices of the sum would become an adder for each byte, with undriven bits.
            total = Signal(len(a) + 1, name=name)
            m.d.comb += total.eq(a + b)
            return total

        count = turned(self.i[below:] if big else self.i[:bits])
        rest = self.i[:below] if big else self.i[bits:]
        if not self.latency:
            result: Value = added(count, self.number, "total")[:bits]
        else:
            half = bits // 2
            lower = added(count[:half], self.number[:half], "lower")
            kept = Cat(lower, count[half:], self.number[half:], rest)
            kept_reg = Signal(len(kept), reset_less=True)
            m.d.sync += kept_reg.eq(kept)
            upper_count, upper_number = kept_reg[half + 1 : bits + 1], kept_reg[bits + 1 : bits + half + 1]
            # The carry enters through an extra bit below the sum, which saves a second adder.
            upper = added(Cat(Const(1, 1), upper_count), Cat(kept_reg[half], upper_number), "upper")
            result, rest = Cat(kept_reg[:half], upper[1 : half + 1]), kept_reg[bits + half + 1 :]
        m.d.comb += self.o.eq(Cat(rest, turned(result)) if big else Cat(result, rest))
        return m
