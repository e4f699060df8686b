# SPDX-License-Identifier: Apache-2.0
"""The page of promises: each has a test or a command that exists, and a place that exists where it is said."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from modeloom.cli import cli

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "promises.md"


def rows(text: str) -> list[tuple[str, str, str]]:
    """Promise, where it is said, what holds it; without the heads of the tables."""
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.splitlines() if line.startswith("| ")]
    assert all(len(row) == 3 for row in cells)
    return [(row[0], row[1], row[2]) for row in cells if row[0] != "promise"]


def missing(promise: str, said: str, held: str) -> list[str]:
    """What a row names and is not there."""
    found, named = [], re.findall(r"`([^`]+)`", held)
    for name in named:
        if name.startswith("modeloom "):
            if name.removeprefix("modeloom ") not in cli.commands:
                found.append(name)
        else:
            file, _, test = name.partition("::")
            if not test.startswith("test_") or test not in collected(ROOT / file):
                found.append(name)
    if not any("::" in name for name in named):
        found.append(f"a test of: {promise}")
    for target, anchor in re.findall(r"\]\(([^)#]+)(?:#([^)]*))?\)", said):
        page = PAGE.parent / target
        if not page.is_file() or anchor and anchor not in anchors(page):
            found.append(f"{target}#{anchor}" if anchor else target)
    return found


def collected(file: Path) -> set[str]:
    """Names of the test functions that stand at the top of a file, which are those that pytest collects."""
    if not file.is_file() or not re.fullmatch(r"test_\w+\.py", file.name):
        return set()
    return {node.name for node in ast.parse(file.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)}


def anchors(page: Path) -> set[str]:
    """Headings of a page as links name them."""
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


PROMISES = rows(PAGE.read_text(encoding="utf-8"))


def test_there_are_promises_of_each_kind() -> None:
    assert len(PROMISES) >= 20
    text = PAGE.read_text(encoding="utf-8")
    assert all(rows(part) for part in text.split("\n## ")[1:])


@pytest.mark.parametrize(("promise", "said", "held"), PROMISES, ids=[str(n) for n in range(len(PROMISES))])
def test_what_holds_it_exists(promise: str, said: str, held: str) -> None:
    assert re.search(r"\]\(", said), promise
    assert missing(promise, said, held) == []


@pytest.mark.parametrize(
    ("said", "held", "found"),
    [
        ("[D](proof.md)", "`tests/docs/test_pages.py::test_licences`", "tests/docs/test_pages.py::test_licences"),
        ("[D](proof.md)", "`tests/docs/test_page.py::test_licence`", "tests/docs/test_page.py::test_licence"),
        ("[D](proof.md)", "`tests/docs/test_pages.py::test_licence`, `modeloom prove`", "modeloom prove"),
        ("[D](proof.md)", "`modeloom verify`", "a test of: it works"),
        ("[D](proofs.md)", "`tests/docs/test_pages.py::test_licence`", "proofs.md"),
        ("[D](proof.md#e-more)", "`tests/docs/test_pages.py::test_licence`", "proof.md#e-more"),
    ],
)
def test_what_does_not_exist_is_found(said: str, held: str, found: str) -> None:
    assert missing("it works", said, held) == [found]
