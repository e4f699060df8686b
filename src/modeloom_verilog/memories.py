# SPDX-License-Identifier: Apache-2.0
"""The memories of a design: their names, their count, attributes for tools, and UltraRAM.

What tools for synthesis are told of memories and registers: attributes, and statements of memories in the forms of templates.

The attributes in the hardware descriptions, and their equivalents for Vivado and Quartus:

========================  ======================================  ==============================================
description               Yosys, Vivado                           Quartus
========================  ======================================  ==============================================
ram_style "distributed"   ram_style = "distributed"               ramstyle = "MLAB"
ram_style "block"         ram_style = "block"                     ramstyle = "no_rw_check" (and no_rw_check below)
ram_style "ultra"         ram_style = "ultra"                     as for "block"
no_rw_check               no_rw_check; rw_addr_collision = "no"   ramstyle = "no_rw_check"
rom_style "logic"         ram_style = "registers" for Yosys,      romstyle = "logic"
                          rom_style = "distributed" for Vivado
rom_style "block"         rom_style = "block"                     the tool's choice, which is a block memory
keep                      keep = "true"                           keep = "true"
async_reg                 ASYNC_REG = "TRUE",                     altera_attribute, which names a synchroniser
                          shreg_extract = "no"
========================  ======================================  ==============================================

Registers of synchronisers also have ``syn_preserve`` for Synplify and Radiant.

Sources: UG901 (RAM_STYLE, ROM_STYLE, RW_ADDR_COLLISION, KEEP, ASYNC_REG), Quartus Prime help (ramstyle, romstyle, keep, altera_attribute),
Yosys' memory_libmap.

``verilog`` writes memories in these forms::

    RAM, read with a register      always @(posedge clk) begin if (we) words[waddr] <= wdata; end
    (block RAM or LUTs)            always @(posedge clk) begin if (en) rdata <= words[raddr]; end
    RAM, read without a register   always @(posedge clk) begin if (we) words[waddr] <= wdata; end
    (LUTs)                         assign rdata = words[raddr];
    ROM, read with a register      initial begin words[0] = ...; end
    (block memory)                 always @(posedge clk) begin rdata <= words[raddr]; end
    ROM, read without a register   initial begin words[0] = ...; end
    (logic)                        assign rdata = words[raddr];

They are those of these templates:

- AMD UG901 (Vivado Design Suite User Guide: Synthesis), chapter "HDL Coding Techniques".  RAM with a register: "Simple Dual-Port Block RAM
  with Single Clock (Verilog)" (simple_dual_one_clock.v).  RAM without one: "Dual-Port RAM with Asynchronous Read" (rams_dist.v).  ROM: "ROM
  HDL Coding Techniques".  Its example "ROM Using Block RAM Resources (Verilog)" is a ``case``; a ROM as an array, as here, is in "ROM_STYLE
  Verilog Example".
- Quartus Prime Pro Edition User Guide: Design Recommendations, chapter "Recommended HDL Coding Styles", section "Inferring Memory Functions
  from HDL Code".  RAM with a register: "Single-Clock Synchronous RAM with Old Data Read-During-Write Behavior"; for ``no_rw_check`` see
  "Check Read-During-Write Behavior".  Initial contents: "Specifying Initial Memory Contents at Power-Up".  ROM: "Inferring ROM Functions
  from HDL Code".  There is no template without a register: "Use Synchronous Memory Blocks" says that such memories become logic cells.
- Yosys documentation, "Memory handling", section "Supported memory patterns" (``memory_libmap``).  RAM with a register: "Synchronous SDP
  read first", and with ``no_rw_check`` "Synchronous SDP with undefined collision behavior".  RAM without one: "Asynchronous-read SDP".
  Initial contents: "Initial data".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from modeloom_verilog.circuit import Circuit, Memory, Read
from modeloom_verilog.expressions import part_of
from modeloom_verilog.sharing import common, free_name
from modeloom_verilog.simplify import rename

__all__ = ["LEAST_BITS", "RAMS", "MemoryDescription", "attributes_of", "memories_of", "name_memories", "use_ultra"]

_SAME = {
    ("ram_style", "distributed"): (("ramstyle", '"MLAB"'),),
}
"""Further attributes that are written for an attribute and its value."""

_NO_CHECK = (("ramstyle", '"no_rw_check"'), ("rw_addr_collision", '"no"'))
"""Programs never use a word that is read in the cycle in which it is written."""

_SYNCHRONIZER = (
    ("ASYNC_REG", '"TRUE"'), ("shreg_extract", '"no"'), ("syn_preserve", "1"),
    ("altera_attribute", '"-name SYNCHRONIZER_IDENTIFICATION FORCED"'),
)  # fmt: skip
"""What the registers of a synchroniser need: they stay two registers, and lie beside each other."""


def attributes_of(attributes: Mapping[str, str]) -> str:
    """The text of the attributes before the declaration of a net or memory, with a space at the end.  It is empty if there are none.

    Parameters
    ----------
    attributes : mapping
        Names and values as in RTLIL.  Attributes that are not for synthesis (``init``) are left out.
    """
    found: list[tuple[str, str]] = []
    for name, value in attributes.items():
        if name == "rom_style" and value == '"logic"':
            # With "distributed", Yosys would use memories, which cannot be initialized in most devices.  Yosys reads ram_style first.
            # Vivado ignores ram_style for a ROM.
            found += [("ram_style", '"registers"'), ("rom_style", '"distributed"'), ("romstyle", '"logic"')]
        elif name in ("ram_style", "rom_style"):
            found += [(name, value), *_SAME.get((name, value.strip('"')), ())]
        elif name == "no_rw_check":
            found += [(name, "1"), *_NO_CHECK]
        elif name in ("keep", "shreg_extract"):
            found.append((name, '"true"' if name == "keep" else value))
        elif name == "async_reg":
            found += _SYNCHRONIZER
        elif name == "mapped_apart":
            found.append((name, "1"))
    if not found:
        return ""
    return "(* " + ", ".join(f"{name} = {value}" for name, value in found) + " *) "


# -- memories ----------------------------------------------------------------------------------------------------------------------

# The memories of a design, counted over all instances of their modules: what ``core.json`` says of them.

@dataclass(frozen=True, kw_only=True)
class MemoryDescription:
    """A memory of the Verilog, or a table of constants, which has no write port."""

    module: Annotated[str, "Name of its module."]
    name: Annotated[str, "Its name in the module."]
    instances: Annotated[int, "How often the module stands in the design."]
    width: Annotated[int, "Bits of a word."]
    depth: Annotated[int, "Number of words."]
    read_ports: Annotated[int, "Number of read ports."]
    registered_read_ports: Annotated[int, "How many of them have a register, so that the word comes a cycle after the address."]
    write_ports: Annotated[int, "Number of write ports."]
    style: Annotated[str, '"block", "distributed", "ultra", "logic" for a table, or "auto" for the choice of the tool.']


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


# -- held --------------------------------------------------------------------------------------------------------------------------

# Names memories after what they hold.  A component for memories calls its memory ``mem0`` or ``words``, whatever is in it, but its place
# in the design tells:
#
#     core.bus.texts.queue.memory    mem0          ──▶   texts_queue
#     core.bus.window.memory         mem0          ──▶   window_words
#     core.engine.bank_in0           mem0, mem1    ──▶   bank_in0_part_0, bank_in0_part_1
#     core.bus.command.checked       words         ──▶   command_checked

_NAMELESS = re.compile(r"\\(?:mem|memory|words|storage)(\d*)")
"""Memories whose names say nothing."""

_AROUND = ("bus", "core", "engine", "pipeline")
"""Parts of each core.  Their names say nothing about what is in one memory of many."""

_WORDS = 2
"""Instances whose names are in the name of a memory, at most: the innermost ones."""


def name_memories(circuits: Sequence[Circuit], top: str) -> None:
    """Gives memories without a name of their own the name of their place, in place.

    Parameters
    ----------
    circuits : sequence of Circuit
    top : str
        Name of the top in RTLIL.
    """
    parents: dict[str, list[tuple[str, str]]] = {}
    for circuit in circuits:
        for instance in circuit.instances.values():
            parents.setdefault(instance.module, []).append((circuit.name, instance.name.removeprefix("\\")))
    for circuit in circuits:
        nameless = [name for name in circuit.memories if _NAMELESS.fullmatch(name)]
        if nameless and circuit.name != top:
            _name(circuit, nameless, _place(circuit.name.removeprefix(top + "_"), _places(circuit.name, parents)))


def _places(module: str, parents: Mapping[str, Iterable[tuple[str, str]]]) -> list[str]:
    """What the instances of a module are called, with those around them: the words that tell where each one is.

    The name of a single instance has a word behind it.  Linters warn of a signal with the name of the instance in which it is.
    """
    found: dict[tuple[str, ...], None] = {}
    waiting: list[tuple[str, tuple[str, ...]]] = [(module, ())]
    while waiting:
        at, path = waiting.pop(0)
        if len(path) == _WORDS or at not in parents:
            found[path] = None
            continue
        for parent, instance in parents[at]:
            plain = instance not in _AROUND and not _NAMELESS.fullmatch("\\" + instance) and path[:1] != (instance,)
            waiting.append((parent, (instance, *path) if plain else path))
    return ["_".join(path if len(path) != 1 else (*path, "words")) for path in found]


def _place(module: str, places: list[str]) -> str:
    """One name for all places of a module.  It is made from the name of the module if they differ in more than numbers."""
    name = (places[0] if len(places) == 1 else common(places)) or ""
    name = name.strip("_") or re.sub(rf"^(({'|'.join(_AROUND)})_)*|_(memory|words)$", "", module) + "_words"
    return re.sub(r"(_words)+$", "_words", re.sub("_+", "_", name))


def _name(circuit: Circuit, memories: list[str], place: str) -> None:
    taken = {*circuit.nets, *circuit.memories, *circuit.instances}
    new: dict[str, str] = {}
    for memory in memories:
        number = _NAMELESS.fullmatch(memory)
        assert number is not None, "only these are given"
        name = f"\\{place}" if len(memories) == 1 else f"\\{place.removesuffix('_words')}_part_{number[1]}"
        new[memory] = free_name(name, taken)
    nets = {}
    for old, name in new.items():
        # A net may be named after its memory.
        for net in circuit.nets:
            if re.fullmatch(rf"{re.escape(old)}_(read|write)_\w+", net):
                nets[net] = free_name(name + net.removeprefix(old), taken)
    circuit.memories = {new.get(name, name): memory for name, memory in circuit.memories.items()}
    for read in circuit.reads.values():
        read.memory = new.get(read.memory, read.memory)
    rename(circuit, nets)


# -- ultra -------------------------------------------------------------------------------------------------------------------------

# UltraRAM for large memories: ``build --ram ultra``.
#
# An UltraRAM has 4096 words of 72 bits, two ports on one clock, and no initial contents but zeros (UG573, chapter 2).  Its port keeps its
# output while it writes, and the port that reads gives the old word if the other one writes it (no change, read first).  So it can hold a
# memory with one port that writes whole words and one with a register that reads, on one clock, whose programs do not depend on a word that
# is read in the cycle in which it is written.  These are the block memories of the sources: ``no_rw_check`` says so of them.
#
# UG901 has the same memory as the template "UltraRAM simple dual port":
#
#     (* ram_style = "ultra" *) reg [...] mem [...];
#     always @(posedge clk) if (wea) mem[addra] <= dina;
#     always @(posedge clk) if (mem_en) memreg <= mem[addrb];

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
