# SPDX-License-Identifier: Apache-2.0
"""Docstrings of the sources are sentences: they are complete and short, and have no fragments behind a semicolon.

A line of a drawing or of a table is not a sentence.  Such a line has several blanks in a row or characters of a frame, or it is in a
literal block.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "src"

LONGEST = 40
"""Largest number of words of a sentence in the first paragraph of a docstring."""

FRAGMENT = re.compile(r"; (?:raises|see|only|then|of|in|with|without|for|from|under) .*")
"""A clause behind a semicolon that has no subject."""

DRAWN = re.compile(r"\S {3,}\S|[─│┌└▶]")
"""What only lines of drawings and tables have."""

FULL = 100
"""Number of characters of a line that has been filled.  If a paragraph ends with such a line, a line behind it may be lost."""

ENDS = set(".:;?!)]}\"`=")
"""Characters with which a filled line at the end of a paragraph may end."""


def indent(line: str) -> int:
    """The number of blanks at the beginning of a line."""
    return len(line) - len(line.lstrip())


def docstrings(text: str) -> Iterator[tuple[int, str]]:
    """The docstrings of modules, classes, functions and attributes, with their lines."""
    for node in ast.walk(ast.parse(text)):
        for statement in getattr(node, "body", None) if isinstance(getattr(node, "body", None), list) else ():
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str):
                yield statement.lineno, statement.value.value


ROOMS = {path.parent.name: path.parents[1] for place in ("modeloom/*", "modeloom_*") for path in SOURCES.glob(f"{place}/__init__.py")}
"""The folders with the rooms of the compiler, and with the packages beside it."""

NAMED = re.compile(r"`~?(?:modeloom\.)?([a-z_0-9]+(?:\.\w+)+)`")
"""A module, or what one has."""


def missing(docstring: str) -> Iterator[str]:
    """What a docstring names in a room or package, and what is no module there and no name in one."""
    for name in NAMED.findall(docstring):
        room, *rest = name.split(".")
        if room not in ROOMS:
            continue
        place = ROOMS[room]
        parts = [room, *rest]
        while parts and (place / parts[0] / "__init__.py").is_file():
            place /= parts.pop(0)
        file = place / f"{parts[0]}.py" if parts else place / "__init__.py"
        text = (file if file.is_file() else place / "__init__.py").read_text(encoding="utf-8")
        if not all(re.search(rf"\b{each}\b", text) for each in (parts[1:] if file.is_file() else parts)):
            yield name


def faults(docstring: str) -> Iterator[str]:
    """What is wrong with a docstring."""
    first = " ".join(docstring.strip().split("\n\n")[0].split())
    if first[-1:] not in {".", ":", "?", '"', "`"}:
        yield f"ends without a full stop: {first[-60:]}"
    for sentence in re.split(r"(?<=[.:;])\s", first):
        if len(sentence.split()) > LONGEST:
            yield f"a sentence of {len(sentence.split())} words: {sentence[:60]}"
    text, literal, _ = docstring.partition("::\n\n")
    lines = (text + literal).rstrip().splitlines()
    for number, line in enumerate(lines):
        if DRAWN.search(line):
            continue
        if match := FRAGMENT.search(line):
            yield f"a fragment: {match[0][:60]}"
        behind = lines[number + 1] if number + 1 < len(lines) else ""
        ends = not behind.strip() or (number > 0 and indent(behind) < indent(line))
        if ends and len(line) > FULL and line.rstrip()[-1] not in ENDS:
            yield f"the end of a sentence is lost: {line.strip()[-60:]}"


def test_docstrings_are_sentences():
    found = [
        f"{path.relative_to(SOURCES)}:{line}: {fault}"
        for path in sorted(SOURCES.rglob("*.py"))
        for line, docstring in docstrings(path.read_text(encoding="utf-8"))
        for fault in faults(docstring)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("docstring", "fault"),
    [
        ("The cycles of a sector", "ends without a full stop"),
        ("The width of a tag; raises ``ValueError`` if there is none.", "a fragment: ; raises"),
        ("The text; of a message with a wrong tag, too.", "a fragment: ; of"),
        (" ".join(["word"] * 41) + ".", "a sentence of 41 words"),
        (f"A part.\n\n    members\n        {' '.join(['word'] * 22)} and a\n    others\n", "the end of a sentence is lost"),
    ],
)
def test_a_fault_is_found(docstring: str, fault: str):
    assert any(each.startswith(fault) for each in faults(docstring))


def test_a_drawing_is_no_sentence():
    assert not list(faults("Two parts::\n\n    a ──▶ b; of c\n    d     e; of f\n"))


def test_docstrings_name_what_is_there():
    found = {}
    for path in sorted(SOURCES.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        comments = re.findall(r"^\s*#(.*)$", text, re.MULTILINE)
        if names := {name for each in (*(docstring for _, docstring in docstrings(text)), *comments) for name in missing(each)}:
            found[path.relative_to(SOURCES).as_posix()] = sorted(names)
    assert found == {}


def test_what_is_gone_is_found():
    text = "``streams.prove``, ``streams.gone``, ``modeloom_papers.gone``, "
    text += "``modeloom.spec.mode.Mode``, ``spec.mode.Gone``, ``spec`` and ``self.spec``"
    assert list(missing(text)) == ["streams.gone", "modeloom_papers.gone", "spec.mode.Gone"]
