# SPDX-License-Identifier: Apache-2.0
"""Facts that several files of a core for messages state: its cipher, its keys, its directions, and the hash of its definition."""

from __future__ import annotations

import hashlib

from modeloom.compiler.streams import CompiledStream
from modeloom.layers import Stack

__all__ = ["cipher_name", "definition_hash", "directions", "key_sizes"]


def key_sizes(compiled: CompiledStream) -> tuple[int, ...]:
    """The sizes, in bytes, of the keys that the core takes."""
    return Stack(compiled).top.key_sizes


def directions(compiled: CompiledStream) -> tuple[str, ...]:
    """The directions that the core has."""
    return compiled.options.directions


def cipher_name(compiled: CompiledStream) -> str:
    """The cipher with the length of its keys in bits, such as AES-128."""
    return f"{(compiled.options.cipher or '').upper()}-{'/'.join(map(str, sorted(compiled.cipher_request.key_sizes)))}"


def definition_hash(compiled: CompiledStream) -> str:
    """The SHA-256, in hexadecimal, of the traced definition: its field, sizes, nodes, steps, and the names of key values."""
    trace, mode, options = compiled.plan.trace, compiled.mode, compiled.options
    field = mode.field
    lines = [
        f"stream mode {mode.name}", f"field {field.name} {field.width} {field.modulus:#x}", f"block {mode.block_bytes}",
        "nonces " + " ".join(map(str, mode.nonce_bytes)), f"tags {mode.tag_bytes}", f"most {mode.most_associated} {mode.most_text}",
        "key " + " ".join(mode.key_parts), "cipher " + " ".join(map(str, (options.cipher, options.key_bits, *options.more_key_bits))),
        "state " + " ".join(trace.state),
    ]  # fmt: skip
    lines += [f"{node.id} {node.kind} {' '.join(map(str, node.args))}" for node in trace.nodes]
    for step in trace.steps:
        updates = " ".join(f"{name}={node}" for name, node in sorted(step.updates.items()))
        second = "" if step.second is None else f" {step.second}"
        lines.append(f"step {step.name} {step.nonce_class} {updates} output {step.output}{second}")
    for derivation in compiled.derived.derivations if compiled.derived is not None else ():
        lines += [f"derive {derivation.nbytes} {derivation.operands} {derivation.blocks}"]
    lines += [f"value {node} {name}" for node, name in sorted(trace.key_names.items())]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
