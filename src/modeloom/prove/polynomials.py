# SPDX-License-Identifier: Apache-2.0
"""Normal forms: what a mode computes, as polynomials over the mode's field.

The indeterminates ("atoms") are input, tweak and key blocks, results of the block cipher, and masked parts of blocks::

    value = sum of  coefficient * atom^e * atom^e ...        coefficient: an element of the field

If two normal forms are equal, their values are equal for all inputs and for every permutation in place of the cipher.  The
reverse holds for values without masks, and for masks as the modes use them.

*Scale.*  A field's product may have a factor, a * b * x^f.  Forms hold a * x^f in place of a; the product
is then plain.

*Masks.*  ``head`` is linear over GF(2), not over the field: the head of c * m, c = x^i + x^j + ..., is the sum of the
atoms head(x^i m), head(x^j m), ...  Powers of x^8 move bytes, and those that stay in the block are parts of m itself.

*Cipher.*  ``enc`` and ``dec`` of a form under a key are atoms, one for each form and key; dec(enc(v)) = enc(dec(v)) = v.

*Counters.*  A number added to a form in the integers is an atom, too, one for each form and number; numbers added one after the other
are added to each other.

*Inverses.*  1 / v = v^(2^n - 2), with an atom in place of v, which is not 0, unless v is a single term.  What is not 0 has
v^(2^n - 1) = 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from modeloom.prove.execute import ProofError
from modeloom.spec.kinds import Operation

__all__ = ["ONE", "Algebra", "FieldElements", "Polynomial", "Relations"]

# What is known of the value that an inverse is taken of: not only that it is not 0, but which sum it is.
#
# An inversion puts an indeterminate u in place of a sum v of key values (``Algebra.unit``).  Here u = v becomes a rule that
# replaces the leading monomial of v, so that equal values have equal normal forms again:
#
#     u = 1 + t + ... + t^m        t^m  ->  u + 1 + t + ... + t^(m-1)        u^(2^n - 1)  ->  1, as u is not 0
#
# A rule has indeterminates of its own in its leading monomial.  So no rule undoes another, and the order in which they are
# applied does not matter.

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
        if not powers or any(factor in rule.leading for rule in self._rules for factor in powers):
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


# -- polynomials -------------------------------------------------------------------------------------------------------------------

MOST_TERMS = 1 << 21
"""Products of terms that one product of forms may take.  An inversion of what is not an atom would need 2^128."""



class FieldElements(Protocol):
    """What is needed of a ``spec.Field``."""

    @property
    def width(self) -> int: ...
    @property
    def factor(self) -> int: ...
    def to_polynomial(self, block: int) -> int: ...
    def from_polynomial(self, block: int) -> int: ...
    def x_power(self, k: int) -> int: ...
    def poly_mul(self, a: int, b: int) -> int: ...


class Polynomial:
    """A normal form: coefficients (polynomials in x as integers, never 0) by the numbers of monomials.  Not to be
    changed.

    Its hash is a sum over its terms, so that a sum has it for the price of the smaller summand: the operands of a sector's cipher calls
    differ in a few terms of thousands.
    """

    __slots__ = ("terms", "_hash")

    def __init__(self, terms: dict[int, int], hashed: int | None = None):
        self.terms = terms
        self._hash = hashed

    def __eq__(self, other: object) -> bool:
        return self.terms == other.terms if isinstance(other, Polynomial) else NotImplemented

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = 0
            for term in self.terms.items():
                self._hash ^= hash(term)
        return self._hash

    def __xor__(self, other: Polynomial) -> Polynomial:
        return total((self, other))

    def __len__(self) -> int:
        return len(self.terms)


def total(values: Iterable[Polynomial]) -> Polynomial:
    """Sum of any number of forms."""
    summands = sorted(values, key=len)
    if not summands:
        return Polynomial({})
    large = summands.pop()
    terms, hashed = dict(large.terms), hash(large)
    for value in summands:
        for monomial, coefficient in value.terms.items():
            before = terms.get(monomial, 0)
            left = before ^ coefficient
            if before:
                hashed ^= hash((monomial, before))
            if left:
                terms[monomial] = left
                hashed ^= hash((monomial, left))
            else:
                del terms[monomial]
    return Polynomial(terms, hashed)


class Algebra:
    """The normal forms of one field: tables of atoms and monomials, and the operations of a mode.

    Parameters
    ----------
    field : FieldElements
        The mode's field (a ``spec.Field``).
    relations : bool
        Whether products use that a value which is inverted is the sum that it is (``Relations``).
    most_products : int
        Products of terms that all products of forms together may take; 0: no limit.

    Attributes
    ----------
    products : int
        Products of terms that were taken.
    """

    def __init__(self, field: FieldElements, relations: bool = False, most_products: int = 0):
        self.field = field
        self.products, self._most_products = 0, most_products
        self.relations = Relations(self) if relations else None
        self._units: set[int] = set()
        self._unit = field.x_power(field.factor)
        self._atoms: dict[tuple, int] = {}
        self._names: list[tuple] = []
        self._monomials: list[tuple[tuple[int, int], ...]] = [()]
        self._numbers: dict[tuple[tuple[int, int], ...], int] = {(): ONE}
        self._products: dict[tuple[int, int], int] = {}
        self._results: dict[tuple[object, ...], Polynomial] = {}
        self._arguments: dict[tuple[object, ...], Polynomial] = {}
        self._fronts: list[tuple[int, int, frozenset[int]]] | None = None
        self.zero = Polynomial({})

    @property
    def monomials(self) -> int:
        """Different monomials seen."""
        return len(self._monomials)

    # -- leaves -------------------------------------------------------------------------------------------------------

    def atom(self, *name: object) -> Polynomial:
        """The indeterminate of this name."""
        terms = {self._atom(name): 1}
        return Polynomial(self.relations.reduced(terms) if self.relations else terms)

    def _atom(self, name: tuple) -> int:
        if name not in self._atoms:
            self._atoms[name] = len(self._names)
            self._names.append(name)
        return self.monomial(((self._atoms[name], 1),))

    def const(self, block: int) -> Polynomial:
        """A constant block."""
        if not block:
            return self.zero
        return Polynomial({ONE: self.times(self.field.to_polynomial(block), self._unit)})

    # -- operations ---------------------------------------------------------------------------------------------------

    def times(self, a: int, b: int) -> int:
        """Product of two coefficients."""
        if a == 1:
            return b
        if b == 1:
            return a
        if a.bit_count() < b.bit_count():
            a, b = b, a
        return self.field.poly_mul(a, b)

    def reciprocal(self, coefficient: int) -> int:
        """1 / c = c^(2^n - 2) of a coefficient c that is not 0."""
        result, exponent = 1, (1 << self.field.width) - 2
        while exponent:
            if exponent & 1:
                result = self.times(result, coefficient)
            coefficient, exponent = self.times(coefficient, coefficient), exponent >> 1
        return result

    def scale(self, value: Polynomial, k: int) -> Polynomial:
        """value * x^k."""
        if not k:
            return value
        factor = self.field.x_power(k)
        return Polynomial({m: self.times(c, factor) for m, c in value.terms.items()})

    def mul(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """The field's product.  Raises ``ProofError`` where it would be larger than any mode needs."""
        if len(a) * len(b) > MOST_TERMS:
            raise ProofError(f"a normal form is too large: a product of {len(a)} and {len(b)} terms; name what is inverted")
        self.products += len(a) * len(b)
        if self.products > self._most_products > 0:
            raise ProofError(f"normal forms are too large: more than {self._most_products} products of terms")
        terms: dict[int, int] = {}
        products = self._products
        for m, c in a.terms.items():
            for n, d in b.terms.items():
                pair = (m, n) if m <= n else (n, m)
                monomial = products.get(pair)
                if monomial is None:
                    monomial = products[pair] = self.product(*pair)
                coefficient = c if d == 1 else d if c == 1 else self.times(c, d)
                left = terms.get(monomial, 0) ^ coefficient
                if left:
                    terms[monomial] = left
                else:
                    del terms[monomial]
        return Polynomial(self.relations.reduced(terms) if self.relations else terms)

    def power(self, value: Polynomial, exponent: int) -> Polynomial:
        """value^exponent, exponent >= 1."""
        result: Polynomial | None = None
        while exponent:
            if exponent & 1:
                result = value if result is None else self.mul(result, value)
            exponent >>= 1
            if exponent:
                value = self.mul(value, value)
        if result is None:
            raise ValueError("power: the exponent must be at least 1")
        return result

    def add(self, values: Iterable[Polynomial]) -> Polynomial:
        """Sum of any number of values."""
        return total(values)

    def head(self, value: Polynomial, nbytes: int) -> Polynomial:
        """The first ``nbytes`` bytes of a block; all of them for 0 or the width of a block, all but the first for a number below 0."""
        if nbytes < 0:
            return value ^ self.head(value, -nbytes)
        if not nbytes or 8 * nbytes >= self.field.width:
            return value
        parts = []
        for monomial, coefficient in sorted(value.terms.items()):
            if monomial == ONE:
                block = self.field.from_polynomial(self.times(coefficient, self.field.x_power(-self.field.factor)))
                parts.append(self.const(block & ((1 << 8 * nbytes) - 1)))
            else:
                base, end = self._part(monomial)
                if getattr(self.field, "bytes_reversed", False):
                    # The first bytes have the highest coefficients, so a multiple of x^8 moves other bytes.
                    bits = [bit for bit in range(coefficient.bit_length()) if coefficient >> bit & 1]
                    parts += [self.atom("head", monomial, bit, nbytes) if bit else self._first(base, min(end, nbytes)) for bit in bits]
                    continue
                moves, bits = self._moves(coefficient)
                for move in moves:
                    parts += self._moved(base, end, move, nbytes)
                parts += [self.atom("head", monomial, bit, nbytes) for bit in bits]
        return self.add(parts)

    def linear(self, value: Polynomial, *name: object) -> Polynomial:
        """A map of this name, of which it is only known that it is linear: an atom for each bit of each coefficient."""
        bits = ((monomial, bit) for monomial, c in sorted(value.terms.items()) for bit in range(c.bit_length()) if c >> bit & 1)
        return self.add([self.atom("linear", *name, monomial, bit) for monomial, bit in bits])

    def _part(self, monomial: int) -> tuple[tuple[int, int], int]:
        """The value x^k m of which a monomial is a head, as (m, k), and the bytes of that head: all for a monomial that is none."""
        factors = self._monomials[monomial]
        if len(factors) == 1 and factors[0][1] == 1:
            name = self._names[factors[0][0]]
            if name[0] == "head":
                return (name[1], name[2]), name[3]
        return (monomial, 0), self.field.width // 8

    def _first(self, base: tuple[int, int], end: int) -> Polynomial:
        """The first bytes of a base."""
        if end <= 0:
            return self.zero
        return Polynomial({base[0]: 1}) if 8 * end == self.field.width and not base[1] else self.atom("head", *base, end)

    def _moved(self, base: tuple[int, int], end: int, move: int, nbytes: int) -> Iterable[Polynomial]:
        """The head of the first bytes of a base up to ``end`` times x^(8 move): bytes that stay in the block are bytes of the base."""
        size = self.field.width // 8
        begin, stop = max(0, -move), min(end, size - move)
        if min(stop, nbytes - move) > begin:
            yield self.scale(self._first(base, min(stop, nbytes - move)) ^ self._first(base, begin), 8 * move)
        # What leaves the block at its front or its end comes back in many places.
        lost = self._first(base, min(begin, end)) if move < 0 else self._first(base, end) ^ self._first(base, stop)
        for monomial in lost.terms:
            yield self.atom("head", monomial, 8 * move, nbytes)

    def _moves(self, coefficient: int) -> tuple[list[int], list[int]]:
        """A coefficient as a sum of powers of x^8 and of x: the exponents of both.

        Moves to the front, x^-8, x^-16, ..., have many bits each.  They are independent of each other and of the moves to the end, so
        that elimination finds them, and finds in a sum of coefficients the sum of what it finds in each.
        """
        if self._fronts is None:
            self._fronts = []
            for j in range(1, self.field.width // 8):
                vector, which = self.field.x_power(-8 * j), frozenset({-j})
                for pivot, other, others in self._fronts:
                    if vector >> pivot & 1:
                        vector, which = vector ^ other, which ^ others
                free = [bit for bit in range(vector.bit_length()) if vector >> bit & 1 and bit % 8]
                if free:
                    self._fronts.append((free[-1], vector, which))
        moves: frozenset[int] = frozenset()
        for pivot, vector, which in self._fronts:
            if coefficient >> pivot & 1:
                coefficient, moves = coefficient ^ vector, moves ^ which
        bits = [bit for bit in range(coefficient.bit_length()) if coefficient >> bit & 1]
        return [*sorted(moves), *(bit // 8 for bit in bits if not bit % 8)], [bit for bit in bits if bit % 8]

    def operate(
        self, operation: Operation, operands: Sequence[Polynomial], number: int, rest: Polynomial | None = None
    ) -> Polynomial:
        """The result of an operation; ``rest`` as for ``permutation``."""
        if operation.inverse:
            return self.permutation(operation, operands, number, rest)
        if operation.on_forms:
            return operation.on_forms(self, operands, number)
        if operation.commutes:
            return self.atom(operation.name, number, frozenset(Counter(operands).items()))
        return self.function(operation.name, number, *operands)

    def function(self, name: str, number: int, *values: Polynomial) -> Polynomial:
        """The atom of a function of which nothing is known, for each value."""
        return self.atom(name, number, *values)

    def counter(self, name: str, number: int, bits: int, value: Polynomial) -> Polynomial:
        """A value with a number added to a counter of so many bits; two numbers on one counter are added to each other."""
        ((monomial, coefficient),) = value.terms.items() if len(value) == 1 else ((ONE, 0),)
        factors = self._monomials[monomial]
        if coefficient == 1 and len(factors) == 1 and factors[0][1] == 1:
            inner = self._names[factors[0][0]]
            if inner[0] == name:
                number, value = (number + inner[1]) & (1 << bits) - 1, inner[2]
        return self.function(name, number, value) if number else value

    def unit(self, value: Polynomial) -> Polynomial:
        """An indeterminate in place of a value that is not 0, the same for the same value; a single term stays what it is.

        All powers of a single term have one term, and a graph may have computed h^2 where the definition inverts h * h.
        """
        result = value if len(value) == 1 else self.function("unit", 0, value)
        for monomial in result.terms:
            self._units.update(atom for atom, _ in self._monomials[monomial])
        if self.relations and result is not value and value.terms:
            self.relations.add(result, value)
        return result

    def inverse(self, value: Polynomial) -> Polynomial:
        """value^(2^n - 2)."""
        return self.power(value, (1 << self.field.width) - 2)

    def permutation(
        self, operation: Operation, operands: Sequence[Polynomial], number: int = 0, rest: Polynomial | None = None
    ) -> Polynomial:
        """An operation that another one undoes, as ``enc`` and ``dec``.

        Parameters
        ----------
        operands : sequence of Polynomial
            What is permuted, and what chooses the permutation beside the number: a tweak.
        number : int
            Number of the cipher key.
        rest : Polynomial or None
            What a definition adds to the result.  The new atom then stands for the sum, so that sums which are hashed
            stay single terms; the result is that atom plus ``rest``.
        """
        value, *others = operands
        choice = (number, *others)
        known = self._results.get((operation.name, choice, value))
        if known is None:
            known = self._arguments.get((operation.name, choice, value))
        if known is not None:
            return known
        result = self.atom(operation.name, len(self._results))
        if rest is not None:
            result = result ^ rest
        self._results[operation.name, choice, value] = result
        self._arguments[operation.inverse, choice, result] = value
        return result

    # -- monomials ----------------------------------------------------------------------------------------------------

    def factors(self, monomial: int) -> tuple[tuple[int, int], ...]:
        """Atoms of a monomial with their exponents, in ascending order."""
        return self._monomials[monomial]

    def is_given(self, monomial: int) -> bool:
        """Whether a monomial is a block of the mode's key alone."""
        factors = self._monomials[monomial]
        return len(factors) == 1 and factors[0][1] == 1 and self._names[factors[0][0]][0] == "raw"

    def monomial(self, factors: tuple[tuple[int, int], ...]) -> int:
        """The number of a monomial."""
        number = self._numbers.get(factors)
        if number is None:
            number = self._numbers[factors] = len(self._monomials)
            self._monomials.append(factors)
        return number

    def product(self, m: int, n: int) -> int:
        """The product of two monomials."""
        if m == ONE:
            return n
        powers = dict(self._monomials[m])
        for atom, exponent in self._monomials[n]:
            exponent += powers.get(atom, 0)
            if atom in self._units and exponent >= (1 << self.field.width) - 1:
                exponent %= (1 << self.field.width) - 1
            powers[atom] = exponent
        return self.monomial(tuple(sorted(item for item in powers.items() if item[1])))

    def text(self, value: Polynomial, limit: int = 6) -> str:
        """A form as text, for messages: at most ``limit`` terms."""
        parts = []
        for monomial, coefficient in sorted(value.terms.items())[:limit]:
            factors = ["_".join(map(str, self._names[atom])) + (f"^{e}" if e > 1 else "") for atom, e in self._monomials[monomial]]
            if coefficient != 1 or not factors:
                factors.insert(0, f"{coefficient:#x}")
            parts.append("*".join(factors))
        return " + ".join(parts) + (" + ..." if len(value) > limit else "") if parts else "0"
