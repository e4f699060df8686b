# SPDX-License-Identifier: Apache-2.0
"""Computes a traced definition node by node on numbers.

This is what the core will do.  It is compared with what the definition does when it runs.  Both are the same unless a definition looks at
the type, the text or the identity of its blocks.  The core would then compute one mode, and the software model, which tests the core,
another.
"""

from __future__ import annotations

from typing import Any

from modeloom.definition.software import Model, to_blocks
from modeloom.ir.graph import Trace
from modeloom.spec import Numbers

__all__ = ["replay"]


def replay(source: Trace, model: Model, direction: str, tweak: bytes, data: bytes) -> list[int]:
    """The blocks that one direction of a trace gives for a sector, with the key of a model.  Raises ``InputError`` if the key is
    refused."""
    o = model.operations()
    run = _Run(source, o, model.key_blocks, to_blocks(tweak, source.block_bytes), to_blocks(data, source.block_bytes))
    for made in source.derived:
        o.cipher_key(*(run.value(i) for i in made))
    return [run.value(i) for i in source.outputs[direction]]


class _Run:
    def __init__(self, source: Trace, o: Numbers, parts: dict[str, int], tweak: Any, blocks: Any):
        self.source, self.o = source, o
        self.leaves: dict[str, Any] = {"block": blocks, "tweak": tweak, "raw": parts}
        self.values: dict[int, int] = {}

    def value(self, root: int) -> int:
        """Value of a node, after those that it needs."""
        stack = [root]
        while stack:
            i = stack[-1]
            missing = [j for j in self.source.nodes[i].inputs if j not in self.values]
            if i not in self.values and not missing:
                self.values[i] = self._compute(i)
            if missing:
                stack += missing
            else:
                stack.pop()
        return self.values[root]

    def _compute(self, i: int) -> int:
        node, o = self.source.nodes[i], self.o
        kind, args = node.kind, node.args
        if kind in self.leaves:
            return self.leaves[kind][args[0]]
        if kind == "const":
            return args[0]
        values = [self.values[j] for j in node.inputs]
        if kind == "xor":
            return values[0] ^ values[1]
        if kind == "scale":
            return o.double(values[0], args[1])
        if kind == "keep":
            return o.head(values[0], args[1]) if args[1] > 0 else o.tail(values[0], -args[1])
        if operation := node.operation:
            return operation.on_numbers(o, values, node.number)
        if kind == "inverse":
            return o.inverse(values[0], self.source.nonzero[args[0]])
        if kind == "power":
            return o.power(values[0], args[1])
        if kind == "poly":
            h, last, *blocks = values
            return o.poly(h, blocks, last)
        raise ValueError(f"no meaning is known for a node {kind!r}")
