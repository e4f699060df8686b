# SPDX-License-Identifier: Apache-2.0
"""Product of a Toeplitz matrix with a vector by three products of half the size: Fan and Hasan, gcm2008, section 3.4.1.

::

    t[3] t[2] t[1] t[0]   v[0]         T1 T0   V0         P0 + P2        P0 = (T1 + T0) V1
    t[4] t[3] t[2] t[1]   v[1]                        =                  P1 = (T2 + T1) V0
    t[5] t[4] t[3] t[2]   v[2]         T2 T1   V1         P1 + P2        P2 = T1 (V0 + V1)
    t[6] t[5] t[4] t[3]   v[3]

A matrix of n rows is the word t of its 2n - 1 diagonals, from the top right corner to the bottom left corner.  T0, T1 and T2 are slices
of t that overlap.  Both sums of matrices together are one XOR of t with t shifted by n/2, which takes 3n/2 - 1 gates.

The halving ends with many small products of equal size.  They are written on planes, as in ``karatsuba``.
"""

from __future__ import annotations

from modeloom.rtl.gf128.planes import to_lanes, to_planes
from modeloom.rtl.gf128.words import Word, join, xor_all, zero

__all__ = ["toeplitz_product"]


def toeplitz_product(t: Word, v: Word, halt: int) -> Word:
    """Product of a square Toeplitz matrix with a vector.

    Parameters
    ----------
    t : Word
        2n - 1 bits: row i, column j of the matrix is bit i - j + n - 1.
    v : Word
        n bits, bit j for column j.
    halt : int
        Matrices of at most this many rows are multiplied by the definition.  Before an odd number of rows is halved, a row and a
        column of zeros are added.

    Returns
    -------
    Word
        n bits, bit i for row i.

    Raises
    ------
    ValueError
        If the widths do not fit, or ``halt`` is below 1.
    """
    n = v.width
    if t.width != 2 * n - 1:
        raise ValueError(f"toeplitz_product: a matrix of {n} rows has {2 * n - 1} diagonals, not {t.width}")
    if halt < 1:
        raise ValueError(f"toeplitz_product: halt must be at least 1, not {halt}")
    sizes = [n]
    lanes = [(t, v)]
    while sizes[-1] > halt:
        half = -(-sizes[-1] // 2)
        lanes = [third for matrix, vector in lanes for third in _halves(matrix, vector, half)]
        sizes.append(half)
    parts = _small_products([matrix for matrix, _ in lanes], [vector for _, vector in lanes], sizes[-1])
    for size in reversed(sizes[:-1]):
        parts = [
            join([upper ^ shared, lower ^ shared]).extend(size)
            for upper, lower, shared in zip(parts[0::3], parts[1::3], parts[2::3])
        ]
    return parts[0]


def _halves(t: Word, v: Word, half: int) -> list[tuple[Word, Word]]:
    """Matrices and vectors of P0, P1 and P2, with ``half`` rows each."""
    if v.width < 2 * half:
        t, v = join([zero(1), t, zero(1)]), v.extend(2 * half)
    low, high = v.part(0, half), v.part(half, half)
    sums = t.part(0, 3 * half - 1) ^ t.part(half, 3 * half - 1)
    diagonals = 2 * half - 1
    return [
        (sums.part(0, diagonals), high),
        (sums.part(half, diagonals), low),
        (t.part(half, diagonals), low ^ high),
    ]


def _small_products(matrices: list[Word], vectors: list[Word], size: int) -> list[Word]:
    diagonals = [plane.anchored() for plane in to_planes(matrices)]
    columns = [plane.anchored() for plane in to_planes(vectors)]
    rows = [xor_all(diagonals[i - j + size - 1] & columns[j] for j in range(size)) for i in range(size)]
    return [lane.anchored() for lane in to_lanes(rows, len(matrices))]
