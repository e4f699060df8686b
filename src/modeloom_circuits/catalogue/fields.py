# SPDX-License-Identifier: Apache-2.0
"""Circuits of GF(2^128): multipliers, the squarer, and polynomial hashes on a pipelined multiplier."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from amaranth.lib.wiring import Component

from modeloom.rtl.gf128.fan_hasan import (
    APPROACHES,
    FORMS,
    FanHasanMultiplier,
    element_words,
    elements_product,
    matrix_elements,
    toeplitz_product,
)
from modeloom.rtl.gf128.karatsuba import KaratsubaMultiplier, polynomial_product, product_word
from modeloom.rtl.gf128.lut6 import LutMultiplier
from modeloom.rtl.gf128.mastrovito import MastrovitoMultiplier, matrix_gates, matrix_product, run_elements, toeplitz_runs
from modeloom.rtl.gf128.reduction import Squarer, reduction_gates, square_word
from modeloom.rtl.gf128.words import Word, bit_depth, gate_counts, join
from modeloom.spec.field import GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER, Field
from modeloom_circuits.brw import BRWHash, HornerHash, collapsed_forest, extra_storage, least_clocks, schedule_text
from modeloom_circuits.brw.circuit import SQUARES, PolynomialHash
from modeloom_circuits.brw.plan import ORDERS
from modeloom_circuits.contract import FIELD_OPTION, FIELDS, Built, Circuit, Gates, Operation, Option
from modeloom_circuits.serial import SerialMultiplier, iteration
from modeloom_golden import brw, ghash_mul, poly, polyval_dot

__all__ = ["HASHES", "LUT_MULTIPLIERS", "MULTIPLIERS"]


# -- multipliers -------------------------------------------------------------------------------------------------------------------------

# Multipliers of GF(2^128) and the squarer as circuits: gcm2008, chapter 3.
#
# The gate counts come from the graph that becomes the hardware, or from a part of it::
#
#     circuit               gates                                               beside them in figures
#     karatsuba…            product of two polynomials of 128 coefficients      reduction_xor
#     fan-hasan             product of a 128 x 128 Toeplitz matrix, a vector    matrix_xor
#     mastrovito            product of the 128 x 128 matrix, a vector           matrix_xor
#     serial                one cycle, without the multiplexers of the start
#     square                all
#
# The gates of ``karatsuba-refined`` are those of its structure for gates, whatever the mapping uses.
#
# ``multiplier_and``, ``multiplier_xor``, ``multiplier_depth`` and ``multiplier_nand2`` are the figures of a whole multiplier of blocks.

def _gates(word: Word) -> Gates:
    """The counts of a graph.  The depth is computed bit by bit."""
    return Gates(*gate_counts(word), bit_depth(word))


def _drawn_gates(word: Word) -> Gates:
    """The counts of a graph.  The depth is counted as in gcm2008: the steps of a recursion one after another."""
    return Gates(*gate_counts(word), word.depth)


def _whole(gates: Gates) -> dict[str, int]:
    return {
        "multiplier_and": gates.ands,
        "multiplier_xor": gates.xors,
        "multiplier_depth": gates.depth,
        "multiplier_nand2": gates.nand2,
    }


def _product(field: Field) -> Callable[[Random], Operation]:
    def operation(random: Random) -> Operation:
        a, b = random.getrandbits(field.width), random.getrandbits(field.width)
        return Operation([{"a": a, "b": b}], [{"o": field.mul(a, b)}])

    return operation


def _inputs(field: Field) -> tuple[Word, Word]:
    return Word.input(field.width), Word.input(field.width)


def _karatsuba(halt: int, stages: int, field: str) -> Built:
    order = FIELDS[field]
    whole = _gates(product_word(order, *_inputs(order), halt, refined=False))
    return Built(
        KaratsubaMultiplier(order, stages, halt, refined=False),
        _product(order),
        _drawn_gates(polynomial_product(*_inputs(order), halt, refined=False)),
        {"reduction_xor": reduction_gates(order), **_whole(whole)},
    )


def _karatsuba_refined(halt: int, together: str, structure: str, stages: int, field: str) -> Built:
    order, quarters = FIELDS[field], together == "quarters"
    whole = _gates(product_word(order, *_inputs(order), halt, quarters=quarters))
    figures: dict[str, int | float | str] = {"reduction_xor": reduction_gates(order), **_whole(whole)}
    if structure == "gates":
        component: Component = KaratsubaMultiplier(order, stages, halt, quarters=quarters)
    else:
        component = LutMultiplier(order, stages, inputs=int(structure[-1]))
        figures |= {"structure_luts": component.luts, "structure_levels": component.levels}
    return Built(component, _product(order), _gates(polynomial_product(*_inputs(order), halt, quarters=quarters)), figures)


def _mastrovito(stages: int, field: str) -> Built:
    order = FIELDS[field]
    multiplier = MastrovitoMultiplier(order, stages)
    runs = toeplitz_runs(order)
    elements = [(Word.input(run.length + order.width - 1), run.length) for run in runs]
    return Built(
        multiplier,
        _product(order),
        _gates(matrix_product(order, elements, Word.input(order.width))),
        {
            "matrix_xor": sum(matrix_gates(run_elements(order, run)) for run in runs),
            **_whole(_gates(multiplier.product(*_inputs(order)))),
        },
    )


def _fan_hasan(halt: int, approach: int, form: str, stages: int, field: str) -> Built:
    order = FIELDS[field]
    multiplier = FanHasanMultiplier(order, stages, halt, approach=approach, form=form)
    elements = matrix_elements(order, approach)
    figures: dict[str, int | float | str] = {
        "matrix_xor": sum(matrix_gates(group) for group in elements),
        "toeplitz_rows": toeplitz_runs(order)[0].length if approach < 3 else order.width,
        **_whole(_gates(multiplier.product(*_inputs(order)))),
    }
    gates = _drawn_gates(toeplitz_product(Word.input(2 * order.width - 1), Word.input(order.width), halt))
    if form == "direct":
        return Built(multiplier, _product(order), gates, figures)
    # The elements of the key are computed in the cycle of `load`.  A product starts after their register.
    b = Word.input(order.width)
    held = [Word.input(word.width) for word in element_words(order, Word.input(order.width), approach)]
    figures["multiplier_depth"] = bit_depth(elements_product(order, held, b, halt, approach))
    figures["key_register_bits"] = sum(word.width for word in held)
    key = Random(field).getrandbits(order.width)

    def operation(random: Random) -> Operation:
        b = random.getrandbits(order.width)
        return Operation([{"b": b}], [{"o": order.mul(key, b)}])

    return Built(multiplier, operation, gates, figures, prepare=[{"a": key, "load": 1}])


def _serial(digit: int, field: str) -> Built:
    order = FIELDS[field]

    def operation(random: Random) -> Operation:
        a, b = random.getrandbits(order.width), random.getrandbits(order.width)
        return Operation([{"start": 1, "a": a, "b": b}], [{"o": order.mul(a, b), "done": 1}])

    cycle = join(list(iteration(order, *_inputs(order), Word.input(digit))))
    return Built(SerialMultiplier(order, digit), operation, _gates(cycle))


def _square(field: str) -> Built:
    order = FIELDS[field]

    def operation(random: Random) -> Operation:
        block = random.getrandbits(order.width)
        return Operation([{"i": block}], [{"o": order.mul(block, block)}])

    return Built(Squarer(order), operation, _gates(square_word(order, Word.input(order.width))))


_SIZES = (2, 4, 8, 16, 32, 64)
# The best measured values (docs/circuits.md).
_HALT = Option(
    "halt", 4, "Pieces of at most this many bits are multiplied by the schoolbook method; 8 for a target with LUTs",
    choices=_SIZES, on_luts={6: 8, 4: 8},
)  # fmt: skip
_HALT_REFINED = Option("halt", 4, "Pieces of at most this many bits are multiplied by the schoolbook method", choices=_SIZES)
_STAGES = Option("stages", 0, "Pipeline registers", high=16)
_TOGETHER = Option("together", "quarters", "The pieces that one step combines", choices=("quarters", "halves"))
_STRUCTURE = Option(
    "structure", "gates", "For gates, or for LUTs with 6 or 4 inputs as in lut6 (default: as the target, unless --halt is given)",
    choices=("gates", "lut6", "lut4"), on_luts={6: "lut6", 4: "lut4"}, unless=("halt", "together"),
)  # fmt: skip
_APPROACH = Option("approach", 1, "Treatment of the rows outside the Toeplitz matrix: 1 extends the Toeplitz rows, 2 takes a "
                   "smaller square of them, 3 takes all rows, with a compensation", choices=APPROACHES)  # fmt: skip
_FORM = Option("form", "direct", "direct, or key, which registers the matrix of factor a", choices=FORMS)
_DIGIT = Option("digit", 1, "Bits of a factor in each cycle", choices=(1, 2, 4, 8, 16, 32, 64))

MULTIPLIERS = (
    Circuit("serial", "serial multiplier", "gcm2008, Algorithm 1", (_DIGIT, FIELD_OPTION), _serial),
    Circuit("mastrovito", "Mastrovito multiplier", "gcm2008, section 3.2", (_STAGES, FIELD_OPTION), _mastrovito),
    Circuit("karatsuba", "Karatsuba multiplier", "gcm2008, section 3.3", (_HALT, _STAGES, FIELD_OPTION), _karatsuba),
    Circuit(
        "karatsuba-refined", "refined Karatsuba multiplier", "Bernstein, Batch binary Edwards, CRYPTO 2009",
        (_HALT_REFINED, _TOGETHER, _STRUCTURE, _STAGES, FIELD_OPTION), _karatsuba_refined,
    ),
    Circuit(
        "fan-hasan", "Fan-Hasan multiplier", "gcm2008, section 3.4", (_HALT, _APPROACH, _FORM, _STAGES, FIELD_OPTION), _fan_hasan,
    ),
    Circuit("square", "squarer", "brw2013, section 3", (FIELD_OPTION,), _square),
)  # fmt: skip


# -- a multiplier for LUTs ---------------------------------------------------------------------------------------------------------------

# The multiplier of GF(2^128) with a structure for LUTs.

def _lut6(stages: int, lut_inputs: int, halt: int, field: str) -> Built:
    order = FIELDS[field]
    component = LutMultiplier(order, stages, inputs=lut_inputs, halt=halt)

    def operation(random: Random) -> Operation:
        a, b = random.getrandbits(order.width), random.getrandbits(order.width)
        return Operation([{"a": a, "b": b}], [{"o": order.mul(a, b)}])

    return Built(component, operation, figures={"structure_luts": component.luts, "structure_levels": component.levels})


LUT_MULTIPLIERS = (
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


# -- polynomial hashes -------------------------------------------------------------------------------------------------------------------

# Polynomial hashes on one pipelined multiplier as circuits: brw2013, sections 2, 3 and 4.5.

_FIELDS = {field.name: field for field in (GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER)}
_BYTES = 16


def _hash_product(field: Field) -> Callable[[bytes, bytes], bytes]:
    """The product of two blocks of bytes in the field.  It comes from the references if they support the field."""

    def multiply(a: bytes, b: bytes) -> bytes:
        return field.mul(int.from_bytes(a, "little"), int.from_bytes(b, "little")).to_bytes(_BYTES, "little")

    return {GHASH_ORDER.name: ghash_mul, POLYVAL_ORDER.name: polyval_dot}.get(field.name, multiply)


def _horner(field: Field) -> Callable[[bytes, list[bytes]], bytes]:
    def evaluate(h: bytes, blocks: list[bytes]) -> bytes:
        total = 0
        for block in blocks:
            total = field.mul(total, int.from_bytes(h, "little")) ^ int.from_bytes(block, "little")
        return total.to_bytes(_BYTES, "little")

    return poly if field == GHASH_ORDER else evaluate


def _operation(component: PolynomialHash, key: int, times_h: bool, evaluate: Callable[[list[bytes]], bytes], random: Random) -> Operation:
    """A message in the order of the component, and its hash."""
    field, plan = component.field, component.plan
    message = [random.randbytes(_BYTES) for _ in range(plan.blocks)]
    inputs: list[dict[str, int]] = []
    for step in plan.steps:
        taken = () if step.pair is None else message[plan.ports * step.pair :][: plan.ports]
        inputs.append({port: int.from_bytes(block, "little") for port, block in zip("ab", taken)})
    inputs[0]["start"] = 1
    value = int.from_bytes(evaluate(message), "little")
    return Operation(inputs, [{"o": field.mul(value, key) if times_h else value, "done": 1}])


def _built(component: PolynomialHash, times_h: str, evaluate: Callable[[bytes, list[bytes]], bytes], **figures: int | str) -> Built:
    field = component.field
    h = Random(component.plan.blocks).randbytes(_BYTES)
    key = int.from_bytes(h, "little")
    # Squares on the fly need the second cycle.
    prepare = [
        {"key_we": 1, "key": field.power(key, exponent)} | ({"key_index": index} if index else {})
        for index, exponent in enumerate(component.powers)
    ] + [{}]  # fmt: skip

    def operation(random: Random) -> Operation:
        return _operation(component, key, times_h == "yes", lambda message: evaluate(h, message), random)

    common: dict[str, int | float | str] = {"multiplications": component.plan.multiplications, "cycles": component.latency}
    return Built(component, operation, figures={**common, **figures}, prepare=prepare)


def _brw(blocks: int, stages: int, squares: str, times_h: str, order: str, field: str, halt: int) -> Built:
    component = BRWHash(_FIELDS[field], blocks, stages, squares, times_h=times_h == "yes", order=order, halt=halt)
    mul = _hash_product(component.field)
    forest, issues = collapsed_forest(blocks), ORDERS[order](blocks, stages)
    return _built(
        component, times_h, lambda h, message: brw(h, message, mul), schedule=schedule_text(issues), clocks=len(issues),
        least_clocks=least_clocks(blocks, stages), extra_storage=extra_storage(blocks, stages, issues), trees=len(forest.roots),
        levels=max(forest.levels.values(), default=-1) + 1, power_registers=len(component.powers) - 1,
        square_units=len(component.units),
    )  # fmt: skip


def _poly(blocks: int, stages: int, times_h: str, field: str, halt: int) -> Built:
    component = HornerHash(_FIELDS[field], blocks, stages, times_h=times_h == "yes", halt=halt)
    chains = min(blocks, stages)
    return _built(component, times_h, _horner(component.field), chains=chains, power_registers=len(component.powers) - 1)


_BLOCKS = Option("blocks", 31, "Number of 16-byte blocks in a message", low=1, high=512)
_HASH_STAGES = Option("stages", 3, "Pipeline registers in the multiplier", low=1, high=16)
_SQUARES = Option("squares", "setup", "Powers of the key are loaded beforehand, or computed on the fly by squaring units", choices=SQUARES)
_TIMES_H = Option("times_h", "no", "Whether the result is multiplied by the key once more", choices=("no", "yes"))
_ORDER = Option("order", "schedule", "Order of the products: that of the paper, or one with the fewest cycles", choices=tuple(ORDERS))
_FIELD = Option("field", GHASH_ORDER.name, "Bit order in a block, and modulus", choices=tuple(_FIELDS))
_HASH_HALT = Option(
    "halt", 16, "Pieces of at most this many bits are multiplied by the schoolbook method", choices=(2, 4, 8, 16, 32, 64)
)

HASHES = (
    Circuit(
        "brw", "BRW polynomial, two blocks per cycle on one multiplier", "brw2013, section 3",
        (_BLOCKS, _HASH_STAGES, _SQUARES, _TIMES_H, _ORDER, _FIELD, _HASH_HALT), _brw,
    ),
    Circuit(
        "poly", "usual polynomial, Horner's rule in as many chains as the multiplier has stages", "brw2013, section 4.5",
        (_BLOCKS, _HASH_STAGES, _TIMES_H, _FIELD, _HASH_HALT), _poly,
    ),
)  # fmt: skip
