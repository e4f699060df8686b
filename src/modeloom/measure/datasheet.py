# SPDX-License-Identifier: Apache-2.0
"""What ``modeloom datasheet`` puts into the page of a folder: the timing of a simulation, and the areas that ``modeloom synth`` stored.

::

    DIR/synth_TARGET.json ──┐  results of the Verilog in DIR; others are left out
    simulation of DIR ──────┴──▶ Measured ──▶ datasheet.html
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from modeloom.emit.html import Measured
from modeloom.emit.html.complete import check_page, complete
from modeloom.measure.waveform import record, waveform
from modeloom.product.description import Description
from modeloom.product.folder import read_description, verilog_of

__all__ = ["complete_datasheet", "measured_of", "store_result", "stored_results"]

PREFIX = "synth_"
"""What the names of files with results begin with."""

KEPT = (
    "design", "device", "command", "tools", "luts", "area", "ffs", "memories", "levels", "clock_mhz", "blocks", "blocks_total", "core",
)  # fmt: skip
"""The parts of a result that the page has."""


def result_name(target: str) -> str:
    """The name of the file with the result for a target."""
    return f"{PREFIX}{re.sub(r'[^A-Za-z0-9]+', '_', target).strip('_')}.json"


def store_result(directory: str | Path, target: str, result: Mapping[str, object]) -> Path:
    """Stores a result of ``measure_core`` in the folder, with the hash of the Verilog that it belongs to.  Raises ``OSError``."""
    folder = Path(directory)
    path = folder / result_name(target)
    content = {**result, "verilog_sha256": _verilog_hash(folder)}
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    partial.replace(path)
    return path


def _verilog_hash(folder: Path) -> str:
    return hashlib.sha256(verilog_of(folder, read_description(folder)).read_bytes()).hexdigest()


def stored_results(directory: str | Path) -> tuple[list[dict[str, object]], list[str]]:
    """The results for the Verilog of a folder in the order of their names, and the names of files with results for another one."""
    folder = Path(directory)
    wanted = _verilog_hash(folder)
    found, others = [], []
    for path in sorted(folder.glob(f"{PREFIX}*.json")):
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            matches = content["verilog_sha256"] == wanted
        except (OSError, ValueError, KeyError, TypeError):
            matches = False
        if matches:
            found.append({name: content[name] for name in KEPT if name in content})
        else:
            others.append(path.name)
    return found, others


def measured_of(
    directory: str | Path, description: Description, *, optimize: int = 0, library: Path | None = None,
    areas: Sequence[Mapping[str, object]] = (),
) -> Measured:
    """Simulates the core, and puts areas beside its timing."""
    recording = record(directory, optimize=optimize, library=library)
    return Measured(waveform(recording, description.interfaces, description.name), areas)


def complete_datasheet(directory: str | Path, *, optimize: int = 0) -> tuple[Path, int, list[str]]:
    """Writes the page of a folder anew.  Returns its path, the number of areas in it, and files with results of other Verilog.

    Raises ``InputError`` if the folder holds no core, or files that are not those of its build, and ``BuildError`` if the simulation
    cannot be built.
    """
    description = check_page(directory)
    areas, others = stored_results(directory)
    measured = measured_of(directory, description, optimize=optimize, areas=tuple(areas))
    return complete(directory, measured), len(areas), others
