# SPDX-License-Identifier: Apache-2.0
"""Runs the bench of a built core with Icarus Verilog."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from modeloom.emit.tools import CheckFailed, require, run
from modeloom.product.description import ASSERT_MACRO
from modeloom.product.folder import read_description

__all__ = ["run_bench"]


def run_bench(directory: str | Path) -> dict[str, int]:
    """Runs the bench of a built core with Icarus Verilog.

    Returns
    -------
    dict
        The figures of the bench: ``sectors``, and ``cycles_per_sector``, ``interval``, ``latency``, ``latency_pins`` in cycles.

    Raises
    ------
    CheckFailed
        If the bench does not compile, finds an error, or finds other figures than ``core.json`` states.
    ToolMissing
        If Icarus Verilog is not installed.
    """
    description = read_description(directory)
    name, files = description.name, description.files
    compiler, simulator = require("iverilog"), require("vvp")
    here = Path(directory).resolve()
    with tempfile.TemporaryDirectory(prefix="modeloom-") as work:
        program = str(Path(work) / "bench.vvp")
        sources = [str(here / files.verilog), str(here / files.bench)]
        status, output = run([compiler, "-g2012", f"-D{ASSERT_MACRO}", "-s", f"{name}_tb", "-o", program, *sources], Path(work))
        if status:
            lines = [line for line in output.splitlines() if "error" in line.lower()] or output.splitlines() or ["no message"]
            raise CheckFailed(f"iverilog: {lines[0].replace(str(here) + '/', '')}")
        status, output = run([simulator, "-n", program], Path(work))
    lines = [line for line in output.splitlines() if line.startswith("modeloom-bench: ")]
    last = lines[-1] if lines else "modeloom-bench: FAIL: the bench did not end"
    if status or not last.startswith(f"modeloom-bench: {name} ok "):
        # An error that the assertions of the core report is the cause of the errors in the bench.
        broken = [line.removeprefix("modeloom-assert: ") for line in output.splitlines() if line.startswith("modeloom-assert: error")]
        first = broken[0] if broken else lines[0].removeprefix("modeloom-bench: ") if len(lines) > 1 else ""
        raise CheckFailed(last.removeprefix("modeloom-bench: ") + (f"; first: {first}" if first else ""))
    figures = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", last)}
    for key, wanted in description.bench_figures.items():
        if figures.get(key) != wanted:
            raise CheckFailed(f"the bench measures {key}={figures.get(key)}, core.json states {wanted}")
    return figures
