# SPDX-License-Identifier: Apache-2.0
"""An emitted netlist with two clocks as a transition system: in each step each clock rises or does not.

::

    register of another clock ──▶ now, or a step ago: any choice, bit by bit ──▶ [meta_reg] ──▶ [stable_reg]
    word of another clock ──▶ the same choice must give the same next value: it stands still

The input of a clock says whether it rises in a step.  A register that is read while it changes gives each of its bits as it was, or as it
becomes.  A synchroniser that takes longer is one whose clock rises later.  So all orders of edges, all delays of less than a step, and all
results of metastability are covered.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from tests.formal.bits import Bits, all_of, concat, fresh
from tests.formal.machine import Machine, State

from modeloom.taint.graph import Bit, Cell

__all__ = ["ClockedMachine", "ClockedState"]

FIRST = ".meta_reg"
"""The end of the name of the first register of a synchroniser."""


class ClockedMachine(Machine):
    """A netlist whose registers have different clocks."""

    def free(self, label: str) -> ClockedState:
        """Any state."""
        return ClockedState(self, label)

    def powered(self, label: str, inputs: Mapping[str, int] | None = None) -> ClockedState:
        """The state at power-on."""
        return ClockedState(self, label, powered=True, inputs=inputs)

    def name(self, cell: Cell) -> str:
        """The name of a register."""
        bit = cell["Q"][0]
        assert isinstance(bit, int)
        return self.netlist.names.get(bit, cell.name).split("[")[0]

    def registers(self, clock: str) -> list[Cell]:
        """The registers of a clock."""
        (rises,) = self.netlist.inputs[clock]
        return [cell for cell in self.netlist.cells if cell["Q"] and list(cell["CLK"]) == [rises]]


class ClockedState(State):
    """A state, with what each register was a step before, and inputs for the next step.  The input of a clock is high if it rises."""

    machine: ClockedMachine
    previous: ClockedState | None

    def __init__(self, machine: Machine, label: str, **more: object):
        super().__init__(machine, label, **more)  # type: ignore[arg-type]
        self._earlier: dict[str, Bits] = {}
        self._caught: dict[str, Bits] = {}

    def next(self, inputs: Mapping[str, int] | None = None, loose: Collection[Bit] = ()) -> ClockedState:
        """The state after a step."""
        return ClockedState(self.machine, self.label + "'", previous=self, inputs=inputs, loose=loose)

    def earlier(self, name: str) -> Bits:
        """What a register was a step before.  At power-on that is what it is."""
        found = self.machine.find(name)
        assert found is not None, name
        return self._before(found)

    def _before(self, bits: Collection[Bit]) -> Bits:
        parts = []
        for bit in bits:
            assert isinstance(bit, int)
            cell, port, at = self.machine.driver[bit]
            if port != "Q":
                raise ValueError(f"{cell.name} is no register")
            parts.append(self._cell_before(cell)[at])
        return concat(parts)

    def _cell_before(self, cell: Cell) -> Bits:
        if cell.name not in self._earlier:
            if self.previous is not None:
                value = self.previous.value(cell["Q"])
            elif self.powered:
                value = self.value(cell["Q"])
            else:
                value = fresh(f"{self.label}.{self.machine.name(cell)}.earlier", len(cell["Q"]))
            self._earlier[cell.name] = value
        return self._earlier[cell.name]

    def _register(self, cell: Cell) -> Bits:
        if self.previous is None:
            return super()._register(cell)
        if cell.type != "$dff":
            raise NotImplementedError(f"register {cell.name} of type {cell.type}")
        before = self.previous
        return before.value(cell["CLK"]).choose(before.caught(cell), before.value(cell["Q"]))

    def caught(self, cell: Cell) -> Bits:
        """What a register takes if its clock rises."""
        if not self.machine.name(cell).endswith(FIRST):
            return self.value(cell["D"])
        if cell.name not in self._caught:
            late = fresh(f"{self.label}.{cell.name}.late", len(cell["D"]))
            self._caught[cell.name] = (self.value(cell["D"]) & ~late) | (self._before(cell["D"]) & late)
        return self._caught[cell.name]

    def takes_no_change(self, clock: str, names: Collection[str] = ()) -> Bits:
        """Whether what a clock takes in this step is the same if each bit of another clock is as it was a step before.

        Looks at the registers with these names, or at all of them without names, but for first registers of synchronisers.
        """
        seen = _Seen(self, clock)
        registers = [cell for cell in self.machine.registers(clock) if not self.machine.name(cell).endswith(FIRST)]
        if names:
            wanted = [self.machine.find(name) for name in names]
            registers = [cell for cell in registers if list(cell["Q"]) in wanted]
            if len(registers) != len(names):
                raise ValueError(f"not all of {names} are registers of {clock}")
        return self[clock].implies(all_of(seen.value(cell["D"]).equals(self.value(cell["D"])) for cell in registers))


class _Seen(State):
    """A state as the registers of a clock see it: each bit of a register of another clock as it is, or as it was a step before."""

    def __init__(self, state: ClockedState, clock: str):
        super().__init__(state.machine, f"{state.label}.{clock}")
        self.state, self.own = state, {cell.name for cell in state.machine.registers(clock)}
        for name, bits in state.machine.netlist.inputs.items():
            self._terms["input", name] = state.value(bits)

    def _output(self, cell: Cell, port: str) -> Bits:
        if port != "Q":
            return super()._output(cell, port)
        now = self.state.value(cell["Q"])
        if cell.name in self.own:
            return now
        late = fresh(f"{self.label}.{cell.name}.late", now.width)
        return (now & ~late) | (self.state._cell_before(cell) & late)
