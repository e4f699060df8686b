# SPDX-License-Identifier: Apache-2.0
"""The page of the interface for users is that of the code."""

from __future__ import annotations

import re

import pytest
from tests.docs.user_interface import PAGE, page, tables

from modeloom.ciphers import description as request

TEXT = PAGE.read_text(encoding="utf-8")


def test_the_page_is_that_of_the_code() -> None:
    assert page(TEXT) == TEXT, "python -m tests.docs.user_interface writes the page"
    assert all(f"| {title} |" in TEXT and rows for title, rows in tables().items())


def test_a_changed_call_and_a_new_version_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = TEXT.replace("| `hardware(request)` |\n", "| `hardware(core)` |\n", 1)
    assert changed != TEXT and page(changed) == TEXT
    assert page(TEXT.replace("is version 2 of", "is version 1 of")) == TEXT


def test_each_changed_call_is_on_the_page() -> None:
    assert f"| {request.INTERFACE} |" in TEXT
    olds = {'"enc"': '"encrypt"', "`architecture`": "request.form", "`timing(core": "timing(request)", "`named(m, value)`": "named("}
    assert set(request.OLD_MEMBERS) == {"core", "architecture"} and set(request.OLD_DIRECTIONS) == {"enc", "dec"}
    for old, now in olds.items():
        row = next(line.split(" | ") for line in TEXT.splitlines() if re.match(r"\| \d", line) and old in line.split(" | ")[1])
        assert now in row[2]
