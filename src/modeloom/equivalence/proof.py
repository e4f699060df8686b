# SPDX-License-Identifier: Apache-2.0
"""Proves that the emitted core computes its mode: keys, tweaks and data are symbols, and every output beat is compared with the graph.

::

    keys of several slots, then sectors of all sizes, directions and slots mixed
        one run without gaps, until every bank has turned once
        one run with gaps at all pins, back-pressure, restarts, and a key that is replaced while others are in use
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modeloom.compiler.compile import Compiled
from modeloom.equivalence import lanes
from modeloom.equivalence.circuit import CircuitError
from modeloom.equivalence.core import EngineCore, SymbolicCore
from modeloom.equivalence.cores import cipher_result, function_of
from modeloom.equivalence.host import Beat, Host, Pace
from modeloom.equivalence.lanes import constant, mask
from modeloom.interfaces.sector import STATUSES, StatusCode
from modeloom.ir.graph import OpGraph
from modeloom.product.beats import SectorDescription
from modeloom.product.description import KeyPart
from modeloom.product.folder import read_sectors
from modeloom.prove.execute import GraphSymbols, ProofError, direction_pattern
from modeloom.spec import Field
from modeloom.spec.kinds import Kind

__all__ = [
    "Comparison", "EquivalenceReport", "Keys", "Loaded", "Recurrence", "Sector", "Traffic", "Words", "forever", "outputs",
    "prove_engine",
]  # fmt: skip


# -- traffic -----------------------------------------------------------------------------------------------------------------------------

# Runs sectors through an emitted core, and compares every output beat and status with the graph.

# The expected outputs of a core as words of symbols, from the lowered graph.  They correspond to the ``Symbols`` of ``prove``.
#
# A value is a word.  A form is a word.  For a chain, it is the list of terms whose sum it is.

Term = tuple[int, int, int]


class Words:
    """Values of a graph as words.

    Parameters
    ----------
    field : Field
    ciphers : sequence of mapping
        For each cipher key, the name of its round keys for each operation.
    atoms : mapping
        Blocks of data and of the tweak: ("block", sector, i), ("tweak", sector, j).
    """

    def __init__(self, field: Field, ciphers: Sequence[Mapping[str, int]], atoms: Mapping[tuple, int]):
        self.field, self.ciphers, self.atoms, self.width = field, ciphers, atoms, field.width

    def atom(self, *name: object) -> int:
        """A block of a sector or of its tweak."""
        return self.atoms[name]

    def const(self, number: int) -> int:
        """A constant."""
        return constant(number, self.width)

    def form(self, terms: Sequence[Term]) -> int:
        """XOR of terms."""
        total = 0
        for value, k, keep in terms:
            total ^= lanes.scaled(self.field, lanes.cut(value, self.width, keep), k)
        return total

    def step(self, form: tuple[Term, ...], stride: int) -> tuple[Term, ...]:
        """form * x^stride."""
        return tuple((value, k + stride, keep) for value, k, keep in form)

    def term(self, form: tuple[Term, ...], k: int, keep: int) -> Term:
        """A form as a term."""
        return self.form(form), k, keep

    def operate(self, core: Kind, operands: Sequence[int], number: int) -> int:
        """The result of an operation."""
        operation = core.operation
        if not operation.unit.component:
            return operands[0]
        if operation.keyed:
            return cipher_result(operation.name, self.ciphers[number][operation.name], operands, self.width)
        return function_of(operation, self.width)(*operands, *([constant(number, self.width)] if operation.numbers else []))

    def result(self, raw: int, keep: int, post: int) -> int:
        """``keep`` bytes of the result of a core, plus a form."""
        return lanes.cut(raw, self.width, keep) ^ post

    def store(self, form: int) -> int:
        """A form as a value."""
        return form


def outputs(graph: OpGraph, direction: str, sector: int, words: Words, keys: Mapping[str, int]) -> dict[Any, int]:
    """The blocks that leave the core by number, or the key words of the set-up by name."""
    symbols: Any = words
    found: dict[Any, Any] = GraphSymbols(graph, symbols, keys).outputs(direction, sector)
    return found


# -- keys --------------------------------------------------------------------------------------------------------------------------

# Keys of symbols: the key packets of the host, and the expected results of set-up and key schedule.
#
# The function of the key schedule is not checked here.  It is only checked that it does the same for each cipher key of each slot, and that
# nothing else in the key packet affects it.  Each cipher key is loaded into a separate core, as the first key of its length in the first
# slot and with other words beside it.  The round keys of this core are the expected round keys everywhere.

@dataclass
class Loaded:
    """A key: the packet as a word, the names of the round keys of each cipher key, and the key words by name for each sector size."""

    packet: int
    ciphers: list[Mapping[str, int]]
    words: list[dict[str, int]]


class Keys:
    """Makes keys for a core.

    Parameters
    ----------
    core : SymbolicCore
    layout : sequence of KeyPart
        The parts of a key packet (``core.json``).
    """

    def __init__(self, core: SymbolicCore, layout: Sequence[KeyPart]):
        self.core, self.layout = core, layout
        self.compiled = core.compiled
        self.bytes = max(part.offset + part.bytes for part in layout)
        program = self.compiled.core_program
        self.cipher_names, self.derived = list(program.cipher_keys), self.compiled.setup_graph.derived
        self.hosts = self.cipher_names[: len(self.cipher_names) - len(self.derived)]
        # Loading a key takes the time of the erasure, of the expansion of each cipher key, and of the set-ups.
        erasure, expansions = core.made.key_erase_cycles, 200 * len(self.cipher_names)
        self.most = 4 * (erasure + expansions + sum(one.setup_schedule.latency for one in self.compiled.sizes) + 100)
        self._known: dict[int, Mapping[str, int]] = {}

    def packet(self, parts: Mapping[str, int]) -> int:
        """A key packet, from its parts."""
        return sum(parts[part.name] << 8 * part.offset * lanes.LANES for part in self.layout)

    def make(self, name: str) -> Loaded:
        """A key of new symbols, with all values derived from it."""
        parts = {part.name: lanes.atom(f"{name} {part.name}", 8 * part.bytes) for part in self.layout}
        raw = {key: word for key, word in parts.items() if key not in self.hosts}
        lengths = self.compiled.core_program.cipher_bits
        ciphers = [self.round_keys(parts[key], lengths[number]) for number, key in enumerate(self.hosts)]
        words: list[dict[str, int]] = []
        for compiled in self.compiled.sizes:
            values = Words(compiled.mode.field, ciphers, {})
            words.append(raw | outputs(compiled.setup_graph, "setup", 0, values, raw))
        bits = self.compiled.options.key_bits or 0
        for names in self.derived:
            joined = sum(words[0][word] << n * self.core.width * lanes.LANES for n, word in enumerate(names))
            ciphers.append(self.round_keys(joined & mask(bits), 0))
        return Loaded(self.packet(parts), ciphers, words)

    def round_keys(self, key: int, length: int) -> Mapping[str, int]:
        """Names of the round keys of a cipher key, from a core in which it is the first key of its length (``Program.cipher_bits``)."""
        if key not in self._known:
            parts = {part.name: lanes.atom(f"other {part.name}", 8 * part.bytes) for part in self.layout}
            first = self.compiled.core_program.cipher_bits.index(length)
            parts[self.hosts[first]] = key
            host = self.core.host(1)
            self.load(host, self.packet(parts), 0)
            self._known[key] = self.core.cipher_keys(host.run, 0, first)
        return self._known[key]

    def load(self, host: Host, packet: int, slot: int) -> None:
        """Loads a key and waits until it is ready."""
        host.key(packet, self.bytes, slot)
        if not host.until(lambda: not host.waiting["s_axis_key"] and self.loaded(host, slot), self.most):
            raise CircuitError(f"slot {slot} is not loaded after {self.most} cycles")

    @staticmethod
    def loaded(host: Host, slot: int) -> bool:
        """Whether a slot has a key and the core is idle."""
        return host.has_key(slot)

    def check(self, host: Host, key: Loaded, slot: int) -> None:
        """Raises ``CircuitError`` unless the cipher cores hold the round keys of this key."""
        for number, name in enumerate(self.cipher_names):
            for core, held in self.core.cipher_keys(host.run, slot, number).items():
                if key.ciphers[number].get(core, held) != held:
                    which = name or f"cipher key {number}"
                    raise CircuitError(f"key slot {slot}: the round keys of {which} ({core}) are not those of its key")


# -- traffic -----------------------------------------------------------------------------------------------------------------------

SLOTS = 3
"""Largest number of key slots that are used."""

PATIENCE = 2000
"""A sector counts as lost after eight latencies plus this number of cycles without a beat or status."""


@dataclass
class Sector:
    """One sector with its expected outputs."""

    number: int
    direction: str
    slot: int
    tag: int
    blocks: list[int]
    nbytes: int
    beats: int


class Comparison:
    """Runs of a core that are compared with the graph.

    Parameters
    ----------
    core : SymbolicCore
    description : SectorDescription
        Its ``core.json``.

    Attributes
    ----------
    sectors, cycles, blocks : int
        Totals of all runs so far.
    slots : int
        The key slots that are used.
    latency : int
        The longest latency of a sector at the pins, in cycles.
    """

    def __init__(self, core: SymbolicCore, description: SectorDescription):
        self.core, self.description, self.compiled = core, description, core.compiled
        self.keys = Keys(core, description.key_layout)
        self.width = core.width
        self.lanes = description.lanes
        self.slots = min(SLOTS, description.key_slots)
        self.sectors = self.cycles = self.blocks = 0
        self.latency = max(size.latency_pins for size in description.sizes)

    def run(self, name: str, plan: Sequence[tuple[str, int, int]], pace: Pace, reload: int | None = None) -> None:
        """One run with (direction, slot, size) of each sector.  The key of slot 0 is loaded again before sector ``reload``.  This sector
        and all later ones wait for the key.  Earlier sectors of other slots may still be in flight.
        """
        traffic = Traffic(self, name, pace)
        for number, (direction, slot, size) in enumerate(plan):
            if number == reload:
                traffic.reload()
            traffic.send(number, direction, slot, size)
            # A few sectors always wait at the pins.
            traffic.go(lambda: len(traffic.host.waiting["s_axis_cmd"]) > 3)
        traffic.end()
        self.sectors += len(plan)
        self.cycles += traffic.host.run.cycle


class Traffic:
    """The traffic through a core in a run.

    Parameters
    ----------
    comparison : Comparison
    name : str
        For the names of symbols.
    pace : Pace
    shift : int
        Prefix that is added to the number of a sector to form its name.
    tagged : bool
        Whether each command has a different tag.
    """

    def __init__(self, comparison: Comparison, name: str, pace: Pace, *, shift: int = 0, tagged: bool = True):
        self.comparison, self.name, self.shift, self.tagged = comparison, name, shift, tagged
        self.keys, self.width, self.lanes = comparison.keys, comparison.width, comparison.lanes
        self.host = comparison.core.host(self.lanes)
        self.loaded = {slot: self.keys.make(f"key {name} {slot}") for slot in range(comparison.slots)}
        for slot, key in self.loaded.items():
            self.keys.load(self.host, key.packet, slot)
            self.keys.check(self.host, key, slot)
        self.host.pace = pace
        self.inside: deque[Sector] = deque()
        self.beats = 0
        """Number of beats of sectors whose status has not come yet."""

    def reload(self) -> None:
        """Loads another key into slot 0, when no sector of it is in flight."""
        self.go(lambda: any(sector.slot == 0 for sector in self.inside))
        self.loaded[0] = self.keys.make(f"key {self.name} anew")
        self.host.key(self.loaded[0].packet, self.keys.bytes, 0)
        self.go(lambda: not self.keys.loaded(self.host, 0) or bool(self.host.waiting["s_axis_key"]))
        self.keys.check(self.host, self.loaded[0], 0)

    def send(self, number: int, direction: str, slot: int, size: int) -> None:
        """Queues a sector at the pins, and records its expected outputs."""
        host, width, key = self.host, self.width, self.loaded[slot]
        compiled = self.comparison.compiled.sizes[size]
        source, name = compiled.source, f"{self.name} {number + self.shift}"
        data, tweak = lanes.atom(f"data {name}", source.blocks * width), lanes.atom(f"tweak {name}", 256)
        atoms: dict[tuple, int] = {}
        inside = data & mask(8 * source.nbytes)
        for i, word in enumerate(blocks_of(inside, source.blocks, width)):
            atoms["block", number, i] = word
        given = tweak & mask(8 * source.tweak_bytes)
        for j, word in enumerate(blocks_of(given, -(-source.tweak_bytes // (width // 8)), width)):
            atoms["tweak", number, j] = word
        values = Words(compiled.mode.field, key.ciphers, atoms)
        leaving = outputs(compiled.graph, direction, number, values, key.words[size])
        tag = number & 0xFFFF if self.tagged else 0
        host.command(tweak, tag=tag, slot=slot, size=size, decrypt=direction == "decrypt")
        beats = -(-source.nbytes // host.beat_bytes)
        behind = lanes.atom(f"behind {name}", beats * host.beat_bytes * 8)
        host.packet("s_axis", behind ^ behind & mask(8 * source.nbytes) | inside, source.nbytes, host.beat_bytes)
        self.inside.append(Sector(number, direction, slot, tag, [leaving[i] for i in range(source.blocks)], source.nbytes, beats))

    def end(self) -> None:
        """Waits for all outputs, and checks that nothing follows."""
        self.go(lambda: bool(self.inside))
        for _ in range(2 * self.comparison.latency):
            self.host.step()
            if self.host.taken["m_axis"] or self.host.taken["m_axis_status"]:
                raise ProofError(f"cycle {self.host.run.cycle}: something comes out after the last sector")

    # -- what comes out --------------------------------------------------------------------------------------------------

    def go(self, while_: Callable[[], bool]) -> None:
        """Runs while a condition holds, and compares the outputs."""
        most = 8 * self.comparison.latency + PATIENCE
        waited = 0
        while while_():
            waited = 0 if self.step() else waited + 1
            if waited > most:
                what = f"nothing of sector {self.inside[0].number} ({self.inside[0].direction})" if self.inside else "nothing"
                raise ProofError(f"cycle {self.host.run.cycle}: {what} has come out for {most} cycles")

    def step(self) -> bool:
        """Runs one cycle, and returns whether an output came."""
        self.host.step()
        beats, statuses = self.host.take("m_axis"), self.host.take("m_axis_status")
        for beat in beats:
            self._compare(beat)
        for beat in statuses:
            self._status(beat)
        return bool(beats or statuses)

    def _compare(self, beat: Beat) -> None:
        # A status follows the last beat, so a beat belongs to the first sector whose beats are not complete.
        sector, at = None, self.beats
        for candidate in self.inside:
            if at < candidate.beats:
                sector = candidate
                break
            at -= candidate.beats
        if sector is None:
            raise ProofError(f"cycle {beat.cycle}: a beat leaves that belongs to no sector")
        self.beats += 1
        beat_bytes = self.host.beat_bytes
        where = f"cycle {beat.cycle}: sector {sector.number} ({sector.direction}, {sector.nbytes} bytes, slot {sector.slot})"
        held = min(beat_bytes, sector.nbytes - at * beat_bytes)
        if beat.words["tkeep"] != constant((1 << held) - 1, beat_bytes):
            raise ProofError(f"{where}: tkeep of beat {at} is not that of {held} bytes")
        if beat.words["tlast"] != constant(at == sector.beats - 1, 1):
            raise ProofError(f"{where}: tlast of beat {at} is wrong")
        for lane, word in enumerate(blocks_of(beat.words["tdata"], self.lanes, self.width)):
            i = at * self.lanes + lane
            expected = sector.blocks[i] if i < len(sector.blocks) else 0
            count = max(0, min(self.width // 8, sector.nbytes - i * self.width // 8))
            if word != expected & mask(8 * count):
                raise ProofError(f"{where}: block {i} is not what the definition says")
            self.comparison.blocks += i < len(sector.blocks)

    def _status(self, beat: Beat) -> None:
        if not self.inside:
            raise ProofError(f"cycle {beat.cycle}: a status that belongs to no command")
        sector = self.inside.popleft()
        given = lanes.number(beat.words["tdata"])
        packing = STATUSES.packing
        if given != int.from_bytes(packing.pack({"tag": sector.tag, "code": StatusCode.OK}), "little"):
            shown = "depends on data" if given is None else f"is {given:#010x}"
            raise ProofError(f"cycle {beat.cycle}: the status of sector {sector.number} {shown}, not OK with its tag")
        if self.beats < sector.beats:
            raise ProofError(f"cycle {beat.cycle}: the status of sector {sector.number} comes before its last beat")
        self.beats -= sector.beats


def blocks_of(word: int, count: int, width: int) -> list[int]:
    """The blocks of a word."""
    full = mask(width)
    return [word >> i * width * lanes.LANES & full for i in range(count)]


# -- proof -------------------------------------------------------------------------------------------------------------------------------

MOST_CYCLES = 4000
"""Largest number of cycles of the run without gaps.  If the banks need more cycles to rotate once, the proof says so."""

@dataclass(frozen=True)
class EquivalenceReport:
    """A record of the execution on symbols.

    Attributes
    ----------
    sectors, cycles, blocks : int
        Number of sectors and cycles of the runs, and number of compared blocks.
    whole : bool
        Whether every bank rotated once in the run without gaps.
    cores : int
        The cores of units that were executed as a whole.
    """

    sectors: int
    cycles: int
    blocks: int
    whole: bool
    cores: int


def _plan(compiled: Compiled, slots: int, most: int) -> tuple[list[tuple[str, int, int]], bool]:
    """The sectors of the run without gaps, and whether every bank rotates once.  All sectors of a size come before the next size."""
    plan: list[tuple[str, int, int]] = []
    whole = True
    share = most // len(compiled.sizes)
    for number, one in enumerate(compiled.sizes):
        program = one.allocation.program
        stages = program.main.stages
        cells = max([1, *(bank.cells for bank in program.banks.values())])
        wanted = cells + stages + 1
        count = min(wanted, max(share // program.main.rows, stages + 2))
        whole = whole and count == wanted
        pattern = direction_pattern(program.directions, stages + 1, count)[: max(count, 2)]
        plan += [(direction, (n * 5 // 3) % slots, number) for n, direction in enumerate(pattern)]
    return plan, whole


def _plan_with_gaps(compiled: Compiled, slots: int, rng: random.Random) -> list[tuple[str, int, int]]:
    stages = max(one.allocation.program.main.stages for one in compiled.sizes)
    count = max(12, 2 * stages + 4)
    directions = compiled.options.directions
    plan, size = [], 0
    for _ in range(count):
        if rng.random() < 0.3:
            size = rng.randrange(len(compiled.sizes))
        plan.append((rng.choice(directions), rng.randrange(slots), size))
    return plan


_FAST, _SLOW = (1.0, 1.0, 0.6, 0.2), (1.0, 1.0, 0.5, 0.05, 0.0)

SHARES = {"s_axis": _FAST, "s_axis_cmd": _SLOW, "m_axis": _FAST, "m_axis_status": _SLOW}
"""For each AXI4-Stream, the shares of cycles in which it is offered or taken, by phase."""


def gaps(rng: random.Random, period: int, shares: Mapping[str, Sequence[float]] = SHARES) -> Pace:
    """Pauses at all pins.  Each stream alternates between phases without pauses, with some pauses, and with many pauses."""

    def stream(shares: Sequence[float]) -> Callable[[int], bool]:
        states: list[float] = []

        def offers(cycle: int) -> bool:
            while len(states) <= cycle // period:
                states.append(rng.choice(shares))
            return rng.random() < states[cycle // period]

        return offers

    return Pace({name: stream(share) for name, share in shares.items()})


def prove_engine(directory: str | Path, made: EngineCore, *, most_cycles: int = MOST_CYCLES) -> EquivalenceReport:
    """Executes an emitted core on symbols and compares all its outputs with the definition.

    Parameters
    ----------
    directory : path
        What ``modeloom build`` made.
    made : EngineCore
        The compiled mode of the core.
    most_cycles : int
        Number of cycles of the run without gaps, if the banks need longer to rotate.

    Raises
    ------
    ProofError
        A block differs or is missing, or control depends on data.  The message is one line with cycle, sector and block.
    """
    description = read_sectors(directory)
    try:
        core = SymbolicCore(Path(directory) / description.files.verilog, description, made)
        proof = Comparison(core, description)
        plan, whole = _plan(made.compiled, proof.slots, most_cycles)
        proof.run("whole", plan, Pace())
        rng = random.Random(len(plan))
        plan = _plan_with_gaps(made.compiled, proof.slots, rng)
        proof.run("gaps", plan, gaps(rng, max(40, proof.latency // 2)), len(plan) // 2)
    except CircuitError as error:
        raise ProofError(str(error)) from error
    return EquivalenceReport(proof.sectors, proof.cycles, proof.blocks, whole, len(core.circuit.instances))


# -- forever -----------------------------------------------------------------------------------------------------------------------

# Extends the comparison to endless streams of sectors: the state of a core repeats, so the comparison holds for ever.
#
#     run A    sectors 0, 1, 2 ...          state after n sectors   ...   after n + N sectors  ┐ equal, in every bit of every
#     run B    sectors N, N + 1, N + 2 ...  state after n sectors  ──────────────────────────  ┘ register, memory and core
#
# Run B is run A with renamed sectors.  After n + N sectors, A therefore continues as B does after n sectors, which is what A itself did
# then with other names.  All outputs of A between the two points were correct.

MOST_SECTORS = 1500
"""Number of sectors after which the state must repeat."""


@dataclass(frozen=True)
class Recurrence:
    """A core is in the same state after ``start`` sectors and after ``period`` further sectors."""

    start: int
    period: int


def forever(directory: str | Path, made: EngineCore) -> Recurrence:
    """Runs sectors of the first size without pauses, alternating between all directions and slots, until the state repeats.

    Raises
    ------
    ProofError
        A block is wrong, or the state does not repeat.
    """
    description = read_sectors(directory)
    try:
        core = SymbolicCore(Path(directory) / description.files.verilog, description, made)
        comparison = Comparison(core, description)
        compiled = made.compiled
        program = compiled.allocation.program
        # By then, every cell has been overwritten once.
        warm = max([1, *(bank.cells for bank in program.banks.values())]) + 2 * program.main.stages + 2
        seen: dict[tuple, int] = {}
        run = Traffic(comparison, "forever", Pace(), tagged=False)
        start = period = 0
        for number in _sectors(run, compiled, MOST_SECTORS):
            if number < warm:
                continue
            control = _control(run, number, compiled)
            if control in seen:
                start, period = seen[control], number - seen[control]
                break
            seen[control] = number
        else:
            raise ProofError(f"the control does not come back within {MOST_SECTORS} sectors")
        later = run.host.run.state()
        renamed = Traffic(comparison, "forever", Pace(), shift=period, tagged=False)
        for number in _sectors(renamed, compiled, start + 1):
            if number == start and renamed.host.run.state() != later:
                raise ProofError(f"after {start} and {start + period} sectors the control is the same, but not the data")
    except CircuitError as error:
        raise ProofError(str(error)) from error
    return Recurrence(start, period)


AHEAD = 6
"""Number of sectors that wait at the pins, so there is always one."""


def _sectors(traffic: Traffic, compiled: Compiled, count: int) -> Iterator[int]:
    """Runs sectors, and yields the number of each when its first beat is offered at the pins."""
    directions, slots = compiled.options.directions, traffic.comparison.slots
    waiting = traffic.host.waiting["s_axis"]
    beats = AHEAD * -(-compiled.source.nbytes // traffic.host.beat_bytes)
    for number in range(count):
        for sent in range(AHEAD + number - 1 if number else 0, AHEAD + number):
            traffic.send(sent, directions[sent % len(directions)], sent // len(directions) % slots, 0)
        traffic.go(lambda: len(waiting) > beats)
        yield number


def _control(traffic: Traffic, number: int, compiled: Compiled) -> tuple:
    """The part of the state of core and host that does not depend on data."""
    turn = number % (len(compiled.options.directions) * traffic.comparison.slots)
    host = traffic.host
    ahead = len(host.waiting["s_axis_cmd"])
    return turn, ahead, traffic.beats, len(traffic.inside), tuple(host.offered.items()), host.run.control()
