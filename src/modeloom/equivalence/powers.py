# SPDX-License-Identifier: Apache-2.0
"""The powers of a key that has come with a message: their circuit is proved alone, and executed as a whole in a core.

::

    start, h ──▶ a = h, b = h ──┬──▶ some bits of a times b in each cycle ──▶ a · b = h², until it is taken ──▶ busy falls
                                └──────────────────────────── a = h² ◀────────────────────────┘    ... hⁿ

The proof runs the circuit cycle by cycle.  Control is numbers.  Each bit of data is linear in a, in b, or in both, as in ``arithmetic``.
When a power is taken, the register that holds it then is found, and gets new symbols for a.  All others must have what they had behind the
start.  So the proof of a power holds for any a, and the powers follow by induction.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from modeloom.equivalence import lanes
from modeloom.equivalence.arithmetic import Depth, LinearCircuit, products_of
from modeloom.equivalence.cells import CircuitError
from modeloom.equivalence.circuit import Box
from modeloom.equivalence.cores import Parts, taken
from modeloom.spec import Field
from modeloom.taint.graph import Bit, Cell, Netlist

__all__ = ["INPUTS", "PowersCircuit", "PowersCore", "prove_powers"]

INPUTS = ("rst", "start", "taken", "base")
"""Input ports of the circuit."""

LONGEST = 300
"""A power takes fewer cycles than this."""

HELD = 2
"""Cycles in which a power waits in the proof.  Nothing changes in them, so it can wait for any number of cycles."""

SAMPLES = 256
"""Random keys with which the register of a is found."""

EXPLORED = 2
"""Powers with which it is found."""

Value = tuple[int, Depth, frozenset[str]]


@dataclass(frozen=True)
class PowersCircuit:
    """What is known of a proved circuit.

    Attributes
    ----------
    cycles : tuple of int
        For each power from 2 on, the cycles in which it is computed.
    outputs : tuple of str
        For each output port, what it is: "we", "exponent", "data" or "busy".
    """

    cycles: tuple[int, ...]
    outputs: tuple[str, ...]


_NUMBERS: dict[str, Callable[[int, int], int]] = {
    "$eq": operator.eq, "$ne": operator.ne, "$lt": operator.lt, "$le": operator.le, "$gt": operator.gt, "$ge": operator.ge,
    "$add": operator.add, "$sub": operator.sub,
}  # fmt: skip
"""Cells of control."""


class _Cycle(LinearCircuit):
    """The values of all bits in a cycle.

    Parameters
    ----------
    netlist : Netlist
    known : mapping
        The values of inputs and registers.
    count : int
        Number of digits.
    linear : bool
        Whether each bit must be linear in each operand.
    """

    def __init__(self, netlist: Netlist, known: Mapping[Bit, Value], count: int, linear: bool):
        super().__init__(count, linear)
        self.known.update(known)
        wanted = [bit for bits in netlist.outputs.values() for bit in bits]
        wanted += [bit for cell in netlist.cells if cell.type == "$dff" for bit in cell["D"]]
        self.evaluate({bit: cell for cell in netlist.cells if cell.type != "$dff" for bit in cell["Y"]}, wanted, netlist.names)

    def compute(self, cell: Cell) -> None:
        operands = [[self.known[bit] for bit in cell[port]] for port in ("A", "B", "S") if port in cell.ports]
        if cell.type in _NUMBERS and all(depth is None for operand in operands for _, depth, _ in operand):
            first, second = (sum(1 << n for n, (value, _, _) in enumerate(operand) if value) for operand in operands)
            result = int(_NUMBERS[cell.type](first, second))
            for n, y in enumerate(cell["Y"]):
                self.known[y] = self.ones if result >> n & 1 else 0, None, frozenset()
        elif cell.type == "$not" and all(depth is None for _, depth, _ in operands[0]):
            for y, (value, _, _) in zip(cell["Y"], operands[0]):
                self.known[y] = value ^ self.ones, None, frozenset()
        elif cell.type == "$mux":
            ((select, depth, _),) = operands[2]
            if depth is not None:
                raise CircuitError(f"{cell.name} chooses by data")
            self.known.update(zip(cell["Y"], operands[1 if select else 0]))
        elif cell.type == "$reduce_xor":
            self.known[cell["Y"][0]] = reduce(lambda a, b: self.gate(cell, "$xor", a, b), operands[0])
        else:
            super().compute(cell)


class _Clocked:
    """A circuit that runs: the values of its registers."""

    def __init__(self, netlist: Netlist, count: int, linear: bool):
        self.netlist, self.count, self.linear = netlist, count, linear
        self.ones = (1 << count) - 1
        self.registers = [(q, d) for cell in netlist.cells if cell.type == "$dff" for q, d in zip(cell["Q"], cell["D"])]
        self.state: dict[Bit, Value] = {q: (0, None, frozenset()) for q, _ in self.registers}
        missing = [name for name in INPUTS if name not in netlist.inputs]
        if missing or any(len(netlist.inputs[name]) != 1 for name in INPUTS[:-1]):
            raise CircuitError(f"the circuit of powers has no port {(missing or ['of one bit'])[0]}")

    def step(
        self, base: Sequence[int], degree: str, *, start: bool = False, took: bool = False, reset: bool = False
    ) -> dict[str, list[Value]]:
        """A cycle.  Returns the outputs in it."""
        known = dict(self.state)
        for name, value in (("rst", reset), ("start", start), ("taken", took)):
            known[self.netlist.inputs[name][0]] = self.ones if value else 0, None, frozenset()
        for bit, digits in zip(self.netlist.inputs["base"], base, strict=True):
            known[bit] = digits, 0, frozenset({degree})
        found = _Cycle(self.netlist, known, self.count, self.linear).known
        self.state = {q: found[d] for q, d in self.registers}
        return {name: [found[bit] for bit in bits] for name, bits in self.netlist.outputs.items()}


def number_of(bits: Sequence[Value]) -> int:
    """The number that control bits hold.  Raises ``CircuitError`` if they depend on data."""
    if any(depth is not None for _, depth, _ in bits):
        raise CircuitError("control of the circuit of powers depends on data")
    return sum(1 << n for n, (value, _, _) in enumerate(bits) if value)


def check_empty(clocked: _Clocked, what: str) -> None:
    """Raises ``CircuitError`` unless all registers are zero."""
    if any(depth is not None or value for value, depth, _ in clocked.state.values()):
        raise CircuitError(f"something is left in the circuit of powers behind {what}")


def _roles(outputs: Mapping[str, Sequence[Value]], width: int) -> dict[str, str]:
    """The role of each output in the cycle behind the start: ``busy`` is high, and the other output of one bit is low."""
    roles = {}
    for name, bits in outputs.items():
        if len(bits) == width:
            roles[name] = "data"
        else:
            roles[name] = "exponent" if len(bits) > 1 else "busy" if number_of(bits) else "we"
    if sorted(roles.values()) != ["busy", "data", "exponent", "we"]:
        raise CircuitError("the outputs of the circuit of powers are not we, exponent, data and busy")
    return roles


def _begun(netlist: Netlist, base: Sequence[int], count: int, linear: bool) -> _Clocked:
    """The circuit in the cycle behind its start."""
    clocked = _Clocked(netlist, count, linear)
    clocked.step(base, "b", start=True)
    return clocked


def _explored(netlist: Netlist, width: int) -> tuple[dict[str, str], list[list[Bit]]]:
    """The roles of the outputs, and for each bit of a power, the bits of registers that hold it when it has been taken."""
    rng = random.Random(width)
    clocked = _begun(netlist, [rng.getrandbits(SAMPLES) | 1 for _ in range(width)], SAMPLES, False)
    other = [0] * width
    before = dict(clocked.state)
    roles = _roles(clocked.step(other, "other"), width)
    clocked.state = before
    port = {role: name for name, role in roles.items()}
    places: list[list[Bit]] = [list(clocked.state)] * width
    # A square is linear, so a bit of it may be a bit of the key.  That of the third power is none.
    for _ in range(EXPLORED):
        for _ in range(LONGEST):
            outputs = clocked.step(other, "other", took=True)
            if number_of(outputs[port["we"]]):
                break
        else:
            raise CircuitError(f"no power is there after {LONGEST} cycles")
        digits = [value for value, _, _ in outputs[port["data"]]]
        places = [[q for q in held if clocked.state[q][0] == value] for held, value in zip(places, digits)]
    return roles, places


def prove_powers(netlist: Netlist, ports: Sequence[str], field: Field, count: int) -> PowersCircuit:
    """Proves that a circuit computes the powers 2 to ``count`` of every key.  The highest power is at least 4.

    Parameters
    ----------
    netlist : Netlist
        The module of the circuit.
    ports : sequence of str
        Its outputs.

    Raises
    ------
    CircuitError
        A power differs, is late, or does not wait, or the circuit keeps something behind the last one.
    """
    values, results, digits = products_of(field)
    roles, places = _explored(netlist, field.width)
    if not all(places):
        raise CircuitError("a power that was taken is in no register, so the next one cannot follow from it")
    clocked = _begun(netlist, values["b"], digits, True)
    port = {role: name for name, role in roles.items()}
    own = {q for bits in places for q in bits}
    whole = [(digit, 0, frozenset({"a", "b"})) for digit in results]
    other = values["b"]

    def data(state: Mapping[Bit, Value]) -> dict[Bit, Value]:
        return {q: value for q, value in state.items() if value[1] is not None and q not in own}

    def check(a: Sequence[Value], what: str) -> None:
        if any(clocked.state[q] != value for bits, value in zip(places, a) for q in bits):
            raise CircuitError(f"the operand of the next power is not {what}")

    check([(digit, 0, frozenset({"b"})) for digit in values["b"]], "the key")
    begun = data(clocked.state)
    cycles = []
    for exponent in range(2, count + 1):
        cycles.append(0)
        for bits, digit in zip(places, values["a"]):
            clocked.state.update(dict.fromkeys(bits, (digit, 0, frozenset({"a"}))))
        for _ in range(LONGEST):
            before = dict(clocked.state)
            # Whatever is at ``base`` and ``taken`` has no effect before a power is there.
            outputs = clocked.step(other, "other", took=True)
            if not number_of(outputs[port["busy"]]):
                raise CircuitError(f"busy is low before power {exponent}")
            if number_of(outputs[port["we"]]):
                break
            cycles[-1] += 1
        else:
            raise CircuitError(f"power {exponent} is not there after {LONGEST} cycles")
        after, clocked.state = clocked.state, before
        for _ in range(HELD):
            outputs = clocked.step(other, "other")
            if clocked.state != before or number_of(outputs[port["exponent"]]) != exponent:
                raise CircuitError(f"power {exponent} does not stay until it is taken, or has another number")
            if outputs[port["data"]] != whole:
                raise CircuitError(f"power {exponent} is not the product of the power before it and the key")
        clocked.step(other, "other", reset=True)
        check_empty(clocked, "a reset")
        clocked.state = after
        if exponent < count:
            check(whole, f"power {exponent}")
            if data(clocked.state) != begun:
                raise CircuitError(f"behind power {exponent} the registers are not as behind the start")
    check_empty(clocked, "the last power")
    return PowersCircuit(tuple(cycles), tuple(roles[name] for name in ports))


class PowersCore(Box):
    """A proved circuit of powers, executed as a whole.

    Parameters
    ----------
    path : str
    ports : mapping
        Its input ports by their roles.
    widths : sequence of int
        Widths of its output ports.
    circuit : PowersCircuit
    product : callable
        The product of two blocks.
    """

    def __init__(
        self, path: str, ports: Mapping[str, Parts], widths: Sequence[int], circuit: PowersCircuit, product: Callable[..., int], width: int
    ):
        self.path, self.ports, self.circuit, self.product, self.width = path, ports, circuit, product, width
        self.outputs = list(zip(circuit.outputs, widths, strict=True))
        # Exponent, cycles until it is there, the power before it, and the key; None if it is idle.
        self.work: tuple[int, int, int, int] | None = None

    def clock(self, inputs: Mapping[str, int], cycle: int) -> int:
        told = {}
        for name in INPUTS[:-1]:
            word = lanes.number(taken(inputs, self.ports[name]))
            if word is None:
                raise CircuitError(f"cycle {cycle}: {name} of {self.path} depends on data")
            told[name] = word
        base = taken(inputs, self.ports["base"])
        if told["rst"]:
            self.work = None
        elif self.work is None:
            if told["start"]:
                self.work = 2, self.circuit.cycles[0], base, base
        else:
            if told["start"]:
                raise CircuitError(f"cycle {cycle}: {self.path} starts before it is free")
            exponent, left, a, b = self.work
            if left:
                self.work = exponent, left - 1, a, b
            elif told["taken"]:
                done = exponent - 1 == len(self.circuit.cycles)
                self.work = None if done else (exponent + 1, self.circuit.cycles[exponent - 1], self.product(a, b), b)
        return self._shown()

    def _shown(self) -> int:
        """The outputs, which are functions of the registers."""
        if self.work is None:
            return 0
        exponent, left, a, b = self.work
        data = lanes.operation(f"a part of a power, {left} cycles before", self.width, a, b) if left else self.product(a, b)
        values = {
            "we": 0 if left else lanes.ONE, "busy": lanes.ONE, "data": data,
            "exponent": lanes.constant(exponent, next(width for role, width in self.outputs if role == "exponent")),
        }  # fmt: skip
        word, at = 0, 0
        for role, width in self.outputs:
            word |= (values[role] & lanes.mask(width)) << at * lanes.LANES
            at += width
        return word

    def state(self, cycle: int) -> object:
        return self.work
