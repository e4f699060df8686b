# SPDX-License-Identifier: Apache-2.0
"""Computes the values that depend on a key only, one token after another, in cycles that messages leave free.

::

    setup ──▶ token ──▶ pipeline ──▶ word of the key memory ──▶ next token ──▶ ... ──▶ done
"""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Out

from modeloom.cycles.messages import WORD_CYCLES
from modeloom.rtl.bus.ports import BusComponent
from modeloom.rtl.stream.parameters import MessageParameters

__all__ = ["KeyPreparation"]

class KeyPreparation(BusComponent[MessageParameters]):
    """Runs set-ups for the key port.

    Members
    -------
    setup, setup_scrub, setup_done : 1
        The request of the key port, and its end.  It asks to compute the words of a slot, or to overwrite the state that was
        computed with an erased key.
    prepare, prepare_kind, prepared : 1, kind, 1
        Asks the entry for a token of set-up, until the token has entered.
    scrub, scrubbed : 1
        Asks the entry for tokens that overwrite the state.
    word_valid : 1
        The pipeline writes the word of the last token.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        plan = parameters.plan
        return {
            "setup": In(1), "setup_scrub": In(1), "setup_done": Out(1),
            "prepare": Out(1), "prepare_kind": Out(range(max(2, len(plan.tokens) + len(plan.preparations)))), "prepared": In(1),
            "scrub": Out(1), "scrubbed": In(1), "word_valid": In(1),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p, plan = self.parameters, self.parameters.plan
        count = len(plan.preparations)
        number_reg = Signal(range(max(2, count + 1)))
        wait_reg = Signal(range(max(p.flush, WORD_CYCLES) + 1))
        m.d.comb += self.prepare_kind.eq(number_reg + len(plan.tokens))
        with m.FSM():
            with m.State("IDLE"):
                m.d.sync += [number_reg.eq(0), wait_reg.eq(p.flush)]
                with m.If(self.setup):
                    with m.If(self.setup_scrub):
                        m.next = "SCRUB"
                    with m.Else():
                        m.next = "NEXT"
            with m.State("NEXT"):
                with m.If(number_reg == count):
                    # The state may still depend on a key that was in the slot before.
                    m.next = "SCRUB"
                with m.Else():
                    m.d.comb += self.prepare.eq(1)
                    with m.If(self.prepared):
                        m.next = "WORD"
            with m.State("WORD"):
                m.d.sync += wait_reg.eq(WORD_CYCLES)
                with m.If(self.word_valid):
                    m.d.sync += number_reg.eq(number_reg + 1)
                    m.next = "WAIT"
            with m.State("WAIT"):
                m.d.sync += wait_reg.eq(wait_reg - 1)
                with m.If(wait_reg == 0):
                    m.next = "NEXT"
            with m.State("SCRUB"):
                m.d.comb += self.scrub.eq(1)
                with m.If(self.scrubbed):
                    m.next = "FLUSH"
            with m.State("FLUSH"):
                # Old values leave the pipeline in these cycles.
                m.d.sync += wait_reg.eq(wait_reg - 1)
                with m.If(wait_reg == 0):
                    m.next = "DONE"
            with m.State("DONE"):
                m.d.comb += self.setup_done.eq(1)
                m.next = "IDLE"
        return m
