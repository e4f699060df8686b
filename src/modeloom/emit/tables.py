# SPDX-License-Identifier: Apache-2.0
"""Makes modules of tables that are read without a clock, such as S-boxes: one module for each table, one instance for each look-up.

::

    memory of 256 bytes, 16 read ports     ──▶     module TOP_aes_sbox: address, data
                                                   aes_sbox_0_0 ... aes_sbox_0_15, instances of it
"""

from __future__ import annotations

import re

from modeloom.emit.circuit import Circuit, Instance, Memory, Net, Read
from modeloom.emit.expressions import const, net
from modeloom.emit.simplify import rename

__all__ = ["TABLE", "table_modules"]

TABLE = "table"
"""Attribute of a memory in a hardware description: the name of the table that it holds."""

_ADDRESS, _DATA, _WORDS = "\\address", "\\data", "\\words"


def table_modules(circuits: list[Circuit], top: str) -> list[Circuit]:
    """The modules of all tables of a design.  The memories of the tables become instances of them, in place.

    A table without a name (``TABLE``) is named by its size.  Different tables with the same name get numbers.
    """
    found: dict[tuple[object, ...], Circuit] = {}
    taken = {circuit.name for circuit in circuits}
    for circuit in circuits:
        places: dict[str, int] = {}
        names: dict[str, str] = {}
        taken_here = {*circuit.nets}
        for memory_name in [*circuit.memories]:
            memory = circuit.memories[memory_name]
            reads = {name: read for name, read in circuit.reads.items() if read.memory == memory_name}
            if memory.writes or not reads or any(read.clock is not None for read in reads.values()):
                continue
            label = memory.attributes.pop(TABLE, "").strip('"') or f"table_{memory.depth}x{memory.width}"
            styles = tuple(sorted(memory.attributes.items()))
            bits = next(iter(reads.values())).address.width
            key = (label, bits, memory.width, memory.depth, tuple(memory.words), styles)
            if key not in found:
                found[key] = _module(_free(f"\\{top}_{label}", taken), bits, memory)
            place = places[label] = places.get(label, -1) + 1
            for i, (data, read) in enumerate(reads.items()):
                name = f"{label}_{place}_{i}"
                del circuit.reads[data]
                if re.fullmatch(r"\\port_data(_\d+)?|\$.*", data):
                    names[data] = _free(f"\\{name}_data", taken_here)
                circuit.instances[f"\\{name}"] = Instance(
                    found[key].name, f"\\{name}", {_ADDRESS: read.address}, {_DATA: net(data, memory.width)}
                )  # fmt: skip
            del circuit.memories[memory_name]
        rename(circuit, names)
    return list(found.values())


def _free(name: str, taken: set[str]) -> str:
    """A name that is not used yet."""
    number, new = 1, name
    while new in taken:
        number += 1
        new = f"{name}_{number}"
    taken.add(new)
    return new


def _module(name: str, bits: int, memory: Memory) -> Circuit:
    return Circuit(
        name,
        {_ADDRESS: Net(bits, "input"), _DATA: Net(memory.width, "output")},
        reads={_DATA: Read(_WORDS, net(_ADDRESS, bits), const(1, 1), None, True)},
        memories={_WORDS: Memory(memory.width, memory.depth, dict(memory.attributes), list(memory.words))},
    )  # fmt: skip
