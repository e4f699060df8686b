# SPDX-License-Identifier: Apache-2.0
"""Output registers of block memories: what moves, what stays, and that nothing else changes."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from amaranth.hdl import Cat, ClockDomain, ClockSignal, EnableInserter, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from tests.synth.designs import convert

from modeloom.synth import SynthesisError, memories, synthesize, synthesize_blocks, target_named
from modeloom.synth.memories import differences, register_of, with_output_registers
from modeloom.synth.netlist import cell_counts, depth, figures, lut_ff_pairs
from modeloom.synth.yosys import map_design

ECP5 = target_named("ecp5")

# A block memory as the simulation library of Lattice defines it (DP16KC of ECP3, with the reset of ECP5), with four words instead of 512.
# Which word an address reads has no effect on what is proved.
_MODEL = """
module DP16KD(@INPUTS@, output @OUTPUTS@);
  parameter DATA_WIDTH_A = 18, DATA_WIDTH_B = 18, REGMODE_A = "NOREG", REGMODE_B = "NOREG", RESETMODE = "SYNC", GSR = "ENABLED";
  parameter ASYNC_RESET_RELEASE = "SYNC", CSDECODE_A = "0b000", CSDECODE_B = "0b000", WRITEMODE_A = "NORMAL", WRITEMODE_B = "NORMAL";
  parameter CLKAMUX = "CLKA", CLKBMUX = "CLKB", OCEAMUX = "OCEA", OCEBMUX = "OCEB";
  @INITS@
  localparam WIDE = DATA_WIDTH_B == 36;
  wire clka = (CLKAMUX == "INV") ? ~CLKA : CLKA, clkb = (CLKBMUX == "INV") ? ~CLKB : CLKB;
  wire ocea = (OCEAMUX == "INV") ? ~OCEA : OCEA, oceb = (OCEBMUX == "INV") ? ~OCEB : OCEB;
  wire [17:0] dia = {@DIA@}, dib = {@DIB@};
  wire [1:0] ada = {ADA10, ADA9}, adb = {ADB10, ADB9};
  reg [17:0] low [0:3], high [0:3];
  reg [17:0] latcha = 0, latchb = 0, rega = 0, regb = 0, regab = 0;
  integer n;
  initial for (n = 0; n < 4; n = n + 1) begin low[n] = INITVAL_00 >> 20 * n; high[n] = INITVAL_01 >> 20 * n; end
  always @(posedge clka) if (CEA & WEA) begin low[ada] <= dia; high[ada] <= dib; end
  generate
    if (WIDE) always @(posedge clkb) if (RSTB) latcha <= 0; else if (CEB) latcha <= low[adb];
    if (!WIDE) always @(posedge clka) if (RSTA) latcha <= 0; else if (CEA) latcha <= low[ada] ^ high[ada];
  endgenerate
  always @(posedge clkb) if (RSTB) latchb <= 0; else if (CEB) latchb <= high[adb];
  always @(posedge clka) if (ocea) rega <= RSTA ? 0 : latcha;
  always @(posedge clkb) if (oceb) begin regb <= RSTB ? 0 : latchb; regab <= RSTB ? 0 : latcha; end
  assign {@DOA@} = (REGMODE_A == "OUTREG") ? (WIDE ? regab : rega) : latcha;
  assign {@DOB@} = (REGMODE_B == "OUTREG") ? regb : latchb;
endmodule
"""


def model() -> str:
    def pins(bus: str, size: int) -> str:
        return ", ".join(f"{bus}{n}" for n in reversed(range(size)))

    controls = [f"{pin}{side}" for side in "AB" for pin in ("CLK", "CE", "OCE", "WE", "RST", "CS0", "CS1", "CS2")]
    controls = [f"CS{pin[3]}{pin[2]}" if pin.startswith("CS") else pin for pin in controls]
    inputs = ", ".join([*controls, *(pins(f"{bus}{side}", size) for side in "AB" for bus, size in (("DI", 18), ("AD", 14)))])
    text = _MODEL.replace("@INPUTS@", f"input {inputs}").replace("@OUTPUTS@", f"{pins('DOA', 18)}, {pins('DOB', 18)}")
    for bus in ("DIA", "DIB", "DOA", "DOB"):
        text = text.replace(f"@{bus}@", pins(bus, 18))
    return text.replace("@INITS@", " ".join(f"parameter [319:0] INITVAL_{n:02X} = 0;" for n in range(64)))


_PROVE = """
import sys
from pyosys import libyosys as ys
design = ys.Design()
def run(*commands):
    for command in commands:
        ys.run_pass("tee -q " + command, design)
for name in ("gold", "gate"):
    run("read_json " + name + ".json", "delete =A:blackbox=1 =A:whitebox=1", "read_verilog -D NO_INCLUDES +/ecp5/cells_sim.v",
        "delete DP16KD", "read_verilog model.v", "hierarchy -check -top top", "proc", "flatten", "memory_map", "opt_clean",
        "clk2fflogic", "rename -hide w:*DOA* w:*DOB*", "opt_clean", "rename top " + name, "design -stash " + name)
run("design -copy-from gold gold", "design -copy-from gate gate", "equiv_make gold gate both", "hierarchy -top both",
    "equiv_induct -seq 4", "equiv_status -assert")
"""


def refuted(before: Any, after: Any, folder: Path) -> str:
    """Nothing if Yosys proves that both netlists, with the model of the memory, are equal for all states; else what it says."""
    (folder / "model.v").write_text(model())
    (folder / "gold.json").write_text(json.dumps(before))
    (folder / "gate.json").write_text(json.dumps(after))
    run = subprocess.run([sys.executable, "-u", "-P", "-c", _PROVE], cwd=folder, capture_output=True, text=True)
    return f"exit status {run.returncode}: {(run.stdout + run.stderr)[-1500:]}" if run.returncode else ""


class Store(wiring.Component):
    """A memory with registers behind its data.

    The block memory has `width` bits and as many ports to read as `ports`.  With `write`, it also has a port to write.  `form` says what
    the registers behind the first port are.
    """

    def __init__(self, form: str = "plain", *, width: int = 9, ports: int = 2, write: bool = False) -> None:
        self.form, self.width, self.ports, self.write = form, width, ports, write
        members: dict[str, Any] = {f"a{n}": In(9) for n in range(ports)} | {f"o{n}": Out(width) for n in range(ports)}
        super().__init__({**members, "en": In(1), "ren": In(1), "wa": In(9), "wd": In(width), "we": In(1), "clk2": In(1), "extra": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        words = [0 if self.write else (n * 77 + (n << 5)) % 2**self.width for n in range(512)]
        attributes = {"ram_style": "block", "no_rw_check": 1} if self.write else {"rom_style": "block"}
        m.submodules.store = store = Memory(shape=self.width, depth=512, init=words, attrs=attributes)
        m.domains.other = other = ClockDomain(local=True, reset_less=True)
        m.domains.fall = fall = ClockDomain(local=True, reset_less=True, clk_edge="neg")
        m.d.comb += [other.clk.eq(self.clk2), fall.clk.eq(ClockSignal())]
        if self.write:
            port = store.write_port()
            m.d.comb += [port.addr.eq(self.wa), port.data.eq(self.wd), port.en.eq(self.we)]
        for n in range(self.ports):
            read = store.read_port()
            m.d.comb += [read.addr.eq(getattr(self, f"a{n}")), read.en.eq(self.ren if self.form == "read enable" else 1)]
            form = self.form if n == 0 else "plain"
            register = Signal(self.width, name=f"reg{n}", reset_less=form != "reset", init=1 if form == "initial" else 0)
            domain = {"other clock": "other", "other edge": "fall"}.get(form, "sync")
            value = read.data
            if form == "enable" or form == "read enable":
                with m.If(self.en):
                    m.d[domain] += register.eq(value)
            elif form == "one enable":
                m.d[domain] += register[1:].eq(value[1:])
                with m.If(self.en):
                    m.d[domain] += register[0].eq(value[0])
            elif form == "inverted":
                with m.If(~self.en):
                    m.d[domain] += register.eq(value)
            elif form == "logic":
                m.d[domain] += register.eq(Cat(value[0] ^ self.en, value[1:]))
            else:
                m.d[domain] += register.eq(value)
            if form == "elsewhere":
                m.d.comb += self.extra.eq(value[3])
            m.d.comb += getattr(self, f"o{n}").eq(register)
        return m


def mapped(store: Store, folder: Path) -> Any:
    """The netlist of a memory without output registers, as Yosys maps it."""
    text = convert(store, "top")
    directory = folder / "mapped"
    directory.mkdir(exist_ok=True)
    import dataclasses

    return map_design(text, "top", dataclasses.replace(ECP5, output_registers=False), directory).netlist
