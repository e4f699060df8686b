# SPDX-License-Identifier: Apache-2.0
"""The netlist of an emitted core: one flat module of word-level cells, read from the unchanged Verilog.

::

    core.v ──Yosys: read, flatten, collect memories──▶ JSON ──▶ cells, ports and names over numbered bits

Only dead cells are removed, so the check applies to the Verilog as written.  A bit is a number, or "0", "1", "x" or
"z" for a constant.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NotRequired, TypedDict

from modeloom.sim.build import BuildError
from modeloom.sim.verilog import verilog_to_rtlil

__all__ = ["Bit", "Cell", "Netlist", "flat_netlist", "netlist_of_rtlil", "port_directions"]

Bit = int | str

# The Yosys library keeps its design in globals, so each run has its own process.
_SCRIPT = """
import sys
from pyosys import libyosys as ys
design = ys.Design()
for command in sys.argv[1:]:
    ys.run_pass("tee -q " + command, design)
"""

_COMMANDS = ("proc -noopt", "flatten", "opt_clean", "memory_collect", "opt_clean")

# Names of wires of expressions that Yosys makes when it writes or reads Verilog.
_UNNAMED = re.compile(r"(.*\.)?(_\d+_|\$.*)")


@dataclass(frozen=True)
class Cell:
    """A cell: its path, its type, its ports, and its parameters (numbers, or text for others such as contents of memories)."""

    name: str
    type: str
    parameters: Mapping[str, int | str]
    ports: Mapping[str, Sequence[Bit]]

    @property
    def numbers(self) -> dict[str, int]:
        """The parameters that are numbers."""
        return {name: value for name, value in self.parameters.items() if isinstance(value, int)}

    def __getitem__(self, port: str) -> Sequence[Bit]:
        return self.ports.get(port, ())


class _Port(TypedDict):
    direction: str
    bits: list[Bit]


class _Cell(TypedDict):
    type: str
    parameters: dict[str, str]
    connections: dict[str, list[Bit]]


class _Net(TypedDict):
    bits: list[Bit]
    hide_name: NotRequired[int]
    attributes: NotRequired[dict[str, str]]


class Module(TypedDict):
    """A module in the JSON of Yosys."""

    ports: dict[str, _Port]
    cells: dict[str, _Cell]
    netnames: dict[str, _Net]


class Netlist:
    """A flat module.

    Parameters
    ----------
    module : mapping
        The module from ``write_json`` of Yosys.

    Attributes
    ----------
    cells : list of Cell
    inputs, outputs : dict
        Bits of each port, bit 0 first.
    """

    def __init__(self, module: Module):
        self._nets = module["netnames"]
        self.inputs: dict[str, list[Bit]] = {}
        self.outputs: dict[str, list[Bit]] = {}
        for name, port in module["ports"].items():
            (self.inputs if port["direction"] == "input" else self.outputs)[name] = port["bits"]
        self.cells = [
            Cell(
                name,
                cell["type"],
                {key: _number(value) for key, value in cell["parameters"].items()},
                cell["connections"],
            )
            for name, cell in module["cells"].items()
            if cell["type"] != "$scopeinfo"
        ]
        bits = (bit for net in self._nets.values() for bit in net["bits"] if isinstance(bit, int))
        self.size = 1 + max(bits, default=1)

    @cached_property
    def names(self) -> dict[int, str]:
        """The name of each bit that was named in the sources.  If it has several names, the outermost module counts."""
        best: dict[int, tuple[int, int, str]] = {}
        for name, net in self._nets.items():
            if net.get("hide_name") or _UNNAMED.fullmatch(name):
                continue
            for index, bit in enumerate(net["bits"]):
                if isinstance(bit, int):
                    label = f"{name}[{index}]" if len(net["bits"]) > 1 else name
                    key = (name.count("."), len(name), label)
                    if bit not in best or key < best[bit]:
                        best[bit] = key
        return {bit: label for bit, (_, _, label) in best.items()}

    def net(self, name: str) -> list[Bit]:
        """Bits of a named net.  Raises ``KeyError``."""
        return list(self._nets[name]["bits"])

    def ending(self, end: str) -> list[int]:
        """The bits of all nets whose names end with this one and the names of the instances around it, "parser.gate.header"."""
        nets = (net for name, net in self._nets.items() if f".{name}".endswith(f".{end}"))
        return [bit for net in nets for bit in net["bits"] if isinstance(bit, int)]

    @cached_property
    def initial(self) -> dict[int, str]:
        """For each bit of a register that has one, its value at power-on: "0" or "1"."""
        result: dict[int, str] = {}
        for net in self._nets.values():
            value = net.get("attributes", {}).get("init")
            if value is not None:
                result.update((bit, v) for bit, v in zip(net["bits"], reversed(value)) if isinstance(bit, int) and v in "01")
        return result


def _number(value: str) -> int | str:
    if isinstance(value, str) and value and not value.strip("01"):
        return int(value, 2)
    return value


def netlist_of_rtlil(text: str, top: str, keep: Sequence[str] = ()) -> Netlist:
    """The flat netlist of a design in RTLIL, in which instances of the modules ``keep`` stay cells.

    Raises ``BuildError`` if Yosys refuses it.
    """
    with tempfile.TemporaryDirectory(prefix="modeloom-taint-") as work:
        source, result = Path(work) / "design.il", Path(work) / "design.json"
        source.write_text(text, encoding="utf-8")
        # A core may ask tools to map the modules of some tables by themselves.  They are flattened here.
        kept = ("setattr -mod -unset keep_hierarchy *", *(f"setattr -mod -set keep_hierarchy 1 {module}" for module in keep))
        script = (f"read_rtlil {source}", f"hierarchy -check -top {top}", *kept, *_COMMANDS, f"write_json {result}")
        run = subprocess.run(
            [sys.executable, "-P", "-c", _SCRIPT, *script], capture_output=True, text=True, check=False
        )
        if run.returncode or not result.exists():
            reason = (run.stdout + run.stderr).strip().splitlines()[-1:] or ["no message"]
            raise BuildError(f"Yosys cannot flatten {top}: {reason[0]}")
        return Netlist(json.loads(result.read_text(encoding="utf-8"))["modules"][top])


def port_directions(text: str, module: str) -> dict[str, str]:
    """Direction ("input", "output") of each port of a module of a design in RTLIL, in the order of the ports."""
    start = text.index(f"\nmodule \\{module}\n")
    wires = re.findall(r"^  wire (?:.* )?(input|output) (\d+) \\(\S+)$", text[start : text.index("\nend\n", start)], re.M)
    return {name: direction for direction, _, name in sorted(wires, key=lambda wire: int(wire[1]))}


def flat_netlist(verilog: Path, top: str, *others: Path) -> Netlist:
    """The flat netlist of a Verilog file, and of others behind it.  Raises ``BuildError`` if Yosys refuses it."""
    return netlist_of_rtlil(verilog_to_rtlil(verilog, top, *others), top)
