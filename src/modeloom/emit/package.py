# SPDX-License-Identifier: Apache-2.0
"""``core.json``, which says everything about a core to programs, and its FuseSoC package."""

from __future__ import annotations

import json
from importlib import metadata
from typing import Any

from modeloom.cores.sector import bus_parameters, erase_cycles, key_erase_cycles
from modeloom.emit.figures import BUS_CYCLES, beats, definition_hash, interval_pins, latency_pins, overhead_pins
from modeloom.emit.top import top_ports
from modeloom.product.description import ASSERT_MACRO, Description, KeyPart, Port, file_names
from modeloom.product.json_form import read
from modeloom.product.sectors import Explain, Pins, SectorDescription, SizeFigures
from modeloom.version import VERSION

__all__ = ["describe", "fusesoc", "key_layout", "to_json", "versions"]


def versions() -> dict[str, str]:
    """Versions of what decides the bytes of a core: this project, Yosys (as pyosys packs it) and Amaranth."""
    return {"modeloom": VERSION, "yosys": metadata.version("pyosys"), "amaranth": metadata.version("amaranth")}


def key_layout(compiled: Any) -> tuple[KeyPart, ...]:
    """Parts of the key with their place in its bytes."""
    parts = []
    at = 0
    for part in compiled.mode.key_parts:
        length = compiled.mode.part_bytes(part, compiled.options.key_bits // 8)
        parts.append(KeyPart(name=part, offset=at, bytes=length))
        at += length
    return tuple(parts)


def _explain(compiled: Any) -> Explain:
    return read(Explain, compiled.explain())


def describe(compiled: Any, name: str, command: str) -> SectorDescription:
    """The contents of ``core.json``."""
    mode, options = compiled.mode, compiled.options
    p = bus_parameters(compiled)
    files = file_names(name)
    return SectorDescription(
        schema=SectorDescription.SCHEMA,
        version=VERSION,
        versions=versions(),
        command=command,
        name=name,
        top=name,
        verilog=files.verilog,
        listing=files.listing,
        files=files,
        mode=mode.name,
        definition=mode.place or mode.name,
        title=mode.title,
        source=mode.source,
        security=mode.security,
        broken=mode.broken,
        definition_sha256=definition_hash(compiled),
        options=options.as_dict(),
        cipher=options.cipher,
        key_bytes=p.key_bytes,
        key_parts=tuple(mode.key_parts),
        refused_keys=mode.refused_keys,
        key_layout=key_layout(compiled),
        key_slots=options.key_slots,
        erase_cycles=erase_cycles(compiled),
        key_erase_cycles=key_erase_cycles(compiled),
        sector_bytes=compiled.source.nbytes,
        sizes=tuple(
            SizeFigures(
                sector_bytes=one.source.nbytes,
                blocks=one.source.blocks,
                beats=beats(one),
                interval=interval_pins(one),
                latency_pins=latency_pins(one),
                explain=_explain(one),
            )
            for one in compiled.sizes
        ),
        blocks=compiled.source.blocks,
        tweak_bytes=compiled.source.tweak_bytes,
        lanes=p.lanes,
        block_bytes=p.block_bytes,
        beats=beats(compiled),
        directions=tuple(options.directions),
        ports=tuple(
            Port(name=port.name, direction="output" if port.output else "input", width=port.width, stream=port.stream)
            for port in top_ports(p)
        ),
        pins=Pins(
            interval=interval_pins(compiled), latency_pins=latency_pins(compiled), overhead=overhead_pins(compiled), **BUS_CYCLES
        ),
        explain=_explain(compiled),
    )


def to_json(value: Any) -> str:
    """JSON as all files of the project have it."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def fusesoc(description: Description) -> str:
    """The FuseSoC core file: CAPI 2, with the flow API."""
    name, files = description.name, description.files
    return f"""\
CAPI=2:
# SPDX-License-Identifier: Apache-2.0
name: modeloom:modes:{name}:{description.version}
description: {json.dumps(description.summary, ensure_ascii=False)}

filesets:
  rtl:
    files: [{files.verilog}]
    file_type: verilogSource-2005
  lint:
    files: [{files.waivers}]
    file_type: vlt
  bench:
    files: [{files.bench}]
    file_type: systemVerilogSource

parameters:
  dump:
    datatype: str
    description: File for a waveform of the bench (with Verilator, give --verilator_options=--trace, too)
    paramtype: plusarg
  {ASSERT_MACRO}:
    datatype: bool
    default: true
    description: Watch the ports of the core, and fail the bench for errors
    paramtype: vlogdefine

targets:
  # Another core that depends on this one gets the design alone; run by itself it is its bench.
  default:
    description: The bench in Icarus Verilog
    filesets: [rtl, "is_toplevel ? (bench)"]
    flow: sim
    flow_options:
      tool: icarus
      iverilog_options: [-g2012]
    parameters: ["is_toplevel ? (dump)", "is_toplevel ? ({ASSERT_MACRO})"]
    toplevel: {name}_tb
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
"""
