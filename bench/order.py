# SPDX-License-Identifier: Apache-2.0
"""Measures what it saves that associated data come after the text: cores of one round for four blocks, in both orders.

Run: python bench/order.py [--store] [--core NAME,...]                                               (from the folder of the project)

The whole core is flattened, because LUT-FF pairs do not add up across borders.  Its pipeline with the cipher, which has the state of a
message, is mapped alone, too.  One JSON object a row, as it comes.  ``--store`` puts each into ``baselines/order.json``;
``python tools/readme.py`` makes the table of docs/streams.md of them.  A core takes some minutes.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from modeloom.measure.area import measure_core, measure_part
from modeloom.product.folder import read_messages

sys.path.insert(0, str(Path(__file__).resolve().parent))

from stored_rows import measure_rows  # noqa: E402

STORED = Path(__file__).resolve().parents[1] / "baselines" / "order.json"

TARGET, PIPELINE = "xc7", "core.bus.pipeline"

SHARED = "--cipher-arch multistream --streams 4 --key-slots 1"

MODES = {"deoxys-i": "deoxys-i", "ocb3": "ocb3 --key-bits 128"}
"""The mode of each row, with options of its own."""

ORDERS = ("associated-first", "text-first")

CORES = {f"{name} {order}": (mode, order) for name, mode in MODES.items() for order in ORDERS}


def command(name: str) -> str:
    """The command that makes a core."""
    mode, order = CORES[name]
    return f"modeloom build {mode} {SHARED}" + (f" --order {order}" if order != ORDERS[0] else "")


def _figures(found: dict[str, Any]) -> dict[str, Any]:
    memories = found["memories"]
    return {
        "luts": found["luts"], "lutram_luts": memories["lutram_luts"], "srl_luts": memories["srl_luts"], "ffs": found["ffs"],
        "pairs": found["pairs"],
    }  # fmt: skip


def measured(name: str) -> dict[str, Any]:
    """A row: the whole core, its pipeline alone, and the cycles of a block and of what is done once for a message."""
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "core"
        build = [sys.executable, "-m", "modeloom.cli", *shlex.split(command(name))[1:], "-o", str(folder)]
        subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
        whole, part = measure_core(folder, TARGET, blocks=False), measure_part(folder, PIPELINE, TARGET)
        d = read_messages(folder)
    return {
        "core": name, "command": command(name), **_figures(whole), "levels": whole["levels"], "pipeline": _figures(part),
        "cycles_a_block": d.cycles.text, "cycles_of_tag": d.cycles.tag, "target": TARGET, "tools": whole["tools"],
    }  # fmt: skip


if __name__ == "__main__":
    measure_rows(__doc__, STORED, CORES, measured)
