# SPDX-License-Identifier: Apache-2.0
"""UltraRAM for large memories: ``build --ram ultra``.

An UltraRAM has 4096 words of 72 bits, two ports on one clock, and no initial contents but zeros (UG573, chapter 2).  Its port keeps its
output while it writes, and the port that reads gives the old word if the other one writes it (no change, read first).  So it can hold a
memory with one port that writes whole words and one with a register that reads, on one clock, whose programs do not depend on a word that
is read in the cycle in which it is written.  These are the block memories of the sources: ``no_rw_check`` says so of them.

UG901 has the same memory as the template "UltraRAM simple dual port"::

    (* ram_style = "ultra" *) reg [...] mem [...];
    always @(posedge clk) if (wea) mem[addra] <= dina;
    always @(posedge clk) if (mem_en) memreg <= mem[addrb];
"""

from __future__ import annotations

from collections.abc import Iterable

from modeloom.emit.circuit import Circuit, Memory, Read
from modeloom.emit.expressions import part_of

__all__ = ["LEAST_BITS", "RAMS", "use_ultra"]

RAMS = ("ultra",)
"""What ``--ram`` takes."""

LEAST_BITS = 32 * 1024
"""Bits of the smallest memory that becomes UltraRAM: those of a block memory.  Smaller ones stay as they are."""


def use_ultra(circuits: Iterable[Circuit]) -> int:
    """Asks for UltraRAM for each memory that it can hold.  Returns their number."""
    found = 0
    for circuit in circuits:
        for name, memory in circuit.memories.items():
            if fits(memory, [read for read in circuit.reads.values() if read.memory == name]):
                memory.attributes["ram_style"] = '"ultra"'
                found += 1
    return found


def fits(memory: Memory, reads: list[Read]) -> bool:
    """Whether UltraRAM can hold a memory, and it is large enough."""
    style = memory.attributes.get("ram_style", "").strip('"')
    if style != "block" or "no_rw_check" not in memory.attributes or any(memory.words) or memory.width * memory.depth < LEAST_BITS:
        return False
    if len(memory.writes) != 1 or len(reads) != 1:
        return False
    (write,), (read,) = memory.writes, reads
    whole = len({part_of(write.enable, bit, 1) for bit in range(memory.width)}) == 1
    return whole and read.clock is not None and read.clock == write.clock and read.rising and write.rising
