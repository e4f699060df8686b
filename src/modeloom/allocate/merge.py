# SPDX-License-Identifier: Apache-2.0
"""Joins the programs of several sector sizes on the units of one engine.

Units, networks, banks and the key memory are shared.  The tables follow one another::

    key memory   | words of the host | set-up values of size 0 | of size 1 | ...
    network      sources of all sizes, each once; a row selects some of them
    bank         cells for the size that needs most; it rotates through the cells of the current size
    control      main 0 | main 1 | ... | set-up 0 | set-up 1 | ...
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from modeloom.allocate.program import (
    Bank,
    ChainName,
    ChainRegister,
    KeyRow,
    Net,
    NetName,
    NetRow,
    OutRow,
    Program,
    Table,
    UnitInstance,
)

__all__ = ["CoreProgram", "merge"]

Row = TypeVar("Row")


@dataclass
class CoreProgram:
    """The source of an engine: the programs of its sector sizes, with consistent numbers.

    Attributes
    ----------
    mains, setups : list of Table
        For each size, the tables of its program.
    cells : dict
        For each bank, the number of its cells for each size; 0 if a size does not use it.
    blocks : list of int
        Blocks of a sector of each size.
    key_words : list of str
        Names of the words of the key memory: first those that the host loads.
    cipher_keys, cipher_bits, derived, nonzero
        As in ``Program``.  The set-up of the first size makes the cipher keys.
    """

    block_bytes: int
    tweak_blocks: int
    lanes: int
    directions: tuple[str, ...]
    units: list[UnitInstance]
    banks: dict[str, Bank]
    cells: dict[str, tuple[int, ...]]
    nets: dict[NetName, Net]
    chains: list[ChainRegister]
    mains: list[Table]
    setups: list[Table]
    blocks: list[int]
    key_words: list[str]
    raw_words: int
    cipher_keys: list[str]
    cipher_bits: list[int]
    derived: list[tuple[int, ...]]
    nonzero: list[int]

    @property
    def sizes(self) -> int:
        """Number of sector sizes."""
        return len(self.mains)

    @property
    def tables(self) -> list[Table]:
        """All tables in the order of their rows."""
        return [*self.mains, *self.setups]

    @property
    def stages(self) -> int:
        """Largest number of sectors in flight."""
        return max(table.stages for table in self.mains)


def merge(programs: Sequence[Program]) -> CoreProgram:
    """Joins several programs of a mode for the same units into one core program.

    Raises ``ValueError`` if they differ in units, lanes, directions, tweak or key parts.
    """
    first = programs[0]
    for program in programs[1:]:
        common = ("block_bytes", "tweak_bytes", "lanes", "directions", "units", "raw_words", "cipher_keys", "cipher_bits")
        different = [name for name in common if getattr(program, name) != getattr(first, name)]
        if different or program.key_words[: first.raw_words] != first.key_words[: first.raw_words]:
            raise ValueError(f"programs for one core differ in {', '.join(different) or 'their keys'}")
    banks: dict[str, Bank] = {}
    nets: dict[NetName, Net] = {}
    chains: dict[int, ChainRegister] = {}
    key_words = list(first.key_words[: first.raw_words])
    mains: list[Table] = []
    setups: list[Table] = []
    nonzero: list[int] = []
    for number, program in enumerate(programs):
        for name, bank in program.banks.items():
            known = banks.setdefault(name, Bank(name, bank.writer, 0, 0))
            banks[name] = replace(known, cells=max(known.cells, bank.cells), ports=max(known.ports, bank.ports))
        numbers = _chain_numbers(program, chains)
        for chain in program.chains:
            chains[numbers[chain.id]] = ChainRegister(numbers[chain.id], chain.stride)
        places: dict[NetName, list[int]] = {}
        for net in program.nets.values():
            name = _net_name(net.name, numbers)
            shared = nets.setdefault(name, Net(name, []))
            shared.key_ports = max(shared.key_ports, net.key_ports)
            sources = [replace(source, index=numbers[source.index]) if source.kind == "chain" else source for source in net.sources]
            shared.sources += [source for source in dict.fromkeys(sources) if source not in shared.sources]
            places[net.name] = [shared.sources.index(source) for source in sources]
        offset = len(key_words) - first.raw_words
        nonzero += [word if word < first.raw_words else word + offset for word in program.nonzero]
        key_words += [f"{word} ({number})" if len(programs) > 1 else word for word in program.key_words[first.raw_words :]]
        for table, tables in ((program.main, mains), (program.tables["setup"], setups)):
            tables.append(_moved(table, places, numbers, offset, first.raw_words))
    cells = {name: tuple(p.banks[name].cells if name in p.banks else 0 for p in programs) for name in banks}
    return CoreProgram(
        first.block_bytes, first.tweak_blocks, first.lanes, first.directions, first.units, banks, cells, nets,
        list(chains.values()), mains, setups, [p.blocks for p in programs], key_words, first.raw_words,
        list(first.cipher_keys), list(first.cipher_bits), list(first.derived), nonzero,
    )  # fmt: skip


def _chain_numbers(program: Program, chains: dict[int, ChainRegister]) -> dict[int, int]:
    """Numbers that the chains of a program have in the core: their own, or a new one where that chain has another stride."""
    numbers: dict[int, int] = {}
    for chain in program.chains:
        other = chain.id in chains and chains[chain.id].stride != chain.stride
        numbers[chain.id] = max([*chains, *numbers.values(), *(c.id for c in program.chains)]) + 1 if other else chain.id
    return numbers


def _net_name(name: NetName, chains: dict[int, int]) -> NetName:
    """The name of a network in the core.  A network before a chain has the number of the chain."""
    return NetName(ChainName(chains[name.owner.number])) if isinstance(name.owner, ChainName) else name


def _moved(table: Table, places: dict[NetName, list[int]], chains: dict[int, int], offset: int, raw: int) -> Table:
    """A table with the numbers of the core: sources of networks, chains and key words."""

    def word(number: int) -> int:
        return number if number < raw else number + offset

    def each(rows: list[Row | None], change: Callable[[Row], Row]) -> list[Row | None]:
        return [None if row is None else change(row) for row in rows]

    def net_row(name: NetName) -> Callable[[NetRow], NetRow]:
        def moved(row: NetRow) -> NetRow:
            return replace(row, select={d: tuple(places[name][n] for n in numbers) for d, numbers in row.select.items()})

        return moved

    def key_row(row: KeyRow) -> KeyRow:
        return replace(row, word={d: word(n) for d, n in row.word.items()})

    def out_row(row: OutRow) -> OutRow:
        return replace(row, index={d: word(n) for d, n in row.index.items()}) if table.name == "setup" else row

    return replace(
        table,
        nets={_net_name(name, chains): each(rows, net_row(name)) for name, rows in table.nets.items()},
        keys={(_net_name(net, chains), port): each(rows, key_row) for (net, port), rows in table.keys.items()},
        outs={lane: each(rows, out_row) for lane, rows in table.outs.items()},
        chains={chains[number]: rows for number, rows in table.chains.items()},
    )
