# SPDX-License-Identifier: Apache-2.0
"""BRW polynomials, their multiplication schedule and the block order that follows from it. brw2013, sections 2 and 4.2.

Blocks are field elements in GHASH order (see :mod:`modeloom_golden.field`), numbered X_1 … X_m. A multiplication is
named by the even label j of the block in its left factor; it reads X_{j-1} and X_j::

    H(X_1 … X_8):   8 ─┬─ 4 ─── 2       node 8 = (X_8 + h^8)(node 4 + node 6 + X_7)
                       └─ 6             node 2 = (X_2 + h^2)(X_1 + h)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from .checks import BLOCK_BYTES, check_block, xor
from .field import ghash_mul


def brw(h: bytes, blocks: Sequence[bytes], mul: Callable[[bytes, bytes], bytes] = ghash_mul) -> bytes:
    """BRW_h(X_1, …, X_m), recursively as brw2013, section 2 defines it; zero for no blocks.

    Parameters
    ----------
    h : bytes
        The hash key, 16 bytes.
    blocks : sequence of bytes
        m blocks of 16 bytes.
    mul : callable
        The field's product of two blocks.

    Raises ``TypeError`` or ``ValueError`` if the key or a block is not 16 bytes.
    """
    powers = {1: check_block("hash key", h)}
    t = 1
    while 2 * t <= len(blocks):
        powers[2 * t] = mul(powers[t], powers[t])
        t *= 2
    return _brw(powers, [check_block("block", block) for block in blocks], mul)


def _brw(powers: dict[int, bytes], x: list[bytes], mul: Callable[[bytes, bytes], bytes]) -> bytes:
    m = len(x)
    if m == 0:
        return bytes(BLOCK_BYTES)
    if m == 1:
        return x[0]
    if m == 2:
        return xor(mul(x[1], powers[1]), x[0])
    if m == 3:
        return xor(mul(xor(powers[1], x[0]), xor(powers[2], x[1])), x[2])
    t = 1 << m.bit_length() - 1
    return xor(mul(_brw(powers, x[: t - 1], mul), xor(powers[t], x[t - 1])), _brw(powers, x[t:], mul))


def collapsed_forest(m: int) -> dict[int, int | None]:
    """The forest F_m of brw2013, section 2.1: each multiplication's label, in ascending order, with its parent's.

    A root has the parent None.

    Raises ``TypeError`` or ``ValueError`` if *m*, the number of blocks, is not an int or is negative.
    """
    _check_count("number of blocks", m, 0)
    parents: dict[int, int | None] = {}

    def collapse(offset: int, count: int) -> list[int]:
        # The roots of the forest of the blocks offset + 1 … offset + count.
        if count < 2:
            return []
        t = 1 << count.bit_length() - 1
        root = offset + t
        parents[root] = None
        for child in collapse(offset, t - 1):
            parents[child] = root
        return [root, *collapse(root, count - t)]

    collapse(0, m)
    return {label: parents[label] for label in sorted(parents)}


def schedule(m: int, stages: int) -> list[int | None]:
    """Algorithm Schedule(m, NS) of brw2013, Fig. 4: the multiplication issued in each cycle, None where none is.

    Three corrections to the printed algorithm: a node of L_2 is taken when clock - ST ≥ NS (line 12); the loop runs
    while L_1 or L_2 holds a node (line 10); the clock advances in each turn of the loop (line 19). With them Example 1
    and Proposition 2 hold.

    Parameters
    ----------
    m : int
        Number of blocks.
    stages : int
        NS, the multiplier's latency in cycles: a product issued in cycle c is an operand from cycle c + NS on.

    Returns
    -------
    list
        Entry c is the label issued in cycle c + 1; floor(m / 2) labels in all, the last entry is one of them.

    Raises ``TypeError`` or ``ValueError`` if *m* is not an int or is negative; *stages* is not an int or is below 1.
    """
    _check_count("number of stages", stages, 1)
    parents = collapsed_forest(m)
    unscheduled_children = dict.fromkeys(parents, 0)
    for parent in parents.values():
        if parent is not None:
            unscheduled_children[parent] += 1
    independent = deque(label for label, children in unscheduled_children.items() if children == 0)  # L_1
    dependent: deque[tuple[int, int]] = deque()  # L_2 with ST, the cycle of the last child
    issued: list[int | None] = []
    clock = 1
    while independent or dependent:
        label: int | None = None
        if dependent and clock - dependent[0][1] >= stages:
            label = dependent.popleft()[0]
        elif independent:
            label = independent.popleft()
        if label is not None and (parent := parents[label]) is not None:
            unscheduled_children[parent] -= 1
            if unscheduled_children[parent] == 0:
                dependent.append((parent, clock))
        issued.append(label)
        clock += 1
    return issued


def permutation(m: int, stages: int = 3) -> tuple[int, ...]:
    """π(1), …, π(m) of brw2013, section 4.2: BRW_h(X_π(1), …, X_π(m)) as scheduled reads X_1, X_2, … in turn.

    The r-th multiplication of the schedule reads X_{2r-1} and X_{2r}: if its label is j, then π(j - 1) = 2r - 1 and
    π(j) = 2r. An odd last block stays last. Cycles without a multiplication do not count.

    Raises
    ------
    TypeError, ValueError
        As :func:`schedule`.
    """
    labels = [label for label in schedule(m, stages) if label is not None]
    pi = list(range(1, m + 1))
    for place, label in enumerate(labels, 1):
        pi[label - 2] = 2 * place - 1
        pi[label - 1] = 2 * place
    return tuple(pi)


def _check_count(name: str, value: object, minimum: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    if value < minimum:
        raise ValueError(f"{name} must be at least {minimum}, not {value}")
