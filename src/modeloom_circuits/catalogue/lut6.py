# SPDX-License-Identifier: Apache-2.0
"""The multiplier of GF(2^128) with a structure for LUTs."""

from __future__ import annotations

from random import Random

from modeloom.rtl.gf128.lut6 import LutMultiplier
from modeloom_circuits.contract import FIELD_OPTION, FIELDS, Built, Circuit, Operation, Option

__all__ = ["CIRCUITS"]


def _lut6(stages: int, lut_inputs: int, halt: int, field: str) -> Built:
    order = FIELDS[field]
    component = LutMultiplier(order, stages, inputs=lut_inputs, halt=halt)

    def operation(random: Random) -> Operation:
        a, b = random.getrandbits(order.width), random.getrandbits(order.width)
        return Operation([{"a": a, "b": b}], [{"o": order.mul(a, b)}])

    return Built(component, operation, figures={"structure_luts": component.luts, "structure_levels": component.levels})


CIRCUITS = (
    Circuit(
        "lut6", "multiplier of sums that fill LUTs", "Karatsuba on lists of products, after Bernstein, CRYPTO 2009, section 2",
        (
            Option("stages", 0, "Pipeline registers", high=16),
            Option("lut_inputs", 6, "Inputs of a LUT (default: those of the target, if it has LUTs)", choices=(4, 6), on_luts={4: 4, 6: 6}),
            Option("halt", 8, "Pieces of at most this many bits are multiplied by the schoolbook method", choices=(2, 4, 8, 16, 32, 64)),
            FIELD_OPTION,
        ),
        _lut6,
    ),
)  # fmt: skip
