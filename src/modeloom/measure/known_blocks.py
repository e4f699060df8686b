# SPDX-License-Identifier: Apache-2.0
"""Mapped blocks that are kept beside the built simulations, so that measurements that are continued or run side by side share them.

::

    key in known ──▶ file there ──────────────────────────────────▶ True
                 └─▶ no file: take the lock ──▶ file there by now ─▶ True, lock given back
                                            └─▶ no file ──────────▶ False, lock kept until ``known[key] = part`` or ``close()``

A process that asks for a block which another one is mapping waits for it.  ``map_parts`` asks in the order of the keys, so that no
two processes wait for each other.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections import Counter
from importlib import metadata
from pathlib import Path
from typing import IO

from modeloom.sim.build import cache_directory
from modeloom.synth.blocks import Key, MappedPart

__all__ = ["KnownBlocks"]


class KnownBlocks:
    """One file for each block, in a folder for each version of pyosys.  A ``with`` block gives locks back if a mapping fails.

    Attributes
    ----------
    reused, mapped : int
        Blocks that were there, and blocks that were added.
    """

    def __init__(self) -> None:
        self.folder = cache_directory() / f"mapped-{metadata.version('pyosys')}"
        self.reused = self.mapped = 0
        self._locks: dict[Path, IO[str]] = {}

    def __enter__(self) -> KnownBlocks:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives all locks back."""
        for path in list(self._locks):
            self._release(path)

    def __contains__(self, key: Key) -> bool:
        path = self._path(key)
        if not path.is_file() and path not in self._locks:
            self._acquire(path)
        if not path.is_file():
            return False
        self._release(path)
        self.reused += 1
        return True

    def __getitem__(self, key: Key) -> MappedPart:
        try:
            row = json.loads(self._path(key).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise KeyError(key) from None
        return MappedPart(Counter(row["cells"]), None if row["area"] is None else Counter(row["area"]), row["yosys"])

    def __setitem__(self, key: Key, part: MappedPart) -> None:
        path = self._path(key)
        self.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=self.folder, delete=False, encoding="utf-8") as partial:
            json.dump(vars(part), partial)
        os.replace(partial.name, path)
        self._release(path)
        self.mapped += 1

    def _path(self, key: Key) -> Path:
        return self.folder / f"{hashlib.sha256(repr(key).encode()).hexdigest()}.json"

    def _acquire(self, path: Path) -> None:
        """Waits for the lock of a block.  Without ``fcntl``, two processes may map a block at the same time."""
        try:
            import fcntl
        except ImportError:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        handle = path.with_suffix(".lock").open("w")
        fcntl.flock(handle, fcntl.LOCK_EX)
        self._locks[path] = handle

    def _release(self, path: Path) -> None:
        if handle := self._locks.pop(path, None):
            handle.close()
