# SPDX-License-Identifier: Apache-2.0
"""Templates: every place is filled, and a value of several lines keeps the indentation of its place."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from modeloom.cores.sector.template import filled


@pytest.mark.parametrize("name", ["bench.sv", "rules.v"])
def test_places_are_filled(name: str) -> None:
    template = resources.files("modeloom.cores.sector").joinpath("templates", name).read_text(encoding="utf-8")
    places = set(re.findall(r"@(\w+)@", template))
    lines = template.splitlines()
    found = filled(name, {place: f"<{place}\n{place}>" for place in places})
    blocks = [(line[: len(line) - len(line.lstrip())], line.strip(" @")) for line in lines if re.fullmatch(r" *@\w+@", line)]
    assert len(blocks) >= 3 and all(indent for indent, _ in blocks)
    for indent, place in blocks:
        assert f"\n{indent}<{place}\n{indent}{place}>\n" in found
    assert filled(name, dict.fromkeys(places, 7)) == re.sub(r"@\w+@", "7", template), "numbers, too, and nothing else changes"


def test_a_place_without_a_value_is_an_error() -> None:
    with pytest.raises(KeyError, match="NAME"):
        filled("rules.v", {})
