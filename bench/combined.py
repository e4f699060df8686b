# SPDX-License-Identifier: Apache-2.0
"""LUTs of whole cores with one pipeline for both directions (``--cipher-arch combined``) beside the same cores with two pipelines.

Run: python bench/combined.py [--store] [CORE ...]      (5 to 20 minutes per core)

``--store`` writes the figures into ``baselines/combined.json``; ``tools/readme.py`` makes the table of docs/circuits.md from it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from modeloom.compiler.compile import compile_mode
from modeloom.cores.sector import SectorCore
from modeloom.emit import emit
from modeloom.measure.area import measure_core
from modeloom.modes import find
from modeloom.options.sectors import Options

STORED = Path(__file__).resolve().parents[1] / "baselines" / "combined.json"

CORES: dict[str, tuple[str, str]] = {
    f"{mode} {cipher}": (mode, cipher) for mode, cipher in (("xts", "aes"), ("heh-brw", "aes"), ("heh-brw", "sm4"))
}
"""Mode and cipher."""

SECTOR, STAGES, TARGET = 64, 1, "xc7"
FORMS = ("pipelined", "combined")


def command(mode: str, cipher: str, form: str) -> str:
    """How such a core is built."""
    return f"modeloom build {mode} --sector {SECTOR} --cipher {cipher} --cipher-stages {STAGES} --cipher-arch {form}"


def row_of(mode: str, cipher: str, form: str, figures: dict[str, Any]) -> dict[str, Any]:
    """What is stored of the figures of ``modeloom synth --json``."""
    kept = {name: figures[name] for name in ("luts", "ffs", "levels", "memories", "tools")}
    blocks = {name: block["luts"] for name, block in figures["blocks"].items()}
    return {
        "mode": mode, "cipher": cipher, "form": form, "target": figures["target"], "command": command(mode, cipher, form), **kept,
        "blocks": blocks,
    }  # fmt: skip


def measure(mode: str, cipher: str, form: str) -> dict[str, Any]:
    """Builds a core and maps it."""
    options = Options(sector=SECTOR, cipher=cipher, cipher_stages=STAGES, cipher_arch=form)
    with tempfile.TemporaryDirectory() as work:
        emit(SectorCore(compile_mode(find(mode, cipher=cipher), options)), Path(work) / "core", command=command(mode, cipher, form))
        return row_of(mode, cipher, form, measure_core(Path(work) / "core", TARGET))


def store(result: dict[str, Any]) -> None:
    """Puts the figures of a core among those that are stored."""
    known = json.loads(STORED.read_text()) if STORED.exists() else []
    rows = {(row["mode"], row["cipher"], row["form"]): row for row in [*known, result]}
    order = [(*names, form) for names in CORES.values() for form in FORMS]
    STORED.write_text("[\n" + ",\n".join(f" {json.dumps(rows[at])}" for at in order if at in rows) + "\n]\n")


def main() -> None:
    """Measures cores in both forms."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cores", nargs="*", metavar="CORE", default=list(CORES), help=f"of {', '.join(CORES)}")
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    for name in options.cores:
        if name not in CORES:
            parser.error(f"unknown core {name!r}; there are {', '.join(CORES)}")
    for name in options.cores:
        for form in FORMS:
            result = measure(*CORES[name], form)
            print(json.dumps(result), flush=True)
            if options.store:
                store(result)


if __name__ == "__main__":
    main()
