# SPDX-License-Identifier: Apache-2.0
"""The core as a component of IP-XACT, IEEE 1685-2014: buses, registers, ports and files.

The names of the buses are those that Arm gives them (amba.com, AMBA4).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

from modeloom.emit.package.core_file import APB, AXI_LITE, MAPPED, STREAM, Bus, outside
from modeloom.front.map import Register, RegisterField
from modeloom.product.description import Description, Files
from modeloom.product.front import Port

__all__ = ["ip_xact"]

NAMESPACE = "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"

BUS_TYPES = {STREAM: ("AXI4Stream", "r0p0_1"), AXI_LITE: ("AXI4-Lite", "r0p0_0"), APB: ("APB4", "r0p0_0")}
"""Name and version of each bus."""

ARM_NAMES = {(APB, "PSEL"): "PSELx"}
"""Signals that the definition of a bus calls otherwise."""

REGISTERS = "registers"
"""The name of the memory map."""

VIEW = "synthesis"
"""The name of the view with the Verilog, and of its files."""

FILE_SETS: dict[str, tuple[tuple[str, str], ...]] = {
    VIEW: (("verilog", "verilogSource"), ("front", "verilogSource")),
    "interfaces": (
        ("verilog", "verilogSource"), ("front", "verilogSource"), ("interfaces", "systemVerilogSource"),
        ("wrapper", "systemVerilogSource"),
    ),
    "simulation": (("bench", "systemVerilogSource"),),
    "driver": (
        ("header", "cSource"), ("driver_header", "cSource"), ("driver", "cSource"), ("command_header", "cSource"),
        ("command_driver", "cSource"),
    ),
    "documentation": (("datasheet", "user"), ("registers", "user"), ("page", "user"), ("listing", "user"), ("description", "user")),
}  # fmt: skip
"""The files of each set: their kinds in ``Files``, and their types."""

USER_TYPES = {"datasheet": "markdown", "registers": "systemRDL", "page": "html", "listing": "text", "description": "json"}
"""Types that the standard does not have."""

Lines = Iterable[str]


def _tag(element: str, *inner: str | Lines, **attributes: str) -> list[str]:
    """An element.  Its contents are one text, or the lines of elements."""
    head = f"ipxact:{element}" + "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items())
    if len(inner) == 1 and isinstance(inner[0], str):
        return [f"<{head}>{escape(inner[0])}</ipxact:{element}>"]
    lines = [line for part in inner for line in part]
    return [f"<{head}>", *(f"  {line}" for line in lines), f"</ipxact:{element}>"] if lines else [f"<{head}/>"]


def ip_xact(description: Description, registers: Sequence[Register] = ()) -> str:
    """Text of the component.

    Parameters
    ----------
    description : Description
    registers : sequence of Register
        Those behind its bus for registers.
    """
    seen = outside(description)
    lines = [
        *_tag("vendor", "modeloom"), *_tag("library", "modes"), *_tag("name", seen.top), *_tag("version", description.version),
        *_tag("busInterfaces", *(_bus_interface(bus, bool(registers)) for bus in seen.buses)),
        *(_memory_map(seen.buses, registers) if registers else []),
        *_model(seen.top, seen.ports),
        *_file_sets(description.files),
        *_tag("description", description.summary),
    ]  # fmt: skip
    attributes = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    where = f'xsi:schemaLocation="{NAMESPACE} {NAMESPACE}/index.xsd"'
    head = [
        '<?xml version="1.0" encoding="UTF-8"?>', "<!-- SPDX-License-Identifier: Apache-2.0 -->",
        f'<ipxact:component xmlns:ipxact="{NAMESPACE}" {attributes} {where}>',
    ]  # fmt: skip
    return "\n".join([*head, *(f"  {line}" for line in lines), "</ipxact:component>"]) + "\n"


def _bus_interface(bus: Bus, registers: bool) -> list[str]:
    name, version = BUS_TYPES[bus.kind]
    vlnv = {"vendor": "amba.com", "library": "AMBA4", "version": version}
    named = [(ARM_NAMES.get((bus.kind, logical), logical), port) for logical, port in bus.ports]
    maps = [
        _tag("portMap", _tag("logicalPort", _tag("name", logical)), _tag("physicalPort", _tag("name", port.name)))
        for logical, port in named
    ]
    mapped = _tag("memoryMapRef", memoryMapRef=REGISTERS) if bus.kind in MAPPED and registers else []
    return _tag(
        "busInterface", _tag("name", bus.name), _tag("busType", name=name, **vlnv),
        _tag("abstractionTypes", _tag(
            "abstractionType", _tag("abstractionRef", name=f"{name}_rtl", **vlnv), _tag("portMaps", *maps),
        )),
        _tag("slave", mapped) if bus.from_host else _tag("master"),
    )  # fmt: skip


def _memory_map(buses: Sequence[Bus], registers: Sequence[Register]) -> list[str]:
    address = next(port for bus in buses if bus.kind in MAPPED for logical, port in bus.ports if logical == MAPPED[bus.kind][0])
    block = _tag(
        "addressBlock", _tag("name", REGISTERS), _tag("baseAddress", "0"), _tag("range", str(1 << address.width)), _tag("width", "32"),
        _tag("usage", "register"), *(_register(one) for one in registers),
    )  # fmt: skip
    return _tag("memoryMaps", _tag("memoryMap", _tag("name", REGISTERS), block, _tag("addressUnitBits", "8")))


def _access(reads: bool, writes: bool) -> str:
    return {(True, True): "read-write", (True, False): "read-only", (False, True): "write-only"}[reads, writes]


def _register(one: Register) -> list[str]:
    """A register.  A memory is an array of registers with one field."""
    fields = one.fields or (RegisterField("word", "A word.", 0, 32, one.reads, one.writes, False, False, False, 0),)
    dim = _tag("dim", str(one.words)) if one.words > 1 else []
    return _tag(
        "register", _tag("name", one.name), _tag("displayName", one.title), _tag("description", one.about), dim,
        _tag("addressOffset", f"'h{one.address:x}"), _tag("size", "32"),
        _tag("volatile", "true") if any(field.from_inside for field in fields) else [],
        _tag("access", _access(one.reads, one.writes)), *(_field(field, bool(one.fields)) for field in fields),
    )  # fmt: skip


def _field(field: RegisterField, has_reset: bool) -> list[str]:
    # A field whose value comes from inside alone has no value after a reset that could be named.
    reset = has_reset and not (field.from_inside and not field.clears)
    return _tag(
        "field", _tag("name", field.name), _tag("description", field.about), _tag("bitOffset", str(field.low)),
        _tag("resets", _tag("reset", _tag("value", f"'h{field.reset:x}"))) if reset else [],
        _tag("bitWidth", str(field.width)), _tag("volatile", "true") if field.from_inside else [],
        _tag("access", _access(field.reads, field.writes)),
        _tag("modifiedWriteValue", "oneToClear") if field.clears else [],
        _tag("readAction", "modify") if field.taken else [],
    )  # fmt: skip


def _model(top: str, ports: Sequence[Port]) -> list[str]:
    """The module with its ports.  The wrapper with interfaces has other ports, and is therefore no view of the component."""
    view = _tag("view", _tag("name", VIEW), _tag("envIdentifier", "Verilog::"), _tag("componentInstantiationRef", VIEW))
    made = _tag(
        "componentInstantiation", _tag("name", VIEW), _tag("language", "Verilog"), _tag("moduleName", top),
        _tag("fileSetRef", _tag("localName", VIEW)),
    )  # fmt: skip
    return _tag("model", _tag("views", view), _tag("instantiations", made), _tag("ports", *map(_port, ports)))


def _port(port: Port) -> list[str]:
    vector = _tag("vectors", _tag("vector", _tag("left", str(port.width - 1)), _tag("right", "0"))) if port.width > 1 else []
    return _tag("port", _tag("name", port.name), _tag("wire", _tag("direction", "out" if port.output else "in"), vector))


def _file_sets(files: Files) -> list[str]:
    present = files.by_kind
    sets = []
    for name, members in FILE_SETS.items():
        found = [(kind, present[kind], what) for kind, what in members if kind in present]
        if found:
            sets.append(_tag("fileSet", _tag("name", name), *(_file(kind, file, what) for kind, file, what in found)))
    return _tag("fileSets", *sets)


def _file(kind: str, file: str, what: str) -> list[str]:
    written = _tag("fileType", what, user=USER_TYPES[kind]) if what == "user" else _tag("fileType", what)
    return _tag("file", _tag("name", file), written)
