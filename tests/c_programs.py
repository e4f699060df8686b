# SPDX-License-Identifier: Apache-2.0
"""Compiles C for the tests with the C++ compiler that modeloom needs anyway, with all warnings as errors."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from modeloom.sim.build import compiler

FLAGS = ("-x", "c", "-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fPIC", "-c")


def compile_c(output: Path, sources: Sequence[Path], includes: Sequence[Path] = (), shared: bool = False) -> Path:
    """A program, or a shared library, of sources in C11."""
    objects = []
    for source in sources:
        objects.append(output.with_name(f"{source.stem}.o"))
        command = [*compiler(), *FLAGS, *(f"-I{folder}" for folder in includes), str(source), "-o", objects[-1]]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    subprocess.run([*compiler(), *(["-shared"] if shared else []), *objects, "-o", output], check=True)
    return output
