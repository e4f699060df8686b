# SPDX-License-Identifier: Apache-2.0
"""The two hash circuits: BRW polynomials with two blocks per cycle, Horner's rule with one block per cycle.  brw2013, sections 3 and 4.5.

BRW, 31 blocks, a multiplier of three stages; k in the second row is the pair (a, b) = (X_(2k+1), X_(2k+2)), in the order of
``Schedule(31, 3)`` = 2 6 10 4 …; ``*`` is X_31 alone at port a::

    cycle       0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15  16  17  18
    start       1   0   0   0   0   0   0   0   0   0   0   0   0   0   0   0   1                    again from cycle 16 on
    a, b        0   2   4   1   6   5   3   8  10   7   9  12  14  11  13   *   next message
    pair        2   4   1   6   5   3   8  10   7   9  12  14  11  13  15   0                        what to have there next
    o, done                                                                             H_h          18 cycles; 21 for h H_h

``pair`` selects the blocks that are taken in the next cycle, so a memory with a latency of one cycle can deliver them in time.  It is 0
while the circuit is idle.  The circuit never waits for its input: pairs must come in the cycles of the table.  A user who may choose the
order of the hash (brw2013, section 4.2) can send two blocks per cycle in any order and ignore ``pair``.
"""

from __future__ import annotations

from modeloom.circuits.brw.circuit import PolynomialHash
from modeloom.circuits.brw.horner import plan_horner
from modeloom.circuits.brw.plan import plan_brw
from modeloom.spec.field import GHASH_ORDER, Field

__all__ = ["BRWHash", "HornerHash"]


class BRWHash(PolynomialHash):
    """H_h(X_1, …, X_m), the BRW polynomial, with floor(m / 2) products, or h times it with one more.

    Ports and attributes are those of ``PolynomialHash``; latency 18 cycles for 31 blocks and three stages, 21 times h.

    Parameters
    ----------
    field : Field
        The field.
    blocks : int
        m, at least 1.
    stages : int
        Registers of the multiplier, at least 1: NS.
    squares : str
        ``setup``: h, h^2, h^4, … are loaded into registers 0, 1, 2, …; ``fly``: h is loaded, and its powers are computed in each message.
    times_h : bool
        Whether the result is multiplied by h.
    order : str
        Order of the products: ``schedule``, the algorithm of the paper, or ``shortest``.  ``shortest`` saves cycles if that algorithm idles
        longer than necessary, up to two cycles with three stages.  It may need one more accumulator.
    halt : int
        Of the multiplier.

    Raises
    ------
    TypeError, ValueError
        As ``PolynomialHash``; a number is not an int or is too small, there is no such order.
    """

    def __init__(
        self, field: Field = GHASH_ORDER, blocks: int = 31, stages: int = 3, squares: str = "setup", *, times_h: bool = False,
        order: str = "schedule", halt: int = 16,
    ):  # fmt: skip
        super().__init__(field, plan_brw(blocks, stages, times_h=times_h, order=order), squares, halt)


class HornerHash(PolynomialHash):
    """Poly_h(P_1, …, P_m) = P_1 h^(m-1) + … + P_m, or h times it, with one block per cycle in natural order at port ``a``.

    Ports and attributes are those of ``PolynomialHash``; registers 0, 1, … hold h, h^2, …, at most as many as the multiplier has stages.
    Latency m + stages cycles times h (34 for 31 blocks and three stages).

    Parameters
    ----------
    field : Field
        The field.
    blocks : int
        m, at least 1.
    stages : int
        Registers of the multiplier, at least 1: the number of chains.
    times_h : bool
        Whether the result is multiplied by h.
    halt : int
        Of the multiplier.

    Raises
    ------
    TypeError, ValueError
        As ``PolynomialHash``; a number is not an int or is too small.
    """

    def __init__(self, field: Field = GHASH_ORDER, blocks: int = 31, stages: int = 3, *, times_h: bool = False, halt: int = 16):
        super().__init__(field, plan_horner(blocks, stages, times_h=times_h), "setup", halt)
