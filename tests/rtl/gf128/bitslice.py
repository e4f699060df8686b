# SPDX-License-Identifier: Apache-2.0
"""A graph of words on many values at once: all pairs of basis blocks in one evaluation.

Each bit of a word is an integer whose bit p belongs to pair p = i * n + j of the pairs (x^i, x^j)::

    bit i' of a    0 … 0 │ 1 … 1 │ 0 … 0        n ones for the n pairs with i = i'
    bit j' of b    …1… │ …1… │ …1…              one of each n pairs

so that a gate is one operation on long integers.
"""

from __future__ import annotations

from collections.abc import Mapping

from modeloom.rtl.gf128.words import Word, topological
from modeloom.spec.field import Field

__all__ = ["basis_products", "evaluate_slices", "expected_products"]


def evaluate_slices(output: Word, values: Mapping[Word, list[int]], ones: int) -> list[int]:
    """The bits of ``output`` for bits of the inputs; ``ones`` is the integer of a bit that is always 1."""
    known: dict[int, list[int]] = {}
    for word in topological(output):
        operands = [known[argument.serial] for argument in word.arguments]
        known[word.serial] = values[word] if word.kind == "input" else _slices(word, operands, ones)
    return known[output.serial]


def _slices(word: Word, operands: list[list[int]], ones: int) -> list[int]:
    match word.kind:
        case "xor":
            return [x ^ y for x, y in zip(*operands, strict=True)]
        case "and":
            return [x & y for x, y in zip(*operands, strict=True)]
        case "merge":
            assert not any(x & y for x, y in zip(*operands, strict=True))
            return [x | y for x, y in zip(*operands, strict=True)]
        case "parity":
            total = 0
            for i, bit in enumerate(operands[0]):
                total ^= bit if word.parameter >> i & 1 else 0
            return [total]
        case "mask":
            return [bit if word.parameter >> i & 1 else 0 for i, bit in enumerate(operands[0])]
        case "anchor":
            return operands[0]
        case "shift":
            moved = [operands[0][i - word.parameter] if 0 <= i - word.parameter < word.width else 0 for i in range(word.width)]
            return moved
        case "slice":
            return operands[0][word.parameter : word.parameter + word.width]
        case "spread":
            return [operands[0][0] if word.parameter >> i & 1 else 0 for i in range(word.width)]
        case "join":
            return [bit for operand in operands for bit in operand]
    assert word.kind == "zero"
    return [0] * word.width


def basis_products(product: Word, a: Word, b: Word, field: Field) -> list[int]:
    """The bits of a product for all pairs of basis blocks."""
    n = field.width
    every = sum(1 << n * i for i in range(n))
    block = (1 << n) - 1
    rows, columns = [0] * n, [0] * n
    for i in range(n):
        rows[field.bit(i)] = block << n * i
        columns[field.bit(i)] = every << i
    return evaluate_slices(product, {a: rows, b: columns}, block * every)


def expected_products(field: Field) -> list[int]:
    """What they are by the field alone: x^i * x^j * x^factor, one remainder for each sum i + j."""
    n = field.width
    sequences = [0] * n
    for k in range(2 * n - 1):
        power = field.x_power(k + field.factor)
        for row in range(n):
            sequences[row] |= (power >> row & 1) << k
    result = [0] * n
    for row, sequence in enumerate(sequences):
        result[field.bit(row)] = sum((sequence >> i & (1 << n) - 1) << n * i for i in range(n))
    return result
