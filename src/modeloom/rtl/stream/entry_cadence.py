# SPDX-License-Identifier: Apache-2.0
"""The cadence of the entry: which token may begin in which cycle, if the cipher takes blocks in batches.

::

    counter ──▶ sets of phases ──▶ step of a message, start, tag, token of set-up ──▶ may begin
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Const, Module, Signal, Value

from modeloom.rtl.stream.cadence import TokenCadence
from modeloom.rtl.stream.sizes import TokenStep
from modeloom.spec.stream import BETWEEN

__all__ = ["EntryCadence"]


class EntryCadence:
    """Gives the cycles in which tokens that use the cipher begin.

    Parameters
    ----------
    m : Module
    entry : TokenEntry
        Its plan has a cadence.

    Attributes
    ----------
    counts : Value
        Whether the cipher takes a block that enters in this cycle.
    """

    def __init__(self, m: Module, entry: Any):
        self.m, self.entry = m, entry
        p, plan = entry.parameters, entry.parameters.plan
        self._starts = list(p.starts)
        self._ways = ("associated", *plan.mode.text_steps(), *[BETWEEN] * plan.text_first, "tag", *self._starts)
        self._once = plan.cadence.phases((0,))
        self._counter = TokenCadence(plan.cadence, [self._once, *filter(None, map(plan.reservations.phases, self._ways))])
        self.counts = self._counter.opens(self._once)

    def keep(
        self, opened: Signal, prepare_opened: Signal, step: Value, decrypt: Value, takes_start: Value, nonce_class: Value,
        takes_between: Value | None = None,
    ) -> None:  # fmt: skip
        """Drives whether a step of a message, and a token of set-up, may begin in this cycle: those that use the cipher keep its
        cadence."""
        m, entry, counter = self.m, self.entry, self._counter
        plan, starts = entry.parameters.plan, self._starts
        m.submodules.cadence = counter
        m.d.comb += entry.batch.eq(counter.batch)
        opens = {title: counter.opens(plan.reservations.phases(title)) for title in self._ways}
        with m.If(takes_start):
            m.d.comb += opened.eq(Array(opens[title] for title in starts)[nonce_class])
        if takes_between is not None:
            with m.Elif(takes_between):
                m.d.comb += opened.eq(opens[BETWEEN])
        with m.Else():
            with m.Switch(step):
                with m.Case(TokenStep.ASSOCIATED):
                    m.d.comb += opened.eq(opens["associated"])
                with m.Case(TokenStep.TEXT):
                    m.d.comb += opened.eq(entry.of_text(opens, decrypt))
                with m.Default():
                    m.d.comb += opened.eq(opens["tag"])
            # The last blocks of a message have its tag beside them, or it follows them after a number of intervals.
            if plan.shares_tag or (plan.follows and len({plan.reservations.phases(way) for way in self._ways if way not in starts}) > 1):
                with m.If(entry.token.payload.token.tag & (step != TokenStep.TAG) & ~opens["tag"]):
                    m.d.comb += opened.eq(0)
        ciphered = [int(made.operation.keyed) for made in plan.preparations]
        uses = Array([*[0] * len(plan.tokens), *ciphered])[entry.prepare_kind] if any(ciphered) else Const(0, 1)
        m.d.comb += prepare_opened.eq(~uses | counter.opens(self._once))
