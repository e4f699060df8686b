# SPDX-License-Identifier: Apache-2.0
"""What converters make of beats of all channels, on plain lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from modeloom.interfaces.shared import PassedOn


@dataclass(frozen=True)
class Beat:
    """A beat of a packet."""

    data: bytes
    keep: int
    last: bool
    channel: int = 0
    cut: bool = False

    @property
    def nbytes(self) -> int | None:
        """The number of bytes if they have no hole among them."""
        return None if self.keep & self.keep + 1 else self.keep.bit_length()


def host_to_core(beats: Sequence[Beat], core: int, associated: Mapping[int, Sequence[int]] | None = None) -> list[Beat]:
    """The beats that the core gets of those of the host.

    Parameters
    ----------
    associated : mapping, optional
        Bytes of associated data of the messages in order, by channel; None if packets have one part.
    """
    orders = {channel: list(lengths) for channel, lengths in (associated or {}).items()}
    packets: dict[int, PassedOn] = {}
    out: list[Beat] = []
    for beat in beats:
        if beat.channel not in packets:
            packets[beat.channel] = PassedOn(core, orders[beat.channel].pop(0) if orders else None)
        out += [Beat(*one, beat.channel) for one in packets[beat.channel].beat(beat.data, beat.keep, beat.last)]
        if beat.last:
            del packets[beat.channel]
    return out


@dataclass
class Cutter:
    """The bytes of the packets out that have not filled a beat."""

    size: int
    rest: dict[int, bytes] = field(default_factory=dict)

    def beats(self, beat: Beat) -> list[Beat]:
        """The beats for the host that are complete with this one of the core."""
        data = self.rest.pop(beat.channel, b"") + beat.data[: beat.nbytes]
        parts = [data[at : at + self.size] for at in range(0, len(data), self.size)] or [b""]
        if not beat.last and len(parts[-1]) < self.size:
            self.rest[beat.channel] = parts.pop()
        ends = [beat.last and at == len(parts) - 1 for at in range(len(parts))]
        return [beat_of(part, self.size, end, beat.channel, beat.cut and end) for part, end in zip(parts, ends, strict=True)]


def core_to_host(beats: Sequence[Beat], host: int) -> list[Beat]:
    """The beats that the host gets of those of the core."""
    cutter = Cutter(host)
    return [out for beat in beats for out in cutter.beats(beat)]


def beat_of(part: bytes, size: int, last: bool, channel: int = 0, cut: bool = False) -> Beat:
    """A beat with these bytes first, and zeros behind them."""
    return Beat(part.ljust(size, b"\0"), (1 << len(part)) - 1, last, channel, cut)


def beats_of(parts: Sequence[bytes], size: int, channel: int = 0) -> list[Beat]:
    """The beats of a packet whose parts each begin with a beat of their own."""
    cut = [part[at : at + size] for part in parts for at in range(0, len(part), size)] or [b""]
    return [beat_of(part, size, at == len(cut) - 1, channel) for at, part in enumerate(cut)]
