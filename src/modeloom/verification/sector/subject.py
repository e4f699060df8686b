# SPDX-License-Identifier: Apache-2.0
"""The core under verification: new simulations of its Verilog, and the reference of its mode."""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from modeloom import golden
from modeloom.ciphers import CIPHERS
from modeloom.definition.software import Model
from modeloom.modes import find
from modeloom.product.folder import read_sectors
from modeloom.product.simulated import SimulatedCore, simulation_library
from modeloom.spec import InputError, Mode

__all__ = ["Subject"]

REFERENCES = 64
"""Number of cached references with a key, because the set-up of some modes takes longer than a sector."""

Reference = Callable[[bytes, bytes, bool], bytes]
"""``reference(tweak, data, decrypt)``."""


class Subject:
    """A built core under test.

    Parameters
    ----------
    directory : path
        What ``modeloom build`` made.
    optimize : int
        Optimisation level of the C++ compiler.
    seed : int
        Seed of all random choices.  Each check has its own generator.

    Attributes
    ----------
    description : SectorDescription
        ``core.json``.
    cores : list of SimulatedCore
        The cores that ``core`` has made since the list was emptied.
    """

    def __init__(self, directory: str | Path, *, optimize: int = 2, seed: int = 1):
        self.directory = Path(directory)
        self.description = read_sectors(directory)
        self.optimize, self.seed = optimize, seed
        self.cores: list[SimulatedCore] = []
        self._references: OrderedDict[bytes, Reference | None] = OrderedDict()

    @cached_property
    def mode(self) -> Mode:
        """The definition."""
        return find(self.description.definition, self.directory)

    @cached_property
    def library(self) -> Path:
        """The simulation of the Verilog in the folder."""
        return simulation_library(self.directory, self.optimize)

    def core(self, *, seed: int = 0) -> SimulatedCore:
        """A new core after a reset."""
        core = SimulatedCore(self.directory, seed=seed, library=self.library)
        self.cores.append(core)
        return core

    def take_cycles(self) -> int:
        """Total number of cycles of all cores since the last call.  The cores are released."""
        total = sum(core.cycles for core in self.cores)
        self.cores = []
        return total

    def rng(self, purpose: str) -> random.Random:
        """A random generator for one purpose.  It depends only on the seed and the purpose."""
        return random.Random(f"{self.seed} {purpose}")

    @property
    def independent(self) -> bool:
        """Whether the reference comes from ``golden``, which shares no code with the compiler.

        Otherwise it is the definition on numbers.
        """
        cipher = self.description.cipher
        return cipher in CIPHERS and self.description.definition in golden.mode_names(cipher)

    @property
    def sizes(self) -> list[int]:
        """The sector sizes in bytes, in the order of their indices."""
        return [size.sector_bytes for size in self.description.sizes]

    @property
    def ways(self) -> list[bool]:
        """The directions of the core.  True is decryption."""
        return [direction == "decrypt" for direction in self.description.directions]

    def reference(self, key: bytes) -> Reference | None:
        """The reference for a key; None if the mode refuses the key."""
        if key in self._references:
            self._references.move_to_end(key)
            return self._references[key]
        found = self._make(key)
        self._references[key] = found
        if len(self._references) > REFERENCES:
            self._references.popitem(last=False)
        return found

    def _make(self, key: bytes) -> Reference | None:
        try:
            mode: Any
            if self.independent:
                mode = golden.mode(self.description.definition, key, self.description.cipher)
            else:
                mode = Model(self.mode, key, self.description.cipher)
            if self.description.refused_keys:
                # The sector size may decide whether a key is accepted.  A core accepts keys that are good for all of its sizes.
                for size in self.sizes:
                    mode.encrypt(bytes(self.description.tweak_bytes), bytes(size))
        except (InputError, ValueError, ZeroDivisionError):
            if not self.description.refused_keys:
                raise
            return None

        def run(tweak: bytes, data: bytes, decrypt: bool) -> bytes:
            result: bytes = (mode.decrypt if decrypt else mode.encrypt)(tweak, data)
            return result

        return run

    def good_key(self, rng: random.Random) -> bytes:
        """A random key that the mode accepts."""
        while True:
            key = rng.randbytes(self.description.key_bytes)
            if self.reference(key):
                return key
