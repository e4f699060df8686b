# SPDX-License-Identifier: Apache-2.0
"""The wide modes compiled, emitted and in simulation."""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from modeloom.compiler import Compiled, compile_mode
from modeloom.emit import emit
from modeloom.modes import find
from modeloom.options import Options
from modeloom.simulated import SimulatedCore

MODES = Path(__file__).with_name("wide_modes.py")
OPTIMIZE = 0
"""Of the C++ compiler: these cores simulate a few hundred cycles, so that building them is nearly all of the time."""

_FOLDER = Path(tempfile.mkdtemp(prefix="modeloom-wide-"))


@lru_cache(maxsize=16)
def compiled(name: str, **options: Any) -> Compiled:
    """A wide mode, named by its class, compiled and proved."""
    return compile_mode(find(f"{MODES}:{name}"), Options(**{"restarts": 20, **options}))


@lru_cache(maxsize=4)
def folder(name: str, **options: Any) -> Path:
    """The folder of its emitted core."""
    path = _FOLDER / "_".join([name, *(f"{key}{value}" for key, value in sorted(options.items()))])
    emit(compiled(name, **options), path, command="modeloom build (tests)")
    return path


def simulated(name: str, **options: Any) -> SimulatedCore:
    """Its simulation, fresh out of reset."""
    return SimulatedCore(folder(name, **options), optimize=OPTIMIZE)
