# SPDX-License-Identifier: Apache-2.0
"""Figures for the files of a core: cycles at its pins (``modeloom.cycles`` has the drawing), its cipher and its definition."""

from __future__ import annotations

import hashlib

from modeloom import cycles
from modeloom.compiler.compile import Compiled
from modeloom.compiler.work import Work

__all__ = ["BUS_CYCLES", "beats", "cipher_name", "definition_hash", "interval_pins", "latency_pins", "overhead_pins"]

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
