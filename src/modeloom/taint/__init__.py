# SPDX-License-Identifier: Apache-2.0
"""Checks the netlist of an emitted core for timing channels: data and keys must not affect any control signal."""

from modeloom.taint.check import TaintReport, TimingChannel, check_core, check_netlist
from modeloom.taint.graph import Netlist, combinational_paths, flat_netlist

__all__ = ["Netlist", "TaintReport", "TimingChannel", "check_core", "check_netlist", "combinational_paths", "flat_netlist"]
