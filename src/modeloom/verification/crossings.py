# SPDX-License-Identifier: Apache-2.0
"""Checks the paths between clocks in the netlist of a core: there are no others than ``core.json`` lists, and each is of its kind.

::

    register of clock A ──▶ logic ──▶ register of clock B      refused, unless it is listed as a word that stands still
    register of clock A ──▶ meta_reg ──▶ stable_reg            gray, bit: no logic up to the second register, and one reader
    input of clock A ──▶ ... ──▶ register or output of B       refused

The check knows nothing of how the crossings were made.  It reads the emitted Verilog and the lists of ``core.json``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from modeloom.emit.tools import CheckFailed
from modeloom.product.description import Description
from modeloom.product.front import ClocksDescription
from modeloom.taint.netlist import Bit, Cell, Netlist, flat_netlist

__all__ = ["check_paths"]

CORE_CLOCK = "aclk"
REGISTER_PORTS = ("s_axil", "s_apb")
"""Prefixes of the ports for registers, which have the interrupt beside them."""

CATCHER = "reset_catcher.caught_reg"
"""The registers that an asynchronous reset may reach."""

_OUTPUTS = ("Y", "Q", "RD_DATA")


class _Clocks:
    """The clock of each register, memory and port of a netlist."""

    def __init__(self, netlist: Netlist, told: ClocksDescription):
        self.netlist, self.told = netlist, told
        self.clock_ports = [CORE_CLOCK, *(one.name for one in told.clocks)]
        self.name_of = {bits[0]: name for name in self.clock_ports if (bits := netlist.inputs.get(name))}
        self.driver: dict[int, Cell] = {}
        for cell in netlist.cells:
            for port in _OUTPUTS:
                for bit in cell[port]:
                    if isinstance(bit, int):
                        self.driver[bit] = cell
        self.inputs = {bit: name for name, bits in netlist.inputs.items() for bit in bits if isinstance(bit, int)}
        self._cones: dict[int, frozenset[int]] = {}

    def of_cell(self, cell: Cell) -> str:
        """The clock of a register, or of the writes of a memory."""
        found = {self.name_of.get(bit) for bit in (cell["WR_CLK"] if cell.type == "$mem_v2" else cell["CLK"])}
        if len(found) != 1 or None in found:
            raise CheckFailed(f"{cell.name} has no clock of the top")
        return str(found.pop())

    def of_port(self, name: str) -> str:
        """The clock of a port.  Raises ``CheckFailed`` for a clock."""
        if name.startswith("core_") or name in ("zeroize", "zeroizing"):
            return CORE_CLOCK
        for one in self.told.clocks:
            if name == one.zeroizing:
                return one.name
            for bus in one.buses:
                flags = ("key_loaded", "key_busy", "key_error") if bus == "s_axis_key" else ("irq",) if bus in REGISTER_PORTS else ()
                if name in flags or name.startswith(f"{bus}_") and not self._longer(name, bus):
                    return one.name
        return CORE_CLOCK

    def _longer(self, name: str, bus: str) -> bool:
        """Whether another bus has a longer prefix of a name: s_axis_cmd is not s_axis."""
        others = {bus_name for one in self.told.clocks for bus_name in one.buses} | {"s_axis_cmd", "s_axis_key", "m_axis_status"}
        return any(len(other) > len(bus) and name.startswith(f"{other}_") for other in others)

    def sources(self, bits: Iterable[Bit]) -> frozenset[int]:
        """The bits of registers, memories and inputs on which some bits depend without a register in between."""
        return frozenset().union(*(self._cone(bit) for bit in bits if isinstance(bit, int)))

    def _cone(self, bit: int) -> frozenset[int]:
        if bit not in self._cones:
            cell = self.driver.get(bit)
            if cell is None or cell["Q"]:
                self._cones[bit] = frozenset((bit,))
            else:
                self._cones[bit] = frozenset()  # a loop would have been refused long before
                found: set[int] = set()
                for port, ends in cell.ports.items():
                    if port not in _OUTPUTS and not port.startswith(("WR_", "RD_CLK")):
                        found |= self.sources(ends)
                if cell.type == "$mem_v2":
                    found.add(bit)
                self._cones[bit] = frozenset(found)
        return self._cones[bit]

    def clock(self, source: int) -> str:
        """The clock of a source.  A word of a memory has that of its writes."""
        cell = self.driver.get(source)
        return self.of_port(self.inputs[source]) if cell is None else self.of_cell(cell)


def check_paths(directory: Path, description: Description) -> int:
    """Checks all paths between the clocks of a core.  Returns their number.  Raises ``CheckFailed``."""
    front = description.front
    assert front is not None and front.clocks is not None
    return check_netlist_paths(flat_netlist(directory / front.verilog, f"{description.name}_crossings"), front.clocks)


def check_netlist_paths(netlist: Netlist, told: ClocksDescription) -> int:
    """The same for a netlist."""
    clocks = _Clocks(netlist, told)
    allowed: dict[int, set[int]] = defaultdict(set)
    for one in told.crossings:
        sources, targets = ([] if not path else _bits(netlist, path) for path in (one.source, one.target))
        if not targets or one.source and not sources:
            raise CheckFailed(f"core.json lists a path from {one.source or 'the reset'} to {one.target}, which is not there")
        for bit in targets:
            allowed[bit] |= set(sources)
        if one.kind in ("gray", "bit"):
            _synchronizer(clocks, one.source, one.target, sources, targets)
    count = 0
    for cell in netlist.cells:
        if cell["Q"]:
            count += _register(clocks, cell, allowed)
        elif cell.type == "$mem_v2":
            here = clocks.of_cell(cell)
            for port in ("WR_ADDR", "WR_DATA", "WR_EN"):
                for source in clocks.sources(cell[port]):
                    if clocks.clock(source) != here:
                        raise CheckFailed(f"{cell.name} is written in {here}, and {_name(netlist, source)} is of {clocks.clock(source)}")
    for name, bits in netlist.outputs.items():
        here = clocks.of_port(name)
        for source in clocks.sources(bits):
            if clocks.clock(source) != here and name != "core_aresetn":
                raise CheckFailed(f"{name} is of {here}, and depends on {_name(netlist, source)}, which is of {clocks.clock(source)}")
    return count


def _register(clocks: _Clocks, cell: Cell, allowed: dict[int, set[int]]) -> int:
    """Checks what a register depends on.  Returns the number of its bits that come from another clock."""
    netlist, here, count = clocks.netlist, clocks.of_cell(cell), 0
    if cell["ARST"]:
        catcher = set(_bits(netlist, CATCHER.replace(".", "/")))
        if not catcher or not set(cell["Q"]) <= catcher:
            raise CheckFailed(f"{_name(netlist, cell['Q'][0])} has an asynchronous reset")
    for q, d in zip(cell["Q"], cell["D"], strict=True):
        if not isinstance(q, int):
            continue
        others = {source for source in clocks.sources([d]) if clocks.clock(source) != here}
        if clocks.told.reset_asynchronous:
            others |= {source for source in clocks.sources([d]) if clocks.inputs.get(source) == clocks.told.reset}
        if refused := others - allowed[q]:
            source = min(refused)
            whose = clocks.clock(source)
            raise CheckFailed(f"{_name(netlist, q)} is of {here}, and depends on {_name(netlist, source)}, which is of {whose}")
        count += bool(others)
    return count


def _synchronizer(clocks: _Clocks, source: str, target: str, sources: list[int], targets: list[int]) -> None:
    """Checks that registers take what they get as it is, and give it to one register of their clock and to nothing else."""
    netlist = clocks.netlist
    readers: dict[int, list[tuple[Cell, str, int]]] = defaultdict(list)
    for cell in netlist.cells:
        for port, ends in cell.ports.items():
            if port not in _OUTPUTS:
                for at, bit in enumerate(ends):
                    if isinstance(bit, int):
                        readers[bit].append((cell, port, at))
    outputs = {bit for bits in netlist.outputs.values() for bit in bits}
    for bit in targets:
        cell = clocks.driver[bit]
        place = list(cell["Q"]).index(bit)
        if cell["D"][place] not in sources:
            raise CheckFailed(f"{target} does not take {source} as it is")
        behind = readers[bit]
        if bit in outputs or len(behind) != 1 or behind[0][1] != "D" or clocks.of_cell(behind[0][0]) != clocks.of_cell(cell):
            raise CheckFailed(f"{target} has no second register behind it")


def _bits(netlist: Netlist, path: str) -> list[int]:
    """The bits of a register, or those that are read of a memory."""
    name = path.replace("/", ".")
    for cell in netlist.cells:
        if cell.type == "$mem_v2" and cell.name.removeprefix("\\") == name:
            return [bit for bit in cell["RD_DATA"] if isinstance(bit, int)]
    try:
        return [bit for bit in netlist.net(name) if isinstance(bit, int)]
    except KeyError:
        return []


def _name(netlist: Netlist, bit: Bit) -> str:
    return netlist.names.get(bit, str(bit)) if isinstance(bit, int) else str(bit)
