# SPDX-License-Identifier: Apache-2.0
"""Rewrites ``poly`` and ``power`` into products.

X_1 h^m + ... + X_m h becomes, with c chains::

    key-only X_i                     one key value, the sum of X_i h^e_i
    X_i at the same power in two     a product with h^e_i of its own, shared by both
    polynomials (a tweak's blocks)
    the rest, exponent e             chain e mod c: ((X_a h^c + X_b) h^c + ...) h^e_last

The number of products is that of Horner's rule, or smaller if products are shared.

If there is a squaring unit, a product a * a of key values becomes ``sqr a``: brw2013, section 3, "squares computed on the fly".
"""

from __future__ import annotations

from collections import Counter

from modeloom.ir.graph import Trace, reached
from modeloom.ir.trace import Tracer
from modeloom.spec.kinds import MUL, SQR

__all__ = ["expand"]


def expand(trace: Trace, chains: int, squares: bool = False) -> Trace:
    """The same graph without ``poly`` and ``power`` nodes.

    Parameters
    ----------
    chains : int
        Number of interleaved Horner chains for a polynomial whose key the set-up computes.  Other polynomials have one chain.
    squares : bool
        Whether squares of key values become ``sqr`` nodes instead of products.
    """
    if chains < 1:
        raise ValueError(f"chains must be at least 1, not {chains}")
    result = Trace(
        trace.mode, trace.field, trace.nbytes, trace.tweak_bytes, trace.block_bytes, raw_names=trace.raw_names,
        cipher_keys=trace.cipher_keys, cipher_bits=trace.cipher_bits, file=trace.file, text=trace.text,
    )  # fmt: skip
    rewriter = _Rewriter(trace, Tracer(result, trace.block_bytes), chains, squares)
    for direction, outputs in trace.outputs.items():
        result.outputs[direction] = rewriter.direction(outputs)
    result.derived = [tuple(rewriter.direction(list(blocks))) for blocks in trace.derived]
    rewriter.direction(sorted(trace.nonzero))
    result.nonzero = {rewriter.done[i]: what for i, what in trace.nonzero.items()}
    result.key_names = {rewriter.done[i]: name for i, name in trace.key_names.items() if i in rewriter.done}
    return result


class _Rewriter:
    def __init__(self, trace: Trace, tracer: Tracer, chains: int, squares: bool):
        self.old = trace.nodes
        self.o = tracer
        self.chains = chains
        self.squares = squares
        self.done: dict[int, int] = {}
        self.shared: Counter[tuple[int, int, int, int]] = Counter()

    def direction(self, outputs: list[int]) -> list[int]:
        needed = sorted(reached(self.old, outputs))
        self.shared = Counter()
        for i in needed:
            if self.old[i].kind == "poly":
                h, last, *blocks = self.old[i].args
                self.shared.update((h, last, x, len(blocks) - j) for j, x in enumerate(blocks))
        for i in needed:
            if i not in self.done:
                self.done[i] = self.rewrite(i)
        return [self.done[i] for i in outputs]

    def rewrite(self, i: int) -> int:
        node = self.old[i]
        self.o.line = node.line
        if node.kind == "power":
            return self.power(self.done[node.args[0]], node.args[1])
        if node.kind == "poly":
            return self.poly(node.args[0], node.args[1], node.args[2:])
        if node.kind == "inverse":
            return self.inverse(self.done[node.args[0]])
        inputs = tuple(self.done[j] for j in node.inputs)
        if node.kind == MUL:
            return self.mul(*inputs)
        if node.kind == "xor" or (node.operation and node.operation.commutes):
            inputs = tuple(sorted(inputs))
        return self.o.node(node.kind, *(inputs + node.args[len(inputs) :]))

    def power(self, h: int, e: int) -> int:
        if e == 1:
            return h
        half = self.power(h, e // 2)
        return self.mul(half, half) if e % 2 == 0 else self.mul(self.power(h, e - 1), h)

    def times(self, h: int, e: int, last: int) -> int:
        """h^(e-1) last, the factor of a block that is e places from the end."""
        if last == h or e == 1:
            return self.power(h, e) if last == h else last
        return self.mul(self.power(h, e - 1), last)

    def inverse(self, a: int) -> int:
        """a^(2^n - 2), with n - 1 squarings and few products (Itoh, Tsujii 1988): b_i = a^(2^i - 1), b_(i+j) = b_i^(2^j) b_j."""
        n = self.o.trace.field.width

        def step(i: int, x: int) -> int:
            for _ in range(i):
                x = self.scratch(self.mul(x, x))
            return x

        done, b = 1, a
        for bit in bin(n - 1)[3:]:
            b, done = self.scratch(self.mul(step(done, b), b)), 2 * done
            if bit == "1":
                b, done = self.scratch(self.mul(step(1, b), a)), done + 1
        result = self.mul(b, b)
        self.o.trace.scratch.discard(result)
        return result

    def scratch(self, i: int) -> int:
        self.o.trace.scratch.add(i)
        return i

    def mul(self, a: int, b: int) -> int:
        if self.squares and a == b and self.o.trace.nodes[a].key_only:
            return self.o.node(SQR, a)
        return self.o.node(MUL, min(a, b), max(a, b))

    def add(self, a: int | None, b: int) -> int:
        return b if a is None else self.o.node("xor", min(a, b), max(a, b))

    def poly(self, old_h: int, old_last: int, blocks: tuple[int, ...]) -> int:
        h, last_h, m = self.done[old_h], self.done[old_last], len(blocks)
        if not (self.o.trace.nodes[h].key_only and self.o.trace.nodes[last_h].key_only):
            product: int | None = None
            for j, x in enumerate(blocks):
                product = self.mul(self.add(product, self.done[x]), h if j < m - 1 else last_h)
            assert product is not None
            return product
        fixed: int | None = None
        single: int | None = None
        rest: list[tuple[int, int]] = []
        for j, x in enumerate(blocks):
            e = m - j
            if self.o.trace.nodes[self.done[x]].key_only:
                fixed = self.add(fixed, self.mul(self.done[x], self.times(h, e, last_h)))
            elif self.shared[old_h, old_last, x, e] > 1:
                single = self.add(single, self.mul(self.done[x], self.times(h, e, last_h)))
            else:
                rest.append((e, self.done[x]))
        chains = min(self.chains, len(rest)) or 1
        total: int | None = None
        # Chains end in the order of their last block, the highest remaining power first: later sums wait for later blocks.
        for last in sorted({e % chains for e, _ in rest}, key=lambda c: (c - 1) % chains, reverse=True):
            chain = [(e, x) for e, x in rest if e % chains == last]
            acc, below = chain[0][1], chain[0][0]
            for e, x in chain[1:]:
                acc = self.add(self.mul(acc, self.power(h, below - e)), x)
                below = e
            total = self.add(total, self.mul(acc, self.times(h, below, last_h)))
        for part in (single, fixed):
            if part is not None:
                total = self.add(total, part)
        assert total is not None
        return total
