# SPDX-License-Identifier: Apache-2.0
"""A design cut at the borders of its blocks, each part mapped on its own and equal parts once.

::

    top ── engine ── aes ×2        top: engine is a black box    engine: aes is a black box    aes
                 └── mul           1 × cells                     1 × cells                     2 × cells

Two cores with the same AES pipeline share its mapping if they share the mappings that are known.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from modeloom.synth.hierarchy import instances
from modeloom.synth.targets import Target
from modeloom.synth.yosys import APART, map_design, version_of

__all__ = ["Key", "Known", "MappedPart", "Part", "cut", "fingerprint", "map_parts"]

_MODULE = re.compile(r"^(?:attribute [^\n]*\n)*module \\(\S+)\n.*?^end$\n?", re.MULTILINE | re.DOTALL)
_PORT = re.compile(r"^  wire (?:[^\n]* )?(?:input|output|inout) \d+ +\\\S+\n", re.MULTILINE)
_PLACE = re.compile(r"^\s*attribute \\(?:src|top) [^\n]*\n", re.MULTILINE)
_NAME = re.compile(r"(?<=\s)(?:\\\S+|\$[^\s$]*\$\S*)")


@dataclass(frozen=True)
class Part:
    """A module at a border, with what stands below it down to the next borders.

    Attributes
    ----------
    module, group : str
    count : int
        Its instances in the design.
    rtlil : str
        Its text; modules of other parts are black boxes.
    boxes : tuple of str
        Their names.
    """

    module: str
    group: str
    count: int
    rtlil: str
    boxes: tuple[str, ...]


@dataclass(frozen=True)
class MappedPart:
    """Cells of a part by type, those of the area-oriented mapping of a gate target, the commands, and the version of Yosys."""

    cells: Counter[str]
    area: Counter[str] | None
    script: tuple[str, ...]
    yosys: str


Key = tuple[str, ...]
"""Fingerprint of a part, name of the target, mapper, and the commands."""

Known = MutableMapping[Key, MappedPart]
"""Parts that have been mapped."""


def cut(rtlil: str, top: str, groups: Mapping[str, str]) -> Iterator[Part]:
    """The parts of a design, the top's first.

    Parameters
    ----------
    groups : mapping
        The group of each module, as from ``hierarchy.assign``.
    """
    paths = instances(rtlil, top)
    counts = Counter(paths.values())
    children: dict[str, set[str]] = {module: set() for module in counts}
    borders = {top}
    for path, module in paths.items():
        # An instance name may contain dots, so the parent is the longest path that is a prefix.
        if path:
            parent = paths[max((p for p in paths if p != path and (not p or path.startswith(p + "."))), key=len)]
            children[parent].add(module)
            if groups[parent] != groups[module]:
                borders.add(module)
    text = {match[1]: match[0] for match in _MODULE.finditer(rtlil)}
    for module in counts:
        if module not in borders:
            continue
        inside, boxes, waiting = {module}, set(), [module]
        while waiting:
            for child in children[waiting.pop()] - inside:
                if child in borders:
                    boxes.add(child)
                else:
                    inside.add(child)
                    waiting.append(child)
        kept = [_box(text[name], name) if name in boxes else text[name] for name in text if name in inside | boxes]
        yield Part(module, groups[module], counts[module], "".join(kept), tuple(sorted(boxes)))


def _box(module: str, name: str) -> str:
    """The module without its inside."""
    return f"attribute \\blackbox 1\nmodule \\{name}\n{''.join(_PORT.findall(module))}end\n"


def fingerprint(part: Part) -> str:
    """Equal for parts that differ in the names of modules, in names that Yosys gave, and in places of source files alone."""
    lines = _PLACE.sub("", part.rtlil)
    modules = set(re.findall(r"^module (\\\S+)$", lines, re.MULTILINE))
    names: dict[str, str] = {}

    def plain(match: re.Match[str]) -> str:
        name = match[0]
        return name if name[0] == "\\" and name not in modules else names.setdefault(name, f"{name[0]}{len(names)}")

    return hashlib.sha256(_NAME.sub(plain, lines).encode()).hexdigest()


def map_parts(
    rtlil: str, top: str, parts: Sequence[Part], target: Target, directory: Path, known: Known, *, mapper: str, timeout: float | None
) -> dict[str, MappedPart]:
    """What each part of a design is mapped to, by its module: from those that are known, or else by Yosys, and known from then on.

    Parts that are not known are mapped in one run, as Yosys takes longer to start than to map a small one; those with wires that are
    ``mapped_apart`` each in its own, as their borders are taken away at the end.
    """
    commands = target.commands + target.other_commands + target.rework_commands + target.area_commands + target.compact_commands
    keys = {part.module: (fingerprint(part), target.name, mapper, *commands) for part in parts}
    new = {keys[part.module]: part for part in parts if keys[part.module] not in known}
    alone = any(APART in part.rtlil for part in parts)
    designs = [(part.rtlil, part.module, [part]) for part in new.values()] if alone else []
    if new and not alone:
        designs = [(_reduced(rtlil, top, parts, {part.module for part in new.values()}), top, list(new.values()))]
    ways = [target.commands, *([target.other_commands] if target.other_commands and mapper == "abc9" else [])]
    for number, (design, name, wanted) in enumerate(designs):
        least: dict[Key, MappedPart] = {}
        for turn, way in enumerate(ways):
            (work := directory / f"{number}_{turn}").mkdir(parents=True)
            only = replace(target, commands=way, other_commands=())
            mapped = map_design(design, name, only, work, mapper=mapper, timeout=timeout)
            for part in wanted:
                found = MappedPart(
                    _own_cells(mapped.netlist, part), None if mapped.area is None else _own_cells(mapped.area, part),
                    tuple(mapped.script), version_of(mapped),
                )  # fmt: skip
                key = keys[part.module]
                if key not in least or _luts(found, target) < _luts(least[key], target):
                    least[key] = found
        # Not before every way was tried: what is known is not tried again.
        known.update(least)
    return {part.module: known[keys[part.module]] for part in parts}


def _reduced(rtlil: str, top: str, parts: Sequence[Part], new: set[str]) -> str:
    """The design with the borders kept; parts that are not new and have none below them are black boxes."""
    boxes = {part.module: part.boxes for part in parts}
    kept = {top}

    def above(module: str) -> bool:
        # All of them: a part may stand below several.
        if any([module in new, *[above(box) for box in boxes[module]]]):
            kept.add(module)
        return module in kept

    above(top)

    def marked(match: re.Match[str]) -> str:
        name = match[1]
        if name not in boxes or name == top:
            return match[0]
        return f"attribute \\keep_hierarchy 1\n{match[0]}" if name in kept else _box(match[0], name)

    return _MODULE.sub(marked, rtlil)


def _own_cells(netlist: Mapping[str, Any], part: Part) -> Counter[str]:
    """Cells of a part by type, without the parts below it."""
    kinds = Counter(cell["type"] for cell in netlist["modules"][part.module]["cells"].values())
    return Counter({kind: count for kind, count in kinds.items() if kind not in part.boxes and kind != "$scopeinfo"})


def _luts(part: MappedPart, target: Target) -> int:
    return sum(count * target.luts_of(cell) for cell, count in part.cells.items())
