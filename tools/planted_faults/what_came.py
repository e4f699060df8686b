# SPDX-License-Identifier: Apache-2.0
"""What a core gives, without the cycles in which it does: beats of its streams, and the values of its flags one behind the other.

::

    valid   0 1 1 1 0 1        beats   a b
    ready   1 0 0 1 1 1        flags   key_loaded 0, 1, 3, 2
    data    - a a a - b

Each erasure begins anew: what has not left before it never leaves, and a later core gets less far.

A message that comes while its key is loaded gets ``NO_KEY`` or is done, and cycles decide which.  Beats of different channels have no
order.
"""

from __future__ import annotations

from collections.abc import Iterator

from modeloom.interfaces.messages import MessageCode, status_channel, unpack_message_status
from modeloom.sim import Simulation

__all__ = ["WhatCame"]

STREAMS = TEXT, STATUSES = "m_axis", "m_axis_status"
FLAGS = ("key_loaded", "key_error")
FAR = 8
"""Beats by which a core may be behind at an erasure."""

Piece = dict[tuple[str, int], list[bytes]]
"""Beats and values in their order, by the name of a stream with a channel, or of a flag."""


class WhatCame:
    """The record of a simulation, as ``watch`` makes it of all outputs and of what takes them.

    Parameters
    ----------
    simulation : Simulation
    block_bytes : int
        The width of a tag in a status, in bytes.

    Attributes
    ----------
    names : list of str
        The ports to watch.
    """

    def __init__(self, simulation: Simulation, block_bytes: int):
        self.block_bytes = block_bytes
        ports = simulation.ports
        self.names = [name for name, port in ports.items() if port.kind == "output" or name in {f"{stream}_tready" for stream in STREAMS}]
        self._at: dict[str, slice] = {}
        self._row = 0
        for name in self.names:
            self._at[name] = slice(self._row, self._row + ports[name].bytes)
            self._row += ports[name].bytes
        self._payloads = {
            stream: [at for name, at in self._at.items() if name.startswith(f"{stream}_t") and not name.endswith(("_tvalid", "_tready"))]
            for stream in STREAMS
        }
        self._channel = self._at.get("m_axis_tid", slice(0))

    def first_difference(self, one: bytes, other: bytes) -> int:
        """The first cycle in which two records differ."""
        at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
        return at // self._row

    def same(self, one: bytes, other: bytes, *, whole: bool, judged: bool) -> bool:
        """Whether the same came.

        Parameters
        ----------
        whole : bool
            The last beat came in both records.  Otherwise one may be behind the other.
        judged : bool
            A check of ``verify`` has passed what came.  Then a message may have ``NO_KEY`` in one of the records alone.
        """
        pieces = list(self._pieces(one)), list(self._pieces(other))
        if len(pieces[0]) != len(pieces[1]):
            return False
        last = len(pieces[0]) - 1
        if judged:
            for a, b in zip(*pieces, strict=True):
                self._leave_out(a, b)
        return all(_same(a, b, whole and number == last) for number, (a, b) in enumerate(zip(*pieces, strict=True)))

    def _leave_out(self, one: Piece, other: Piece) -> None:
        """Leaves out statuses of messages that have ``NO_KEY`` in one of two pieces alone, and then all text, which the check compared."""
        for name, channel in [key for key in one if key[0] == STATUSES and key in other]:
            statuses = one[name, channel], other[name, channel]
            kept = [(a, b) for a, b in zip(*statuses) if not self._met_other_key(a, b)]
            common = min(map(len, statuses))
            if len(kept) == common:
                continue
            for number, piece in enumerate((one, other)):
                piece[name, channel] = [pair[number] for pair in kept] + statuses[number][common:]
                piece.pop((TEXT, channel), None)

    def _met_other_key(self, one: bytes, other: bytes) -> bool:
        (_, id, code), (_, other_id, other_code) = (unpack_message_status(beat, self.block_bytes) for beat in (one, other))
        return id == other_id and code != other_code and MessageCode.NO_KEY in (code, other_code)

    def _pieces(self, record: bytes) -> Iterator[Piece]:
        """What came between erasures."""
        found: Piece = {}
        erasing = True
        for start in range(0, len(record), self._row):
            row = record[start : start + self._row]
            if row[self._at["zeroizing"]] != b"\0":
                if not erasing:
                    yield found
                    found = {}
                erasing = True
                continue
            erasing = False
            for stream, payload in self._payloads.items():
                if row[self._at[f"{stream}_tvalid"]] != b"\0" and row[self._at[f"{stream}_tready"]] != b"\0":
                    beat = b"".join(row[at] for at in payload)
                    channel = status_channel(beat, self.block_bytes) if stream == STATUSES else int.from_bytes(row[self._channel], "little")
                    found.setdefault((stream, channel), []).append(beat)
            for name in FLAGS:
                values, value = found.setdefault((name, 0), []), row[self._at[name]]
                if not values or values[-1] != value:
                    values.append(value)
        yield found


def _same(one: Piece, other: Piece, whole: bool) -> bool:
    """Whether two pieces agree; if they are not whole, as far as both of them get."""
    for name in {**one, **other}:
        a, b = one.get(name, []), other.get(name, [])
        if whole and a != b:
            return False
        if abs(len(a) - len(b)) > FAR or any(x != y for x, y in zip(a, b)):
            return False
    return True
