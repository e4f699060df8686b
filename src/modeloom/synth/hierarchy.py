# SPDX-License-Identifier: Apache-2.0
"""The blocks of a design: the group of each module, from the RTLIL text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence

__all__ = ["MODULE", "OTHER", "assign", "instances", "separated"]

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
