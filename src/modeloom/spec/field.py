# SPDX-License-Identifier: Apache-2.0
"""Binary fields GF(2^n), and which bit of a block is which coefficient.

A block is an ``int`` with byte 0 in bits [7:0].  A field says which bit holds which coefficient::

    block bit        0   1  ...  7   8  ...
    POLYVAL, XTS    x^0 x^1 ... x^7 x^8 ...      coefficient i is bit i
    GHASH           x^7 x^6 ... x^0 x^15 ...     coefficient i is bit 8*(i//8) + 7 - i%8
    CMAC, OCB       x^120 ... x^127 x^112 ...    coefficient i is bit 8*(n/8 - 1 - i//8) + i%8

The product of POLYVAL (RFC 8452) has a factor: ``dot(a, b) = a * b * x^-128``.  ``factor`` is this exponent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from modeloom.spec.errors import DefinitionError


def clmul(a: int, b: int) -> int:
    """Carry-less product of two polynomials over GF(2), given as integers (bit i is the coefficient of x^i)."""
    result = 0
    while b:
        low = b & -b
        result ^= a * low
        b ^= low
    return result


@lru_cache(maxsize=256)
def is_irreducible(modulus: int) -> bool:
    """Whether a polynomial over GF(2), of degree 1 or more, has no divisor except 1 and itself.

    This is Ben-Or's test.  The polynomial is irreducible if it has no common divisor with x^(2^i) - x for any i up to half its degree.
    """
    degree = modulus.bit_length() - 1
    power = 2
    for _ in range(degree // 2):
        power = _remainder(_square(power), modulus)
        a, b = modulus, power ^ 2
        while b:
            a, b = b, _remainder(a, b)
        if a != 1:
            return False
    return True


def _square(a: int) -> int:
    """a * a, which is a with a zero between every two bits."""
    return int(f"{a:b}", 4)


def _remainder(a: int, b: int) -> int:
    length = b.bit_length()
    while (excess := a.bit_length() - length) >= 0:
        a ^= b << excess
    return a


@dataclass(frozen=True)
class Field:
    """GF(2)[x] / modulus, its bit order in a block, and the factor of its product.

    Parameters
    ----------
    name : str
        Short name of the order, unique within a project.
    width : int
        Number of bits in a block, n.
    modulus : int
        The irreducible polynomial including its leading term.  Bit i is the coefficient of x^i.
    bytewise_reversed : bool
        Whether bit 7 of a byte holds the lowest coefficient, as in GHASH, instead of bit 0.
    bytes_reversed : bool
        Whether byte 0 holds the highest coefficients, as in CMAC, instead of the lowest.
    factor : int
        The product of two blocks is a * b * x^factor: 0, or -128 for POLYVAL.
    """

    name: str
    width: int
    modulus: int
    bytewise_reversed: bool = False
    factor: int = 0
    bytes_reversed: bool = False

    def __post_init__(self) -> None:
        if self.width % 8 or self.width <= 0:
            raise DefinitionError(f"field {self.name}: width must be a positive multiple of 8 bits, not {self.width}")
        if self.modulus.bit_length() != self.width + 1 or not self.modulus & 1:
            raise DefinitionError(f"field {self.name}: the modulus must have degree {self.width} and a constant term")

    @property
    def irreducible(self) -> bool:
        """Whether the modulus is irreducible.  If it is not, this is a ring, in which some blocks other than 0 have no inverse."""
        return is_irreducible(self.modulus)

    def bit(self, i: int) -> int:
        """The block bit that holds the coefficient of x^i."""
        place = (i & ~7) | (7 - (i & 7)) if self.bytewise_reversed else i
        return (self.width - 8 - (place & ~7)) | (place & 7) if self.bytes_reversed else place

    @cached_property
    def mirrored(self) -> Field:
        """The same field with its bytes in the other order."""
        return replace(self, name=f"{self.name}-mirrored", bytes_reversed=not self.bytes_reversed)

    @cached_property
    def _reverse(self) -> list[int]:
        return [int(f"{byte:08b}"[::-1], 2) for byte in range(256)]

    def to_polynomial(self, block: int) -> int:
        """Polynomial of a block; bit i is the coefficient of x^i."""
        if not self.bytewise_reversed and not self.bytes_reversed:
            return block
        data = block.to_bytes(self.width // 8, "little")
        if self.bytewise_reversed:
            data = bytes(self._reverse[byte] for byte in data)
        return int.from_bytes(data, "big" if self.bytes_reversed else "little")

    from_polynomial = to_polynomial  # all orders are involutions

    def reduce(self, polynomial: int) -> int:
        """Remainder of a polynomial of any degree, divided by the modulus."""
        excess = polynomial.bit_length() - self.width - 1
        while excess >= 0:
            polynomial ^= self.modulus << excess
            excess = polynomial.bit_length() - self.width - 1
        return polynomial

    def x_power(self, k: int) -> int:
        """x^k as a polynomial, for any integer k."""
        return _x_power(self.modulus, self.width, k)

    def poly_mul(self, a: int, b: int) -> int:
        """Reduced product of two reduced polynomials, without ``factor``."""
        return self.reduce(clmul(a, b))

    def mul(self, a: int, b: int) -> int:
        """Product of two blocks in the field: a * b * x^factor."""
        product = self.poly_mul(self.to_polynomial(a), self.to_polynomial(b))
        if self.factor:
            product = self.poly_mul(product, self.x_power(self.factor))
        return self.from_polynomial(product)

    def scale(self, a: int, k: int) -> int:
        """a * x^k for a block a, without ``factor``."""
        if k == 0:
            return a
        if k < 0 or k > self.width:
            return self.from_polynomial(self.poly_mul(self.to_polynomial(a), self.x_power(k)))
        return self.from_polynomial(self.reduce(self.to_polynomial(a) << k))

    @cached_property
    def one(self) -> int:
        """The neutral element of ``mul``: x^-factor."""
        return self.from_polynomial(self.x_power(-self.factor))

    def power(self, a: int, e: int) -> int:
        """a^e under ``mul``, for e >= 1."""
        if e < 1:
            raise ValueError(f"power: the exponent must be at least 1, not {e}")
        result: int | None = None
        while e:
            if e & 1:
                result = a if result is None else self.mul(result, a)
            a = self.mul(a, a)
            e >>= 1
        assert result is not None
        return result


@lru_cache(maxsize=4096)
def _x_power(modulus: int, width: int, k: int) -> int:
    step = 2
    if k < 0:  # x^-1 = (modulus - 1) / x, as the constant term is 1
        step, k = (modulus ^ 1) >> 1, -k
    result = 1
    while k:
        if k & 1:
            result = _mod(clmul(result, step), modulus, width)
        step = _mod(clmul(step, step), modulus, width)
        k >>= 1
    return result


def _mod(polynomial: int, modulus: int, width: int) -> int:
    while (excess := polynomial.bit_length() - width - 1) >= 0:
        polynomial ^= modulus << excess
    return polynomial


GHASH_ORDER = Field("ghash", 128, (1 << 128) | 0x87, bytewise_reversed=True)
"""GF(2^128) of GHASH (SP 800-38D): x^128 + x^7 + x^2 + x + 1, bit 7 of byte 0 is the coefficient of x^0."""

POLYVAL_ORDER = Field("polyval", 128, (1 << 128) | (1 << 127) | (1 << 126) | (1 << 121) | 1, factor=-128)
"""GF(2^128) of POLYVAL (RFC 8452): x^128 + x^127 + x^126 + x^121 + 1, product a * b * x^-128."""

XTS_ORDER = Field("xts", 128, (1 << 128) | 0x87)
"""GF(2^128) of XTS (IEEE 1619): x^128 + x^7 + x^2 + x + 1, little-endian bytes."""

CMAC_ORDER = Field("cmac", 128, (1 << 128) | 0x87, bytes_reversed=True)
"""GF(2^128) of CMAC (SP 800-38B) and OCB (RFC 7253): x^128 + x^7 + x^2 + x + 1, the last bit of the block is the coefficient of x^0."""
