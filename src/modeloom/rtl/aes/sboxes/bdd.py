# SPDX-License-Identifier: Apache-2.0
"""The S-box of AES as a decision diagram.  Every node is a multiplexer that a bit of the input controls.

Source: gcm2008, section 2.2.2 (binary decision diagrams); S. Morioka and A. Satoh, A 10-Gbps full-AES crypto design with a twisted BDD
S-box architecture, IEEE Trans. VLSI Systems 12(7), 2004; R. E. Bryant, Graph-based algorithms for Boolean function manipulation, 1986::

    o_7 ... o_0        one root for each output bit           first variable chooses:  8 nodes
     │       │                                                second                  16
     mux     mux ...   function of the variables left         ...                     ...
    ┌┴─┐                                                      last                    the variable itself

Equal functions share one node, for all outputs.  A function and its complement also share one, because inversions are free.  A node whose
function has two variables is an AND, OR or XOR gate.  The order of the variables has the fewest multiplexers of all 8! orders.  A level
depends only on the set of variables above it, so it is enough to compare 256 sets (S. J. Friedman and K. J. Supowit, Finding the optimal
variable ordering for binary decision diagrams, IEEE Trans. Computers 39(5), 1990).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from modeloom.rtl.aes.sboxes.composite import check_direction
from modeloom.rtl.aes.sboxes.sbox import INV_SBOX, SBOX
from modeloom.rtl.logic.gates import GateList, GateListBuilder

__all__ = ["bdd_sbox", "best_order"]

_FLIP = str.maketrans("01", "10")

# A function of n variables is a text of 2^n digits.  The digit at x is its value for x.


def _columns(table: Sequence[int]) -> list[str]:
    return ["".join(str(value >> n & 1) for value in table) for n in range(8)]


def _cofactors(function: str, position: int) -> tuple[str, str]:
    """The function with the variable at this position set to 0, and set to 1."""
    block = 1 << position
    parts = [function[low : low + block] for low in range(0, len(function), block)]
    return "".join(parts[::2]), "".join(parts[1::2])


def _regular(function: str) -> str:
    """The function, or its complement if the function is not 0 at 0."""
    return function if function[0] == "0" else function.translate(_FLIP)


def best_order(functions: Iterable[str], variables: int = 8) -> tuple[int, ...]:
    """The order of variables with the fewest nodes of two or more variables.  The variable at the roots is the first.

    Parameters
    ----------
    functions : iterable of str
        Values for 0, 1, ...
    variables : int
        Number of variables of the functions.
    """
    below: dict[int, set[str]] = {0: {_regular(function) for function in functions}}
    best: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, ())}
    for chosen in sorted(range(1 << variables), key=lambda chosen: (chosen.bit_count(), chosen)):
        left = [v for v in range(variables) if not chosen >> v & 1]
        if chosen:
            last = chosen.bit_length() - 1
            position = last - (chosen ^ 1 << last).bit_count()
            below[chosen] = {
                _regular(half) for function in below[chosen ^ 1 << last] for half in _cofactors(function, position)
            }
        cost, order = best[chosen]
        for position, v in enumerate(left):
            nodes = 0
            for function in below[chosen]:
                low, high = _cofactors(function, position)
                # A function of only this variable is the variable itself.
                nodes += low != high and not (len(set(low)) == 1 and len(set(high)) == 1)
            further = chosen | 1 << v
            candidate = (cost + nodes, (*order, v))
            best[further] = min(candidate, best.get(further, candidate))
    return best[(1 << variables) - 1][1]


class _Diagram:
    """Nodes as gates.  An edge is a signal and a flag that says whether it is inverted."""

    def __init__(self, builder: GateListBuilder, order: Sequence[int]) -> None:
        self.builder, self.order = builder, order
        self.known: dict[str, int] = {}

    def reordered(self, function: str) -> str:
        """The function with the first variable of the order as the highest digit of x."""
        size = len(self.order)
        places = [
            sum((x >> size - 1 - n & 1) << v for n, v in enumerate(self.order)) for x in range(1 << size)
        ]
        return "".join(function[place] for place in places)

    def edge(self, function: str) -> tuple[int, bool]:
        regular = _regular(function)
        if regular not in self.known:
            self.known[regular] = self.node(regular)
        return self.known[regular], regular != function

    def node(self, function: str) -> int:
        add = self.builder.add
        low, high = _cofactors(function, (len(function) - 1).bit_length() - 1)
        if low == high:
            return self.edge(low)[0]
        select = self.order[len(self.order) - (len(function) - 1).bit_length()]
        # The function is 0 at 0, so its low half is regular.
        zero, one = low.strip("0") == "", high.strip("0") == ""
        if zero and high.strip("1") == "":
            return select
        if low == high.translate(_FLIP):
            return add("xor", select, self.edge(low)[0])
        if zero:
            return add("and", select, self.signal(high))
        if one:
            return add("and", self.builder.invert(select), self.signal(low))
        if high.strip("1") == "":
            return add("or", select, self.signal(low))
        return add("mux", select, self.signal(high), self.signal(low))

    def signal(self, function: str) -> int:
        signal, inverted = self.edge(function)
        return self.builder.invert(signal) if inverted else signal


@cache
def bdd_sbox(direction: str = "forward") -> GateList:
    """The gates of the S-box, its inverse, or both.

    Parameters
    ----------
    direction : str
        ``forward``, ``inverse``, or ``both`` with a ninth input at the roots, which is 1 for the inverse.

    Raises
    ------
    ValueError
        There is no such direction.
    """
    check_direction(direction)
    tables = {"forward": [SBOX], "inverse": [INV_SBOX], "both": [SBOX, INV_SBOX]}[direction]
    functions = [_columns(table) for table in tables]
    order = best_order(function for columns in functions for function in columns)
    builder = GateListBuilder(9 if direction == "both" else 8)
    diagram = _Diagram(builder, order)
    signals = [[diagram.signal(diagram.reordered(function)) for function in columns] for columns in functions]
    if direction == "both":
        return builder.finish([builder.mux(8, high, low) for low, high in zip(*signals, strict=True)])
    return builder.finish(signals[0])
