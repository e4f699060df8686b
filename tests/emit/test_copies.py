# SPDX-License-Identifier: Apache-2.0
"""One S-box is one module, instanced for each byte, in whatever form it is built; and bytes that differ are not taken for equal."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from tests.emit.same import difference

from modeloom.rtl.aes.pipeline import AESPipeline
from modeloom.rtl.aes.sboxes import SBOXES
from modeloom.rtl.aes.sequential import AESSequential
from modeloom_verilog.modules import component_rtlil, inner_verilog


def instances(text: str) -> Counter[str]:
    """How often each module is instanced by itself, by its name below the top."""
    return Counter(re.findall(r"^  x_(\w+) \w+ \($", text, re.M))


@pytest.mark.parametrize("direction", ["encrypt", "decrypt", "both"])
@pytest.mark.parametrize("kind", SBOXES)
def test_a_state_has_sixteen_instances_of_one_module(kind: str, direction: str) -> None:
    """Each byte has an instance of one module.  A block memory with two ports serves two bytes."""
    text = inner_verilog(component_rtlil(AESSequential(128, 1, 2, direction=direction, sbox=kind), "x"), "x")
    wanted = {"encrypt": "aes_sbox", "decrypt": "aes_inv_sbox", "both": "aes_inverses" if kind == "lut" else "aes_both_sboxes"}[direction]
    name = wanted if kind == "lut" else f"{wanted}_{kind}"
    assert instances(text) == {name: 8 if kind == "bram" else 16}
    assert len(re.findall(r"^module ", text, re.M)) == 2


def test_rounds_share_the_module() -> None:
    text = inner_verilog(component_rtlil(AESPipeline(128, 1, 1, direction="encrypt", sbox="composite"), "x"), "x")
    assert instances(text)["aes_sbox_composite"] == 160
    assert len(re.findall(r"^module x_aes_sbox_composite", text, re.M)) == 1


class Bytes(wiring.Component):
    """A module of two bytes that says that it does the same to both; *make* gives the result."""

    def __init__(self, make):
        self.make = make
        super().__init__({"i": In(16), "o": Out(16)})

    def elaborate(self, platform: object) -> Module:
        m, inside = Module(), Module()
        before, behind = Signal(16, attrs={"bytes_of": "some"}), Signal(16, attrs={"bytes": "some"})
        result = Signal(16)
        inside.d.comb += [before.eq(self.i), behind.eq(self.make(before)), result.eq(behind)]
        m.submodules.inside = inside
        m.d.comb += self.o.eq(result)
        return m


def both(low: Value, high: Value) -> Value:
    return low | high << 8


def gates(m: Module, state: Value, chosen: Value | None = None) -> Value:
    """Something nonlinear of each byte, as wide as there are bytes, with a register that has a start value, and a choice for all bytes."""
    planes = [Cat(state[n::8]) for n in range(8)]
    size = len(planes[0])
    first, second, late = Signal(size), Signal(size), Signal(size, init=(1 << size) - 1, reset_less=True)
    m.d.comb += [first.eq(planes[0] & planes[3] ^ planes[7]), second.eq(~(first | planes[5]))]
    m.d.sync += late.eq(second ^ planes[6])
    if chosen is not None:
        late = late & chosen.replicate(size) | planes[1] & ~chosen.replicate(size)
    outputs = [late, planes[2] ^ first, second, *planes[4:7], first ^ late, planes[1]]
    return Cat(output[n] for n in range(size) for output in outputs)


class Twice(wiring.Component):
    """Words of several lengths, one with a choice; of the last, one byte alone is used."""

    def __init__(self) -> None:
        super().__init__({"i": In(32), "j": In(16), "choice": In(1), "o": Out(32), "p": Out(16), "q": Out(8)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        places = (("o", self.i, self.choice), ("p", self.j, self.i[0]), ("q", Cat(self.j, self.i[3:11]), None))
        for name, state, chosen in places:
            inside = Module()
            before = Signal(len(state), name="i", attrs={"bytes_of": "some"})
            behind = Signal(len(state), name="o", attrs={"bytes": "some"})
            if chosen is not None:
                choice = Signal(name="choice")
                m.d.comb += choice.eq(chosen)
                chosen = choice
            result = Signal(len(state))
            inside.d.comb += [before.eq(state), behind.eq(gates(inside, before, chosen)), result.eq(behind)]
            m.submodules[f"of_{name}"] = inside
            m.d.comb += getattr(self, name).eq(result[8:16] if name == "q" else result)
        return m


def test_instances_compute_what_was_described(tmp_path: Path) -> None:
    """The text with instances is equivalent to the circuit that was described, and an instance with another byte is found."""
    rtlil = component_rtlil(Twice(), "x")
    text = inner_verilog(rtlil, "x")
    assert difference(rtlil, text, "x", tmp_path) == ""
    # The second module is the one without a choice.
    assert instances(text) == {"some": 6, "some_2": 3}
    # The proof sees an instance with another byte.
    wrong = re.sub(r"\.i\(i\[7:0\]\)", ".i(i[15:8])", text, count=1)
    assert wrong != text and difference(rtlil, wrong, "x", tmp_path)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda i: both(i[:8] ^ 1, i[8:] ^ 2), "inside: byte 1 is not computed as byte 0 is"),
        (lambda i: both(i[:8] ^ 1, ~i[8:]), "inside: byte 1 is not computed as byte 0 is"),
        (lambda i: both(i[8:], i[:8]), "inside: byte 0 depends on another one"),
        (lambda i: i + 1, "inside: "),
    ],
)
def test_bytes_that_are_not_alike_are_refused(make, message: str) -> None:
    """Bytes with different circuits cannot share a module."""
    with pytest.raises(ValueError, match=message):
        inner_verilog(component_rtlil(Bytes(make), "x"), "x")
