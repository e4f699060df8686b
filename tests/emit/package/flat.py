# SPDX-License-Identifier: Apache-2.0
"""A module with the ports of a core around its module with interfaces."""

from __future__ import annotations

import re
from pathlib import Path

from modeloom.emit.package import outside
from modeloom.product.description import Description

__all__ = ["declared", "flat"]


def declared(text: str) -> list[str]:
    """The declarations of interfaces in the head of a wrapper."""
    return [line.removeprefix("//").strip() for line in text.splitlines() if re.match(r"//   modeloom_\w+ #", line)]


def flat(description: Description, folder: Path, *changes: tuple[str, str]) -> str:
    """A module NAME_flat that has the ports of NAME, and the module with interfaces in it; ``changes`` are of the declarations."""
    seen = outside(description)
    wrapper = (folder / description.files.wrapper).read_text()
    lines = [f"module {seen.top}_flat ("]
    for at, port in enumerate(seen.ports):
        width = f"[{port.width - 1}:0] " if port.width > 1 else ""
        lines.append(f"  {'output' if port.output else 'input'} wire {width}{port.name}{'' if at == len(seen.ports) - 1 else ','}")
    lines.append(");")
    text = "\n".join(declared(wrapper))
    for before, after in changes:
        assert before in text
        text = text.replace(before, after, 1)
    lines.append(text)
    names = re.findall(r"(\w+) \(\);", text)
    for bus, name in zip(seen.buses, names, strict=True):
        for logical, port in bus.ports:
            signal = f"{name}.{logical.lower()}"
            lines.append(f"  assign {port.name} = {signal};" if port.output else f"  assign {signal} = {port.name};")
    # The connection by name covers every port: nothing of the wrapper stays open.
    return "\n".join([*lines, f"  {seen.top}_sv dut (.*);", "endmodule", ""])
