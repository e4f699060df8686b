# SPDX-License-Identifier: Apache-2.0
"""Lints an emitted core with Verilator, and writes the waivers for it."""

from __future__ import annotations

from pathlib import Path

from modeloom.emit.tools import CheckFailed, Tool, run, verilator
from modeloom.product.folder import read_description
from modeloom.product.front import FrontDescription

__all__ = ["lint", "options_of", "waivers"]

FRONT_WAIVERS = """
// The same for {what} around the core.{more}
lint_off -rule UNUSEDSIGNAL -file "*{top}.v" -match "Bits of signal are not used: *"
{rules}"""

FRONT_MODULES = """lint_off -rule DECLFILENAME -file "*{top}.v" -match "*does not match MODULE name: '{name}_{part}*'"
"""

PROTECTION = """lint_off -rule UNUSEDSIGNAL -file "*{top}.v" -match "Signal is not used: '{prot}'"
"""

PROTECTIONS = {None: ("AXI4-Lite", "s_axil_a?prot"), "apb": ("APB", "s_apb_pprot")}
"""The buses for registers, by ``FrontDescription.bus``: their names, and their ports for the type of protection."""


def waivers(name: str, front: FrontDescription | None = None) -> str:
    """The text of the waiver file for a core, and for its front end.  Each rule has its reason."""
    more = "" if front is None else _front(name, front)
    return f"""\
// SPDX-License-Identifier: Apache-2.0
// Waivers for: verilator --lint-only -Wall {name}.v {name}_waivers.vlt
`verilator_config

// Some sums have a carry that nothing reads, and some words have bits that nothing reads. Synthesis removes them. The waiver
// does not cover signals of which no bit is read.
lint_off -rule UNUSEDSIGNAL -file "*{name}.v" -match "Bits of signal are not used: *"

// The core is one file because this is easier to use. Verilator expects a file for each module.
lint_off -rule DECLFILENAME -file "*{name}.v" -match "*does not match MODULE name: '{name}_core*'"
{more}"""


def _front(name: str, front: FrontDescription) -> str:
    """The part of the waiver file for a front end."""
    registers, rules, bus = bool(front.registers), "", front.bus
    what = {"registers": "registers", "width": "converters", "clocks": "crossings"}[front.kind]
    if registers:
        rules += PROTECTION.format(top=front.top, prot=PROTECTIONS[bus][1])
        rules += FRONT_MODULES.format(top=front.top, name=name, part="front")
    if front.width is not None:
        rules += FRONT_MODULES.format(top=front.top, name=name, part="converters")
        if front.width.top != front.top:
            rules += FRONT_MODULES.format(top=front.top, name=name, part="width")
    if front.clocks is not None:
        rules += FRONT_MODULES.format(top=front.top, name=name, part="crossings")
        if registers:
            rules += FRONT_MODULES.format(top=front.top, name=name, part="registers")
    more = f" {PROTECTIONS[bus][0]} has a protection type, which they do not read." if registers else ""
    return FRONT_WAIVERS.format(top=front.top, what=what, more=more, rules=rules)


def lint(directory: str | Path) -> None:
    """Lints a built core with all warnings on.

    Raises
    ------
    CheckFailed
        With Verilator's first message.
    ToolMissing
        If Verilator is not installed.
    """
    description = read_description(directory)
    files = description.files
    tool = verilator()
    options = options_of(tool, Path(directory))
    tops = [(description.top, [files.verilog])]
    if description.front is not None:
        tops.append((description.front.top, [description.front.verilog, files.verilog]))
    for top, sources in tops:
        status, output = run(
            [tool.program, *options, "--top-module", top, *sources, files.waivers], Path(directory), tool.environment
        )
        messages = [line for line in output.splitlines() if line.startswith("%")]
        if status or messages:
            raise CheckFailed(f"verilator: {messages[0] if messages else output.strip()[-300:]}")


STYLE = ("-Wno-PROCASSINIT",)
"""Warnings of later versions that a waiver file cannot name, because earlier ones refuse a file with a name that they do not know.

``PROCASSINIT`` says that a register has an initial value where it is declared.  Those of FPGAs have one, and every process of the cores
that needs a reset has one, too.
"""


def options_of(tool: Tool, work: Path) -> list[str]:
    """All warnings, without those of ``STYLE`` that this version knows.  *work* is any folder."""
    known = [option for option in STYLE if not run([tool.program, option, "--version"], work, tool.environment)[0]]
    return ["--lint-only", "-Wall", *known]
