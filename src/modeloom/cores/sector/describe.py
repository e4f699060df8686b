# SPDX-License-Identifier: Apache-2.0
"""The contents of ``core.json`` for a core for sectors."""

from __future__ import annotations

from modeloom.ciphers import is_own
from modeloom.compiler.compile import Compiled
from modeloom.cores.described import described, key_layout
from modeloom.cores.sector.figures import BUS_CYCLES, beats, definition_hash, interval_pins, latency_pins, overhead_pins
from modeloom.cores.sector.hardware import bus_parameters, erase_cycles, key_erase_cycles
from modeloom.interfaces.sector import sector_interfaces
from modeloom.product.description import file_names
from modeloom.product.json_form import read
from modeloom.product.ports import top_ports
from modeloom.product.sectors import Explain, Pins, SectorDescription, SizeFigures
from modeloom.product.versions import EXACT_TOOLS, versions

__all__ = ["describe"]


def _explain(compiled: Compiled) -> Explain:
    return read(Explain, compiled.explain())


def describe(compiled: Compiled, name: str, command: str) -> SectorDescription:
    """The contents of ``core.json``."""
    mode, options = compiled.mode, compiled.options
    p = bus_parameters(compiled)
    files = file_names(name)
    return SectorDescription(
        schema=SectorDescription.SCHEMA,
        **described(mode, name, command, files, [what for one in compiled.sizes for what in one.source.nonzero.values()])
        | ({"versions": versions(*EXACT_TOOLS)} if options.exact else {}),
        definition_sha256=definition_hash(compiled),
        options=options.as_dict(),
        cipher=compiled.architecture.cipher.name,
        own_cipher=is_own(compiled.architecture.cipher) or None,
        key_bytes=p.keys.packet_bytes,
        key_layout=key_layout(mode, options.key_bits or 0),
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
        lanes=p.data.lanes,
        block_bytes=p.data.block_bytes,
        beats=beats(compiled),
        directions=tuple(options.directions),
        ports=tuple(port.described for port in top_ports(sector_interfaces(options.key_slots), p)),
        pins=Pins(
            interval=interval_pins(compiled), latency_pins=latency_pins(compiled), overhead=overhead_pins(compiled), **BUS_CYCLES
        ),
        explain=_explain(compiled),
    )
