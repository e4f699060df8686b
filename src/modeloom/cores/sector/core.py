# SPDX-License-Identifier: Apache-2.0
"""A compiled mode as a ``Core``, and the same core made again from a folder."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from amaranth.lib import wiring

from modeloom.allocate.build import CoreProgram
from modeloom.allocate.program import listing
from modeloom.compiler.compile import Compiled, compile_mode
from modeloom.cores.bench_text import sector_words
from modeloom.cores.components import check_own_cipher
from modeloom.cores.sector.bench import bench_verilog, rules_module, sector_cases
from modeloom.cores.sector.describe import cipher_name, describe, interval_pins, latency_pins
from modeloom.cores.sector.hardware import ModeCore, bus_parameters, core_requests, erase_cycles, key_erase_cycles
from modeloom.cores.sector.sheet import page, sheet
from modeloom.definition.check import NOT_CHECKED, Checked
from modeloom.interfaces import Interface
from modeloom.interfaces.sector import sector_interfaces
from modeloom.modes import find
from modeloom.modes.by_path import seen_from
from modeloom.options.sectors import Options
from modeloom.product.beats import SectorDescription
from modeloom.product.cases import Cases
from modeloom.product.core import Core, Sheet
from modeloom.product.page import Page
from modeloom.rtl.bus.sector import BusParameters
from modeloom.rtl.engine.layout import engine_fields
from modeloom.rtl.engine.unit import UnitCore
from modeloom.spec import InputError, blame
from modeloom.spec.kinds import Kind, UnitKind
from modeloom_verilog.writer import Sections

__all__ = ["SectorCore", "engine_sections", "listings", "module_titles", "options_of", "same_core"]

# Comments in the Verilog of a core: a title for each module, and the sections of the engine.
#
# A section holds everything that belongs to one part of the program.  The names of the nets decide:
#
#     row_mul0_a_select, mul0_a_select_3_reg, mul0_a     ──▶   operand network mul0.a: operand a of mul0
#     in0_r1_addr_reg, bank_in0_rdata_1                  ──▶   bank in0
#     chain0_reg, chain0_load_3_reg                      ──▶   register of mask chain 0

WIDTH = 120
"""Characters in a line."""

_TITLES = {
    "": "The core: buses, engine and erasure",
    "zeroizer": "Erases all memories word by word, at power-up, on reset and on request",
    "bus": "The buses around the engine",
    "bus_command": "Accepts commands and checks them",
    "bus_sector": "Accepts the beats of a sector and counts them",
    "bus_sector_check": "Checks the form of tkeep and zeroes the bytes outside it",
    "bus_sector_slice": "Register slice: there is no path from tready to tready",
    "bus_entry": "Admits a sector to the engine or refuses it",
    "bus_flight": "Tracks which key slots have sectors in flight",
    "bus_size_gate": "Changes the sector size while no sector is in flight",
    "bus_ring": "Result buffer: sectors leave in the order of their commands",
    "bus_queue": "Statuses in the order of the commands",
    "bus_key_port": "Accepts keys, runs the set-up of a key, and erases keys",
    "bus_key_schedule": "Computes the round keys of the cipher",
    "engine_sequencer": "Row pointer, stages of the sectors in flight, and rotation of the banks",
    "engine_key_memory": "Key words of all slots",
}
"""Titles of the modules that every core has.  The keys are the names of the modules without the name of the core."""


def module_titles(program: CoreProgram) -> Mapping[str, list[str]]:
    """The lines of the comment before each module of a core.  The keys are the names of the modules without the name of the core.

    The comment of the control store names every field of its rows, with the bits of a row that hold the field.
    """
    titles = {name: [title] for name, title in _TITLES.items()}
    titles["engine"] = list(_lines(
        "The engine: in each cycle, a row of the control store controls all operand networks, banks and chains. Units: "
        + ", ".join(unit.name for unit in program.units) + "; banks: " + ", ".join(program.banks) + "."
    ))  # fmt: skip
    titles["engine_control"] = ["Control store: the rows of all tables, and the bits of each field of a row"]
    at = 0
    for i, table in enumerate(program.tables):
        what = f"main table, {' and '.join(table.directions)}" if i < len(program.mains) else "set-up of a key"
        if table.rows:
            rows = f"rows {at} to {at + table.rows - 1}" if table.rows > 1 else f"row {at}"
            titles["engine_control"].append(f"  {rows}: {what}")
        at += table.rows
    fields = engine_fields(program).columns.fields
    for name, bits in fields.items():
        # A field of decryption often has the same bits as the field of encryption.
        if bits and bits != fields.get(name.removesuffix(".dec") if name.endswith(".dec") else ""):
            titles["engine_control"] += _lines(f"{name} = {_bits(bits)}", "  ")
    for unit in program.units:
        for instance in (str(unit.name), re.sub(r"\d+$", "", str(unit.name))):
            titles[f"engine_{instance}"] = [f"Functional unit {instance}: operand registers, core and sum"]
    for bank in program.banks.values():
        titles[f"engine_bank_{bank.name}"] = [_bank(bank.name, bank.writer).capitalize()]
    return titles


def _lines(text: str, indent: str = "") -> Iterator[str]:
    yield from textwrap.wrap(text, WIDTH - 4, initial_indent=indent, subsequent_indent=indent + "  ")


def _bits(bits: list[int | None]) -> str:
    """A field as a concatenation of bits of a row.  The lowest bit is the last."""
    parts: list[str] = []
    run: list[int] = []
    for bit in [*reversed(bits), None]:
        if bit is not None and bit >= 0 and run and bit == run[-1] - 1:
            run.append(bit)
            continue
        if run:
            parts.append(f"data[{run[0]}]" if len(run) == 1 else f"data[{run[0]}:{run[-1]}]")
        run = [bit] if bit is not None and bit >= 0 else []
        if bit is None or bit < 0:
            parts.append("0" if bit is None else "1")
    return ", ".join(parts[:-1])


def engine_sections(program: CoreProgram) -> Sections:
    """The sections of the engine that runs a program.  Nets that belong to no part of the program come first."""
    patterns: list[tuple[str, str]] = [
        (r"sequencer(_\w+)?|scrub\w*|clear\w*|done(_\w+)?|enter_ack|row_done\w*", "sequencer: rows, stages, end of a sector, erasure"),
        (r"control(_\w+)?", "control store"),
    ]
    for net in program.nets:
        patterns.append((rf"(row_)?{net.owner}_{net.operand}(_\w+)?", f"operand network {net}"))
    for bank in program.banks.values():
        parts = r"r\d+|w|waddr|we|fill|cell\d*|left|base\d*|late\d*"
        patterns.append((rf"bank_{bank.name}(_\w+)?|(row_)?{bank.name}_({parts})(_\w+)?", _bank(bank.name, bank.writer)))
    patterns.append((r"key_memory(_\w+)?|key_\w+|row_key\w*", "key memory"))
    patterns.append((r"rk_\w+", "delivery of the round keys to the ciphers"))
    for unit in program.units:
        patterns.append((rf"{unit.name}(_\w+)?", f"unit {unit.name}"))
    for chain in program.chains:
        patterns.append((rf"(row_)?chain{chain.id}(_\w+)?", f"register of mask chain {chain.id}"))
    for lane in range(program.lanes):
        patterns.append((rf"(row_)?out{lane}(_\w+)?|out_\w+_{lane}|out_we", f"results of lane {lane}"))
    places = [(re.compile(pattern), at, title) for at, (pattern, title) in enumerate(patterns, 1)]
    # A key word belongs to the network that reads it.  A network belongs to its own section and not to that of its unit.
    places.sort(key=lambda place: (place[2].startswith("unit"), place[1]))
    known: dict[str, tuple[int, str]] = {}

    def section(name: str) -> tuple[int, str]:
        if name not in known:
            known[name] = next(((at, title) for pattern, at, title in places if pattern.fullmatch(name)), (0, ""))
        return known[name]

    return section


def _bank(name: str, writer: str) -> str:
    if writer == "tweak":
        return f"bank {name}: tweaks"
    return f"bank {name}: blocks of sectors" if writer.startswith("lane") else f"bank {name}: results of {writer}"


# -- core --------------------------------------------------------------------------------------------------------------------------

def listings(compiled: Compiled) -> str:
    """The listings of the programs of all sector sizes."""
    return "\n".join(listing(one.allocation.program) for one in compiled.sizes)


class SectorCore(Core[SectorDescription]):
    """The core of a compiled mode.

    Parameters
    ----------
    compiled : Compiled

    Raises
    ------
    InputError
        The buses do not fit the mode.
    """

    def __init__(self, compiled: Compiled):
        self.compiled = compiled
        self.parameters: BusParameters = bus_parameters(compiled)

    # -- hardware ---------------------------------------------------------------------------------------------------------

    def component(self) -> wiring.Component:
        """Buses around the engine."""
        return ModeCore(self.compiled)

    def components(self, kind: UnitKind, operations: Sequence[Kind]) -> dict[str, UnitCore]:
        """The components of a unit for some operations, by their names in Verilog.  Each call makes new ones."""
        return ModeCore(self.compiled).cores(kind, operations)

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The interfaces of cores for sectors."""
        return sector_interfaces(self.compiled.options.key_slots)

    @property
    def shape(self) -> BusParameters:
        """Bytes in a beat, and number of key slots."""
        return self.parameters

    @property
    def brought(self) -> str:
        """The cipher."""
        return self.compiled.architecture.cipher.name

    @property
    def erase_cycles(self) -> int:
        """Cycles that a reset or ``zeroize`` takes."""
        return erase_cycles(self.compiled)

    @property
    def key_erase_cycles(self) -> int:
        """Cycles after which nothing is left of a key that is erased, if no sector of it is in flight."""
        return key_erase_cycles(self.compiled)

    # -- what is said of it -------------------------------------------------------------------------------------------------

    @property
    def words(self) -> tuple[str, ...]:
        """Mode, sector sizes, and a word for each option that differs from its default."""
        return sector_words(self.compiled)

    @property
    def headline(self) -> str:
        """Mode, sectors, tweaks, cipher and directions."""
        compiled = self.compiled
        sizes = " or ".join(str(one.source.nbytes) for one in compiled.sizes)
        return (
            f"{compiled.mode.title}, sectors of {sizes} bytes, tweaks of {compiled.source.tweak_bytes} bytes, "
            f"{cipher_name(compiled)}, {' and '.join(compiled.options.directions)}"
        )

    @property
    def figures(self) -> str:
        """Cycles per sector, interval, latencies, slots, and whether the program was proved."""
        compiled = self.compiled
        cycles = compiled.schedule.ii if compiled.options.overlap else compiled.schedule.latency
        return (
            f"Cycles per sector: {cycles}; interval between sectors {interval_pins(compiled)}; latency "
            f"{compiled.schedule.latency}, at the pins {latency_pins(compiled)}; key slots: {compiled.options.key_slots}; program "
            f"{'proved' if compiled.proved else 'NOT PROVED'}."
        )

    def describe(self, name: str, command: str) -> SectorDescription:
        """The contents of ``core.json``."""
        return describe(self.compiled, name, command)

    def sheet(self, description: SectorDescription) -> Sheet:
        """Its sections of the datasheet."""
        return sheet(self.compiled, description)

    def page(self, description: SectorDescription) -> Page:
        """Its schedule, diagram and definition for the HTML datasheet."""
        return page(self.compiled, description)

    # -- what goes with it --------------------------------------------------------------------------------------------------

    def bench(self, name: str) -> str:
        """The bench, with results from the software model."""
        return bench_verilog(self.compiled, name)

    def cases(self) -> Cases:
        """Commands of the bench."""
        return sector_cases(self.compiled)

    def rules(self, name: str) -> str:
        """Assertions over all ports."""
        return rules_module(self.compiled, name)

    def sections(self) -> Mapping[str, Sections]:
        """The sections of the engine, one for each part of the program."""
        return {"engine": engine_sections(self.compiled.core_program)}

    def titles(self) -> Mapping[str, Sequence[str]]:
        """A title for each module, and the fields of the control store."""
        return module_titles(self.compiled.core_program)

    def listing(self) -> str:
        """The programs of all sector sizes."""
        return listings(self.compiled)

    def check(self) -> None:
        """Checks that the hardware of a mode's own cipher computes the same as its software."""
        cipher = self.compiled.architecture.cipher
        with blame(cipher.name):
            check_own_cipher(cipher, core_requests(self.compiled).values())

    def seen_from(self, folder: Path) -> SectorCore:
        """The same core, with the path of the definition of the mode relative to a folder."""
        return SectorCore(replace(self.compiled, mode=seen_from(self.compiled.mode, folder)))


def options_of(description: SectorDescription) -> Options:
    """The options that a core was built with.  Raises ``InputError`` for options that this version does not know."""
    make: Callable[..., Options] = Options
    try:
        return make(**description.options)
    except TypeError as error:
        raise InputError(f"the options in core.json are not those of this version ({error}); build the core again") from None


def same_core(description: SectorDescription, folder: Path) -> SectorCore:
    """Makes the core of a description again: compiles its definition and proves the program.

    If the core was built without the proof, the new core is marked as not proved, too.
    """
    compiled = compile_mode(find(description.definition, folder), options_of(description))
    if not description.explain.proved:
        unchecked = Checked(NOT_CHECKED, ())
        others = tuple(replace(one, proved=False, checked=unchecked) for one in compiled.others)
        compiled = replace(compiled, proved=False, checked=unchecked, others=others)
    return SectorCore(compiled)
