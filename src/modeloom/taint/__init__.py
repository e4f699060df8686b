# SPDX-License-Identifier: Apache-2.0
"""No timing channel: on the netlist of an emitted core, what depends on data and keys never decides when or where."""

from modeloom.taint.check import TaintReport, TimingChannel, check_core, check_netlist
from modeloom.taint.netlist import Netlist, flat_netlist
from modeloom.taint.pins import combinational_paths

__all__ = [
    "Netlist",
    "TaintReport",
    "TimingChannel",
    "check_core",
    "check_netlist",
    "combinational_paths",
    "flat_netlist",
]
