# SPDX-License-Identifier: Apache-2.0
"""Maps each block of a design once.  Two cores with the same AES pipeline share its mapping if they use the same set of known blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from modeloom.synth.cut import Part, fingerprint, reduced
from modeloom.synth.netlist import Netlist
from modeloom.synth.tables import TABLE
from modeloom.synth.targets import Target
from modeloom.synth.yosys import APART, map_design, version_of, ways, without_wide

__all__ = ["Key", "Known", "MappedPart", "map_parts"]


@dataclass(frozen=True)
class MappedPart:
    """Cells of a part by type, cells of the area-oriented mapping for a gate target, and the version of Yosys."""

    cells: Counter[str]
    area: Counter[str] | None
    yosys: str


Key = tuple[str, ...]
"""Fingerprint of a part, name of the target, mapper, treatment of tables, and the commands."""


class Known(Protocol):
    """A store of mapped parts, for instance a ``dict``."""

    def __contains__(self, key: Key, /) -> bool: ...
    def __getitem__(self, key: Key, /) -> MappedPart: ...
    def __setitem__(self, key: Key, part: MappedPart, /) -> None: ...


def map_parts(
    rtlil: str, top: str, parts: Sequence[Part], target: Target, directory: Path, known: Known, *, mapper: str, timeout: float | None,
    narrow: Collection[str] = (),
) -> dict[str, MappedPart]:  # fmt: skip
    """The mapping of each part of a design, by its module.  It is taken from the known parts, or made by Yosys and then added to them.

    Unknown parts are mapped in one run, because Yosys takes longer to start than to map a small part.  Parts with wires that are
    ``mapped_apart`` have separate runs, because their borders are removed at the end.  So have all parts if there are groups in
    `narrow`, whose parts are mapped without wide multiplexers only.
    """
    # The key has the commands of all ways that are tried, so a part that was mapped in fewer ways is a different part.
    targets = {part.module: without_wide(target) if part.group in narrow else target for part in parts}
    keys = {part.module: _key(part, targets[part.module], mapper) for part in parts}
    # A store that other processes use may wait for a block of theirs.  All ask in the same order, so that none waits for one that waits.
    there = {key: key in known for key in sorted(set(keys.values()))}
    new = {keys[part.module]: part for part in parts if not there[keys[part.module]]}
    alone = bool(narrow) or any(APART in part.rtlil for part in parts)
    designs = [(part.rtlil, part.module, [part]) for part in new.values()] if alone else []
    if new and not alone:
        designs = [(reduced(rtlil, top, parts, {part.module for part in new.values()}), top, list(new.values()))]
    for number, (design, name, wanted) in enumerate(designs):
        least: dict[Key, MappedPart] = {}
        for turn, way in enumerate(ways(targets[wanted[0].module], mapper)):
            (work := directory / f"{number}_{turn}").mkdir(parents=True)
            mapped = map_design(design, name, way, work, mapper=mapper, timeout=timeout)
            for part in wanted:
                area = None if mapped.area is None else _own_cells(mapped.area, part)
                found = MappedPart(_own_cells(mapped.netlist, part), area, version_of(mapped))
                key = keys[part.module]
                if key not in least or target.luts_in(found.cells) < target.luts_in(least[key].cells):
                    least[key] = found
        # Only after all variants were tried, because known parts are not tried again.
        for key, found in least.items():
            known[key] = found
    return {part.module: known[keys[part.module]] for part in parts}


def _key(part: Part, target: Target, mapper: str) -> Key:
    commands = target.commands + target.other_commands + target.rework_commands + target.area_commands + target.compact_commands
    # Parts that were mapped together with their tables are different parts.
    return (fingerprint(part), target.name, mapper, TABLE, *commands)


def _own_cells(netlist: Netlist, part: Part) -> Counter[str]:
    """Cells of a part by type, without the parts below it."""
    kinds = Counter(cell["type"] for cell in netlist["modules"][part.module]["cells"].values())
    return Counter({kind: count for kind, count in kinds.items() if kind not in part.boxes and kind != "$scopeinfo"})
