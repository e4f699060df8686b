# SPDX-License-Identifier: Apache-2.0
"""Counts the cadence of a cipher that takes blocks in batches, and says which tokens may enter.

A counter runs freely, so what enters when depends on nothing but the cycles since the reset::

    phase          n - 3   n - 2   n - 1     0       1     ...     n - 3      of the token that is decided on
    batch                          high                                       to the cipher of tokens in stage 0
    open                                     text    text                     for two blocks of a batch
"""

from __future__ import annotations

from collections.abc import Iterable

from amaranth.hdl import Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from modeloom.spec.cadence import Cadence

__all__ = ["TokenCadence"]


class TokenCadence(wiring.Component):
    """The phases of a cadence.

    Parameters
    ----------
    cadence : Cadence
    phases : iterable of frozenset of int
        Sets of phases in which something may begin.

    Members
    -------
    open : Out
        A bit for each of ``sets``: whether the token that is decided on in this cycle would begin in one of its phases.
    batch : Out(1)
        High in the cycle before that of the first token of a batch, which is ``BATCH_LEAD`` cycles before this token is in stage 0.

    Attributes
    ----------
    sets : list of frozenset of int
        The different sets.
    """

    def __init__(self, cadence: Cadence, phases: Iterable[frozenset[int]]):
        self.cadence = cadence
        self.sets = list(dict.fromkeys(phases))
        super().__init__({"open": Out(max(1, len(self.sets))), "batch": Out(1)})

    def opens(self, phases: frozenset[int] | None) -> Value:
        """The bit of a set of phases; 1 if every cycle will do."""
        return Const(1, 1) if phases is None else self.open[self.sets.index(phases)]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        last = self.cadence.interval - 1
        # The first batch after a reset has a signal, too: the counter begins behind the cycles of a batch.
        phase_reg = Signal(range(last + 1), init=self.cadence.blocks)
        batch_reg = Signal(init=self.cadence.blocks == last)
        open_reg = Signal(max(1, len(self.sets)))
        m.d.sync += [phase_reg.eq(phase_reg + 1), batch_reg.eq(phase_reg == (last - 1) % (last + 1))]
        with m.If(phase_reg == last):
            m.d.sync += phase_reg.eq(0)
        for number, phases in enumerate(self.sets):
            begins = [(phase - 1) % (last + 1) for phase in sorted(phases) if (phase - 1) % (last + 1) not in phases]
            ends = [phase for phase in sorted(phases) if (phase + 1) % (last + 1) not in phases]
            for at, value in (*((each, 1) for each in begins), *((each, 0) for each in ends)):
                with m.If(phase_reg == at):
                    m.d.sync += open_reg[number].eq(value)
        m.d.comb += [self.open.eq(open_reg), self.batch.eq(batch_reg)]
        return m
