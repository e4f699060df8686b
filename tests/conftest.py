# SPDX-License-Identifier: Apache-2.0
"""Golden files: ``expected/`` beside a test holds the texts that it expects; ``pytest --accept`` writes them anew."""

from __future__ import annotations

from collections.abc import Callable

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="write the golden files of the chosen tests instead of comparing")


@pytest.fixture
def expected(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """``expected(name, text)`` compares a text with ``expected/name`` beside the test."""

    def compare(name: str, text: str) -> None:
        path = request.path.parent / "expected" / name
        if request.config.getoption("--accept"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return
        assert path.is_file(), f"no golden file {path.name}: write it with pytest {request.path.name} --accept"
        assert text == path.read_text(encoding="utf-8"), f"{path.name} differs; is that meant? --accept"

    return compare
