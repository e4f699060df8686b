# SPDX-License-Identifier: Apache-2.0
"""The command of the first screen: a disk image goes through a simulated core, and the independent reference gives its files back."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.built import slow

ROOT = Path(__file__).parents[2]


@slow
def test_the_files_come_back(tmp_path: Path) -> None:
    """The whole demonstration, as ``make demo`` runs it."""
    demo = [sys.executable, str(ROOT / "demo" / "disk_image.py")]
    done = subprocess.run(demo, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 files, " in done.stdout and " bytes: all back" in done.stdout
    made = tmp_path / "build" / "demo"
    plain, secret, back = (made / name for name in ("disk.img", "disk.hctr2", "disk.back.img"))
    assert back.read_bytes() == plain.read_bytes() != secret.read_bytes() and len(plain.read_bytes()) == 2 << 20
    # The core computes what its own figures say, and the last step has measured it.
    core = made / "core"
    stated = json.loads((core / "core.json").read_text())
    assert f"initiation interval {stated['explain']['ii']} (bound {stated['explain']['ii_bound']})" in " ".join(done.stdout.split())
    luts = json.loads((core / "synth_xc7.json").read_text())["luts"]
    assert luts > 10_000 and f"{luts} LUTs" in done.stdout and str(luts) in (core / "datasheet.html").read_text().replace(" ", "")
