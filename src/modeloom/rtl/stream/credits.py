# SPDX-License-Identifier: Apache-2.0
"""Free places behind the pipeline, which are counted so that no token waits after it has entered.

::

    text of a token ──▶ a place of the output         returned when the beat has left
    end of a message ──▶ a place among the statuses   returned when the status has left
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib.data import View

from modeloom.rtl.stream.sizes import TokenStep

__all__ = ["MessageCredits"]


class MessageCredits:
    """Says whether there is place for what comes of the token of a message.

    Parameters
    ----------
    m : Module
    token : View
        The token that is next.

    Attributes
    ----------
    credited : Signal
        There is place for all that comes of it.
    tag : Signal
        There is a place among the statuses.
    """

    def __init__(self, m: Module, token: View):
        self._m, self._text, self.tag = m, Signal(name="text_credit"), Signal(name="tag_credit")
        self.credited = Signal()
        with m.Switch(token.step):
            with m.Case(TokenStep.TEXT):
                m.d.comb += self.credited.eq(self._text & (self.tag | ~token.tag))
            with m.Case(TokenStep.TAG):
                m.d.comb += self.credited.eq(self.tag)
            with m.Default():
                m.d.comb += self.credited.eq(self.tag | ~token.tag)

    def count(self, text: tuple[Value, Value, int], tags: tuple[Value, Value, int]) -> None:
        """Counts places: for each of text and tags what is used, what is returned, and the number of all places."""
        _count_places(self._m, self._text, *text)
        _count_places(self._m, self.tag, *tags)


def _count_places(m: Module, credit: Signal, used: Value, returned: Value, places: int) -> None:
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
