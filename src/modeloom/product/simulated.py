# SPDX-License-Identifier: Apache-2.0
"""Simulates an emitted core for sectors: loads keys, runs sectors, and counts cycles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from modeloom.definition.software import as_bytes
from modeloom.interfaces.sector import StatusCode, pack_command, unpack_status
from modeloom.product.beats import PacketBeats, SectorDescription
from modeloom.product.description import Description
from modeloom.product.driven import CoreFault, DrivenCore, DriveOptions, check_slot, simulation_library
from modeloom.product.folder import other_kind, read_description, read_sectors
from modeloom.product.message import LwcDescription
from modeloom.product.messages import StreamDescription
from modeloom.product.simulated_lwc import SimulatedLwcCore
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.spec import InputError
from modeloom.spec.errors import FailedCheck

__all__ = ["KINDS", "CoreFault", "Sector", "SectorError", "SimulatedCore", "core", "message_core", "simulation_library"]


# -- simulated -------------------------------------------------------------------------------------------------------------------------

PATIENCE = 20_000
"""Number of cycles that sectors may take beyond eight times their normal time before the core counts as broken."""


class SectorError(FailedCheck, RuntimeError):
    """The status of a command is not OK."""

    def __init__(self, tag: int, code: StatusCode):
        super().__init__(f"sector with tag {tag}: status {code.name} ({int(code)})")
        self.tag, self.code = tag, code


@dataclass(frozen=True)
class Sector:
    """One sector for ``run``: direction, tweak and data.  Raises ``TypeError`` for values of the wrong type."""

    tweak: bytes
    data: bytes
    decrypt: bool = False
    slot: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "tweak", as_bytes("tweak", self.tweak))
        object.__setattr__(self, "data", as_bytes("data", self.data))
        if not isinstance(self.decrypt, bool):
            raise TypeError(f"decrypt is True or False, not {self.decrypt!r}")
        check_slot(self.slot)


class SimulatedCore(DrivenCore[SectorDescription]):
    """The simulation of a built core.

    Parameters
    ----------
    directory : path
        A folder that ``modeloom build`` wrote.
    options
        As of ``DrivenCore``.

    Attributes
    ----------
    status_cycles : list of int
        Cycles of the statuses of the last run.
    """

    def __init__(self, directory: str | Path, **options: Unpack[DriveOptions]):
        super().__init__(directory, read_sectors(directory), **options)
        self.sector_bytes = self.description.sector_bytes
        self.tweak_bytes = self.description.tweak_bytes
        self.lanes = self.description.lanes
        self.block_bytes = self.description.block_bytes
        self._beat = self.host_bytes
        self.sizes = {size.sector_bytes: number for number, size in enumerate(self.description.sizes)}
        self._tag = 0
        self.status_cycles: list[int] = []
        self.output_cycles: list[int] = []

    def send_command(self, tweak: bytes, *, decrypt: bool = False, slot: int = 0, size: int = 0, tag: int = 0) -> None:
        """Queues one command."""
        command = pack_command(tweak=tweak, tag=tag, slot=slot, size=size, decrypt=decrypt)
        self.runner.feed("s_axis_cmd", {"s_axis_cmd_tdata": command})

    def send_packet(self, data: bytes) -> None:
        """Queues one packet of data, of any length."""
        self.runner.feed("s_axis", self._packet(data).columns())

    def _packet(self, data: bytes) -> PacketBeats:
        packet = PacketBeats(self._beat)
        packet.add_part(data)
        packet.end()
        return packet

    def run(self, sectors: Sequence[Sector] | Iterable[Sector]) -> list[bytes]:
        """Runs sectors back to back and returns their results in order.  Raises ``SectorError`` for the first that fails."""
        sectors = list(sectors)
        commands = bytearray()
        packets = PacketBeats(self._beat)
        for sector in sectors:
            if not isinstance(sector, Sector):
                raise TypeError(f"run takes sectors, not {type(sector).__name__}")
            if len(sector.tweak) != self.tweak_bytes:
                raise InputError(f"this core takes tweaks of {self.tweak_bytes} bytes, not {len(sector.tweak)}")
            if len(sector.data) not in self.sizes:
                sizes = " or ".join(map(str, self.sizes))
                raise InputError(f"this core takes sectors of {sizes} bytes, not {len(sector.data)}")
            self.description.check_way(sector.decrypt)
            size = self.sizes[len(sector.data)]
            commands += pack_command(tweak=sector.tweak, tag=self._tag & 0xFFFF, slot=sector.slot, size=size, decrypt=sector.decrypt)
            self._tag += 1
            packets.add_packet(self._packet(sector.data))
        self.runner.feed("s_axis_cmd", {"s_axis_cmd_tdata": bytes(commands)})
        self.runner.feed("s_axis", packets.columns())
        return self._collect([len(sector.data) for sector in sectors])

    def _collect(self, lengths: Sequence[int]) -> list[bytes]:
        count = len(lengths)
        slowest = max(size.latency_pins for size in self.description.sizes)
        limit = (count + 8) * (slowest + 64) * 8 + PATIENCE
        self.wait_for_statuses(count, limit)
        status = self.runner.take("m_axis_status")
        self.status_cycles = list(status.cycles)
        for value in status.values("m_axis_status_tdata"):
            tag, code = unpack_status(value.to_bytes(4, "little"))
            if code != StatusCode.OK:
                self.runner.take("m_axis")
                raise SectorError(tag, code)
        beats = self.runner.take("m_axis")
        self.output_cycles = list(beats.cycles)
        data = beats.columns["m_axis_tdata"]
        results, at = [], 0
        for length in lengths:
            results.append(data[at : at + length])
            at += -(-length // self._beat) * self._beat
        return results

    def encrypt(self, tweak: bytes, sector: bytes, slot: int = 0) -> bytes:
        """Encrypts one sector."""
        return self.run([Sector(tweak, sector, False, slot)])[0]

    def decrypt(self, tweak: bytes, sector: bytes, slot: int = 0) -> bytes:
        """Decrypts one sector."""
        return self.run([Sector(tweak, sector, True, slot)])[0]


# -- simulation ------------------------------------------------------------------------------------------------------------------------

# The simulated core of a folder, for any kind of core.

KINDS: dict[type[Description], type[SimulatedCore] | type[SimulatedStreamCore] | type[SimulatedLwcCore]] = {
    SectorDescription: SimulatedCore, StreamDescription: SimulatedStreamCore, LwcDescription: SimulatedLwcCore,
}  # fmt: skip
"""The class that drives each kind of core."""


def core(directory: str | Path, **options: Unpack[DriveOptions]) -> SimulatedCore | SimulatedStreamCore | SimulatedLwcCore:
    """The simulated core of a folder that ``modeloom build`` wrote.  Raises ``InputError`` if it has no core of a known kind."""
    description = read_description(directory)
    kind = KINDS.get(type(description))
    if kind is None:
        raise other_kind(directory, description, "a core for sectors or for messages")
    return kind(directory, **options)


def message_core(directory: str | Path, **options: Unpack[DriveOptions]) -> SimulatedStreamCore | SimulatedLwcCore:
    """The same of a core for messages."""
    found = core(directory, **options)
    if isinstance(found, SimulatedCore):
        raise other_kind(directory, found.description, "a core for messages")
    return found
