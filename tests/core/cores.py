# SPDX-License-Identifier: Apache-2.0
"""Emitted cores for the tests, one folder for each set of options; the simulations are cached by their contents."""

from __future__ import annotations

import os
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from modeloom.compiler import Compiled, compile_mode
from modeloom.emit import emit
from modeloom.modes import find
from modeloom.options import preset
from modeloom.simulated import SimulatedCore

SMALL: dict[str, Any] = {"sector": 64, "more_sectors": (40, 96), "key_slots": 3}
"""An HCTR2 core that several files test, so that it is built once: three sizes, one with a partial block, and three key slots."""

SLOW = bool(os.environ.get("MODELOOM_SLOW"))
"""Whether the cores that take long to build are tested, too."""

_FOLDER = Path(tempfile.mkdtemp(prefix="modeloom-cores-"))


@lru_cache(maxsize=32)
def compiled(mode: str, base: str = "default", **changes: Any) -> Compiled:
    """A compiled and proved mode."""
    return compile_mode(find(mode), preset(base).but(**changes))


@lru_cache(maxsize=32)
def folder(mode: str, base: str = "default", **changes: Any) -> Path:
    """The folder of an emitted core."""
    name = "_".join([mode.replace("-", "_"), base.replace("-", "_"), *(f"{k}{v}" for k, v in sorted(changes.items()))])
    path = _FOLDER / f"{name}_{os.getpid()}"
    shutil.rmtree(path, ignore_errors=True)
    emit(compiled(mode, base, **changes), path, command="modeloom build (tests)")
    return path


def simulated(
    mode: str, base: str = "default", *, seed: int = 0, gaps: dict[str, float] | None = None, optimize: int = 0, **changes: Any
) -> SimulatedCore:
    """A simulated core, fresh out of reset; ``optimize`` 0, as building a core takes longer than its few thousand cycles."""
    return SimulatedCore(folder(mode, base, **changes), seed=seed, gaps=gaps, optimize=optimize)
