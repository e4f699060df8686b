# SPDX-License-Identifier: Apache-2.0
"""Fills a core until it takes nothing more, and compares what it took before other traffic and behind it.

::

    statuses at rest   commands ──▶ 13 are taken      other traffic      commands ──▶ 11 are taken: places were lost

A core counts its free places.  If a place is lost, or comes back twice, each message may still be right for a long time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from modeloom.sim import AT_REST
from modeloom.verification.stream.host import MessageHost

__all__ = ["fill_up", "same_room"]

MORE = 8
"""Commands that are sent before the next look whether the core takes any more."""

MOST = 4096
"""Commands after which a core that takes any more has no end."""

STEADY = 4
"""Rounds of commands without more of them under way after which no queue fills up."""

ROOMS = ("m_axis_status", "m_axis")
"""The buses behind which places are counted."""


def fill_up(host: MessageHost, kind: Callable[[], None], rest: tuple[str, ...]) -> int:
    """Sends messages of a kind with some buses at rest until the core takes no more.  Returns the number of commands that it took."""
    d = host.description
    host.runner.accepted("s_axis_cmd")
    host.runner.accepted("s_axis")
    host.set_gaps(dict.fromkeys(rest, AT_REST))
    # A core in which nothing moves for so long does not move any more.
    still = d.message_cycles(2 * d.beat_bytes, 10 * d.beat_bytes)
    taken = under_way = 0
    for number in range(MOST // MORE):
        for _ in range(MORE):
            kind()
        host.run(still)
        moved = len(host.runner.accepted("s_axis_cmd"))
        taken += moved
        # What rests may be an input itself: then the other one comes to its end.
        if not moved and not host.runner.accepted("s_axis"):
            return taken
        # Messages of this kind may need no bus at rest, and then come to their end.
        if number % STEADY == STEADY - 1:
            if host.under_way <= under_way:
                return taken
            under_way = host.under_way
    host.fail(f"takes {taken} commands with {' and '.join(rest)} at rest")
    return taken


@contextmanager
def same_room(host: MessageHost) -> Iterator[None]:
    """Fails if the core takes another number of commands behind what is sent within, with statuses or data at rest."""
    before = _room(host)
    yield
    after = _room(host)
    for (bus, channel), number in before.items():
        if (now := after[bus, channel]) != number:
            of = f" of channel {channel}" if host.description.channels > 1 else ""
            host.fail(f"takes {now} commands{of} with {bus} at rest, and took {number} before {host.messages} messages")


def _room(host: MessageHost) -> dict[tuple[str, int], int]:
    """The number of short messages of the first and of the last channel that the core takes with each of the buses at rest."""
    d = host.description
    found: dict[tuple[str, int], int] = {}
    host.set_gaps({})
    host.settle()
    host.load(host.subject.good_key(host.rng), 0)
    host.settle()
    renews, host.renews = host.renews, False
    for bus in ROOMS:
        for channel in sorted({0, d.channels - 1}):
            job = partial(host.job, slot=0, decrypt=host.subject.ways[0], text=1, channel=channel)
            found[bus, channel] = fill_up(host, job, (bus,))
            host.set_gaps({})
            host.settle()
    host.renews = renews
    return found
