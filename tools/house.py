#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how the sources are built: lines, files, conditions on features, long functions, types left open, circles of imports.

Run: python tools/house.py [--json] [--list MEASURE]

``tests/test_house.py`` holds each figure to its limit.  ``--list`` prints the places that a measure counts, one a line.

A feature is what a user chooses of a core for messages, or what a mode has that others have not, by the names that the sources use for
it.  A condition on a feature is an ``if``, a conditional expression, a comprehension with ``if``, a ``while``, an ``assert`` or a branch
of hardware (``m.If``, ``Mux``) whose test reads such a name, outside of the folders that are the feature's own.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from radon.complexity import cc_visit_ast

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src"

COMPILER = "modeloom/"
"""The folder of the compiler.  Those beside it are the references, the catalogue of circuits, the tables of the papers, and the writer of
Verilog."""

FEATURES: dict[str, tuple[str, ...]] = {
    # The names of a feature, with the folders that are its own in place of the dots of a name.
    "hold": ("rtl/stream/hold", "layers/hold"),
    "message_buffer": ("layers/buffer",), "buffered": ("layers/buffer",),
    "stores": ("layers/buffer",),
    "channels": (), "wire": ("rtl/stream/wire", "layers/wire"), "packet": ("rtl/stream/wire", "layers/wire"),
    "lwc": ("cores/lwc", "verification/lwc", "equivalence/lwc", "layers/lwc"),
    "interface": ("cores/lwc", "layers/lwc"), "interface_bits": ("cores/lwc", "layers/lwc"),
    "inline": ("rtl/stream/inline", "layers/inline"), "in_order": ("rtl/stream/inline", "layers/inline"),
    "derived": ("layers/derived",), "derives": ("layers/derived",),
    "key_derivers": ("layers/derived",), "expanded": ("layers/expanded",), "keys": (),
    "text_first": (), "order": (), "chained": (), "two_passes": (), "pairs": (), "returning": (), "runs_ahead": (), "follows": (),
    "cadence": (), "multistream": (), "streams": (), "lanes": (), "blocks_per_cycle": (), "one_direction": (), "direction": (),
    "lengths_first": (), "more_key_bits": (), "key_schedule": (), "states_text": (),
}  # fmt: skip

COMPLEX, LONG = 25, 60
"""The complexity of McCabe and the number of lines from which a function counts."""


@dataclass(frozen=True)
class Measure:
    """A figure, and the most that it may be in the end."""

    name: str
    about: str
    limit: int
    places: Callable[[], list[str]]


@dataclass(frozen=True)
class Source:
    """A file of the sources."""

    path: str
    text: str
    tree: ast.Module
    nodes: tuple[ast.AST, ...]
    """All nodes of the tree."""

    @property
    def room(self) -> str:
        """The path below the folder of the compiler."""
        return self.path.removeprefix(COMPILER)


@cache
def sources() -> tuple[Source, ...]:
    """All Python files."""
    found = []
    for path in sorted(SOURCES.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        found.append(Source(path.relative_to(SOURCES).as_posix(), text, tree, tuple(ast.walk(tree))))
    return tuple(found)


def lines() -> list[str]:
    """The lines of the compiler."""
    return [f"{one.path}:{n}" for one in sources() if one.path.startswith(COMPILER) for n in range(1, one.text.count("\n") + 1)]


def files() -> list[str]:
    """All files."""
    return [one.path for one in sources()]


def feature_tests() -> list[str]:
    """Conditions on features outside of the folders of the feature."""
    found = []
    for one in sources():
        for test in _tests(one.nodes):
            names = {name for name in _names(test) if name in FEATURES and not one.room.startswith(FEATURES[name] or ("//",))}
            if names:
                found.append(f"{one.path}:{test.lineno} {', '.join(sorted(names))}")
    return found


def _tests(nodes: Iterable[ast.AST]) -> Iterator[ast.expr]:
    """The tests of all conditions, in software and in hardware."""
    for node in nodes:
        if isinstance(node, ast.If | ast.IfExp | ast.While | ast.Assert):
            yield node.test
        elif isinstance(node, ast.comprehension):
            yield from node.ifs
        elif isinstance(node, ast.Call) and node.args:
            called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id if isinstance(node.func, ast.Name) else ""
            if called in ("If", "Elif", "Mux"):
                yield node.args[0]


def _names(test: ast.expr) -> Iterator[str]:
    for node in ast.walk(test):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Name):
            yield node.id


def complex_functions() -> list[str]:
    """Functions that branch too often, as radon counts: it counts ``and``, ``or`` and comprehensions, too."""
    return [
        f"{one.path}:{block.lineno} {block.fullname}: {block.complexity}" for one in sources() for block in cc_visit_ast(one.tree)
        if block.letter != "C" and block.complexity > COMPLEX
    ]  # fmt: skip


def long_functions() -> list[str]:
    """Long functions without a docstring."""
    return [
        f"{one.path}:{node.lineno} {node.name}: {length} lines"
        for one in sources() for node in one.nodes
        if isinstance(node, ast.FunctionDef) and (length := (node.end_lineno or 0) - node.lineno + 1) > LONG and not ast.get_docstring(node)
    ]  # fmt: skip


def open_types() -> list[str]:
    """Places that name the type ``Any``."""
    return [
        f"{one.path}:{node.lineno}" for one in sources() for node in one.nodes if isinstance(node, ast.Name) and node.id == "Any"
    ]


def ignored_types() -> list[str]:
    """Comments that silence the checker of types."""
    return [
        f"{one.path}:{token.start[0]}" for one in sources() if "type: ignore" in one.text
        for token in tokenize.generate_tokens(io.StringIO(one.text).readline)
        if token.type == tokenize.COMMENT and re.search(r"type: ignore", token.string)
    ]  # fmt: skip


def circles() -> list[str]:
    """Imports inside of functions that would be a circle at the top of their files."""
    modules = {_module(one.path): one for one in sources()}
    top: dict[str, set[str]] = {}
    late: list[tuple[str, str, int]] = []
    for name, one in modules.items():
        top[name] = set()
        for node, inside in _imports(one.tree):
            for target in _targets(node, modules):
                if inside:
                    late.append((name, target, node.lineno))
                else:
                    top[name].add(target)
    everything = {name: targets | {target for source, target, _ in late if source == name} for name, targets in top.items()}
    reached = {name: _reached(name, everything) for name in everything}
    return [f"{modules[source].path}:{line} {target}" for source, target, line in late if source in reached[target]]


def _module(path: str) -> str:
    return ".".join(Path(path).with_suffix("").parts).removesuffix(".__init__")


def _imports(tree: ast.Module) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Imports, each with whether it stands in a function.  Those for the checker of types alone are left out."""

    def walk(node: ast.AST, inside: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in _names(child.test):
                continue
            if isinstance(child, ast.Import | ast.ImportFrom):
                yield child, inside
            yield from walk(child, inside or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda))

    return walk(tree, False)


def _targets(node: ast.Import | ast.ImportFrom, modules: dict[str, Source]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in modules)
        return
    for alias in node.names:
        whole = f"{node.module}.{alias.name}"
        if whole in modules:
            yield whole
        elif node.module in modules:
            yield node.module


def _reached(start: str, graph: dict[str, set[str]]) -> set[str]:
    found, rest = set[str](), [start]
    while rest:
        for target in graph.get(rest.pop(), ()):
            if target not in found:
                found.add(target)
                rest.append(target)
    return found


MEASURES = (
    Measure("lines", "lines of the compiler, without the packages beside it", 68_000, lines),
    Measure("files", "Python files", 420, files),
    Measure("feature tests", "conditions on features outside of the feature's folder", 99, feature_tests),
    Measure("complex functions", f"functions with a complexity above {COMPLEX}", 9, complex_functions),
    Measure("long functions", f"functions above {LONG} lines without a docstring", 14, long_functions),
    Measure("open types", "places with Any", 249, open_types),
    Measure("ignored types", "comments with type: ignore", 39, ignored_types),
    Measure("circles", "late imports that hide a circle", 0, circles),
)  # fmt: skip


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--list", choices=[one.name for one in MEASURES], metavar="MEASURE", help="print what a measure counts")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(next(one for one in MEASURES if one.name == arguments.list).places()))
        return
    found = {one.name: len(one.places()) for one in MEASURES}
    if arguments.json:
        print(json.dumps(found, indent=1))
        return
    for one in MEASURES:
        print(f"{found[one.name]:>7}  of at most {one.limit:>6}  {one.about}")


if __name__ == "__main__":
    main()
