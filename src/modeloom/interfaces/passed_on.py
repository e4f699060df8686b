# SPDX-License-Identifier: Apache-2.0
"""What converters pass on of a packet, on plain bytes: the beats that the core gets.

::

    host, 4 bytes      0 1 2 3 │ 4 5 6 7 │ 8 9 . . last            core, 8 bytes   0 1 2 3 4 5 6 7 │ 8 9 . . . . . . last
    a hole             0 . 2 3 │ 4 5 6 7 │ 8 9 . . last                            keep 2          │ 4 5 6 7 8 9 . . last
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["BAD_KEEP", "PassedOn"]

BAD_KEEP = 0b10
"""``tkeep`` of the beat that the core gets for one that no packet has there."""


class PassedOn:
    """A packet on its way through converters.

    Parameters
    ----------
    core_bytes : int
        Bytes of a beat of the core.
    associated : int or None
        Bytes of associated data that begin with a beat of their own, as the text does; None if all of the packet belongs together.
    """

    def __init__(self, core_bytes: int, associated: int | None = None):
        self.core_bytes, self.associated = core_bytes, associated or 0
        # A beat of the packet has come, and one of the text.
        self._inside = self._begun = False
        self._gathered = b""

    def beat(self, data: bytes, keep: int, last: bool) -> list[tuple[bytes, int, bool]]:
        """Takes a beat of the host.  Gives data, keep and last of the beats that the core gets then."""
        size, core = len(data), self.core_bytes
        count = None if keep & keep + 1 else keep.bit_count()
        ends = last or 0 < self.associated <= size
        if self.associated:
            wanted = min(self.associated, size)
            good = count is not None and (count == wanted or (last and count < wanted)) and (count > 0 or not self._inside)
            self.associated -= wanted
        else:
            good = count is not None and (count == size or last) and (count > 0 or not self._begun)
            self._begun = True
        self._inside = not last
        if count is None or not good:
            self._gathered = b""
            return [(bytes(core), BAD_KEEP, last)]
        if size > core:
            parts = [data[at : min(at + core, count)] for at in range(0, count, core)] or [b""]
            return [_whole(part, core, last and at == len(parts) - 1) for at, part in enumerate(parts)]
        self._gathered += data[:count]
        if not ends and len(self._gathered) < core:
            return []
        part, self._gathered = self._gathered, b""
        return [_whole(part, core, last)]

    def packet(self, beats: Iterable[tuple[bytes, int]]) -> tuple[bytes, tuple[int, ...]]:
        """Data and keeps of the packet that the core gets of this one."""
        given = [*beats]
        found = [out for at, (data, keep) in enumerate(given) for out in self.beat(data, keep, at == len(given) - 1)]
        return b"".join(data for data, _, _ in found), tuple(keep for _, keep, _ in found)


def _whole(part: bytes, size: int, last: bool) -> tuple[bytes, int, bool]:
    return part.ljust(size, b"\0"), (1 << len(part)) - 1, last
