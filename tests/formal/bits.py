# SPDX-License-Identifier: Apache-2.0
"""Bit-vectors of the solver with operators; widths are checked, truth is a vector of one bit."""

from __future__ import annotations

from collections.abc import Iterable

from bitwuzla import Kind, Term, TermManager

__all__ = ["Bits", "all_of", "any_of", "concat", "constant", "fresh", "total"]

MANAGER = TermManager()
"""Terms of one run of the tests."""

WIDE = 16
"""Width of sums of counters; none of them comes near it."""


class Bits:
    """A term of ``width`` bits."""

    def __init__(self, term: Term, width: int):
        self.term, self.width = term, width

    def _with(self, kind: Kind, other: Bits | int, width: int | None = None) -> Bits:
        if isinstance(other, int):
            other = constant(other, self.width)
        if other.width != self.width:
            raise ValueError(f"{kind}: {self.width} and {other.width} bits")
        return Bits(MANAGER.mk_term(kind, [self.term, other.term]), width or self.width)

    def _test(self, kind: Kind, other: Bits | int) -> Bits:
        truth = self._with(kind, other).term
        return Bits(MANAGER.mk_term(Kind.ITE, [truth, constant(1, 1).term, constant(0, 1).term]), 1)

    def __and__(self, other: Bits | int) -> Bits:
        return self._with(Kind.BV_AND, other)

    def __or__(self, other: Bits | int) -> Bits:
        return self._with(Kind.BV_OR, other)

    def __xor__(self, other: Bits | int) -> Bits:
        return self._with(Kind.BV_XOR, other)

    def __add__(self, other: Bits | int) -> Bits:
        return self._with(Kind.BV_ADD, other)

    def __sub__(self, other: Bits | int) -> Bits:
        return self._with(Kind.BV_SUB, other)

    def __mul__(self, other: Bits | int) -> Bits:
        return self._with(Kind.BV_MUL, other)

    def __mod__(self, other: Bits | int) -> Bits:
        return self._with(Kind.BV_UREM, other)

    def __lshift__(self, other: Bits | int) -> Bits:
        return self._with(Kind.BV_SHL, other)

    def __rshift__(self, other: Bits | int) -> Bits:
        return self._with(Kind.BV_SHR, other)

    def __invert__(self) -> Bits:
        return Bits(MANAGER.mk_term(Kind.BV_NOT, [self.term]), self.width)

    def __lt__(self, other: Bits | int) -> Bits:
        return self._test(Kind.BV_ULT, other)

    def __le__(self, other: Bits | int) -> Bits:
        return self._test(Kind.BV_ULE, other)

    def __gt__(self, other: Bits | int) -> Bits:
        return self._test(Kind.BV_UGT, other)

    def __ge__(self, other: Bits | int) -> Bits:
        return self._test(Kind.BV_UGE, other)

    def equals(self, other: Bits | int) -> Bits:
        """Whether both are the same."""
        return self._with(Kind.BV_COMP, other, 1)

    def differs(self, other: Bits | int) -> Bits:
        """Whether they are not the same."""
        return ~self.equals(other)

    def implies(self, other: Bits) -> Bits:
        """For truths: if this, then the other."""
        return ~self | other

    def some(self) -> Bits:
        """Whether any bit is one."""
        return self.differs(0)

    def choose(self, yes: Bits, no: Bits) -> Bits:
        """For a truth: one of two values."""
        if yes.width != no.width:
            raise ValueError(f"choice between {yes.width} and {no.width} bits")
        truth = MANAGER.mk_term(Kind.EQUAL, [self.term, constant(1, 1).term])
        return Bits(MANAGER.mk_term(Kind.ITE, [truth, yes.term, no.term]), yes.width)

    def __getitem__(self, at: int | slice) -> Bits:
        low, high, _ = (at if isinstance(at, slice) else slice(at, at + 1)).indices(self.width)
        if not low < high:
            raise IndexError(f"bits {low} to {high} of {self.width}")
        return Bits(MANAGER.mk_term(Kind.BV_EXTRACT, [self.term], [high - 1, low]), high - low)

    def extend(self, width: int, signed: bool = False) -> Bits:
        """Cut or extended to a width."""
        if width <= self.width:
            return self[:width] if width < self.width else self
        kind = Kind.BV_SIGN_EXTEND if signed else Kind.BV_ZERO_EXTEND
        return Bits(MANAGER.mk_term(kind, [self.term], [width - self.width]), width)

    @property
    def wide(self) -> Bits:
        """As a number of ``WIDE`` bits."""
        return self.extend(WIDE)


def constant(value: int, width: int) -> Bits:
    """A number modulo 2^width."""
    return Bits(MANAGER.mk_bv_value(MANAGER.mk_bv_sort(width), value % (1 << width)), width)


def fresh(name: str, width: int) -> Bits:
    """A free variable."""
    return Bits(MANAGER.mk_const(MANAGER.mk_bv_sort(width), name), width)


def concat(parts: Iterable[Bits]) -> Bits:
    """Parts side by side, the lowest first."""
    result: Bits | None = None
    for part in parts:
        if result is None:
            result = part
        else:
            width = part.width + result.width
            result = Bits(MANAGER.mk_term(Kind.BV_CONCAT, [part.term, result.term]), width)
    if result is None:
        raise ValueError("nothing to concatenate")
    return result


def all_of(truths: Iterable[Bits]) -> Bits:
    """Whether all are true."""
    result = constant(1, 1)
    for truth in truths:
        result = result & truth
    return result


def any_of(truths: Iterable[Bits]) -> Bits:
    """Whether one is true."""
    return ~all_of(~truth for truth in truths)


def total(numbers: Iterable[Bits]) -> Bits:
    """The sum, ``WIDE`` bits wide."""
    result = constant(0, WIDE)
    for number in numbers:
        result = result + number.wide
    return result
