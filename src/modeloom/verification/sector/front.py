# SPDX-License-Identifier: Apache-2.0
"""Sectors for the check of a front end: right ones of all sizes, and one for an empty slot."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from modeloom.emit import CheckFailed
from modeloom.interfaces.sector import StatusCode
from modeloom.product.sectors import SectorDescription
from modeloom.product.simulated import Sector, SectorError, SimulatedCore
from modeloom.verification.front import PIECES, Work

__all__ = ["SectorWork"]


class SectorWork(Work[SectorDescription, SimulatedCore]):
    """The work of a core for sectors; ``subject`` is a ``Subject``."""

    kind, what = 1, "sectors"

    @property
    def key_bytes(self) -> int:
        """Bytes of the key."""
        return int(self.subject.description.key_bytes)

    @property
    def beat_bytes(self) -> int:
        """Bytes of a beat of data."""
        return self.subject.description.beat_bytes

    def core(self, library: Path) -> SimulatedCore:
        """The core with its front end."""
        return SimulatedCore(self.subject.directory, seed=self.subject.seed, library=library, front=True)

    def run(self, core: SimulatedCore, key: bytes, slot: int, rng: random.Random) -> int:
        """Sectors of each size and direction."""
        subject: Any = self.subject
        jobs = [
            Sector(rng.randbytes(subject.description.tweak_bytes), rng.randbytes(size), decrypt, slot)
            for _ in range(PIECES) for size in subject.sizes for decrypt in subject.ways
        ]  # fmt: skip
        reference = subject.reference(key)
        if core.run(jobs) != [reference(job.tweak, job.data, job.decrypt) for job in jobs]:
            raise CheckFailed("a sector under a key that was loaded over registers is wrong")
        return len(jobs)

    def without_key(self, core: SimulatedCore, slot: int, rng: random.Random) -> int:
        """A sector for an empty slot gets NO_KEY."""
        subject: Any = self.subject
        try:
            core.run([Sector(bytes(subject.description.tweak_bytes), bytes(subject.sizes[0]), subject.ways[0], slot)])
        except SectorError as error:
            return int(error.code) if error.code == StatusCode.NO_KEY else 0
        return 0
