# SPDX-License-Identifier: Apache-2.0
"""The contents of ``core.json`` for a core for sectors."""

from __future__ import annotations

import hashlib

from modeloom import cycles
from modeloom.ciphers import is_own
from modeloom.compiler.compile import Compiled, Work
from modeloom.cores.described import described, key_layout
from modeloom.cores.sector.hardware import bus_parameters, erase_cycles, key_erase_cycles
from modeloom.interfaces.sector import sector_interfaces
from modeloom.product.beats import Explain, Pins, SectorDescription, SizeFigures
from modeloom.product.core import top_ports
from modeloom.product.description import EXACT_TOOLS, file_names, versions
from modeloom.product.json_form import read

__all__ = ["BUS_CYCLES", "beats", "cipher_name", "definition_hash", "describe", "interval_pins", "latency_pins", "overhead_pins"]

# Figures for the files of a core: cycles at its pins (``modeloom.cycles`` has the drawing), its cipher and its definition.

BUS_CYCLES = {
    "last_beat_to_entry": cycles.LAST_BEAT_TO_ENTRY,
    "command_to_entry": cycles.COMMAND_TO_ENTRY,
    "entry_to_program": cycles.LEAD,
    "done_to_first_beat": cycles.DONE_TO_FIRST_BEAT,
}
"""Fixed numbers of cycles before and after a program, by their names in ``core.json``."""


def beats(compiled: Compiled) -> int:
    """Number of beats of a sector on the data buses."""
    return -(-compiled.source.blocks // compiled.allocation.program.lanes)


def overhead_pins(compiled: Compiled) -> int:
    """``cycles.overhead_pins`` of a compiled mode."""
    return cycles.overhead_pins(beats(compiled))


def latency_pins(compiled: Compiled) -> int:
    """``cycles.latency_pins`` of a compiled mode."""
    return cycles.latency_pins(compiled.schedule.latency, beats(compiled))


def interval_pins(compiled: Compiled) -> int:
    """``cycles.interval_pins`` of a compiled mode."""
    return cycles.interval_pins(compiled.schedule.ii, beats(compiled))


def cipher_name(compiled: Compiled) -> str:
    """The cipher with its key size, such as AES-128.  Keys of other sizes follow in brackets: AES-128 (S: AES-256)."""
    cipher, trace = compiled.architecture.cipher.name.upper(), compiled.source
    others = ", ".join(f"{name}: {cipher}-{bits}" for name, bits in zip(trace.cipher_keys, trace.cipher_bits) if bits)
    return f"{cipher}-{compiled.options.key_bits}" + (f" ({others})" if others else "")


def definition_hash(compiled: Compiled | Work) -> str:
    """SHA-256, in hexadecimal, of the traced definition: field, sizes, nodes, outputs, names of key values."""
    trace = compiled.source
    field = trace.field
    lines = [
        f"mode {trace.mode}", f"field {field.name} {field.width} {field.modulus:#x}",
        f"sector {trace.nbytes} tweak {trace.tweak_bytes} block {trace.block_bytes}",
        "key " + " ".join(compiled.mode.key_parts), f"cipher {compiled.options.cipher} {compiled.options.key_bits}",
        *(f"cipher key {name} {bits}" for name, bits in zip(trace.cipher_keys, trace.cipher_bits) if bits),
    ]  # fmt: skip
    lines += [f"{node.id} {node.kind} {' '.join(map(str, node.args))}" for node in trace.nodes]
    lines += [f"{direction} {' '.join(map(str, ids))}" for direction, ids in trace.outputs.items()]
    lines += [f"value {node} {name}" for node, name in sorted(trace.key_names.items())]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


# -- describe ----------------------------------------------------------------------------------------------------------------------

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
