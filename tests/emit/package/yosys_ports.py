# SPDX-License-Identifier: Apache-2.0
"""The ports of a module as Yosys reads them: what the tests of the packages are compared with."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from pyosys import libyosys

from modeloom.emit.package import outside
from modeloom.product.folder import read_description

__all__ = ["ports_of"]


def ports_of(folder: Path) -> dict[str, tuple[str, int]]:
    """Direction and width of each port of the outermost module in the folder of a core."""
    seen = outside(read_description(folder))
    design = libyosys.Design()
    with tempfile.TemporaryDirectory() as work:
        path = Path(work) / "ports.json"
        for file in seen.verilog:
            libyosys.run_pass(f"read_verilog -sv {folder / file}", design)
        libyosys.run_pass(f"hierarchy -top {seen.top}", design)
        libyosys.run_pass(f"select {seen.top}", design)
        libyosys.run_pass(f"write_json -selected {path}", design)
        found = json.loads(path.read_text())["modules"][seen.top]["ports"]
    return {name: (port["direction"], len(port["bits"])) for name, port in found.items()}
