# SPDX-License-Identifier: Apache-2.0
"""The messages of the bench for a test in the user's own flow.

::

    phase of the bench   empty ┃ burst alone lengths wrong ┃ stalls statuses ┃ renewed
    the test             before┃ after                     ┃                 ┃ after, if keys come with messages
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from modeloom.compiler.streams import CompiledStream
from modeloom.cores.bench_text import BenchKey, first_keys
from modeloom.cores.stream.bench import bench_limit
from modeloom.cores.stream.traffic import BenchMessage
from modeloom.cores.stream.vectors import BenchVectors, bench_vectors
from modeloom.interfaces.messages import MessageCode
from modeloom.product.cases import Case, Cases
from modeloom.product.messages import StreamDescription
from modeloom.product.points import POINTS, length_point
from modeloom.protocol.outcome import possible_codes, refusal
from modeloom.protocol.transactions import Command

__all__ = ["message_cases"]

ENDS = {
    MessageCode.OK: "right", MessageCode.WRONG_TAG: "right", MessageCode.TOO_SHORT: "early", MessageCode.TOO_LONG: "late",
    MessageCode.BAD_KEEP: "keep",
}  # fmt: skip
"""What is said of a packet by its status."""


def _points(d: StreamDescription, message: BenchMessage) -> Iterator[str]:
    """The points of coverage of a message."""
    code, command = MessageCode(message.wanted.code), message.command
    yield f"code.{code.name}"
    if code in ENDS and (code == MessageCode.OK or refusal(d, command) != code):
        yield f"packet.{ENDS[code]}"
    if code in (MessageCode.OK, MessageCode.WRONG_TAG):
        yield f"direction.{('encrypt', 'decrypt', 'second pass')[command.decrypt]}"
        if d.channels > 1:
            yield f"channel.{'other' if command.channel else 'first'}"
        if not d.inline:
            yield f"slot.{'other' if command.slot else 'first'}"
        yield f"nonce.{'usual' if command.nonce_bytes == d.nonces[0] else 'other'}"
        yield f"tag.{'usual' if command.tag_bytes == d.tag_bytes[0] else 'other'}"
        yield from _lengths(d, message)
    if code == MessageCode.NO_KEY and not d.inline and command.slot >= d.named_slots:
        yield "slot.missing"
    if code == MessageCode.BAD_NONCE_LENGTH:
        yield "nonce.wrong"
    if code == MessageCode.BAD_TAG_LENGTH:
        yield "tag.wrong"
    if code == MessageCode.TOO_LONG_TO_HOLD:
        yield "text.too long to hold"


def _first(d: StreamDescription, command: Command) -> int:
    """The bytes of what comes first in a packet, by its command."""
    return command.text if d.text_first else command.associated


def _lengths(d: StreamDescription, message: BenchMessage) -> Iterator[str]:
    command = message.command
    tag = command.tag_bytes if d.wire and command.decrypt == 1 else 0
    rest = sum(keep.bit_count() for _, keep in message.beats) - _first(d, command) - tag
    associated, text = (rest, command.text) if d.text_first else (command.associated, rest)
    yield length_point("associated", associated, d.beat_bytes)
    yield length_point("text", text, d.beat_bytes)
    if d.hold is not None and command.decrypt and d.held_bytes(command.decrypt, associated, text) == d.hold:
        yield "text.held"


def _wanted(d: StreamDescription) -> Mapping[str, Sequence[str]]:
    """The points of a core."""
    holds, stores = d.hold is not None, d.hold is not None or d.message_buffer is not None
    possible = possible_codes(d)
    several, nonces, tags = d.named_slots > 1, len(d.nonces) > 1, len(d.tag_bytes) > 1
    lengths = [name for name in POINTS["text"] if name not in ("held", "too long to hold")]
    return {
        "direction": [("encrypt", "decrypt", "second pass")[way] for way in d.ways],
        "slot": [] if d.inline else ["first", *["other"] * several, "missing"],
        "associated": lengths, "text": [*lengths, *["held"] * holds, *["too long to hold"] * stores],
        "nonce": ["usual", *["other"] * nonces, "wrong"], "tag": ["usual", *["other"] * tags, "wrong"],
        "code": [code.name for code in MessageCode if code in possible],
        "packet": ["right", "early", *["late"] * bool(d.lengths_first), "keep"],
    }  # fmt: skip


def _cases(d: StreamDescription, messages: Sequence[BenchMessage], keys: Iterator[BenchKey]) -> Iterator[Case]:
    for message in messages:
        command, wanted = message.command, message.wanted
        yield Case(
            command.pack(d), message.beats, wanted.beats, wanted.code, wanted.tag, command.channel if d.channels > 1 else 0,
            next(keys).key if command.new_key else b"", 0 if d.wire else _first(d, command), tuple(_points(d, message)),
        )  # fmt: skip


def _after(d: StreamDescription, vectors: BenchVectors) -> Iterator[Case]:
    """Cases with keys.  Keys that come with messages change once more."""
    phases, keys = vectors.phases, iter(vectors.keys)
    yield from _cases(d, vectors.messages[phases["empty"] : phases["wrong"]], keys)
    if d.inline:
        yield from _cases(d, vectors.messages[phases["statuses"] : phases["renewed"]], keys)


def message_cases(compiled: CompiledStream, d: StreamDescription) -> Cases:
    """Messages without a key, and then all lengths and each error that a host can make.  Channels take turns, if there are several."""
    vectors = bench_vectors(compiled, d, any_order=True)
    before = _cases(d, vectors.messages[: vectors.phases["empty"]], iter(()))
    keys = [] if d.inline else first_keys(vectors.keys)
    return Cases(
        keys, [*before], [*_after(d, vectors)], bench_limit(d, vectors), int(MessageCode.BAD_KEEP), _wanted(d), channels=d.channels,
        both=len(d.ways) > 1,
    )  # fmt: skip
