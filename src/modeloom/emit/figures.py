# SPDX-License-Identifier: Apache-2.0
"""Cycles as the pins show them.

::

    s_axis   b0 b1 .. bl                                        l = beats - 1
                      └─ 3 ─▶ entry ─ 6 ─▶ cycle 0 of the program
                                           └─ latency ─▶ done ─ 5 ─▶ first beat
    m_axis                                                           b0 b1 .. bl
             ├──────────────────── latency_pins ──────────────────────────────┤
"""

from __future__ import annotations

import hashlib
from typing import Any

__all__ = ["BUS_CYCLES", "beats", "cipher_name", "definition_hash", "interval_pins", "latency_pins", "overhead_pins"]

BUS_CYCLES = {"last_beat_to_entry": 3, "command_to_entry": 4, "entry_to_program": 6, "done_to_first_beat": 5}
"""Fixed cycles around a program: from a sector's last input beat, and from its command, to its entry into an engine that is idle,
from there to cycle 0 of the program, and from its last cycle to the first beat out."""


def beats(compiled: Any) -> int:
    """Beats of a sector on the data buses."""
    return -(-compiled.source.blocks // compiled.allocation.program.lanes)


def overhead_pins(compiled: Any) -> int:
    """Cycles of ``latency_pins`` that are not the program's: those of the buses, and the beats themselves."""
    last = beats(compiled) - 1
    entry = max(last + BUS_CYCLES["last_beat_to_entry"], BUS_CYCLES["command_to_entry"])
    return entry + BUS_CYCLES["entry_to_program"] + BUS_CYCLES["done_to_first_beat"] + last


def latency_pins(compiled: Any) -> int:
    """Cycles from the handshake of the first input beat to that of the last output beat, for a lone sector.

    The core is idle, the command is there with the first beat at the latest, neither side pauses.
    """
    return int(compiled.schedule.latency) + overhead_pins(compiled)


def interval_pins(compiled: Any) -> int:
    """Cycles between the first output beats of sectors that follow each other without a pause."""
    return max(int(compiled.schedule.ii), beats(compiled))


def cipher_name(compiled: Any) -> str:
    """The cipher with the bits of its keys, such as AES-128, and keys that have others: AES-128 (S: AES-256)."""
    cipher, trace = compiled.options.cipher.upper(), compiled.source
    others = ", ".join(f"{name}: {cipher}-{bits}" for name, bits in zip(trace.cipher_keys, trace.cipher_bits) if bits)
    return f"{cipher}-{compiled.options.key_bits}" + (f" ({others})" if others else "")


def definition_hash(compiled: Any) -> str:
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
