# SPDX-License-Identifier: Apache-2.0
"""The top of an emitted core: the header of the file, and a module with its ports in a fixed order and a comment for each stream."""

from __future__ import annotations

import contextlib
import textwrap
from collections.abc import Iterator

from modeloom.product.core import CLOCK, Core, D
from modeloom.product.description import ASSERT_MACRO
from modeloom.spec import blame
from modeloom_verilog.modules import component_rtlil

__all__ = ["core_rtlil", "header", "rules_instance", "top_module"]


def _comment(text: str, indent: str = "") -> Iterator[str]:
    for line in textwrap.wrap(text, 116 - len(indent)) or [""]:
        yield f"{indent}// {line}".rstrip()


def header(core: Core[D], description: D) -> str:
    """The comment at the head of the Verilog file."""
    warning = "WARNING, this mode is BROKEN: " if description.broken else ""
    lines = ["// SPDX-License-Identifier: Apache-2.0", "//"]
    facts = [
        f"{description.name}: {core.headline}",
        "",
        f"Made by modeloom {description.version}: {description.command}",
        f"Definition: sha256 {description.definition_sha256}",
        f"Source: {description.source}",
        f"Security: {warning}{description.security}. Not protected against power and fault attacks.",
        "",
        core.figures,
    ]
    for fact in facts:
        lines += _comment(fact)
    return "\n".join(lines) + "\n"


def rules_instance(core: Core[D], name: str) -> str:
    """The instance of the module with the assertions, for the top module."""
    ports = [port.name for port in core.ports]
    lines = [f"`ifdef {ASSERT_MACRO}", f"  {name}_rules rules ("]
    lines += [f"    .{port}({port}){'' if port == ports[-1] else ','}" for port in ports]
    return "\n".join([*lines, "  );", "`endif"]) + "\n"


def top_module(core: Core[D], name: str, watch: str = "") -> str:
    """The module NAME, which contains an instance of NAME_core.  ``watch`` is text before its end, for checks of its ports."""
    ports = core.ports
    lines = [f"module {name} (", "    // clock, and synchronous active-low reset"]
    stream = CLOCK
    comments = {interface.name: interface.comment for interface in core.interfaces}
    for i, port in enumerate(ports):
        if port.stream != stream:
            stream = port.stream
            lines += ["", *_comment(comments[stream], "    ")]
        lines.append(f"    {port.declaration}{'' if i == len(ports) - 1 else ','}")
    lines += [");", "", f"  {name}_core core ("]
    lines += [f"    .{port.name}({port.name}){'' if i == len(ports) - 1 else ','}" for i, port in enumerate(ports)]
    lines += ["  );", "", *watch.splitlines(), *[""][: bool(watch)], "endmodule", ""]
    return "\n".join(lines)


def core_rtlil(core: Core[D], top: str) -> str:
    """RTLIL of a core.  The modules are named TOP, TOP_engine, TOP_engine_cipher0, ...

    Equal modules occur once, dead objects are removed, and every public name is a plain Verilog name.

    Parameters
    ----------
    core : Core
    top : str
        Name of the top module.
    """
    with blame(core.brought) if core.brought else contextlib.nullcontext():
        return component_rtlil(core.component(), top)
