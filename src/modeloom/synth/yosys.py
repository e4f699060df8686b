# SPDX-License-Identifier: Apache-2.0
"""Mapping with Yosys, with a child process for each run."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import util
from pathlib import Path

from modeloom.synth.netlist import Netlist, cell_counts
from modeloom.synth.pins import pin_commands
from modeloom.synth.result import SynthesisError
from modeloom.synth.tables import TABLE, tables_apart
from modeloom.synth.targets import Target
from modeloom.synth.tools import run_tool

__all__ = ["APART", "Mapped", "commands_of", "map_design", "version_of", "ways", "without_wide"]

APART = "mapped_apart"
"""Attribute of a wire, set with ``Signal(..., attrs={"mapped_apart": 1})``."""

WHOLE = 'attribute \\keep_hierarchy "yes"\n'
"""The attribute of modules that the design asks to be mapped by themselves."""

_CHILD = Path(__file__).resolve().parent / "_yosys.py"


@dataclass(frozen=True)
class Mapped:
    """The result of one run.

    Attributes
    ----------
    netlist : dict
        The netlist as JSON from Yosys: the smaller one if there are two versions.
    area : dict or None
        For gate targets: the netlist mapped for area.
    path : Path
        File of `netlist`.
    script : list of str
        The commands for both.
    delay_ns : float or None
        For a Liberty file: the longest path of gates in the static timing analysis of ABC.
    """

    netlist: Netlist
    area: Netlist | None
    path: Path
    script: list[str]
    delay_ns: float | None


def map_design(rtlil: str, top: str, target: Target, directory: Path, *, mapper: str = "abc9",
               timeout: float | None = None) -> Mapped:
    """Maps a design with the commands of the target, or with its commands for the mapper ``"compact"`` or ``"fast"``.

    Modules with ``keep_hierarchy`` stay separate, and everything else is flattened. Sums that the design assigns to LUTs are kept on
    targets with LUT6 (``pins``).  On targets with LUTs, tables that are read in many places become logic only once (``tables``).  Modules
    with a wire that has ``APART`` are mapped separately and flattened afterwards. Their logic already consists of LUTs, which ABC would
    restructure for depth.

    Raises
    ------
    SynthesisError
        If Yosys is missing, fails, or takes more than `timeout` seconds.
    """
    if util.find_spec("pyosys") is None:
        raise SynthesisError("Yosys is missing: pip install 'pyosys>=0.70'")
    if target.kind == "lut":
        rtlil = tables_apart(rtlil)
    (directory / "design.il").write_text(rtlil, encoding="utf-8")
    if len(several := ways(target, mapper)) > 1:
        mapped = []
        for number, way in enumerate(several):
            (directory / str(number)).mkdir()
            mapped.append(map_design(rtlil, top, way, directory / str(number), timeout=timeout))
        return min(mapped, key=lambda each: target.luts_in(cell_counts(each.netlist, top)))
    first = pin_commands(rtlil, directory, lut6=target.lut_inputs == 6, lut4=target.has_lut4_cells)
    wanted = commands_of(target, mapper, top)
    first += _tables_until_luts(wanted) if f"attribute \\{TABLE} 1" in rtlil else wanted
    if WHOLE in rtlil:
        # Other targets do better when they map everything at once.
        together = ["setattr -mod -unset keep_hierarchy A:keep_hierarchy=yes", "flatten", "clean"]
        first = [*first, *together] if target.lut_inputs == 6 else [together[0], *first]
    if f"attribute \\{APART} 1" in rtlil and target.kind == "lut":
        apart = f"a:{APART} %m"
        # Their wires may be gone after the mapping, so the modules get a separate mark.
        first = [f"setattr -mod -set keep_hierarchy 1 -set {APART} 1 {apart}", *first,
                 f"setattr -mod -unset keep_hierarchy A:{APART}=1", "flatten", "clean"]
    run = ["read_rtlil design.il", *_with_libraries(target), *first, "write_json netlist.json"]
    if target.rework_commands:
        run += [*target.rework_commands, "write_json reworked.json"]
    if target.area_commands:
        run += [*target.area_commands, "write_json area.json"]
    # -P removes this directory from the module path.  The child needs only pyosys.
    log = run_tool([sys.executable, "-P", str(_CHILD), *run], "Yosys", directory=directory, timeout=timeout)
    netlist, path, script = _read(directory / "netlist.json"), directory / "netlist.json", first
    if target.rework_commands:
        reworked = _read(directory / "reworked.json")
        # ABC finds smaller logic for tables and controllers, but destroys hand-made XOR networks.
        if _gates(reworked, top, target) < _gates(netlist, top, target):
            netlist, path, script = reworked, directory / "reworked.json", [*first, *target.rework_commands]
    area = _read(directory / "area.json") if target.area_commands else None
    times = re.findall(r"\bDelay = *([0-9.]+) ps", log)
    return Mapped(netlist, area, path, script, max(map(float, times)) / 1000 if times else None)


def commands_of(target: Target, mapper: str, top: str) -> list[str]:
    """The commands of a mapper, without the commands before and after them that depend on the design."""
    chosen = {"compact": target.compact_commands, "fast": target.fast_commands}.get(mapper, target.commands)
    return [command.format(top=top) for command in chosen]


def _tables_until_luts(commands: Sequence[str]) -> list[str]:
    """The commands with tables as separate modules until LUTs are mapped.  For LUTs, ABC works better on the whole design."""
    join = [f"setattr -mod -unset keep_hierarchy A:{TABLE}=1", "flatten", "opt_clean"]
    found: list[str] = []
    for command in commands:
        if command.startswith("synth_") and "-run" not in command:
            found += [f"{command} -run begin:map_luts", *join, f"{command} -run map_luts:"]
        else:
            found += [command, *(join if command.endswith("-run begin:map_luts") else [])]
    return found


def without_wide(target: Target) -> Target:
    """The target with its alternative commands alone, which leave the wide multiplexers of the fabric out.

    Raises
    ------
    ValueError
        If it has no such commands.
    """
    if not target.other_commands:
        raise ValueError(f"target {target.name} has no mapping without wide multiplexers")
    return replace(target, commands=target.other_commands, other_commands=())


def ways(target: Target, mapper: str) -> list[Target]:
    """The target with each of its alternative lists of commands.  The mapping with fewer LUTs is used."""
    other = [target.other_commands] if target.other_commands and mapper == "abc9" else []
    return [replace(target, commands=commands, other_commands=()) for commands in (target.commands, *other)]


def version_of(mapped: Mapped) -> str:
    """The version of Yosys that mapped a design."""
    return str(mapped.netlist.get("creator", "")).removeprefix("Yosys ").partition(" (")[0]


def _gates(netlist: Netlist, top: str, target: Target) -> int:
    return sum(number * sum(target.basis_of(cell)[:2]) for cell, number in cell_counts(netlist, top).items())


def _with_libraries(target: Target) -> Sequence[str]:
    # The port directions in the netlist come from the cells of the library.  Liberty files contain them.
    return [f"read_liberty -lib {Path(target.name.removeprefix('liberty:')).absolute()}"] if target.areas else []


def _read(path: Path) -> Netlist:
    with path.open(encoding="utf-8") as handle:
        result: Netlist = json.load(handle)
    return result
