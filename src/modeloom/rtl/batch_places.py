# SPDX-License-Identifier: Apache-2.0
"""Counts the rounds of a cipher core for batches: which round ends in its last stage, and when a batch enters there.

::

    batch       high
    window              1 1 ... 1   0 0 ... 0   0 ...                            1 ... 1     a batch enters
    place       ...     n n ... n   1 1 ... 1   2 2 ... 2   ...   n - 1 ...      n ... n     the round that ends; n rounds
                        N cycles    N cycles

A batch enters in the cycles in which the last round of the batch before it ends.
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value

from modeloom.spec.cadence import BATCH_LEAD

__all__ = ["count_places"]


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
