# SPDX-License-Identifier: Apache-2.0
"""Sectors for the check of a front end: right ones of all sizes, and one for an empty slot."""

from __future__ import annotations

import random
from pathlib import Path

from modeloom.emit import CheckFailed
from modeloom.interfaces.sector import StatusCode
from modeloom.product.beats import SectorDescription
from modeloom.product.front import WidthRate
from modeloom.product.simulated import Sector, SectorError, SimulatedCore
from modeloom.verification.front import CLOCKED, CONVERTED, PIECES, Work
from modeloom.verification.host import CoreSubject
from modeloom.verification.sector.erasure import check_zeroize, fill
from modeloom.verification.sector.host import Subject
from modeloom.verification.sector.sectors import Need, check_sectors
from modeloom.verification.sector.statuses import check_statuses

__all__ = ["SectorWork"]

PACED = 24
"""Sectors back to back whose pace is measured."""


class SectorWork(Work[SectorDescription, SimulatedCore]):
    """The work of a core for sectors; ``subject`` is a ``Subject``."""

    kind, what = 1, "sectors"
    subject: Subject

    @property
    def key_bytes(self) -> int:
        """Bytes of the key."""
        return int(self.subject.description.key_bytes)

    def core(self, library: Path) -> SimulatedCore:
        """The core with its front end."""
        return SimulatedCore(self.subject.directory, seed=self.subject.seed, library=library, front=True)

    def check_converted(self, subject: CoreSubject[SectorDescription, SimulatedCore, object]) -> int:
        """Statuses, erasure, and sectors under many keys with pauses."""
        assert isinstance(subject, Subject)
        check_statuses(subject)
        check_zeroize(subject)
        return check_sectors(subject, Need(0, 0), CONVERTED)[1]["sectors"]

    def check_clocked(self, subject: CoreSubject[SectorDescription, SimulatedCore, object], statuses: bool) -> int:
        """Statuses, and sectors under many keys with pauses."""
        assert isinstance(subject, Subject)
        if statuses:
            check_statuses(subject)
        return check_sectors(subject, Need(0, 0), CLOCKED)[1]["sectors"]

    def fill(self, core: SimulatedCore, rng: random.Random, cycles: int) -> None:
        """Keys in all slots, sectors in flight, and results that wait."""
        fill(core, rng, cycles=cycles, good=iter(lambda: self.subject.good_key(rng), None))

    def pace(self, core: SimulatedCore, rate: WidthRate, rng: random.Random) -> tuple[int, int]:
        """Sectors of one size back to back: the distance of the statuses in the second half."""
        subject = self.subject
        core.load_key(subject.good_key(rng))
        way = subject.ways[0]
        core.run([Sector(bytes(subject.description.tweak_bytes), rng.randbytes(rate.bytes), way) for _ in range(PACED)])
        cycles = core.status_cycles[PACED // 2 :]
        return cycles[-1] - cycles[0], len(cycles) - 1

    def run(self, core: SimulatedCore, key: bytes, slot: int, rng: random.Random) -> int:
        """Sectors of each size and direction."""
        subject = self.subject
        jobs = [
            Sector(rng.randbytes(subject.description.tweak_bytes), rng.randbytes(size), decrypt, slot)
            for _ in range(PIECES) for size in subject.sizes for decrypt in subject.ways
        ]  # fmt: skip
        reference = subject.reference(key)
        assert reference is not None
        if core.run(jobs) != [reference(job.tweak, job.data, job.decrypt) for job in jobs]:
            raise CheckFailed("a sector under a key that was loaded over registers is wrong")
        return len(jobs)

    def without_key(self, core: SimulatedCore, slot: int, rng: random.Random) -> int:
        """A sector for an empty slot gets NO_KEY."""
        subject = self.subject
        try:
            core.run([Sector(bytes(subject.description.tweak_bytes), bytes(subject.sizes[0]), subject.ways[0], slot)])
        except SectorError as error:
            return int(error.code) if error.code == StatusCode.NO_KEY else 0
        return 0
