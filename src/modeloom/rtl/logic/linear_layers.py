# SPDX-License-Identifier: Apache-2.0
"""Matrices over GF(2) as gates.  Sums that several rows need are computed once.

A row is an int.  Its bit n says whether input n is a term of this output::

    row 0b1101  ──▶  output = input 0 + input 2 + input 3

The most frequent pair of terms becomes a signal.  This is repeated until no pair occurs twice (C. Paar, Optimized arithmetic for
Reed-Solomon encoders, ISIT 1997).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from amaranth.hdl import Cat, Module, Signal, Value

from modeloom.rtl.logic.gates import GateListBuilder

__all__ = ["Sum", "XorLuts", "add_linear", "apply", "inverse_matrix", "multiply_matrices", "rank"]


# -- xor luts --------------------------------------------------------------------------------------------------------------------------

# Networks of sums that fit into one LUT each.  Mapping keeps this partition into LUTs.
#
#     x = a7 + b7                    one LUT2            a sum of at most six terms is a signal with the attribute ``keep``,
#     o = a0 + b0 + b1 + c1 + d1 + x one LUT6            driven by one wide XOR
#
# A mapper restructures XOR networks for depth: abc needs 74 to 79 LUT6 for a network of 51 LUT6.  On targets with LUT6, ``synth`` makes one
# LUT of each such signal.  On other targets, the mapper decides.  A sum may have a part that is added only while an input is 1
# (``gated``).  This sum is not pinned, but it also has at most six inputs, and all of them are pinned.

LUT_INPUTS = 6


@dataclass(frozen=True)
class Sum:
    """XOR of ``terms``, and of ``gated`` if the gate is 1: names of inputs or of sums before this one."""

    terms: tuple[str, ...]
    gated: tuple[str, ...] = ()

    @property
    def fan_in(self) -> int:
        """Number of inputs of the LUT."""
        return len(self.terms) + (len(self.gated) + 1 if self.gated else 0)


class XorLuts:
    """A network.

    Parameters
    ----------
    inputs : sequence of str
        Names of the input bits.
    sums : mapping of str to Sum
        One sum for each LUT.  Each comes after the sums that it reads.
    outputs : sequence of str
        Names of the output bits.
    lut_inputs : int
        6, or 4: then sums have at most four inputs, and mapping keeps the partition on Xilinx targets with LUT4, too.

    Raises
    ------
    ValueError
        A sum has more inputs than a LUT, or a name is undefined.
    """

    def __init__(self, inputs: Sequence[str], sums: Mapping[str, Sum], outputs: Sequence[str], lut_inputs: int = LUT_INPUTS) -> None:
        known = set(inputs)
        self.lut_inputs = lut_inputs
        for name, each in sums.items():
            if not 2 <= each.fan_in <= lut_inputs:
                raise ValueError(f"{name} has {each.fan_in} inputs, a LUT 2 to {lut_inputs}")
            if missing := {*each.terms, *each.gated} - known:
                raise ValueError(f"{name} reads {', '.join(sorted(missing))}, which is not before it")
            known.add(name)
        if missing := set(outputs) - known:
            raise ValueError(f"no such outputs: {', '.join(sorted(missing))}")
        self.inputs, self.sums, self.outputs = tuple(inputs), dict(sums), tuple(outputs)

    @property
    def luts(self) -> int:
        """Number of LUTs."""
        return len(self.sums)

    @property
    def ands(self) -> int:
        """Number of AND gates of the gated parts."""
        return sum(bool(each.gated) for each in self.sums.values())

    @property
    def xors(self) -> int:
        """Number of XOR gates in all sums."""
        return sum(len(each.terms) + len(each.gated) - 1 for each in self.sums.values())

    @cached_property
    def depth(self) -> int:
        """Number of gates on the longest path, if every sum is a balanced tree."""
        depths = dict.fromkeys(self.inputs, 0)
        for name, each in self.sums.items():
            plain = [depths[term] for term in each.terms]
            gated = [_tree([depths[term] for term in each.gated]) + 1] if each.gated else []
            depths[name] = _tree([*plain, *gated])
        return max(depths[output] for output in self.outputs)

    @cached_property
    def levels(self) -> int:
        """Number of LUTs on the longest path."""
        level = dict.fromkeys(self.inputs, 0)
        for name, each in self.sums.items():
            level[name] = 1 + max(level[term] for term in (*each.terms, *each.gated))
        return max(level[output] for output in self.outputs)

    def evaluate(self, values: Mapping[str, int], gate: int = 0) -> list[int]:
        """The outputs for values of the inputs: bits, or numbers with one bit for each copy of the network."""
        known = dict(values)
        for name, each in self.sums.items():
            total = 0
            for term in each.terms:
                total ^= known[term]
            for term in each.gated:
                total ^= known[term] & gate
            known[name] = total
        return [known[output] for output in self.outputs]

    def lower(self, m: Module, values: Mapping[str, Value], gate: Value | None = None) -> list[Value]:
        """Amaranth logic of the outputs, added to *m*.

        Parameters
        ----------
        m : Module
            The module for the signals.
        values : mapping
            The inputs, all of equal width, with one bit for each copy of the network.
        gate : Value, optional
            One bit for all copies.
        """
        known = dict(values)
        width = len(next(iter(known.values())))
        for name, each in self.sums.items():
            pinned = not each.gated
            attributes = {"keep": 1, **({"lut4": 1} if self.lut_inputs == 4 else {})}
            result = Signal(width, name=name, attrs=attributes if pinned else {})
            bits = []
            for n in range(width):
                total = Cat(known[term][n] for term in each.terms).xor()
                if each.gated:
                    gated = Cat(known[term][n] for term in each.gated).xor() & gate
                    total = total ^ gated if each.terms else gated
                bits.append(total)
            m.d.comb += result.eq(Cat(bits))
            known[name] = result
        return [known[output] for output in self.outputs]


def _tree(depths: Sequence[int]) -> int:
    """The smallest depth of a tree of two-input gates over signals of these depths."""
    waiting = sorted(depths)
    while len(waiting) > 1:
        first, second, *waiting = waiting
        waiting = sorted([*waiting, max(first, second) + 1])
    return waiting[0]


# -- linear layers ---------------------------------------------------------------------------------------------------------------------


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
