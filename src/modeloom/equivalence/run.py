# SPDX-License-Identifier: Apache-2.0
"""A run of a circuit on symbols, cycle by cycle from power-on, with the state of its registers, memories and boxes.

At power-on, registers without an initial value and all words of memories are new symbols.  They must not reach any output.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from modeloom.equivalence import lanes
from modeloom.equivalence.cells import CircuitError, Read
from modeloom.equivalence.circuit import Box, Circuit
from modeloom.taint.netlist import Cell

__all__ = ["Run"]


class Run:
    """A run of a circuit from power-on.

    Parameters
    ----------
    circuit : Circuit
    boxes : callable
        ``boxes(cell)`` makes the box for a cell.
    """

    def __init__(self, circuit: Circuit, boxes: Callable[[Cell], Box]):
        self.circuit = circuit
        self.boxes = [boxes(cell) for cell, _ in circuit.instances]
        self.contents: dict[str, list[int]] = {}
        for cell in circuit.memories:
            p = cell.numbers
            self.contents[cell.name] = [lanes.atom(f"power-on {cell.name} {n}", p["WIDTH"]) for n in range(p["SIZE"])]
        self._cycle = circuit.compiled(self.boxes)
        self._reads = {place: Read(cell, self.contents.get(cell.name)) for place, cell in circuit.reads.items()}
        self.v = [0] * circuit.size
        for place, word in circuit.start.items():
            self.v[place] = word
        self.cycle = 0
        self._edge = [(circuit.word(cell["D"]), place) for cell, place in circuit.registers]
        self._held = [
            (place, sum(lanes.ONE << i * lanes.LANES for i, bit in enumerate(cell["Q"]) if bit not in circuit.frozen))
            for cell, place in circuit.registers
            if not circuit.frozen.isdisjoint(cell["Q"])
        ]
        self._writes = [
            (cell, self.contents[cell.name], [tuple(circuit.word(bits) for bits in write) for write in circuit.writes(cell)])
            for cell in circuit.memories
        ]
        self._ports = [
            (box, place, {port: circuit.word(bits) for port, bits in circuit.box_inputs(cell).items()})
            for box, (cell, place) in zip(self.boxes, circuit.instances)
        ]
        self._outputs = {name: circuit.word(bits) for name, bits in circuit.netlist.outputs.items()}

    def evaluate(self, inputs: Mapping[str, int]) -> None:
        """Computes all nets for the inputs of this cycle."""
        v = self.v
        for name, word in inputs.items():
            v[self.circuit.inputs[name]] = word
        self._cycle(v, self._reads, self.boxes)

    def output(self, name: str) -> int:
        """The word at an output port."""
        return self.v[self._outputs[name]]

    def flag(self, name: str) -> int:
        """The number at an output port.  Raises ``CircuitError`` if it depends on data."""
        found = lanes.number(self.output(name))
        if found is None:
            raise CircuitError(f"cycle {self.cycle}: {name} depends on data")
        return found

    def state(self) -> tuple:
        """The contents of all registers, memories and boxes."""
        registers = tuple(self.v[place] for _, place in self._edge)
        outputs = tuple(self.v[place] for box, place, _ in self._ports if not box.now)
        return registers, outputs, tuple(map(tuple, self.contents.values())), tuple(box.state(self.cycle) for box in self.boxes)

    def control(self) -> tuple:
        """The numbers in registers and memories; None if a word depends on data."""
        registers = tuple(lanes.number(self.v[place]) for _, place in self._edge)
        return registers, tuple(tuple(map(lanes.number, words)) for words in self.contents.values())

    def clock(self) -> None:
        """The edge of the clock."""
        v = self.v
        new = [v[d] for d, _ in self._edge]
        for cell, contents, ports in self._writes:
            for at, data, enable in ports:
                self._write(cell, contents, v[at], v[data], v[enable])
        outputs = [
            (place, box.clock({port: v[at] for port, at in inputs.items()}, self.cycle))
            for box, place, inputs in self._ports
            if not box.now
        ]
        for (_, place), word in zip(self._edge, new):
            v[place] = word
        for place, word in outputs:
            v[place] = word
        for place, keep in self._held:
            v[place] &= keep
        self.cycle += 1

    def _write(self, cell: Cell, contents: list[int], at: int, data: int, enable: int) -> None:
        if not enable:
            return
        bits = lanes.number(enable)
        if bits is None:
            raise CircuitError(f"cycle {self.cycle}: whether {cell.name} is written depends on data")
        place = lanes.number(at)
        if place is None:
            raise CircuitError(f"cycle {self.cycle}: where {cell.name} is written depends on data")
        if place < len(contents):
            contents[place] = data & enable | contents[place] & ~enable
