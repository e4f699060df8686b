# SPDX-License-Identifier: Apache-2.0
"""Designs in a frame of registers, for place and route on devices with few pins."""

import subprocess
import sys

import pytest
from amaranth.hdl import Cat, ClockDomain, ClockSignal, DomainRenamer, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from tests.built import slow, slowly
from tests.external import needs
from tests.synth.designs import Adder, Rom, convert

from modeloom.synth import SynthesisError, find_nextpnr, synthesize
from modeloom.synth.flow import FRAME, framed
from modeloom.synth.targets import DEVICES

WIDTH = 2

_PROVE = """
from pyosys import libyosys as ys
design = ys.Design()
for command in (
    "read_rtlil gold.il", "hierarchy -top whole", "proc", "flatten", "opt_clean", "design -stash gold",
    "read_rtlil gate.il", "hierarchy -top frame", "proc", "flatten", "opt_clean", "design -stash gate",
    "design -copy-from gold whole", "design -copy-from gate frame", "miter -equiv -make_assert whole frame miter", "flatten miter",
    "hierarchy -top miter",
    # All registers have taken what came after 16 cycles, whatever they had.
    "sat -verify -prove-asserts -seq 16 -tempinduct -set-init-undef miter",
):
    ys.run_pass(command, design)
"""


class Framed(wiring.Component):
    """What the frame of an adder is meant to be.  The reset of the adder is a port like others."""

    clk: In(1)
    frame_in: In(1)
    frame_out: Out(1)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.domains.sync = ClockDomain(reset_less=True)
        m.domains.inner = inner = ClockDomain(local=True)
        m.submodules.core = DomainRenamer("inner")(core := Adder(WIDTH))
        chain, signature = Signal(2 * WIDTH + 1, reset_less=True), Signal(WIDTH, reset_less=True)
        m.d.sync += [chain.eq(Cat(self.frame_in, chain)), signature.eq((signature << 1) ^ core.o)]
        m.d.comb += [
            ClockSignal().eq(self.clk), inner.clk.eq(self.clk), Cat(core.a, core.b, inner.rst).eq(chain),
            self.frame_out.eq(signature[-1]),
        ]  # fmt: skip
        return m


@pytest.mark.parametrize("fault", ["", "an output", *slowly("a bit of the chain", "the clock")])
def test_the_frame_is_a_chain_and_a_signature(fault, tmp_path):
    """Yosys proves that it is that of `Framed`, and finds each fault."""
    text, ports = framed(convert(Adder(WIDTH), "adder"), "adder")
    assert ports == ("clk", "frame_in", "frame_out")
    faults = {
        "": ("", ""), "a bit of the chain": (r"\inputs [3:0] \frame_in", r"\inputs [2:0] \frame_in \frame_in"),
        "an output": (r"connect \B \outputs", r"connect \B 2'00"), "the clock": (r"connect \CLK \clk", r"connect \CLK \frame_in"),
    }  # fmt: skip
    assert faults[fault][0] in text
    (tmp_path / "gate.il").write_text(text.replace(*faults[fault]) if fault else text)
    (tmp_path / "gold.il").write_text(convert(Framed(), "whole"))
    run = subprocess.run([sys.executable, "-P", "-c", _PROVE], cwd=tmp_path, capture_output=True, text=True)
    assert (run.returncode == 0) == (not fault), run.stdout[-2000:]


def test_wide_ports_and_one_bit():
    """The registers of the frame are as many as the bits of the ports."""
    text, _ = framed(convert(Adder(300), "adder"), "adder")
    result = synthesize(text, FRAME, "ecp5")
    assert result.ffs == 3 * 300 + 2 * 300 + 1 + 300
    assert "clk" in framed(convert(Rom(), "rom"), "rom")[1]


def test_nothing_to_place():
    text = "module \\empty\n  wire input 1 \\clk\nend\n"
    with pytest.raises(SynthesisError, match="empty has no inputs or no outputs, so that nothing of it can be placed"):
        framed(text, "empty")


def test_devices_have_the_options_of_their_programs():
    for name, device in DEVICES.items():
        assert device.constrained(("c", "i", "o")).count("\n") == (3 if device.constraints[0] else 0), name
        assert device.constraints[0] in (*device.options[-1:], device.options[-1].partition("=")[2], "")


@slow
@pytest.mark.parametrize("target", [pytest.param(name, marks=needs(f"nextpnr-{name}")) for name, one in DEVICES.items() if one.frame])
def test_placed_and_routed(target):
    result = synthesize(convert(Adder(16), "adder"), "adder", target, pnr=True, freq=50)
    assert result.clock_mhz > 20 and result.clock_target_mhz == 50 and result.device == DEVICES[target].name
    cell = DEVICES[target].capacity.get("ffs", DEVICES[target].capacity["luts"])[0]
    # The core has 48 registers, and its frame 33 for the inputs and 16 for the outputs.
    assert result.ffs == 48 and result.utilisation[cell]["used"] >= 97
    assert (result.router, result.timing_weight) == (DEVICES[target].router, 10)
    assert DEVICES[target].tool in result.tools and find_nextpnr(DEVICES[target])[1] == result.tools[DEVICES[target].tool]
