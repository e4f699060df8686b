# SPDX-License-Identifier: Apache-2.0
"""What stands around a core: its interfaces on the side of the host, and the nets to what it has beside the core.

The Verilog module around a core and what stands beside it.

::

    NAME_registers ┬─ core:       NAME, or NAME_width    keys, flags and erasure of the core go to the front end,
                   └─ front:      NAME_front             all other streams go past it
    NAME_width ────┬─ core:       NAME                   data go through the converters,
                   └─ converters: NAME_converters        all other streams go past them
    NAME_clocks ───┬─ core:       one of the above, or NAME
                   └─ NAME_crossings                     buses of other clocks go through it, and so does the reset
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from modeloom.front.map import Register
from modeloom.interfaces import Interface
from modeloom.interfaces.table import CoreShape
from modeloom.product.core import CLOCK, FrontEnd, FrontPart, TopPort, top_ports
from modeloom.product.description import Description
from modeloom.spec import InputError

__all__ = ["CORE_INSTANCE", "Around", "Instance", "Wire", "wrapper"]

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


CORE_INSTANCE = "core"
"""The name of the instance of the inner module."""

class Around(FrontEnd):
    """A front end that is a module around the core, or around another one.

    Parameters
    ----------
    description : Description
        The core.
    """

    inner: str
    """The name of the module that it stands around."""

    inner_shape: CoreShape
    """The figures on which the widths of the ports of this module depend."""

    shape: CoreShape
    """Those for the ports of the module around it."""

    around_core: Around | None = None
    """The part that stands around the core inside of this one."""

    outer: str | None = None
    """The name of the module that stands around this one; None if this one is the top."""

    refuses: ClassVar[Mapping[tuple[str, str], str]]
    """What it says to cores with a value of an option, which it does not fit."""

    def __init__(self, description: Description):
        self.check(description.options)
        self.description = description

    @classmethod
    def check(cls, options: Mapping[str, object]) -> None:
        """Raises ``InputError`` for options of a core that it does not fit."""
        for (name, value), why in cls.refuses.items():
            if options.get(name) == value:
                raise InputError(why)

    @property
    @abstractmethod
    def top(self) -> str:
        """The name of the module around it."""

    @property
    @abstractmethod
    def interfaces(self) -> tuple[Interface, ...]:
        """The interfaces of the module around it."""

    @property
    def inner_interfaces(self) -> tuple[Interface, ...]:
        """The interfaces of the module that it stands around."""
        return self.description.interfaces

    @property
    @abstractmethod
    def about(self) -> str:
        """What this module has besides the core."""

    @cached_property
    def host_ports(self) -> tuple[TopPort, ...]:
        """The ports of the module around it."""
        return top_ports(self.interfaces, self.shape)

    @property
    def files(self) -> dict[str, str]:
        """The names of files that are made of the module around it."""
        top = self.top
        return {
            "front": f"{top}.v", "wrapper": f"{top}_sv.sv", "ip_xact": f"{top}.xml", "vivado_ip": f"{top}_ip.tcl",
            "vivado_run": f"{top}_vivado.tcl",
        }  # fmt: skip

    @abstractmethod
    def core_net(self, port: str) -> str:
        """What a port of the inner module is connected with."""

    @abstractmethod
    def net(self, port: str) -> str:
        """What a port of the part beside it is connected with."""

    def module(self, name: str, part: FrontPart) -> str:
        """The module around both, with a part of this name beside the inner module."""
        d = self.description
        core = top_ports(self.inner_interfaces, self.inner_shape)
        outer = {port.name for port in self.host_ports}
        wires = [Wire(net, port.width, port.vector) for port in core if (net := self.core_net(port.name)) not in outer]
        instances = [
            Instance(self.inner, CORE_INSTANCE, {port.name: self.core_net(port.name) for port in core}),
            Instance(f"{d.name}_{name}", self.instance(name), {port: self.net(port) for port in part.component.signature.members}),
        ]
        return wrapper(self.top, self.host_ports, self.interfaces, wires, instances, self.clocking)

    def instance(self, name: str) -> str:
        """The name of the instance of a part."""
        return name

    @property
    def clocking(self) -> str:
        """What the first ports are, for a comment."""
        return "clock, and synchronous active-low reset"

    @property
    def head(self) -> str:
        """The head of the file."""
        d = self.description
        lines = ["// SPDX-License-Identifier: Apache-2.0", "//", f"// {self.top}: {self.about} the core {d.name}, which is in {d.verilog}."]
        return "\n".join([*lines, ""])

    def modules(self, parts: Mapping[str, FrontPart]) -> list[str]:
        """The modules around the core, the outermost one first."""
        ((name, part),) = parts.items()
        return [self.module(name, part)]

    def around(self, parts: Mapping[str, FrontPart]) -> str:
        """The head of the file, and the modules around the core."""
        return "\n".join([self.head, *self.modules(parts)])

    def texts(self, verilog: str) -> Mapping[str, str]:
        """Those of the part inside."""
        return {} if self.around_core is None else self.around_core.texts(verilog)

    def registers(self, verilog: str) -> Sequence[Register]:
        """Those of the part inside."""
        return () if self.around_core is None else self.around_core.registers(verilog)

    def port_table(self) -> tuple[Sequence[str], list[list[object]]]:
        """The ports for the datasheet: heads of columns, and rows."""
        comments = {one.name: one.comment.split(":")[0] for one in self.interfaces}
        comments["clock"] = "clock and reset"
        rows: list[list[object]] = [
            [f"`{port.name}`", "output" if port.output else "input", port.width, comments[port.stream]] for port in self.host_ports
        ]
        port = "port of the top" if self.outer is None else f"port of `{self.top}`"
        return [port, "direction", "bits", "group"], rows

    def port_words(self) -> str:
        """What stands above this table."""
        inside = "" if self.outer is None else f"`{self.top}` is inside `{self.outer}`, whose ports are listed below. "
        return f"{inside}These are the ports of `{self.top}`:"
