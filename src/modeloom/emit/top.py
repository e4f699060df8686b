# SPDX-License-Identifier: Apache-2.0
"""The top of an emitted core: the file's header and a module whose ports stand in a fixed order, each stream with its comment."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from modeloom.cores.sector import bus_parameters
from modeloom.emit.figures import cipher_name, definition_hash, interval_pins, latency_pins
from modeloom.interfaces import Side, Unit
from modeloom.interfaces.sector import SECTOR_CORE
from modeloom.rtl.bus.parameters import BusParameters
from modeloom.spec import Mode
from modeloom.version import VERSION

__all__ = ["STREAMS", "TopPort", "header", "top_module", "top_ports"]

STREAMS: tuple[tuple[str, str], ...] = tuple((interface.name, interface.comment) for interface in SECTOR_CORE)
"""Prefix and comment of each group of ports, in the order of the top."""


@dataclass(frozen=True)
class TopPort:
    """A port of the top; ``stream`` is its group, "clock" for clock and reset; ``vector``: it has an index even with one bit."""

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


def top_ports(parameters: BusParameters) -> tuple[TopPort, ...]:
    """All ports of a top in order."""
    ports = [TopPort("aclk", False, 1, "clock"), TopPort("aresetn", False, 1, "clock")]
    for group in SECTOR_CORE:
        for port in group.ports:
            output, width = group.driven_by(port) is Side.CORE, port.width.bits(parameters)
            ports.append(TopPort(group.port_name(port), output, width, group.name, port.width.unit is Unit.KEY_SLOT))
    return tuple(ports)


def _comment(text: str, indent: str = "") -> Iterator[str]:
    for line in textwrap.wrap(text, 116 - len(indent)) or [""]:
        yield f"{indent}// {line}".rstrip()


def warning(mode: Mode) -> str:
    """The word before the security statement of a mode that is broken."""
    return "WARNING, this mode is BROKEN: " if mode.broken else ""


def header(compiled: Any, name: str, command: str) -> str:
    """The comment at the head of the Verilog file."""
    figures = compiled.explain()
    sizes = " or ".join(str(one.source.nbytes) for one in compiled.sizes)
    mode = compiled.mode
    lines = ["// SPDX-License-Identifier: Apache-2.0", "//"]
    facts = [
        f"{name}: {mode.title}, sectors of {sizes} bytes, tweaks of {figures['tweak_bytes']} bytes, "
        f"{cipher_name(compiled)}, {' and '.join(figures['directions'])}",
        "",
        f"Made by modeloom {VERSION}: {command}",
        f"Definition: sha256 {definition_hash(compiled)}",
        f"Source: {mode.source}",
        f"Security: {warning(mode)}{mode.security}. Not protected against power and fault attacks.",
        "",
        f"Cycles per sector: {figures['cycles_per_sector']}; interval between sectors {interval_pins(compiled)}; latency "
        f"{figures['latency']}, over the pins {latency_pins(compiled)}; key slots: {compiled.options.key_slots}; program "
        f"{'proved' if compiled.proved else 'NOT PROVED'}.",
    ]
    for fact in facts:
        lines += _comment(fact)
    return "\n".join(lines) + "\n"


def top_module(compiled: Any, name: str, watch: str = "") -> str:
    """The module NAME, which instances NAME_core; ``watch`` is text before its end, for what looks at its ports."""
    ports = top_ports(bus_parameters(compiled))
    lines = [f"module {name} (", "    // clock; synchronous reset, active low"]
    stream = "clock"
    comments = dict(STREAMS)
    for i, port in enumerate(ports):
        if port.stream != stream:
            stream = port.stream
            lines += ["", *_comment(comments[stream], "    ")]
        lines.append(f"    {port.declaration}{'' if i == len(ports) - 1 else ','}")
    lines += [");", "", f"  {name}_core core ("]
    lines += [f"    .{port.name}({port.name}){'' if i == len(ports) - 1 else ','}" for i, port in enumerate(ports)]
    lines += ["  );", "", *watch.splitlines(), *[""][: bool(watch)], "endmodule", ""]
    return "\n".join(lines)
