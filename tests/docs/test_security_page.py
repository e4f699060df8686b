# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/security.md name every mode, and agree with what the definitions say about bounds and nonces."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

from modeloom.cores.described import MISUSE, NONCE, gives
from modeloom.modes import VARIANTS, all_modes, all_streams, find_any

PAGE = Path(__file__).parents[2] / "docs" / "security.md"

SECTORS = (*all_modes(), *(mode.name for mode in VARIANTS))

FORMS = {
    "σ²/2¹²⁸": "sigma^2/2^128",
    "2¹²⁸ in theory": "2^128 in theory",
    "the birthday bound otherwise": "the birthday bound otherwise",
}
"""What the page calls a bound, and what a definition calls it."""


@cache
def tables() -> list[list[list[str]]]:
    """The cells of the rows of both tables, without their heads."""
    text = PAGE.read_text(encoding="utf-8")
    parts = [text.split(f"### {title}\n")[1].split("\n#")[0] for title in ("Modes for sectors", "Modes for messages")]
    rows = [[line.strip("|").split(" | ") for line in part.splitlines() if line.startswith("| `")] for part in parts]
    return [[[cell.strip() for cell in row] for row in table] for table in rows]


def rows_of(name: str, table: list[list[str]]) -> list[int]:
    """The numbers of the rows that name a mode; `heh-…` stands for all that begin so."""
    named = [[each.replace("…", "*") for each in re.findall(r"`([^`]+)`", row[0])] for row in table]
    return [n for n, patterns in enumerate(named) if any(fnmatch(name, pattern) for pattern in patterns)]


def bounds(text: str) -> set[str]:
    """The bounds that a row of the page states, as definitions call them."""
    return {form for written, form in FORMS.items() if written in text}


@pytest.mark.parametrize("name", SECTORS)
def test_bound_of_a_mode_for_sectors(name: str) -> None:
    table = tables()[0]
    (row,) = rows_of(name, table)
    text, mode = table[row][1], find_any(name)
    assert mode.broken == text.startswith("**broken"), text
    while text.startswith("The same"):
        row -= 1
        text = table[row][1]
    stated = re.findall(r"(\S+)/2\^128", mode.security)
    assert stated == ["sigma^2"] * len(bounds(text)), (text, mode.security)


@pytest.mark.parametrize("name", all_streams())
def test_bound_and_nonces_of_a_mode_for_messages(name: str) -> None:
    table = tables()[1]
    (row,) = rows_of(name, table)
    _, bound, repeated, _ = table[row]
    security, sentences = find_any(name).security, gives(find_any(name))
    assert bounds(bound) == {form for form in FORMS.values() if form in security}, (bound, security)
    resists = repeated.startswith("Resistant to nonce misuse")
    assert resists == (MISUSE in sentences) == ("only which of them are equal" in security.replace("reveals only", "only"))
    assert resists != (NONCE in sentences) and resists != repeated.startswith("**Confidentiality")


def test_rows_name_modes_alone() -> None:
    for table, names in zip(tables(), (SECTORS, all_streams()), strict=True):
        for n in range(len(table)):
            assert any(n in rows_of(name, table) for name in names), table[n][0]
