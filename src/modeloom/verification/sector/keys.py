# SPDX-License-Identifier: Apache-2.0
"""Tests many keys, so the key schedule reads every entry of its S-boxes, and each slot holds several of them in turn."""

from __future__ import annotations

import random

from modeloom.spec.wording import many
from modeloom.verification.sector.coverage import schedule_keys
from modeloom.verification.sector.host import Host
from modeloom.verification.sector.subject import Subject

__all__ = ["check_keys", "chosen_keys"]


def chosen_keys(subject: Subject, rng: random.Random) -> list[bytes]:
    """Whole keys of the mode: edge values, then keys for the S-boxes of the key schedule.  The mode may refuse some of them."""
    layout = subject.description.key_layout
    cipher_keys = set(subject.mode.cipher_keys)
    total = subject.description.key_bytes
    keys = [bytes(total), b"\xff" * total]
    # One bit at each end of each part, set alone and cleared alone.
    for part in layout:
        for place in (8 * part.offset, 8 * (part.offset + part.bytes) - 1):
            value = 1 << place
            keys += [value.to_bytes(total, "little"), (value ^ (1 << 8 * total) - 1).to_bytes(total, "little")]
    parts = [part for part in layout if part.name in cipher_keys]
    for number, part in enumerate(parts):
        # All cipher keys use the same key schedule, so one of them is enough, unless they have different lengths.
        if any(other.bytes == part.bytes for other in parts[:number]):
            continue
        for chosen in schedule_keys(subject.description.cipher, part.bytes, rng):
            key = bytearray(rng.randbytes(total))
            key[part.offset : part.offset + part.bytes] = chosen
            keys.append(bytes(key))
    return keys


def check_keys(subject: Subject) -> tuple[str, dict[str, int]]:
    """Loads every key and runs a sector of each direction with it.  Slots and sizes alternate, and the beats of every other group of keys
    come with pauses."""
    rng = subject.rng("keys")
    keys = chosen_keys(subject, rng)
    host = Host(subject, rng)
    refused = 0
    for start in range(0, len(keys), host.slots):
        group = list(enumerate(keys[start : start + host.slots]))
        # Longer than the expansion of the key before.
        host.set_gaps({"s_axis_key": 0.98} if start // host.slots % 2 else {})
        for slot, key in group:
            host.load(key, slot)
            refused += subject.reference(key) is None
        host.settle()
        size = start // host.slots % len(subject.sizes)
        for slot, _ in group:
            for decrypt in subject.ways:
                host.job(slot=slot, decrypt=decrypt, size=size)
        host.settle()
    more = f", {refused} of them refused by the mode" if refused else ""
    text = f"{len(keys)} keys in {many(host.slots, 'slot')}{more}; the key schedule reads every entry of its S-boxes"
    if subject.description.cipher != "aes":
        text = f"{len(keys)} random and edge keys in {many(host.slots, 'slot')}{more}"
    return text, {"keys": len(keys), "refused": refused, "sectors": host.sectors}
