# SPDX-License-Identifier: Apache-2.0
"""Cores whose buses have clocks of their own, and other resets: their files, their checks, and faults that the checks find."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests import streamed
from tests.built import slow, slowly
from tests.cores.front.checks import changed, compare_files
from tests.cores.front.cores import MESSAGES, message_core, sector_core
from tests.emit.package.flat import flat
from tests.emit.package.linted import found_by_lint

from modeloom.cli import main
from modeloom.cores.front import clock_options, front_of
from modeloom.cores.stream import StreamCore
from modeloom.emit import CheckFailed, emit, lint
from modeloom.emit.package import outside
from modeloom.product.folder import read_description
from modeloom.product.simulated import Sector, SimulatedCore
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.sim import Clock
from modeloom.taint import TimingChannel
from modeloom.verification.clocks import ROUNDS, check_paths, crossing_control
from modeloom.verification.front import PIECES, front_steps
from modeloom.verification.sector import SectorWork
from modeloom.verification.sector.host import Subject
from modeloom.verification.stream import MessageWork
from modeloom.verification.stream.host import StreamSubject


def told(folder) -> dict:
    return json.loads((folder / "core.json").read_text())["front"]["clocks"]


def test_the_core_stays_as_it_is(clocked_sectors, tmp_path):
    emit(sector_core(), tmp_path / "bare", command="modeloom build xts --clock data=clk_data")
    bare, both = ({path.name for path in folder.iterdir()} for folder in (tmp_path / "bare", clocked_sectors))
    name = read_description(clocked_sectors).name
    made = (".xml", "_ip.tcl", "_vivado.tcl", "_sv.sv")
    assert both - bare == {f"{name}_clocks{ending}" for ending in (*made, ".v", ".xdc", ".sdc", "_quartus.sdc")}
    assert bare - both == {f"{name}{ending}" for ending in made}
    for file in (f"{name}.v", f"{name}_tb.sv", "modeloom_interfaces.sv"):
        assert (clocked_sectors / file).read_bytes() == (tmp_path / "bare" / file).read_bytes(), file
    hashes = (clocked_sectors / "SHA256SUMS").read_text()
    assert all(f"{name}_clocks{ending}\n" in hashes for ending in (".xdc", ".sdc", "_quartus.sdc"))


def test_the_datasheet_has_one_top(clocked_sectors, clocked_messages):
    """A module inside is not called the top, and has no clock of the host."""
    for folder in (clocked_sectors, clocked_messages):
        for sheet in ("datasheet.md", "datasheet.html"):
            assert (folder / sheet).read_text().count("port of the top") == 1, sheet
    name, sheet = read_description(clocked_messages).name, (clocked_messages / "datasheet.md").read_text()
    inner, top = f"port of `{name}_registers`", "port of the top"
    assert f"`{name}_registers` is inside `{name}_clocks`" in sheet and inner in sheet
    tables = {head: sheet.partition(f"| {head} |")[2].partition("\n\n")[0] for head in (inner, top)}
    assert "`clk_host`" not in tables[inner] and "`clk_host`" in tables[top]


@pytest.mark.parametrize("kind", ["sectors", "messages"])
def test_the_files_are_made_again(kind, request):
    compare_files(sector_core() if kind == "sectors" else message_core(), request.getfixturevalue(f"clocked_{kind}"))


def test_lint(clocked_sectors, clocked_messages):
    lint(clocked_sectors)
    lint(clocked_messages)


def test_core_json_tells_of_it(clocked_sectors, clocked_messages):
    sectors, messages = told(clocked_sectors), told(clocked_messages)
    assert [(one["name"], one["buses"]) for one in sectors["clocks"]] == [
        ("clk_host", ["s_axis_cmd", "m_axis_status", "s_axis_key"]), ("clk_data", ["s_axis", "m_axis"])
    ]  # fmt: skip
    assert (sectors["reset"], sectors["reset_high"], sectors["reset_asynchronous"]) == ("areset", True, True)
    assert [(one["name"], one["buses"]) for one in messages["clocks"]] == [
        ("clk_host", ["s_axil", "s_axis_cmd", "s_axis", "m_axis", "m_axis_status"])
    ]  # fmt: skip
    assert (messages["reset"], messages["reset_high"], messages["reset_asynchronous"]) == ("aresetn", False, False)
    front = json.loads((clocked_messages / "core.json").read_text())["front"]
    assert (front["kind"], front["top"].endswith("_clocks"), front["width"]["bits"]) == ("registers", True, 32)
    ports = [port["name"] for port in front["ports"]]
    assert ports[:4] == ["aclk", "aresetn", "clk_host", "zeroize"] and "clk_host_zeroizing" in ports
    sheet = (clocked_sectors / "datasheet.md").read_text()
    assert "`clk_data` is the clock of `s_axis`, `m_axis`." in sheet and "It is active high, and may begin and end at any time." in sheet


@pytest.mark.parametrize("core", ["clocked_sectors", *slowly("clocked_messages")])
def test_constraints_name_all_crossings(request, core):
    """The names are those of registers in the netlist: ``check_paths`` refuses a path of ``core.json`` that is not there."""
    folder = request.getfixturevalue(core)
    d, clocks = read_description(folder), told(folder)
    assert check_paths(folder, d) > 500
    xdc, quartus, plain = ((folder / (d.front.top + ending)).read_text() for ending in (".xdc", "_quartus.sdc", ".sdc"))
    instance = clocks["instance"]
    assert f" {instance} (" in (folder / d.front.verilog).read_text()
    for one in clocks["crossings"]:
        *instances, register = one["target"].split("/")
        assert f"NAME =~ {instance}/{one['target']}_reg* || NAME =~ */{instance}/{one['target']}_reg*" in xdc
        assert f"{{{instance}/{one['target']}* */{instance}/{one['target']}*}}" in plain
        assert "|".join([f"*:{instance}", *(f"*:{name}" for name in instances), f"{register}*"]) in quartus
        if one["kind"] not in ("reset", "memory"):
            assert f"*/{instance}/{one['source']}_reg*" in xdc
    # A name is a whole part of a path: a core whose name ends in this one has other cells.
    assert not re.findall(rf"\*{instance}/", xdc + plain)
    kinds = [one["kind"] for one in clocks["crossings"]]
    assert xdc.count("\nset_bus_skew ") == quartus.count("\nset_max_skew ") == kinds.count("gray") > 5
    assert xdc.count("\nset_max_delay -datapath_only ") == len(kinds) - kinds.count("reset")
    assert xdc.count("\nset_false_path ") == kinds.count("reset")
    # XDC has no other commands of Tcl (UG903).
    assert {line.split()[0] for line in xdc.splitlines() if line and line[0] != "#"} <= {
        "set", "set_max_delay", "set_bus_skew", "set_false_path"
    }  # fmt: skip
    core = (folder / d.files.package).read_text()
    assert f"files: [{d.files.xdc}]\n    file_type: xdc" in core and '"tool_vivado ? (constraints_vivado)"' in core
    assert f"[file join $here {d.files.xdc}]" in (folder / d.files.vivado_ip).read_text()
    assert f"read_xdc [file join $here {d.files.xdc}]" in (folder / d.files.vivado_run).read_text()
    for clock in clocks["clocks"]:
        assert f"create_clock -name {clock['name']} " in (folder / d.files.vivado_run).read_text()
        script = (folder / d.files.vivado_ip).read_text()
        found = re.search(rf"{clock['name']} clock]\nmodeloom_parameter \$clock ASSOCIATED_BUSIF (\S+)", script)
        assert found and set(found[1].split(":")) == set(clock["buses"])


TOP = """CAPI=2:
name: company:disk:top:1.0
filesets:
  rtl:
    depend: ["modeloom:modes:{name}"]
targets:
  default:
    filesets: [rtl]
    toplevel: top
    {tool}
"""

TOOLS = {
    "vivado": ("flow: vivado\n    flags: {tool_vivado: true}\n    flow_options: {part: xc7a35tcsg324-1}", "_clocks.xdc"),
    "quartus": ("default_tool: quartus\n    tools:\n      quartus: {family: Cyclone V, device: 5CSXFC6D6F31C6}", "_clocks_quartus.sdc"),
}


@pytest.mark.parametrize("tool", TOOLS)
def test_fusesoc_passes_the_constraints_on(clocked_sectors, tmp_path, tool):
    fusesoc = Path(sys.executable).with_name("fusesoc")
    told, ending = TOOLS[tool]
    name = read_description(clocked_sectors).name
    (tmp_path / "top").mkdir()
    (tmp_path / "top" / "top.core").write_text(TOP.format(name=name, tool=told))
    roots = ["--cores-root", clocked_sectors, "--cores-root", tmp_path / "top"]
    command = [fusesoc, *roots, "run", "--setup", "--build-root", tmp_path / "build", "company:disk:top"]
    done = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout
    (edam,) = (tmp_path / "build").rglob("*.eda.yml")
    found = {line.rpartition("/")[2] for line in edam.read_text().splitlines() if line.endswith((".xdc", ".sdc"))}
    assert found == {f"{name}{ending}"}


def test_sectors_with_two_clocks(clocked_sectors):
    """The bare core and the whole give the same."""
    key, jobs = bytes(range(32)), [Sector(bytes([n]) * 16, bytes(range(n, n + 64)), bool(n % 2)) for n in range(12)]
    results = []
    clocks = {"aclk": Clock(700), "clk_host": Clock(1900, 3, 400), "clk_data": Clock(300)}
    for options in ({}, {"front": True}, {"front": True, "clocks": clocks}):
        core = SimulatedCore(clocked_sectors, optimize=0, **options)
        core.load_key(key)
        core.load_key(key[::-1], 1)
        results.append(core.run(jobs))
        core.erase_key(1)
        assert core.simulation.get("key_loaded") == 1
    assert results[0] == results[1] == results[2]


def test_messages_with_registers_in_another_clock(clocked_messages):
    core = SimulatedStreamCore(clocked_messages, front=True, optimize=0)
    core.load_key(bytes(16))
    nonce = bytes(core.description.nonces[0])
    for ad, text in ((0, 0), (5, 20), (70, 100)):
        sealed = core.seal(nonce, bytes(range(text)), bytes(range(ad)))
        assert core.open(nonce, sealed, bytes(range(ad))) == bytes(range(text))
    core.registers.zeroize()
    assert core.registers.flag("key_loaded") == 0


@pytest.mark.parametrize("reset", ["high", "async-low"])
def test_a_reset_alone(reset, tmp_path):
    """No clock but that of the core."""
    core = sector_core()
    emit(core, tmp_path / "core", command="modeloom build xts --reset", front=front_of(None, None, clock_options((), reset)))
    lint(tmp_path / "core")
    d = read_description(tmp_path / "core")
    assert (d.front.kind, d.front.clocks.clocks, d.files.xdc is None) == ("clocks", (), reset == "high")
    simulated = SimulatedCore(tmp_path / "core", optimize=0, front=True)
    simulated.load_key(bytes(range(32)))
    pin, active = d.front.clocks.reset, int(d.front.clocks.reset_high)
    simulated.simulation.set(pin, active)
    simulated.runner.run(max_cycles=1)
    simulated.simulation.set(pin, 1 - active)
    simulated.runner.run(max_cycles=4)
    assert simulated.simulation.get("zeroizing")
    simulated.runner.run(max_cycles=d.erase_cycles)
    assert not simulated.simulation.get("zeroizing") and not simulated.simulation.get("key_loaded")


@slow
def test_checks_of_sectors(clocked_sectors):
    work = SectorWork(Subject(clocked_sectors, optimize=1))
    front, clocks = (make() for make in front_steps(work))
    assert front.figures["control_signals"] > 1000
    assert clocks.figures["sectors"] >= 160 and clocks.figures["gray_changes"] > 100 and clocks.figures["words_that_differed"] > 100


@slow
def test_checks_of_messages(clocked_messages):
    work = MessageWork(StreamSubject(clocked_messages, optimize=1))
    front, width, clocks, registers = (make() for make in front_steps(work))
    assert front.figures["control_signals"] > 1000 and width.figures["messages"] == 400
    assert clocks.figures["words_that_differed"] > 50 and registers.figures["messages"] > 20
    assert clocks.figures["messages"] >= 4 * ROUNDS * PIECES


MORE = {
    "gcm": ("gcm", {}, None, ("all=clk_host",)), "gcm data": ("gcm", {}, None, ("data=clk_host",)),
    "gcm channels": ("gcm", {"channels": 3}, None, ("data=clk_a", "status=clk_b")),
    "gcm wire 512": ("gcm", {"packet": "wire"}, 512, ("data-in=clk_a", "data-out=clk_b", "command=clk_a")),
    "gcm inline": ("gcm", {"keys": "inline"}, None, ("key=clk_a", "command=clk_b")),
}  # fmt: skip
"""Mode, options, width, and clocks."""


@slow
@pytest.mark.parametrize("name", MORE)
def test_messages_of_all_forms(name, tmp_path):
    mode, options, width, clocks = MORE[name]
    common = {key: value for key, value in MESSAGES.items() if not (key == "key_slots" and "keys" in options)}
    core = StreamCore(streamed.compiled(mode, prove=False, **{**common, **options}))
    emit(core, tmp_path / "core", command="modeloom build", front=front_of(None, width, clock_options(clocks, "async-low")))
    lint(tmp_path / "core")
    steps = [make() for make in front_steps(MessageWork(StreamSubject(tmp_path / "core", optimize=1)))]
    assert steps[-1].name == "clocks" and steps[-1].figures["messages"] >= 160


def test_a_missing_register_is_found(clocked_sectors, tmp_path):
    folder = changed(clocked_sectors, tmp_path / "core", "assign o = stable_reg;", "assign o = meta_reg;")
    with pytest.raises(CheckFailed, match="has no second register behind it"):
        check_paths(folder, read_description(folder))


def test_a_leak_is_found(clocked_sectors, tmp_path):
    folder = changed(clocked_sectors, tmp_path / "core", r"(assign core_s_axis_tvalid = )", r"\1core_s_axis_tdata[3] & ")
    with pytest.raises(TimingChannel, match="core_s_axis_tvalid"):
        crossing_control(folder / read_description(folder).front.verilog, read_description(folder))


@slow
def test_plain_binary_is_found(clocked_sectors, tmp_path):
    """A place of a queue that is not in Gray code.  The netlist looks the same, so values have to be looked at."""
    folder = changed(clocked_sectors, tmp_path / "core", r"w_gray_reg <= (\w+)\[4:0\] \^ \{ 1'h0, \1\[4:1\] \}", r"w_gray_reg <= \1[4:0]")
    steps = list(front_steps(SectorWork(Subject(folder, optimize=1))))
    with pytest.raises(CheckFailed, match=r"w_gray_reg changes in \d bits at a time"):
        steps[-1]()


@slow
def test_plain_binary_is_found_behind_registers(clocked_messages, tmp_path):
    folder = changed(clocked_messages, tmp_path / "core", r"w_gray_reg <= (\w+)\[4:0\] \^ \{ 1'h0, \1\[4:1\] \}", r"w_gray_reg <= \1[4:0]")
    _, _, clocks, _ = front_steps(MessageWork(StreamSubject(folder, optimize=1)))
    with pytest.raises(CheckFailed, match=r"w_gray_reg changes in \d bits at a time"):
        clocks()


@slow
def test_work_goes_through_the_crossings_of_a_core_with_registers(clocked_commands):
    """Commands and statuses go over registers in a clock of their own."""
    *_, clocks, _ = (make() for make in front_steps(MessageWork(StreamSubject(clocked_commands, optimize=1))))
    assert clocks.name == "clocks" and clocks.figures["messages"] >= 4 * ROUNDS * PIECES and clocks.figures["gray_changes"] > 100


PORTS = ("data-in", "data-out", "command", "status", "key")

NAMES = {
    "usual": ("s_axi_aclk", "s_axil_aclk", "clk_core", "key_clk", "aclk2"),
    "parts": ("pushed_ends", "keys_sent_reg", "reset_core", "corex", "irq"),
    "endings": ("clk_zeroizing", "zeroizing_x", "sync", "host", "read"),
    "children": ("caught_clk", "asks", "hold", "write", "clk_clk"),
}
"""Names of clocks that are not those of anything else, though some are near."""


@pytest.mark.parametrize("kind", NAMES)
def test_names_of_clocks(kind, tmp_path):
    """What is accepted gives Verilog that Verilator lints, also in the module with interfaces, and has each name as that of a port."""
    clocks = [f"{bus}={clock}" for bus, clock in zip(PORTS, NAMES[kind], strict=True)]
    emit(sector_core(), tmp_path / "core", command="modeloom build xts", front=front_of(None, None, clock_options(clocks, "async-high")))
    lint(tmp_path / "core")
    description = read_description(tmp_path / "core")
    assert tuple(sorted(one.name for one in description.front.clocks.clocks)) == tuple(sorted(NAMES[kind]))
    assert check_paths(tmp_path / "core", description) > 100
    files = [description.files.interfaces, *outside(description).verilog, description.files.wrapper, description.files.waivers]
    top = f"{description.front.top}_flat"
    (tmp_path / f"{top}.sv").write_text(flat(description, tmp_path / "core"))
    assert found_by_lint(top, [*(tmp_path / "core" / file for file in files), tmp_path / f"{top}.sv"], tmp_path) == ""


def test_names_of_clocks_of_registers(tmp_path):
    clocks = clock_options(["registers=s_axi_aclk,data=key_busy"], None)
    emit(sector_core(), tmp_path / "core", command="modeloom build xts", front=front_of("registers", None, clocks))
    lint(tmp_path / "core")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["xts", "--clock", "data=clk_a,key"], "--clock is BUS=CLOCK, such as data=clk_data, not data=clk_a,key"),
        (["xts", "--clock", "data"], "--clock is BUS=CLOCK, such as data=clk_data, not data"),
        (["xts", "--clock", "tweak=clk_a"], "a bus is data, data-in, data-out, command, status, key, registers or all, not tweak"),
        (["xts", "--clock", "data=clk_a", "--clock", "data-in=clk_b"], "--clock gives data-in two clocks, clk_a and clk_b; leave one out"),
        (["xts", "--clock", "all=clk_a", "--clock", "all=clk_b"], "--clock all is there twice; leave one out"),
        (["xts", "--clock", "data=aclk"], "aclk is the clock of the core; choose another name, such as clk_data"),
        (["xts", "--clock", "data=key_busy"], "--clock: key_busy is the name of another port; choose another one"),
        (["xts", "--clock", "data=aresetn"], "--clock: aresetn is the name of another port; choose another one"),
        (["xts", "--clock", "data=areset", "--reset", "high"], "--clock: areset is the name of another port; choose another one"),
        (["xts", "--clock", "data=clk,key=clk_zeroizing"], "--clock: clk_zeroizing is the name of another port; choose another one"),
        (["xts", "--clock", "data=core"], "core is the name of a module or an instance of this core; choose another one"),
        (["xts", "--clock", "data=s_axis"], "s_axis begins like the ports of the bus s_axis; choose another name, such as clk_s_axis"),
        (["xts", "--clock", "data=s_axis_tdest"], "s_axis_tdest begins like the ports of the bus s_axis; choose another name"),
        (["xts", "--front", "registers", "--clock", "all=s_axil_aclk"], "s_axil_aclk begins like the ports of the bus s_axil; choose"),
        (["xts", "--clock", "data=core_zeroizing"], "core_zeroizing begins with core_ like nets beside the core; choose another name"),
        (["xts", "--clock", "data=key_flags_to,key=b"], "two parts of the crossings would have the same name with key_flags_to"),
        (["xts", "--clock", "data=modeloom_axi_stream"], "modeloom_axi_stream is the name of a SystemVerilog interface"),
        (["xts", "--clock", "data=comb"], "comb has a meaning in the generator; choose another name, such as comb_clk"),
        (["xts", "--clock", "data=signature"], "signature has a meaning in the generator; choose another name, such as signature_clk"),
        (["xts", "--clock", "data=caught", "--reset", "async-low"], "caught has a meaning in the generator"),
        (["xts", "--clock", "data=double"], "double is a C++ keyword; choose another name, such as clk_data"),
        (["xts", "--clock", "data=clk,key=clk_host"], "--clock: clk_host is the name of a part of the crossings; choose another one"),
        (["xts", "--clock", "data=order,status=clk_b"], "order is the name of a part of the crossings"),
        (["xts", "--clock", "data=xts_512_crossings"], "xts_512_crossings is the name of a module or an instance of this core; choose"),
        (["xts", "--clock", "key=clk_a,data=xts_512_clocks"], "xts_512_clocks is the name of a module or an instance of this core"),
        (["xts", "--clock", "data=xts_512"], "xts_512 is the name of a module or an instance of this core"),
        (["gcm", "--name", "disk", "--clock", "data=disk_crossings"], "disk_crossings is the name of a module or an instance of this core"),
        (["gcm", "--name", "disk", "--front", "registers", "--clock", "registers=disk_registers"],
         "disk_registers is the name of a module or an instance of this core"),
        (["xts", "--clock", "data=Clk"], "the name of a clock has lower-case letters, digits and single underscores"),
        (["xts", "--clock", "registers=clk_a"], "--clock registers is for --front registers; add it, or name another bus"),
        (["xts", "--front", "registers", "--clock", "key=clk_a"], "keys are written to registers; use --clock registers"),
        (["gcm", "--interface", "lwc", "--clock", "data=clk_a"], "--clock and --reset are for cores with AXI4-Streams"),
        (["gcm", "--interface", "lwc", "--reset", "high"], "--clock and --reset are for cores with AXI4-Streams"),
        (["xts", "--reset", "up"], "--reset is low, high, async-low or async-high, not up"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(tmp_path, capsys, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main(["build", *arguments, "-o", "new"])
    said = capsys.readouterr().err
    assert stop.value.code == 2 and message in said and said.count("\n") == 1 and not (tmp_path / "new").exists()
