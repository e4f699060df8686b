# SPDX-License-Identifier: Apache-2.0
"""Lists of two-input gates.  The same list is counted, evaluated, proved and written as hardware.

Signals are numbered: first the inputs, then one signal for each gate.  A gate reads signals with smaller numbers::

    signal   0 ... n - 1    n              n + 1             ...
             inputs         gate 0         gate 1
                            xor 2 5        and 8 0           outputs: any signals, in the order of the output's bits

In hardware, a signal is a word with one bit for each copy of the circuit.  Sixteen S-boxes therefore take no more operations than one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from amaranth.hdl import Cat, Module, Mux, Signal, Value

__all__ = [
    "Gate", "GateList", "GateListBuilder", "Sum", "XorLuts", "add_linear", "apply", "inverse_matrix", "multiply_matrices",
    "rank",
]  # fmt: skip

#: AND gates, XOR gates and delay from each operand, in gates.  A multiplexer is low ^ select & (high ^ low).  Inversions are free.
_OPERATIONS: dict[str, tuple[int, int, tuple[int, ...]]] = {
    "xor": (0, 1, (1, 1)),
    "xnor": (0, 1, (1, 1)),
    "and": (1, 0, (1, 1)),
    "or": (1, 0, (1, 1)),
    "not": (0, 0, (0,)),
    "mux": (1, 2, (2, 3, 3)),
}


class Gate(NamedTuple):
    """An operation and the signals that it reads.  A ``mux`` reads select, high and low."""

    operation: str
    operands: tuple[int, ...]


class GateList:
    """A combinational circuit.

    Parameters
    ----------
    inputs : int
        Number of inputs.
    gates : sequence of Gate
        ``xor``, ``xnor``, ``and``, ``or``, ``not`` or ``mux``.
    outputs : sequence of int
        Signals.

    Raises
    ------
    ValueError
        An operation is unknown, or a gate or output reads a signal that does not exist.
    """

    def __init__(self, inputs: int, gates: Sequence[Gate], outputs: Sequence[int]) -> None:
        for signal, gate in enumerate(gates, inputs):
            if gate.operation not in _OPERATIONS or len(gate.operands) != len(_OPERATIONS[gate.operation][2]):
                raise ValueError(f"signal {signal}: no such gate: {gate}")
            if not all(0 <= operand < signal for operand in gate.operands):
                raise ValueError(f"signal {signal} reads one that is not before it: {gate}")
        if not all(0 <= output < inputs + len(gates) for output in outputs):
            raise ValueError("an output is no signal")
        self.inputs, self.gates, self.outputs = inputs, tuple(gates), tuple(outputs)

    @property
    def ands(self) -> int:
        """Number of AND and OR gates.  A multiplexer has one."""
        return sum(_OPERATIONS[gate.operation][0] for gate in self.gates)

    @property
    def xors(self) -> int:
        """Number of XOR and XNOR gates.  A multiplexer has two."""
        return sum(_OPERATIONS[gate.operation][1] for gate in self.gates)

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """Number of gates on the longest path from an input to each signal."""
        depths = [0] * self.inputs
        for gate in self.gates:
            delays = _OPERATIONS[gate.operation][2]
            depths.append(max(depths[operand] + delay for operand, delay in zip(gate.operands, delays, strict=True)))
        return tuple(depths)

    @property
    def depth(self) -> int:
        """Number of gates on the longest path."""
        return max(self.depths[output] for output in self.outputs)

    def evaluate(self, values: Sequence[int], ones: int = 1) -> list[int]:
        """Values of the outputs.  Bit n of every number belongs to copy n of the circuit, and ``ones`` has a 1 for each copy."""
        known = list(values)
        for operation, operands in self.gates:
            a = [known[operand] for operand in operands]
            match operation:
                case "xor":
                    known.append(a[0] ^ a[1])
                case "xnor":
                    known.append(a[0] ^ a[1] ^ ones)
                case "and":
                    known.append(a[0] & a[1])
                case "or":
                    known.append(a[0] | a[1])
                case "not":
                    known.append(a[0] ^ ones)
                case "mux":
                    known.append(a[2] ^ a[0] & (a[1] ^ a[2]))
        return [known[output] for output in self.outputs]

    def table(self) -> tuple[int, ...]:
        """The output for each value of the inputs.  In both, bit 0 is the first signal."""
        size = 1 << self.inputs
        ones = (1 << size) - 1
        columns = self.evaluate([_variable(n, size) for n in range(self.inputs)], ones)
        return tuple(sum((column >> x & 1) << n for n, column in enumerate(columns)) for x in range(size))

    def place_cuts(self, stages: int) -> tuple[int, ...]:
        """Depths for ``stages`` registers that minimize the longest path of gates, and then the number of register bits."""
        end = self.depth
        bits = [0] * (end + 1)
        last_use = list(self.depths)
        for output in self.outputs:
            last_use[output] = end + 1
        for gate, depth in zip(self.gates, self.depths[self.inputs :], strict=True):
            for operand in gate.operands:
                last_use[operand] = max(last_use[operand], depth)
        for depth, last in zip(self.depths, last_use, strict=True):
            for cut in range(depth, min(last, end + 1)):
                bits[cut] += 1
        # for each depth of the latest cut: the longest path and the register bits so far, and the cuts
        best: dict[int, tuple[int, int, tuple[int, ...]]] = {0: (0, 0, ())}
        for _ in range(stages):
            further: dict[int, tuple[int, int, tuple[int, ...]]] = {}
            for depth, (longest, cost, cuts) in best.items():
                for cut in range(depth, end + 1):
                    candidate = (max(longest, cut - depth), cost + bits[cut], (*cuts, cut))
                    further[cut] = min(candidate, further.get(cut, candidate))
            best = further
        return min((max(longest, end - depth), cost, cuts) for depth, (longest, cost, cuts) in best.items())[2]

    def lower(self, m: Module, values: Sequence[Value], stages: int = 0) -> list[Value]:
        """Amaranth logic of the outputs, added to *m*.

        Parameters
        ----------
        m : Module
            The module for signals and registers.
        values : sequence of Value
            The inputs, all of equal width, with one bit for each copy of the circuit.
        stages : int
            Number of registers on every path.  They are placed by depth, and have no reset and no enable.  The outputs belong to the
            inputs ``stages`` cycles ago.
        """
        cuts = self.place_cuts(stages)
        width = len(values[0])
        known: dict[tuple[int, int], Value] = {(n, 0): value for n, value in enumerate(values)}

        def born(signal: int) -> int:
            return sum(cut < self.depths[signal] for cut in cuts) if signal >= self.inputs else 0

        def at(signal: int, stage: int) -> Value:
            for cycle in range(born(signal), stage):
                if (signal, cycle + 1) not in known:
                    register = Signal(width, name=f"stage{cycle + 1}_{signal}_reg", reset_less=True)
                    m.d.sync += register.eq(known[signal, cycle])
                    known[signal, cycle + 1] = register
            return known[signal, stage]

        for signal, (operation, operands) in enumerate(self.gates, self.inputs):
            stage = born(signal)
            a = [at(operand, stage) for operand in operands]
            result = Signal(width, name=f"{operation}_{signal}")
            m.d.comb += result.eq(_express(operation, a, width))
            known[signal, stage] = result
        return [at(output, stages) for output in self.outputs]


def _variable(n: int, size: int) -> int:
    """A number whose bit x is bit n of x, for all x below ``size``."""
    ones = ((1 << (1 << n)) - 1) << (1 << n)
    return sum(ones << low for low in range(0, size, 2 << n))


def _express(operation: str, a: Sequence[Value], width: int) -> Value:
    match operation:
        case "xor":
            return a[0] ^ a[1]
        case "xnor":
            return ~(a[0] ^ a[1])
        case "and":
            return a[0] & a[1]
        case "or":
            return a[0] | a[1]
        case "not":
            return ~a[0]
    return Mux(a[0], a[1], a[2]) if width == 1 else a[0] & a[1] | ~a[0] & a[2]


class GateListBuilder:
    """Makes a :class:`GateList`.  Each method returns the signal of its result.  The same request returns the same signal again.

    Parameters
    ----------
    inputs : int
        Number of inputs, which are the signals 0 ... inputs - 1.
    """

    def __init__(self, inputs: int) -> None:
        self.inputs = inputs
        self._gates: list[Gate] = []
        self._known: dict[Gate, int] = {}

    def add(self, operation: str, *operands: int) -> int:
        """A gate.  The order of the operands matters only for ``mux``."""
        gate = Gate(operation, operands if operation == "mux" else tuple(sorted(operands)))
        if gate not in self._known:
            self._known[gate] = self.inputs + len(self._gates)
            self._gates.append(gate)
        return self._known[gate]

    def xor(self, a: int, b: int) -> int:
        """a ^ b."""
        return self.add("xor", a, b)

    def conjunction(self, a: int, b: int) -> int:
        """a & b."""
        return self.add("and", a, b)

    def invert(self, a: int) -> int:
        """Not ``a``.  An XOR gate that nothing else reads becomes an XNOR gate when the list is finished."""
        return self.add("not", a)

    def mux(self, select: int, high: int, low: int) -> int:
        """``high`` if ``select`` is 1, otherwise ``low``."""
        return high if high == low else self.add("mux", select, high, low)

    def xor_all(self, signals: Sequence[int]) -> int:
        """XOR of one or more signals, starting with the first two."""
        result, *rest = signals
        for signal in rest:
            result = self.xor(result, signal)
        return result

    def finish(self, outputs: Sequence[int]) -> GateList:
        """The list without gates that no output needs, and with inverters merged into the XOR gates before them."""
        gates = list(self._gates)
        readers: dict[int, int] = {}
        for operand in [*(operand for gate in gates for operand in gate.operands), *outputs]:
            readers[operand] = readers.get(operand, 0) + 1
        for n, (operation, operands) in enumerate(gates):
            before = operands[0] - self.inputs
            if operation == "not" and before >= 0 and readers[operands[0]] == 1 and gates[before].operation in ("xor", "xnor"):
                inverted = "xnor" if gates[before].operation == "xor" else "xor"
                gates[n] = Gate(inverted, gates[before].operands)
        needed = set(outputs)
        for n in range(len(gates) - 1, -1, -1):
            if self.inputs + n in needed:
                needed.update(gates[n].operands)
        number = {n: n for n in range(self.inputs)}
        remaining: list[Gate] = []
        for signal, (operation, operands) in enumerate(gates, self.inputs):
            if signal in needed:
                number[signal] = self.inputs + len(remaining)
                remaining.append(Gate(operation, tuple(number[operand] for operand in operands)))
        return GateList(self.inputs, remaining, [number[output] for output in outputs])


# -- linear layers -----------------------------------------------------------------------------------------------------------------------

# Matrices over GF(2) as gates.  Sums that several rows need are computed once.
#
# A row is an int.  Its bit n says whether input n is a term of this output::
#
#     row 0b1101  ──▶  output = input 0 + input 2 + input 3
#
# The most frequent pair of terms becomes a signal.  This is repeated until no pair occurs twice (C. Paar, Optimized arithmetic for
# Reed-Solomon encoders, ISIT 1997).

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
