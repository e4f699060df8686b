# SPDX-License-Identifier: Apache-2.0
"""The Verilog module around a core and what stands beside it.

::

    NAME_registers ┬─ core:       NAME, or NAME_width    keys, flags and erasure of the core go to the front end,
                   └─ front:      NAME_front             all other streams go past it
    NAME_width ────┬─ core:       NAME                   data go through the converters,
                   └─ converters: NAME_converters        all other streams go past them
    NAME_clocks ───┬─ core:       one of the above, or NAME
                   └─ NAME_crossings                     buses of other clocks go through it, and so does the reset
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from modeloom.interfaces import Interface
from modeloom.product.ports import CLOCK, TopPort

__all__ = ["Instance", "Wire", "wrapper"]


@dataclass(frozen=True)
class Wire:
    """A net between the modules.  A ``vector`` has a range even if it has one bit."""

    name: str
    width: int
    vector: bool = False

    @property
    def declaration(self) -> str:
        """Its Verilog declaration."""
        width = f"[{self.width - 1}:0]" if self.width > 1 or self.vector else ""
        return f"  wire {width:>8} {self.name};"


@dataclass(frozen=True)
class Instance:
    """A module that stands in the wrapper.

    Attributes
    ----------
    module, name : str
    nets : mapping
        What each of its ports is connected with.
    """

    module: str
    name: str
    nets: Mapping[str, str]

    @property
    def lines(self) -> list[str]:
        """Its Verilog."""
        last = len(self.nets) - 1
        ports = [f"    .{port}({net}){'' if at == last else ','}" for at, (port, net) in enumerate(self.nets.items())]
        return ["", f"  {self.module} {self.name} (", *ports, "  );"]


def wrapper(
    top: str, ports: Sequence[TopPort], interfaces: Sequence[Interface], wires: Sequence[Wire], instances: Sequence[Instance],
    clocking: str,
) -> str:
    """The module around all.

    Parameters
    ----------
    top : str
        Its name.
    ports : sequence of TopPort
        Its ports.
    interfaces : sequence of Interface
        Its interfaces, for comments.
    wires, instances
        What is in it.
    clocking : str
        What its first ports are, for a comment.
    """
    comments = {interface.name: interface.comment.split(":")[0] for interface in interfaces}
    lines = [f"module {top} (", f"    // {clocking}"]
    group = CLOCK
    for at, port in enumerate(ports):
        if port.stream != group:
            group = port.stream
            lines += ["", f"    // {comments[group]}"]
        lines.append(f"    {port.declaration}{'' if at == len(ports) - 1 else ','}")
    lines += [");", "", "  // between the core and what stands around it"]
    lines += [wire.declaration for wire in wires]
    for instance in instances:
        lines += instance.lines
    return "\n".join([*lines, "", "endmodule", ""])
