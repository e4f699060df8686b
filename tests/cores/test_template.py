# SPDX-License-Identifier: Apache-2.0
"""Templates: every place is filled, and a value of several lines keeps the indentation of its place."""

from __future__ import annotations

import re

import pytest

from modeloom.cores.bench_text import filled, template


@pytest.mark.parametrize("name", ["bench.sv", "rules.v"])
@pytest.mark.parametrize("package", ["modeloom.cores.sector"])
def test_places_are_filled(package: str, name: str) -> None:
    text = template(package, name)
    assert "@include" not in text
    places = set(re.findall(r"@(\w+)@", text))
    lines = text.splitlines()
    found = filled(package, name, {place: f"<{place}\n{place}>" for place in places})
    blocks = [(line[: len(line) - len(line.lstrip())], line.strip(" @")) for line in lines if re.fullmatch(r" *@\w+@", line)]
    assert len(blocks) >= 3 and all(indent for indent, _ in blocks)
    for indent, place in blocks:
        assert f"\n{indent}<{place}\n{indent}{place}>\n" in found
    assert filled(package, name, dict.fromkeys(places, 7)) == re.sub(r"@\w+@", "7", text), "numbers, too, and nothing else changes"


def test_a_place_without_a_value_is_an_error() -> None:
    with pytest.raises(KeyError, match="NAME"):
        filled("modeloom.cores.sector", "rules.v", {})
