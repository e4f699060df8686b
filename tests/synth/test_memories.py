# SPDX-License-Identifier: Apache-2.0
"""Memories of a target: LUTs or blocks, and output registers: what moves, what stays, and that nothing else changes."""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from amaranth.hdl import Cat, ClockDomain, ClockSignal, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from tests.built import slowly
from tests.synth.designs import convert

from modeloom.rtl.aes.sboxes import SBox
from modeloom.sim.build import verilog_to_rtlil
from modeloom.synth import TARGETS, SynthesisError, memories, synthesize, synthesize_blocks, target_named
from modeloom.synth.memories import differences, with_output_registers
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
        "clk2fflogic", "rename -hide w:*DOA* w:*DOB* w:*OCE* w:*oce* w:latch*", "opt_clean", "rename top " + name, "design -stash " + name)
run("design -copy-from gold gold", "design -copy-from gate gate", "miter -equiv -flatten gold gate start", "hierarchy -top start",
    "sat -verify -prove trigger 0 -set-init-zero -seq 0 -tempinduct-baseonly -maxsteps 4", "design -reset")
run("design -copy-from gold gold", "design -copy-from gate gate", "equiv_make gold gate both", "hierarchy -top both",
    "equiv_induct -seq 4", "equiv_status -assert")
"""


def refuted(before: Any, after: Any, folder: Path) -> str:
    """Nothing if Yosys proves that both netlists, with the model of the memory, are equal for all states and at the start; else the
    command that fails.

    Clocks are inputs like others, so a wrong clock or edge is a difference.
    """
    (folder / "model.v").write_text(model())
    (folder / "gold.json").write_text(json.dumps(before))
    (folder / "gate.json").write_text(json.dumps(after))
    run = subprocess.run([sys.executable, "-u", "-P", "-c", _PROVE], cwd=folder, capture_output=True, text=True)
    return re.findall(r"Running command `tee -q (\w+)", run.stdout)[-1] if run.returncode else ""


class Store(wiring.Component):
    """A memory of 512 words with registers behind the latches of its data.

    Parameters
    ----------
    form : str
        What the registers of the first port are.  Those of the other ports are plain.
    width, ports : int
        Bits of a word, and number of ports to read.
    write : bool
        Whether it also has a port to write.  Otherwise it is a table.
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
            # Yosys heeds no_rw_check only where it merges the latch into the memory itself.
            read = store.read_port(domain="comb")
            latch = Signal(self.width, name=f"latch{n}", reset_less=True)
            m.d.comb += read.addr.eq(getattr(self, f"a{n}"))
            with m.If(self.ren if self.form == "read enable" else 1):
                m.d.sync += latch.eq(read.data)
            m.d.comb += getattr(self, f"o{n}").eq(self.register(m, latch, n, self.form if n == 0 else "plain"))
        return m

    def register(self, m: Module, latch: Signal, n: int, form: str) -> Signal:
        register = Signal(self.width, name=f"reg{n}", reset_less=form != "reset", init=int(form == "initial"))
        domain = {"other clock": "other", "other edge": "fall"}.get(form, "sync")
        value = Cat(latch[0] ^ self.en, latch[1:]) if form == "logic" else latch
        enable = {"enable": self.en, "read enable": self.en, "one enable": self.en, "inverted": ~self.en}.get(form, 1)
        with m.If(enable):
            m.d[domain] += register.eq(value)
        if form == "one enable":
            m.d[domain] += register[1:].eq(value[1:])
        if form == "elsewhere":
            m.d.comb += self.extra.eq(latch[3])
        return register


def mapped(store: Store, folder: Path) -> Any:
    """The netlist of a memory without output registers, as Yosys maps it."""
    (directory := folder / "mapped").mkdir()
    return map_design(convert(store, "top"), "top", replace(ECP5, output_registers=False), directory).netlist


def memory_of(netlist: Any) -> dict[str, Any]:
    (found,) = (cell for cell in netlist["modules"]["top"]["cells"].values() if cell["type"] == "DP16KD")
    return found


def registers(netlist: Any) -> int:
    return cell_counts(netlist, "top")["TRELLIS_FF"]


# -- what moves ------------------------------------------------------------------------------------------------------------------------

RAM = {"ports": 1, "write": True}


@pytest.mark.parametrize(
    ("form", "options", "modes", "enables"),
    [
        # The latch and the register have different enables.
        ("read enable", {}, "AB", ("en", "1")),
        # One port of 36 bits has the registers of both halves.
        ("enable", {"width": 36, **RAM}, "AB", ("en", "en")),
        *slowly(
            ("plain", {}, "AB", ("1", "1")),
            ("enable", {}, "AB", ("en", "1")),
            ("inverted", {}, "AB", ("en", "1")),
            ("enable", {"width": 18, **RAM}, "B", ("1", "en")),
        ),
    ],
)
def test_registers_move_into_the_memory(form, options, modes, enables, tmp_path):
    before = mapped(Store(form, **options), tmp_path)
    after = with_output_registers(before)
    assert registers(before) == options.get("width", 9) * options.get("ports", 2) and registers(after) == 0
    cell = memory_of(after)
    assert {side for side in "AB" if cell["parameters"][f"REGMODE_{side}"] == "OUTREG"} == set(modes)
    nets = {"1": ["1"], "en": before["modules"]["top"]["ports"]["en"]["bits"]}
    assert tuple(cell["connections"][f"OCE{side}"] for side in "AB") == tuple(nets[name] for name in enables)
    assert (cell["parameters"].get("OCEAMUX") == "INV") == (form == "inverted")
    assert not list(differences(before, after))
    assert not refuted(before, after, tmp_path)


@pytest.mark.parametrize("form", ["elsewhere", *slowly("initial", "reset", "logic", "other clock", "other edge", "one enable")])
def test_registers_that_stay(form, tmp_path):
    """Only the second port, whose registers are plain, takes them."""
    after = with_output_registers(before := mapped(Store(form), tmp_path))
    parameters = memory_of(after)["parameters"]
    assert (parameters["REGMODE_A"], parameters["REGMODE_B"], registers(after)) == ("NOREG", "OUTREG", 9)
    assert not refuted(before, after, tmp_path)


# -- what is refused -------------------------------------------------------------------------------------------------------------------

def forced(netlist: Any) -> Any:
    """The netlist with the registers behind port A inside the memory, whatever they are, without their enable and other readers."""
    result = copy.deepcopy(netlist)
    cells, memory = result["modules"]["top"]["cells"], memory_of(result)
    behind = {cell["connections"]["DI"][0]: name for name, cell in cells.items() if cell["type"] == "TRELLIS_FF"}
    for pin, (bit,) in memory["connections"].items():
        if pin.startswith("DOA") and bit in behind:
            memory["connections"][pin] = cells.pop(behind[bit])["connections"]["Q"]
    memory["parameters"]["REGMODE_A"] = "OUTREG"
    return result


@pytest.mark.parametrize("form", ["initial", "other clock", *slowly("reset", "elsewhere", "other edge", "one enable", "enable")])
def test_wrong_moves_are_refused(form, tmp_path, monkeypatch):
    """Both proofs find them: that of the flow, which compares cells, and that of Yosys with the model of the memory."""
    before = mapped(Store(form), tmp_path)
    wrong = forced(before)
    assert list(differences(before, wrong))
    assert refuted(before, wrong, tmp_path) in ("sat", "equiv_status")
    monkeypatch.setattr(memories, "_folded", lambda module: wrong["modules"]["top"] if module is before["modules"]["top"] else module)
    with pytest.raises(SynthesisError, match="a register behind a block memory was moved wrongly into it: module top: "):
        with_output_registers(before)


Change = Callable[[dict[str, Any], dict[str, Any]], Any]

CHANGES: dict[str, Change] = {
    "enable of a half": lambda cells, memory: memory["connections"].update(OCEA=["1"]),
    "inverted enable": lambda cells, memory: memory["parameters"].update(OCEAMUX="INV", OCEBMUX="INV"),
    "enable that is none": lambda cells, memory: memory["parameters"].update(OCEAMUX="0", OCEBMUX="0"),
    "register of a half": lambda cells, memory: memory["parameters"].update(REGMODE_A="NOREG"),
    "clock": lambda cells, memory: memory["connections"].update(CLKB=[memory["connections"]["CEB"][0]]),
    "edge": lambda cells, memory: memory["parameters"].update(CLKBMUX="INV"),
    "reset": lambda cells, memory: memory["connections"].update(RSTB=memory["connections"]["OCEB"]),
    "global reset": lambda cells, memory: memory["parameters"].update(GSR="ENABLED"),
    "contents": lambda cells, memory: memory["parameters"].update(INITVAL_07="1"),
    "width": lambda cells, memory: memory["parameters"].update(DATA_WIDTH_B="10010"),
    "two outputs": lambda cells, memory: memory["connections"].update({f"DOA{n}": memory["connections"][f"DOA{1 - n}"] for n in (0, 1)}),
    "an output": lambda cells, memory: memory["connections"].pop("DOB5"),
    "an address": lambda cells, memory: memory["connections"].update(ADB9=memory["connections"]["ADB10"]),
    "kind": lambda cells, memory: memory.update(type="PDPW16KD"),
    "another cell": lambda cells, memory: cells.update(new=cells[next(name for name in cells if cells[name] is not memory)]),
    "a cell less": lambda cells, memory: cells.pop(next(name for name in cells if cells[name] is not memory)),
}


class Beside(Store):
    """A memory with a register of its own beside those of its data."""

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        m.d.sync += self.extra.eq(self.en ^ self.ren)
        return m


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    before = mapped(Beside("enable", width=36, **RAM), tmp_path_factory.mktemp("wide"))
    return before, with_output_registers(before)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_the_proof_finds_every_change(change, wide):
    before, after = wide[0], copy.deepcopy(wide[1])
    assert not list(differences(before, after))
    change(after["modules"]["top"]["cells"], memory_of(after))
    assert list(differences(before, after))


def test_the_proof_finds_changes_of_ports_modules_and_readers(wide):
    before, after = wide
    top, renamed = after["modules"]["top"], {**after, "modules": {**after["modules"], "other": after["modules"]["top"]}}
    assert list(differences(before, renamed)) == ["the modules differ"]
    ports = {**top["ports"], "extra": {**top["ports"]["extra"], "bits": top["ports"]["en"]["bits"]}}
    assert list(differences(before, {**after, "modules": {**after["modules"], "top": {**top, "ports": ports}}}))
    # The net of a latch is read by nothing in the second netlist.
    latch = memory_of(before)["connections"]["DOA0"]
    ports = {**top["ports"], "more": {"direction": "output", "bits": latch}}
    both = [{**each, "modules": {**each["modules"], "top": {**each["modules"]["top"], "ports": ports}}} for each in (before, after)]
    assert any("is read elsewhere" in each for each in differences(*both))


@pytest.mark.parametrize("what", ["register", "latch"])
def test_nets_and_registers_with_keep_stay(what, tmp_path):
    before = mapped(Store(ports=1), tmp_path)
    top = before["modules"]["top"]
    if what == "register":
        next(cell for cell in top["cells"].values() if cell["type"] == "TRELLIS_FF")["attributes"]["keep"] = "1"
    else:
        top["netnames"]["kept"] = {"bits": memory_of(before)["connections"]["DOA0"], "attributes": {"keep": "1"}}
    assert registers(with_output_registers(before)) == 9


# -- figures ---------------------------------------------------------------------------------------------------------------------------

def test_figures_without_the_registers_inside_memories(tmp_path):
    before = mapped(Beside(), tmp_path)
    after = with_output_registers(before)
    counts = [figures(cell_counts(netlist, "top"), ECP5) for netlist in (before, after)]
    assert [(each.ffs, each.memories["bram_cells"], each.luts) for each in counts] == [(19, 1, 1), (1, 1, 1)]
    assert lut_ff_pairs(before, "top", ECP5).register_only - lut_ff_pairs(after, "top", ECP5).register_only == 18
    # The output of a memory is that of a register, so the levels are the same.
    assert depth(before, "top", ECP5).levels == depth(after, "top", ECP5).levels
    names = after["modules"]["top"]["netnames"].values()
    gone = {bit for n in range(9) for bit in memory_of(before)["connections"][f"DOA{n}"]}
    assert not any(gone.intersection(net["bits"]) for net in names)


class Sum(wiring.Component):
    """The parity of a word of a memory with a register, in a register."""

    def __init__(self) -> None:
        super().__init__({"a": In(9), "o": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.left = left = Store(ports=1)
        m.submodules.right = right = Store("initial", ports=1)
        m.d.comb += [left.a0.eq(self.a), right.a0.eq(self.a)]
        m.d.sync += self.o.eq(left.o0.xor() ^ right.o0.xor())
        return m


def test_levels_from_output_registers_and_figures_by_groups():
    text = convert(Sum(), "top")
    whole = synthesize(text, "top", "ecp5", groups={"left": ["left"], "right": ["right"]})
    # A parity of 18 registers of which the memory has nine.
    assert (whole.ffs, whole.memories["bram_cells"]) == (10, 2)
    assert whole.levels_register == whole.levels >= 2
    assert {group: found.ffs for group, found in whole.blocks.items()} == {"left": 0, "right": 9, "other": 1}
    known: dict[Any, Any] = {}
    found = synthesize_blocks(text, "top", "ecp5", {"left": ["left"], "right": ["right"]}, known=known)
    assert found.total.ffs == 10
    assert all("output registers" in key for key in known)


def test_other_targets_have_none():
    assert [name for name, target in TARGETS.items() if target.output_registers] == ["ecp5"]


def test_s_boxes_in_block_memories():
    """The second register of an S-box in a block memory is the memory's own."""
    result = synthesize(convert(SBox("bram", stages=2), "sbox"), "sbox", "ecp5")
    assert (result.ffs, result.luts, result.memories["bram_cells"], result.levels) == (0, 0, 1, 0)


# -- LUTs or blocks --------------------------------------------------------------------------------------------------------------------

def undecided(words: int, width: int = 128, attributes: str = "no_rw_check") -> str:
    """RTLIL of a memory from Verilog, with a port to write and one to read."""
    bits = (words - 1).bit_length()
    return (
        f"module top(input clk, input we, input [{bits - 1}:0] wa, ra, input [{width - 1}:0] d, output reg [{width - 1}:0] q);\n"
        f"(* {attributes} *) reg [{width - 1}:0] words [{words - 1}:0];\n"
        "always @(posedge clk) begin if (we) words[wa] <= d; q <= words[ra]; end\nendmodule\n"
    )


@pytest.fixture
def rtlil_of(tmp_path):
    def convert_text(text: str) -> str:
        (tmp_path / "top.v").write_text(text)
        return verilog_to_rtlil(tmp_path / "top.v", "top")

    return convert_text


FEW = {"ecp5": 32, "xc7": 64, "xcup": 64, "xc6v": 64, "xc5v": 64, "xc4v": 16, "xc3se": 16, "nexus": 32, "gowin": 32}


@pytest.mark.parametrize("target", ["ecp5", "xc7", *slowly("xcup", "xc6v", "xc5v", "xc4v", "xc3se", "nexus", "gowin")])
def test_few_words_become_luts_and_many_block_memories(target, rtlil_of):
    least = TARGETS[target].block_words
    assert FEW[target] < least
    style = '(* no_rw_check, rw_addr_collision = "no", ramstyle = "no_rw_check" *)'[3:-3]
    few, many = (synthesize(rtlil_of(undecided(words, attributes=style)), "top", target) for words in (FEW[target], least))
    assert few.memories["bram_cells"] == 0 < few.memories["lutram_luts"]
    assert many.memories["lutram_luts"] == 0 < many.memories["bram_cells"]


def test_every_target_with_luts_has_a_number_of_words():
    counted = {name: target for name, target in TARGETS.items() if target.block_words}
    assert counted.keys() == {name for name, target in TARGETS.items() if target.lut_inputs}
    assert {name for name, target in counted.items() if target.lut_memories} == FEW.keys()


def styles(text: str, target: str = "ecp5") -> list[str]:
    return re.findall(r'attribute \\ram_style "(\w+)"', memories.with_styles(text, target_named(target)))


def test_only_memories_without_a_style_get_one(rtlil_of):
    assert styles(rtlil_of(undecided(64))) == ["block"]
    assert styles(rtlil_of(undecided(63))) == ["distributed"]
    # As many bits, of too many or too few words.
    assert styles(rtlil_of(undecided(32, 1024))) == ["distributed"]
    assert styles(rtlil_of(undecided(256, 16))) == ["distributed"] and styles(rtlil_of(undecided(512, 16))) == ["block"]
    assert styles(rtlil_of(undecided(128, attributes='no_rw_check, ram_style = "distributed"'))) == ["distributed"]
    for given in ('rom_style = "block"', 'ramstyle = "MLAB"', 'syn_ramstyle = "block_ram"', "ram_block"):
        assert styles(rtlil_of(undecided(128, attributes=f"no_rw_check, {given}"))) == []
    assert styles(rtlil_of(undecided(128, attributes="keep"))) == []
    assert styles(rtlil_of(undecided(128)), "gates") == []
