# SPDX-License-Identifier: Apache-2.0
"""Tests messages of every class of lengths, with every nonce and tag length, then random ones with pauses and faults."""

from __future__ import annotations

from itertools import cycle
from typing import Any

from modeloom.protocol.faults import FAULTS
from modeloom.sim import AT_REST
from modeloom.verification.host import BUSES
from modeloom.verification.stream.host import MessageHost, host_of
from modeloom.verification.stream.room import same_room
from modeloom.verification.stream.subject import StreamSubject

__all__ = ["MESSAGES", "PATTERNS", "check_lengths", "check_messages"]

PATTERNS: tuple[dict[str, float], ...] = (
    {}, dict.fromkeys(BUSES, 0.1), {"m_axis": 0.7}, {"s_axis": 0.7}, {"s_axis_cmd": 0.95}, {"m_axis_status": 0.97},
    {"s_axis": 0.5, "m_axis": 0.5, "m_axis_status": 0.5}, {"m_axis": 0.95},
)  # fmt: skip
"""Probabilities of pauses: none, a few everywhere, one slow bus at a time, and slow data on all buses."""

MESSAGES = 2000
"""Default number of random messages."""

CHUNK = 64
"""Number of messages with the same pattern of pauses and the same keys."""


def check_lengths(subject: StreamSubject) -> tuple[str, dict[str, Any]]:
    """Runs messages of every length of associated data and text up to two blocks and a byte, and with each length of nonces and tags, with
    and without associated data.

    Some tags are wrong.
    """
    rng, d = subject.rng("lengths"), subject.description
    host = host_of(subject, rng)
    host.load_all()
    # In a core that is made for it, messages bring keys of their own.
    host.renews = True
    slots, most = cycle(host.used), 2 * d.beat_bytes + 1
    for ad in range(most + 1):
        for text in range(most + 1):
            host.job(slot=next(slots), decrypt=rng.choice(subject.ways), ad=ad, text=text)
        host.settle()
    for decrypt in subject.ways:
        for nonce in d.nonces:
            for tag in d.tag_bytes:
                for ad in (0, 1 + nonce % 3):
                    host.job(slot=next(slots), decrypt=decrypt, ad=ad, text=tag, nonce=nonce, tag_bytes=tag)
        host.settle()
    for decrypt in filter(None, subject.ways):
        for tag in d.tag_bytes:
            for bit in range(8 * tag):
                host.job(slot=next(slots), decrypt=decrypt, ad=3, text=d.block_bytes + 1, tag_bytes=tag, wrong_bit=bit)
                if not bit % 8:
                    host.job(slot=next(slots), decrypt=decrypt, ad=3, text=d.block_bytes + 1, tag_bytes=tag)
            host.settle()
    wrong = ", wrong tags with each bit inverted" if d.compares else ""
    told = f"{host.messages} messages of all lengths up to {most} bytes, all lengths of nonces and tags{wrong}"
    return told, {"messages": host.messages}


def check_messages(subject: StreamSubject, wanted: int | None = None) -> tuple[str, dict[str, Any]]:
    """Runs random messages in chunks.  Each chunk has new keys and another pattern of pauses."""
    rng = subject.rng("messages")
    host = host_of(subject, rng)
    # In a core that is made for it, messages bring keys of their own.
    host.renews = True
    with same_room(host):
        sent = _random_messages(host, rng, wanted or MESSAGES)
    reference = "the independent reference" if subject.independent else "the definition"
    return f"{sent} random messages with pauses and back-pressure agree with {reference}", {"messages": sent}


def _random_messages(host: MessageHost, rng: Any, wanted: int) -> int:
    """Sends at least so many.  Returns the number."""
    subject, d, before = host.subject, host.description, host.messages
    patterns = cycle(PATTERNS)
    while host.messages - before < wanted:
        host.set_gaps({})
        for slot in host.used:
            if host.slots > 1 and rng.random() < 0.1:
                host.erase(slot)
            else:
                host.load(subject.good_key(rng), slot)
        host.settle()
        host.set_gaps(next(patterns))
        for _ in range(min(CHUNK, wanted + before - host.messages)):
            decrypt = rng.choice(subject.ways)
            host.job(
                slot=rng.choice(host.used), decrypt=decrypt, ad=_length(rng, d.beat_bytes), text=_length(rng, d.beat_bytes),
                nonce=rng.choice(d.nonces) if rng.random() < 0.2 else None, tag_bytes=rng.choice(d.tag_bytes),
                wrong_bit=rng.randrange(8 * min(d.tag_bytes)) if decrypt and rng.random() < 0.2 else None,
                fault=rng.choice(FAULTS) if rng.random() < 0.05 else None,
            )  # fmt: skip
        if rng.random() < 0.2:
            # The host takes nothing until the core is full.
            host.set_gaps({"m_axis": AT_REST} if rng.random() < 0.5 else {"m_axis_status": AT_REST})
            host.run(4 * d.message_cycles(64, 64))
            host.set_gaps({})
        host.settle()
    return host.messages - before


def _length(rng: Any, size: int) -> int:
    """A random number of bytes.  It is often 0 or a number of whole blocks, mostly small, and sometimes large."""
    kind = rng.random()
    if kind < 0.2:
        return 0
    if kind < 0.4:
        return int(size * rng.randrange(1, 6))
    return int(rng.randrange(1, 5 * size) if kind < 0.95 else rng.randrange(30 * size))
