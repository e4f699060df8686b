# SPDX-License-Identifier: Apache-2.0
"""Cores behind the LWC interface for the tests: each is emitted once for a whole run."""

from __future__ import annotations

import fcntl
import hashlib
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from tests.built import RUN_FOLDER
from tests.streamed import COMMAND, compiled

from modeloom.cores.lwc import LwcCore
from modeloom.emit import emit
from modeloom.verification.lwc import LwcSubject

SMALL: dict[str, Any] = {"key_bits": 128, "cipher_stages": 1, "mul_stages": 1, "interface": "lwc"}


def made(mode: str = "gcm", **options: Any) -> LwcCore:
    """A core that has not been emitted."""
    return LwcCore(compiled(mode, prove=False, **{**SMALL, **options}))


def folder(mode: str = "gcm", **options: Any) -> Path:
    """The folder of an emitted core; tests read it and leave it as it is."""
    run = Path(os.environ[RUN_FOLDER])
    key = hashlib.sha256(repr(("lwc", mode, sorted(options.items()))).encode()).hexdigest()[:16]
    path = run / f"core-{key}"
    with (run / f"core-{key}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.is_dir():
            emit(made(mode, **options), path, command=COMMAND)
    return path


@lru_cache(maxsize=8)
def subject(mode: str = "gcm", **options: Any) -> LwcSubject:
    """A core under test, which is built in little time and runs in more."""
    return LwcSubject(folder(mode, **options), optimize=0)
