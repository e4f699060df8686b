# SPDX-License-Identifier: Apache-2.0
"""Crossings with a fault in their Verilog, and the description of their paths."""

from __future__ import annotations

import re
from pathlib import Path

from tests.rtl.clocks.bench import SECOND, verilog

from modeloom.product.front import ClocksDescription, Crossing, HostClock
from modeloom.rtl.clocks import CrossingParameters, crossing_paths
from modeloom.sim import build
from modeloom.sim.build import verilog_to_rtlil
from modeloom.taint.graph import Netlist, flat_netlist


def told(parameters: CrossingParameters) -> ClocksDescription:
    """What ``core.json`` says of the crossings of the bench."""
    return ClocksDescription(
        reset="aresetn", reset_high=False, reset_asynchronous=False, instance="crossings", erase_cycles=32, erase_host_cycles=26,
        clocks=(
            HostClock(name="clk_data", buses=("s_axis", "m_axis"), zeroizing="clk_data_zeroizing"),
            HostClock(name="clk_host", buses=("m_axis_status", "s_axis_key", parameters.bus.name), zeroizing="clk_host_zeroizing"),
        ),
        crossings=tuple(Crossing(kind=one.kind, source=one.source, target=one.target) for one in crossing_paths(parameters)),
    )  # fmt: skip


def changed(path: Path, module: str, pattern: str, other: str, parameters: CrossingParameters = SECOND) -> Path:
    """The Verilog of the crossings with another text in a module, in a folder."""
    text = "\n" + verilog(parameters)
    start = text.index(f"\nmodule {module} (")
    end = text.index("\nendmodule", start)
    body, count = re.subn(pattern, other, text[start:end], count=1)
    assert count == 1, f"{module} has no {pattern}"
    file = path / "crossings.v"
    file.write_text(text[:start] + body + text[end:])
    return file


def netlist(file: Path) -> Netlist:
    """The flat netlist of crossings."""
    return flat_netlist(file, "crossings")


def library(file: Path) -> Path:
    """The simulation of crossings."""
    return build(verilog_to_rtlil(file, "crossings"), "crossings", optimize=0)
