# SPDX-License-Identifier: Apache-2.0
"""Cores for the tests: each is emitted once for a whole run, whatever tests and processes ask for it, and so is its simulation."""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from modeloom.compiler.compile import Compiled, compile_mode
from modeloom.cores.sector import SectorCore
from modeloom.emit import emit, files
from modeloom.modes import find
from modeloom.options.sectors import preset
from modeloom.product.simulated import SimulatedCore

COMMAND = "modeloom build (tests)"

RUN_FOLDER = "MODELOOM_TEST_RUN"
"""Environment variable with the folder of this run of the tests (``tests/conftest.py``)."""

slow = pytest.mark.slow
"""Marks tests that take long: they run with ``--slow`` alone (``tests/shards.py``)."""


def slowly(*cases: Any) -> list[Any]:
    """Cases of ``parametrize`` that take long; a tuple is the values of several arguments."""
    return [pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=slow) for case in cases]


SMALL: dict[str, Any] = {"sector": 64, "more_sectors": (40, 96), "key_slots": 3, "cipher_arch": "multistream", "streams": 1}
"""An HCTR2 core that several files test: three sizes, one with a partial block, and three key slots.  Its AES core has one round, because
a simulation of all rounds takes twice as long to build."""

SEQUENTIAL: dict[str, Any] = {
    "sector": 64, "cipher_arch": "sequential", "cipher_sbox": "bram", "cipher_stages": 1, "key_slots": 2, "restarts": 50,
}  # fmt: skip
"""An HCTR2 core with one sequential AES core for both directions, S-boxes in block memories."""


@lru_cache(maxsize=64)
def compiled(mode: str, base: str = "default", *, prove: bool = True, **changes: Any) -> Compiled:
    """A compiled mode, proved if not told otherwise."""
    return compile_mode(find(mode), preset(base).but(**changes), prove=prove)


def folder(mode: str, base: str = "default", *, prove: bool = True, **changes: Any) -> Path:
    """The folder of an emitted core; tests read it and leave it as it is."""
    run = Path(os.environ[RUN_FOLDER])
    key = hashlib.sha256(repr((mode, base, prove, sorted(changes.items()))).encode()).hexdigest()[:16]
    path = run / f"core-{key}"
    with (run / f"core-{key}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.is_dir():
            emit(SectorCore(compiled(mode, base, prove=prove, **changes)), path, command=COMMAND)
    return path


def simulated(
    mode: str, base: str = "default", *, seed: int = 0, gaps: dict[str, float] | None = None, optimize: int = 0, **changes: Any
) -> SimulatedCore:
    """A simulated core, fresh out of reset; ``optimize`` 0, as building a core takes longer than its few thousand cycles."""
    return SimulatedCore(folder(mode, base, **changes), seed=seed, gaps=gaps, optimize=optimize)


@contextmanager
def hollow() -> Iterator[None]:
    """Emission without the modules below the top, for tests of the other files of a folder: it takes a fraction of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "core_verilog", lambda core, description, memories: f"module {description.name};\nendmodule\n")
        yield
