# SPDX-License-Identifier: Apache-2.0
"""Makes the contents of ``core.json`` for a core for messages."""

from __future__ import annotations

import hashlib

from modeloom.ciphers import cipher_of, is_own
from modeloom.compiler.streams import CompiledStream
from modeloom.cores.described import described, key_layout
from modeloom.layers import Stack
from modeloom.product.core import top_ports
from modeloom.product.description import file_names
from modeloom.product.json_form import read
from modeloom.product.messages import PrefixFigures, StreamDescription, StreamExplain
from modeloom.protocol.contract import AssociatedFirst

__all__ = ["cipher_name", "definition_hash", "describe"]


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


def describe(stack: Stack, name: str, command: str) -> StreamDescription:
    """The contents of ``core.json``."""
    compiled, top = stack.compiled, stack.top
    mode, options = compiled.mode, compiled.options
    explain = read(StreamExplain, compiled.explain())
    layout = key_layout(mode, options.key_bits or 0)
    return stack.described(StreamDescription(
        schema=StreamDescription.SCHEMA,
        **described(mode, name, command, file_names(name, listing=False)),
        definition_sha256=definition_hash(compiled),
        options=options.as_dict(),
        cipher=options.cipher or "",
        own_cipher=is_own(cipher_of(mode, options.cipher)) or None,
        key_bytes=sum(part.bytes for part in layout),
        key_layout=layout,
        key_sizes=tuple(mode.key_bytes(bits // 8) for bits in compiled.cipher_request.key_sizes),
        key_slots=top.sizes.key_slots,
        erase_cycles=top.erase_cycles,
        key_erase_cycles=top.key_erase_cycles,
        ports=tuple(port.described for port in top_ports(top.interfaces, top.shape)),
        block_bytes=mode.block_bytes,
        blocks_per_cycle=explain.blocks_per_cycle,
        directions=options.directions,
        nonce_bytes=tuple(map(tuple, mode.nonce_bytes)),
        tag_bytes=tuple(mode.tag_bytes),
        most_associated=mode.most_associated,
        most_text=mode.most_text,
        lengths_first=mode.lengths_first or None,
        most_text_with_nonce=tuple((n, mode.most_text_with(n)) for n in sorted(mode.most_text_with_nonce)) or None,
        associated_prefix=tuple(
            PrefixFigures(least=each.least, marker=each.marker.hex(), nbytes=each.nbytes) for each in compiled.plan.prefixes
        ) or None,
        channels=1,
        packet=AssociatedFirst.name,
        latency=top.latency,
        tokens=explain.tokens,
        cycles=stack.inmost.cycles(True),
        shares_tag=compiled.plan.shares_tag,
        chains=explain.chains,
        explain=explain,
    ))  # fmt: skip
