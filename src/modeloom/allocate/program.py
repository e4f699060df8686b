# SPDX-License-Identifier: Apache-2.0
"""The program of an engine: the action of every network, port, bank and chain in each slot of a table.

Cycle u of a sector is slot ``u mod rows`` of stage ``u // rows``.  A row of any list below acts in that cycle::

    net row     the XOR of its enabled sources is at the operand of the unit, or at the sum after the unit ("post")
    port row    the read data of a bank are at the nets; the cell was read one cycle earlier
    write row   the output of the unit is written into its bank; a read port sees it two cycles later
    out row     the output net of a lane leaves as a block, or in the set-up goes into the key memory
    chain row   at the end of the cycle the register loads its net or steps
    batch row   the unit takes the first operand of a batch, if a sector is in one of the stages

A cell a of a bank with R cells is the physical cell (a + base) mod R, ``base`` the running number of the sector.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, Self, TypeAlias

from modeloom.spec.cadence import EVERY_CYCLE, Cadence
from modeloom.spec.kinds import OPERANDS, Kind, UnitKind

__all__ = [
    "POST", "TWEAK", "Bank", "BatchRow", "ChainName", "ChainRegister", "ChainRow", "InputName", "Key", "KeyRow", "LaneName", "Net",
    "NetName", "NetRow", "OutName", "OutRow", "PortRow", "Program", "Row", "Source", "Table", "UnitName", "WriteRow", "batched",
    "listing",
]  # fmt: skip


# -- program ---------------------------------------------------------------------------------------------------------------------------

# Names of the parts of a program, in listings and in Verilog.  Each name is a value with members, and is never parsed:
#
# cipher0, enc256_1        unit: kind, number              its bank has the same name
# in0, lane0               bank of the input blocks of a lane, and its writer
# out0, chain0             lane on which blocks leave; register of a chain
# cipher0.a, out0.a, …     network: its owner, operand

POST: Final = "post"
"""The operand of the sum after a unit."""

TWEAK: Final = "tweak"
"""The bank of tweaks, and its writer."""


class UnitName(str):
    """A unit of the engine, and the bank of its results."""

    __slots__ = ("kind", "number")

    kind: UnitKind
    number: int

    def __new__(cls, kind: UnitKind, number: int) -> UnitName:
        # An underscore separates the bits of a cipher key from the number.
        self = super().__new__(cls, f"{kind}_{number}" if kind.key_bits else f"{kind}{number}")
        self.kind, self.number = kind, number
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return UnitName, (self.kind, self.number)


class _Numbered(str):
    """A word with a number."""

    __slots__ = ("number",)

    WORD = ""
    number: int

    def __new__(cls, number: int) -> Self:
        self = super().__new__(cls, f"{cls.WORD}{number}")
        self.number = number
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.number,)


class InputName(_Numbered):
    """The bank of the input blocks of a lane."""

    WORD = "in"


class LaneName(_Numbered):
    """A lane of the bus, which writes its bank."""

    WORD = "lane"


class OutName(_Numbered):
    """A lane on which blocks leave."""

    WORD = "out"


class ChainName(_Numbered):
    """The register of a chain."""

    WORD = "chain"


class NetName(str):
    """A network: before an operand of a unit, after the unit (``POST``), on a lane, or before a chain."""

    __slots__ = ("operand", "owner")

    owner: UnitName | OutName | ChainName
    operand: str

    def __new__(cls, owner: UnitName | OutName | ChainName, operand: str = OPERANDS[0]) -> NetName:
        self = super().__new__(cls, f"{owner}.{operand}")
        self.owner, self.operand = owner, operand
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return NetName, (self.owner, self.operand)

    @property
    def first(self) -> bool:
        """Whether it feeds the first operand, whose rows select the operation of the unit."""
        return self.operand == OPERANDS[0]

    @property
    def post(self) -> bool:
        """Whether it feeds the sum after a unit."""
        return self.operand == POST


@dataclass(frozen=True)
class Source:
    """An input of a network: (``keep`` bytes of) a signal times x^k.

    ``kind`` is "bank" (``name``, read port ``index``), "y" (output of unit ``name``, ``index`` cycles old), "chain" (register
    ``index``), "key" (the net's key port ``index``) or "const" (the net's constant).
    """

    kind: str
    name: str = ""
    index: int = 0
    k: int = 0
    keep: int = 0


@dataclass(frozen=True)
class NetRow:
    """The sources of a network in one cycle.

    Attributes
    ----------
    stage : int
    select : dict
        For each direction, the numbers of the enabled sources.
    const : dict
        For each direction, the constant (0 where none is selected).
    core : dict
        On a unit's first operand and its "post" net: the operation, for each direction.
    keep : dict
        On a "post" net: bytes of the unit's result that are kept (0: all).
    number : dict
        On a unit's first operand: the number of the cipher key or of the operation, if it is not 0.
    """

    stage: int
    select: dict[str, tuple[int, ...]]
    const: dict[str, int] = field(default_factory=dict)
    core: dict[str, Kind] = field(default_factory=dict)
    keep: dict[str, int] = field(default_factory=dict)
    number: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class PortRow:
    """Cells that a read port reads, for each direction."""

    stage: int
    cell: dict[str, int]


@dataclass(frozen=True)
class KeyRow:
    """Words that a key port reads, for each direction."""

    stage: int
    word: dict[str, int]


@dataclass(frozen=True)
class WriteRow:
    """Cells that a unit's result is written to, for each direction."""

    stage: int
    cell: dict[str, int]


@dataclass(frozen=True)
class OutRow:
    """Block numbers (in set-up: key words) that leave on a lane, for each direction."""

    stage: int
    index: dict[str, int]


@dataclass(frozen=True)
class ChainRow:
    """The action of the register of a chain: "load" or "step"."""

    stage: int
    action: str
    directions: tuple[str, ...]


Row: TypeAlias = NetRow | PortRow | KeyRow | WriteRow | OutRow | ChainRow
"""A row that belongs to one stage."""

Key: TypeAlias = NetName | UnitName | tuple[str, int] | tuple[NetName, int] | int
"""What a list of rows belongs to: a network, a unit, a port of a bank or of a network, a lane or a chain."""


@dataclass(frozen=True)
class BatchRow:
    """The stages whose sectors have an operation in a batch that begins, for each direction.

    Without such a sector, no batch begins.  A table that ends with the last result of a sector therefore leaves no batch at work.
    """

    stages: dict[str, tuple[int, ...]]


@dataclass
class Bank:
    """A rotating memory: one write port, some read ports.  A unit, a lane of the bus, or the entry of a sector (``TWEAK``) writes it."""

    name: str
    writer: UnitName | LaneName | str
    cells: int
    ports: int


@dataclass
class Net:
    """A network: the XOR of enabled sources."""

    name: NetName
    sources: list[Source]
    key_ports: int = 0


@dataclass
class ChainRegister:
    """A register that multiplies itself by x^stride."""

    id: int
    stride: int


@dataclass
class Table:
    """The rows of one schedule: lists of ``rows`` entries, None where nothing happens.

    ``batches`` has the rows of units that take batches.
    """

    name: str
    directions: tuple[str, ...]
    rows: int
    stages: int
    nets: dict[NetName, list[NetRow | None]] = field(default_factory=dict)
    ports: dict[tuple[str, int], list[PortRow | None]] = field(default_factory=dict)
    keys: dict[tuple[NetName, int], list[KeyRow | None]] = field(default_factory=dict)
    writes: dict[UnitName, list[WriteRow | None]] = field(default_factory=dict)
    outs: dict[int, list[OutRow | None]] = field(default_factory=dict)
    chains: dict[int, list[ChainRow | None]] = field(default_factory=dict)
    batches: dict[UnitName, list[BatchRow | None]] = field(default_factory=dict)
    inputs: dict[int, int] = field(default_factory=dict)
    tweaks: dict[int, int] = field(default_factory=dict)
    latency: int = 0

    def all_rows(self) -> Iterator[tuple[str, Key, int, Row]]:
        """Every row that belongs to one stage, with its list, key and slot."""
        for what in ("nets", "ports", "keys", "writes", "outs", "chains"):
            for key, rows in getattr(self, what).items():
                for slot, row in enumerate(rows):
                    if row is not None:
                        yield what, key, slot, row


@dataclass
class UnitInstance:
    """One unit of the engine with its timing in cycles."""

    name: UnitName
    post_at: int
    latency: int
    cores: tuple[Kind, ...]
    interval: int = 1
    slow_core: str | None = None
    slow_interval: int = 0
    cadence: Cadence = EVERY_CYCLE

    @property
    def kind(self) -> UnitKind:
        """What it is."""
        return self.name.kind

    @property
    def operands(self) -> tuple[str, ...]:
        """Names of its operands."""
        return self.kind.type.operands


def batched(units: Iterable[UnitInstance]) -> dict[UnitName, Cadence]:
    """The units that take batches."""
    cadences = {unit.name: unit.cadence.batched for unit in units}
    return {name: each for name, each in cadences.items() if each is not None}


@dataclass
class Program:
    """The complete program of an engine for one sector size.

    Attributes
    ----------
    tables : dict
        "main" and "setup".
    key_words : list of str
        Names of the words of the key memory: first those that the host loads.
    raw_words : int
        Number of words that the host loads.
    cipher_keys : list of str
        Names of the cipher keys: those that the host loads, then one for each of ``derived``.
    cipher_bits : list of int
        For each of them, its length in bits if the mode fixes it, or 0.  This selects the cores for it.
    derived : list of tuple of int
        For each cipher key that the set-up makes, the key words that hold it.
    nonzero : list of int
        Key words that must not be 0.
    rest : int
        Cycles for which a cell with a result rests between its last read and the next write: 0 if a memory reads the old word while a
        new one is written, 1 if the read word is undefined.
    """

    name: str
    block_bytes: int
    nbytes: int
    tweak_bytes: int
    lanes: int
    directions: tuple[str, ...]
    units: list[UnitInstance]
    banks: dict[str, Bank]
    nets: dict[NetName, Net]
    chains: list[ChainRegister]
    tables: dict[str, Table]
    key_words: list[str]
    raw_words: int
    fill_ahead: int
    cipher_keys: list[str] = field(default_factory=lambda: ["cipher"])
    cipher_bits: list[int] = field(default_factory=lambda: [0])
    derived: list[tuple[int, ...]] = field(default_factory=list)
    nonzero: list[int] = field(default_factory=list)
    rest: int = 0

    @property
    def blocks(self) -> int:
        """Blocks of a sector."""
        return -(-self.nbytes // self.block_bytes)

    @property
    def tweak_blocks(self) -> int:
        """Blocks of a tweak."""
        return -(-self.tweak_bytes // self.block_bytes)

    @property
    def host_keys(self) -> int:
        """Number of cipher keys that the host loads."""
        return len(self.cipher_keys) - len(self.derived)

    @property
    def main(self) -> Table:
        """The table that runs sectors."""
        return self.tables["main"]

    @property
    def ii(self) -> int:
        """Cycles between the entries of two sectors."""
        return self.main.rows


# -- listing ---------------------------------------------------------------------------------------------------------------------------

# The program as text: a listing that a person can follow, the same for the same program.


def _source_text(source: Source) -> str:
    text = {
        "bank": f"{source.name}[{source.index}]",
        "y": f"{source.name}.y" + (f"-{source.index}" if source.index else ""),
        "chain": f"chain{source.index}",
        "key": f"key[{source.index}]",
        "const": "const",
    }[source.kind]
    if source.keep:
        text = f"head({text},{source.keep})" if source.keep > 0 else f"tail({text},{-source.keep})"
    return f"{text}*x^{source.k}" if source.k else text


def _sides(values: dict[str, object]) -> str:
    texts = {d: str(v) for d, v in values.items()}
    if len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    return " | ".join(f"{d}: {v}" for d, v in texts.items())


def _table(program: Program, table: Table) -> Iterator[str]:
    yield f"table {table.name}: {table.rows} rows, {table.stages} stages, latency {table.latency}"
    if table.inputs:
        yield "  blocks  " + " ".join(f"P{i}:{cell}" for i, cell in sorted(table.inputs.items()))
    if table.tweaks:
        yield "  tweak   " + " ".join(f"T{i}:{cell}" for i, cell in sorted(table.tweaks.items()))
    for slot in range(table.rows):
        yield f"row {slot}"
        for name, rows in sorted(table.nets.items()):
            row = rows[slot]
            if row is None:
                continue
            yield f"  {name:<14} s{row.stage}  {_sides(_net_sides(program, table, name, slot, row))}"
        for unit, batches in sorted(table.batches.items()):
            if (batch := batches[slot]) is not None:
                sides = {d: ",".join(f"s{stage}" for stage in stages) for d, stages in batch.stages.items()}
                yield f"  {unit:<14} a batch begins: {_sides(dict(sides))}"
        for bank, writes in sorted(table.writes.items()):
            if (write := writes[slot]) is not None:
                yield f"  {bank + ' <-':<14} s{write.stage}  cell {_sides(dict(write.cell))}"
        for lane, outs in sorted(table.outs.items()):
            if (out := outs[slot]) is not None:
                names = {d: program.key_words[i] if table.name == "setup" else f"C{i}" for d, i in out.index.items()}
                yield f"  {OutName(lane) + ' ->':<14} s{out.stage}  {_sides(dict(names))}"
        for chain, steps in sorted(table.chains.items()):
            if (step := steps[slot]) is not None:
                yield f"  {ChainName(chain):<14} s{step.stage}  {step.action}"


def _net_sides(program: Program, table: Table, name: NetName, slot: int, row: NetRow) -> dict[str, object]:
    sides: dict[str, object] = {}
    for direction, numbers in row.select.items():
        texts = []
        for number in numbers:
            source = program.nets[name].sources[number]
            text = _source_text(source)
            if source.kind == "bank":
                port = table.ports[source.name, source.index][slot]
                text = text.replace("]", f"]@{port.cell[direction]}" if port else "]@?", 1)
            elif source.kind == "key":
                word = table.keys[name, source.index][slot]
                text = text.replace(f"key[{source.index}]", program.key_words[word.word[direction]] if word else "?", 1)
            elif source.kind == "const":
                text = text.replace("const", f"{row.const.get(direction, 0):#x}", 1)
            texts.append(text)
        prefix = "" if not name.first else _prefix(program, row, direction)
        nbytes = row.keep.get(direction, 0)
        if nbytes:
            prefix = f"head {nbytes} of y ^ " if nbytes > 0 else f"tail {-nbytes} of y ^ "
        sides[direction] = prefix + (" ^ ".join(texts) or "0")
    return sides


def _prefix(program: Program, row: NetRow, direction: str) -> str:
    """The text before the operand of an operation: name and key of a cipher operation, or the number of an operation with numbers."""
    core, number = row.core.get(direction), row.number.get(direction, 0)
    if core is None or not core.operation.numbered:
        return ""
    if core.operation.keyed:
        return f"{core} " + (f"under {program.cipher_keys[number]} " if len(program.cipher_keys) > 1 else "")
    return f"{number} {core.operation.sign or core} "


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listing(program: Program) -> str:
    """The whole program as text."""
    lanes = _count(program.lanes, "lane")
    lines = [
        f"program {program.name}: sectors of {program.nbytes} bytes, {program.blocks} blocks on {lanes}, "
        f"tweaks of {program.tweak_bytes} bytes, {' and '.join(program.directions)}",
    ]
    for unit in program.units:
        times = [f"post at {unit.post_at}", f"latency {unit.latency}", *unit.cadence.told("batches of")]
        lines.append(f"unit {unit.name}: {', '.join(unit.cores)}; {', '.join(times)}")
    for bank in program.banks.values():
        lines.append(f"bank {bank.name}: {bank.cells} cells, written by {bank.writer}, {_count(bank.ports, 'read port')}")
    for chain in program.chains:
        lines.append(f"chain {chain.id}: times x^{chain.stride}")
    lines.append("key words " + " ".join(f"{i}:{name}" for i, name in enumerate(program.key_words)))
    for name, words in zip(program.cipher_keys[program.host_keys :], program.derived, strict=True):
        lines.append(f"cipher key {name}: {' '.join(program.key_words[i] for i in words)}")
    if program.nonzero:
        lines.append("not 0: " + " ".join(program.key_words[i] for i in program.nonzero))
    for name, net in sorted(program.nets.items()):
        lines.append(f"net {name}: " + ", ".join(map(_source_text, net.sources)))
    for table in program.tables.values():
        lines.extend(_table(program, table))
    return "\n".join(lines) + "\n"
