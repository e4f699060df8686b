# SPDX-License-Identifier: Apache-2.0
"""Matrices over GF(2) as gates.  Sums that several rows need are computed once.

A row is an int.  Its bit n says whether input n is a term of this output::

    row 0b1101  ──▶  output = input 0 + input 2 + input 3

The most frequent pair of terms becomes a signal.  This is repeated until no pair occurs twice (C. Paar, Optimized arithmetic for
Reed-Solomon encoders, ISIT 1997).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from modeloom.rtl.logic.gates import GateListBuilder

__all__ = ["add_linear", "apply", "inverse_matrix", "multiply_matrices", "rank"]


def add_linear(builder: GateListBuilder, signals: Sequence[int], rows: Sequence[int]) -> list[int]:
    """Adds the XOR gates of a matrix to a circuit.

    Parameters
    ----------
    builder : GateListBuilder
        The circuit.
    signals : sequence of int
        The signals for the bits of a row.
    rows : sequence of int
        The matrix.  No row is 0.

    Returns
    -------
    list of int
        The signal of each row.

    Raises
    ------
    ValueError
        A row is 0.
    """
    if not all(rows):
        raise ValueError("a row of 0 has no signal")
    terms = [{signal for n, signal in enumerate(signals) if row >> n & 1} for row in rows]
    while any(len(row) > 1 for row in terms):
        pairs = Counter(pair for row in terms for pair in combinations(sorted(row), 2))
        most = max(pairs.values())
        pair = min(pair for pair, number in pairs.items() if number == most)
        made = builder.xor(*pair)
        for row in terms:
            if row.issuperset(pair):
                row.difference_update(pair)
                row.add(made)
    return [next(iter(row)) for row in terms]


def apply(rows: Sequence[int], value: int) -> int:
    """Matrix times vector.  Bit n of the result belongs to row n."""
    return sum(((row & value).bit_count() & 1) << n for n, row in enumerate(rows))


def multiply_matrices(a: Sequence[int], b: Sequence[int]) -> list[int]:
    """The rows of a times b, which applies b first and then a."""
    product = []
    for row in a:
        total = 0
        for n, other in enumerate(b):
            if row >> n & 1:
                total ^= other
        product.append(total)
    return product


def inverse_matrix(rows: Sequence[int]) -> list[int]:
    """The rows of the inverse.

    Raises
    ------
    ValueError
        The matrix is singular.
    """
    size = len(rows)
    work = [row | 1 << size + n for n, row in enumerate(rows)]
    for column in range(size):
        pivot = next((n for n in range(column, size) if work[n] >> column & 1), None)
        if pivot is None:
            raise ValueError("the matrix is singular")
        work[column], work[pivot] = work[pivot], work[column]
        for n in range(size):
            if n != column and work[n] >> column & 1:
                work[n] ^= work[column]
    return [row >> size for row in work]


def rank(rows: Sequence[int]) -> int:
    """Number of independent rows."""
    basis: list[int] = []
    for row in rows:
        for other in basis:
            row = min(row, row ^ other)
        if row:
            basis.append(row)
    return len(basis)
