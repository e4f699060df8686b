# SPDX-License-Identifier: Apache-2.0
"""Blocks of designs, each mapped once: two cores with the same AES pipeline share its mapping if they share those that are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from modeloom.synth.cut import Part, fingerprint, reduced
from modeloom.synth.tables import TABLE
from modeloom.synth.targets import Target
from modeloom.synth.yosys import APART, map_design, version_of, ways

__all__ = ["Key", "Known", "MappedPart", "map_parts"]


@dataclass(frozen=True)
class MappedPart:
    """Cells of a part by type, those of the area-oriented mapping of a gate target, and the version of Yosys."""

    cells: Counter[str]
    area: Counter[str] | None
    yosys: str


Key = tuple[str, ...]
"""Fingerprint of a part, name of the target, mapper, how tables are mapped, and the commands."""


class Known(Protocol):
    """Parts that have been mapped; a ``dict`` is one."""

    def __contains__(self, key: Key, /) -> bool: ...
    def __getitem__(self, key: Key, /) -> MappedPart: ...
    def __setitem__(self, key: Key, part: MappedPart, /) -> None: ...


def map_parts(
    rtlil: str, top: str, parts: Sequence[Part], target: Target, directory: Path, known: Known, *, mapper: str, timeout: float | None
) -> dict[str, MappedPart]:
    """What each part of a design is mapped to, by its module: from those that are known, or else by Yosys, and known from then on.

    Parts that are not known are mapped in one run, as Yosys takes longer to start than to map a small one; those with wires that are
    ``mapped_apart`` each in its own, as their borders are taken away at the end.
    """
    commands = target.commands + target.other_commands + target.rework_commands + target.area_commands + target.compact_commands
    # Parts that were mapped with their tables inside are others.
    keys = {part.module: (fingerprint(part), target.name, mapper, TABLE, *commands) for part in parts}
    new = {keys[part.module]: part for part in parts if keys[part.module] not in known}
    alone = any(APART in part.rtlil for part in parts)
    designs = [(part.rtlil, part.module, [part]) for part in new.values()] if alone else []
    if new and not alone:
        designs = [(reduced(rtlil, top, parts, {part.module for part in new.values()}), top, list(new.values()))]
    for number, (design, name, wanted) in enumerate(designs):
        least: dict[Key, MappedPart] = {}
        for turn, way in enumerate(ways(target, mapper)):
            (work := directory / f"{number}_{turn}").mkdir(parents=True)
            mapped = map_design(design, name, way, work, mapper=mapper, timeout=timeout)
            for part in wanted:
                area = None if mapped.area is None else _own_cells(mapped.area, part)
                found = MappedPart(_own_cells(mapped.netlist, part), area, version_of(mapped))
                key = keys[part.module]
                if key not in least or target.luts_in(found.cells) < target.luts_in(least[key].cells):
                    least[key] = found
        # Not before every way was tried: what is known is not tried again.
        for key, found in least.items():
            known[key] = found
    return {part.module: known[keys[part.module]] for part in parts}


def _own_cells(netlist: Mapping[str, Any], part: Part) -> Counter[str]:
    """Cells of a part by type, without the parts below it."""
    kinds = Counter(cell["type"] for cell in netlist["modules"][part.module]["cells"].values())
    return Counter({kind: count for kind, count in kinds.items() if kind not in part.boxes and kind != "$scopeinfo"})
