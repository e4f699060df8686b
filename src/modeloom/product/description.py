# SPDX-License-Identifier: Apache-2.0
"""The contents of ``core.json`` for any core: its files, its ports, its keys, and methods that each kind of core implements.

::

    generator ──▶ Description ──plain──▶ core.json ──read──▶ Description ──▶ simulation, taint, synthesis, verify

Each kind of core has its own class, with further fields.  :func:`description_class` finds the class from the schema in
``core.json``.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import metadata
from pathlib import PurePath
from typing import Annotated, ClassVar, Protocol, runtime_checkable

from modeloom.interfaces import Interface, Role
from modeloom.product.front import FrontDescription, Port
from modeloom.product.json_form import JsonSchema, plain_fields
from modeloom.product.json_form import schema as schema_of
from modeloom.spec.kinds import CIPHER, UNITS
from modeloom.version import VERSION
from modeloom_verilog.memories import MemoryDescription

__all__ = [
    "ASSERT_MACRO", "DERIVER", "EXACT_TOOLS", "FRONT_TOOLS", "KEY_DUE", "KEY_VERDICT", "LWC", "PACKAGES", "STORE", "Around",
    "Declassified", "Description", "Files", "KeyPart", "OptionValue", "Port", "Rate", "Result", "Secret",
    "Verdict", "description_class", "file_names", "groups_of", "schemas", "sector_groups", "stream_groups", "versions",
]  # fmt: skip


# -- blocks ----------------------------------------------------------------------------------------------------------------------------

# The blocks in the area report of a core, and the instances that belong to each block.
#
#     core.engine.cipher0.enc ──▶ aes          core.engine.bank_t      ──▶ storage       core.engine (else) ──▶ engine
#     core.bus.key_schedule   ──▶ aes          core.engine.key_memory  ──▶ storage       core.bus    (else) ──▶ bus
#     core.engine.mul0.mul    ──▶ multipliers  core.bus.ring           ──▶ storage

STORAGE = r"engine\.bank_\w+|engine\.key_memory|bus\.ring"


def sector_groups(paths: Iterable[str], cipher: str = "aes", prefix: str = "core.") -> dict[str, list[str]]:
    """The blocks of a core, by prefixes of instance paths.  The longest prefix counts.

    The block with the name of the cipher contains the cipher cores and their key schedule.  ``squarers`` and ``counters`` (adders
    of counter mode) exist if the core has such units.  ``storage`` contains the banks, the result buffer, and the key memory if the
    core reads key words (XTS does not).  ``engine`` contains the networks, registers and control that the compiler makes.  ``bus``
    is the AXI side.

    Parameters
    ----------
    paths : iterable of str
        Instance paths below the top, from ``synth.blocks.instances``.
    """
    groups: dict[str, list[str]] = {cipher: [], "multipliers": [], "storage": []}
    for path in sorted(paths):
        below = path.removeprefix(prefix)
        # Below a unit, only cipher cores belong to the cipher.
        unit = re.match(r"engine\.([a-z]+)(?:\d+_)?\d+\.", below)
        if below == "bus.key_schedule":
            groups[cipher].append(path)
        elif re.fullmatch(STORAGE, below):
            groups["storage"].append(path)
        elif unit and unit[1] in UNITS and (group := UNITS[unit[1]].group):
            block = groups.setdefault(cipher if group == CIPHER.type.group else group, [])
            if (name := prefix + unit[0]) not in block:
                block.append(name)
    groups["engine"] = [f"{prefix}engine"]
    groups["bus"] = [f"{prefix}bus"]
    return groups


STREAM_STORAGE = r"bus\.pipeline\.(?:key_memory|chains(?:_\d+)?)|bus\.(?:messages|texts|verdicts|window)(?:\.\w+)*\.memory"

@dataclass(frozen=True)
class Around:
    """What stands around the buses of a core for messages: the part of the buses that is the core inside, and the blocks beside it."""

    part: str
    blocks: Mapping[str, Sequence[str]]


LWC = Around("messages", {"interface": ("bus",)})
"""The LWC interface."""

STORE = Around("core", {"buffer": ("bus.buffer",), "bus": ("bus",)})
"""What stores messages to seal."""

DERIVER = Around("messages", {"deriver": ("bus.deriver", "bus.key_port", "bus.key_schedule"), "bus": ("bus",)})
"""What derives keys: master keys and round cores."""


def groups_of(paths: Iterable[str], cipher: str = "aes", prefix: str = "core.", around: Sequence[Around] = ()) -> dict[str, list[str]]:
    """The blocks of a core for messages, by prefixes of instance paths, with those of what is *around* it, the outermost first."""
    if not around:
        return stream_groups(paths, cipher, prefix)
    outer, *others = around
    whole, start = f"{prefix}bus", f"{prefix}bus.{outer.part}"
    within = [whole + path.removeprefix(start) for path in paths if path.startswith(f"{start}.")]
    groups = {name: [path.replace(whole, start, 1) for path in each] for name, each in groups_of(within, cipher, prefix, others).items()}
    return {**groups, **{name: [prefix + part for part in parts] for name, parts in outer.blocks.items()}}


def stream_groups(paths: Iterable[str], cipher: str = "aes", prefix: str = "core.") -> dict[str, list[str]]:
    """The blocks of a core for messages, by prefixes of instance paths.

    The block with the name of the cipher contains its pipeline and the key schedule.  ``multiplier`` is the multiplier of the hash.
    ``storage`` contains the key memory, the chains and the queues.  ``pipeline`` contains the parts around the units that the
    compiler makes, and ``bus`` the message control.
    """
    groups: dict[str, list[str]] = {cipher: [], "multiplier": [], "storage": []}
    for path in sorted(paths):
        below = path.removeprefix(prefix)
        if re.fullmatch(r"bus\.(?:keys\.)?key_schedule(?:_\d+)?|bus\.pipeline\.cipher(?:_\d+)*", below):
            groups[cipher].append(path)
        elif re.fullmatch(r"bus\.pipeline\.multiplier(?:_\d+)?", below):
            groups["multiplier"].append(path)
        elif re.fullmatch(STREAM_STORAGE, below):
            groups["storage"].append(path)
    groups["pipeline"] = [f"{prefix}bus.pipeline"]
    groups["bus"] = [f"{prefix}bus"]
    return groups


# -- description -----------------------------------------------------------------------------------------------------------------------

# Versions of the tools that determine the bytes of a core.

PACKAGES = {"yosys": "pyosys"}
"""The packages of tools that have another name."""

EXACT_TOOLS = ("ortools",)
"""The tools that an exact schedule depends on, too."""

FRONT_TOOLS = ("systemrdl-compiler", "peakrdl-cheader")
"""The tools that the files of a front end depend on, too."""


def versions(*more: str) -> dict[str, str]:
    """Versions of this project, of Yosys (the one in pyosys) and of Amaranth, and those of ``more`` tools."""
    tools = dict.fromkeys(("yosys", "amaranth", *(name for name in more if name != "modeloom")))
    return {"modeloom": VERSION, **{name: metadata.version(PACKAGES.get(name, name)) for name in tools}}

ASSERT_MACRO = "MODELOOM_ASSERT"
"""The Verilog macro that enables the assertions of a core."""

USERS_CIPHER = (
    r"core\.engine\.[a-z]+\d+\.(enc|dec|tenc|tdec|both)\d*", r"(\w+\.)*pipeline\.cipher(_\d+)*", r"(\w+\.)*deriver\.cipher(_\d+)*",
    r"(\w+\.)*key_schedule(_\d+)*",
)
"""Patterns for the paths of the instances of a block cipher and of its key schedule."""

OptionValue = bool | int | str | None | tuple[int, ...]
"""The possible values of an option of a core."""


@dataclass(frozen=True, kw_only=True)
class Files:
    """The names of the files in the folder of a core, by kind."""

    verilog: Annotated[str, "The core, Verilog-2005."]
    waivers: Annotated[str, "Waivers for Verilator's warnings."]
    bench: Annotated[str, "Self-checking bench, SystemVerilog."]
    listing: Annotated[str | None, "The program of the core as text; absent if the core runs no program."] = None
    front: Annotated[str | None, "The front end and the module around it and the core, Verilog-2005; only with a front end."] = None
    registers: Annotated[str | None, "The registers of the front end, SystemRDL."] = None
    header: Annotated[str | None, "The registers of the front end, C11."] = None
    page: Annotated[str | None, "The registers of the front end, HTML; absent in cores of older versions."] = None
    driver_header: Annotated[str | None, "A driver for the front end, C11: its header."] = None
    driver: Annotated[str | None, "A driver for the front end, C11."] = None
    command_header: Annotated[str | None, "Its part for commands over registers, C11: the header."] = None
    command_driver: Annotated[str | None, "Its part for commands over registers, C11."] = None
    interfaces: Annotated[str | None, "Interfaces for the ports of the wrapper, SystemVerilog."] = None
    wrapper: Annotated[str | None, "The core with interfaces for its buses, SystemVerilog."] = None
    cocotb: Annotated[str | None, "A test with the bus models of cocotbext-axi, Python; only with --cocotb."] = None
    cocotb_bench: Annotated[str | None, "The core between bus models, for this test, Python; absent in cores of older versions."] = None
    models: Annotated[str | None, "Packets, commands and statuses over bus models, for this test, Python."] = None
    coverage: Annotated[str | None, "Functional coverage of this test, Python."] = None
    cases: Annotated[str | None, "Keys, commands, packets and results of this test, JSON."] = None
    package: Annotated[str, "FuseSoC package."]
    ip_xact: Annotated[str | None, "The core as a component of IP-XACT, IEEE 1685-2014."] = None
    vivado_ip: Annotated[str | None, "Script that packages the core as an IP, for Vivado."] = None
    vivado_run: Annotated[str | None, "Script that measures clock and utilisation of the core, for Vivado."] = None
    xdc: Annotated[str | None, "Constraints for paths between clocks, for Vivado; absent if there are no such paths."] = None
    quartus_sdc: Annotated[str | None, "The same constraints for Quartus."] = None
    sdc: Annotated[str | None, "The same constraints in plain SDC, for Radiant and others."] = None
    datasheet: Annotated[str, "The datasheet, Markdown."]
    html: Annotated[str | None, "The datasheet with pictures, HTML; absent in cores of older versions."] = None
    materials: Annotated[str | None, "Bill of materials, CycloneDX 1.6."] = None
    description: Annotated[str, "This file."]
    manifest: Annotated[str | None, "SHA-256 of every other file, for sha256sum."] = None

    def __post_init__(self) -> None:
        for kind, name in self.by_kind.items():
            if PurePath(name).name != name:
                raise ValueError(f"{kind} is not the name of a file in the folder")

    @property
    def by_kind(self) -> dict[str, str]:
        """Names by kind, in order, without the absent ones."""
        names = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {kind: name for kind, name in names if name is not None}


def file_names(name: str, listing: bool = True) -> Files:
    """The files of a core with this name.  A core that runs a program has a listing."""
    return Files(
        verilog=f"{name}.v", waivers=f"{name}_waivers.vlt", bench=f"{name}_tb.sv", listing="program.txt" if listing else None,
        interfaces="modeloom_interfaces.sv", wrapper=f"{name}_sv.sv", package=f"{name}.core", ip_xact=f"{name}.xml",
        vivado_ip=f"{name}_ip.tcl", vivado_run=f"{name}_vivado.tcl", datasheet="datasheet.md", html="datasheet.html",
        materials=f"{name}.cdx.json", description="core.json", manifest="SHA256SUMS",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class KeyPart:
    """A part of the key, with its position in the bytes of a key packet."""

    name: Annotated[str, "Name of the part in the mode."]
    offset: Annotated[int, "First byte."]
    bytes: Annotated[int, "Number of bytes."]


@dataclass(frozen=True)
class Secret:
    """Bits of an input on which no control signal may depend.

    Attributes
    ----------
    name : str
        Their meaning, such as "key" or "data".
    port : str
    low, width : int
        Bits of the port from bit ``low`` on.
    reaches : bool
        Whether every bit of the result must depend on it.  If nothing depended on it, the check would be meaningless.
    """

    name: str
    port: str
    low: int
    width: int
    reaches: bool = True


@dataclass(frozen=True)
class Result:
    """Bits of an output that carry results, or a verdict.

    Attributes
    ----------
    port : str
    width, low : int
        Bits of the port from bit ``low`` on.
    alone : bool
        Whether the port carries nothing else, so that other bits of it may be anything.
    """

    port: str
    width: int
    low: int = 0
    alone: bool = True

    @property
    def bits(self) -> range:
        """The bits of the port."""
        return range(self.low, self.low + self.width)


@dataclass(frozen=True)
class Declassified:
    """Bits of a netlist that are public although they depend on ports with secrets, in words, with the ends of their names.

    Attributes
    ----------
    about : str
    names : tuple of str
        The ends of the names of nets, with the names of the instances that they are in.  Each must be there.
    """

    about: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """A fact about its secrets that a core reveals by design, in words, with the outputs that reveal it.

    ``due`` are the ends of the names of nets, of which one is high in each cycle in which the fact is used, and ``held`` those of the
    register that holds it, if the check need not look for it.  Without ``due``, the fact is public in every cycle.
    """

    about: str
    outputs: tuple[Result, ...]
    due: tuple[str, ...] = ()
    held: str = ""


KEY_VERDICT = "whether the mode refuses the key"
"""The fact that a core reveals of a key that is being loaded, if its mode refuses some keys (XTS equal keys, TET sigma = 0)."""

KEY_DUE = ("key_port.judging",)
"""Where the core says that it decides on a key."""


@dataclass(frozen=True)
class Rate:
    """The rate of a core in a steady state: a ``what`` ("sector") of ``bytes`` bytes every ``interval`` cycles."""

    what: str
    bytes: int
    interval: int


_KINDS: dict[str, type[Description]] = {}


@dataclass(frozen=True, kw_only=True)
class Description(ABC):
    """The contents of ``core.json`` for any core."""

    SCHEMA: ClassVar[str]
    """The value of ``schema`` in ``core.json``.  Each kind of core has its own."""

    TAIL: ClassVar[tuple[str, ...]] = ("front", "ram", "memories", "ports", "sha256")
    """Names at the end of the file, after the fields that a kind of core adds."""

    schema: Annotated[str, "Name of this format, and of the kind of core."]
    version: Annotated[str, "Version of modeloom that built the core."]
    versions: Annotated[Mapping[str, str] | None, "Versions of the tools that determine the bytes: modeloom, yosys, amaranth."] = None
    command: Annotated[str, "The command line."]
    name: Annotated[str, "Name of the core; its modules and files begin with it."]
    top: Annotated[str, "Name of the top module."]
    verilog: Annotated[str, "The Verilog file, as in `files`."]
    listing: Annotated[str | None, "The listing, as in `files`."] = None
    files: Annotated[Files, "All files of the folder."]
    mode: Annotated[str, "Name of the mode."]
    definition: Annotated[str, "The definition of the mode: a name, or FILE.py:CLASS relative to the folder."]
    title: Annotated[str, "Title of the mode."]
    source: Annotated[str, "The standard or paper."]
    security: Annotated[str, "What is known about the security of the mode."]
    broken: Annotated[bool, "Whether the mode is broken."]
    definition_sha256: Annotated[str, "SHA-256 of the traced definition, hexadecimal."]
    options: Annotated[Mapping[str, OptionValue], "Options of the core."]
    cipher: Annotated[str, "Name of the block cipher."]
    own_cipher: Annotated[bool | None, "true: the definition brings this cipher; absent for a cipher of modeloom."] = None
    key_bytes: Annotated[int, "Bytes of the whole key, which is one packet."]
    key_parts: Annotated[tuple[str, ...], "Names of the parts of the key, in order."]
    refused_keys: Annotated[str, "Which keys are refused, in words; empty if there are none."]
    key_layout: Annotated[tuple[KeyPart, ...], "The parts of the key with their positions."]
    key_slots: Annotated[int, "Number of keys that the core can hold."]
    erase_cycles: Annotated[int, "Cycles that a reset or `zeroize` takes."]
    key_erase_cycles: Annotated[int, "Cycles after which nothing is left of an erased key, if nothing uses it."]
    front: Annotated[FrontDescription | None, "The front end around the core."] = None
    ram: Annotated[str | None, '"ultra": large memories ask for UltraRAM; absent if they do not.'] = None
    memories: Annotated[
        tuple[MemoryDescription, ...] | None, "All memories and tables of the core and its front end; absent in cores of older versions."
    ] = None
    ports: Annotated[tuple[Port, ...], "All ports of the top module in order."]
    sha256: Annotated[Mapping[str, str] | None, "SHA-256 of every other file, hexadecimal, by name."] = None

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        if "SCHEMA" in cls.__dict__:
            _KINDS[cls.SCHEMA] = cls

    def __post_init__(self) -> None:
        for holds, wrong in self.requirements():
            if not holds:
                raise ValueError(wrong)

    def requirements(self) -> Iterator[tuple[bool, str]]:
        """What must hold of the members, each with what is wrong otherwise.  A rule may read what those before it have made sure of."""
        yield self.schema == self.SCHEMA, f"schema is {self.schema!r}, not {self.SCHEMA!r}"
        yield (self.verilog, self.listing) == (self.files.verilog, self.files.listing), "verilog and listing are not those of files"
        ends = [part.offset + part.bytes for part in self.key_layout]
        yield self.key_bytes == max(ends, default=0), "key_layout does not end with key_bytes"
        yield self.key_parts == tuple(part.name for part in self.key_layout), "key_layout has other parts than key_parts"

    @property
    def user_key_lengths(self) -> tuple[int, ...]:
        """The number of bytes of a key that a user has, for each size."""
        return self.key_lengths

    @property
    def key_lengths(self) -> tuple[int, ...]:
        """The sizes in bytes of the keys that the core takes."""
        return (self.key_bytes,)

    @property
    @abstractmethod
    def summary(self) -> str:
        """Title and shape on one line, for the FuseSoC package."""

    @property
    @abstractmethod
    def facts(self) -> Mapping[str, object]:
        """Names and values at the head of an area report."""

    @property
    @abstractmethod
    def rates(self) -> tuple[Rate, ...]:
        """The rate of the core, for each size."""

    @property
    @abstractmethod
    def interfaces(self) -> tuple[Interface, ...]:
        """Its interfaces, which also say what is secret."""

    @property
    @abstractmethod
    def result_bytes(self) -> int:
        """The number of bytes of data out, from byte 0 on, that carry results."""

    def reaches(self, role: Role) -> bool:
        """Whether every bit of the result depends on the inputs with this role.  By default it does."""
        return True

    @property
    def secrets(self) -> tuple[Secret, ...]:
        """Inputs on which no control signal may depend, by their roles.

        A tweak is public by definition, but is treated as a secret.
        """
        widths = {port.name: port.width for port in self.ports}
        return tuple(
            Secret(role.value, group.port_name(port), bits.start, len(bits), self.reaches(role))
            for role in Role if role.secret
            for group in self.interfaces for port in group.ports for bits in port.of_role(role, widths.get(group.port_name(port), 0))
        )  # fmt: skip

    @property
    def results(self) -> tuple[Result, ...]:
        """The outputs that depend on secrets: data out, and fields of other streams.  Raises ``ValueError`` if there are none."""
        found = self._outputs(Role.RESULT, self.interfaces)
        if not found:
            raise ValueError("a core has an output for results")
        return found

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The facts about secrets that the core reveals by design.  There are none if it takes every key and checks no tags."""
        flags = tuple(group for group in self.interfaces if not group.stream)
        return (Verdict(KEY_VERDICT, self._outputs(Role.VERDICT, flags), KEY_DUE),) if self.refused_keys else ()

    @property
    def declassified(self) -> tuple[Declassified, ...]:
        """Bits that are public although ports with secrets lead to them.  There are none if each port has one role."""
        return ()

    @property
    def users_cipher(self) -> tuple[str, ...]:
        """Patterns for the paths of the instances of the cipher and of its key schedule, if the definition brings the cipher."""
        return USERS_CIPHER if self.own_cipher else ()

    def _outputs(self, role: Role, groups: tuple[Interface, ...]) -> tuple[Result, ...]:
        """The bits of a role in the ports of some interfaces.  Of data out, only the bytes that carry results count."""
        widths = {port.name: port.width for port in self.ports}
        found = []
        for group in groups:
            for port in group.ports:
                name = group.port_name(port)
                if port.packing is None and port.role is role:
                    found.append(Result(name, 8 * self.result_bytes if role is Role.RESULT else widths.get(name, 1)))
                elif port.packing is not None:
                    found += [Result(name, len(bits), bits.start, alone=False) for bits in port.packing.of_role(role)]
        return tuple(found)

    @property
    @abstractmethod
    def bench_figures(self) -> Mapping[str, int]:
        """The required values of the figures that the bench measures and prints."""

    @abstractmethod
    def area_groups(self, paths: tuple[str, ...]) -> dict[str, list[str]]:
        """The blocks of the area report, each with prefixes of the instance paths below the top that belong to it.  The longest
        prefix of a path counts."""

    @classmethod
    def json_schema(cls) -> JsonSchema:
        """The JSON Schema of ``core.json``."""
        result = schema_of(cls)
        result["properties"]["schema"]["const"] = cls.SCHEMA
        return result

    def as_json(self) -> dict[str, object]:
        """The object that ``core.json`` holds."""
        return plain_fields(self)


@runtime_checkable
class WithBeats(Protocol):
    """A description of a core with data streams."""

    @property
    def beat_bytes(self) -> int:
        """Bytes of a beat of data."""


def schemas() -> dict[str, type[Description]]:
    """The kinds of cores, by the schemas of their descriptions."""
    return dict(_KINDS)


def description_class(schema: object) -> type[Description] | None:
    """The class for a schema, or None if there is no such kind of core."""
    return _KINDS.get(schema) if isinstance(schema, str) else None
