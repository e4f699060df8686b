# SPDX-License-Identifier: Apache-2.0
"""The core that is verified, of any kind: new simulations of its Verilog, and a reference for each key."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Generic, Self, TypeVar

from modeloom.product.description import Description
from modeloom.product.driven import DrivenCore, simulation_library
from modeloom.sim import Clock

__all__ = ["CoreSubject"]

REFERENCES = 64
"""Number of cached references with a key, because the set-up of some modes takes longer than a piece of work."""

D = TypeVar("D", bound=Description)
C = TypeVar("C", bound=DrivenCore[Description])
R = TypeVar("R", covariant=True)


class CoreSubject(ABC, Generic[D, C, R]):
    """A built core under test.

    Parameters
    ----------
    directory : path
        A folder that ``modeloom build`` wrote.
    optimize : int
        Optimisation level of the C++ compiler.
    seed : int
        Seed of all random choices.  Each check has its own generator.
    converters : bool
        Whether the core is tested with the converters of its data streams.
    front : bool
        Whether the core is tested with all that stands around it.
    clocks : mapping, optional
        With *front*, when its clocks rise.

    Attributes
    ----------
    description : Description
        Its ``core.json``.
    cores : list of DrivenCore
        The cores that ``core`` has made since the list was emptied.
    """

    def __init__(
        self, directory: str | Path, *, optimize: int = 2, seed: int = 1, converters: bool = False, front: bool = False,
        clocks: Mapping[str, Clock] | None = None,
    ):  # fmt: skip
        self.directory, self.front, self.clocks = Path(directory), front, clocks
        self.description: D = self.read()
        # Data of a core with all around it go through its converters, too.
        self.converters = converters or front and self.description.front is not None and self.description.front.width is not None
        self.optimize, self.seed = optimize, seed
        self.cores: list[C] = []
        self._references: OrderedDict[bytes, R | None] = OrderedDict()

    def again(self, *, converters: bool = False, front: bool = False, clocks: Mapping[str, Clock] | None = None) -> Self:
        """The same core with other parts around it."""
        return type(self)(
            self.directory, optimize=self.optimize, seed=self.seed, converters=converters, front=front, clocks=clocks
        )  # fmt: skip

    @abstractmethod
    def read(self) -> D:
        """Reads ``core.json``.  Raises ``InputError`` if it is that of another kind of core."""

    @abstractmethod
    def make_core(self, seed: int) -> C:
        """A new core after a reset."""

    @abstractmethod
    def make_reference(self, key: bytes) -> R | None:
        """The reference for a key; None if the mode refuses the key."""

    @cached_property
    def library(self) -> Path:
        """The simulation of the Verilog in the folder."""
        return simulation_library(self.directory, self.optimize, front=self.front, converters=self.converters and not self.front)

    def core(self, *, seed: int = 0) -> C:
        """A new core after a reset."""
        core = self.make_core(seed)
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
    @abstractmethod
    def ways(self) -> Sequence[int]:
        """The directions of the core, and its passes, as a command has them: 0 encrypts, 1 decrypts."""

    def reference(self, key: bytes) -> R | None:
        """The reference for a key; None if the mode refuses the key."""
        if key in self._references:
            self._references.move_to_end(key)
            return self._references[key]
        found = self.make_reference(key)
        self._references[key] = found
        if len(self._references) > REFERENCES:
            self._references.popitem(last=False)
        return found

    def good_key(self, rng: random.Random) -> bytes:
        """A random key that the mode takes, of any size that the core takes."""
        lengths = self.description.key_lengths
        while True:
            key = rng.randbytes(lengths[0] if len(lengths) == 1 else rng.choice(lengths))
            if self.reference(key):
                return key

    def user_key(self, rng: random.Random) -> bytes:
        """A random key as ``load_key`` of a simulated core takes it."""
        return self.good_key(rng)
