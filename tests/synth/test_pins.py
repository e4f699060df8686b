# SPDX-License-Identifier: Apache-2.0
"""Sums that are LUTs by hand: which commands a design gets.  What they give is measured in tests/rtl/aes/layers/test_mixcolumns_lut6.py."""

import re

from amaranth.back import rtlil
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.synth.yosys import FOUR, pin_commands


class Parity(wiring.Component):
    """Sum of six bits, of which the wire is kept or not."""

    i: In(6)
    o: Out(1)

    def __init__(self, keep, four=False):
        self.keep, self.four = keep, four
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        total = Signal(attrs={name: 1 for name, given in (("keep", self.keep), (FOUR, self.four)) if given})
        m.d.comb += [total.eq(self.i.xor()), self.o.eq(total)]
        return m


def test_designs_without_the_attribute_are_left_alone(tmp_path):
    assert pin_commands(rtlil.convert(Parity(False), name="parity"), tmp_path, lut6=True) == []
    assert not list(tmp_path.iterdir())


def test_only_targets_with_lut6_get_luts(tmp_path):
    design = rtlil.convert(Parity(True), name="parity")
    free = pin_commands(design, tmp_path, lut6=False)
    assert free and not list(tmp_path.iterdir())
    assert not any("techmap" in command for command in free)
    pinned = pin_commands(design, tmp_path, lut6=True)
    assert pinned[:-1] == free and pinned[-1].startswith("techmap -map pins.v")


def test_sums_for_lut4_are_luts_there_too(tmp_path):
    whole, four = (rtlil.convert(Parity(True, four), name="parity") for four in (False, True))
    assert not any("techmap" in command for command in pin_commands(whole, tmp_path, lut6=False, lut4=True))
    *_, only, last = pin_commands(four, tmp_path, lut6=False, lut4=True)
    # Only the sums that are made for them, because others have more than four bits.
    assert f"a:{FOUR}" in only and last.startswith("techmap -map pins.v")
    assert not any("techmap" in command for command in pin_commands(four, tmp_path, lut6=False, lut4=False))


def test_tables_are_parities(tmp_path):
    pin_commands(rtlil.convert(Parity(True), name="parity"), tmp_path, lut6=True)
    text = (tmp_path / "pins.v").read_text()
    found = re.findall(r"LUT(\d) #\(\.INIT\((\d+)'h([0-9a-f]+)\)\)", text)
    tables = {int(size): (int(bits), int(table, 16)) for size, bits, table in found}
    assert tables.keys() == {2, 3, 4, 5, 6}
    for size, (bits, table) in tables.items():
        assert bits == 1 << size
        assert all((table >> x & 1) == sum(x >> n & 1 for n in range(size)) % 2 for x in range(bits))
