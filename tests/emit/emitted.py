# SPDX-License-Identifier: Apache-2.0
"""Small cores for the tests of emission, each emitted once."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from modeloom.compiler import Compiled, compile_mode
from modeloom.emit import emit
from modeloom.modes import find
from modeloom.options import Options

COMMAND = "modeloom build (tests)"

_FOLDER = Path(tempfile.mkdtemp(prefix="modeloom-emit-"))
atexit.register(shutil.rmtree, _FOLDER, ignore_errors=True)

PARTIAL: tuple[str, dict[str, Any]] = ("hctr2", {"sector": 40})
"""Both directions, a partial last block, two equal multipliers."""

PLAIN: tuple[str, dict[str, Any]] = ("heh-brw", {"sector": 32, "direction": "encrypt", "overlap": False})
"""One direction, sectors one after the other."""

SLOTS: tuple[str, dict[str, Any]] = ("heh-brw", {"sector": 48, "direction": "encrypt", "key_slots": 3, "key_bits": 192})
"""Slots that are no power of two, a key that ends in the middle of a beat."""


@lru_cache
def compiled(mode: str, items: tuple[tuple[str, Any], ...]) -> Compiled:
    """A core with one register a round and a short search, not proved."""
    return compile_mode(find(mode), Options(**{"aes_stages": 1, "restarts": 50, **dict(items)}), prove=False)


def core(choice: tuple[str, dict[str, Any]]) -> Compiled:
    """The compiled core of a choice."""
    return compiled(choice[0], tuple(sorted(choice[1].items())))


@lru_cache
def _folder(mode: str, items: tuple[tuple[str, Any], ...]) -> Path:
    path = _FOLDER / f"{mode}_{len(os.listdir(_FOLDER))}"
    emit(compiled(mode, items), path, command=COMMAND)
    return path


def folder(choice: tuple[str, dict[str, Any]]) -> Path:
    """The emitted folder of a choice; tests read it and leave it as it is."""
    return _folder(choice[0], tuple(sorted(choice[1].items())))
