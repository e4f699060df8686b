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
from modeloom.allocate.program import (
    POST,
    TWEAK,
    ChainName,
    LaneName,
    Net,
    NetName,
    OutName,
    Source,
    UnitInstance,
    UnitName,
    listing,
)
from modeloom.compiler.compile import Compiled, compile_mode
from modeloom.compiler.dump import operation_text
from modeloom.cores.bench_text import sector_words
from modeloom.cores.components import check_own_cipher
from modeloom.cores.described import anchor_of, definition_lines, gives
from modeloom.cores.sector.bench import bench_verilog, rules_module, sector_cases
from modeloom.cores.sector.describe import cipher_name, describe, interval_pins, latency_pins
from modeloom.cores.sector.hardware import ModeCore, bus_parameters, core_requests, erase_cycles, key_erase_cycles
from modeloom.definition.check import NOT_CHECKED, Checked
from modeloom.interfaces import Interface
from modeloom.interfaces.sector import COMMANDS, STATUSES, StatusCode, sector_interfaces
from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.modes import find
from modeloom.modes.by_path import seen_from
from modeloom.options.sectors import Options
from modeloom.product.beats import SectorDescription
from modeloom.product.cases import Cases
from modeloom.product.core import Core, Sheet
from modeloom.product.page import (
    ROUND_KEYS,
    Box,
    Cell,
    Chart,
    Diagram,
    DiagramRow,
    Page,
    Read,
    SourceText,
    code_table,
    command_table,
    key_table,
    of_several,
    status_line,
    table,
)
from modeloom.rtl.bus.sector import BusParameters
from modeloom.rtl.engine.layout import engine_fields
from modeloom.rtl.engine.unit import UnitCore
from modeloom.spec import InputError, blame
from modeloom.spec.kinds import CIPHER, Kind, UnitKind
from modeloom_verilog.writer import Sections

__all__ = ["SectorCore", "engine_sections", "listings", "module_titles", "options_of", "page", "same_core", "sheet"]


# -- datasheet ---------------------------------------------------------------------------------------------------------------------------

# The parts of the datasheet that only cores for sectors have: program, commands and sectors, keys, cycles.

# -- page ------------------------------------------------------------------------------------------------------------------------------

# The parts of the HTML datasheet of a core for sectors: the schedule of each size, and the diagram of its engine and its buses.

ABOUT = (
    "The buses, storages and units of this core. A line above a row is the value that a box drives; a dot is where an operand reads it. "
    "Each operand is the XOR of the values that the control word selects in that cycle. Paths of data are as wide as a block."
)  # fmt: skip


def page(compiled: Compiled, d: SectorDescription) -> Page:
    """The parts."""
    texts = definition_lines(*(one.source for one in compiled.sizes))
    return Page(
        gives=gives(compiled.mode), diagram=Diagram(tuple(_rows(compiled, d)), ABOUT),
        charts=tuple(_chart(one, texts) for one in compiled.sizes), definition=texts,
    )  # fmt: skip


# -- the schedule ---------------------------------------------------------------------------------------------------------------------


def _noun(kind: UnitKind) -> str:
    """The name of a unit for readers.  Units for keys of another length have their own names."""
    return str(kind) if kind.key_bits or not kind.type.noun else kind.type.noun


def _chart(compiled: Compiled, texts: tuple[SourceText, ...]) -> Chart:
    """The schedule of a size, from an empty pipeline until it is empty again."""
    schedule = compiled.schedule
    problem, latency, ii = schedule.problem, schedule.latency, schedule.ii
    sectors = max(2, -(-(latency + 1) // ii)) if schedule.overlap else 1
    busy = {(unit.kind, n) for unit, n in zip(problem.unit, schedule.instance, strict=True)}
    units = [(unit.kind, n) for unit in problem.units.units for n in range(unit.count) if (unit.kind, n) in busy]
    rows = {unit: number for number, unit in enumerate(units)}
    cells = []
    for i in sorted(range(len(schedule.start)), key=lambda i: (schedule.start[i], i)):
        ops = problem.graph.pairs[i].ops
        line = next((op.line for op in ops.values() if op.line), None)
        cells.append(Cell(
            rows[problem.unit[i].kind, schedule.instance[i]], schedule.start[i], problem.unit[i].interval,
            f"cycle {schedule.start[i]} of a sector\n{_tip(compiled, i)}", anchor_of(line, texts) if line else "",
        ))  # fmt: skip
    figures = compiled.explain()
    pace = f"one every {ii} cycles" if schedule.overlap else f"{latency} cycles, one at a time"
    about = f"Latency {latency} cycles (bound {figures['latency_bound']})"
    if schedule.overlap:
        about = f"Initiation interval {ii} cycles (bound {figures['ii_bound']}). {about}"
    return Chart(
        title=f"Sectors of {compiled.source.nbytes} bytes: {pace}",
        about=(
            f"{about}. A cell is the cycle in which an operation issues. Each sector has a colour, and a bar from its entry to its last "
            "block."
        ),
        columns=ii * (sectors - 1) + latency + 1 if schedule.overlap else ii, column="cycle",
        rows=tuple(f"{_noun(kind)} {n}" for kind, n in units), cells=tuple(cells), repeats=tuple(ii * n for n in range(sectors)),
        length=latency + 1,
    )  # fmt: skip


def _tip(compiled: Compiled, number: int) -> str:
    """The operation of each direction, with its line."""
    graph = compiled.schedule.problem.graph
    texts: dict[str, list[str]] = {}
    for direction, op in graph.pairs[number].ops.items():
        texts.setdefault(operation_text(number, op).replace("    ;", ","), []).append(direction)
    return "\n".join(
        text if len(directions) == len(graph.directions) else f"{' and '.join(directions)}: {text}" for text, directions in texts.items()
    )


# -- the diagram ----------------------------------------------------------------------------------------------------------------------


def _rows(compiled: Compiled, d: SectorDescription) -> Iterator[DiagramRow]:
    program = compiled.core_program
    banks = {bank.writer: bank for bank in program.banks.values()}

    def bank(writer: str, what: str) -> tuple[Box, ...]:
        if writer not in banks:
            return ()
        one = banks[writer]
        ports = f"{one.ports} read port{'s' * (one.ports != 1)}"
        return (Box("storage", f"bank {one.name}", f"{one.cells} block{'s' * (one.cells != 1)}, {ports}", what, f"bank {one.name}"),)

    rows = " and ".join(str(main.rows) for main in program.mains)
    control = Box(
        "control", "sequencer", f"{rows} control words", "queue of commands, and the program, of which each cycle has a control word",
        "control",
    )
    yield DiagramRow((Box("bus", "s_axis_cmd", "commands, tweaks"), control, *bank(TWEAK, "the tweaks of sectors in flight")))
    slots = f"{d.key_slots} slot{'s' * (d.key_slots != 1)}"
    values = Box(
        "storage", "key values", f"{len(program.key_words)} block{'s' * (len(program.key_words) != 1)} × {slots}",
        f"what operands read of a key: {', '.join(program.key_words)}", "key",
    )  # fmt: skip
    yield DiagramRow((
        Box("bus", "s_axis_key", "keys"),
        Box("control", "key schedule", f"{d.cipher.upper()} round keys × {slots}", "expands round keys into the ciphers", ROUND_KEYS),
        *([values] if program.key_words else []),
    ))  # fmt: skip
    for lane in range(program.lanes):
        name = LaneName(lane)
        yield DiagramRow((
            Box("bus", f"s_axis{of_several(program.lanes, f', lane {lane}')}", "data in"),
            *bank(name, "input blocks, which fill one sector ahead"),
        ))  # fmt: skip
    for chain in program.chains:
        title = ChainName(chain.id)
        yield DiagramRow(
            (Box("unit", f"mask {title}", f"× x^{chain.stride} each step", "a register that steps through masks", f"chain {chain.id}"),),
            tuple(_reads(compiled, title)),
        )
    for unit in program.units:
        reads = tuple(_reads(compiled, unit.name))
        if not reads:
            # A unit of the problem that no operation of this mode uses.
            continue
        if unit.kind.type.group == CIPHER.type.group:
            reads = (*reads, Read("round keys", (ROUND_KEYS,), "the round keys of the slot of the sector"))
        box = Box("unit", f"{_noun(unit.kind)} {unit.name.number}", _timing(unit), _about(unit), f"unit {unit.name}")
        yield DiagramRow((box, *bank(unit.name, "results that later operations read")), reads)
    for lane in range(program.lanes):
        blocks = f"{compiled.output_blocks // program.lanes} blocks"
        buffer = Box("storage", f"result buffer{of_several(program.lanes, f' {lane}')}", blocks, "results in the order of blocks")
        bus = Box("bus", f"m_axis{of_several(program.lanes, f', lane {lane}')}", "data out")
        yield DiagramRow((buffer, bus), tuple(_reads(compiled, OutName(lane))))
    status = Read("ends of sectors", ("control",), "a status for each command, in order")
    yield DiagramRow((Box("control", "status queue", "one for each command"), Box("bus", "m_axis_status", "statuses")), (status,))


def _timing(unit: UnitInstance) -> str:
    every = f", every {unit.interval}" if unit.interval > 1 else ""
    return f"{unit.latency} cycle{'s' * (unit.latency != 1)}{every}"


def _about(unit: UnitInstance) -> str:
    return f"{unit.name}: {', '.join(dict.fromkeys(map(str, unit.cores)))}; latency {_timing(unit)}"


def _reads(compiled: Compiled, owner: UnitName | OutName | ChainName) -> Iterator[Read]:
    """The operands of a unit, a lane or a chain, and the sum after a unit."""
    nets: dict[NetName, Net] = dict(compiled.core_program.nets)
    for name, net in nets.items():
        if name.owner != owner:
            continue
        tracks = tuple(dict.fromkeys(track for source in net.sources if (track := _track(source))))
        if tracks:
            operand = "output XOR" if name.operand == POST else f"operand {name.operand}" if isinstance(owner, UnitName) else ""
            yield Read(operand, tracks, f"{name}: {'; '.join(dict.fromkeys(map(_told, net.sources)))}")


def _track(source: Source) -> str:
    return {"bank": f"bank {source.name}", "y": f"unit {source.name}", "chain": f"chain {source.index}", "key": "key"}.get(source.kind, "")


def _told(source: Source) -> str:
    what = {
        "bank": f"bank {source.name}, port {source.index}", "y": f"result of {source.name}, {source.index} cycles old",
        "chain": f"chain {source.index}", "key": f"key memory, port {source.index}", "const": "a constant",
    }[source.kind]  # fmt: skip
    return what + (f" × x^{source.k}" if source.k else "") + (f", {source.keep} bytes" if source.keep else "")


# -- sheet -----------------------------------------------------------------------------------------------------------------------------

INVERSE = {
    "proved": "A proof shows that decryption inverts encryption in the definition, for any permutation as the cipher.",
    "tested": "Tests with random and chosen values show that decryption inverts encryption in the definition.",
    "one direction": "The mode has one direction.",
    "not checked": "**It was not checked that decryption inverts encryption**: the core was built without the proof.",
}
"""Sentences for the values of ``inverse`` in ``core.json``."""


def sheet(compiled: Compiled, d: SectorDescription) -> Sheet:
    """The sections."""
    sizes = " or ".join(map(str, d.sector_sizes))
    return Sheet(
        summary=(
            f"This core can {' and '.join(d.directions)} sectors of {sizes} bytes with {d.title} and {cipher_name(compiled)}. Tweaks have "
            f"{d.tweak_bytes} bytes. The core accepts one sector every {d.pins.interval} cycles, with a latency of {d.explain.latency} "
            f"cycles. It has {d.key_slots} key slot{'s' * (d.key_slots != 1)}."
        ),
        theory=tuple(_theory(compiled, d)),
        payloads=tuple(_payloads(d)),
        use=tuple(_use(compiled, d)),
        figures=tuple(_figures(d)),
        timing=("- The timing does not depend on keys or data: every sector takes the same number of cycles.",),
        storage=("- Round keys and set-up values cannot be read from the ports. Erasing or loading a slot overwrites them.",),
        checked=(
            "- A symbolic execution of its control words proved that the program computes the definition."
            if d.explain.proved
            else "- **The program was not proved**: the core was built without the proof.",
            f"- {INVERSE[d.explain.inverse]}",
        ),
        bench=(
            "It checks data, order, status codes, and the interval and the latency in this datasheet. The expected results come from the "
            "software model."
        ),
    )


def _theory(compiled: Compiled, d: SectorDescription) -> Iterator[str]:
    e = d.explain
    main = compiled.allocation.program.main
    yield (
        f"The core runs the program in `program.txt`, a table of {main.rows} control words. The control words drive the functional units "
        "below. "
        + (
            f"A new sector may enter every {e.ii} cycles. Up to {main.stages} sectors are in flight, each in its own stage, and no two of "
            "them use a unit in the same cycle. "
            if e.overlap
            else "A sector enters when the previous one is done. "
        )
        + "The pipeline never stalls: a sector enters only when all of it has arrived and the result buffer has room for it."
    )
    yield ""
    yield from table(
        ["unit", "count", "latency, cycles", "interval, cycles", "operations in a sector"],
        [[kind, u.count, u.latency, u.interval, _uses(kind, e.uses)] for kind, u in e.units.items() if kind != "out"],
    )
    yield (
        "When a key is loaded, the core expands the round keys. A set-up program then runs on the same units and computes the values that "
        f"depend on the key only. It takes {e.setup_cycles} cycles. The key memory holds {e.key_words} of these blocks for each slot."
    )
    yield ""


def _uses(kind: str, uses: Mapping[str, int]) -> str:
    if kind == "cipher":
        return ", ".join(f"{uses[core]} {core}" for core in ("enc", "dec") if uses.get(core)) + " (the larger of the two directions)"
    return str(uses.get(kind, 0))


def _tweak(d: SectorDescription) -> str:
    if not d.tweak_bytes:
        return "tweak; this core ignores it"
    read = -(-d.tweak_bytes // d.block_bytes) * d.block_bytes
    behind = f", where zeros follow the {d.tweak_bytes} bytes of the tweak" if read > d.tweak_bytes else ""
    return f"tweak; this core reads bytes 0 to {read - 1}{behind}"


def _payloads(d: SectorDescription) -> Iterator[str]:
    own = {
        "tweak": _tweak(d),
        "slot": "key slot, always 0" if d.key_slots == 1 else f"key slot, 0 to {d.key_slots - 1}",
        "size": "sector size: " + ", ".join(f"{n} for {size.sector_bytes} bytes" for n, size in enumerate(d.sizes)),
    }
    yield from command_table(COMMANDS, own)
    lanes = d.lanes
    width = lanes * d.block_bytes
    yield (
        f"A sector is one packet with {lanes} block{'s' * (lanes != 1)} in each beat. Byte i of beat b is byte {width}b + i of the sector. "
        "`tkeep` is all ones, except in the last beat, which `tlast` marks. Results have the same form. Their bytes outside `tkeep` are "
        "zero."
    )
    yield ""
    yield from table(
        ["sector, bytes", "beats", "bytes of the last beat"],
        [[size.sector_bytes, size.beats, size.sector_bytes - (size.beats - 1) * width] for size in d.sizes],
    )
    yield ""
    yield from status_line(STATUSES)


def _refused(d: SectorDescription) -> str:
    """The reason why the mode may refuse a key, as an item of a list."""
    return f", the mode refuses the key ({d.refused_keys})" if d.refused_keys else ""


def _flag(d: SectorDescription) -> str:
    """What says that a slot has a key."""
    if d.key_slots <= LISTED_SLOTS:
        return "the bit of the slot in `key_loaded`"
    return "`key_loaded`, which is about the slot of the last packet,"


def _use(compiled: Compiled, d: SectorDescription) -> Iterator[str]:
    yield (
        f"**Keys.** A key has {d.key_bytes} bytes. It is sent as one packet on `s_axis_key`, with 16 bytes in each beat. `tdest` of the "
        "first beat selects the slot."
    )
    yield ""
    yield from key_table(d, compiled.mode)
    yield (
        "The core waits until the sectors of this slot have left, and then overwrites the old key. Sectors of other slots continue, except "
        "during the set-up and at the end of an erasure. `key_busy` is high until the core is done. Then "
        f"{_flag(d)} is set, or `key_error` is high: the packet had the wrong length{_refused(d)}, or the slot does not exist."
    )
    yield ""
    yield (
        "A packet with `tuser` set in its first beat erases the slot. When the sectors in flight have left, this takes "
        f"{d.key_erase_cycles} cycles. Then nothing is left of the key, nor of anything that the core computed with it. After a reset, no "
        "slot is loaded."
    )
    yield ""
    yield (
        "**Sectors.** Send a command and a packet of data for each sector, in the same order. Either may come first. The results have the "
        "same order. The status of a command follows the data of its sector. A refused sector has a status but no data. These are the "
        "status codes:"
    )
    yield ""
    yield from code_table(StatusCode)
    yield (
        "If there are several errors, the status has the highest code. Errors of the command (4 to 6) therefore take precedence over "
        "errors of the packet. A host that does not accept results or statuses delays the entry of further sectors, but loses nothing."
    )
    yield ""


def _figures(d: SectorDescription) -> Iterator[str]:
    pins = d.pins
    several = len(d.sizes) > 1
    for size in d.sizes:
        e = size.explain
        if several:
            yield f"Sectors of {size.sector_bytes} bytes:"
            yield ""
        yield from table(
            ["figure", "value", "unit"],
            [
                ["cycles per sector", e.cycles_per_sector, "cycles"],
                ["initiation interval, and its lower bound", f"{e.ii}, {e.ii_bound}", "cycles"],
                ["interval between sectors at the pins", size.interval, "cycles"],
                ["latency, and its lower bound", f"{e.latency}, {e.latency_bound}", "cycles"],
                ["first output", e.first_output, "cycles"],
                ["latency at the pins, from the first beat in to the last beat out", size.latency_pins, "cycles"],
                ["storage, and its lower bound", f"{e.storage_blocks}, {e.storage_bound}", "blocks"],
                ["input and result buffers", f"{e.input_blocks}, {e.output_blocks}", "blocks"],
            ],
        )
    if several:
        yield "Before the first sector of another size, the engine drains."
        yield ""
    entry = f"{pins.last_beat_to_entry} cycles from the last input beat"
    if d.beats == 1:
        entry = f"{pins.command_to_entry} cycles from the command"
    yield (
        f"The latency at the pins is {pins.overhead} cycles longer than the latency of the program{', for the first size' * several}. "
        f"These are {entry} to the entry of the sector, {pins.entry_to_program} to the first cycle of the program, "
        f"{pins.done_to_first_beat} from its last cycle to the first output beat, and {2 * (d.beats - 1)} for the other beats. The figure "
        "holds for a sector that is alone in the core."
    )
    yield ""


# -- core --------------------------------------------------------------------------------------------------------------------------------

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
    for i, rows_of in enumerate(program.tables):
        what = f"main table, {' and '.join(rows_of.directions)}" if i < len(program.mains) else "set-up of a key"
        if rows_of.rows:
            rows = f"rows {at} to {at + rows_of.rows - 1}" if rows_of.rows > 1 else f"row {at}"
            titles["engine_control"].append(f"  {rows}: {what}")
        at += rows_of.rows
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
