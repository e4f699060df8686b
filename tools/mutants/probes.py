# SPDX-License-Identifier: Apache-2.0
"""Which test runs which statement: probes in the text of the sources, on the lines that stand there, so that no line moves.

::

    x = f(y)            _hit[17] = 1; x = f(y)
    if x > 3:           if _at(18) or (x > 3):

The marks lie in a file that all processes of a test map into their memory: those of tools and emitted cores leave theirs, too.
"""

from __future__ import annotations

import ast
import mmap
import os
from pathlib import Path

import numpy as np

from mutants.operators import Statement, statements

__all__ = ["MARKS", "Marks", "name_of", "probed"]

MARKS = "MODELOOM_MUTATE_MARKS"
"""Environment variable with the file of marks."""

HELPER = """import mmap, os
with open(os.environ["{variable}"], "r+b") as file:
    hit = mmap.mmap(file.fileno(), 0)
def at(n):
    hit[n] = 1
"""

_IMPORT = "from modeloom_probes import at as _at, hit as _hit"


def name_of(file: str, statement: Statement, number: int) -> str:
    """Name of a statement that stays when lines move."""
    return f"{file}::{statement.scope}::{' '.join(statement.text.split())}#{number}"


def names(file: str, source: str) -> dict[tuple[int, int], str]:
    """Names of all statements of a file by line and column."""
    seen: dict[tuple[str, str], int] = {}
    result = {}
    for statement in statements(source):
        number = seen.setdefault((statement.scope, statement.text), 0)
        seen[statement.scope, statement.text] += 1
        result[statement.position] = name_of(file, statement, number)
    return result


def probed(source: str, first: int) -> tuple[str, int]:
    """A source with probes, the first of them with number ``first``; and the number of probes."""
    data = source.encode()
    lines = [0]
    for line in data.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    edits: list[tuple[int, str]] = []
    found = statements(source)
    for number, statement in enumerate(found, first):
        head = statement.head
        if head is None:
            edits.append((lines[statement.position[0] - 1] + statement.position[1], f"_hit[{number}] = 1; "))
        else:
            edits.append((lines[head.lineno - 1] + head.col_offset, f"(_at({number}) or ("))
            edits.append((lines[(head.end_lineno or 0) - 1] + (head.end_col_offset or 0), "))"))
    if found:
        edits.append(_header(ast.parse(source), lines))
    for place, text in sorted(edits, key=lambda e: e[0], reverse=True):
        data = data[:place] + text.encode() + data[place:]
    ast.parse(data)
    return data.decode(), len(found)


def _header(tree: ast.Module, lines: list[int]) -> tuple[int, str]:
    """Where the import of the probes stands: behind the imports from the future, else before the first statement."""
    body = [n for n in tree.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
    future = [n for n in body if isinstance(n, ast.ImportFrom) and n.module == "__future__"]
    if future:
        return lines[(future[-1].end_lineno or 0) - 1] + (future[-1].end_col_offset or 0), f"; {_IMPORT}"
    simple = not isinstance(body[0], ast.FunctionDef | ast.ClassDef | ast.If | ast.For | ast.While | ast.With | ast.Try)
    place = min([body[0].lineno, *(d.lineno for d in getattr(body[0], "decorator_list", []))])
    return lines[place - 1], f"{_IMPORT}; " if simple else f"{_IMPORT}\n"


class Marks:
    """Probes planted into a tree, and the marks that tests leave.

    Parameters
    ----------
    root : Path
        A copy of the project, which gets probes.
    files : list of str
        Files below ``src`` with probes.
    """

    def __init__(self, root: Path, files: list[str]):
        self.path = root / "marks"
        self.names: list[str] = []
        for file in files:
            path = root / "src" / file
            source = path.read_text(encoding="utf-8")
            first = len(self.names)
            text, count = probed(source, first)
            path.write_text(text, encoding="utf-8")
            self.names += names(file, source).values()
            if len(self.names) != first + count:
                raise ValueError(f"{file}: two statements stand in one place")
        self.path.write_bytes(bytes(len(self.names) + 1))
        (root / "src" / "modeloom_probes.py").write_text(HELPER.format(variable=MARKS), encoding="utf-8")
        with self.path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)

    def choose(self) -> None:
        """The processes that are started from now on leave their marks here."""
        os.environ[MARKS] = str(self.path)

    def take(self) -> list[int]:
        """Numbers of the statements that ran since the last call."""
        found = np.flatnonzero(np.frombuffer(bytes(self._map), np.uint8)).tolist()
        self._map[:] = bytes(len(self._map))
        return found
