# SPDX-License-Identifier: Apache-2.0
"""The packets of a test in beats of another width: those that converters make the packets of the core of.

::

    core, 8 bytes   0 1 2 3 4 5 6 7 │ 8 9 . . . . . .     host, 4 bytes   0 1 2 3 │ 4 5 6 7 │ 8 9 . .
    a hole          0 . 2 3 4 5 6 7 │ 8 9 . . . . . .                     0 . 2 3 │ 4 5 6 7 │ 8 9 . .

A packet whose beats cannot be made of beats of the host is left out, if its result would be another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from modeloom.interfaces.passed_on import BAD_KEEP, PassedOn
from modeloom.product.cases import Beats, Case, Cases

__all__ = ["converted", "passed_on_as", "sent_as", "wanted_as"]


def converted(cases: Cases, core_bytes: int, host_bytes: int) -> Cases:
    """The cases of a core, in beats of the host around it."""

    def turned(rows: Sequence[Case]) -> list[Case]:
        found = []
        for case in rows:
            sent = sent_as(case, core_bytes, host_bytes)
            if passed_on_as(case, sent, core_bytes, cases.wrong_keep):
                found.append(replace(case, sent=sent, wanted=wanted_as(case.wanted, host_bytes)))
        return found

    return replace(cases, before=turned(cases.before), after=turned(cases.after))


def sent_as(case: Case, core_bytes: int, host_bytes: int) -> Beats:
    """The beats of the host for a packet, of which each has what stands at its place."""
    if host_bytes < core_bytes:
        return [*_split(case, core_bytes, host_bytes)]
    return [*_joined(case, core_bytes, host_bytes)]


def _split(case: Case, core_bytes: int, host_bytes: int) -> Iterator[tuple[bytes, int]]:
    full, left, end = (1 << host_bytes) - 1, case.associated, len(case.sent) - 1
    for number, (data, keep) in enumerate(case.sent):
        here = min(left, core_bytes) or core_bytes
        left -= min(left, core_bytes)
        # Behind the bytes of a right beat, none is sent.  Those of a wrong one are all sent, so that it is wrong.
        right = keep == (1 << here) - 1 or (number == end and not keep & keep + 1)
        count = max(1, -(-keep.bit_length() // host_bytes)) if right else -(-core_bytes // host_bytes)
        for at in range(0, count * host_bytes, host_bytes):
            yield data[at : at + host_bytes], keep >> at & full


def _joined(case: Case, core_bytes: int, host_bytes: int) -> Iterator[tuple[bytes, int]]:
    left, at, beats = case.associated, 0, case.sent
    while at < len(beats):
        count = host_bytes // core_bytes
        if left:
            count = min(count, -(-left // core_bytes))
            left -= min(left, host_bytes)
        # A beat without bytes at the end of a packet ends the wide beat before it, if it is not alone in one.
        group = beats[at : at + count]
        at += count
        data = b"".join(data for data, _ in group).ljust(host_bytes, b"\0")
        yield data, sum(keep << place * core_bytes for place, (_, keep) in enumerate(group))


def passed_on_as(case: Case, sent: Beats, core_bytes: int, wrong_keep: int) -> bool:
    """Whether the core gives the same result for what it gets of these beats."""
    meant, passed = [*_masked(case.sent)], _passed(case, sent, core_bytes)
    if passed == meant:
        return True
    if case.code != wrong_keep:
        # What a command alone decides, no packet changes.
        return not case.wanted and case.code > wrong_keep
    # The packet counts up to its first wrong beat.
    first = next((at for at, beat in enumerate(passed) if [beat] != meant[at : at + 1]), None)
    if first is None or passed[first][1] != BAD_KEEP:
        return False
    return not case.wanted or first == _first_wrong(case, core_bytes)


def _masked(beats: Beats) -> Iterator[tuple[bytes, int]]:
    for data, keep in beats:
        yield bytes(byte * (keep >> at & 1) for at, byte in enumerate(data)), keep


def _passed(case: Case, sent: Beats, core_bytes: int) -> list[tuple[bytes, int]]:
    """The beats that the core gets."""
    data, keeps = PassedOn(core_bytes, case.associated).packet(sent)
    return [(data[at * core_bytes : (at + 1) * core_bytes], keep) for at, keep in enumerate(keeps)]


def _first_wrong(case: Case, core_bytes: int) -> int:
    """The first wrong beat of the packet of the core."""
    return next(at for at, (_, keep) in enumerate(_passed(case, case.sent, core_bytes)) if keep == BAD_KEEP)


def wanted_as(beats: Beats, host_bytes: int) -> Beats:
    """The beats in which a packet out leaves the converters."""
    if not beats or len(beats[0][0]) == host_bytes:
        return beats
    found: list[bytes] = []
    gathered = b""
    for at, (data, keep) in enumerate(beats):
        part = data[: keep.bit_count()]
        if len(data) > host_bytes:
            found += [part[place : place + host_bytes] for place in range(0, len(part), host_bytes)] or [b""]
            continue
        gathered += part
        if len(gathered) == host_bytes or at == len(beats) - 1:
            found.append(gathered)
            gathered = b""
    return [(part.ljust(host_bytes, b"\0"), (1 << len(part)) - 1) for part in found]
