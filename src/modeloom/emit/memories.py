# SPDX-License-Identifier: Apache-2.0
"""The memories of a design, counted over all instances of their modules: what ``core.json`` says of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from modeloom.emit.circuit import Circuit, Read
from modeloom.product.description import MemoryDescription

__all__ = ["memories_of"]


def memories_of(circuits: Sequence[Circuit], top: str) -> list[MemoryDescription]:
    """The memories of a design in the order of its modules; ``top`` is the name of the top module in RTLIL."""
    number = _instances({circuit.name: circuit for circuit in circuits}, top)
    found = []
    for circuit in circuits:
        for name, memory in circuit.memories.items():
            reads: list[Read] = [read for read in circuit.reads.values() if read.memory == name]
            found.append(
                MemoryDescription(
                    module=circuit.name.removeprefix("\\"), name=name.removeprefix("\\"), instances=number[circuit.name],
                    width=memory.width, depth=memory.depth, read_ports=len(reads),
                    registered_read_ports=sum(read.clock is not None for read in reads), write_ports=len(memory.writes),
                    style=_style(memory.attributes),
                )
            )  # fmt: skip
    return found


def _style(attributes: dict[str, str]) -> str:
    """The style that the attributes ask for; "auto" if they leave it to the tool."""
    return next((attributes[name].strip('"') for name in ("rom_style", "ram_style") if name in attributes), "auto")


def _instances(circuits: dict[str, Circuit], top: str) -> Counter[str]:
    """How often each module stands in the design."""
    found: Counter[str] = Counter()
    waiting = [(top, 1)]
    while waiting:
        name, times = waiting.pop()
        found[name] += times
        below = Counter(instance.module for instance in circuits[name].instances.values())
        waiting += [(module, times * count) for module, count in below.items()]
    return found
