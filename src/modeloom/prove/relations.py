# SPDX-License-Identifier: Apache-2.0
"""What is known of the value that an inverse is taken of: not only that it is not 0, but which sum it is.

An inversion puts an indeterminate u in place of a sum v of key values (``Algebra.unit``).  Here u = v becomes a rule that
replaces the leading monomial of v, so that equal values have equal normal forms again::

    u = 1 + t + ... + t^m        t^m  ->  u + 1 + t + ... + t^(m-1)        u^(2^n - 1)  ->  1, as u is not 0

A rule has indeterminates of its own in its leading monomial.  So no rule undoes another, and the order in which they are
applied does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from modeloom.prove.polynomials import Algebra, Polynomial

__all__ = ["ONE", "Relations"]

ONE = 0
"""Number of the empty monomial."""

Factors = tuple[tuple[int, int], ...]
"""A monomial: numbers of indeterminates with their exponents, in ascending order."""


@dataclass(frozen=True)
class _Rule:
    """``leading``, exponents by indeterminate, is equal to ``replacement``."""

    leading: dict[int, int]
    replacement: Polynomial


class Relations:
    """Rules of one algebra, to be applied to each product.

    Parameters
    ----------
    algebra : Algebra
    """

    def __init__(self, algebra: Algebra):
        self._algebra = algebra
        self._rules: list[_Rule] = []
        self._rule_of: dict[int, _Rule | None] = {}
        self._replaced: dict[int, Polynomial] = {}
        self._powers: dict[Factors, Polynomial] = {}

    def add(self, unit: Polynomial, value: Polynomial) -> None:
        """Notes that a unit is this value.

        Nothing is noted where the leading monomial shares an indeterminate with another rule, or is the result of a cipher alone,
        which would have to be replaced in what is known of the cipher, too.
        """
        algebra = self._algebra
        highest = max(_degree(algebra.factors(m)) for m in value.terms)
        found = [m for m in value.terms if _degree(algebra.factors(m)) == highest and (highest > 1 or algebra.is_given(m))]
        leading = max(found, key=algebra.factors, default=ONE)
        powers = dict(algebra.factors(leading))
        if not powers or any(powers.keys() & rule.leading.keys() for rule in self._rules):
            return
        inverse = algebra.reciprocal(value.terms[leading])
        rest = dict((unit ^ value).terms)
        del rest[leading]
        self._rules.append(_Rule(powers, type(value)({m: algebra.times(c, inverse) for m, c in rest.items()})))
        self._rule_of.clear()

    def reduced(self, terms: dict[int, int]) -> dict[int, int]:
        """Terms without a leading monomial of a rule in them; changes what it is given."""
        if not self._rules:
            return terms
        found = [m for m in terms if self._rule(m) is not None]
        # Lower powers first: the higher ones are made of them, and the recursion stays flat.
        for monomial in sorted(found, key=lambda m: (_degree(self._algebra.factors(m)), m)):
            _add(terms, self._replacement(monomial), terms.pop(monomial), self._algebra)
        return terms

    def _rule(self, monomial: int) -> _Rule | None:
        if monomial not in self._rule_of:
            factors = dict(self._algebra.factors(monomial))
            self._rule_of[monomial] = next(
                (rule for rule in self._rules if all(factors.get(atom, 0) >= e for atom, e in rule.leading.items())), None
            )
        return self._rule_of[monomial]

    def _replacement(self, monomial: int) -> Polynomial:
        known = self._replaced.get(monomial)
        if known is None:
            rule = self._rule(monomial)
            assert rule is not None
            factors = self._algebra.factors(monomial)
            own = tuple((atom, e) for atom, e in factors if atom in rule.leading)
            others = tuple((atom, e) for atom, e in factors if atom not in rule.leading)
            known = self._times(self._power(rule, own), others)
            self._replaced[monomial] = known
        return known

    def _power(self, rule: _Rule, factors: Factors) -> Polynomial:
        """The part of a monomial that is a rule's, reduced: the same for all monomials with this part."""
        known = self._powers.get(factors)
        if known is None:
            left = tuple((atom, e - rule.leading.get(atom, 0)) for atom, e in factors if e > rule.leading.get(atom, 0))
            known = self._powers[factors] = self._times(rule.replacement, left)
        return known

    def _times(self, value: Polynomial, factors: Factors) -> Polynomial:
        algebra = self._algebra
        monomial = algebra.monomial(factors)
        # A product by a monomial merges no terms but those in which a power of a unit comes to 1.
        terms: dict[int, int] = {}
        for m, c in value.terms.items():
            product = algebra.product(m, monomial)
            terms[product] = terms.get(product, 0) ^ c
        return type(value)(self.reduced({m: c for m, c in terms.items() if c}))


def _degree(factors: Factors) -> int:
    return sum(e for _, e in factors)


def _add(terms: dict[int, int], value: Polynomial, coefficient: int, algebra: Algebra) -> None:
    for m, c in value.terms.items():
        left = terms.get(m, 0) ^ algebra.times(c, coefficient)
        if left:
            terms[m] = left
        else:
            del terms[m]
