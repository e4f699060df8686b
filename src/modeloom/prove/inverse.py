# SPDX-License-Identifier: Apache-2.0
"""Third part of the proof: the two directions of a definition are inverse to each other.

::

    block 0, block 1, ...  ──encrypt──▶ forms ──decrypt──▶ block 0, block 1, ...     for every permutation in place of the cipher
    block 0, block 1, ...  ──decrypt──▶ forms ──encrypt──▶ block 0, block 1, ...

One direction is evaluated on indeterminates, the other on the resulting normal forms.  A partial last block is the head of an
indeterminate.  In a result, only the bytes of the sector count.  Equal forms are a proof.  If forms differ, a test on numbers decides
(``modeloom.definition.check``).
"""

from __future__ import annotations

from dataclasses import dataclass

from modeloom.ir.graph import Trace
from modeloom.ir.trace import DIRECTIONS
from modeloom.prove.polynomials import Algebra
from modeloom.prove.rewrite import Definition
from modeloom.prove.symbols import ProofError

__all__ = ["Undecided", "prove_inverse"]

MOST_PRODUCTS = 1 << 22
"""Products of terms that the forms of one direction after the other may take.  The most that a built-in mode takes is half of it: TET
with sectors of 8192 bytes."""


@dataclass(frozen=True)
class Undecided:
    """The reason why the normal forms prove nothing: they differ, or they are too large.

    Attributes
    ----------
    first : str
        The direction that is evaluated first.
    block : int or None
        The first block that differs from the input block; None if forms became too large.
    difference : str
        The sum of both, as text, or what became too large.
    """

    first: str
    block: int | None
    difference: str


def prove_inverse(source: Trace, most_products: int = MOST_PRODUCTS) -> Undecided | None:
    """Compares both directions, one after the other, with the identity; None if they are equal.

    Parameters
    ----------
    source : Trace
        The trace of the definition in both directions.
    most_products : int
        Products of terms after which the forms count as too large.
    """
    for first, then in (DIRECTIONS, DIRECTIONS[::-1]):
        try:
            undecided = _compare(source, first, then, most_products)
        except ProofError as error:
            undecided = Undecided(first, None, str(error))
        if undecided:
            return undecided
    return None


def _compare(source: Trace, first: str, then: str, most_products: int) -> Undecided | None:
    algebra = Algebra(source.field, relations=True, most_products=most_products)
    # The values to invert are known before anything is computed with their inverses.
    known = Definition(source, algebra)
    for node in source.nonzero:
        known.value(node)
    blocks = [algebra.atom("block", i) for i in range(source.blocks)]
    tail = source.nbytes % source.block_bytes
    blocks[-1] = algebra.head(blocks[-1], tail)
    between = Definition(source, algebra, blocks).direction(first)
    between[-1] = algebra.head(between[-1], tail)
    results = Definition(source, algebra, between).direction(then)
    results[-1] = algebra.head(results[-1], tail)
    for i, (got, wanted) in enumerate(zip(results, blocks, strict=True)):
        if got != wanted:
            return Undecided(first, i, algebra.text(got ^ wanted))
    return None
