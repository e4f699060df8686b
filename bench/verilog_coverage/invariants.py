# SPDX-License-Identifier: Apache-2.0
"""Bits that are constant because registers never hold certain values, such as the carry out of a counter that stops before its end.

::

    values of small registers at power-up ──▶ can a step from such values lead to another value?  add it ──▶ until no step does

The sets that come out are an *invariant*: every state that a core can reach has each register in its set.  The other registers,
memories that are written and inputs may hold anything, so the sets may be too large, and never too small.  A bit that has one value in
all states of the invariant, whatever the inputs, cannot toggle.  Bitwuzla decides each step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bitwuzla import Bitwuzla, Kind, Option, Options, Result, Term, TermManager

from verilog_coverage.constants import Gates, constants

__all__ = ["Invariant"]

MOST_BITS = 8
"""Width of the registers whose values are followed, each by itself; what is followed together may have more."""

_KINDS = {
    "$_AND_": lambda a, b: (Kind.AND, (a, b), False),
    "$_OR_": lambda a, b: (Kind.OR, (a, b), False),
    "$_XOR_": lambda a, b: (Kind.XOR, (a, b), False),
    "$_NAND_": lambda a, b: (Kind.AND, (a, b), True),
    "$_NOR_": lambda a, b: (Kind.OR, (a, b), True),
    "$_XNOR_": lambda a, b: (Kind.XOR, (a, b), True),
}


MOST_VALUES = 300
"""Registers that have more of them, alone or together, may have any."""


class Invariant:
    """The values that small registers can have.

    Parameters
    ----------
    gates : Gates
    groups : iterable of sequence of str
        Nets of registers that are followed together, beside all small registers by themselves.

    Attributes
    ----------
    values : dict
        For the bits of each group, the numbers that they can be.
    """

    def __init__(self, gates: Gates, groups: Iterable[Sequence[str]] = ()):
        self.gates = gates
        self.fixed = constants(gates)
        self.manager = TermManager()
        options = Options()
        options.set(Option.PRODUCE_MODELS, True)
        self.solver = Bitwuzla(self.manager, options)
        self._true, self._false = self.manager.mk_true(), self.manager.mk_false()
        self._terms: dict[Any, Term] = {}
        self._driver = {output: (kind, inputs) for kind, inputs, output in gates.cells}
        self._next = {output: data for data, output in gates.registers}
        self._tables = {bit: (column, address) for bit, column, address in gates.tables()}
        self.values: dict[tuple[int, ...], set[int]] = {}
        self._guards: dict[tuple[int, ...], Term] = {}
        found = self._groups(groups)
        known = [bits for bits in found if all(bit in gates.initial for bit in bits)]
        self.values = {bits: {sum(gates.initial[bit] << i for i, bit in enumerate(bits))} for bits in known}
        self._guards = {bits: self._guard(bits) for bits in known}
        # A register without a value at power-up is followed from the second cycle on: it may begin with what the first one leads to.
        for bits in found:
            if bits not in self.values:
                self.values[bits] = set()
                self._grow(bits)
        self._guards = {bits: self._guard(bits) for bits in found if len(self.values[bits]) <= min(MOST_VALUES, (1 << len(bits)) - 1)}
        self._settle()

    def _groups(self, joint: Iterable[Sequence[str]]) -> list[tuple[int, ...]]:
        """Bits of the registers that are followed, without those that are constants, each group once."""
        nets = [bits for bits in self.gates.names.values() if len(bits) <= MOST_BITS]
        nets += [[bit for name in group for bit in self.gates.names.get(name, ())] for group in joint]
        found: dict[tuple[int, ...], None] = {}
        while nets:
            net = nets.pop()
            bits = tuple(dict.fromkeys(bit for bit in net if isinstance(bit, int) and bit not in self.fixed))
            if bits and bits not in found and all(bit in self._next for bit in bits):
                found[bits] = None
                # What only repeats some bits of a wide register says what these may be.
                nets.append([self._next[bit] for bit in bits])
        return list(found)

    # -- terms -----------------------------------------------------------------------------------------------------------

    def _term(self, start: Any) -> Term:
        """What a bit is in a cycle, from registers, inputs and what memories give."""
        stack = [start]
        while stack:
            bit = stack[-1]
            if bit in self._terms:
                stack.pop()
                continue
            needs = self._needs(bit)
            waiting = [one for one in needs if one not in self._terms]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            self._terms[bit] = self._make(bit, [self._terms[one] for one in needs])
        return self._terms[start]

    def _needs(self, bit: Any) -> Sequence[Any]:
        if bit in self.fixed:
            return ()
        if bit in self._driver:
            return tuple(self._driver[bit][1])
        if bit in self._tables:
            return tuple(self._tables[bit][1])
        return ()

    def _make(self, bit: Any, operands: list[Term]) -> Term:
        manager = self.manager
        if bit in ("0", "1") or bit in self.fixed:
            return self._true if (bit == "1" or self.fixed.get(bit)) else self._false
        if bit in self._driver:
            kind = self._driver[bit][0]
            if kind == "$_BUF_":
                return operands[0]
            if kind == "$_NOT_":
                return manager.mk_term(Kind.NOT, operands)
            if kind == "$_MUX_":
                low, high, select = operands
                return manager.mk_term(Kind.ITE, [select, high, low])
            name, terms, negate = _KINDS[kind](*operands)
            made = manager.mk_term(name, list(terms))
            return manager.mk_term(Kind.NOT, [made]) if negate else made
        if bit in self._tables:
            return self._looked_up(self._tables[bit][0], operands)
        return manager.mk_const(manager.mk_bool_sort(), f"bit {bit}")

    def _looked_up(self, column: Sequence[int], address: Sequence[Term]) -> Term:
        """A bit of a table that nobody writes."""
        words = [self._true if value else self._false for value in column]
        for select in address:
            words += [self._false] * (len(words) % 2)
            words = [
                low if low is high else self.manager.mk_term(Kind.ITE, [select, high, low])
                for low, high in zip(words[::2], words[1::2], strict=True)
            ]
        return words[0]

    def _any(self, terms: list[Term]) -> Term:
        return terms[0] if len(terms) == 1 else self.manager.mk_term(Kind.OR, terms)

    def _not(self, term: Term) -> Term:
        return self.manager.mk_term(Kind.NOT, [term])

    def _is(self, terms: Sequence[Term], value: int) -> Term:
        parts = [term if value >> i & 1 else self.manager.mk_term(Kind.NOT, [term]) for i, term in enumerate(terms)]
        return parts[0] if len(parts) == 1 else self.manager.mk_term(Kind.AND, parts)

    # -- the invariant ---------------------------------------------------------------------------------------------------

    def _guard(self, bits: tuple[int, ...]) -> Term:
        """A truth that stands for: these registers have one of their values."""
        guard = self.manager.mk_const(self.manager.mk_bool_sort(), f"values of {bits}")
        now = [self._term(bit) for bit in bits]
        holds = self._any([self._is(now, value) for value in sorted(self.values[bits])])
        self.solver.assert_formula(self.manager.mk_term(Kind.IMPLIES, [guard, holds]))
        return guard

    def _settle(self) -> None:
        waiting = dict.fromkeys(self.values)
        while waiting:
            bits = next(iter(waiting))
            if self._grow(bits):
                waiting.update(dict.fromkeys(self.values))
                continue
            del waiting[bits]

    def _grow(self, bits: tuple[int, ...]) -> bool:
        """Adds the values to which a step can lead; whether there was one."""
        if len(self.values[bits]) > MOST_VALUES:
            return False
        following = [self._term(self._next[bit]) for bit in bits]
        before, most = len(self.values[bits]), min(MOST_VALUES, (1 << len(bits)) - 1)
        self.solver.push(1)
        for value in sorted(self.values[bits]):
            self.solver.assert_formula(self._not(self._is(following, value)))
        while len(self.values[bits]) <= most and self.solver.check_sat(*self._guards.values()) == Result.SAT:
            value = sum(self.solver.get_value(term).value() << i for i, term in enumerate(following))
            self.values[bits].add(value)
            self.solver.assert_formula(self._not(self._is(following, value)))
        self.solver.pop(1)
        if len(self.values[bits]) == before:
            return False
        if bits in self._guards:
            del self._guards[bits]
            if len(self.values[bits]) <= most:
                self._guards[bits] = self._guard(bits)
        return True

    def still(self, path: str, what: str) -> bool:
        """Whether the bit that Verilator calls ``what`` in an instance has one value in all states of the invariant."""
        bit = self.gates.bit(path, what)
        if bit is not None:
            return self.constant(bit)
        writes = self.gates.writes(path, what)
        content = self.gates.content(path, what) if writes is not None else "x"
        if writes is None or content == "x":
            return False
        # A word is not followed; but if it is written with what it has at power-up alone, it keeps that.
        for when, data in writes:
            terms = [self._is([self._term(bit)], value) for bit, value in [*when, (data, 1 - int(content))]]
            if self.solver.check_sat(*self._guards.values(), *terms) != Result.UNSAT:
                return False
        return True

    def constant(self, bit: Any) -> bool:
        """Whether a bit has the same value in all states of the invariant."""
        term = self._term(bit)
        for wanted in (term, self.manager.mk_term(Kind.NOT, [term])):
            if self.solver.check_sat(*self._guards.values(), wanted) == Result.UNSAT:
                return True
        return False
