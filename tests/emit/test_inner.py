# SPDX-License-Identifier: Apache-2.0
"""What Yosys makes of a small design: attributes that choose memories or hold a cut stay, all else of its own goes."""

from __future__ import annotations

import re

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from modeloom_verilog.modules import component_rtlil, inner_verilog


class Part(wiring.Component):
    """A table, a sum whose bits stay apart, and wires with attributes that are nobody's."""

    def __init__(self) -> None:
        super().__init__({"at": In(2), "bits": In(4), "unused": In(3), "o": Out(4), "p": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.table = table = Memory(shape=4, depth=4, init=[7, 1, 12, 5], attrs={"rom_style": "logic"})
        port = table.read_port(domain="comb")
        kept = Signal(attrs={"keep": 1})
        plain = Signal(4, attrs={"color": "blue"})
        late = Signal(4)
        m.d.comb += [port.addr.eq(self.at), kept.eq(self.bits.xor()), plain.eq(self.bits & port.data), self.p.eq(kept)]
        m.d.sync += late.eq(plain)
        m.d.comb += self.o.eq(late)
        return m


class Pair(wiring.Component):
    """Two equal parts."""

    def __init__(self) -> None:
        super().__init__({"at": In(2), "bits": In(4), "o": Out(4), "p": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.part0 = first = Part()
        m.submodules.part1 = second = Part()
        for part in (first, second):
            m.d.comb += [part.at.eq(self.at), part.bits.eq(self.bits)]
        m.d.comb += [self.o.eq(first.o ^ second.o), self.p.eq(first.p & second.p)]
        return m


def test_verilog() -> None:
    text = inner_verilog(component_rtlil(Pair(), "pair"), "pair")
    assert re.findall(r"^module (\w+)", text, re.M) == ["pair", "pair_part", "pair_table_4x4"], "equal parts stand once"
    attributes = re.findall(r"\(\* *(.*?) *\*\)", text)
    assert sorted(set(attributes)) == ['keep = "true"', 'ram_style = "registers", rom_style = "distributed", romstyle = "logic"']
    assert not text.startswith("/*") and "Yosys" not in text and "unused" not in text
    for word in ("\\", "$", "always @*", "function"):
        assert word not in text


def test_a_module_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ValueError, match="there is no module missing"):
        inner_verilog("module \\top\n  wire width 1 output 1 \\y\n  cell \\missing \\u\n    connect \\y \\y\n  end\nend\n", "top")
