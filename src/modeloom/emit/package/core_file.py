# SPDX-License-Identifier: Apache-2.0
"""The FuseSoC package of a core, and the JSON format of all files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from uuid import NAMESPACE_URL, uuid5

from modeloom.product.description import ASSERT_MACRO, PACKAGES, Description

__all__ = ["bill_of_materials", "fusesoc", "manifest", "read_manifest", "to_json"]


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


# -- core file ---------------------------------------------------------------------------------------------------------------------

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
