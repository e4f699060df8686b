# SPDX-License-Identifier: Apache-2.0
"""The datasheet of a core in Markdown: overview, theory of operation, interfaces, programmer's guide, figures, security,
verification.  The ``Sheet`` of the core has the texts that only the generator of the core can write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from modeloom.product.core import CLOCK, Core, D, Sheet
from modeloom.product.description import Description
from modeloom.product.page import table

__all__ = ["FILES", "datasheet", "verification"]

FILES = {
    "verilog": "the core", "waivers": "Verilator waivers", "bench": "self-checking Verilog bench",
    "listing": "the program that the core runs", "package": "FuseSoC package",
    "datasheet": "this file", "html": "the datasheet with pictures, HTML",
    "description": "description of the core for programs", "front": "what stands around the core, and the module that has both",
    "registers": "the registers, SystemRDL", "header": "the registers, C11", "page": "the registers, HTML",
    "driver_header": "a driver, C11: its header", "driver": "a driver, C11",
    "command_header": "its part for commands over registers, C11: the header",
    "command_driver": "its part for commands over registers, C11",
    "interfaces": "interfaces for the ports of the wrapper, SystemVerilog",
    "wrapper": "the core with interfaces for its buses, SystemVerilog", "ip_xact": "the core for IP-XACT, IEEE 1685-2014",
    "vivado_ip": "script that packages the core as an IP, for Vivado",
    "vivado_run": "script that measures clock and utilisation, for Vivado", "materials": "bill of materials, CycloneDX",
    "xdc": "constraints for the paths between clocks, for Vivado", "quartus_sdc": "the same for Quartus",
    "sdc": "the same for Radiant and others, plain SDC",
    "cocotb": "test with the bus models of cocotbext-axi, Python", "cocotb_bench": "the core between bus models, for this test",
    "models": "packets, commands and statuses over bus models, for this test",
    "coverage": "functional coverage of this test",
    "cases": "commands and results of this test",
    "manifest": "SHA-256 of all files, for `sha256sum --check`",
}  # fmt: skip
"""A description of each file, by the names in ``Files``."""


def datasheet(core: Core[D], description: D, front: Sequence[str] = ()) -> str:
    """Text of ``datasheet.md``; ``front`` is the section of a front end."""
    sheet = core.sheet(description)
    comments = {CLOCK: "clock and reset", **{interface.name: interface.comment for interface in core.interfaces}}
    lines = [*_overview(sheet, description), "## Theory of operation", "", *sheet.theory, *_interfaces(sheet, description, comments)]
    lines += [*front, "## Programmer's guide", "", *sheet.use, "## Figures", "", *sheet.figures, *_memories(description)]
    lines += [*_security(sheet, description), *verification(sheet, description)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _overview(sheet: Sheet, d: Description) -> Iterator[str]:
    yield f"# {d.name}"
    yield ""
    yield "<!-- SPDX-License-Identifier: Apache-2.0 -->"
    yield ""
    yield sheet.summary
    yield ""
    if d.broken:
        yield f"> **Warning: this mode is broken.** {d.security[0].upper()}{d.security[1:]}."
        yield ""
    yield f"- Source of the mode: {d.source}"
    yield f"- Definition: sha256 `{d.definition_sha256}`"
    yield f"- Made by modeloom {d.version} with `{d.command}`"
    yield ""
    yield from table(["file", "what it is"], [[f"`{file}`", FILES[kind]] for kind, file in d.files.by_kind.items()])


def _interfaces(sheet: Sheet, d: Description, comments: dict[str, str]) -> Iterator[str]:
    yield "## Interfaces"
    yield ""
    yield (
        "The core has one clock, `aclk`. The reset `aresetn` is synchronous and active low. The reset and `zeroize` erase the core. This "
        f"takes {d.erase_cycles} cycles, in which `zeroizing` is high. All streams are AXI4-Stream. Byte 0 is always `tdata[7:0]`. Fields "
        "are little-endian."
    )
    yield ""
    rows = [[f"`{port.name}`", port.direction, port.width, comments[port.stream].split(":")[0]] for port in d.ports]
    yield from table(["port", "direction", "bits", "group"], rows)
    yield from sheet.payloads


def _memories(d: Description) -> Iterator[str]:
    """The memories, but for tables of constants."""
    memories = [one for one in d.memories or () if one.write_ports]
    if not memories:
        return
    yield "The table lists the memories, with the RAM style that the Verilog requests. `core.json` also lists the tables of constants."
    yield ""
    head = ["module", "memory", "times", "words", "bits", "read ports", "with a register", "write ports", "style"]
    rows = [
        [f"`{one.module}`", f"`{one.name}`", one.instances, one.depth, one.width, one.read_ports, one.registered_read_ports,
         one.write_ports, one.style]
        for one in memories
    ]  # fmt: skip
    yield from table(head, rows)


def _security(sheet: Sheet, d: Description) -> Iterator[str]:
    yield "## Security status"
    yield ""
    yield f"- The mode: {'**broken:** ' if d.broken else ''}{d.security}."
    yield from sheet.timing
    yield "- **The core is not protected against power, electromagnetic and fault attacks.** Nothing is masked."
    yield from sheet.storage
    yield ""


def verification(sheet: Sheet, d: Description) -> Iterator[str]:
    """The section on verification: what was proved when the core was built, and what can be repeated."""
    yield "## Verification"
    yield ""
    yield from sheet.checked
    yield f"- `{d.files.bench}` uses the ports only. {sheet.bench} The comment at its head has the command that runs it."
    yield f"- `verilator --lint-only -Wall {d.files.verilog} {d.files.waivers}` gives no warnings."
    yield "- `modeloom verify` on this folder repeats all of this, and also runs published vectors and random sectors."
    yield ""
