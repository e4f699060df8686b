# SPDX-License-Identifier: Apache-2.0
"""A netlist as a Python function that computes one cycle on words of symbols.

::

    registers, inputs, outputs of cores ──cells in the order of their inputs──▶ all nets ──edge of the clock──▶ registers, memories

Every cell has a place in the list of values, and so has every word that is concatenated from parts of others.  It is an error if control,
such as a write address or an enable, depends on data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType

from modeloom.equivalence import lanes
from modeloom.equivalence.cells import CELLS, CircuitError, Read
from modeloom.taint.graph import Bit, Cell, Netlist

__all__ = ["Box", "Circuit", "CircuitError"]


class Box:
    """A cell that is executed as a whole.  Its definition determines its result.

    Attributes
    ----------
    now : bool
        Whether its outputs depend on inputs of the same cycle.
    """

    now = False

    def output(self, inputs: Mapping[str, int]) -> int:
        """The word at the outputs, from the inputs of this cycle.  This is used only with ``now``."""
        raise NotImplementedError

    def clock(self, inputs: Mapping[str, int], cycle: int) -> int:
        """The word at the outputs in the next cycle."""
        raise NotImplementedError

    def state(self, cycle: int) -> object:
        """Its state, with times relative to this cycle."""
        raise NotImplementedError


Word = tuple[Bit, ...]
"""Bits that are put together."""

Cycle = Callable[[list[int], Mapping[int, Read], Sequence[Box]], None]
"""Computes all values of a cycle in place, from reads of memories and from boxes."""


@dataclass(frozen=True)
class Reading:
    """A read port of a memory without a register."""

    memory: Cell
    address: Sequence[Bit]


@dataclass(frozen=True)
class Output:
    """The output of a box, by its number, that depends on its inputs of the same cycle."""

    box: int
    inputs: Mapping[str, Sequence[Bit]]


class Circuit:
    """The function of a netlist in one cycle.  All runs share it.

    Parameters
    ----------
    netlist : Netlist
    boxes : collection of str
        The types of cells that are boxes.
    outputs : mapping
        For each of these types, its output ports in the order of the bits of the output word.
    frozen : iterable of int
        Bits of registers that stay 0.

    Raises
    ------
    CircuitError
        The netlist has a cell of another type, a loop without a register, or a malformed clock.
    """

    def __init__(self, netlist: Netlist, boxes: Mapping[str, Sequence[str]], frozen: Iterable[int] = ()):
        self.netlist, self.outputs_of = netlist, boxes
        self.frozen = frozenset(frozen)
        self.size = 0
        self.source: dict[int, tuple[int, int]] = {}
        self.width: list[int] = []
        self.words: dict[tuple[Bit, ...], int] = {}
        self.registers: list[tuple[Cell, int]] = []
        self.memories: list[Cell] = []
        self.instances: list[tuple[Cell, int]] = []
        self.inputs: dict[str, int] = {}
        self.start: dict[int, int] = {}
        self._driven: dict[int, Word | Cell | Reading | Output] = {}
        self._fixed: dict[int, tuple[int, int]] = {}
        self._function: Cycle | None = None
        self.reads: dict[int, Cell] = {}
        self._place_all()
        self._order()

    # -- places ----------------------------------------------------------------------------------------------------------

    def _new(self, width: int) -> int:
        self.width.append(width)
        self.size += 1
        return self.size - 1

    def _drive(self, bits: Sequence[Bit], place: int, what: str) -> None:
        for i, bit in enumerate(bits):
            if isinstance(bit, int):
                if bit in self.source:
                    raise CircuitError(f"{self.name(bit)} has two drivers, one of them {what}")
                self.source[bit] = place, i

    def name(self, bit: Bit) -> str:
        """Name of a bit, for messages."""
        return self.netlist.names.get(bit, f"net {bit}") if isinstance(bit, int) else str(bit)

    def _place_all(self) -> None:
        for name, bits in self.netlist.inputs.items():
            self.inputs[name] = self._new(len(bits))
            self._drive(bits, self.inputs[name], f"the input {name}")
        for cell in self.netlist.cells:
            if cell.type == "$dff":
                place = self._new(len(cell["Q"]))
                self._drive(cell["Q"], place, cell.name)
                self.registers.append((cell, place))
                self.start[place] = self._initial(cell["Q"], cell.name)
            elif cell.type == "$mem_v2":
                self._memory(cell)
            elif cell.type in self.outputs_of:
                bits = [bit for port in self.outputs_of[cell.type] for bit in cell[port]]
                place = self._new(len(bits))
                self._drive(bits, place, cell.name)
                self.instances.append((cell, place))
            elif cell.type in CELLS:
                place = self._new(len(cell["Y"]))
                self._drive(cell["Y"], place, cell.name)
                self._driven[place] = cell
            else:
                raise CircuitError(f"cell {cell.name} of type {cell.type}")
        clocks = {tuple(cell["CLK"]) for cell, _ in self.registers}
        clocks |= {tuple(cell["WR_CLK"][n : n + 1]) for cell in self.memories for n in range(cell.numbers["WR_PORTS"])}
        if len(clocks) > 1 or not all(bit in self.netlist.inputs.get("aclk", ()) for bits in clocks for bit in bits):
            raise CircuitError("there is another clock than aclk")

    def _initial(self, bits: Sequence[Bit], name: str) -> int:
        initial = self.netlist.initial
        values = [initial.get(bit) if isinstance(bit, int) else None for bit in bits]
        known = sum(lanes.ONE << i * lanes.LANES for i, value in enumerate(values) if value == "1")
        unknown = sum(lanes.ONE << i * lanes.LANES for i, value in enumerate(values) if value is None)
        return known | unknown & lanes.atom(f"power-on {name}", len(bits))

    def _memory(self, cell: Cell) -> None:
        p = cell.numbers
        if p["RD_CLK_ENABLE"]:
            raise CircuitError(f"memory {cell.name} has a read port with a register")
        if p["WR_PORTS"]:
            self.memories.append(cell)
        width, bits = p["WIDTH"], p["ABITS"]
        for n in range(p["RD_PORTS"]):
            place = self._new(width)
            self._drive(cell["RD_DATA"][n * width : (n + 1) * width], place, cell.name)
            self._driven[place] = Reading(cell, cell["RD_ADDR"][n * bits : (n + 1) * bits])

    # -- order -----------------------------------------------------------------------------------------------------------

    def word(self, bits: Sequence[Bit]) -> int:
        """The place of a word with the given bits.  It is created if it does not exist yet."""
        key = tuple(bits)
        if key not in self.words:
            self.words[key] = self._whole(key)
        return self.words[key]

    def _whole(self, bits: tuple[Bit, ...]) -> int:
        first = self.source.get(bits[0]) if bits and isinstance(bits[0], int) else None
        if first is not None and first[1] == 0 and self.width[first[0]] == len(bits):
            if all(isinstance(bit, int) and self.source.get(bit) == (first[0], i) for i, bit in enumerate(bits)):
                return first[0]
        place = self._new(len(bits))
        self._driven[place] = bits
        return place

    def _needs(self, place: int) -> list[int]:
        """The places from which a place is computed."""
        if place not in self._driven:
            return []
        driver = self._driven[place]
        if isinstance(driver, Reading):
            return [self.word(driver.address)]
        if isinstance(driver, Output):
            return [self.word(bits) for bits in driver.inputs.values()]
        if isinstance(driver, Cell):
            return [self.word(bits) for bits in CELLS[driver.type].operands(driver)]
        return sorted({self._origin(bit)[0] for bit in driver if isinstance(bit, int)})

    def _origin(self, bit: int) -> tuple[int, int]:
        if bit not in self.source:
            raise CircuitError(f"nothing drives {self.name(bit)}")
        return self.source[bit]

    def _order(self) -> None:
        """Orders the lines of all computed places, so that each comes after the places that it needs."""
        wanted = [self.word(cell["D"]) for cell, _ in self.registers]
        for cell in self.memories:
            wanted += [self.word(bits) for write in self.writes(cell) for bits in write]
        wanted += [self.word(bits) for bits in self.netlist.outputs.values()]
        self._box_inputs = [self.box_inputs(cell) for cell, _ in self.instances]
        wanted += [self.word(bits) for inputs in self._box_inputs for bits in inputs.values()]
        self._wanted = wanted

    def box_inputs(self, cell: Cell) -> dict[str, list[Bit]]:
        """Input ports of a box."""
        return {port: list(bits) for port, bits in cell.ports.items() if port not in self.outputs_of[cell.type]}

    def writes(self, cell: Cell) -> list[tuple[list[Bit], list[Bit], list[Bit]]]:
        """Address, data and enable of each write port of a memory."""
        p = cell.numbers
        width, bits = p["WIDTH"], p["ABITS"]

        def part(port: str, size: int, n: int) -> list[Bit]:
            return list(cell[port][n * size : (n + 1) * size])

        return [(part("WR_ADDR", bits, n), part("WR_DATA", width, n), part("WR_EN", width, n)) for n in range(p["WR_PORTS"])]

    def compiled(self, boxes: Sequence[Box]) -> Cycle:
        """The function that computes all values of a cycle, in place, from registers, inputs and outputs of boxes.  Its arguments are the
        reads of memories by their places, and the boxes in the order of ``instances``.
        """
        if self._function is None:
            for number, ((cell, place), box) in enumerate(zip(self.instances, boxes, strict=True)):
                if box.now:
                    self._driven[place] = Output(number, self.box_inputs(cell))
            self._function = self._compile()
        return self._function

    def _compile(self) -> Cycle:
        lines: list[str] = []
        names: dict[str, object] = {"ONE": lanes.ONE}
        done: set[int] = set()
        open_: set[int] = set()
        for target in self._wanted:
            stack = [(target, False)]
            while stack:
                place, ready = stack.pop()
                if ready:
                    open_.discard(place)
                    if place not in done:
                        done.add(place)
                        line = self._line(place, names)
                        if line is not None:
                            lines.append(f"v[{place}] = {line}")
                    continue
                if place in done:
                    continue
                if place in open_:
                    raise CircuitError("there is a loop without a register")
                open_.add(place)
                stack.append((place, True))
                for need in self._needs(place):
                    if need in open_:
                        raise CircuitError("there is a loop without a register")
                    if need not in done:
                        stack.append((need, False))
        text = "def cycle(v, reads, boxes):\n" + "\n".join(f"    {line}" for line in lines or ["pass"])
        exec(compile(text, "<circuit>", "exec"), names)  # the text contains only places and operators
        cycle = names["cycle"]
        assert isinstance(cycle, FunctionType)
        return cycle

    def _line(self, place: int, names: dict[str, object]) -> str | None:
        """The Python expression for a place; None if it is a state."""
        if place not in self._driven:
            return None
        driver = self._driven[place]
        if isinstance(driver, Reading):
            self.reads[place] = driver.memory
            return f"reads[{place}](v[{self.word(driver.address)}])"
        if isinstance(driver, Output):
            ports = ", ".join(f"{port!r}: v[{self.word(bits)}]" for port, bits in driver.inputs.items())
            return f"boxes[{driver.box}].output({{{ports}}})"
        if not isinstance(driver, Cell):
            self._fixed[place] = self._fixed_parts(driver)
            return self._parts(driver, names)
        rule = CELLS[driver.type]
        operands = rule.operands(driver)
        places = [self.word(bits) for bits in operands]
        fixed = [self._fixed.get(at, (0, 0)) for at in places]
        self._fixed[place] = rule.fixed(driver, fixed)
        return rule.line(driver, [f"v[{at}]" for at in places], operands, names, place, fixed)

    def _fixed_parts(self, bits: tuple[Bit, ...]) -> tuple[int, int]:
        """The bits of a concatenated word that are always 0, and those that are always 1."""
        zeros = ones = 0
        for at, bit in enumerate(bits):
            if isinstance(bit, int):
                place, low = self._origin(bit)
                found = self._fixed.get(place, (0, 0))
                zeros |= (found[0] >> low & 1) << at
                ones |= (found[1] >> low & 1) << at
            elif bit in ("0", "1"):
                zeros |= (bit == "0") << at
                ones |= (bit == "1") << at
        return zeros, ones

    def _parts(self, bits: tuple[Bit, ...], names: dict[str, object]) -> str:
        """A word that is concatenated from parts of other words and constants."""
        runs: list[list[int]] = []
        fixed = 0
        for at, bit in enumerate(bits):
            if bit == "1":
                fixed |= lanes.ONE << at * lanes.LANES
            elif bit == "x":
                fixed |= lanes.atom(f"undefined {at} of {len(bits)}", 1) << at * lanes.LANES
            elif isinstance(bit, int):
                place, low = self._origin(bit)
                if runs and runs[-1][0] == place and runs[-1][1] + runs[-1][2] == low and runs[-1][3] + runs[-1][2] == at:
                    runs[-1][2] += 1
                else:
                    runs.append([place, low, 1, at])
        terms = []
        if len(bits) > 1 and len(set(bits)) == 1 and runs:
            place, low, _, _ = runs[0]
            names[f"repeat{len(bits)}"] = lanes.repeated(len(bits))
            return f"{self._slice(place, low, 1, names)} * repeat{len(bits)}"
        for place, low, count, at in runs:
            term = self._slice(place, low, count, names)
            terms.append(f"({term} << {at * lanes.LANES})" if at else term)
        if fixed or not terms:
            names[f"fixed{len(names)}"] = fixed
            terms.append(f"fixed{len(names) - 1}")
        return " | ".join(terms)

    def _slice(self, place: int, low: int, count: int, names: dict[str, object]) -> str:
        term = f"v[{place}]"
        if low:
            term = f"({term} >> {low * lanes.LANES})"
        if low + count < self.width[place]:
            names[f"mask{count}"] = lanes.mask(count)
            term = f"({term} & mask{count})"
        return term
