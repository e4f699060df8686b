# SPDX-License-Identifier: Apache-2.0
"""The circuit of the powers of a key is proved alone, a mistake in it is found, and the core that stands for it has its cycles."""

from __future__ import annotations

import inspect
import sys
import textwrap
from dataclasses import replace
from typing import Any

import pytest
from amaranth.back import rtlil
from tests.built import slowly
from tests.generality.wide_modes import ORDER_256

from modeloom.equivalence import lanes
from modeloom.equivalence.cells import CircuitError
from modeloom.equivalence.stream.core import PowersCircuit, PowersCore, prove_powers
from modeloom.equivalence.stream.words import product_of
from modeloom.rtl.stream.powers import KeyPowers
from modeloom.spec.field import GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER
from modeloom.taint.graph import Netlist, netlist_of_rtlil

PORTS = ("we", "exponent", "data", "busy")
COUNT = 4


def netlist(component: Any) -> Netlist:
    """The netlist of a component, straight from Amaranth."""
    return netlist_of_rtlil(rtlil.convert(component, name="top", emit_src=False), "top")


@pytest.mark.parametrize(
    ("field", "digit"), [(GHASH_ORDER, 32), *slowly((POLYVAL_ORDER, 16), (XTS_ORDER, 8), (ORDER_256, 32))], ids=str
)
def test_powers(field: Any, digit: int) -> None:
    circuit = netlist(KeyPowers(field, COUNT, digit))
    proved = prove_powers(circuit, PORTS, field, COUNT)
    assert proved == PowersCircuit((field.width // digit,) * (COUNT - 1), PORTS)
    with pytest.raises(CircuitError, match="is not the product"):
        prove_powers(circuit, PORTS, XTS_ORDER if field is GHASH_ORDER else GHASH_ORDER if field.width == 128 else _other(field), COUNT)
    with pytest.raises(CircuitError, match=f"the operand of the next power is not power {COUNT}"):
        prove_powers(circuit, PORTS, field, COUNT + 1)
    with pytest.raises(CircuitError, match="something is left in the circuit of powers behind the last power"):
        prove_powers(circuit, PORTS, field, COUNT - 1)


def _other(field: Any) -> Any:
    return replace(field, name="other", modulus=field.modulus ^ 6)


MISTAKES = {
    "a digit comes twice": ("a_reg.eq(shifted)", "a_reg.eq(a_reg)", "is not the product"),
    "the power before stays": ("a_reg.eq(sum_reg), sum_reg.eq(0), step", "sum_reg.eq(0), step", "is in no register"),
    "a sum is not cleared": ("a_reg.eq(sum_reg), sum_reg.eq(0), step", "a_reg.eq(sum_reg), step", "is not the key"),
    "a power does not wait": ("busy_reg & self.taken", "busy_reg", "does not stay until it is taken"),
    "the key is left": ("(a_reg, b_reg, exponent_reg, busy_reg)", "(a_reg, exponent_reg, busy_reg)", "something is left"),
    "data decide": ("busy_reg & self.taken", "busy_reg & self.taken & ~sum_reg[0]", "depends on data|chooses by data|no part of"),
}
"""What is replaced in the hardware, and what the proof then says."""


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new, says = MISTAKES[name]
    source = textwrap.dedent(inspect.getsource(KeyPowers.elaborate))
    assert source.count(old) == 1
    names = dict(vars(sys.modules[KeyPowers.__module__]))
    exec(source.replace(old, new), names)
    monkeypatch.setattr(KeyPowers, "elaborate", names["elaborate"])
    with pytest.raises(CircuitError, match=says):
        prove_powers(netlist(KeyPowers(GHASH_ORDER, COUNT, 32)), PORTS, GHASH_ORDER, COUNT)


def test_a_core_has_the_cycles_of_its_circuit() -> None:
    """Powers of a symbol: each is there after its cycles, waits until it is taken, and nothing is there behind the last one."""
    product = product_of(GHASH_ORDER)
    ports = {name: ((name, 128 if name == "base" else 1),) for name in ("rst", "start", "taken", "base")}
    core = PowersCore("powers", ports, (1, 3, 128, 1), PowersCircuit((2, 2), PORTS), product, 128)
    key = lanes.atom("key", 128)
    none = {"rst": 0, "start": 0, "taken": 0, "base": lanes.atom("other", 128)}

    def parts(word: int) -> tuple[int, int | None, int, int]:
        busy = word >> 132 * lanes.LANES
        return word & lanes.mask(1), lanes.number(word >> lanes.LANES & lanes.mask(3)), word >> 4 * lanes.LANES & lanes.mask(128), busy

    word = core.clock({**none, "start": lanes.ONE, "base": key}, 0)
    power = key
    for exponent in (2, 3):
        power = product(power, key)
        for _ in range(2):
            we, number, data, busy = parts(word)
            assert (we, number, busy) == (0, exponent, lanes.ONE) and data != power
            word = core.clock({**none, "taken": lanes.ONE}, 0)
        for _ in range(3):
            assert parts(word) == (lanes.ONE, exponent, power, lanes.ONE)
            with pytest.raises(CircuitError, match="starts before it is free"):
                core.clock({**none, "start": lanes.ONE}, 0)
            word = core.clock(none, 0)
        word = core.clock({**none, "taken": lanes.ONE}, 0)
    assert word == 0
    core.clock({**none, "start": lanes.ONE, "base": key}, 0)
    assert core.clock({**none, "rst": lanes.ONE}, 0) == 0
    with pytest.raises(CircuitError, match="taken of powers depends on data"):
        core.clock({**none, "taken": lanes.atom("bit", 1)}, 7)
