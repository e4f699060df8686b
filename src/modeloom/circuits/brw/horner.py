# SPDX-License-Identifier: Apache-2.0
"""The usual polynomial on a pipelined multiplier: Horner's rule, with as many chains as the multiplier has stages.  brw2013, section 4.5.

::

    k = 3, m = 31, times h          slots 0 … 27              28            29           30         31      32      33
    chain 1   P_1  P_4  …  P_28     (C + P_i) h^3                                   (C + P_31) h
    chain 2   P_2  P_5  …  P_29     (C + P_i) h^3       (C + P_29) h^3
    chain 3   P_3  P_6  …  P_30     (C + P_i) h^3                    (C + P_30) h^2
    accumulator                                                                                 = C    += C    += C

C is the product that was issued k slots before, so each block is added to its own chain.  The blocks come in order, one per cycle.  The
last k blocks are multiplied by their remaining powers of h, so the chains only have to be added up.  h Poly_h takes m products, and the
result is ready after m + k cycles.
"""

from __future__ import annotations

from modeloom.circuits.brw.plan import Plan, Step
from modeloom.circuits.brw.trees import block_count

__all__ = ["plan_horner"]


def plan_horner(blocks: int, stages: int, *, times_h: bool = False) -> Plan:
    """Poly_h(P_1, …, P_m) = P_1 h^(m-1) + … + P_m, or h times it, in ``stages`` chains.

    Parameters
    ----------
    blocks : int
        m, at least 1.
    stages : int
        Latency of the multiplier, at least 1: the number of chains k.
    times_h : bool
        Whether the result is multiplied by h.  This takes one more product, because the last block is also multiplied.

    Raises
    ------
    TypeError, ValueError
        A number is not an int or is too small.
    """
    m, k = block_count(blocks), block_count(stages, "stages")
    steps: list[Step] = []
    for slot in range(m):
        left = m - 1 - slot
        exponent = k if left >= k else left + times_h
        steps.append(Step(slot, exponent > 0, product=slot >= k, block=True, power=exponent or None))
    if not steps[-1].issue:  # the first factor goes into the accumulator instead
        steps[-1] = steps[-1].add(0, product=m > k, block=True)
    for slot in range(max(0, m - k), m):
        if steps[slot].issue:
            steps += [Step() for _ in range(slot + k + 1 - len(steps))]
            written = any(step.writes for step in steps)
            steps[slot + k] = steps[slot + k].add(0, product=True, keep=written)
    return Plan(m, k, tuple(steps), 1, 1)
