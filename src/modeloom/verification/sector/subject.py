# SPDX-License-Identifier: Apache-2.0
"""The core under verification: new simulations of its Verilog, and the reference of its mode."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from modeloom import golden
from modeloom.ciphers import CIPHERS
from modeloom.definition.software import Model
from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.modes import find
from modeloom.product.folder import read_sectors
from modeloom.product.sectors import SectorDescription
from modeloom.product.simulated import SimulatedCore
from modeloom.spec import InputError, Mode
from modeloom.verification.subject import CoreSubject

__all__ = ["Subject", "sample_slots"]

Reference = Callable[[bytes, bytes, bool], bytes]
"""``reference(tweak, data, decrypt)``."""


def sample_slots(slots: int) -> list[int]:
    """The key slots of a core, or some of many: the first and the last ones, and those beside the last one that a port lists."""
    return [*range(slots)] if slots <= LISTED_SLOTS else sorted({0, 1, LISTED_SLOTS - 1, LISTED_SLOTS, slots - 1})


class Subject(CoreSubject[SectorDescription, SimulatedCore, Reference]):
    """A built core under test.  Its parameters are those of ``CoreSubject``."""

    def read(self) -> SectorDescription:
        """Reads ``core.json``."""
        return read_sectors(self.directory)

    @cached_property
    def mode(self) -> Mode:
        """The definition."""
        return find(self.description.definition, self.directory)

    @property
    def ways(self) -> list[bool]:
        """The directions of the core.  True is decryption."""
        return [direction == "decrypt" for direction in self.description.directions]

    def make_core(self, seed: int) -> SimulatedCore:
        """A new core after a reset."""
        return SimulatedCore(
            self.directory, seed=seed, library=self.library, converters=self.converters, front=self.front, clocks=self.clocks
        )  # fmt: skip

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

    def make_reference(self, key: bytes) -> Reference | None:
        """The reference for a key; None if the mode refuses the key."""
        try:
            mode: object
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
