# SPDX-License-Identifier: Apache-2.0
"""Cores with registers around them, of both kinds: their files, their checks, and faults that the checks find."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from systemrdl import RDLCompiler
from systemrdl.node import FieldNode
from tests import built
from tests.built import slow
from tests.cores.front.cores import SECTORS, sector_core
from tests.external import needs

from modeloom.cli import main
from modeloom.cores.front import RegisterFrontEnd
from modeloom.emit import CheckFailed, emit, lint
from modeloom.front.map import PARTS, read_map
from modeloom.product.folder import read_description
from modeloom.sim.build import compiler
from modeloom.verification.front import check_registers, front_steps
from modeloom.verification.sector import SectorWork
from modeloom.verification.sector.host import Subject
from modeloom.verification.steps import today
from modeloom.verification.stream import MessageWork
from modeloom.verification.stream.host import StreamSubject

FUSESOC = Path(sys.executable).with_name("fusesoc")


def test_the_core_stays_as_it_is(sectors, tmp_path):
    """Only what tells of the front end differs from the files of the bare core."""
    emit(sector_core(), tmp_path / "bare", command="modeloom build xts --front registers")
    names = {path.name for path in (tmp_path / "bare").iterdir()}
    # The packages are those of the module around both.
    name = read_description(sectors).name
    packages = {f"{name}{ending}" for ending in (".xml", "_ip.tcl", "_vivado.tcl", "_sv.sv")}
    assert packages <= names
    names -= packages
    more = {path.name for path in sectors.iterdir()} - names
    changed = {name for name in names if (sectors / name).read_bytes() != (tmp_path / "bare" / name).read_bytes()}
    around = {f"{name}_registers{ending}" for ending in (".v", ".rdl", ".html", ".xml", "_ip.tcl", "_vivado.tcl", "_sv.sv")}
    assert more == {*around, "modeloom_registers.h", "modeloom.h", "modeloom.c"}
    sheets = {"datasheet.md", "datasheet.html"}
    assert changed == {*sheets, "core.json", "SHA256SUMS", f"{name}.core", f"{name}.cdx.json", f"{name}_waivers.vlt"}


def test_the_files_are_made_again(sectors):
    """``verify`` makes them of ``core.json``, and compares them byte for byte."""
    for file, text in today(sector_core(), read_description(sectors)).items():
        assert (sectors / file).read_text(encoding="utf-8") == text, file


def test_lint(sectors):
    lint(sectors)
    verilog = next(sectors.glob("*_registers.v"))
    text = verilog.read_text()
    verilog.write_text(text.replace(".aresetn(aresetn)", ".aresetn(aresetm)", 1))
    with pytest.raises(CheckFailed, match="aresetm"):
        lint(sectors)
    verilog.write_text(text)


def test_the_map_has_the_figures_of_the_core(sectors):
    """The emitted SystemRDL needs no parameters; its registers are those of ``core.json``."""
    description = read_description(sectors)
    compiler = RDLCompiler()
    compiler.compile_file(str(sectors / description.files.registers))
    top = compiler.elaborate().top
    fields = [node for node in top.descendants() if isinstance(node, FieldNode)]
    reset = {f"{field.parent.inst_name}.{field.inst_name}": field.get_property("reset") for field in fields}
    digest = description.sha256[description.verilog]
    assert reset["build.hash"] == int(digest[:8], 16)
    assert (reset["key_sizes.slots"], reset["key_sizes.bytes"], reset["capabilities.beat_bytes"]) == (3, 32, 16)
    front = RegisterFrontEnd(description)
    assert description.front.registers == {one.name: one.address for one in front.map.registers} == {
        one.name: one.address for one in read_map(front.figures).registers
    }  # fmt: skip


def test_the_header_agrees_with_the_map(sectors, tmp_path):
    """C++ takes it, and finds each register where the map has it."""
    description = read_description(sectors)
    lines = ["#include <cstddef>", f'#include "{sectors / description.files.header}"']
    for name, address in description.front.registers.items():
        plain = re.sub(r"(key_loaded|failures)(\d+)$", r"\1[\2]", name)
        lines.append(f'static_assert(offsetof(modeloom_registers_t, {plain}) == {address}, "{name}");')
    source = tmp_path / "header.cc"
    source.write_text("\n".join([*lines, "int main() { return 0; }", ""]))
    done = subprocess.run([*compiler(), "-Wall", "-Wextra", "-Werror", "-fsyntax-only", source], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("kind", ["sectors", "messages", "command_sectors", "command_messages"])
def test_the_header_has_no_value_of_another_core(kind, request):
    """The header is one for many cores.  The values of fields that it has are those of each of them."""
    folder = request.getfixturevalue(kind)
    description = read_description(folder)
    commands = description.front.commands is not None
    front = RegisterFrontEnd(description, commands=commands)
    map_of_all = read_map(front.figures, PARTS if commands else ())
    values = {f"{one.name}__{field.name}".upper(): field.reset for one in map_of_all.registers for field in one.fields}
    found = re.findall(r"#define MODELOOM_REGISTERS__(\w+)_reset (0x\w+)", (folder / description.files.header).read_text())
    assert {name: int(value, 16) for name, value in found}.items() <= values.items()
    names = {name for name, _ in found}
    assert {"IDENTIFICATION__MAGIC", "INTERRUPT_ENABLE__KEY_DONE"} <= names
    assert not any(name.startswith(("VERSION", "BUILD", "KEY_SIZES", "KEY_LENGTH", "COMMAND_STATE")) for name in names)


def test_sectors_with_registers(sectors):
    work = SectorWork(Subject(sectors, optimize=0))
    front, registers = (make() for make in front_steps(work))
    assert front.figures["control_signals"] > 500 and registers.figures["sectors"] == 72


def test_apb_changes_the_port_alone(apb_sectors, sectors):
    """The core, the map, the header and the driver are the same; lint and the check for timing channels know the bus."""
    lint(apb_sectors)
    d, other = read_description(apb_sectors), read_description(sectors)
    same = ("verilog", "registers", "page", "header", "driver", "driver_header", "bench", "listing")
    assert all((apb_sectors / getattr(d.files, kind)).read_bytes() == (sectors / getattr(d.files, kind)).read_bytes() for kind in same)
    assert (d.front.bus, other.front.bus, d.front.registers) == ("apb", None, other.front.registers)
    ports = {port.name for port in d.front.ports}
    assert {"s_apb_psel", "s_apb_pprot", "irq"} <= ports and not any(name.startswith("s_axil") for name in ports)
    front, *_ = front_steps(SectorWork(Subject(apb_sectors, optimize=0)))
    assert front().figures["control_signals"] > 500
    assert today(sector_core(), d)[d.files.front] == (apb_sectors / d.files.front).read_text(encoding="utf-8")


def test_sectors_with_registers_behind_apb(apb_sectors):
    _, registers = front_steps(SectorWork(Subject(apb_sectors, optimize=0)))
    assert registers().figures["sectors"] == 72


def test_messages_with_registers(messages):
    work = MessageWork(StreamSubject(messages, optimize=0))
    front, registers = (make() for make in front_steps(work))
    assert front.figures["control_signals"] > 500 and registers.figures["messages"] == 72


def test_a_core_without_a_front_end_has_no_such_steps():
    assert not list(front_steps(SectorWork(Subject(built.folder("xts", prove=False, **SECTORS), optimize=0))))


@needs("verilator")
def test_fusesoc_lints_it(sectors, tmp_path):
    name = read_description(sectors).name
    command = [FUSESOC, "--cores-root", sectors, "run", "--build-root", tmp_path, "--target", "lint_registers", name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


FAULTS = {
    "the interrupt of a key does not come": (r"working_reg & ~sent_reg", "1'b0", "no interrupt for key_done"),
    "a command that waits counts": (r"(commands_amount = s_axis_cmd_tvalid) & s_axis_cmd_tready", r"\1", "counters"),
}
"""Regular expressions with what stands there instead, and what the check says."""


@slow
@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_found(sectors, tmp_path, name):
    pattern, other, message = FAULTS[name]
    folder = tmp_path / "core"
    shutil.copytree(sectors, folder)
    verilog = next(folder.glob("*_registers.v"))
    text, count = re.subn(pattern, other, verilog.read_text())
    assert count, name
    verilog.write_text(text)
    with pytest.raises(CheckFailed, match=message):
        check_registers(SectorWork(Subject(folder, optimize=0)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["xts", "--front", "buttons"], "--front is registers, not buttons"),
        (["xts", "--front", "registers", "--register-bus", "wishbone"], "--register-bus is axi-lite or apb, not wishbone"),
        (["xts", "--register-bus", "apb"], "--register-bus is the bus of the registers of --front registers; add it"),
        (["gcm", "--front", "registers", "--keys", "inline"], "--front registers loads keys into slots"),
        (["gcm", "--front", "registers", "--interface", "lwc"], "--front registers is for cores with AXI4-Streams"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(tmp_path, capsys, arguments, message):
    with pytest.raises(SystemExit) as stop:
        main(["build", *arguments, "-o", str(tmp_path / "core")])
    told = capsys.readouterr().err
    assert stop.value.code == 2 and message in told and told.count("\n") == 1 and not (tmp_path / "core").exists()


def test_core_json_tells_of_it(sectors):
    value = json.loads((sectors / "core.json").read_text())
    assert value["front"]["kind"] == "registers" and value["files"]["front"] == f"{value['front']['top']}.v"
    ports = {port["name"] for port in value["front"]["ports"]}
    assert {"s_axil_awaddr", "irq", "zeroize", "s_axis_tdata"} <= ports and "s_axis_key_tdata" not in ports
