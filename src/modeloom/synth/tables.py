# SPDX-License-Identifier: Apache-2.0
"""Makes modules of the tables of a design, such as S-boxes, so equal tables become logic only once.

A core with S-boxes in LUTs reads about three hundred tables of 256 bytes, but only two different ones.  Each is 2 040 multiplexers, which
every pass before the mapping processes.  With modules, there are only two tables.  They are flattened before LUTs are mapped, because ABC
takes a quarter more LUTs for a single S-box (159) than for one of many::

    memory, rom_style "logic"                      module table_8_8_HASH: the memory with one port
      port 0 ── A ─▶ D          ──▶                 ├─ instance for port 0
      port 1 ── A ─▶ D                              └─ instance for port 1
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

__all__ = ["MANY", "TABLE", "tables_apart"]

MANY = 8
"""Smallest number of places for which a table becomes a module."""

TABLE = "mapped_table"
"""Attribute of the modules."""

WHOLE_TABLE = re.compile(r"^ *attribute \\table_whole ", re.MULTILINE)
"""The attribute of memories of tables that the design asks to be mapped by themselves (``rtl.aes.sboxes.sbox``)."""

_MODULE = re.compile(r"^module \\(\S+)\n(.*?)^end$\n?", re.MULTILINE | re.DOTALL)
_MEMORY = re.compile(
    r'^(?:  attribute [^\n]*\n)*  attribute \\(?:rom_style "logic"|ram_style "registers")\n(?:  attribute [^\n]*\n)*'
    r"  memory width (\d+) size (\d+) \\(\S+)\n",
    re.MULTILINE,
)
_INSTANCE = re.compile(r"^  cell \\(\S+) ", re.MULTILINE)
_ANY = re.compile(r"^  (?:cell|process) ", re.MULTILINE)
_CELL = re.compile(r"^(?:  attribute [^\n]*\n)*  cell \$(meminit_v2|memrd|memrd_v2) (\S+)\n(.*?)^  end\n", re.MULTILINE | re.DOTALL)
_MENTIONED = re.compile(r'^    parameter \\MEMID (".*")$', re.MULTILINE)
_WORD = re.compile(r"^    (?:parameter(?: signed)?|connect) \\(\w+) (.*)$", re.MULTILINE)


def tables_apart(rtlil: str) -> str:
    """The design, in which each table that should be logic is in a module with ``keep_hierarchy``.

    A table is a memory whose words all have initial values, which is never written, and which is read without a clock.  It should be logic
    if its ``rom_style`` is "logic" or, in emitted Verilog, its ``ram_style`` is "registers".  With the attribute ``table_whole``, its
    module is mapped by itself, like the module of such a table in emitted Verilog.  Tables that are read in fewer than `MANY` places, and
    all other memories, are not changed.
    """
    parts = [(match[1], *match.span()) for match in _MODULE.finditer(rtlil)]
    tables = [table for owner, begin, end in parts for table in _tables(rtlil, owner, begin, end)]
    # A module that contains only a table is read once for each of its instances.
    instances = Counter(_INSTANCE.findall(rtlil))
    places: Counter[str] = Counter()
    for table in tables:
        places[table.name] += instances[table.owner] if table.alone else len(table.ports)
    chosen = [table for table in tables if places[table.name] >= MANY]
    # The removed text and its replacement.
    edits = [(table.memory.span(), "") for table in chosen]
    for table in chosen:
        edits += [(cell.span(), "") for cell, _ in table.words]
        edits += [(cell.span(), _instance(table.name, cell[2], port)) for cell, port in table.ports]
    pieces, at = [], 0
    for (begin, end), text in sorted(edits):
        pieces += [rtlil[at:begin], text]
        at = end
    modules = {table.name: table for table in chosen}
    return "".join([*pieces, rtlil[at:], *(_module(table) for table in modules.values())])


_Cell = tuple[re.Match[str], dict[str, str]]
"""A cell in the text, and its parameters and connections."""


@dataclass(frozen=True)
class _Table:
    """A table in a memory.

    It has the name of its module, the module that has the memory, the memory, the cells that set its words, and the cells that read them.
    Then follow its words, whether the module contains nothing else and was not made here, and whether it is mapped by itself.
    """

    name: str
    owner: str
    memory: re.Match[str]
    words: list[_Cell]
    ports: list[_Cell]
    contents: dict[int, str]
    alone: bool
    whole: bool


def _tables(rtlil: str, owner: str, begin: int, end: int) -> Iterator[_Table]:
    """The tables of the module between two positions in the text."""
    memories = list(_MEMORY.finditer(rtlil, begin, end))
    if not memories:
        return
    cells: dict[str, list[_Cell]] = {}
    for cell in _CELL.finditer(rtlil, begin, end):
        words = dict(_WORD.findall(cell[3]))
        cells.setdefault(words["MEMID"], []).append((cell, words))
    mentioned = Counter(_MENTIONED.findall(rtlil, begin, end))
    for memory in memories:
        name = f'"\\\\{memory[3]}"'
        own = cells.get(name, [])
        # Every use is a port or a word.
        if mentioned[name] == len(own) and (table := _table(owner, memory, own)) is not None:
            alone = len(table.ports) == 1 and owner != table.name and len(_ANY.findall(rtlil, begin, end)) == len(own)
            yield replace(table, alone=alone)


def _table(owner: str, memory: re.Match[str], cells: list[_Cell]) -> _Table | None:
    """The table in a memory that these cells use, or None if it is not a table whose ports need no clock."""
    size = int(memory[2])
    inits = [each for each in cells if each[0][1] == "meminit_v2"]
    whole = WHOLE_TABLE.search(memory[0]) is not None
    # Ports of Amaranth have more parameters.  They are read for tables that must be modules.
    ports = [each for each in cells if each[0][1] == "memrd" or (whole and each[0][1] == "memrd_v2")]
    contents = {int(init["ADDR"]): init["DATA"] for _, init in inits if _is_word(init)}
    if whole and len(inits) == 1 and inits[0][1]["WORDS"] == str(size) and size > 1:
        contents = _cut(inits[0][1]["DATA"], int(memory[1]))
    # Every word has a value.
    if len(contents) != size or len(inits) not in (1, size) or not ports:
        return None
    address = (size - 1).bit_length()
    if not all(port["CLK_ENABLE"] in ("0", "1'0") and int(port["ABITS"]) == address for _, port in ports):
        return None
    text = "\n".join(f"{place} {contents[place]}" for place in sorted(contents))
    name = f"table_{address}_{memory[1]}_{hashlib.sha256(text.encode()).hexdigest()[:12]}{'_whole' * whole}"
    return _Table(name, owner, memory, inits, ports, contents, False, whole)


def _instance(table: str, name: str, port: dict[str, str]) -> str:
    """An instance of the module of a table, which replaces a port."""
    return f"  cell \\{table} {name}\n    connect \\A {port['ADDR']}\n    connect \\D {port['DATA']}\n  end\n"


def _is_word(init: dict[str, str]) -> bool:
    """Whether an initial value sets one whole word at an address that is a plain number."""
    return init["WORDS"] == "1" and init["ADDR"].isdecimal() and not set(init["EN"].rpartition("'")[2]) - {"1"}


def _cut(data: str, width: int) -> dict[int, str]:
    """The words of a number of binary digits that sets all of them, the last word first."""
    digits = data.rpartition("'")[2]
    ends = range(len(digits), 0, -width)
    return {place: f"{width}'{digits[end - width : end]}" for place, end in enumerate(ends)}


def _module(table: _Table) -> str:
    """The module of a table: its memory with one port."""
    width, size = int(table.memory[1]), int(table.memory[2])
    address = (size - 1).bit_length()
    words = table.contents
    inits = "".join(
        f"  cell $meminit_v2 $init${place}\n"
        f'    parameter \\WORDS 1\n    parameter \\MEMID "\\\\table"\n    parameter \\ABITS 32\n    parameter \\WIDTH {width}\n'
        f"    parameter \\PRIORITY {place}\n    connect \\ADDR {place}\n    connect \\DATA {words[place]}\n"
        f"    connect \\EN {width}'{'1' * width}\n  end\n"
        for place in sorted(words)
    )
    kept = 'attribute \\keep_hierarchy "yes"\n' if table.whole else f"attribute \\keep_hierarchy 1\nattribute \\{TABLE} 1\n"
    return (
        f"{kept}module \\{table.name}\n"
        f"  wire width {address} input 1 \\A\n  wire width {width} output 2 \\D\n"
        f'  attribute \\rom_style "logic"\n  memory width {width} size {size} \\table\n{inits}'
        f'  cell $memrd $read\n    parameter \\MEMID "\\\\table"\n    parameter \\ABITS {address}\n    parameter \\WIDTH {width}\n'
        "    parameter \\CLK_ENABLE 0\n    parameter \\CLK_POLARITY 0\n    parameter \\TRANSPARENT 0\n"
        "    connect \\CLK 1'x\n    connect \\EN 1'x\n    connect \\ADDR \\A\n    connect \\DATA \\D\n  end\nend\n"
    )
