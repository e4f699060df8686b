# SPDX-License-Identifier: Apache-2.0
"""Runs the bench of a built core in a Verilog simulator."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from modeloom.emit.simulators import Simulator, simulator
from modeloom.emit.tools import CheckFailed, run
from modeloom.product.description import ASSERT_MACRO
from modeloom.product.folder import read_description

__all__ = ["run_bench"]


def run_bench(directory: str | Path, using: Simulator | None = None) -> dict[str, int]:
    """Runs the bench of a built core.

    Parameters
    ----------
    directory : str or path
        The folder of the core.
    using : Simulator, optional
        Icarus Verilog if it is installed, and otherwise Verilator.

    Returns
    -------
    dict
        The figures of the bench: ``sectors``, and ``cycles_per_sector``, ``interval``, ``latency``, ``latency_pins`` in cycles.

    Raises
    ------
    CheckFailed
        If the bench does not compile, finds an error, or finds other figures than ``core.json`` states.
    ToolMissing
        If there is no simulator.
    """
    description = read_description(directory)
    name, files = description.name, description.files
    chosen = using or simulator()
    here = Path(directory).resolve()
    with tempfile.TemporaryDirectory(prefix="modeloom-") as work:
        sources = [here / files.verilog, here / files.bench]
        status, output = run(chosen.build(f"{name}_tb", sources, Path(work), [ASSERT_MACRO]), Path(work))
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
