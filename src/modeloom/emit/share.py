# SPDX-License-Identifier: Apache-2.0
"""Replaces modules that differ only in their names by one module.  Two multipliers are then two instances of one module."""

from __future__ import annotations

import re
from itertools import count

from modeloom.emit.rtlil import RtlilModule, render

__all__ = ["common", "share"]


def share(modules: list[RtlilModule], top: str) -> list[RtlilModule]:
    """The modules without copies.  The instances are changed in place.

    The names of ports must be the same in equal modules.  ``names.plain_design`` ensures this.
    """
    groups: dict[str, list[str]] = {}
    first: dict[str, RtlilModule] = {}
    replaced: dict[str, str] = {}
    for module in _children_first(modules, top):
        for statement in module.statements:
            if statement.instance:
                statement.lines[0][1] = replaced[statement.type]
        body = render([RtlilModule("", module.attributes, module.statements)])
        first.setdefault(body, module)
        replaced[module.name] = first[body].name
        groups.setdefault(first[body].name, []).append(module.name)
    taken = {module.name for module in modules}
    names: dict[str, str] = {}
    for kept, members in groups.items():
        names[kept] = _common(members, taken) if len(members) > 1 else kept
        taken.add(names[kept])
    result = [module for module in modules if module.name in groups]
    for module in result:
        module.name = names[module.name]
        for statement in module.statements:
            if statement.instance:
                statement.lines[0][1] = names[statement.type]
    return result


def _children_first(modules: list[RtlilModule], top: str) -> list[RtlilModule]:
    by_name = {module.name: module for module in modules}
    order: dict[str, RtlilModule] = {}

    def visit(name: str) -> None:
        if name in order:
            return
        for statement in by_name[name].statements:
            if statement.instance:
                visit(statement.type)
        order[name] = by_name[name]

    visit(top)
    return list(order.values())


def common(members: list[str]) -> str | None:
    """The name of the first member, without the numbers in which the members differ.  None if they differ in more than numbers."""
    parts = [re.split(r"(\d+)", member) for member in members]
    if len({len(part) for part in parts}) > 1:
        return None
    columns = [set(column) for column in zip(*parts, strict=True)]
    if any(len(column) > 1 for column in columns[::2]):
        return None
    return "".join(column.pop() for column in columns if len(column) == 1)


def _common(members: list[str], taken: set[str]) -> str:
    """A name for a shared module: what is common to the names of all members."""
    name = common(members)
    if name is None:
        return members[0]
    for number in count(1):
        candidate = name if number == 1 else f"{name}_{number}"
        if candidate not in taken:
            return candidate
    raise AssertionError("one of the numbers is free")
