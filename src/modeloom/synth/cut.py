# SPDX-License-Identifier: Apache-2.0
"""Splits the RTLIL text of a design at the borders of its blocks.

::

    top ── engine ── aes ×2        top: engine is a black box    engine: aes is a black box    aes
                 └── mul           once                          once                          twice
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from modeloom.synth.hierarchy import MODULE, instances

__all__ = ["Part", "cut", "fingerprint", "reduced"]

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
        The group of each module, from ``hierarchy.assign``.
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
        kept = [_box(text[name], name) if name in boxes else text[name] for name in text if name in inside | boxes]
        yield Part(module, groups[module], counts[module], "".join(kept), tuple(sorted(boxes)))


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
    kept = {top}

    def above(module: str) -> bool:
        # All of them, because a part may be below several others.
        if any([module in new, *[above(box) for box in boxes[module]]]):
            kept.add(module)
        return module in kept

    above(top)

    def marked(match: re.Match[str]) -> str:
        name = match[1]
        if name not in boxes or name == top:
            return match[0]
        return f"attribute \\keep_hierarchy 1\n{match[0]}" if name in kept else _box(match[0], name)

    return MODULE.sub(marked, rtlil)
