# SPDX-License-Identifier: Apache-2.0
"""The blocks of a design: found in its RTLIL text, cut apart, and each mapped once."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from modeloom.synth.netlist import Netlist
from modeloom.synth.targets import Target
from modeloom.synth.yosys import APART, TABLE, map_design, version_of, ways, without_wide

__all__ = [
    "MODULE", "OTHER", "Key", "Known", "MappedPart", "Part", "assign", "cut", "fingerprint", "instances", "map_parts", "reduced",
    "separated",
]  # fmt: skip

# The blocks of a design: the group of each module, from the RTLIL text.

#: The group of everything without a matching prefix, including the logic of the top module itself.
OTHER = "other"

MODULE = re.compile(r"^(?:attribute [^\n]*\n)*module \\(\S+)\n.*?^end$\n?", re.MULTILINE | re.DOTALL)
"""A module in RTLIL, with its name."""

_CELL = re.compile(r"^(\s+cell \\)(\S+) (\S+)$", re.MULTILINE)
_LINE = re.compile(r"^(?:module (\\\S+)|\s+cell (\\\S+) (\S+))\s*$", re.MULTILINE)


def instances(rtlil: str, top: str) -> dict[str, str]:
    """The module name of each instance path in the hierarchy below `top`.  Dots separate levels, and the top is ``""``.

    Raises
    ------
    ValueError
        If there is no such module.
    """
    children: dict[str, list[tuple[str, str]]] = {}
    current = ""
    for module, kind, name in _LINE.findall(rtlil):
        if module:
            current = module[1:]
            children[current] = []
        else:
            children[current].append((name.removeprefix("\\"), kind[1:]))
    if top not in children:
        raise ValueError(f"the design has no module named {top!r}")
    found: dict[str, str] = {}

    def visit(path: str, module: str) -> None:
        found[path] = module
        for name, kind in children[module]:
            if kind in children:
                visit(f"{path}.{name}" if path else name, kind)

    visit("", top)
    return found


def assign(rtlil: str, top: str, groups: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The group of each module.

    A prefix matches every instance whose path below the top begins with it (``aes`` matches ``aes_0`` and ``aes_1.sbox``). The longest
    prefix decides, so a block can be separated from a larger one.

    Raises
    ------
    ValueError
        If a prefix matches nothing, two groups share a prefix, or two groups would share a module.
    """
    groups_at = _groups_at(instances(rtlil, top), groups)
    result: dict[str, str] = {}
    for module, group in groups_at.values():
        if result.setdefault(module, group) != group:
            raise ValueError(f"module {module} has instances in two groups, {result[module]} and {group}")
    return result


def separated(rtlil: str, top: str, groups: Mapping[str, Sequence[str]]) -> str:
    """The design with a copy of each module for each group that has instances of it, as ``assign`` needs.

    An S-box may be one module in the cipher and in another block.  The text is the same if no two groups share a module.

    Raises
    ------
    ValueError
        As ``assign`` does, or if the instances of a module in one group have the instances below them in different groups.
    """
    paths = instances(rtlil, top)
    groups_at = _groups_at(paths, groups)
    owners: dict[str, list[str]] = {}
    for module, group in groups_at.values():
        if group not in owners.setdefault(module, []):
            owners[module].append(group)
    if all(len(one) == 1 for one in owners.values()):
        return rtlil

    def copy_of(module: str, group: str) -> str:
        return module if owners[module][0] == group else f"{module}${group}"

    # For each copy, the modules of the cells in it.
    cells: dict[tuple[str, str], dict[str, str]] = {at: {} for at in groups_at.values()}
    for path, (module, group) in groups_at.items():
        if path:
            parent = _parent(path, paths)
            name = path.removeprefix(f"{parent}.") if parent else path
            found, kind = cells[groups_at[parent]], copy_of(module, group)
            if found.setdefault(name, kind) != kind:
                raise ValueError(f"instances of {groups_at[parent][0]} in group {groups_at[parent][1]} have {name} in two groups")

    def copies(match: re.Match[str]) -> str:
        return "".join(
            _with_cells(match[0], cells[match[1], group]).replace(f"module \\{match[1]}\n", f"module \\{copy_of(match[1], group)}\n", 1)
            for group in owners.get(match[1], ())
        )

    return MODULE.sub(copies, rtlil)


def _with_cells(module: str, kinds: Mapping[str, str]) -> str:
    """The text of a module whose cells with these names are instances of other modules."""
    return _CELL.sub(lambda cell: f"{cell[1]}{kinds.get(cell[3].removeprefix(chr(92)), cell[2])} {cell[3]}", module)


def _parent(path: str, paths: Mapping[str, str]) -> str:
    """The path of the instance above one.  A name may contain dots, so it is the longest path that is a prefix."""
    at = path.rfind(".")
    while at > 0 and path[:at] not in paths:
        at = path.rfind(".", 0, at)
    return path[:at] if at > 0 else ""


def _groups_at(paths: Mapping[str, str], groups: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, str]]:
    """The module and the group of each instance path."""
    owner: dict[str, str] = {}
    for group, prefixes in groups.items():
        if isinstance(prefixes, str):
            raise TypeError(f"the prefixes of group {group} must be a sequence of strings")
        for prefix in prefixes:
            if owner.setdefault(prefix, group) != group:
                raise ValueError(f"prefix {prefix!r} is in two groups, {owner[prefix]} and {group}")
            if not any(path.startswith(prefix) for path in paths if path):
                near = difflib.get_close_matches(prefix, sorted(path for path in paths if path), n=3)
                hint = f"; there are {', '.join(near)}" if near else ""
                raise ValueError(f"no instance begins with {prefix!r}{hint}")
    found: dict[str, tuple[str, str]] = {}
    for path, module in paths.items():
        matching = [prefix for prefix in owner if path.startswith(prefix)] if path else []
        found[path] = module, owner[max(matching, key=len)] if matching else OTHER
    return found


# -- cut ---------------------------------------------------------------------------------------------------------------------------

# Splits the RTLIL text of a design at the borders of its blocks.
#
#     top ── engine ── aes ×2        top: engine is a black box    engine: aes is a black box    aes
#                  └── mul           once                          once                          twice

_PORT = re.compile(r"^  wire (?:[^\n]* )?(?:input|output|inout) \d+ +\\\S+\n", re.MULTILINE)
_PLACE = re.compile(r"^\s*attribute \\(?:src|top) [^\n]*\n", re.MULTILINE)
_NAME = re.compile(r"(?<=\s)(?:\\\S+|\$[^\s$]*\$\S*)")
_PRIORITY = re.compile(r"(?<=^    parameter \\PRIORITY )\d+$", re.MULTILINE)


@dataclass(frozen=True)
class Part:
    """A module at a border, with the modules below it down to the next borders.

    Attributes
    ----------
    module, group : str
    count : int
        Number of its instances in the design.
    rtlil : str
        Its text.  Modules of other parts are black boxes.
    boxes : tuple of str
        Their names.
    """

    module: str
    group: str
    count: int
    rtlil: str
    boxes: tuple[str, ...]


def cut(rtlil: str, top: str, groups: Mapping[str, str]) -> Iterator[Part]:
    """The parts of a design, beginning with the top.

    Parameters
    ----------
    groups : mapping
        The group of each module, from ``assign``.
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
    text = {match[1]: match[0] for match in MODULE.finditer(rtlil)}
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
        texts = [_box(text[name], name) if name in boxes else text[name] for name in text if name in inside | boxes]
        yield Part(module, groups[module], counts[module], "".join(texts), tuple(sorted(boxes)))


def _box(module: str, name: str) -> str:
    """The module without its contents."""
    return f"attribute \\blackbox 1\nmodule \\{name}\n{''.join(_PORT.findall(module))}end\n"


def fingerprint(part: Part) -> str:
    """A key that is equal for parts that differ only in names of modules, names from Yosys, and source locations.

    Yosys numbers the first values of memories through the whole design.  Only their order counts.
    """
    lines = _PLACE.sub("", part.rtlil)
    ranks = {number: rank for rank, number in enumerate(sorted({int(found) for found in _PRIORITY.findall(lines)}))}
    lines = _PRIORITY.sub(lambda match: str(ranks[int(match[0])]), lines)
    modules = set(re.findall(r"^module (\\\S+)$", lines, re.MULTILINE))
    names: dict[str, str] = {}

    def plain(match: re.Match[str]) -> str:
        name = match[0]
        return name if name[0] == "\\" and name not in modules else names.setdefault(name, f"{name[0]}{len(names)}")

    return hashlib.sha256(_NAME.sub(plain, lines).encode()).hexdigest()


def reduced(rtlil: str, top: str, parts: Sequence[Part], new: set[str]) -> str:
    """The design with its borders.  Parts that are known, and have no new parts below them, are black boxes."""
    boxes = {part.module: part.boxes for part in parts}
    separate = {top}

    def above(module: str) -> bool:
        # All of them, because a part may be below several others.
        if any([module in new, *[above(box) for box in boxes[module]]]):
            separate.add(module)
        return module in separate

    above(top)

    def marked(match: re.Match[str]) -> str:
        name = match[1]
        if name not in boxes or name == top:
            return match[0]
        return f"attribute \\keep_hierarchy 1\n{match[0]}" if name in separate else _box(match[0], name)

    return MODULE.sub(marked, rtlil)


# -- parts -------------------------------------------------------------------------------------------------------------------------

# Maps each block of a design once.  Two cores with the same AES pipeline share its mapping if they use the same set of known blocks.

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
    known_as = {part.module: _key(part, targets[part.module], mapper) for part in parts}
    # A store that other processes use may wait for a block of theirs.  All ask in the same order, so that none waits for one that waits.
    measured = {key: key in known for key in sorted(set(known_as.values()))}
    new = {known_as[part.module]: part for part in parts if not measured[known_as[part.module]]}
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
                key = known_as[part.module]
                if key not in least or target.luts_in(found.cells) < target.luts_in(least[key].cells):
                    least[key] = found
        # Only after all variants were tried, because known parts are not tried again.
        for key, found in least.items():
            known[key] = found
    return {part.module: known[known_as[part.module]] for part in parts}


def _key(part: Part, target: Target, mapper: str) -> Key:
    commands = target.commands + target.other_commands + target.rework_commands + target.area_commands + target.compact_commands
    # Parts that were mapped together with their tables are different parts, and so are those whose memories have no output registers.
    return (fingerprint(part), target.name, mapper, TABLE, *["output registers"] * target.output_registers, *commands)


def _own_cells(netlist: Netlist, part: Part) -> Counter[str]:
    """Cells of a part by type, without the parts below it."""
    kinds = Counter(cell["type"] for cell in netlist["modules"][part.module]["cells"].values())
    return Counter({kind: count for kind, count in kinds.items() if kind not in part.boxes and kind != "$scopeinfo"})
