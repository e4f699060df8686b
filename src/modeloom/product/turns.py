# SPDX-License-Identifier: Apache-2.0
"""The beats of packets of several channels, one of each channel in turn.

::

    channel 0   A0 A1 A2 | C0 C1
    channel 1   B0 B1                 ──▶  A0 B0 A1 B1 A2 C0 C1
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

__all__ = ["take_turns"]


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
