# SPDX-License-Identifier: Apache-2.0
"""Longest paths between all operations of a problem, including the windows of its chains."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from modeloom.schedule.problem import Problem

__all__ = ["NEVER", "Infeasible", "Numbers", "longest_paths"]

Numbers = NDArray[np.int32]

NEVER = -(1 << 28)
"""The delay between operations that do not depend on each other."""


class Infeasible(Exception):
    """A chain of the graph does not fit into the initiation interval."""


def longest_paths(problem: Problem, members: Sequence[int], ii: int) -> Numbers:
    """Cycles that the second of two operations starts after the first, at least: start[j] >= start[i] + result[i, j].

    Parameters
    ----------
    members : sequence of int
        The operations, in the order of the graph.  They include everything that they depend on.
    ii : int
        Initiation interval, after which the register of a chain is needed again; 0 for a plain schedule, where it is not.

    Returns
    -------
    array of (operations, operations)
        ``NEVER`` where there is no path; 0 or less from an operation to itself.

    Raises
    ------
    Infeasible
        A chain has more uses than the interval has cycles.
    """
    place = {i: n for n, i in enumerate(members)}
    after = np.full((len(place), len(place)), NEVER, dtype=np.int32)
    for j, i in enumerate(members):
        after[j, j] = 0
        for p, delay in problem.preds[i].items():
            np.maximum(after[j], after[place[p]] + delay, out=after[j])
    before = np.ascontiguousarray(after.T)
    for uses in problem.chain_uses.values() if ii else ():
        (a, offset_a), (b, offset_b) = uses[0], uses[-1]
        back = offset_b - offset_a - (ii - 1)
        a, b = place[a], place[b]
        if before[a, b] + back > 0:
            raise Infeasible
        np.maximum(before, before[:, b, None] + back + before[a], out=before)
    before[before < NEVER // 2] = NEVER
    return before
