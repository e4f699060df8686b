# SPDX-License-Identifier: Apache-2.0
"""The contract of a core is typed, and stays so: read from the sources."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "modeloom"

ROOMS = (
    "cli", "compiler", "cores", "definition", "emit", "equivalence", "measure", "product", "prove", "report", "sim", "synth",
    "taint", "verification", "../modeloom_papers",
)  # fmt: skip

TYPED = ("compiled", "core", "description", "made", "d")
"""Names of parameters that are a compiled mode, a core, or what ``core.json`` says of one."""

READER = "product/folder.py"
"""The one file that reads ``core.json``."""



def untyped(tree: ast.AST) -> Iterator[str]:
    """Parameters of these names without a type, or with one that says nothing."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                said = ast.unparse(argument.annotation) if argument.annotation else ""
                if argument.arg in TYPED and (not said or "Any" in said):
                    yield f"{node.name}({argument.arg}: {said or 'nothing'})"


def subscripted(tree: ast.AST) -> Iterator[str]:
    """Descriptions that are asked by text: ``description["sizes"]``, ``subject.description.get("sizes")``, ``d["sizes"]``."""
    for node in ast.walk(tree):
        value: ast.AST | None = None
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            value = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop", "setdefault"):
            value = node.func.value
        name = value.id if isinstance(value, ast.Name) else value.attr if isinstance(value, ast.Attribute) else ""
        if name in ("description", "d"):
            yield ast.unparse(node)


def reads_core_json(tree: ast.AST) -> bool:
    """Whether a file name "core.json" is put behind a folder."""
    joined = (node.right for node in ast.walk(tree) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div))
    return any(isinstance(name, ast.Constant) and name.value == "core.json" for name in joined)


@pytest.mark.parametrize("room", ROOMS)
def test_cores_have_types(room: str) -> None:
    """Users of cores know their types: nothing is untyped, and only one file reads ``core.json``."""
    paths = sorted((PACKAGE / room).rglob("*.py"))
    assert paths
    for path in paths:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        where = str(path.relative_to(PACKAGE))
        assert not list(untyped(tree)), where
        assert not list(subscripted(tree)), where
        assert reads_core_json(tree) == (where == READER), where


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def f(compiled: Any): pass", ["f(compiled: Any)"]),
        ("def f(x, *, core): pass", ["f(core: nothing)"]),
        ("def f(description: dict[str, Any]): pass", ["f(description: dict[str, Any])"]),
        ("def f(description: SectorDescription, options: Any): pass", []),
    ],
)
def test_the_reader_of_types(text: str, found: list[str]) -> None:
    assert list(untyped(ast.parse(text))) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("description['sizes'][0]", ["description['sizes']"]),
        ("self.description['pins']['interval']", ["self.description['pins']"]),
        ("d['sizes']", ["d['sizes']"]),
        ("subject.description.get('sha256')", ["subject.description.get('sha256')"]),
        ("description.sizes[0].explain", []),
        ("figures['core']", []),
    ],
)
def test_the_reader_of_subscripts(text: str, found: list[str]) -> None:
    assert list(subscripted(ast.parse(text))) == found


def test_the_reader_of_files() -> None:
    assert reads_core_json(ast.parse("json.loads((Path(directory) / 'core.json').read_text())"))
    assert not reads_core_json(ast.parse("Path(directory) / description.files.description"))
