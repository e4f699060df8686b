# SPDX-License-Identifier: Apache-2.0
"""Sends the fields of commands, ``tkeep``, and key packets at the values around their bounds, derived from the tables of interfaces.

::

    field        accepted (core.json)     sent
    8 bits       lengths, channels        all 256 values
    slot         0 to slots - 1           each bound and its neighbours, and each of these with one bit inverted
    associated   0 to the most            the bytes that come, and the bounds, with one bit inverted

A field that the tables get later is sent without a change here: what a core accepts of a field is asked of ``accepted``, which fails for
a field that it does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from modeloom import vectors
from modeloom.emit.simulators import CheckFailed
from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.interfaces.table import RESERVED, Field, Role
from modeloom.product.message import Message
from modeloom.product.messages import StreamDescription
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.protocol.transactions import KeyPacket, MessagePacket, message_packet, whole_keeps
from modeloom.verification.stream.host import MessageHost, StreamSubject, host_of

__all__ = ["accepted", "bounds_units", "check_bounds", "check_vectors", "fitting", "run_vectors", "values_of"]


# -- vectors ---------------------------------------------------------------------------------------------------------------------------

# Runs the published vectors of the mode on the core, as far as its keys, nonces, tags and directions allow.

Test = dict[str, Any]

MOST_KEYS = 64
"""Most keys that are loaded at a time."""


def fitting(d: StreamDescription) -> list[Test]:
    """The published vectors for the mode, the cipher, and the lengths of a core."""
    return [
        test for test in vectors.for_mode(d.mode, d.cipher)
        if len(test["key"]) // 2 in d.user_key_lengths and len(test["nonce"]) // 2 in d.nonces and len(test["tag"]) // 2 in d.tag_bytes
    ]  # fmt: skip


def run_vectors(core: SimulatedStreamCore, tests: list[Test], folder: str | Path = "") -> int:
    """Runs vectors in all directions of a core, and returns the number of messages.

    It loads as many keys at a time as the core has slots, up to ``MOST_KEYS``.  A definition in a file is looked for from *folder* on.

    Raises
    ------
    CheckFailed
        For the first message that differs.
    """
    d, count = core.description, 0
    source, slots = d.key_source, min(d.key_slots, MOST_KEYS)
    keys = list(dict.fromkeys(test["key"] for test in tests))
    for at in range(0, len(keys), slots):
        group = {key: slot for slot, key in enumerate(keys[at : at + slots])}
        for key, slot in source.loaded([*group.items()]):
            core.load_key(bytes.fromhex(key), slot)
        chosen = [test for test in tests if test["key"] in group]
        jobs: list[Message] = []
        wanted: list[tuple[Test, MessageCode, bytes | None]] = []
        for test in chosen:
            nonce, ad, plain, text, tag = (bytes.fromhex(test.get(name) or "") for name in ("nonce", "aad", "pt", "ct", "tag"))
            slot, key = source.brings(group[test["key"]], d.message_key(folder, bytes.fromhex(test["key"]), nonce))
            valid = test["result"] == "valid"
            for way in (way for way in d.ways if (valid or way == 1) and d.fits(way, len(ad), len(text))):
                given, out = (text, plain) if way == 1 else (plain, text)
                jobs.append(Message(nonce, given + (tag if way else b""), ad, way, slot, len(tag), key))
                result = out[: d.text_of(way, len(out))] + (b"" if way else tag)
                wanted.append((test, MessageCode.OK if valid else MessageCode.WRONG_TAG, result if valid else None))
        for outcome, job, (test, code, data) in zip(core.outcomes(jobs), jobs, wanted, strict=True):
            if outcome.code != code or (data is not None and outcome.text + outcome.tag != data):
                does = "open" if job.decrypt == 1 else "seal"
                raise CheckFailed(f"vector {test['tcId']} fails to {does}: {test.get('comment', '')}".rstrip(": "))
        count += len(jobs)
    return count


def check_vectors(subject: StreamSubject) -> tuple[str, dict[str, Any]]:
    """Runs the vectors that fit the core.  If there are none, the result says so."""
    tests = fitting(subject.description)
    if not tests:
        return "no published vector fits this core", {"vectors": 0}
    invalid = sum(test["result"] != "valid" for test in tests)
    try:
        messages = run_vectors(subject.core(), tests, subject.directory)
    except CheckFailed as error:
        raise CheckFailed(f"{subject.directory}: {error}") from error
    text = f"{len(tests)} published ones fit this core and pass, {invalid} of them with tags that must be refused"
    return text, {"vectors": len(tests), "invalid": invalid, "messages": messages}


# -- bounds ----------------------------------------------------------------------------------------------------------------------------

WHOLE_BITS = 8
"""Fields with at most so many bits are sent at all their values."""

BETWEEN = 8
"""Number of values of a field after which a message that is right everywhere must be answered as ever."""

NOT_VALUES = ("id", RESERVED)
"""Fields of which every value is accepted, and which are not lengths: their bits are set one at a time."""

NO_BOUNDS = ("tag", "new_key")
"""Fields that are not sent here: a tag has no bounds, and whether a key comes with a message is said of every message."""


def accepted(d: StreamDescription, name: str) -> list[range]:
    """The values of a field of a command that a core accepts, for the usual length of nonces.

    Raises ``KeyError`` for a field that is not known.
    """
    every = {
        "slot": [range(d.named_slots)], "channel": [range(d.channels)],
        "decrypt": [range(way, way + 1) for way in sorted(map(int, d.ways))],
        "nonce_bytes": [range(n, n + 1) for n in sorted(d.nonces)], "tag_bytes": [range(n, n + 1) for n in sorted(d.tag_bytes)],
        "associated": [range(d.most_associated + 1)], "text": [range(d.text_with(d.nonces[0]) + 1)],
    }  # fmt: skip
    return every[name]


def values_of(field: Field, ranges: Iterable[range], more: Iterable[int] = ()) -> list[int]:
    """The values of a field that are sent.

    A short one has all values.  A long one has each bound, its neighbours, those in *more*, and each of them with each bit inverted.
    """
    top = 1 << field.bits
    if field.bits <= WHOLE_BITS:
        return list(range(top))
    near = {value + step for one in ranges for value in (one.start, one.stop - 1) for step in (-1, 0, 1)} | {0, top - 1, *more}
    possible = {value for value in near if 0 <= value < top}
    return sorted(possible | {value ^ 1 << bit for value in possible for bit in range(field.bits)})


def check_bounds(subject: StreamSubject) -> tuple[str, dict[str, Any]]:
    """Sends the fields of a command, each ``tkeep``, and key packets at the values around their bounds.

    Each must be answered with the right status, and a right message behind some of them with the right text.
    """
    sent = {name: unit(subject) for name, unit in bounds_units(subject).items()}
    keys, number = sent.pop("keys"), sum(sent.values())
    told = (
        f"{number} values of {len(sent)} fields around their bounds and with single bits inverted, and {keys} key packets, are answered as "
        "they must be"
    )
    return told, {"values": number, "key_packets": keys}


def bounds_units(subject: StreamSubject) -> dict[str, Callable[[StreamSubject], int]]:
    """The parts of this check, each with a core of its own: one for each field, for ``tkeep``, and for key packets.  Each returns the
    number of values."""
    packing = next(group for group in subject.description.interfaces if group.name == "s_axis_cmd").packing

    def of_field(field: Field) -> Callable[[StreamSubject], int]:
        def unit(subject: StreamSubject) -> int:
            host = _host(subject, field.name)
            return _send(host, list(_jobs_of(host, field)))

        return unit

    def keeps(subject: StreamSubject) -> int:
        host = _host(subject, "tkeep")
        return _send(host, list(_keeps(host)))

    # What is secret has no bounds.
    fields = {field.name: of_field(field) for field in packing.fields if field.role is Role.PUBLIC and field.name not in NO_BOUNDS}
    return {**fields, "tkeep": keeps, "keys": lambda subject: _keys(_host(subject, "keys"))}


def _host(subject: StreamSubject, name: str) -> MessageHost:
    """A host whose core has keys."""
    host = host_of(subject, subject.rng(f"bounds of {name}"))
    host.load_all()
    return host


def _send(host: MessageHost, jobs: list[dict[str, Any]]) -> int:
    """Sends jobs, and right ones between them."""
    rng, size = host.rng, host.description.beat_bytes
    for number, job in enumerate(jobs):
        host.job(**{"slot": rng.choice(host.used), "decrypt": rng.choice(host.subject.ways), **job})
        if number % BETWEEN == BETWEEN - 1:
            host.job(slot=rng.choice(host.used), decrypt=rng.choice(host.subject.ways), ad=3, text=size + 1)
            host.settle()
    host.settle()
    return len(jobs)


def _jobs_of(host: MessageHost, field: Field) -> Iterator[dict[str, Any]]:
    """Messages whose commands have the values of a field; their packets do not change."""
    d, size = host.description, host.description.beat_bytes
    if field.name in NOT_VALUES:
        for bit in range(field.bits):
            if field.name == RESERVED:
                yield {"ad": 1, "text": 1, "reserved": 1 << bit}
            else:
                yield {"ad": 1, "text": 1, field.name: 1 << bit}
        return
    ranges = accepted(d, field.name)
    if field.name in ("associated", "text"):
        # The most that the mode allows can be stated, but not sent: a packet then ends before the end.
        lengths = (0, 5, size, size + 3) if field.name == "associated" else (0, 5, 2 * size, 2 * size + 1)
        for nbytes in lengths:
            for value in values_of(field, (), (nbytes,)):
                if field.name == "associated":
                    yield {"ad": nbytes, "text": size + 1, "associated": value}
                else:
                    yield {"ad": 3, "text": nbytes, "stated": value}
        if field.name == "associated":
            for value in values_of(field, ranges):
                yield {"ad": 2, "text": 3, "associated": value}
            return
        # The most text may depend on the length of the nonce.
        for nonce in {d.text_with(nbytes): nbytes for nbytes in d.nonces}.values():
            for value in values_of(field, [range(d.text_with(nonce) + 1)]):
                yield {"ad": 2, "text": 3, "stated": value, "nonce": nonce}
        return
    if field.name == "slot":
        used = host.used if d.named_slots <= 1 << 8 else ()
        for value in values_of(field, ranges, used):
            yield {"ad": 1, "text": size + 1, "slot": value}
        return
    # A message with a length that the core has is made for this length.
    made = {"nonce_bytes": "nonce", "tag_bytes": "tag_bytes"}
    for value in values_of(field, ranges):
        right = field.name in made and any(value in one for one in ranges)
        yield {"ad": 1, "text": 3, made[field.name] if right else field.name: value}


def _keeps(host: MessageHost) -> Iterator[dict[str, Any]]:
    """Packets whose ``tkeep`` has each number of bytes, and each of its bits inverted: in each beat of each part."""
    d, size = host.description, host.beat_bytes
    shapes = [(1, size + size // 2), (size + 3, 3)]
    for ad, text in shapes:
        plain = message_packet(d, 0, bytes(ad), bytes(text), size=size)
        keeps = {(1 << count) - 1 for count in range(size + 1)}
        keeps |= {keep ^ 1 << bit for keep in ((1 << size) - 1, (1 << size // 2) - 1) for bit in range(size)}
        for at in range(len(plain.keeps)):
            for keep in sorted(keeps):
                changed = (*plain.keeps[:at], keep, *plain.keeps[at + 1 :])
                data = host.rng.randbytes(len(plain.data))
                yield {"ad": ad, "text": text, "packet": MessagePacket(data, changed)}


def _keys(host: MessageHost) -> int:
    """Key packets of each length, with each bit of ``tkeep`` inverted, and for each slot that differs in a bit from one with a key."""
    rng, d = host.rng, host.description
    most = max(d.packet_sizes)
    packets: list[tuple[int, int, tuple[int, ...] | None]] = [
        (length, rng.choice(host.used), None) for length in range(1, most + KEY_BEAT_BYTES + 2) if length not in d.packet_sizes
        # Round keys are long, and all of them are not worth it.
        and (most <= 128 or min(abs(length - size) for size in (1, *d.packet_sizes)) <= KEY_BEAT_BYTES)
    ]  # fmt: skip
    for total in d.packet_sizes:
        keeps = whole_keeps([total], KEY_BEAT_BYTES)
        for at in {0, len(keeps) - 1}:
            for bit in range(KEY_BEAT_BYTES):
                changed = (*keeps[:at], keeps[at] ^ 1 << bit, *keeps[at + 1 :])
                if KeyPacket.of(bytes(total), keeps=changed).refused(d.packet_sizes, 1):
                    packets.append((total, rng.choice(host.used), changed))
    packets += [(d.packet_sizes[0], slot, None) for slot in host.missing_slots()]
    for number, (length, slot, keeps_sent) in enumerate(packets):
        host.wrong_key(rng.randbytes(length), slot, keeps_sent)
        host.behind_wrong_key()
        if number % 4 == 3 or slot >= host.slots:
            host.settle()
        if slot >= host.slots:
            # The keys that the core has are not touched.
            host.with_each_key()
        if number % 16 == 15:
            host.load_all()
            host.with_each_key()
    host.load_all()
    host.with_each_key()
    host.key_packets_alone()
    return len(packets)
