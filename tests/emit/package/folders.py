# SPDX-License-Identifier: Apache-2.0
"""The folders of a core of each kind, for the tests of the packages."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from tests import streamed
from tests.built import RUN_FOLDER, slowly
from tests.cores.lwc import core as lwc
from tests.emit import emitted

from modeloom.cores.front import front_of
from modeloom.emit import emit

__all__ = ["CASES", "folder"]

CASES = ["sectors", "registers", "apb", *slowly("messages", "lwc")]
"""A core for sectors, one with registers, one with registers behind APB, one for messages, and one behind the LWC interface."""

MESSAGES = {"key_bits": 128, "key_slots": 3, "cipher_arch": "multistream", "streams": 1}


def folder(kind: str) -> Path:
    """The folder of the core of a kind; tests read it and leave it as it is."""
    if kind == "sectors":
        return emitted.folder(emitted.SMALLEST)
    if kind == "messages":
        return streamed.folder("no-hash", prove=False, **MESSAGES)
    if kind == "lwc":
        return lwc.folder("no-hash", cipher_arch="multistream", streams=1, cipher_stages=None, mul_stages=0)
    path, bus = Path(os.environ[RUN_FOLDER]) / f"core-package-{kind}", None if kind == "registers" else kind
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.is_dir():
            emit(emitted.made(emitted.SMALLEST), path, command="modeloom build --front registers", front=front_of("registers", bus=bus))
    return path
