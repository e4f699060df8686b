# SPDX-License-Identifier: Apache-2.0
"""Paths without a register from the inputs of a core to its outputs.

AXI4-Stream does not allow ``tvalid`` to wait for ``tready``, and AXI does not allow combinational paths from input to output of an
interface.  The cores here have no such path at all, not even between different buses.  Cores can therefore be chained without loops, and
their clock does not depend on their neighbours.
"""

from __future__ import annotations

from modeloom.taint.graph import BitGraph
from modeloom.taint.netlist import Netlist

__all__ = ["combinational_paths"]


def combinational_paths(netlist: Netlist) -> dict[tuple[str, str], tuple[str, ...]]:
    """For each input and output that are connected without a register, the names of the nets on one such path."""
    graph = BitGraph(netlist)
    result: dict[tuple[str, str], tuple[str, ...]] = {}
    for source, bits in netlist.inputs.items():
        reached = graph.reached(bits, clocked=False)
        for target, ends in netlist.outputs.items():
            through = next((bit for bit in ends if isinstance(bit, int) and bit in reached), None)
            if through is not None:
                names = (graph.name(node) for node in reached.path(through))
                result[source, target] = tuple(dict.fromkeys(name for name in names if name))
    return result
