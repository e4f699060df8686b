# SPDX-License-Identifier: Apache-2.0
"""The commands of a bench one by one: correct and wrong packets, and the expected result of each."""

from __future__ import annotations

from dataclasses import dataclass

from modeloom.compiler.compile import Compiled
from modeloom.cores.bench_text import Beat, beats_of, bench_bytes
from modeloom.definition.software import Model
from modeloom.interfaces.sector import StatusCode, pack_command
from modeloom.rtl.bus.sector import BusParameters

__all__ = ["BenchSector", "Traffic"]

@dataclass(frozen=True)
class BenchSector:
    """One command.

    Attributes
    ----------
    command : bytes
        Its 40 bytes.
    beats : tuple of (bytes, int)
        Data and ``tkeep`` of the beats of its packet.
    code : int
        The expected status.  If the key changes meanwhile, both OK and NO_KEY are possible.
    wanted : tuple of (bytes, int)
        Data and ``tkeep`` of the expected beats.  If the key changes, these are for the old key.
    renewed : tuple of (bytes, int)
        The expected beats for the new key.
    changes : bool
        Whether the key is replaced or erased while the command is in progress.
    """

    command: bytes
    beats: tuple[Beat, ...]
    code: int
    wanted: tuple[Beat, ...] = ()
    renewed: tuple[Beat, ...] = ()
    changes: bool = False


class Traffic:
    """Makes commands, each with its own data and tweak.  Slots and directions alternate.

    Parameters
    ----------
    compiled : modeloom.compiler.compile.Compiled
    p : BusParameters
    """

    def __init__(self, compiled: Compiled, p: BusParameters):
        self.compiled, self.p = compiled, p
        self.directions = compiled.options.directions
        self.models: dict[int, Model] = {}
        self.sectors: list[BenchSector] = []

    def load(self, slot: int, key: bytes) -> Model:
        """Sets the key of a slot for the following sectors, and returns its model."""
        self.models[slot] = Model(self.compiled.mode, key, self.compiled.options.cipher)
        return self.models[slot]

    def _next(self, size: int) -> tuple[int, bytes, bytes, str]:
        number = len(self.sectors)
        # Runs of one, two and three sectors in a direction, so that all sequences of directions occur.
        direction = self.directions[(number % 12) in (1, 4, 5, 9, 10, 11) and len(self.directions) - 1]
        tweak = bench_bytes(f"tweak {number}", self.compiled.source.tweak_bytes)
        return number, tweak, bench_bytes(f"sector {number}", self.p.sizes[size].nbytes), direction

    def _command(self, tweak: bytes, slot: int, size: int, direction: str) -> bytes:
        tag = (0x4D4C + 257 * len(self.sectors)) & 0xFFFF
        return pack_command(tweak=tweak, tag=tag, slot=slot, size=size, decrypt=direction == "decrypt")

    def good(self, *, size: int = 0, slot: int | None = None, renewed: Model | None = None, changes: bool = False) -> None:
        """Adds a correct sector.  ``changes`` says that the key of its slot is meanwhile replaced by that of ``renewed``, or erased."""
        number, tweak, data, direction = self._next(size)
        if slot is None:
            slots = sorted(self.models)
            slot = slots[number // 3 % len(slots)]
        wanted, renewals = (
            beats_of(getattr(model, direction)(tweak, data), self.p.beat_bytes) if model else ()
            for model in (self.models[slot], renewed)
        )
        self.sectors.append(
            BenchSector(
                self._command(tweak, slot, size, direction), beats_of(data, self.p.beat_bytes), int(StatusCode.OK), wanted, renewals,
                changes,
            )
        )

    def bad(
        self, code: StatusCode, *, slot: int | None = None, size: int = 0, bytes_more: int = 0, keep: tuple[int, int] | None = None,
        short: bool = False, direction: str | None = None,
    ) -> None:  # fmt: skip
        """Adds a command that the core refuses.  Its packet may have more or fewer bytes than the sector, or only one beat.  ``keep`` is
        the number of a beat and a mask of the bits of its ``tkeep`` to invert.
        """
        number, tweak, data, usual = self._next(0 if size >= len(self.p.sizes) else size)
        if slot is None:
            slot = min(self.models, default=0)
        data = (data + bench_bytes(f"more {number}", max(0, bytes_more)))[: len(data) + bytes_more]
        beats = list(beats_of(data, self.p.beat_bytes))[: 1 if short else None]
        if keep is not None:
            at, turned = keep
            beats[at] = (beats[at][0], beats[at][1] ^ turned)
        self.sectors.append(BenchSector(self._command(tweak, slot, size, direction or usual), tuple(beats), int(code)))
