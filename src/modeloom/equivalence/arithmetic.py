# SPDX-License-Identifier: Apache-2.0
"""Proves the circuits of the multipliers, squarers and adders in an emitted core separately.

Many inputs are computed at once: a bit of a net is a number with a digit for each input, together with a degree::

    multiplier    a bit is linear in a, in b, or in both: XOR of equal degrees, AND of one in a and one in b; then all pairs of basis
                  vectors decide, for each bit of the output one of 16384 digits
    squarer       a bit is linear; all basis vectors decide
    adder         numbers at random and at the edges of the carry

A register is a delay.  All operands of a gate must have passed the same number of registers.  Outputs are identified by their values,
because the names of the ports of a core do not identify them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import product

from modeloom.equivalence.cells import CircuitError
from modeloom.spec import Field, Numbers
from modeloom.spec.kinds import MUL, Operation
from modeloom.taint.graph import Bit, Cell, Netlist

__all__ = ["Depth", "LinearCircuit", "output_order", "products_of"]

SAMPLES = 2048
"""Number of random operands for an adder."""

Degree = frozenset[str]

Depth = int | None


class LinearCircuit:
    """Values of bits for many inputs at once.

    Parameters
    ----------
    count : int
        Number of inputs.
    linear : bool
        Whether each bit must be linear in each operand.

    Attributes
    ----------
    known : dict
        For each bit its digits, the number of registers behind the operands (None for a constant), and its degree.
    """

    def __init__(self, count: int, linear: bool):
        self.linear, self.ones = linear, (1 << count) - 1
        self.known: dict[Bit, tuple[int, Depth, Degree]] = {"0": (0, None, frozenset()), "1": (self.ones, None, frozenset())}

    def evaluate(self, cells: Mapping[Bit, Cell], wanted: Sequence[Bit], names: Mapping[int, str]) -> None:
        """Computes the wanted bits.  ``cells`` has the cell of each bit that is not known, and ``names`` is for messages."""
        stack: list[tuple[Bit, bool]] = [(bit, False) for bit in wanted]
        open_: set[Bit] = set()
        while stack:
            bit, ready = stack.pop()
            if bit in self.known:
                continue
            if bit not in cells:
                raise CircuitError(f"nothing drives {names.get(bit, bit) if isinstance(bit, int) else bit}")
            cell = cells[bit]
            if ready:
                self.compute(cell)
                continue
            if bit in open_:
                raise CircuitError(f"{cell.name} is part of a loop")
            open_.add(bit)
            stack.append((bit, True))
            stack += [(need, False) for port in ("A", "B", "S", "D") for need in cell[port] if need not in self.known]

    def compute(self, cell: Cell) -> None:
        """The values of the outputs of a cell."""
        if cell.type == "$dff":
            for q, d in zip(cell["Q"], cell["D"]):
                value, depth, degree = self.known[d]
                self.known[q] = value, None if depth is None else depth + 1, degree
            return
        width = len(cell["Y"])

        def operand(port: str) -> list[tuple[int, Depth, Degree]]:
            bits = list(cell[port][:width])
            return [self.known[bit] for bit in bits + ["0"] * (width - len(bits))]

        if cell.type == "$add" and not self.linear:
            self._add(cell, operand("A"), operand("B"))
        elif cell.type in ("$xor", "$and", "$or"):
            for y, a, b in zip(cell["Y"], operand("A"), operand("B")):
                self.known[y] = self.gate(cell, cell.type, a, b)
        elif cell.type == "$mux" and not self.linear:
            chosen = self.known[cell["S"][0]]
            for y, a, b in zip(cell["Y"], operand("A"), operand("B")):
                value = a[0] & ~chosen[0] | b[0] & chosen[0]
                self.known[y] = value, self._meet(cell, a[1], b[1], chosen[1]), a[2] | b[2] | chosen[2]
        elif cell.type == "$not" and not self.linear:
            for y, (value, depth, degree) in zip(cell["Y"], operand("A")):
                self.known[y] = value ^ self.ones, depth, degree
        else:
            raise CircuitError(f"{cell.name} of type {cell.type} is no part of such a circuit")

    def _meet(self, cell: Cell, *depths: Depth) -> Depth:
        met = {depth for depth in depths if depth is not None}
        if len(met) > 1:
            raise CircuitError(f"values of different cycles meet in {cell.name}")
        return met.pop() if met else None

    def gate(
        self, cell: Cell, kind: str, a: tuple[int, Depth, Degree], b: tuple[int, Depth, Degree]
    ) -> tuple[int, Depth, Degree]:
        """The value of a gate of a kind, which a cell has."""
        if b[1] is None:
            a, b = b, a
        if a[1] is None:  # a constant
            if kind == "$and":
                return b if a[0] else (0, None, frozenset())
            if kind == "$or" and a[0]:
                return self.ones, None, frozenset()
            if not a[0]:
                return b
        depth = self._meet(cell, a[1], b[1])
        if kind == "$xor":
            if self.linear and a[2] != b[2]:
                raise CircuitError(f"{cell.name} adds terms of different degrees")
            return a[0] ^ b[0], depth, a[2] | b[2]
        if self.linear and (kind == "$or" or a[2] & b[2]):
            raise CircuitError(f"{cell.name} is not linear in each operand")
        value = a[0] & b[0] if kind == "$and" else a[0] | b[0]
        return value, depth, a[2] | b[2]

    def _add(self, cell: Cell, a: Sequence[tuple], b: Sequence[tuple]) -> None:
        carry = 0
        depth = self._meet(cell, *(operand[1] for operand in (*a, *b)))
        for y, (p, _, _), (q, _, _) in zip(cell["Y"], a, b):
            self.known[y] = p ^ q ^ carry, depth, frozenset("i")
            carry = p & q | carry & (p | q)


class _Circuit(LinearCircuit):
    """The values of a module whose registers are delays."""

    def __init__(self, netlist: Netlist, values: dict[str, list[int]], count: int, linear: bool):
        super().__init__(count, linear)
        for name, digits in values.items():
            for bit, value in zip(netlist.inputs.get(name, ()), digits):
                self.known[bit] = value, 0, frozenset(name)
        cells = {bit: cell for cell in netlist.cells for bit in (cell["Q"] if cell.type == "$dff" else cell["Y"])}
        self.evaluate(cells, [bit for bits in netlist.outputs.values() for bit in bits], netlist.names)


def _digits(values: Sequence[int], width: int) -> list[int]:
    """For each bit of a word, a number with one digit for each of the given values."""
    rows = [0] * width
    for n, value in enumerate(values):
        while value:
            low = value & -value
            rows[low.bit_length() - 1] |= 1 << n
            value ^= low
    return rows


def products_of(field: Field) -> tuple[dict[str, list[int]], list[int], int]:
    """All pairs of basis vectors: pair (i, j) is digit n * i + j."""
    n = field.width
    row = (1 << n) - 1
    first = [row << n * i for i in range(n)]
    column = sum(1 << n * i for i in range(n))
    powers = [field.from_polynomial(field.x_power(k + field.factor)) for k in range(2 * n - 1)]
    exponent = {field.bit(k): k for k in range(n)}
    results = [powers[exponent[i] + exponent[j]] for i in range(n) for j in range(n)]
    return {"a": first, "b": [column << j for j in range(n)]}, _digits(results, n), n * n


Samples = tuple[dict[str, list[int]], list[int], int]
"""For each port its digits, those of the result, and how many there are."""


def _linear(operation: Operation, field: Field) -> Samples:
    """All basis vectors for one operand, and all pairs of basis vectors for two operands."""
    if operation is MUL.operation:
        return products_of(field)
    n, ports, o = field.width, operation.unit.ports, Numbers(field, ())
    operands = list(product([1 << i for i in range(n)], repeat=len(ports)))
    results = [operation.on_numbers(o, run, 0) for run in operands]
    values = {port: _digits([run[place] for run in operands], n) for place, port in enumerate(ports)}
    return values, _digits(results, n), len(operands)


def _number_port(netlist: Netlist, operation: Operation) -> str:
    """The port of a number.  Its name may be that of a signal outside."""
    ports = operation.unit.ports
    others = [name for name in netlist.inputs if name not in ("clk", "rst", "clear", *ports)]
    if len(others) != 1:
        raise CircuitError(f"an operation {operation.name} has {', '.join(ports)} and a number, not {', '.join([*ports, *others])}")
    return others[0]


def _samples(operation: Operation, field: Field, netlist: Netlist) -> Samples:
    """Blocks and numbers.  Numbers have only the bits of the port, because bits that are always zero are not part of it."""
    width, rng, o = field.width, random.Random(operation.name), Numbers(field, ())
    operands = [[rng.getrandbits(width) for _ in operation.unit.ports] for _ in range(SAMPLES)]
    numbers, port = [0] * SAMPLES, ""
    if operation.numbers:
        port, bits = _number_port(netlist, operation), (operation.numbers.stop - 1).bit_length()
        within = (1 << len(netlist.inputs[port])) - 1
        edges = [0, 1, *((1 << k) - 1 for k in range(2, bits + 1)), *(1 << k for k in range(1, bits))]
        numbers = [(rng.choice(edges) if rng.random() < 0.5 else rng.getrandbits(bits)) & within for _ in operands]
    if counter := operation.counter:
        # Counters that are all ones above the number, so the carry runs to the end.
        for n in range(0, SAMPLES, 4):
            operands[n][0] = counter.add(operands[n][0] | (1 << width) - 1, -numbers[n], width // 8)
    results = [operation.on_numbers(o, run, number) for run, number in zip(operands, numbers)]
    values = {name: _digits([run[place] for run in operands], width) for place, name in enumerate(operation.unit.ports)}
    if port:
        values[port] = _digits(numbers, (operation.numbers.stop - 1).bit_length())
    return values, _digits(results, width), SAMPLES


def output_order(netlist: Netlist, ports: Sequence[str], operation: Operation, field: Field, latency: int) -> list[int]:
    """Proves the circuit of a core, and returns the bit of the result for each bit of its output ports.

    Parameters
    ----------
    netlist : Netlist
        The core's module.
    ports : sequence of str
        Its outputs.
    operation : Operation
        One without keys.
    latency : int
        Number of registers from the operands to the result.

    Raises
    ------
    CircuitError
        The circuit computes something else, or has another latency.
    """
    values, results, count = _linear(operation, field) if operation.linear else _samples(operation, field, netlist)
    circuit = _Circuit(netlist, values, count, operation.linear)
    places = {digits: i for i, digits in enumerate(results)}
    degree = frozenset(values)
    order = []
    for port in ports:
        for n, bit in enumerate(netlist.outputs[port]):
            found, depth, bit_degree = circuit.known[bit]
            if found not in places:
                raise CircuitError(f"bit {n} of {port} is no bit of the result of {operation.name}")
            if depth != latency or operation.linear and bit_degree != degree:
                raise CircuitError(f"bit {n} of {port} is there after {depth} cycles, not {latency}")
            order.append(places[found])
    return order
