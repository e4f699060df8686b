# SPDX-License-Identifier: Apache-2.0
"""The IP-XACT of cores: it follows the schema of the standard, and has the ports, buses, registers and files of the core."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.emit.package.folders import CASES, CLOCKS_OF_HOST, WITH_REGISTERS, folder
from tests.emit.package.yosys_ports import ports_of

from modeloom.emit.package.ip_xact import NAMESPACE
from modeloom.front.map import read_map
from modeloom.product.folder import read_description

NEEDED = {
    "AXI4Stream": {"TVALID", "TREADY", "TDATA"},
    "AXI4-Lite": {
        *(f"{channel}{signal}" for channel in ("AW", "W", "B", "AR", "R") for signal in ("VALID", "READY")),
        "AWADDR", "AWPROT", "WDATA", "WSTRB", "BRESP", "ARADDR", "ARPROT", "RDATA", "RRESP",
    },
    "APB4": {"PSELx", "PENABLE", "PADDR", "PPROT", "PWRITE", "PWDATA", "PSTRB", "PREADY", "PRDATA", "PSLVERR"},
}  # fmt: skip
"""The signals that each bus must have."""

FROM_DEVICE = {"TREADY", "AWREADY", "WREADY", "BVALID", "BRESP", "ARREADY", "RVALID", "RDATA", "RRESP", "PREADY", "PRDATA", "PSLVERR"}
"""The signals that the receiver of a stream and a device behind AXI4-Lite or APB drive."""


def text_of(kind: str) -> str:
    path = folder(kind)
    name = read_description(path).files.ip_xact
    assert name
    return (path / name).read_text(encoding="utf-8")


def tag(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"


def value(element: ElementTree.Element, path: str) -> str:
    found = element.find("/".join(map(tag, path.split("/"))))
    assert found is not None and found.text, path
    return found.text


@cache
def component(kind: str) -> ElementTree.Element:
    return ElementTree.fromstring(text_of(kind))


@cache
def schema():
    """The schema of IEEE 1685-2014."""
    import pyEDAA
    from lxml import etree

    return etree.XMLSchema(etree.parse(str(Path(list(pyEDAA.__path__)[0]) / "IPXACT" / "Schema" / "ieee-1685-2014" / "index.xsd")))


def follows(text: str) -> bool:
    from lxml import etree

    return schema().validate(etree.fromstring(text.encode()))


@pytest.mark.parametrize("kind", CASES)
def test_the_schema_of_the_standard(kind):
    assert follows(text_of(kind)), schema().error_log


@pytest.mark.parametrize(
    "right, wrong",
    [
        ("<ipxact:vendor>modeloom</ipxact:vendor>", ""), ("<ipxact:direction>in<", "<ipxact:direction>inwards<"),
        ("<ipxact:slave/>", "<ipxact:servant/>"), ("<ipxact:fileType>verilogSource<", "<ipxact:fileType>verilog<"),
    ],
)  # fmt: skip
def test_the_schema_refuses(right, wrong):
    text = text_of("sectors")
    assert right in text and not follows(text.replace(right, wrong, 1))


@pytest.mark.parametrize("kind", CASES)
def test_ports_are_those_of_the_verilog(kind):
    found = {}
    for port in component(kind).iter(tag("port")):
        wire = port.find(tag("wire"))
        left = wire.find("/".join(map(tag, ("vectors", "vector", "left"))))
        found[value(port, "name")] = ({"in": "input", "out": "output"}[value(wire, "direction")], 1 if left is None else int(left.text) + 1)
    assert found == ports_of(folder(kind))


@pytest.mark.parametrize("kind", CASES)
def test_buses_are_whole(kind):
    """Every port is on a bus, but for clock, reset, erasure and flags; each bus has its signals in the right direction."""
    ports, mapped = ports_of(folder(kind)), set()
    buses = list(component(kind).iter(tag("busInterface")))
    assert len(buses) == (3 if kind == "lwc" else 5)
    for bus in buses:
        kind_of_bus = bus.find(tag("busType")).get("name")
        assert bus.find(f".//{tag('abstractionRef')}").get("name") == f"{kind_of_bus}_rtl"
        device = bus.find(tag("slave")) is not None
        assert device != (bus.find(tag("master")) is not None)
        maps = {value(one, "logicalPort/name"): value(one, "physicalPort/name") for one in bus.iter(tag("portMap"))}
        assert maps.keys() >= NEEDED[kind_of_bus] and len(set(maps.values())) == len(maps)
        for logical, physical in maps.items():
            assert ports[physical][0] == ("output" if (logical in FROM_DEVICE) == device else "input"), physical
            assert not mapped & {physical}
            mapped.add(physical)
    loose = ports.keys() - mapped
    flags = {"irq"} if kind in WITH_REGISTERS else set() if kind == "lwc" else {"key_loaded", "key_busy", "key_error"}
    reset, of_host = "areset" if kind == "clocked" else "aresetn", CLOCKS_OF_HOST.get(kind, ())
    assert loose == {"aclk", reset, "zeroize", "zeroizing", *flags, *of_host, *(f"{clock}_zeroizing" for clock in of_host)}


@pytest.mark.parametrize("kind", CASES)
def test_files_are_there(kind):
    path, files = folder(kind), read_description(folder(kind)).files
    sets = {value(one, "name"): [value(file, "name") for file in one.iter(tag("file"))] for one in component(kind).iter(tag("fileSet"))}
    assert all((path / name).is_file() for names in sets.values() for name in names)
    assert sets["synthesis"] == [files.verilog, *([files.front] if files.front else [])] and sets["simulation"] == [files.bench]
    assert ("driver" in sets) == (kind in WITH_REGISTERS)
    instance = component(kind).find(f".//{tag('componentInstantiation')}")
    description = read_description(path)
    assert value(instance, "moduleName") == (description.front.top if description.front else description.top)
    assert value(instance, "fileSetRef/localName") in sets


def test_registers_are_those_of_the_map():
    """Read by the importer of PeakRDL, they are what the source in SystemRDL says."""
    import peakrdl_ipxact as ipxact
    from systemrdl import RDLCompiler
    from systemrdl.node import RegNode

    def nodes(compiler):
        found = {}
        for node in compiler.elaborate().top.descendants(unroll=True):
            if isinstance(node, RegNode):
                name = node.inst_name + "".join(map(str, node.current_idx or ()))
                fields = [(f.inst_name, f.low, f.width, f.is_sw_readable, f.is_sw_writable) for f in node.fields()]
                found[name] = (node.absolute_address, fields)
        return found

    path = folder("registers")
    files = read_description(path).files
    theirs, source = RDLCompiler(), RDLCompiler()
    ipxact.IPXACTImporter(theirs).import_file(str(path / files.ip_xact))
    source.compile_file(str(path / files.registers))
    got, wanted = nodes(theirs), nodes(source)
    # A memory of the source is an array of registers there.
    words = {name: place for name, place in got.items() if name not in wanted}
    assert {name: got[name] for name in wanted} == wanted and len(wanted) > 30
    memory = next(one for one in read_map({}).registers if not one.fields)
    assert [words[f"{memory.name}{n}"][0] for n in range(len(words))] == [memory.address + 4 * n for n in range(len(words))]
    resets = {value(one, "name"): one for one in component("registers").iter(tag("register"))}
    magic = resets["identification"].find(f".//{tag('reset')}")
    assert value(magic, "value") == "'h4d4c4f4d"


def test_only_cores_with_registers_have_a_memory_map():
    assert component("sectors").find(tag("memoryMaps")) is None
    (reference,) = component("registers").iter(tag("memoryMapRef"))
    assert reference.get("memoryMapRef") == value(component("registers"), "memoryMaps/memoryMap/name")
