# SPDX-License-Identifier: Apache-2.0
"""A register that something else names, too, is called by the name that ends in ``_reg``."""

from __future__ import annotations

import re
from pathlib import Path

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from tests.emit.same import difference

from modeloom.rtl.aes.pipeline import AESPipeline
from modeloom.rtl.sm4 import SM4Sequential
from modeloom_verilog.modules import component_rtlil, inner_verilog


class Aliased(wiring.Component):
    """Registers with a name before, behind, and for a part of them."""

    def __init__(self) -> None:
        super().__init__({"i": In(4), "j": In(1), "o": Out(4), "p": Out(1), "q": Out(2)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        a = Signal(4)
        b = Signal()
        c = Signal(2)
        word_reg = Signal(4)
        bit_reg = Signal(reset_less=True, init=1)
        m.d.comb += [a.eq(word_reg), b.eq(bit_reg), c.eq(word_reg[1:3])]
        m.d.sync += [word_reg.eq(self.i ^ a), bit_reg.eq(self.j ^ b)]
        m.d.comb += [self.o.eq(a + 1), self.p.eq(~b), self.q.eq(~c)]
        return m


def targets(text: str) -> set[str]:
    return set(re.findall(r"(\w+)(?:\[[^\]]*\])? <= ", text))


def test_names(tmp_path: Path) -> None:
    rtlil = component_rtlil(Aliased(), "x")
    text = inner_verilog(rtlil, "x")
    assert targets(text) == {"word_reg", "bit_reg"}
    assert difference(rtlil, text, "x", tmp_path) == ""


def test_ciphers_say_what_is_a_register() -> None:
    """All but ports and what is read from memories; and no net is called a signal."""
    for component in (AESPipeline(128, 1, 2), SM4Sequential("encrypt")):
        text = inner_verilog(component_rtlil(component, "x"), "x")
        others = {name for name in targets(text) if not re.fullmatch(r"\w+_reg(_\d+)?", name)}
        assert not {name for name in others if not re.search(r"read_data|^o$|keys?(_\w+)?$|read_port_addr", name)}, others
        assert not re.search(r"\bsignal(_\d+)?\b", text)
