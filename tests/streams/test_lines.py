# SPDX-License-Identifier: Apache-2.0
"""Operations of a stream mode come from lines of definitions, and never from those of who compiles it."""

from __future__ import annotations

import pytest

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.ir import graph as lines
from modeloom.modes import CCM, all_streams

FILES = {"", *(f"{name}.py" for name in ("words", "brw"))}
"""Files that operations may come from: the mode's own one, and those of functions for modes."""


@pytest.mark.parametrize("name", all_streams())
def test_every_line_is_one_of_a_definition(name: str) -> None:
    mode = all_streams()[name]()
    plan = compile_stream(mode, StreamOptions(keys="derived" if mode.derives() else "expand"), prove=False).plan
    assert plan.trace.text and {line.file for line in plan.trace.text} <= FILES


def test_the_lines_of_a_caller_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A walk that does not stop at the compiler takes lines of this file."""
    monkeypatch.setattr(lines, "TRACING", ("modeloom.",))
    plan = compile_stream(CCM(), StreamOptions(), prove=False).plan
    assert {line.file for line in plan.trace.text} - FILES
