# SPDX-License-Identifier: Apache-2.0
"""The parts of the datasheet that only cores for sectors have: program, commands and sectors, keys, cycles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from modeloom.allocate.program import POST, TWEAK, ChainName, LaneName, Net, NetName, OutName, Source, UnitInstance, UnitName
from modeloom.compiler.compile import Compiled
from modeloom.compiler.dump import operation_text
from modeloom.cores.described import anchor_of, definition_lines, gives
from modeloom.cores.sector.describe import cipher_name
from modeloom.interfaces.sector import COMMANDS, STATUSES, StatusCode
from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.product.beats import SectorDescription
from modeloom.product.core import Sheet
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
from modeloom.spec.kinds import CIPHER, UnitKind

__all__ = ["page", "sheet"]


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
    return {
        "bank": f"bank {source.name}", "y": f"unit {source.name}", "chain": f"chain {source.index}", "key": "key",
    }.get(source.kind, "")  # fmt: skip


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
