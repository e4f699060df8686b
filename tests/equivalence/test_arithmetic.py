# SPDX-License-Identifier: Apache-2.0
"""Multipliers, squarers and adders are proved by themselves; a gate, a register or a wire that is another is found."""

from __future__ import annotations

import re
from typing import Any

import pytest
from amaranth.back import rtlil
from tests.built import slowly

from modeloom.equivalence.arithmetic import output_order
from modeloom.equivalence.cells import CircuitError
from modeloom.rtl.counter import CounterAdder
from modeloom.rtl.gf128.architectures import MULTIPLIERS
from modeloom.rtl.gf128.reduction import Squarer
from modeloom.spec import COUNTERS
from modeloom.spec.field import GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER
from modeloom.spec.kinds import OPERATIONS
from modeloom.taint.graph import Netlist, netlist_of_rtlil

FIELDS = {"ghash": GHASH_ORDER, "polyval": POLYVAL_ORDER, "xts": XTS_ORDER}


def netlist(component: Any) -> Netlist:
    """The netlist of a component, straight from Amaranth."""
    return netlist_of_rtlil(rtlil.convert(component, name="top", emit_src=False), "top")


@pytest.mark.parametrize(
    ("arch", "field"), [("karatsuba", "ghash"), *slowly(("lut6", "polyval"), ("fan-hasan", "xts"), ("mastrovito", "polyval"))]
)
def test_multipliers(arch: str, field: str) -> None:
    circuit = netlist(MULTIPLIERS[arch](FIELDS[field], 2))
    assert output_order(circuit, ["o"], OPERATIONS["mul"], FIELDS[field], 2) == list(range(128))
    other = XTS_ORDER if field != "xts" else GHASH_ORDER
    with pytest.raises(CircuitError, match="is no bit of the result of mul"):
        output_order(circuit, ["o"], OPERATIONS["mul"], other, 2)
    with pytest.raises(CircuitError, match="after 2 cycles, not 3"):
        output_order(circuit, ["o"], OPERATIONS["mul"], FIELDS[field], 3)


@pytest.mark.parametrize("field", FIELDS)
def test_squarers(field: str) -> None:
    circuit = netlist(Squarer(FIELDS[field]))
    assert output_order(circuit, ["o"], OPERATIONS["sqr"], FIELDS[field], 0) == list(range(128))


@pytest.mark.parametrize("kind", COUNTERS)
@pytest.mark.parametrize("stages", [0, 1])
def test_adders(kind: str, stages: int) -> None:
    circuit = netlist(CounterAdder(128, COUNTERS[kind], stages))
    assert output_order(circuit, ["o"], OPERATIONS[kind], GHASH_ORDER, stages) == list(range(128))
    other = next(name for name in COUNTERS if name != kind)
    with pytest.raises(CircuitError):
        output_order(circuit, ["o"], OPERATIONS[other], GHASH_ORDER, stages)


def test_ports_in_another_order_are_recognised() -> None:
    circuit = netlist(Squarer(XTS_ORDER))
    bits = circuit.outputs.pop("o")
    circuit.outputs.update({"high": bits[64:], "low": bits[:64][::-1]})
    assert output_order(circuit, ["high", "low"], OPERATIONS["sqr"], XTS_ORDER, 0) == [*range(64, 128), *reversed(range(64))]


def _faulty(pattern: str, replacement: str) -> Netlist:
    text = rtlil.convert(MULTIPLIERS["mastrovito"](XTS_ORDER, 1), name="top", emit_src=False)
    edited, count = re.subn(pattern, replacement, text, count=1)
    assert count
    return netlist_of_rtlil(edited, "top")


@pytest.mark.parametrize(
    ("what", "pattern", "replacement", "message"),
    [
        ("an or for an and", r"cell \$and ", "cell $or ", "not linear in each operand"),
        ("an and for a sum", r"cell \$xor ", "cell $and ", "not linear in each operand|different degrees"),
        ("a gate that is not there", r"cell \$xor (\S+)\n(?:.*\n)*?  end", "", "nothing drives"),
    ],
)
def test_faults_of_a_multiplier(what: str, pattern: str, replacement: str, message: str) -> None:
    with pytest.raises(CircuitError, match=message):
        output_order(_faulty(pattern, replacement), ["o"], OPERATIONS["mul"], XTS_ORDER, 1)
