# SPDX-License-Identifier: Apache-2.0
"""Counts free places behind the pipeline, so that no token waits after it has entered."""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value

__all__ = ["count_places"]


def count_places(m: Module, credit: Signal, used: Value, returned: Value, places: int) -> None:
    """Counts free places.  ``credit`` is a register that is high if there is one.

    Parameters
    ----------
    m : Module
        Receives the registers.
    credit : Signal
        One bit, which is driven.
    used, returned : Value
        One bit, and the number of places that become free in this cycle; they are counted in the next one.
    places : int
        All places, which are free in a reset.
    """
    free_reg = Signal(range(places + 1), init=places)
    free = Signal(range(places + 1))
    credit_reg = Signal(init=1)
    # What becomes free is known late in a cycle, and far from here.
    returned_reg = Signal(len(returned))
    # What is used is known late in a cycle, so both results are there before.
    more = Signal(range(places + 1))
    less = Signal(range(places + 1))
    m.d.comb += [
        more.eq(free_reg + returned_reg), less.eq(free_reg + returned_reg - 1), free.eq(Mux(used, less, more)), credit.eq(credit_reg),
    ]
    m.d.sync += [returned_reg.eq(returned), free_reg.eq(free), credit_reg.eq(Mux(used, less != 0, more != 0))]
