# SPDX-License-Identifier: Apache-2.0
"""Paths without a register from the inputs of a core to its outputs.

AXI4-Stream forbids that ``tvalid`` waits for its ``tready``, and AXI that an interface has any combinational path from
input to output.  A core here has none at all, between whichever of its buses: blocks can be chained without a loop, and the
clock of a system does not depend on its neighbours.
"""

from __future__ import annotations

from modeloom.taint.graph import BitGraph
from modeloom.taint.netlist import Netlist

__all__ = ["combinational_paths"]


def combinational_paths(netlist: Netlist) -> dict[tuple[str, str], tuple[str, ...]]:
    """For each input and output with a path between them that has no register, the names of nets on one such path."""
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
