# SPDX-License-Identifier: Apache-2.0
"""Checks of a front end for the tests of this folder, and copies of its files with a fault that a check must find."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from modeloom.product.core import Core
from modeloom.product.folder import read_description
from modeloom.verification.front import front_steps
from modeloom.verification.steps import changed_files, today


def compare_files(core: Core, folder: Path) -> None:
    """``verify`` makes the files of ``core.json``, and compares them byte for byte."""
    d = read_description(folder)
    for file, text in today(core, d).items():
        assert (folder / file).read_text(encoding="utf-8") == text, file
    assert not changed_files(folder, d)


def figures_of(work: Any) -> dict[str, dict[str, Any]]:
    """Runs all checks of a front end, which must pass.  Their figures, by name."""
    return {step.name: step.figures for step in (make() for make in front_steps(work))}


def changed(folder: Path, path: Path, pattern: str, other: str, module: str = "") -> Path:
    """A copy of a folder with a fault in the Verilog of its front end: in the module whose name ends so, or in any."""
    shutil.copytree(folder, path)
    verilog = path / read_description(path).front.verilog
    text = verilog.read_text()
    found = re.search(rf"(?ms)^module \w*{module} \(.*?^endmodule" if module else "(?s).*", text)
    assert found, module
    body, count = re.subn(pattern, other, found[0], count=1)
    assert count, pattern
    verilog.write_text(text[: found.start()] + body + text[found.end() :])
    return path
