# SPDX-License-Identifier: Apache-2.0
"""Polynomial hashes on one pipelined multiplier as circuits: brw2013, sections 2, 3 and 4.5."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from modeloom.golden import brw, ghash_mul, poly, polyval_dot
from modeloom.spec.field import GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER, Field
from modeloom_circuits.brw import BRWHash, HornerHash, collapsed_forest, extra_storage, least_clocks, schedule_text
from modeloom_circuits.brw.circuit import SQUARES, PolynomialHash
from modeloom_circuits.brw.plan import ORDERS
from modeloom_circuits.contract import Built, Circuit, Operation, Option

__all__ = ["CIRCUITS"]

_FIELDS = {field.name: field for field in (GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER)}
_BYTES = 16


def _product(field: Field) -> Callable[[bytes, bytes], bytes]:
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
    mul = _product(component.field)
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
_STAGES = Option("stages", 3, "Pipeline registers in the multiplier", low=1, high=16)
_SQUARES = Option("squares", "setup", "Powers of the key are loaded beforehand, or computed on the fly by squaring units", choices=SQUARES)
_TIMES_H = Option("times_h", "no", "Whether the result is multiplied by the key once more", choices=("no", "yes"))
_ORDER = Option("order", "schedule", "Order of the products: that of the paper, or one with the fewest cycles", choices=tuple(ORDERS))
_FIELD = Option("field", GHASH_ORDER.name, "Bit order in a block, and modulus", choices=tuple(_FIELDS))
_HALT = Option("halt", 16, "Pieces of at most this many bits are multiplied by the schoolbook method", choices=(2, 4, 8, 16, 32, 64))

CIRCUITS = (
    Circuit(
        "brw", "BRW polynomial, two blocks per cycle on one multiplier", "brw2013, section 3",
        (_BLOCKS, _STAGES, _SQUARES, _TIMES_H, _ORDER, _FIELD, _HALT), _brw,
    ),
    Circuit(
        "poly", "usual polynomial, Horner's rule in as many chains as the multiplier has stages", "brw2013, section 4.5",
        (_BLOCKS, _STAGES, _TIMES_H, _FIELD, _HALT), _poly,
    ),
)  # fmt: skip
