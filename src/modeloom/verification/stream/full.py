# SPDX-License-Identifier: Apache-2.0
"""Fills every queue of a core with the bus behind it, or the one beside it, at rest, and then lets one beat pass at a time.

::

    m_axis_status at rest     commands ──▶ core takes no more ──▶ one status ──▶ full again ──▶ ... ──▶ all
    statuses that wait        1 2 3 ...    N, and one beyond      N - 1          N

No depth is known here: commands come until the core takes nothing more.  All queues between the buses are then as full as they can be
with messages of this kind, and what a queue must not take waits before it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from modeloom.sim import AT_REST
from modeloom.verification.stream.host import MessageHost, host_of
from modeloom.verification.stream.room import fill_up
from modeloom.verification.stream.subject import StreamSubject

__all__ = ["check_full", "full_units"]

RESTS: tuple[tuple[str, ...], ...] = (("m_axis_status",), ("m_axis",), ("m_axis_status", "m_axis"), ("s_axis",), ("s_axis_cmd",))
"""The buses that rest while all others go on."""

SINGLE = 6
"""Beats that pass one at a time, and the core fills up again."""

CYCLES = 4
"""Number of cycles in which such a beat must pass, if there is one."""


def check_full(subject: StreamSubject) -> tuple[str, dict[str, Any]]:
    """Fills the core with messages of each kind with each bus at rest.  Every message must have its result in the end."""
    most = [unit(subject) for unit in full_units(subject).values()]
    told = f"with each bus at rest the core takes up to {max(most)} commands, and all of them have their results afterwards"
    return told, {"most_commands": max(most), "fillings": len(most)}


def full_units(subject: StreamSubject) -> dict[str, Callable[[StreamSubject], int]]:
    """The parts of this check, each with a core of its own: one for each kind of messages and each bus at rest.  Each returns the number of
    commands that the core took."""

    def unit(kind: str, rest: tuple[str, ...]) -> Callable[[StreamSubject], int]:
        return lambda subject: _fill(subject, kind, rest)

    return {f"{kind}, {' and '.join(rest)} at rest": unit(kind, rest) for rest in RESTS for kind in _kinds(subject)}


def _kinds(subject: StreamSubject) -> dict[str, Callable[[MessageHost], dict[str, Any]]]:
    """Messages: short ones with text, without text, refused ones, some long ones, ones to open with a wrong tag, and a mixture."""
    d = subject.description
    size = d.beat_bytes
    longest = min(9 * size, *map(d.room, d.ways))
    kinds: dict[str, Callable[[MessageHost], dict[str, Any]]] = {
        "short": lambda host: {"text": host.rng.choice((1, size))}, "empty": lambda host: {"ad": host.rng.choice((0, 1))},
        "refused": lambda host: {"ad": 1, "text": 1, "tag_bytes": 255},
        "long": lambda host: {"ad": host.rng.choice((0, size)), "text": host.rng.choice((0, longest))},
    }  # fmt: skip
    if any(subject.ways) and d.compares:
        way = [one for one in subject.ways if one][-1]
        kinds["wrong"] = lambda host: {"text": host.rng.choice((0, 3)), "decrypt": way, "wrong_bit": 0}
    single = list(kinds.values())
    kinds["mixed"] = lambda host: host.rng.choice(single)(host)
    return kinds


def _fill(subject: StreamSubject, name: str, rest: tuple[str, ...]) -> int:
    d, rng, kind = subject.description, subject.rng(f"full: {name} {rest}"), _kinds(subject)[name]
    host = host_of(subject, rng)
    host.load_all()
    slots, size = host.used, d.beat_bytes

    def job() -> None:
        host.job(**{"slot": rng.choice(slots), "decrypt": rng.choice(subject.ways), **kind(host)})

    most = fill_up(host, job, rest)
    for _ in range(SINGLE):
        # One beat may pass on one of the buses at rest, and the core fills up again.
        _one_beat(host, rng.choice(rest), rest)
        host.set_gaps(dict.fromkeys(rest, AT_REST))
        host.run(d.message_cycles(size, size))
    if rng.random() < 0.5:
        # Keys wait for the messages of their slots.
        for slot in slots[:2]:
            host.load(subject.good_key(rng), slot)
    host.set_gaps({})
    host.settle()
    return most


def _one_beat(host: MessageHost, name: str, rest: tuple[str, ...]) -> None:
    """Lets a beat pass on one of the buses at rest, if there is any."""
    before = host.runner.waiting(name)
    host.set_gaps(dict.fromkeys((other for other in rest if other != name), AT_REST))
    for _ in range(CYCLES):
        host.runner.run(max_cycles=1)
        if host.runner.waiting(name) != before:
            break
    host.compare()
