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
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path

from modeloom.synth.hierarchy import instances
from modeloom.synth.netlist import cell_counts
from modeloom.synth.targets import Target
from modeloom.synth.yosys import map_design, version_of

__all__ = ["Key", "Known", "MappedPart", "Part", "cut", "fingerprint", "map_part"]

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


def map_part(part: Part, target: Target, directory: Path, known: Known, *, mapper: str, timeout: float | None) -> MappedPart:
    """What a part is mapped to, from those that are known or else by Yosys, and known from then on."""
    commands = target.commands + target.other_commands + target.rework_commands + target.area_commands + target.compact_commands
    key = (fingerprint(part), target.name, mapper, *commands)
    if key not in known:
        mapped = map_design(part.rtlil, part.module, target, directory, mapper=mapper, timeout=timeout)
        cells = [None if netlist is None else cell_counts(netlist, part.module) for netlist in (mapped.netlist, mapped.area)]
        for counts in cells:
            for box in part.boxes if counts else ():
                del counts[box]
        known[key] = MappedPart(cells[0] or Counter(), cells[1], tuple(mapped.script), version_of(mapped))
    return known[key]
