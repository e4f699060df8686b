# SPDX-License-Identifier: Apache-2.0
"""The registers of a core, read from their SystemRDL.

::

    registers.rdl + the figures of a core ──systemrdl-compiler──▶ RegisterMap ──▶ hardware, tables, driver
                                                              └──▶ C header (PeakRDL)
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from systemrdl.node import AddrmapNode

__all__ = [
    "COMMANDS", "PARTS", "SOURCE", "TAGS", "Register", "RegisterField", "RegisterMap", "read_map", "register_page",
    "register_sections", "source_text",
]  # fmt: skip


# -- map -------------------------------------------------------------------------------------------------------------------------------

SOURCE = Path(__file__).parent / "registers.rdl"
"""The source of the map.  It has parts that only some cores have, between ```ifdef`` and ```endif``."""

COMMANDS, TAGS = PARTS = ("COMMANDS", "TAGS")
"""The names of these parts: commands and statuses over registers, and the tags of statuses."""

WORD_BYTES = 4
"""Bytes of a register."""


@dataclass(frozen=True)
class RegisterField:
    """A field of a register.

    Attributes
    ----------
    name, about : str
    low, width : int
        Its bits, from bit ``low`` on.
    reads, writes : bool
        Whether the bus can read and write it.
    clears : bool
        Whether writing a 1 clears a bit; it is set from inside.
    pulse : bool
        Whether a 1 that is written lasts for one cycle.
    from_inside : bool
        Whether its value comes from inside.
    reset : int
        Its value after a reset, or its value if nothing writes it.
    taken : bool
        Whether reading it takes it away.
    """

    name: str
    about: str
    low: int
    width: int
    reads: bool
    writes: bool
    clears: bool
    pulse: bool
    from_inside: bool
    reset: int
    taken: bool = False


@dataclass(frozen=True)
class Register:
    """A register, or a memory.

    Attributes
    ----------
    name : str
        Its name; one of an array has its number behind it (``key_loaded1``).
    title, about : str
    address : int
        In bytes.
    fields : tuple of RegisterField
        Empty for a memory.
    external : bool
        Whether a write is passed on, and may be refused.
    words : int
        Words of a memory; 1 for a register.
    """

    name: str
    title: str
    about: str
    address: int
    fields: tuple[RegisterField, ...]
    external: bool = False
    words: int = 1

    @property
    def reads(self) -> bool:
        """Whether it can be read."""
        return any(field.reads for field in self.fields)

    @property
    def writes(self) -> bool:
        """Whether it can be written."""
        return not self.fields or any(field.writes for field in self.fields)

    @property
    def access(self) -> str:
        """"read", "write" or "read, write"."""
        return ", ".join(word for word, can in (("read", self.reads), ("write", self.writes)) if can)

    def field(self, name: str) -> RegisterField:
        """The field of this name.  Raises ``KeyError`` if there is none."""
        return {field.name: field for field in self.fields}[name]


@dataclass(frozen=True)
class RegisterMap:
    """All registers in the order of their addresses.

    Attributes
    ----------
    registers : tuple of Register
    parameters : mapping
        The figures of the core, by the names of the parameters in the source.
    about : str
        What holds for all of them.
    """

    registers: tuple[Register, ...]
    parameters: Mapping[str, int]
    about: str = ""

    @cached_property
    def by_name(self) -> dict[str, Register]:
        """Registers by name."""
        return {register.name: register for register in self.registers}

    def address(self, name: str) -> int:
        """The address of a register in bytes.  Raises ``KeyError`` if there is none of this name."""
        return self.by_name[name].address

    @property
    def address_bits(self) -> int:
        """Bits of an address in bytes."""
        last = self.registers[-1]
        return (last.address + WORD_BYTES * last.words - 1).bit_length()


def _elaborated(parameters: Mapping[str, int], parts: Collection[str] = ()) -> AddrmapNode:
    from systemrdl import RDLCompiler

    compiler = RDLCompiler()
    compiler.compile_file(str(SOURCE), defines=dict.fromkeys(parts, ""))
    return compiler.elaborate(parameters=dict(parameters)).top


def source_text(parts: Collection[str] = ()) -> str:
    """The text of the source with these parts alone, and without marks of parts."""
    return re.sub(
        r"^`ifdef (\w+)\n(.*?)^`endif\n", lambda part: part[2] if part[1] in parts else "", SOURCE.read_text(encoding="utf-8"),
        flags=re.DOTALL | re.MULTILINE,
    )  # fmt: skip


def read_map(parameters: Mapping[str, int], parts: Collection[str] = ()) -> RegisterMap:
    """The map with these figures and some of ``PARTS``.  Parameters that are not given have the defaults of the source."""
    from systemrdl.node import AddressableNode, FieldNode, MemNode, Node, RegNode

    def about(node: Node) -> str:
        return " ".join((node.get_property("desc") or "").split())

    def field_of(node: FieldNode) -> RegisterField:
        reset = node.get_property("reset")
        return RegisterField(
            node.inst_name, about(node), node.low, node.width, node.is_sw_readable, node.is_sw_writable,
            node.get_property("onwrite") is not None, bool(node.get_property("singlepulse")), node.is_hw_writable,
            reset if isinstance(reset, int) else 0, node.get_property("onread") is not None,
        )  # fmt: skip

    def name_of(node: AddressableNode) -> str:
        return node.inst_name + "".join(str(index) for index in node.current_idx or ())

    found = []
    top = _elaborated(parameters, parts)
    for node in top.descendants(unroll=True):
        if isinstance(node, RegNode):
            title = node.get_property("name") if "name" in node.list_properties() else node.inst_name.replace("_", " ").capitalize()
            found.append(
                Register(name_of(node), title, about(node), node.absolute_address, tuple(map(field_of, node.fields())), node.external)
            )
        elif isinstance(node, MemNode):
            found.append(
                Register(
                    name_of(node), node.get_property("name"), about(node), node.absolute_address, (), True, node.get_property("mementries")
                )
            )  # fmt: skip
    return RegisterMap(tuple(sorted(found, key=lambda one: one.address)), dict(parameters), about(top))


def c_header(name: str, parts: Collection[str] = ()) -> str:
    """The C header of the registers: structs, masks and offsets, as PeakRDL writes them.

    It is the same for all cores with these parts.  So it has no values of fields that are figures of one core: these are read from the
    registers.

    Parameters
    ----------
    name : str
        Name of the file without its ending.
    parts
        As for ``read_map``.
    """
    from peakrdl_cheader.exporter import CHeaderExporter

    top = _elaborated({}, parts)
    with tempfile.TemporaryDirectory(prefix="modeloom-header-") as work:
        path = Path(work) / f"{name}.h"
        CHeaderExporter().export(top, str(path))
        text = path.read_text(encoding="utf-8")
    figures = {one.name: one.get_value() for one in top.inst.parameters}
    one, other = (read_map(some, parts).by_name for some in ({}, {name: value ^ 1 for name, value in figures.items()}))
    for register in one.values():
        for field in register.fields:
            # A value that another core does not have is one of the figures.
            if field.reset != other[register.name].field(field.name).reset:
                macro = f"{top.inst_name}__{register.name}__{field.name}".upper()
                text, count = re.subn(rf"^#define {macro}_reset .*\n", "", text, flags=re.MULTILINE)
                if count != 1:
                    raise ValueError(f"the C header has no value of {register.name}.{field.name}")
    return text


# -- page ------------------------------------------------------------------------------------------------------------------------------

# The registers of a core as one page of HTML, which needs no other file and runs no script.
#
#     RegisterMap ──▶ a list of all registers, with links
#                 ──▶ for each register a picture of its bits, and a table of its fields

WORD_BITS = 8 * WORD_BYTES

STYLE = """\
:root { color-scheme: light dark; --line: #bbb; --head: #eee; --none: #f4f4f4; --quiet: #666; }
@media (prefers-color-scheme: dark) { :root { --line: #555; --head: #2b2b2b; --none: #222; --quiet: #aaa; } }
body { font: 15px/1.45 sans-serif; max-width: 64em; margin: 2em auto; padding: 0 1em; overflow-wrap: anywhere; }
table { border-collapse: collapse; margin: 0.6em 0 1.2em; width: 100%; }
th, td { border: 1px solid var(--line); padding: 0.25em 0.5em; text-align: left; vertical-align: top; }
th { background: var(--head); overflow-wrap: normal; }
td.bits { text-align: center; padding: 0.25em 0; }
td.none { background: var(--none); }
table.word { table-layout: fixed; }
small { display: block; color: var(--quiet); }
code { font-family: monospace; }
h2 { margin-top: 1.6em; border-top: 1px solid var(--line); padding-top: 0.6em; }
@media (max-width: 40em) { body { font-size: 13px; padding: 0 0.4em; } th, td { padding: 0.2em 0.3em; } }"""
"""The style of the page, which is inside it.  Words break on a narrow screen, and colours follow the light or dark scheme of the reader."""


def register_page(map: RegisterMap, title: str) -> str:
    """Text of the page.

    Parameters
    ----------
    map : RegisterMap
    title : str
        Its title.
    """
    lines = [
        "<!DOCTYPE html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        # Nothing is loaded from elsewhere.
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>{escape(title)}</title>", "<style>", STYLE, "</style>", "</head>", "<body>",
        "<!-- SPDX-License-Identifier: Apache-2.0 -->", f"<h1>{escape(title)}</h1>", f"<p>{escape(map.about)}</p>", *_list(map.registers),
    ]  # fmt: skip
    for register in map.registers:
        lines += _section(register)
    return "\n".join([*lines, "</body>", "</html>", ""])


def register_sections(registers: Sequence[Register]) -> Iterator[str]:
    """The list of some registers, and a section for each: lines that stand within another page."""
    yield '<div class="wide">'
    yield from _list(registers)
    yield "</div>"
    for register in registers:
        yield from ('<div class="wide">', *_section(register, "h3"), "</div>")


def _list(registers: Sequence[Register]) -> Iterator[str]:
    """All registers."""
    yield '<table class="list">'
    yield "<tr><th>address</th><th>register</th><th>access</th><th>what it is</th></tr>"
    for one in registers:
        link = f'<a href="#{escape(one.name)}"><code>{escape(one.name)}</code></a>'
        yield f"<tr><td><code>{_span(one)}</code></td><td>{link}</td><td>{one.access}</td><td>{escape(one.title)}</td></tr>"
    yield "</table>"


def _span(one: Register) -> str:
    """Its address, or the first and the last one."""
    first = f"0x{one.address:03x}"
    return first if one.words == 1 else f"{first} to 0x{one.address + WORD_BYTES * (one.words - 1):03x}"


def _section(one: Register, heading: str = "h2") -> Iterator[str]:
    """A register."""
    yield f'<{heading} id="{escape(one.name)}">{escape(one.title)}</{heading}>'
    yield f"<p><code>{escape(one.name)}</code>, <code>{_span(one)}</code>, {one.access}. {escape(one.about)}</p>"
    if not one.fields:
        return
    yield '<table class="word">'
    yield f"<tr>{''.join(_cells(one))}</tr>"
    yield "</table>"
    yield '<table class="fields">'
    yield "<tr><th>bits</th><th>field</th><th>access</th><th>after a reset</th><th>meaning</th></tr>"
    for field in sorted(one.fields, key=lambda field: -field.low):
        cells = (f"<code>{_bits(field)}</code>", f"<code>{escape(field.name)}</code>", _access(field), _reset(field), escape(field.about))
        yield f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
    yield "</table>"


def _cells(one: Register) -> Iterator[str]:
    """The bits of a register from the highest one on."""
    at = WORD_BITS
    for field in sorted(one.fields, key=lambda field: -field.low):
        above = at - field.low - field.width
        if above:
            yield f'<td class="bits none" colspan="{above}"></td>'
        yield f'<td class="bits" colspan="{field.width}"><small>{_bits(field)}</small>{escape(field.name)}</td>'
        at = field.low
    if at:
        yield f'<td class="bits none" colspan="{at}"></td>'


def _bits(field: RegisterField) -> str:
    return str(field.low) if field.width == 1 else f"{field.low + field.width - 1}:{field.low}"


def _access(field: RegisterField) -> str:
    read = "read takes it away" if field.taken else "read"
    words = [word for word, can in ((read, field.reads), ("write 1 to clear" if field.clears else "write", field.writes)) if can]
    return ", ".join(words)


def _reset(field: RegisterField) -> str:
    """Its value after a reset; nothing for a value that comes from inside."""
    return "" if field.from_inside and not field.clears or not field.reads else f"<code>0x{field.reset:x}</code>"
