# SPDX-License-Identifier: Apache-2.0
"""The script that packages an IP, run with the commands of Vivado that it uses (``packager``)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.emit.package.folders import CASES, folder
from tests.emit.package.yosys_ports import ports_of

from modeloom.emit.package import outside
from modeloom.emit.package.vivado_ip import quoted
from modeloom.front.map import read_map
from modeloom.product.folder import read_description

packager = pytest.importorskip("tests.emit.package.packager", reason="this Python has no Tcl")

CLOCKS = {"aclk", "aresetn", "irq"}


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
    buses = {name: bus for name, bus in tool.of_kind("bus").items() if name not in CLOCKS}
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
    clock = {name: one.properties["value"] for name, one in tool.children("parameter", "aclk").items()}
    assert clock == {"ASSOCIATED_BUSIF": ":".join(buses), "ASSOCIATED_RESET": "aresetn"}
    assert tool.children("parameter", "aresetn")["POLARITY"].properties == {"value": "ACTIVE_LOW"}
    assert tool.packaged["-root_dir"] == str(folder(kind) / f"{seen.top}_ip")
    assert tool.things["core"].properties["name"] == seen.top


@pytest.mark.parametrize("kind", CASES)
def test_what_vivado_infers_stays(kind):
    names = [bus.name for bus in outside(read_description(folder(kind))).buses]
    tool = packager.Packager([*names, "aclk", "aresetn"])
    tool.run(script_of(kind))
    assert tool.saved and not tool.of_kind("port map")
    assert tool.children("parameter", "aclk")["ASSOCIATED_BUSIF"].properties == {"value": ":".join(names)}


@pytest.mark.parametrize(("kind", "inferred"), [("registers", ()), ("registers", ("s_axil",)), ("apb", ())])
def test_registers(kind, inferred):
    tool, bus = packager.Packager(inferred), {"registers": "s_axil", "apb": "s_apb"}[kind]
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


@pytest.mark.parametrize(
    "right, wrong", [("interface_mode", "interface_mood"), ("ipx::add_port_map", "ipx::add_port_mop"), ("$core]", "$cork]")]
)
def test_a_slip_of_the_pen_shows(tmp_path, right, wrong):
    """The commands that stand for Vivado refuse what Vivado would."""
    text = script_of("sectors").read_text()
    assert right in text
    for file in outside(read_description(folder("sectors"))).verilog:
        (tmp_path / file).write_text("")
    (tmp_path / "wrong.tcl").write_text(text.replace(right, wrong, 1))
    with pytest.raises((packager.TclError, AssertionError)):
        packager.Packager().run(tmp_path / "wrong.tcl")
