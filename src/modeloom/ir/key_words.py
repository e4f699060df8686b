# SPDX-License-Identifier: Apache-2.0
"""Selects the key values that are words of the key memory, and names them.

::

    raw words of the host ── set-up ──▶ products and cipher calls on key values ──▶ words, in the order of their nodes
"""

from __future__ import annotations

from modeloom.ir.graph import Trace

__all__ = ["key_words"]


class _Namer:
    """Names of key values: those from the set-up, powers of these, and numbers for the rest."""

    def __init__(self, trace: Trace):
        self.trace = trace
        self.names: dict[int, str] = {}
        self.used: set[str] = set()
        self.exponents: dict[int, tuple[int, int]] = {}

    def name(self, i: int) -> str:
        if i not in self.names:
            node = self.trace.nodes[i]
            given = node.args[0] if node.kind == "raw" else self.trace.key_names.get(i)
            if given is None:
                base, e = self._power(i)
                inverse = e == (1 << self.trace.field.width) - 2
                given = f"{self.name(base)}^{-1 if inverse else e}" if e > 1 else f"k{i}"
            if given in self.used:
                given = f"{given}_{i}"
            self.used.add(given)
            self.names[i] = given
        return self.names[i]

    def _power(self, i: int) -> tuple[int, int]:
        if i not in self.exponents:
            node = self.trace.nodes[i]
            self.exponents[i] = (i, 1)
            if node.factors and i not in self.trace.nonzero:
                (a, e), (b, f) = map(self._power, node.factors)
                if a == b:
                    self.exponents[i] = (a, e + f)
        return self.exponents[i]


def key_words(trace: Trace) -> tuple[list[int], dict[int, str]]:
    """Key-memory words: the nodes that set-up computes (in order), and the name of each node that has one.

    Every product or cipher call on key values only gets a word, and so does every sum of them that a direction reads.  A square gets none,
    because its readers square the value below it.  Multiples x^k get none, because they are wires or steps of a chain.
    """
    namer = _Namer(trace)
    nodes = trace.nodes
    read = [i for outputs in trace.outputs.values() for i in outputs]
    read += [i for node in nodes if not node.key_only for i in node.inputs]
    wanted: set[int] = {*trace.nonzero, *(i for blocks in trace.derived for i in blocks)}
    for i in read:
        while nodes[i].kind == "scale" or nodes[i].of_keys:
            i = nodes[i].args[0]
        if nodes[i].key_only and nodes[i].kind != "const":
            wanted.add(i)
    computed: set[int] = set()
    stack = sorted(wanted)
    while stack:
        i = stack.pop()
        if i in computed or nodes[i].kind in ("const", "raw"):
            continue
        computed.add(i)
        stack.extend(nodes[i].inputs)
    order = [i for i in sorted(computed) if (nodes[i].worded and i not in trace.scratch) or i in wanted]
    names = {node.id: namer.name(node.id) for node in nodes if node.kind == "raw"}
    names.update({i: namer.name(i) for i in order})
    return order, names
