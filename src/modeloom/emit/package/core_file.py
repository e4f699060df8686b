# SPDX-License-Identifier: Apache-2.0
"""The FuseSoC package of a core, and the JSON format of all files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from uuid import NAMESPACE_URL, uuid5

from modeloom.product.core import CLOCK
from modeloom.product.description import ASSERT_MACRO, PACKAGES, Description
from modeloom.product.front import Port

__all__ = [
    "APB", "AXI_LITE", "MAPPED", "STREAM", "Bus", "Outside", "bill_of_materials", "fusesoc", "manifest", "outside", "read_manifest",
    "to_json",
]  # fmt: skip


# -- outside ---------------------------------------------------------------------------------------------------------------------------

# What a system sees of a core: its outermost module, clock and reset, buses, and the other ports.
#
#     s_axis_tdata   ──▶  Bus "s_axis",  TDATA       pdi_data  ──▶  Bus "pdi", TDATA
#     s_axil_awaddr  ──▶  Bus "s_axil",  AWADDR      s_apb_psel  ──▶  Bus "s_apb", PSEL
#     zeroize        ──▶  a port of no bus

STREAM = "AXI4-Stream"
AXI_LITE = "AXI4-Lite"
APB = "APB"

MAPPED = {AXI_LITE: ("AWADDR", "WDATA"), APB: ("PADDR", "PWDATA")}
"""The buses for registers: their ports for addresses and for data that are written."""


@dataclass(frozen=True)
class Bus:
    """A bus of the outermost module.

    Attributes
    ----------
    name : str
        The prefix of its ports.
    kind : str
        ``STREAM``, ``AXI_LITE`` or ``APB``.
    from_host : bool
        Whether the host begins its transfers: the core is the receiver of a stream, or is read and written.
    ports : tuple of (str, Port)
        Each port after its name in the standard, such as ``TDATA``.
    """

    name: str
    kind: str
    from_host: bool
    ports: tuple[tuple[str, Port], ...]

    def port(self, logical: str) -> Port | None:
        """The port with this name in the standard; None if the bus has none."""
        return dict(self.ports).get(logical)


@dataclass(frozen=True)
class Outside:
    """The outermost module of a core.

    Attributes
    ----------
    top : str
        Its name.
    verilog : tuple of str
        The files that it needs, those of inner modules first.
    ports : tuple of Port
        All ports in order.
    clock, reset : str
        The names of both ports: the clock of the core, and its reset.
    reset_high : bool
        Whether the reset is active high.
    clocks : mapping
        The clocks of the host, each with the names of its buses.
    buses : tuple of Bus
    others : tuple of Port
        The ports that belong to no bus, without clock and reset.
    """

    top: str
    verilog: tuple[str, ...]
    ports: tuple[Port, ...]
    clock: str
    reset: str
    reset_high: bool
    clocks: Mapping[str, tuple[str, ...]]
    buses: tuple[Bus, ...]
    others: tuple[Port, ...]

    @property
    def all_clocks(self) -> dict[str, tuple[str, ...]]:
        """All clocks with the names of their buses, that of the core first."""
        elsewhere = {name for names in self.clocks.values() for name in names}
        return {self.clock: tuple(bus.name for bus in self.buses if bus.name not in elsewhere), **self.clocks}

    @property
    def interrupt(self) -> Port | None:
        """The interrupt; None if there is none."""
        return next((port for port in self.others if port.name == "irq"), None)


def outside(description: Description) -> Outside:
    """The outermost module of a core: that around the core and its front end, or the core itself.

    Raises ``ValueError`` if it has not one clock and one reset beside the clocks of the host.
    """
    front = description.front
    told = None if front is None else front.clocks
    of_host = {} if told is None else {one.name: one.buses for one in told.clocks}
    ports = description.ports if front is None else front.ports
    verilog = (description.verilog,) if front is None else (description.verilog, front.verilog)
    clocks = [port.name for port in ports if port.stream == CLOCK and port.name not in of_host]
    if len(clocks) != 2:
        raise ValueError(f"one clock and one reset, not {', '.join(clocks)}")
    buses: list[Bus] = []
    others: list[Port] = []
    for name, members in groupby((port for port in ports if port.stream != CLOCK), lambda port: port.stream):
        group = tuple(members)
        bus = _bus(name, group)
        if bus is None:
            others += group
        else:
            buses.append(bus)
    top = description.top if front is None else front.top
    high = told is not None and told.reset_high
    return Outside(top, verilog, ports, clocks[0], clocks[1], high, of_host, tuple(buses), tuple(others))


def _bus(name: str, group: tuple[Port, ...]) -> Bus | None:
    """The bus of a group of ports; None if it is none."""
    words = {port.name.removeprefix(f"{name}_").upper(): port for port in group}
    if "AWVALID" in words:
        return Bus(name, AXI_LITE, not words["AWVALID"].output, tuple(words.items()))
    if "PSEL" in words:
        return Bus(name, APB, not words["PSEL"].output, tuple(words.items()))
    # LWC has the same handshake, and calls its signals valid, ready, data and last.
    words = {word if word.startswith("T") else f"T{word}": port for word, port in words.items()}
    if {"TVALID", "TREADY"} <= set(words):
        return Bus(name, STREAM, not words["TVALID"].output, tuple(words.items()))
    return None


# -- core file -------------------------------------------------------------------------------------------------------------------------

# The hashes of all files, in the format of ``sha256sum``.

def manifest(hashes: Mapping[str, str]) -> str:
    """The text for ``sha256sum --check``, from the hashes of files by their names."""
    return "".join(f"{value}  {file}\n" for file, value in sorted(hashes.items()))


def read_manifest(text: str) -> dict[str, str]:
    """The hashes by the names of files.  Raises ``ValueError`` if a line has another form."""
    found = {}
    for line in text.splitlines():
        match = re.fullmatch(r"([0-9a-f]{64})  ([^/]+)", line)
        if match is None:
            raise ValueError(f"not a line of sha256sum: {line[:40]}")
        found[match[2]] = match[1]
    return found


def to_json(value: object) -> str:
    """JSON in the format of all files of the project."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def fusesoc(description: Description) -> str:
    """The FuseSoC core file: CAPI 2, with the flow API."""
    name, files = description.name, description.files
    constraints = _constraints(description)
    tools = ("vivado", "quartus", "radiant") if constraints else ()
    of_tools = "".join(f'"tool_{tool} ? (constraints_{tool})", ' for tool in tools)
    return f"""\
CAPI=2:
# SPDX-License-Identifier: Apache-2.0
name: modeloom:modes:{name}:{description.version}
description: {json.dumps(description.summary, ensure_ascii=False)}

filesets:
  rtl:
    files: [{", ".join([files.verilog, *([files.front] if files.front else [])])}]
    file_type: verilogSource-2005
  # The core with interfaces for its buses. A core that depends on this one gets it with the flag "interfaces".
  interfaces:
    files: [{files.interfaces}, {files.wrapper}]
    file_type: systemVerilogSource
{constraints}  lint:
    files: [{files.waivers}]
    file_type: vlt
  bench:
    files: [{files.bench}]
    file_type: systemVerilogSource

parameters:
  dump:
    datatype: str
    description: File for a waveform of the bench (Verilator also needs --verilator_options=--trace)
    paramtype: plusarg
  {ASSERT_MACRO}:
    datatype: bool
    default: true
    description: Check the ports of the core with assertions, and fail the bench if one is broken
    paramtype: vlogdefine

targets:
  # For cores that depend on this one. It has no flow: FuseSoC would add its options to those of the other core.
  default:
    description: The design alone
    filesets: [rtl, {of_tools}"interfaces ? (interfaces)"]
    toplevel: {description.top if description.front is None else description.front.top}
  sim:
    description: The bench in Icarus Verilog
    filesets: [rtl, bench]
    flow: sim
    flow_options:
      tool: icarus
      iverilog_options: [-g2012]
    parameters: [dump, {ASSERT_MACRO}]
    toplevel: {name}_tb
  sim_verilator:
    description: The bench in Verilator, 5.006 or later
    filesets: [rtl, bench]
    flow: sim
    flow_options:
      tool: verilator
      mode: binary
      verilator_options: [--timing]
    parameters: [dump, {ASSERT_MACRO}]
    toplevel: {name}_tb
  lint:
    description: Verilator with all warnings
    filesets: [rtl, lint]
    flow: lint
    flow_options:
      tool: verilator
      verilator_options: [-Wall]
    toplevel: {description.top}
  synth:
    description: Yosys, for UltraScale+; other families with --yosys_synth_options, such as "-family xc7"
    filesets: [rtl]
    flow: generic
    flow_options:
      tool: yosys
      arch: xilinx
      output_format: json
      yosys_synth_options: [-family xcup]
    toplevel: {description.top if description.front is None else description.front.top}
{_front(description)}"""


def _constraints(description: Description) -> str:
    """The files with constraints.  They depend on the tool."""
    files = description.files
    if files.xdc is None:
        return ""
    return f"""\
  # For the paths between clocks. A core that depends on this one gets those of its tool.
  constraints_vivado:
    files: [{files.xdc}]
    file_type: xdc
  constraints_quartus:
    files: [{files.quartus_sdc}]
    file_type: SDC
  constraints_radiant:
    files: [{files.sdc}]
    file_type: SDC
"""


def _front(description: Description) -> str:
    """The targets for the module around the core and its front end."""
    if description.front is None:
        return ""
    what = {"registers": "registers", "width": "converters", "clocks": "clocks of the host"}[description.front.kind]
    return f"""\
  lint_{description.front.kind}:
    description: Verilator with all warnings, for the core with its {what}
    filesets: [rtl, lint]
    flow: lint
    flow_options:
      tool: verilator
      verilator_options: [-Wall]
    toplevel: {description.front.top}
"""


# -- materials ---------------------------------------------------------------------------------------------------------------------

# The bill of materials of a core: CycloneDX 1.6, JSON.
#
# It has no time and no random number, so that the same core has the same bill.

LICENCE = [{"license": {"id": "Apache-2.0"}}]


def bill_of_materials(description: Description, hashes: Mapping[str, str]) -> str:
    """Text of the bill.

    Parameters
    ----------
    description : Description
    hashes : mapping
        SHA-256 of the other files, by name.
    """
    version = description.version
    core = f"pkg:generic/{description.name}@{version}"
    files = [
        {
            "type": "file", "bom-ref": f"file:{file}", "name": file, "hashes": [{"alg": "SHA-256", "content": value}], "licenses": LICENCE,
        }
        for file, value in sorted(hashes.items())
    ]  # fmt: skip
    content: dict[str, object] = {
        "bomFormat": "CycloneDX", "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, ' '.join([core, *sorted(hashes.values())]))}",
        "version": 1,
        "metadata": {
            "tools": {"components": [_tool(name, number) for name, number in (description.versions or {}).items()]},
            "component": {
                "type": "firmware", "bom-ref": core, "name": description.name, "version": version, "description": description.summary,
                "licenses": LICENCE, "purl": core,
                "properties": [
                    {"name": "modeloom:command", "value": description.command},
                    {"name": "modeloom:mode", "value": description.mode},
                    {"name": "modeloom:source", "value": description.source},
                    {"name": "modeloom:cipher", "value": description.cipher},
                    {"name": "modeloom:definition-sha256", "value": description.definition_sha256},
                    {"name": "modeloom:broken", "value": str(description.broken).lower()},
                ],
            },
        },
        "components": files,
        "dependencies": [{"ref": core, "dependsOn": [file["bom-ref"] for file in files]}],
    }  # fmt: skip
    return to_json(content)


def _tool(name: str, version: str) -> dict[str, str]:
    purl = f"pkg:pypi/{PACKAGES.get(name, name)}@{version}"
    return {"type": "application", "bom-ref": f"tool:{name}", "name": name, "version": version, "purl": purl}
