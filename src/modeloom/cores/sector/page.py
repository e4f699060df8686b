# SPDX-License-Identifier: Apache-2.0
"""The parts of the HTML datasheet of a core for sectors: the schedule of each size, and the diagram of its engine and its buses."""

from __future__ import annotations

from collections.abc import Iterator

from modeloom.allocate.program import POST, TWEAK, ChainName, LaneName, Net, NetName, OutName, Source, UnitInstance, UnitName
from modeloom.compiler.compile import Compiled
from modeloom.compiler.dump import operation_text
from modeloom.cores.described import anchor_of, definition_lines, gives
from modeloom.product.page import ROUND_KEYS, Box, Cell, Chart, Diagram, DiagramRow, Page, Read, SourceText
from modeloom.product.sectors import SectorDescription
from modeloom.spec.kinds import CIPHER, UnitKind

__all__ = ["page"]

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
            Box("bus", "s_axis" if program.lanes == 1 else f"s_axis, lane {lane}", "data in"),
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
        several = program.lanes > 1
        buffer = Box("storage", f"result buffer{f' {lane}' * several}", blocks, "results in the order of blocks")
        bus = Box("bus", f"m_axis{f', lane {lane}' * several}", "data out")
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
