# SPDX-License-Identifier: Apache-2.0
"""The counters of a pipeline that take turns in a register (``counters_in_turn``).

::

    begins ──┐
    turned ──┴──▶ first value, or register ──▶ adder ──▶ register        turned: the last token was not one of the first part

Bits that no block changes have registers of their own, which only the first token of a message writes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Mux, Value

from modeloom.rtl.stream.counters_in_turn import ASSOCIATED
from modeloom.rtl.stream.gated import GatedSum
from modeloom.rtl.stream.values import TokenValues
from modeloom.streams.steps import Step

__all__ = ["TurnValues"]


class TurnValues(TokenValues):
    """Makes and writes the registers of counters that take turns."""

    def turn_begun(self, register: Value) -> Value:
        """The second counter as a token reads it that does not begin its message: its first value, or the register."""
        turns = self.turns
        assert turns is not None
        return Cat(
            Mux(self.turned, bit, turns.begins >> at & 1) if turns.shared >> at & 1 else bit for at, bit in enumerate(register)
        )

    def turn_left(self) -> dict[str, Value]:
        """What lane 0 leaves of both counters.  It counts the one whose turn it is."""
        turns = self.turns
        assert turns is not None
        values = {name: self.states[name][0].at(0) for name in (turns.first, turns.second)}
        step, number = turns.adds
        counts = reduce(or_, self._turn_kinds(lambda kind: turns.first in kind.updates or turns.second in kind.updates))
        self.late.d.comb += self.turn_value.eq(Mux(self._first_turn(), values[turns.first], values[turns.second]))
        total = self.counted(step, number, self.turn_value, counts)
        # The register takes the sum whosever turn it is.
        if self.plan.text_first:
            # A token of set-up may come between both parts, and tells nothing.
            self.m.d.sync += self.turned.eq(self._associated() | (self.turned & ~self._first_turn()))
        else:
            self.m.d.sync += self.turned.eq(Mux(self.valid.at(0), ~self._associated(), self.turned))
        with self.m.If(counts | self._turn_begins()):
            self.m.d.sync += self.turn_bits.eq(self._bits(total, turns.shared))
        return {
            turns.first: Mux(self._first_turn(), total, values[turns.first]),
            turns.second: Mux(self._first_turn(), values[turns.second], total),
        }

    def join_turns(self, operand: GatedSum, stage: int) -> None:
        """Gives an operand to which every token adds one of the counters the bits that they share, without a gate for each."""
        if self.turns and stage == 0:
            keys = [self._identity(self.states[name][0].at(0)) for name in (self.turns.first, self.turns.second)]
            operand.join(keys, [line.at(0) for line in self.kinds[0].values()], self.turns.shared, self.turn_value)

    def write_turn(self, name: str, left: Value) -> None:
        """Writes the bits of a counter that the other one does not share."""
        turns = self.turns
        assert turns is not None
        initial = self.initial(name, 0)
        assert initial is not None
        own = self.live[name] & ~turns.shared
        writes = reduce(or_, self._turn_kinds(lambda kind: name in kind.updates), self._turn_begins())
        for counted, when, value in ((False, self._turn_begins(), initial), (True, writes, left)):
            mask = own & (turns.counted if counted else ~turns.counted)
            register = Cat(bit for bit, at in zip(self.registers[name], self._places(own), strict=True) if mask >> at & 1)
            with self.m.If(when):
                self.m.d.sync += register.eq(self._bits(value, mask))

    def _turn_begins(self) -> Value:
        return self.valid.at(0) & self.lines["begin"].at(0)

    def _associated(self) -> Value:
        """Whether the token at the front has associated data."""
        return reduce(or_, self._turn_kinds(lambda kind: kind.name.endswith(ASSOCIATED)), Const(0, 1))

    def _first_turn(self) -> Value:
        """Whether it is the turn of the first counter: the token at the front is one of the part that comes first."""
        if not self.plan.text_first:
            return self._associated()
        return reduce(or_, self._turn_kinds(lambda kind: not kind.name.endswith(ASSOCIATED)), Const(0, 1))

    def _turn_kinds(self, chosen: Callable[[Step], bool]) -> list[Value]:
        """For each kind of token of a block or tag whose step is chosen, whether the token at the front is of this kind."""
        tokens = self.plan.tokens
        return [
            line.at(0) for number, line in self.kinds[0].items()
            if number < len(tokens) and tokens[number].title != "start" and chosen(self.plan.step(tokens[number].title))
        ]  # fmt: skip

    def _places(self, mask: int) -> list[int]:
        return [at for at in range(self.width) if mask >> at & 1]

    def _bits(self, value: Value, mask: int) -> Value:
        return Cat(value[at] for at in self._places(mask))
