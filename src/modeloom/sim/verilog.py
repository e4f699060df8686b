# SPDX-License-Identifier: Apache-2.0
"""Reads emitted Verilog back into RTLIL.  Simulations and measurements therefore use the emitted files."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

from modeloom.sim.build import BuildError, cache_directory

__all__ = ["verilog_to_rtlil"]

_SCRIPT = """
import sys
from pyosys import libyosys as ys
design = ys.Design()
ys.run_pass("read_verilog -sv " + sys.argv[1], design)  # "tee -q" would keep its errors to itself
ys.run_pass("hierarchy -check -top " + sys.argv[2], design)
ys.run_pass("tee -q proc -noopt", design)
ys.run_pass("tee -q opt_clean", design)
ys.run_pass("tee -q write_rtlil " + sys.argv[3], design)
"""


_HEAD = re.compile(rb"\A(?:[ \t]*//[^\n]*\n|[ \t]*\n)+")
"""The comment at the head of a file."""


def verilog_to_rtlil(path: Path, top: str, *others: Path) -> str:
    """RTLIL text of a Verilog file, and of others behind it, cached by their contents.  Raises ``BuildError`` if Yosys refuses it.

    Two files that differ only in the comment at their head give the same text, because this comment has the command line.
    """
    text = _HEAD.sub(lambda head: b"\n" * head[0].count(b"\n"), path.read_bytes())
    text = b"\n".join([text, *(other.read_bytes() for other in others)])
    key = hashlib.sha256(text + top.encode() + metadata.version("pyosys").encode() + _SCRIPT.encode()).hexdigest()[:32]
    cached = cache_directory() / f"{key}.il"
    if cached.exists():
        return cached.read_text()
    cached.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cached.parent, prefix="tmp-") as work:
        source, result = Path(work) / "core.v", Path(work) / "core.il"
        source.write_bytes(text)
        run = subprocess.run(
            [sys.executable, "-P", "-c", _SCRIPT, source.name, top, result.name], cwd=work, capture_output=True, text=True, check=False
        )  # names in the RTLIL contain the path of the file, so it must always be the same
        if run.returncode or not result.exists():
            lines = [line for line in (run.stdout + run.stderr).splitlines() if line.strip()] or ["no message"]
            reason = next((line for line in lines if "ERROR" in line), lines[-1])
            raise BuildError(f"Yosys cannot read {path.name}: {reason.replace(source.name, path.name)}")
        os.replace(result, cached)
    return cached.read_text()
