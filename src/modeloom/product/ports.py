# SPDX-License-Identifier: Apache-2.0
"""The ports of the top of a core: clock and reset, then the ports of its interfaces in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from modeloom.interfaces import Interface, Side, Unit
from modeloom.interfaces.table import CoreShape
from modeloom.product.description import Port

__all__ = ["CLOCK", "TopPort", "top_ports"]

CLOCK = "clock"
"""The group of clock and reset."""


@dataclass(frozen=True)
class TopPort:
    """A port of the top.  ``stream`` is its group, "clock" for clock and reset.  A ``vector`` has a range even if it has one bit."""

    name: str
    output: bool
    width: int
    stream: str
    vector: bool = False

    @property
    def declaration(self) -> str:
        """Its Verilog declaration without a comma."""
        width = f"[{self.width - 1}:0]" if self.width > 1 or self.vector else ""
        return f"{'output' if self.output else 'input '} wire {width:>8} {self.name}"

    @property
    def described(self) -> Port:
        """The port for ``core.json``."""
        return Port(name=self.name, direction="output" if self.output else "input", width=self.width, stream=self.stream)


def top_ports(interfaces: Sequence[Interface], shape: CoreShape) -> tuple[TopPort, ...]:
    """All ports of a top in order."""
    ports = [TopPort("aclk", False, 1, CLOCK), TopPort("aresetn", False, 1, CLOCK)]
    for group in interfaces:
        for port in group.ports:
            output, width = group.driven_by(port) is Side.CORE, port.width.bits(shape)
            ports.append(TopPort(group.port_name(port), output, width, group.name, port.width.unit is Unit.KEY_SLOT))
    return tuple(ports)
