# SPDX-License-Identifier: Apache-2.0
"""The cycles in which tokens under way return to the cipher, so that another token enters only if all its cycles are free.

::

    taken     0 1 0 0 1 1 0 ...    bit n: the cipher is taken n cycles from now
    a pair    1 0 0 0 0 0 1        it has the cipher now and 6 cycles later: both are free
    shifted each cycle ◀──

With a cadence, only the cycles count in which the cipher takes blocks: tokens return after a number of whole intervals.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import reduce
from operator import or_
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from modeloom.rtl.stream.sizes import TokenStep
from modeloom.spec.stream import BETWEEN, LAST, PARTIAL, SINGLE

__all__ = ["CipherPlaces"]


class CipherPlaces:
    """Keeps what is taken.

    Parameters
    ----------
    m : Module
    entry : TokenEntry
    counts : Value
        Whether the cipher takes a block in this cycle; 1 without a cadence.

    Attributes
    ----------
    now : Value
        Whether a token has the cipher in this cycle, so that no token of a start or of a key enters.
    """

    def __init__(self, m: Module, entry: Any, counts: Value):
        self.m, self.plan, self._counts = m, entry.parameters.plan, counts
        cadence = self.plan.cadence
        # The step between text and associated data has it when no token returns any more.
        every = {title: uses for title, uses in self.plan.uses.items() if title != BETWEEN}
        self._uses = every if cadence is None else {title: tuple(map(cadence.places, uses)) for title, uses in every.items()}
        self._depth = max(use for uses in self._uses.values() for use in uses) + 1
        self._taken_reg = Signal(self._depth, name="cipher_taken_reg")
        self._needed = Signal(self._depth, name="cipher_needed")
        self.now: Value = self._taken_reg[0] if cadence is None else self._taken_reg[0] & counts

    def free(self, step: Value, decrypt: Value, second: Value, partial: Value, final: Value, alone: Value, ends: Value) -> Value:
        """Whether all cycles of the token of a message are free.

        Parameters
        ----------
        step, decrypt, second : Value
            Its ``TokenStep``, the direction of its message, and with two passes, whether this is the second one of a message to seal.
        partial, final, alone : Value
            Whether its last block is partial, whether it is the last of its part, and whether it is text without a partner.
        ends : Value
            Whether it ends its message, so that a tag that follows has the cipher, too.
        """
        text = step == TokenStep.TEXT
        of_step = {"associated": step == TokenStep.ASSOCIATED, self.plan.mode.text_steps()[0]: text & ~decrypt}
        if self.plan.mode.two_passes:
            of_step |= {"encrypt": text & decrypt & second, "decrypt": text & decrypt & ~second}
        else:
            of_step["decrypt"] = text & decrypt
        found: dict[int, list[Value]] = {}
        for name, rest in of_step.items():
            # The order is that of StreamMode.step_of.
            for prefix, condition in ((SINGLE, alone), (LAST, final), (PARTIAL, partial), ("", Const(1, 1))):
                if prefix + name in self._uses:
                    for use in self._uses[prefix + name]:
                        found.setdefault(use, []).append(rest & condition)
                    rest = rest & ~condition
        tag = ends if self.plan.follows else step == TokenStep.TAG
        for use in self._uses["tag"]:
            found.setdefault(use, []).append(tag)
        self.m.d.comb += self._needed.eq(Cat(reduce(or_, found[n]) if n in found else Const(0, 1) for n in range(self._depth)))
        return ~(self._needed & self._taken_reg).any()

    def take(self, enters: Value) -> None:
        """Takes the cycles of the token of a message that enters."""
        taken = self._taken_reg | Mux(enters, self._needed, 0)
        with nullcontext() if self.plan.cadence is None else self.m.If(self._counts):
            self.m.d.sync += self._taken_reg.eq(taken[1:])
