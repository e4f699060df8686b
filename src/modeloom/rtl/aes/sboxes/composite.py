# SPDX-License-Identifier: Apache-2.0
"""The S-box of AES by inversion in the tower of fields GF(((2^2)^2)^2).

Source: A. Satoh et al., A compact Rijndael hardware architecture with S-box optimization, ASIACRYPT 2001; gcm2008, section 2.2.2,
eq. (2.5) and Fig. 2.3.  For z = a x + b with a, b in GF(2^4)::

            ┌─ a ──┬── square ── × λ ──(+)── inverse ──┬── × ── a'
    i ─ δ ─┤       │                    │              │
            └─ b ──┴─ (a + b) ── × b ───┘              └── × (a + b) ── b' ──── δ^-1, affine ── o

    GF(2^2) = GF(2)[w] / (w^2 + w + 1)        GF(2^4) = GF(2^2)[y] / (y^2 + y + w)
    GF(2^8) = GF(2^4)[x] / (x^2 + x + λ)      λ = (w + 1) y, bits 1100

The bits of an element are written with the highest first: a before b, and likewise in the smaller fields.  The inverse S-box has the
inverse affine map before δ.  The form for both directions shares the inversion.  Multiplexers select the maps before and after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from modeloom.rtl.aes.sboxes.sbox import affine
from modeloom.rtl.logic.gates import GateList, GateListBuilder
from modeloom.rtl.logic.linear_layers import add_linear, inverse_matrix, multiply_matrices

__all__ = ["AFFINE", "AFFINE_CONSTANT", "DIRECTIONS", "check_direction", "composite_sbox", "tower_matrix"]

DIRECTIONS = ("forward", "inverse", "both")
"""The directions of an S-box.  ``both`` has a ninth input that is 1 for the inverse."""

_PHI, _LAMBDA = 0b10, 0b1100

def check_direction(direction: str) -> None:
    """Raises ``ValueError`` if an S-box has no such direction."""
    if direction not in DIRECTIONS:
        raise ValueError(f"direction must be one of {', '.join(DIRECTIONS)}, not {direction!r}")


def _rows(images: Sequence[int]) -> list[int]:
    """The matrix that takes bit n to ``images[n]``."""
    return [sum((image >> row & 1) << n for n, image in enumerate(images)) for row in range(8)]


AFFINE_CONSTANT = affine(0)
"""The constant of the affine map of the S-box."""

AFFINE = _rows([affine(1 << n) ^ AFFINE_CONSTANT for n in range(8)])
"""The linear part of this map, by rows."""


def _tower_multiply(a: int, b: int, bits: int) -> int:
    """Product of two numbers in the field of the tower with the given number of bits."""
    if bits == 1:
        return a & b
    half = bits // 2
    (a1, a0), (b1, b0) = divmod(a, 1 << half), divmod(b, 1 << half)
    high, low = _tower_multiply(a1, b1, half), _tower_multiply(a0, b0, half)
    middle = _tower_multiply(a1 ^ a0, b1 ^ b0, half)
    factor = {2: 1, 4: _PHI, 8: _LAMBDA}[bits]
    return (middle ^ low) << half | low ^ _tower_multiply(high, factor, half)


@cache
def tower_matrix() -> tuple[int, ...]:
    """The rows of δ, which maps a byte of AES to the tower.  Of the eight such maps, this one and its inverse have the fewest ones."""
    found = []
    for root in range(2, 256):
        powers = [1]
        for _ in range(8):
            powers.append(_tower_multiply(powers[-1], root, 8))
        if powers[8] ^ powers[4] ^ powers[3] ^ powers[1] ^ 1 == 0:
            rows = _rows(powers[:8])
            ones = sum(row.bit_count() for row in [*rows, *multiply_matrices(AFFINE, inverse_matrix(rows))])
            found.append((ones, tuple(rows)))
    return min(found)[1]


class _Tower:
    """Arithmetic on lists of signals, with the lowest bit first."""

    def __init__(self, builder: GateListBuilder) -> None:
        self.builder = builder

    def add(self, a: Sequence[int], b: Sequence[int]) -> list[int]:
        return [self.builder.xor(x, y) for x, y in zip(a, b, strict=True)]

    def linear(self, a: Sequence[int], images: Sequence[int]) -> list[int]:
        """The linear map that takes bit n to ``images[n]``."""
        size = len(a)
        rows = [sum((image >> row & 1) << n for n, image in enumerate(images)) for row in range(size)]
        return add_linear(self.builder, a, rows)

    def multiply(self, a: Sequence[int], b: Sequence[int]) -> list[int]:
        if len(a) == 1:
            return [self.builder.conjunction(a[0], b[0])]
        half = len(a) // 2
        low, high = self.multiply(a[:half], b[:half]), self.multiply(a[half:], b[half:])
        middle = self.multiply(self.add(a[:half], a[half:]), self.add(b[:half], b[half:]))
        return [*self.add(low, self.scale(high)), *self.add(middle, low)]

    def scale(self, a: Sequence[int]) -> list[int]:
        """Product with w in GF(2^2).  A single bit is unchanged."""
        return list(a) if len(a) == 1 else self.linear(a, [_tower_multiply(1 << n, _PHI, len(a)) for n in range(len(a))])

    def invert(self, a: Sequence[int]) -> list[int]:
        """Inverse in GF(2^4) and smaller fields.  In GF(2^2) it is the square."""
        if len(a) == 2:
            return self.linear(a, [_tower_multiply(1 << n, 1 << n, 2) for n in range(2)])
        low, high = a[:2], a[2:]
        both = self.add(low, high)
        norm = self.linear(high, [_tower_multiply(_tower_multiply(1 << n, 1 << n, 2), _PHI, 2) for n in range(2)])
        inverse = self.invert(self.add(norm, self.multiply(low, both)))
        return [*self.multiply(both, inverse), *self.multiply(high, inverse)]


@cache
def composite_sbox(direction: str = "forward") -> GateList:
    """The gates of the S-box, its inverse, or both.

    Parameters
    ----------
    direction : str
        ``forward``, ``inverse``, or ``both`` with a ninth input, which is 1 for the inverse.

    Raises
    ------
    ValueError
        There is no such direction.
    """
    check_direction(direction)
    builder = GateListBuilder(9 if direction == "both" else 8)
    tower = _Tower(builder)
    into = list(tower_matrix())
    out = inverse_matrix(into)
    before = multiply_matrices(into, inverse_matrix(AFFINE))
    behind = multiply_matrices(AFFINE, out)

    def flipped(signals: Sequence[int], constant: int) -> list[int]:
        return [builder.invert(signal) if constant >> n & 1 else signal for n, signal in enumerate(signals)]

    inputs = list(range(8))
    offset = sum(((row & AFFINE_CONSTANT).bit_count() & 1) << n for n, row in enumerate(before))
    if direction == "forward":
        z = add_linear(builder, inputs, into)
    elif direction == "inverse":
        z = flipped(add_linear(builder, inputs, before), offset)
    else:
        sums = add_linear(builder, inputs, [*before, *into])
        z = [builder.mux(8, high, low) for high, low in zip(flipped(sums[:8], offset), sums[8:], strict=True)]

    low, high = z[:4], z[4:]
    both = tower.add(low, high)
    norm = tower.linear(high, [_tower_multiply(_tower_multiply(1 << n, 1 << n, 4), _LAMBDA, 4) for n in range(4)])
    inverse = tower.invert(tower.add(norm, tower.multiply(low, both)))
    z = [*tower.multiply(both, inverse), *tower.multiply(high, inverse)]

    if direction == "forward":
        outputs = flipped(add_linear(builder, z, behind), AFFINE_CONSTANT)
    elif direction == "inverse":
        outputs = add_linear(builder, z, out)
    else:
        sums = add_linear(builder, z, [*out, *behind])
        outputs = [builder.mux(8, high, low) for high, low in zip(sums[:8], flipped(sums[8:], AFFINE_CONSTANT), strict=True)]
    return builder.finish(outputs)
