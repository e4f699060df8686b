# SPDX-License-Identifier: Apache-2.0
"""The S-box of AES with few gates.

The method is that of J. Boyar and R. Peralta, A new combinational logic minimization technique with applications to cryptology, SEA 2010:
inversion in GF((2^4)^2) between two linear layers, with 32 ANDs in total.  A search finds few XORs for every linear part.  The circuits
come from ``tools/compact_sbox.py``, which derives them from the fields.  They are data, and tests prove them for all 256 values::

    gates    forward          inverse          both
    here     32 + 76 = 108    32 + 76 = 108    42 + 125 = 167    AND + XOR; an AND may have inverted inputs
    there    32 + 83 = 115    121                                AND + XOR; an AND has none: 111 here

The form for both directions has the same linear stage before and after the forward circuit S::

    i ──▶ g ──▶ S ──▶ g ──▶ o        g(x) = x,                         if inverse = 0
                                     g(x) = B x + c = A^-1 (x + 63),   if inverse = 1

S is an inversion followed by the affine map x -> A x + 63.  For the inverse S-box, g(x) = B x + c removes this map before and after it.
The matrix of B x + x has rank 5, so g needs only five ANDs with ``inverse``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from modeloom.rtl.aes.sboxes.compact_gates import CIRCUITS
from modeloom.rtl.aes.sboxes.composite import AFFINE, AFFINE_CONSTANT, check_direction
from modeloom.rtl.logic.gates import Gate, GateList, GateListBuilder
from modeloom.rtl.logic.linear_layers import add_linear, apply, inverse_matrix, rank

__all__ = ["compact_sbox"]

_OPERATIONS = {"^": "xor", "=": "xnor", "&": "and", "~": "not"}


@cache
def compact_sbox(direction: str = "forward") -> GateList:
    """The gates of the S-box, its inverse, or both.

    Parameters
    ----------
    direction : str
        ``forward``, ``inverse``, or ``both`` with a ninth input, which is 1 for the inverse.

    Raises
    ------
    ValueError
        There is no such direction.
    """
    check_direction(direction)
    if direction == "both":
        return _both()
    gates, outputs = CIRCUITS[direction]
    parsed = [Gate(_OPERATIONS[word[0]], tuple(map(int, word[1:].split(",")))) for word in gates.split()]
    return GateList(8, parsed, outputs)


def _both() -> GateList:
    builder = GateListBuilder(9)
    signals = _undone(builder, range(8))
    number = dict(enumerate(signals))
    forward = compact_sbox("forward")
    for signal, (operation, operands) in enumerate(forward.gates, 8):
        number[signal] = builder.add(operation, *(number[operand] for operand in operands))
    return builder.finish(_undone(builder, [number[output] for output in forward.outputs]))


def _undone(builder: GateListBuilder, signals: Sequence[int]) -> list[int]:
    """g of eight signals.  Input 8 is ``inverse``."""
    inverse = inverse_matrix(AFFINE)
    rows = [row ^ 1 << n for n, row in enumerate(inverse)]
    constant = apply(inverse, AFFINE_CONSTANT)
    # The rows whose sums are gated.  Each other row is a sum of some of them.
    chosen: list[int] = []
    for n in range(8):
        if rank([rows[m] for m in [*chosen, n]]) > len(chosen):
            chosen.append(n)
    gated = []
    for n, signal in zip(chosen, add_linear(builder, signals, [rows[n] for n in chosen]), strict=True):
        gated.append(builder.conjunction(8, builder.invert(signal) if constant >> n & 1 else signal))
    # Row n in terms of the gated ones, and whether its constant then needs ``inverse`` itself.
    terms = []
    for n in range(8):
        choice = next(v for v in range(1 << len(chosen)) if _sum([rows[m] for m in chosen], v) == rows[n])
        offset = sum(constant >> m & 1 for k, m in enumerate(chosen) if choice >> k & 1) + (constant >> n & 1) & 1
        terms.append(choice | offset << len(chosen))
    sums = add_linear(builder, [*gated, 8], terms)
    return [builder.xor(signal, term) for signal, term in zip(signals, sums, strict=True)]


def _sum(rows: Sequence[int], choice: int) -> int:
    total = 0
    for n, row in enumerate(rows):
        total ^= row * (choice >> n & 1)
    return total
