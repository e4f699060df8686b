# SPDX-License-Identifier: Apache-2.0
"""Mapped blocks that are kept beside the built simulations, so that measurements that are continued or run side by side share them."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections import Counter
from importlib import metadata
from pathlib import Path

from modeloom.sim.build import cache_directory
from modeloom.synth.parts import Key, MappedPart

__all__ = ["KnownBlocks"]


class KnownBlocks:
    """One file for each block, in a folder for each version of pyosys."""

    def __init__(self) -> None:
        self.folder = cache_directory() / f"mapped-{metadata.version('pyosys')}"

    def _path(self, key: Key) -> Path:
        return self.folder / f"{hashlib.sha256(repr(key).encode()).hexdigest()}.json"

    def __contains__(self, key: Key) -> bool:
        return self._path(key).is_file()

    def __getitem__(self, key: Key) -> MappedPart:
        if key not in self:
            raise KeyError(key)
        row = json.loads(self._path(key).read_text(encoding="utf-8"))
        return MappedPart(Counter(row["cells"]), None if row["area"] is None else Counter(row["area"]), row["yosys"])

    def __setitem__(self, key: Key, part: MappedPart) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=self.folder, delete=False, encoding="utf-8") as partial:
            json.dump(vars(part), partial)
        os.replace(partial.name, self._path(key))
