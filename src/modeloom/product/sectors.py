# SPDX-License-Identifier: Apache-2.0
"""``core.json`` of a core for sectors: sizes, directions, cycles at the pins, and the figures of ``modeloom explain``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from modeloom.interfaces import Interface, Role
from modeloom.interfaces.sector import sector_interfaces
from modeloom.product.blocks import sector_groups
from modeloom.product.description import Description, Rate
from modeloom.protocol.contract import DIRECTIONS

__all__ = ["ExactFigures", "Explain", "Pins", "SectorDescription", "SizeFigures", "UnitFigures"]


@dataclass(frozen=True, kw_only=True)
class UnitFigures:
    """Units of a kind."""

    count: Annotated[int, "Units."]
    latency: Annotated[int, "Cycles until a result can be used."]
    interval: Annotated[int, "Cycles from one operation, or one batch of them, to the next."]
    blocks: Annotated[int | None, "Operations of a batch, in successive cycles; absent if the unit takes single ones."] = None


@dataclass(frozen=True, kw_only=True)
class ExactFigures:
    """The result of the solver that searches for the smallest latency."""

    result: Annotated[str, '"proved", "improved" or "stopped".']
    limit: Annotated[str | None, "The limit that stopped it; null if it proved a result."]
    before: Annotated[int, "Latency of the schedule before it, in cycles."]


@dataclass(frozen=True, kw_only=True)
class Explain:
    """The figures of ``modeloom explain --json``, for one sector size."""

    schema: str
    mode: str
    sector_bytes: Annotated[int, "Bytes of a sector."]
    blocks: Annotated[int, "Blocks of a sector, a partial last one included."]
    tweak_bytes: Annotated[int, "Bytes of a tweak."]
    key_bits: Annotated[int, "Bits of a key of the cipher."]
    directions: tuple[str, ...]
    units: Annotated[Mapping[str, UnitFigures], "The unit set by kind of unit."]
    uses: Annotated[Mapping[str, int], "Operations of a sector by kind: the larger number of the two directions."]
    overlap: Annotated[bool, "Whether sectors overlap."]
    cycles_per_sector: Annotated[int, "Cycles from one sector to the next, in a steady state."]
    latency: Annotated[int, "Cycles from the first issue to the last block in the result buffer."]
    latency_bound: Annotated[int, "The latency cannot be less."]
    latency_bounds: Annotated[Mapping[str, int], "The lower bound of each direction alone."]
    pairing_bound: Annotated[int, "The lower bound for the chosen pairing of the directions."]
    latency_pins: Annotated[int, "Cycles from the first beat in to the last beat out."]
    first_output: Annotated[int, "Cycle of the first block in the result buffer."]
    ii: Annotated[int, "Initiation interval, in cycles."]
    ii_bound: Annotated[int, "The initiation interval cannot be less."]
    optimal: Annotated[bool, "Whether the latency equals its bound."]
    optimal_of_pairing: Annotated[bool, "Whether the latency is the smallest for the chosen pairing."]
    exact: Annotated[ExactFigures | None, "There with `--exact`."] = None
    latency_reason: Annotated[str | None, "Why the latency is far above its bound; absent if it is not."] = None
    storage_blocks: Annotated[int, "Blocks that memories hold for sectors in flight."]
    storage_bound: Annotated[int, "The storage cannot be smaller."]
    input_blocks: Annotated[int, "Blocks of the input buffer."]
    output_blocks: Annotated[int, "Blocks of the result buffer."]
    key_words: Annotated[int, "Words in the key memory for each slot."]
    setup_cycles: Annotated[int, "Cycles of the set-up program of a key."]
    proved: Annotated[bool, "Whether the program was proved to compute the definition."]
    inverse: Annotated[str, 'Whether the directions are inverse to each other: "proved", "tested", "one direction" or "not checked".']
    warnings: Annotated[tuple[str, ...], "What is allowed in the definition but probably not intended."]
    more_sizes: Annotated[tuple[Explain, ...] | None, "The same for further sector sizes."] = None


@dataclass(frozen=True, kw_only=True)
class SizeFigures:
    """A sector size of the core.  Commands select it by its index in the list."""

    sector_bytes: Annotated[int, "Bytes of a sector."]
    blocks: Annotated[int, "Blocks of a sector, a partial last one included."]
    beats: Annotated[int, "Beats of a sector on the data buses."]
    interval: Annotated[int, "Cycles between the first output beats of sectors that follow each other."]
    latency_pins: Annotated[int, "Cycles from the first beat in to the last beat out, for a lone sector."]
    explain: Explain

    def __post_init__(self) -> None:
        if not (self.blocks and self.beats and self.interval):
            raise ValueError("blocks, beats and interval are not 0")

    @property
    def buffered(self) -> int:
        """The number of sectors of this size that the result buffer holds."""
        return -(-self.explain.output_blocks // self.blocks)


@dataclass(frozen=True, kw_only=True)
class Pins:
    """Cycles at the pins, for the first sector size."""

    interval: Annotated[int, "Cycles between the first output beats of sectors that follow each other."]
    latency_pins: Annotated[int, "Cycles from the first beat in to the last beat out, for a lone sector."]
    overhead: Annotated[int, "The part of the latency that does not belong to the program."]
    last_beat_to_entry: Annotated[int, "Cycles from the last input beat to the entry into an idle engine."]
    command_to_entry: Annotated[int, "Cycles from the command to this entry."]
    entry_to_program: Annotated[int, "Cycles from the entry to cycle 0 of the program."]
    done_to_first_beat: Annotated[int, "Cycles from the last cycle of the program to the first output beat."]


@dataclass(frozen=True, kw_only=True)
class SectorDescription(Description):
    """The contents of `core.json` for a core for sectors of fixed sizes."""

    SCHEMA: ClassVar[str] = "modeloom-core-1"
    TAIL: ClassVar[tuple[str, ...]] = ("ports", "pins", "explain", "sha256")

    sector_bytes: Annotated[int, "Bytes of a sector of the first size."]
    sizes: Annotated[tuple[SizeFigures, ...], "The sector sizes."]
    blocks: Annotated[int, "Blocks of a sector of the first size."]
    tweak_bytes: Annotated[int, "Bytes of a tweak."]
    lanes: Annotated[int, "Blocks of a beat of the data buses."]
    block_bytes: Annotated[int, "Bytes of a block."]
    beats: Annotated[int, "Beats of a sector of the first size."]
    directions: Annotated[tuple[str, ...], '"encrypt", "decrypt", or both.']
    pins: Pins
    explain: Annotated[Explain, "Figures of the first size."]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.sizes or self.sizes[0].sector_bytes != self.sector_bytes:
            raise ValueError("sizes does not begin with sector_bytes")
        if not self.directions or any(way not in DIRECTIONS for way in self.directions):
            raise ValueError(f"directions is not some of {', '.join(DIRECTIONS)}")
        if not (self.lanes and self.block_bytes and self.key_slots):
            raise ValueError("lanes, block_bytes and key_slots are not 0")

    @property
    def sector_sizes(self) -> tuple[int, ...]:
        """The sector sizes in bytes, in the order of their indices."""
        return tuple(size.sector_bytes for size in self.sizes)

    @property
    def beat_bytes(self) -> int:
        """The number of bytes of a beat of the data buses."""
        return self.lanes * self.block_bytes

    @property
    def ways(self) -> tuple[bool, ...]:
        """The directions.  True is decryption."""
        return tuple(direction == "decrypt" for direction in self.directions)

    @property
    def summary(self) -> str:
        """The title, and the size of a sector."""
        return f"{self.title}, sectors of {self.sector_bytes} bytes"

    @property
    def facts(self) -> Mapping[str, object]:
        """The mode, the size, the slots and the command line."""
        return {"mode": self.mode, "sector_bytes": self.sector_bytes, "key_slots": self.key_slots, "command": self.command}

    @property
    def rates(self) -> tuple[Rate, ...]:
        """The interval between sectors, for each size."""
        return tuple(Rate("sector", size.sector_bytes, size.interval) for size in self.sizes)

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The interfaces of cores for sectors."""
        return sector_interfaces(self.key_slots)

    @property
    def result_bytes(self) -> int:
        """The number of bytes of a beat, or of the longest sector if that is shorter."""
        return min(self.beat_bytes, max(self.sector_sizes))

    def reaches(self, role: Role) -> bool:
        """Whether a result depends on the inputs with this role.  It depends on the tweak if the mode has one."""
        return role is not Role.TWEAK or self.tweak_bytes > 0

    @property
    def bench_figures(self) -> Mapping[str, int]:
        """Latency, interval and cycles per sector for the first size."""
        # If sectors overlap and the bus is slower than the engine, the bus determines the interval.
        cycles = self.pins.interval if self.explain.overlap else self.explain.cycles_per_sector
        return {
            "latency": self.explain.latency, "interval": self.pins.interval, "latency_pins": self.pins.latency_pins,
            "cycles_per_sector": cycles,
        }  # fmt: skip

    def area_groups(self, paths: tuple[str, ...]) -> dict[str, list[str]]:
        """Cipher, multipliers, storage, engine and bus."""
        return sector_groups(paths, self.cipher)
