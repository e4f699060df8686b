# SPDX-License-Identifier: Apache-2.0
"""Traces evaluated on numbers: what a graph of nodes computes, with and without ``poly``, ``power`` and ``inverse``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from modeloom.ciphers import cipher_of
from modeloom.definition.software import to_blocks, to_bytes
from modeloom.ir.graph import Trace
from modeloom.spec import CipherKey, Mode, Numbers


class Values:
    """Values of the nodes of a trace under a whole key of the mode."""

    def __init__(self, mode: Mode, made: Trace, key: bytes):
        cipher = cipher_of(mode)
        parts = mode.split_key(key, tuple(bits // 8 for bits in sorted(cipher.key_bits)))
        self.made = made
        self.raw = {name: int.from_bytes(parts[name], "little") for name in made.raw_names}
        secrets = [parts[name] for name in mode.cipher_keys]
        self.o = Numbers(mode.field, [cipher.software(secret) for secret in secrets], cipher.software, len(secrets[0]))
        for blocks in made.derived:
            self.o.cipher_key(*(self.nodes([], [])[i] for i in blocks))

    def nodes(self, blocks: Sequence[int], tweaks: Sequence[int]) -> dict[int, int]:
        """Every node that these inputs, the host's key and the cipher keys made so far give."""
        o, values = self.o, {}
        given = {"block": dict(enumerate(blocks)), "tweak": dict(enumerate(tweaks)), "raw": self.raw}
        for node in self.made.nodes:
            args: Any = node.args
            if node.kind in given:
                if args[0] in given[node.kind]:
                    values[node.id] = given[node.kind][args[0]]
            elif node.kind == "const":
                values[node.id] = args[0]
            elif all(i in values for i in node.inputs) and not (node.kind in ("enc", "dec") and args[1] >= len(o.ciphers)):
                values[node.id] = self._value(node.kind, [values[i] for i in node.inputs], args)
        return values

    def _value(self, kind: str, inputs: list[int], args: tuple) -> int:
        o, first = self.o, inputs[0]
        if kind in ("enc", "dec"):
            return getattr(o, kind)(first, CipherKey(args[1]))
        if kind == "keep":
            return o.head(first, args[1]) if args[1] > 0 else o.tail(first, -args[1])
        if kind == "poly":
            return o.poly(first, inputs[2:], inputs[1])
        simple = {
            "xor": lambda: first ^ inputs[1],
            "scale": lambda: o.double(first, args[1]),
            "add": lambda: o.add32(first, args[1]),
            "mul": lambda: o.mul(first, inputs[1]),
            "sqr": lambda: o.mul(first, first),
            "power": lambda: o.power(first, args[1]),
            "inverse": lambda: o.inverse(first, "it"),
        }
        return simple[kind]()

    def run(self, direction: str, tweak: bytes, data: bytes) -> bytes:
        """A sector."""
        size = self.made.block_bytes
        values = self.nodes(list(to_blocks(data, size)), list(to_blocks(tweak, size)))
        return to_bytes([values[i] for i in self.made.outputs[direction]], len(data), size)
