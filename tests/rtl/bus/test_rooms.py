# SPDX-License-Identifier: Apache-2.0
"""What every kind of core has does not know what only one kind has."""

from __future__ import annotations

import ast
from dataclasses import fields
from pathlib import Path

import pytest

from modeloom.rtl import bus
from modeloom.rtl.bus import DataParameters, KeyParameters
from modeloom.rtl.bus.sector import BufferParameters, BusParameters, SectorParameters

FOLDER = Path(bus.__file__).parent


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_shared_parts_know_no_sectors(path: Path) -> None:
    """Neither the folder of sectors, nor its tables, nor an engine."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert not [name for name in modules if name.split(".")[-1] == "sector" or ".sector" in name or "engine" in name or "cores" in name]


@pytest.mark.parametrize("part", [DataParameters, KeyParameters, SectorParameters, BufferParameters, BusParameters])
def test_parameters_are_of_one_kind(part: type) -> None:
    """Sizes of data, keys, sectors and buffers each stand by themselves; their sum has no number of its own."""
    assert len(fields(part)) <= 14
    if part is BusParameters:
        assert [field.name for field in fields(part)] == ["sectors", "buffers", "data", "keys"]
