# SPDX-License-Identifier: Apache-2.0
"""Makes modules of tables, such as S-boxes: one module for each table, one instance for each look-up.

::

    memory of 256 bytes, 16 read ports     ──▶     module TOP_aes_sbox: address, data
                                                   aes_sbox_0_0 ... aes_sbox_0_15, instances of it
    memory of 256 bytes, read by a clock   ──▶     module TOP_aes_sbox_bram: clk, address_0, address_1, data_0, data_1
    at 2 ports                                     aes_sbox_bram_0, one instance: a block memory
"""

from __future__ import annotations

import re

from modeloom.emit.circuit import Circuit, Instance, Memory, Net, Read
from modeloom.emit.expressions import const, net
from modeloom.emit.simplify import rename

__all__ = ["TABLE", "WHOLE", "free_name", "table_modules"]

TABLE = "table"
"""Attribute of a memory in a hardware description: the name of the table that it holds."""

WHOLE = "table_whole"
"""Attribute of such a memory: tools should map the module of the table by itself.  This holds for all places of the table."""

_CLOCK, _ADDRESS, _DATA = "\\clk", "\\address", "\\data"


def table_modules(circuits: list[Circuit], top: str) -> list[Circuit]:
    """The modules of all tables of a design.  The memories of the tables become instances of them, in place.

    A table that is read without a clock and has no name (``TABLE``) is named by its size.  Different tables with the same name get
    numbers.  A table without a name that is read by a clock stays where it is.
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
            if memory.writes or not reads:
                continue
            label = memory.attributes.pop(TABLE, "").strip('"')
            alone = memory.attributes.pop(WHOLE, None) is not None
            clocked = [read.clock is not None for read in reads.values()]
            if any(clocked) and not (label and _by_one_clock(list(reads.values()))):
                continue
            label = label or f"table_{memory.depth}x{memory.width}"
            first = next(iter(reads.values()))
            # A memory that is read by a clock has as many ports as it has: two look-ups share it.
            groups = [list(reads)] if any(clocked) else [[name] for name in reads]
            size = (any(clocked), len(groups[0]), first.address.width, memory.width, memory.depth)
            key = (label, size, tuple(memory.words), tuple(sorted(memory.attributes.items())))
            if key not in found:
                found[key] = _module(free_name(f"\\{top}_{label}", taken), f"\\{label}", len(groups[0]), first, memory)
            found[key].whole_module |= alone
            place = places[label] = places.get(label, -1) + 1
            for i, group in enumerate(groups):
                name = f"{label}_{place}" if any(clocked) else f"{label}_{place}_{i}"
                instance = circuit.instances[f"\\{name}"] = Instance(found[key].name, f"\\{name}")
                if first.clock is not None:
                    instance.inputs[_CLOCK] = first.clock
                for port, data in enumerate(group):
                    number = f"_{port}" if len(group) > 1 else ""
                    if re.fullmatch(r"\\port_data(_\d+)?|\$.*", data):
                        names[data] = free_name(f"\\{name}_data{number}", taken_here)
                    instance.inputs[_ADDRESS + number] = circuit.reads.pop(data).address
                    instance.outputs[_DATA + number] = net(data, memory.width)
            del circuit.memories[memory_name]
        rename(circuit, names)
    return list(found.values())


def _by_one_clock(reads: list[Read]) -> bool:
    """Whether reads have one clock, and read in every cycle."""
    first = reads[0]
    return all(
        (read.clock, read.rising) == (first.clock, True) and read.enable.constant and "0" not in read.enable.name for read in reads
    )  # fmt: skip


def free_name(name: str, taken: set[str]) -> str:
    """A name that is not used yet.  It is added to those that are taken."""
    number, new = 1, name
    while new in taken:
        number += 1
        new = f"{name}_{number}"
    taken.add(new)
    return new


def _module(name: str, words: str, ports: int, read: Read, memory: Memory) -> Circuit:
    """The module of a table with so many ports, which are read as *read* is.  ``words`` is the name of the memory in it."""
    bits = read.address.width
    numbers = [f"_{port}" for port in range(ports)] if ports > 1 else [""]
    clock = None if read.clock is None else net(_CLOCK, 1)
    nets = {_CLOCK: Net(1, "input")} if clock is not None else {}
    nets |= {_ADDRESS + number: Net(bits, "input") for number in numbers}
    nets |= {_DATA + number: Net(memory.width, "output") for number in numbers}
    return Circuit(
        name,
        nets,
        reads={_DATA + number: Read(words, net(_ADDRESS + number, bits), const(1, 1), clock, True) for number in numbers},
        memories={words: Memory(memory.width, memory.depth, dict(memory.attributes), list(memory.words))},
    )  # fmt: skip
