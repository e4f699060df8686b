# SPDX-License-Identifier: Apache-2.0
"""Packets as beats of a data bus, in the columns that a simulation takes and gives.

::

    bytes 0 1 2 3 4   in beats of 4 bytes   tdata   0 1 2 3 | 4 . . .
                                            tkeep   1 1 1 1 | 1 0 0 0
                                            tlast         0 | 1

    channels by turns     channel 0   A0 A1 A2 | C0 C1
                          channel 1   B0 B1                 ──▶  A0 B0 A1 B1 A2 C0 C1

    beats out             text, or header ‖ text ‖ tag      ──▶  packets of each channel, with their marks
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from modeloom.interfaces import Interface, Role
from modeloom.interfaces.sector import sector_interfaces
from modeloom.product.description import Description, Rate, sector_groups
from modeloom.protocol.contract import DIRECTIONS, AssociatedFirst
from modeloom.sim import Beats
from modeloom.spec import InputError

__all__ = [
    "ExactFigures", "Explain", "GivenPacket", "PacketBeats", "PacketReader", "Pins", "SectorDescription", "SizeFigures",
    "UnitFigures", "take_turns",
]  # fmt: skip


# -- sectors ---------------------------------------------------------------------------------------------------------------------------

# ``core.json`` of a core for sectors: sizes, directions, cycles at the pins, and the figures of ``modeloom explain``.


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
class NetworkFigures:
    """What the search for fewer sources of operands has reached."""

    sources: Annotated[int, "Sources of all networks."]
    least: Annotated[int, "No placement of the same operations has fewer, with results and inputs of whatever unit or lane as one source."]
    bank_ports: Annotated[int, "Read ports of all banks."]
    key_ports: Annotated[int, "Read ports of the key memory."]


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
    networks: Annotated[NetworkFigures | None, "There with `--wire-effort`."] = None
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

    def requirements(self) -> Iterator[tuple[bool, str]]:
        """What must hold of the members."""
        yield from super().requirements()
        yield self.sector_sizes[:1] == (self.sector_bytes,), "sizes does not begin with sector_bytes"
        yield bool(self.directions) and {*self.directions} <= {*DIRECTIONS}, f"directions is not some of {', '.join(DIRECTIONS)}"
        yield self.beat_bytes * self.key_slots > 0, "lanes, block_bytes and key_slots are not 0"

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

    def check_way(self, decrypt: bool) -> None:
        """Raises ``InputError`` if the core does not have this direction."""
        if decrypt not in self.ways:
            raise InputError(f"this core was not built to {DIRECTIONS[decrypt]}; build it with --direction both")

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


# -- beats -----------------------------------------------------------------------------------------------------------------------------


@dataclass
class PacketBeats:
    """The columns of some beats.

    Attributes
    ----------
    size : int
        Bytes of a beat.
    data, keeps, lasts : bytearray
        ``tdata``, ``tkeep`` and ``tlast``, with a whole number of bytes for each beat.
    """

    size: int
    data: bytearray = field(default_factory=bytearray)
    keeps: bytearray = field(default_factory=bytearray)
    lasts: bytearray = field(default_factory=bytearray)

    def __len__(self) -> int:
        """The number of beats."""
        return len(self.lasts)

    @property
    def keep_bytes(self) -> int:
        """Bytes of ``tkeep`` of a beat."""
        return -(-self.size // 8)

    def add_part(self, part: bytes) -> None:
        """Appends bytes that begin with a beat of their own.  Only their last beat may be partial."""
        if not part:
            return
        beats = -(-len(part) // self.size)
        tail = len(part) - (beats - 1) * self.size
        self.data += part
        self.data += bytes(self.size - tail)
        self.keeps += ((1 << self.size) - 1).to_bytes(self.keep_bytes, "little") * (beats - 1)
        self.keeps += ((1 << tail) - 1).to_bytes(self.keep_bytes, "little")
        self.lasts += bytes(beats)

    def end(self) -> None:
        """Ends a packet with the last beat.  A packet without bytes gets one beat without bytes."""
        if not self.lasts:
            self.data, self.keeps, self.lasts = bytearray(self.size), bytearray(self.keep_bytes), bytearray(1)
        self.lasts[-1] = 1

    def add_beat(self, other: PacketBeats, at: int) -> None:
        """Appends one beat of others."""
        self.data += other.data[at * self.size : (at + 1) * self.size]
        self.keeps += other.keeps[at * self.keep_bytes : (at + 1) * self.keep_bytes]
        self.lasts += other.lasts[at : at + 1]

    def add_packet(self, packet: PacketBeats) -> None:
        """Appends all beats of a packet."""
        self.data += packet.data
        self.keeps += packet.keeps
        self.lasts += packet.lasts

    def columns(self) -> dict[str, bytes]:
        """The ports of the data bus into a core."""
        return {"s_axis_tdata": bytes(self.data), "s_axis_tkeep": bytes(self.keeps), "s_axis_tlast": bytes(self.lasts)}


def take_turns(channels: Sequence[int], beats: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The order of the beats of packets with these channels and numbers of beats: pairs of a packet and its beat."""
    queues: dict[int, deque[int]] = {}
    for number, channel in enumerate(channels):
        queues.setdefault(channel, deque()).append(number)
    turns, at = deque(queues.values()), [0] * len(channels)
    while turns:
        queue = turns.popleft()
        number = queue[0]
        yield number, at[number]
        at[number] += 1
        if at[number] == beats[number]:
            queue.popleft()
        if queue:
            turns.append(queue)


@dataclass(frozen=True)
class GivenPacket:
    """A packet that a core gave: its bytes, whether its last beat is marked, the cycle of this beat, and its channel."""

    data: bytes
    marked: bool
    cycle: int
    channel: int = 0


class PacketReader:
    """Makes packets of beats, which may come in several portions.

    Parameters
    ----------
    size : int
        Bytes of a beat.
    form : AssociatedFirst
        The form of packets.
    joins : bool
        Whether the end of a packet that is cut off, a beat without bytes, may come together with what was before it.

    Raises
    ------
    ValueError
        From ``packets``, for a beat that no packet has.
    """

    def __init__(self, size: int, form: AssociatedFirst, joins: bool = False):
        self.size, self.form, self.joins = size, form, joins
        self._begun: dict[int, bytearray] = {}

    def packets(self, beats: Beats) -> Iterator[GivenPacket]:
        """The packets that these beats end."""
        size, data = self.size, beats.columns["m_axis_tdata"]
        columns = (beats.values(f"m_axis_{name}") for name in ("tkeep", "tlast", "tuser"))
        channels = beats.values("m_axis_tid") if "m_axis_tid" in beats.columns else [0] * beats.count
        for at, (keep, last, marked, channel, cycle) in enumerate(zip(*columns, channels, beats.cycles, strict=True)):
            nbytes, beat = keep.bit_count(), data[at * size : (at + 1) * size]
            wrong = self.form.odd(nbytes, nbytes == size, bool(last), bool(marked), channel in self._begun, self.joins)
            if keep != (1 << nbytes) - 1 or wrong or any(beat[nbytes:]):
                raise ValueError(f"a beat with tkeep {keep:#x}, tlast {last} and tuser {marked}")
            begun = self._begun.setdefault(channel, bytearray())
            begun += beat[:nbytes]
            if last:
                del self._begun[channel]
                yield GivenPacket(bytes(begun), bool(marked), cycle, channel)

    def clear(self) -> None:
        """Forgets packets that have begun."""
        self._begun.clear()

    @property
    def begun(self) -> bool:
        """Whether beats of a packet have come whose end has not."""
        return bool(self._begun)
