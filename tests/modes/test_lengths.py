# SPDX-License-Identifier: Apache-2.0
"""A definition of a stream mode is short: its steps and what they share have at most 40 lines of code."""

from __future__ import annotations

import ast
import inspect
import textwrap

import pytest

from modeloom.modes import STREAMS

MOST = 40


def lines_of_steps(mode: type) -> int:
    """Lines of the methods of a class, without docstrings, comments and blank lines.  Names, sources and sizes are not counted."""
    text = textwrap.dedent(inspect.getsource(mode))
    lines = text.splitlines()
    (definition,) = ast.parse(text).body
    assert isinstance(definition, ast.ClassDef)
    found = 0
    for method in (node for node in definition.body if isinstance(node, ast.FunctionDef)):
        first = method.body[1 if ast.get_docstring(method) else 0].lineno
        counted = [method.lineno, *range(first, (method.end_lineno or first) + 1)]
        found += sum(bool(lines[at - 1].strip()) and not lines[at - 1].lstrip().startswith("#") for at in counted)
    return found


@pytest.mark.parametrize("mode", STREAMS, ids=lambda mode: mode.name)
def test_steps_of_a_definition(mode: type) -> None:
    assert lines_of_steps(mode) <= MOST


def test_lines_that_count() -> None:
    class Example:
        name = "example"

        def setup(self) -> int:
            """Not counted."""
            # Not counted.

            return 1

    assert lines_of_steps(Example) == 2
