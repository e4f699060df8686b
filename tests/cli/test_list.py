# SPDX-License-Identifier: Apache-2.0
"""``modeloom list``."""

import json
import subprocess
import sys

from modeloom.modes import BUILT_IN


def test_json_has_the_members_of_the_contract(run):
    result = run("list", "--json")
    assert result.status == 0 and not result.err
    listed = json.loads(result.out)
    assert listed["schema"] == "modeloom-list-1"
    entries = {entry["name"]: entry for entry in listed["entries"]}
    assert {mode.name for mode in BUILT_IN} <= entries.keys()
    for entry in entries.values():
        assert {"name", "source", "directions", "field", "vectors"} <= entry.keys()
        assert entry["directions"] == (["encrypt", "decrypt"] if entry["kind"] in ("mode", "stream") else [])
    assert entries["hctr2"]["field"] == "polyval" and entries["hctr2"]["vectors"] > 0
    assert entries["hctr2"]["cipher"] == "aes"
    assert entries["heh-brw"]["key"] == ["cipher", "h"]


def test_text_has_a_line_for_each_mode(run):
    result = run("list")
    lines = result.out[: result.out.index("\n\n")].splitlines()
    assert result.status == 0 and lines[0].split() == ["name", "directions", "sector,", "bytes", "field", "vectors", "source"]
    assert [line.split()[0] for line in lines[1:]] == sorted(line.split()[0] for line in lines[1:])
    for mode in BUILT_IN:
        assert any(line.startswith(f"{mode.name} ") and line.endswith(mode.source) for line in lines)


def test_list_loads_nothing_heavy():
    """Amaranth and the references it loads: circuits stand beside their components and models."""
    script = """
import sys
from modeloom.cli import main
try:
    main(["list"])
except SystemExit as stop:
    heavy = [name for name in ("numpy", "ortools", "pyosys", "rich") if name in sys.modules]
    sys.exit(f"list imports {heavy}" if heavy else stop.code)
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=_environment(), check=False)
    assert result.returncode == 0, result.stderr


def _environment() -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
