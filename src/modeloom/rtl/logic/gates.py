# SPDX-License-Identifier: Apache-2.0
"""Lists of two-input gates.  The same list is counted, evaluated, proved and written as hardware.

Signals are numbered: first the inputs, then one signal for each gate.  A gate reads signals with smaller numbers::

    signal   0 ... n - 1    n              n + 1             ...
             inputs         gate 0         gate 1
                            xor 2 5        and 8 0           outputs: any signals, in the order of the output's bits

In hardware, a signal is a word with one bit for each copy of the circuit.  Sixteen S-boxes therefore take no more operations than one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from amaranth.hdl import Module, Mux, Signal, Value

__all__ = ["Gate", "GateList", "GateListBuilder"]

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
        kept: list[Gate] = []
        for signal, (operation, operands) in enumerate(gates, self.inputs):
            if signal in needed:
                number[signal] = self.inputs + len(kept)
                kept.append(Gate(operation, tuple(number[operand] for operand in operands)))
        return GateList(self.inputs, kept, [number[output] for output in outputs])
