# SPDX-License-Identifier: Apache-2.0
"""The arrows between the rooms of the compiler, and the packages beside it: what each may import, read from the sources."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "modeloom"

MAY_IMPORT: dict[str, set[str]] = {
    "cycles": set(),
    "front": {"interfaces"},
    "interfaces": set(),
    "spec": set(),
    "modes": {"spec"},
    "vectors": set(),
    "ciphers": {"rtl", "sim", "spec"},
    "ir": {"spec"},
    "definition": {"ciphers", "ir", "modes", "prove", "spec", "streams"},
    "schedule": {"cycles", "ir", "spec"},
    "allocate": {"cycles", "schedule", "ir", "spec"},
    "prove": {"allocate", "ir", "schedule", "spec"},
    "streams": {"ir", "prove", "spec"},
    "options": {"ciphers", "interfaces", "spec"},
    "compiler": {"allocate", "ciphers", "cycles", "definition", "ir", "options", "prove", "schedule", "spec", "streams"},
    "rtl": {"cycles", "interfaces", "spec"},
    "sim": {"rtl", "spec"},
    "synth": {"rtl", "spec"},
    "product": {"definition", "front", "interfaces", "modeloom_verilog", "protocol", "rtl", "sim", "spec"},
    "protocol": {"interfaces", "spec"},
    "layers": {"ciphers", "compiler", "cycles", "interfaces", "product", "protocol", "rtl", "spec", "streams"},
    "cores": {
        "allocate", "ciphers", "compiler", "cycles", "definition", "front", "interfaces", "ir", "layers", "modeloom_verilog", "modes",
        "options", "product", "protocol", "rtl", "spec", "streams", "taint",
    },
    "emit": {"front", "modeloom_verilog", "product", "sim", "spec"},
    "taint": {"interfaces", "sim", "product", "spec"},
    "equivalence": {
        "ciphers", "compiler", "interfaces", "ir", "layers", "product", "protocol", "prove", "rtl", "sim", "spec", "streams", "taint",
    },
    "modeloom_circuits": {"modeloom_golden", "rtl", "spec"},
    "modeloom_golden": set(),
    "modeloom_verilog": set(),
}
"""Rooms and packages with arrows.  ``schedule`` takes from ``spec`` the errors that a user can cause, ``rtl`` the fields."""

AT_THE_END = {"report", "measure", "modeloom_papers", "verification", "conformance", "sweep", "cli"}
"""Rooms that may import everything, and the package of the papers' tables."""

LOOSE = {"__init__", "version"}
"""Files that stand in no room."""

WITHOUT_AMARANTH = (
    "spec", "modes", "ir", "definition", "schedule", "allocate", "prove", "streams", "options", "compiler", "modeloom_golden", "cycles",
    "interfaces", "protocol",
)  # fmt: skip

WITHIN_RTL = {"engine": "allocate", "front": "front", "stream": "streams"}
"""What one part of ``rtl`` may import, and no other: the programs and the pipelines that it makes hardware of."""


def modules(room: str) -> list[Path]:
    """The sources of a room of the compiler, or of a package beside it."""
    return sorted((PACKAGE.parent / room if room.startswith(PACKAGE.name) else PACKAGE / room).rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    """Full names of the modules that a source imports, anywhere in it."""
    package = [*path.relative_to(PACKAGE.parent).parent.parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            name = ".".join(part for part in (base, node.module) if part)
            yield name
            yield from (f"{name}.{alias.name}" for alias in node.names)


def rooms_of(names: Iterator[str]) -> set[str]:
    """Rooms, files of the compiler itself, and packages beside it, among imported names."""
    parts = [name.split(".") for name in names if name.startswith("modeloom")]
    return {part[0] if part[0] != PACKAGE.name else part[1] for part in parts if len(part) > 1}


def test_every_room_is_known():
    """A new room gets its arrows above, or stands at the end of the way, where everything may be imported."""
    found = {path.parent.name for path in (*PACKAGE.glob("*/__init__.py"), *PACKAGE.parent.glob("*/__init__.py"))} - {PACKAGE.name}
    assert found == MAY_IMPORT.keys() | AT_THE_END


def test_nothing_lies_loose():
    assert {path.stem for path in PACKAGE.glob("*.py")} == LOOSE


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_arrows(room):
    for path in modules(room):
        allowed = MAY_IMPORT[room] | {room, "version"}
        allowed |= {other for part, other in WITHIN_RTL.items() if path.is_relative_to(PACKAGE / "rtl" / part)}
        others = rooms_of(imports(path)) - allowed
        assert not others, f"{path.relative_to(PACKAGE.parent)} imports {', '.join(sorted(others))}"


@pytest.mark.parametrize("room", WITHOUT_AMARANTH)
def test_no_hardware_before_rtl(room):
    for path in modules(room):
        roots = {name.split(".")[0] for name in imports(path)}
        assert not roots & {"amaranth", "pyosys"}, f"{path.relative_to(PACKAGE)} imports hardware tools"


def test_the_references_stand_alone():
    for path in modules("modeloom_golden"):
        assert rooms_of(imports(path)) <= {"modeloom_golden"}


def test_relative_imports_are_seen():
    """The reader of this test itself: ``rtl/bus`` imports its neighbours relatively."""
    names = set(imports(PACKAGE / "rtl" / "bus" / "sector" / "core.py"))
    assert "modeloom.rtl.bus.sector.parameters" in names and "amaranth.hdl" in names


def test_no_test_imports_another():
    """What several test files share stands in a file that is no test; in texts that a test runs, too."""
    root = Path(__file__).parent
    pattern = re.compile(r"^\s*(?:from tests\.(?:\w+\.)*test_\w+ import|import tests\.(?:\w+\.)*test_\w+)", re.M)
    assert pattern.search("from tests.a.test_b import c") and not pattern.search("from tests.a.b import c")
    assert [path.name for path in sorted(root.rglob("*.py")) if pattern.search(path.read_text(encoding="utf-8"))] == []
