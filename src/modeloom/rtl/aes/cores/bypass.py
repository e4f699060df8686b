# SPDX-License-Identifier: Apache-2.0
"""The way of a block around rounds that its key does not have.

::

    before the first of them ──▶ reg ──▶ reg ──▶ ... ──▶ beside the last of them
"""

from __future__ import annotations

from collections.abc import Callable

from amaranth.hdl import Cat, Module, Mux, Value

from modeloom.rtl.aes.cores.key_sizes import Skip
from modeloom.rtl.aes.parameters import columns
from modeloom.rtl.aes.rounds.round_stages import register

__all__ = ["Bypass", "choose"]


def choose(condition: Value, yes: Value, no: Value) -> Value:
    """One of two blocks, column by column, for the sake of the simulator: see mixcolumns."""
    return Cat(Mux(condition, a, b) for a, b in zip(columns(yes), columns(no), strict=True))


class Bypass:
    """Registers beside some rounds.

    Parameters
    ----------
    m : Module
        Receives the registers.
    skip : Skip
        The rounds.
    skips : callable
        ``skips(n)``: whether the block of n cycles ago takes this way.
    block : Value
        The block that enters the first of the rounds.
    cycle : int
        Cycles ago in which this block came.
    """

    def __init__(self, m: Module, skip: Skip, skips: Callable[[int], Value], block: Value, cycle: int):
        self.skip, self.skips = skip, skips
        self._m, self._blocks, self._cycle = m, [block], cycle

    def at(self, cycle: int) -> Value:
        """The block of *cycle* cycles ago."""
        while len(self._blocks) <= cycle - self._cycle:
            name = f"past_{self.skip.first}_{len(self._blocks)}"
            self._blocks.append(register(self._m, self._blocks[-1], name))
        return self._blocks[cycle - self._cycle]
