# SPDX-License-Identifier: Apache-2.0
"""The contents of a Liberty file that Yosys does not report: areas, cells that hold state, and the NAND2 gate as the unit of areas."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from pathlib import Path

__all__ = ["Library", "read_library"]

_TOKEN = re.compile(r"\s*([A-Za-z_][\w\[\]]*|[01]|[!'*&+|^()])")


@dataclass(frozen=True)
class Library:
    """Cells of a Liberty file.

    Attributes
    ----------
    areas : dict
        Area of each cell, in the unit of the file.
    sequential : frozenset of str
        Cells that hold state.
    nand2 : float or None
        Area of the smallest cell that is a NAND of two inputs; None if there is none.
    """

    areas: dict[str, float]
    sequential: frozenset[str]
    nand2: float | None


def read_library(path: Path) -> Library:
    """The cells of a file.

    Raises
    ------
    ValueError
        If there is no such file, its name cannot be used in a Yosys command, or it lacks necessary cells: a cell with an area, a logic
        cell, and a flip-flop.
    """
    if not path.is_file():
        raise ValueError(f"there is no Liberty file {path}; give its path as liberty:FILE")
    if any(c.isspace() or c in "{};\"" for c in str(path.absolute())):
        raise ValueError(f"the path of a Liberty file must be free of spaces, quotes, braces and semicolons: {path.absolute()}")
    try:
        source = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ValueError(f"cannot read the Liberty file {path}: {error.strerror}") from None
    text = re.sub(r"/\*.*?\*/", "", source, flags=re.DOTALL)
    areas: dict[str, float] = {}
    sequential: set[str] = set()
    nands: list[float] = []
    logic = flip_flops = False
    parts = re.split(r"\bcell\s*\(\s*\"?([^\s\")]+)\"?\s*\)\s*\{", text)
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        if found := re.search(r"\barea\s*:\s*\"?([-+0-9.eE]+)", body):
            areas[name] = float(found[1])
        flip_flops = flip_flops or bool(re.search(r"\bff(_bank)?\s*\(", body))
        if re.search(r"\b(ff|latch|ff_bank|latch_bank)\s*\(", body):
            sequential.add(name)
            continue
        logic = logic or bool(re.search(r"\bfunction\s*:", body))
        if name in areas and _is_nand2(re.findall(r"\bfunction\s*:\s*\"([^\"]*)\"", body)):
            nands.append(areas[name])
    lacking = "area" if not areas else "function" if not logic else "flip-flop" if not flip_flops else ""
    if lacking:
        what = f"no cell with {'an' if lacking == 'area' else 'a'} {lacking}"
        raise ValueError(f"{path} has {what}: a design cannot be mapped with it; is it a Liberty file of standard cells?")
    return Library(areas, frozenset(sequential), min(nands, default=None))


def _is_nand2(functions: list[str]) -> bool:
    """Whether the only output of a cell is the NAND of two inputs."""
    if len(functions) != 1:
        return False
    names = sorted(set(re.findall(r"[A-Za-z_][\w\[\]]*", functions[0])))
    if len(names) != 2:
        return False
    cases = [dict(zip(names, bits, strict=True)) for bits in product((False, True), repeat=2)]
    return all(_value(functions[0], case) != all(case.values()) for case in cases)


def _value(function: str, inputs: dict[str, bool]) -> bool:
    """Evaluates a Liberty expression: ! and ' invert, ^ binds tighter than AND (``*``, ``&`` or nothing), and OR is ``+`` or ``|``."""
    tokens = _TOKEN.findall(function)
    position = 0

    def peek() -> str:
        return tokens[position] if position < len(tokens) else ""

    def take() -> str:
        nonlocal position
        position += 1
        return tokens[position - 1]

    def factor() -> bool:
        token = take()
        if token == "!":
            return not factor()
        if token == "(":
            value = disjunction()
            take()
        else:
            value = token == "1" if token in "01" else inputs[token]
        while peek() == "'":
            take()
            value = not value
        return value

    def parity() -> bool:
        value = factor()
        while peek() == "^":
            take()
            value ^= factor()
        return value

    def conjunction() -> bool:
        value = parity()
        while peek() and peek() not in "+|)":
            if peek() in "*&":
                take()
            value &= parity()
        return value

    def disjunction() -> bool:
        value = conjunction()
        while peek() and peek() in "+|":
            take()
            value |= conjunction()
        return value

    return disjunction()
