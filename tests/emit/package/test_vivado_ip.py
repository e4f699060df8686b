# SPDX-License-Identifier: Apache-2.0
"""The script that packages an IP, run with the commands of Vivado that it uses (``packager``)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.emit.package import packager
from tests.emit.package.folders import CASES, WITH_REGISTERS, folder
from tests.emit.package.yosys_ports import ports_of
from tests.external import needs

from modeloom.emit.package import outside
from modeloom.emit.package.vivado import quoted
from modeloom.front.map import read_map
from modeloom.product.folder import read_description

pytestmark = needs("tcl")

BUSES = ["s_axis_cmd", "s_axis", "m_axis", "m_axis_status"]

CLOCKS = {
    "clocked": {
        "aclk": [], "clk_cpu": ["s_axil"], "clk_cmd": ["s_axis_cmd"], "clk_in": ["s_axis"], "clk_out": ["m_axis"],
        "clk_status": ["m_axis_status"],
    },
    "clocked-messages": {"aclk": ["s_axis_cmd", "m_axis", "m_axis_status"], "clk_cpu": ["s_apb"], "clk_data": ["s_axis"]},
    "registers": {"aclk": ["s_axil", *BUSES]}, "apb": {"aclk": ["s_apb", *BUSES]}, "lwc": {"aclk": ["pdi", "sdi", "do"]},
}  # fmt: skip
"""The buses of each clock, where they are not those of a core alone."""

ALONE = {"aclk": [*BUSES, "s_axis_key"]}

RESETS = {"clocked": ("areset", "ACTIVE_HIGH")}
"""The reset and its polarity, where they are not those of most cores."""

USUAL = ("aresetn", "ACTIVE_LOW")


def script_of(kind: str) -> Path:
    name = read_description(folder(kind)).files.vivado_ip
    assert name
    return folder(kind) / name


@pytest.mark.parametrize("kind", CASES)
def test_nothing_is_inferred(kind):
    """The script makes all buses: each signal is a port of the Verilog, in one bus."""
    tool = packager.Packager()
    tool.run(script_of(kind))
    assert tool.saved and tool.calls[-2:] == ["ipx::save_core", "puts"]
    seen, ports = outside(read_description(folder(kind))), ports_of(folder(kind))
    assert tuple(tool.files) == seen.verilog and tool.things["sources"].properties == {"top": seen.top}
    clocks, (reset, polarity) = CLOCKS.get(kind, ALONE), RESETS.get(kind, USUAL)
    buses = {name: bus for name, bus in tool.of_kind("bus").items() if name not in {*clocks, reset, "irq"}}
    mapped = [one.properties["physical_name"] for name in buses for one in tool.children("port map", name).values()]
    assert len(set(mapped)) == len(mapped) and set(mapped) <= ports.keys()
    prefixes = ("s_ax", "s_apb", "m_ax", "pdi", "sdi", "do_")
    assert set(mapped) == {name for name in ports if name.startswith(prefixes)}
    for name, bus in buses.items():
        first = next(iter(tool.children("port map", name).values())).properties["physical_name"]
        assert bus.properties["interface_mode"] == {"input": "slave", "output": "master"}[ports[first][0]]
        kinds = {bus.properties["bus_type_vlnv"], bus.properties["abstraction_type_vlnv"]}
        word = {"s_axil": "aximm", "s_apb": "apb"}.get(name, "axis")
        assert kinds == {f"xilinx.com:interface:{word}:1.0", f"xilinx.com:interface:{word}_rtl:1.0"}
    for clock, names in clocks.items():
        told = {name: one.properties["value"] for name, one in tool.children("parameter", clock).items()}
        assert set(told.pop("ASSOCIATED_BUSIF", "").split(":")) == set(names or [""]), clock
        assert told == ({"ASSOCIATED_RESET": reset} if clock == "aclk" else {})
        assert ports[clock] == ("input", 1)
    assert sorted(name for names in clocks.values() for name in names) == sorted(buses)
    assert tool.children("parameter", reset)["POLARITY"].properties == {"value": polarity} and ports[reset] == ("input", 1)
    assert tool.packaged["-root_dir"] == str(folder(kind) / f"{seen.top}_ip")
    assert tool.things["core"].properties["name"] == seen.top


@pytest.mark.parametrize("kind", CASES)
def test_constraints_come_with_the_ip(kind):
    """They are read late and for the implementation, and nothing else is in their set of files."""
    tool = packager.Packager()
    tool.run(script_of(kind))
    seen, clocked = outside(read_description(folder(kind))), kind.startswith("clocked")
    assert tool.constraints == ([f"{seen.top}.xdc"] if clocked else []) and tool.brought == {*seen.verilog, *tool.constraints}
    files = tool.of_kind("file")
    assert not any(files[name].properties for name in seen.verilog)
    for name in tool.constraints:
        assert files[name].properties == {"USED_IN_SYNTHESIS": "false", "PROCESSING_ORDER": "LATE"}


@pytest.mark.parametrize("kind", CASES)
def test_what_vivado_infers_stays(kind):
    names = [bus.name for bus in outside(read_description(folder(kind))).buses]
    clocks, (reset, polarity) = CLOCKS.get(kind, ALONE), RESETS.get(kind, USUAL)
    tool = packager.Packager([*names, *clocks, reset])
    tool.run(script_of(kind))
    assert tool.saved and not tool.of_kind("port map")
    for clock, buses in clocks.items():
        told = tool.children("parameter", clock)
        assert set(told["ASSOCIATED_BUSIF"].properties["value"].split(":")) == set(buses) if buses else "ASSOCIATED_BUSIF" not in told
    assert tool.children("parameter", reset)["POLARITY"].properties == {"value": polarity}


@pytest.mark.parametrize(
    ("kind", "inferred"), [("registers", ()), ("registers", ("s_axil",)), ("apb", ()), ("clocked", ()), ("clocked", ("s_axil",))]
)
def test_registers(kind, inferred):
    tool, bus = packager.Packager(inferred), WITH_REGISTERS[kind]
    tool.run(script_of(kind))
    wanted = {one.name: (one.address, one.access) for one in read_map({}).registers}
    accesses = {"read-only": "read", "write-only": "write", "read-write": "read, write"}
    got = {name: (int(one.properties["address_offset"], 0), accesses[one.properties["access"]])
           for name, one in tool.of_kind("register").items()}  # fmt: skip
    # The number of counts of failures follows from the kind of core.
    assert got == {name: wanted[name] for name in got} and {"identification", "key_data", "interrupt_pending"} <= got.keys()
    assert all(name.startswith("failures") for name in wanted.keys() - got.keys())
    assert tool.of_kind("bus")[bus].properties["slave_memory_map_ref"] == bus
    assert list(tool.of_kind("memory map")) == [bus]
    assert int(tool.of_kind("address block")["registers"].properties["range"]) >= 4096
    assert tool.children("parameter", "irq")["SENSITIVITY"].properties == {"value": "LEVEL_HIGH"}


def test_another_folder(tmp_path):
    tool = packager.Packager()
    tool.run(script_of("sectors"), str(tmp_path / "there"), "xc7a100tcsg324-1")
    assert tool.packaged["-root_dir"] == str(tmp_path / "there")


@pytest.mark.parametrize("text", ['a "b" [exit] $c {d} \\ ; e', "}", "#"])
def test_any_text_is_one_word(text):
    tcl = packager.Packager().tcl
    assert tcl.eval(f"return {quoted(text)}") == text


SLIPS = [
    ("interface_mode", "interface_mood"), ("ipx::add_port_map", "ipx::add_port_mop"), ("$core]", "$cork]"),
    ("-fileset constrs_1", "-fileset constraints_1"), ("add_files -fileset constrs_1 -norecurse", "add_files -norecurse"),
    ("USED_IN_SYNTHESIS false", "USED_IN_SYNTHESIS no"), ("USED_IN_SYNTHESIS", "USED_IN_SYNTH"), ("[get_files ", "[get_files other_"),
    ("PROCESSING_ORDER LATE", "PROCESSING_ORDER LAST"),
]  # fmt: skip


@pytest.mark.parametrize("right, wrong", SLIPS)
def test_a_slip_of_the_pen_shows(tmp_path, right, wrong):
    """The commands that stand for Vivado refuse what Vivado would."""
    text, description = script_of("clocked").read_text(), read_description(folder("clocked"))
    assert right in text
    for file in (*outside(description).verilog, description.files.xdc):
        (tmp_path / file).write_text("")
    (tmp_path / "right.tcl").write_text(text)
    packager.Packager().run(tmp_path / "right.tcl")
    (tmp_path / "wrong.tcl").write_text(text.replace(right, wrong, 1))
    import tkinter

    with pytest.raises((tkinter.TclError, AssertionError)):
        packager.Packager().run(tmp_path / "wrong.tcl")
