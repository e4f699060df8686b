# SPDX-License-Identifier: Apache-2.0
"""The Verilog around a core and its front end.

::

    NAME_registers ┬─ core:  NAME           keys, flags and erasure of the core go to the front end,
                   └─ front: NAME_front     all other streams go past it
"""

from __future__ import annotations

from collections.abc import Sequence

from modeloom.interfaces import Interface
from modeloom.product.ports import CLOCK, TopPort

__all__ = ["wrapper"]

PINS = {"erase_pin": "zeroize", "erasing_pin": "zeroizing"}
"""Ports of the front end that have another name in the module."""


def wrapper(
    name: str, top: str, ports: Sequence[TopPort], core: Sequence[TopPort], front: Sequence[str], interfaces: Sequence[Interface]
) -> str:  # fmt: skip
    """The module around both.

    Parameters
    ----------
    name, top : str
        The name of the core, and that of the module.
    ports : sequence of TopPort
        Those of the module.
    core : sequence of TopPort
        Those of the core.  One that the module does not have is joined with the port of the front end with this name.
    front : sequence of str
        The names of the ports of the front end.  ``erase_pin`` and ``erasing_pin`` are ``zeroize`` and ``zeroizing`` of the module.
    interfaces : sequence of Interface
        Those of the module, for comments.
    """
    comments = {interface.name: interface.comment.split(":")[0] for interface in interfaces}
    mine = {port.name for port in ports}
    lines = [f"module {top} (", "    // clock, and synchronous active-low reset"]
    group = CLOCK
    for at, port in enumerate(ports):
        if port.stream != group:
            group = port.stream
            lines += ["", f"    // {comments[group]}"]
        lines.append(f"    {port.declaration}{'' if at == len(ports) - 1 else ','}")
    lines += [");", "", "  // keys, flags and erasure: between the front end and the core"]
    inner = [port for port in core if port.name not in mine or port.name in PINS.values()]
    for port in inner:
        width = f"[{port.width - 1}:0]" if port.width > 1 or port.vector else ""
        lines.append(f"  wire {width:>8} {_inner(port.name)};")
    lines += ["", f"  {name} core ("]
    lines += [
        f"    .{port.name}({_inner(port.name) if port in inner else port.name}){'' if at == len(core) - 1 else ','}"
        for at, port in enumerate(core)
    ]
    lines += ["  );", "", f"  {name}_front front ("]
    joined = {port.name for port in inner}
    for at, one in enumerate(front):
        outer = PINS.get(one) or (_inner(one) if one in joined else one)
        lines.append(f"    .{one}({outer}){'' if at == len(front) - 1 else ','}")
    return "\n".join([*lines, "  );", "", "endmodule", ""])


def _inner(name: str) -> str:
    """The name of a wire between core and front end."""
    return f"core_{name}"
