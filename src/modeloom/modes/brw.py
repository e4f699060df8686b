# SPDX-License-Identifier: Apache-2.0
"""BRW polynomials as modes write them, and the order of brw2013, section 4.2, in which their multiplier likes its blocks."""

from collections.abc import Sequence
from typing import Any

__all__ = ["brw", "schedule", "permutation"]


def brw(o: Any, h: Any, x: Sequence[Any]) -> Any:
    """BRW_h(X_1 ... X_m), m >= 1 (brw2013, section 2); floor(m/2) products and powers h^(2^j) of the key value h."""
    m = len(x)
    if m == 1:
        return x[0]
    if m == 2:
        return o.mul(x[1], h) ^ x[0]
    if m == 3:
        return o.mul(x[0] ^ h, x[1] ^ o.power(h, 2)) ^ x[2]
    t = 1 << m.bit_length() - 1
    product = o.mul(brw(o, h, x[: t - 1]), x[t - 1] ^ o.power(h, t))
    return product ^ brw(o, h, x[t:]) if m > t else product


def schedule(m: int, stages: int) -> list[int | None]:
    """Order in which a multiplier with ``stages`` stages does the products of BRW on m blocks, None for an idle cycle.

    The nodes are those of the collapsed forest: node x is the product of block X_x.  brw2013, Fig. 4 with its errata: a node
    is ready when ``clock - ST >= NS``, the loop runs until both lists are empty, and every turn takes one cycle.
    """
    nodes = range(2, m + 1, 2)
    # X_t multiplies the hash of the t - 1 blocks before it, so a node's parent is the next multiple of a higher power of 2.
    parent = {x: x + (x & -x) for x in nodes}
    children = {x: sum(1 for y in nodes if parent[y] == x) for x in nodes}
    independent = [x for x in nodes if not children[x]]
    waiting: list[tuple[int, int]] = []
    order: list[int | None] = []
    clock = 1
    while independent or waiting:
        if waiting and clock - waiting[0][1] >= stages:
            node: int | None = waiting.pop(0)[0]
        else:
            node = independent.pop(0) if independent else None
        order.append(node)
        if node is not None and parent[node] in children:
            above = parent[node]
            children[above] -= 1
            if not children[above]:
                waiting.append((above, clock))
        clock += 1
    return order


def permutation(m: int, stages: int = 3) -> list[int]:
    """pi of brw2013, section 4.2: pi[i] is the (0-based) block that stands at place i of the hash, for m blocks.

    Blocks are taken in the order in which ``schedule(m, stages)`` uses its nodes: node x uses places x - 1 and x.
    """
    pi = [0] * m
    nodes = [x for x in schedule(m, stages) if x is not None]
    for step, x in enumerate(nodes):
        pi[x - 2], pi[x - 1] = 2 * step, 2 * step + 1
    if m % 2:
        pi[m - 1] = m - 1
    return pi
