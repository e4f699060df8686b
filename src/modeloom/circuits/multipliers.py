# SPDX-License-Identifier: Apache-2.0
"""Multipliers of GF(2^128) as circuits: gcm2008, chapter 3."""

from __future__ import annotations

from random import Random

from modeloom.circuits.contract import Built, Circuit, Gates, Operation, Option
from modeloom.rtl.gf128.karatsuba import KaratsubaMultiplier, polynomial_product
from modeloom.rtl.gf128.words import Word, gate_counts
from modeloom.spec.field import GHASH_ORDER

__all__ = ["CIRCUITS"]


def _karatsuba(halt: int, stages: int, *, refined: bool) -> Built:
    field = GHASH_ORDER
    a, b = Word.input(field.width), Word.input(field.width)
    product = polynomial_product(a, b, halt, refined=refined)
    ands, xors = gate_counts(product)

    def operation(random: Random) -> Operation:
        a, b = random.getrandbits(field.width), random.getrandbits(field.width)
        return Operation([{"a": a, "b": b}], [{"o": field.mul(a, b)}])

    component = KaratsubaMultiplier(field, stages, halt, refined=refined)
    return Built(component, operation, Gates(ands, xors, product.depth))


_HALT = Option("halt", 16, "pieces of at most this many bits are multiplied by the schoolbook", choices=(2, 4, 8, 16, 32, 64))
_STAGES = Option("stages", 0, "pipeline registers", high=16)

CIRCUITS = (
    Circuit(
        "karatsuba", "Karatsuba multiplier", "gcm2008, section 3.3", (_HALT, _STAGES),
        lambda halt, stages: _karatsuba(halt, stages, refined=False),
    ),
)  # fmt: skip
