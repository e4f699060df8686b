# SPDX-License-Identifier: Apache-2.0
"""Normal forms: what a mode computes, as polynomials over the mode's field.

The indeterminates ("atoms") are input, tweak and key blocks, results of the block cipher, and masked parts::

    value = sum of  coefficient * atom^e * atom^e ...        coefficient: an element of the field

Two values are equal for every permutation in the place of the cipher and for all inputs if their normal forms are; the
reverse holds for values without masks, and with masks as the modes use them.

*Scale.*  A field's product may have a factor, a * b * x^f.  Forms hold a * x^f in the place of a; then the product is
plain.

*Masks.*  ``head`` is linear over GF(2), not over the field: the head of c * m, c = x^i + x^j + ..., is the sum of the
atoms head(x^i m), head(x^j m), ...

*Cipher.*  ``enc`` and ``dec`` of a form under a key are atoms, one for each form and key; dec(enc(v)) = enc(dec(v)) = v.

*Counters.*  A number added to a form in the integers is an atom, too, one for each form and number.

*Inverses.*  1 / v = v^(2^n - 2), with an atom in the place of v, which is not 0, unless v is a single term.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from modeloom.prove.errors import ProofError

__all__ = ["FieldElements", "Polynomial", "Algebra", "ONE"]

ONE = 0
"""Number of the empty monomial."""

MOST_TERMS = 1 << 21
"""Products of terms that one product of forms may take.  An inversion of what is not an atom would need 2^128."""

INVERSE = {"enc": "dec", "dec": "enc"}


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
    """

    __slots__ = ("terms", "_key")

    def __init__(self, terms: dict[int, int]):
        self.terms = terms
        self._key: frozenset[tuple[int, int]] | None = None

    @property
    def key(self) -> frozenset[tuple[int, int]]:
        """The same as a hashable set."""
        if self._key is None:
            self._key = frozenset(self.terms.items())
        return self._key

    def __eq__(self, other: object) -> bool:
        return self.terms == other.terms if isinstance(other, Polynomial) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.key)

    def __xor__(self, other: Polynomial) -> Polynomial:
        large, small = (self, other) if len(self.terms) >= len(other.terms) else (other, self)
        terms = dict(large.terms)
        for monomial, coefficient in small.terms.items():
            left = terms.get(monomial, 0) ^ coefficient
            if left:
                terms[monomial] = left
            else:
                del terms[monomial]
        return Polynomial(terms)

    def __len__(self) -> int:
        return len(self.terms)


class Algebra:
    """The normal forms of one field: tables of atoms and monomials, and the operations of a mode.

    Parameters
    ----------
    field : FieldElements
        The mode's field (a ``spec.Field``).
    """

    def __init__(self, field: FieldElements):
        self.field = field
        self._unit = field.x_power(field.factor)
        self._atoms: dict[tuple, int] = {}
        self._names: list[tuple] = []
        self._monomials: list[tuple[tuple[int, int], ...]] = [()]
        self._numbers: dict[tuple[tuple[int, int], ...], int] = {(): ONE}
        self._products: dict[tuple[int, int], int] = {}
        self._results: dict[tuple[str, int, frozenset], Polynomial] = {}
        self._arguments: dict[tuple[str, int, frozenset], Polynomial] = {}
        self.zero = Polynomial({})

    @property
    def monomials(self) -> int:
        """Different monomials seen."""
        return len(self._monomials)

    # -- leaves -------------------------------------------------------------------------------------------------------

    def atom(self, *name: object) -> Polynomial:
        """The indeterminate of this name."""
        return Polynomial({self._atom(name): 1})

    def _atom(self, name: tuple) -> int:
        if name not in self._atoms:
            self._atoms[name] = len(self._names)
            self._names.append(name)
        return self._monomial(((self._atoms[name], 1),))

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

    def scale(self, value: Polynomial, k: int) -> Polynomial:
        """value * x^k."""
        if not k:
            return value
        factor = self.field.x_power(k)
        return Polynomial({m: self.times(c, factor) for m, c in value.terms.items()})

    def mul(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """The field's product; raises ``ProofError`` where it would be larger than any mode needs."""
        if len(a) * len(b) > MOST_TERMS:
            raise ProofError(f"a normal form is too large: a product of {len(a)} and {len(b)} terms; name what is inverted")
        terms: dict[int, int] = {}
        products = self._products
        for m, c in a.terms.items():
            for n, d in b.terms.items():
                pair = (m, n) if m <= n else (n, m)
                monomial = products.get(pair)
                if monomial is None:
                    monomial = products[pair] = self._product(*pair)
                coefficient = c if d == 1 else d if c == 1 else self.times(c, d)
                left = terms.get(monomial, 0) ^ coefficient
                if left:
                    terms[monomial] = left
                else:
                    del terms[monomial]
        return Polynomial(terms)

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
        terms: dict[int, int] = {}
        for value in values:
            for monomial, coefficient in value.terms.items():
                left = terms.get(monomial, 0) ^ coefficient
                if left:
                    terms[monomial] = left
                else:
                    del terms[monomial]
        return Polynomial(terms)

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
                continue
            for bit in range(coefficient.bit_length()):
                if coefficient >> bit & 1:
                    parts.append(self._masked(monomial, bit, nbytes))
        return self.add(parts)

    def _masked(self, monomial: int, bit: int, nbytes: int) -> Polynomial:
        factors = self._monomials[monomial]
        if not bit and len(factors) == 1 and factors[0][1] == 1:
            inner = self._names[factors[0][0]]
            if inner[0] == "head":
                return self.atom("head", inner[1], inner[2], min(inner[3], nbytes))
        return self.atom("head", monomial, bit, nbytes)

    def function(self, name: str, number: int, value: Polynomial) -> Polynomial:
        """The atom of a function of which nothing is known, for each value."""
        return self.atom(name, number, value.key)

    def unit(self, value: Polynomial) -> Polynomial:
        """An indeterminate in the place of a value that is not 0, the same for the same value; a single term stays what it is.

        All powers of a single term have one term, and a graph may have computed h^2 where the definition inverts h * h.
        """
        return value if len(value) == 1 else self.function("unit", 0, value)

    def inverse(self, value: Polynomial) -> Polynomial:
        """value^(2^n - 2)."""
        return self.power(value, (1 << self.field.width) - 2)

    def cipher(self, core: str, value: Polynomial, rest: Polynomial | None = None, key: int = 0) -> Polynomial:
        """``enc`` or ``dec`` of a value.

        Parameters
        ----------
        key : int
            Number of the cipher key.
        rest : Polynomial or None
            What a definition adds to the result.  The new atom then stands for the sum, so that sums which are hashed
            stay single terms; the result is that atom plus ``rest``.
        """
        known = self._results.get((core, key, value.key))
        if known is None:
            known = self._arguments.get((core, key, value.key))
        if known is not None:
            return known
        result = self.atom(core, len(self._results))
        if rest is not None:
            result = result ^ rest
        self._results[core, key, value.key] = result
        self._arguments[INVERSE[core], key, result.key] = value
        return result

    # -- monomials ----------------------------------------------------------------------------------------------------

    def _monomial(self, factors: tuple[tuple[int, int], ...]) -> int:
        number = self._numbers.get(factors)
        if number is None:
            number = self._numbers[factors] = len(self._monomials)
            self._monomials.append(factors)
        return number

    def _product(self, m: int, n: int) -> int:
        if m == ONE:
            return n
        powers = dict(self._monomials[m])
        for atom, exponent in self._monomials[n]:
            powers[atom] = powers.get(atom, 0) + exponent
        return self._monomial(tuple(sorted(powers.items())))

    def text(self, value: Polynomial, limit: int = 6) -> str:
        """A form as text, for messages: at most ``limit`` terms."""
        parts = []
        for monomial, coefficient in sorted(value.terms.items())[:limit]:
            factors = [
                "_".join(map(str, self._names[atom])) + (f"^{e}" if e > 1 else "")
                for atom, e in self._monomials[monomial]
            ]
            if coefficient != 1 or not factors:
                factors.insert(0, f"{coefficient:#x}")
            parts.append("*".join(factors))
        return " + ".join(parts) + (" + ..." if len(value) > limit else "") if parts else "0"
