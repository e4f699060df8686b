# SPDX-License-Identifier: Apache-2.0
"""The blocks of a design: the group of each module, from the RTLIL text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence

__all__ = ["OTHER", "assign", "instances"]

#: The group of everything without a matching prefix, including the logic of the top module itself.
OTHER = "other"

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
    paths = instances(rtlil, top)
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
    result: dict[str, str] = {}
    for path, module in paths.items():
        matching = [prefix for prefix in owner if path.startswith(prefix)] if path else []
        group = owner[max(matching, key=len)] if matching else OTHER
        if result.setdefault(module, group) != group:
            raise ValueError(f"module {module} has instances in two groups, {result[module]} and {group}")
    return result

