# SPDX-License-Identifier: Apache-2.0
"""The commands that the bench sends and the results that it expects.

Keys and messages come from a fixed seed, and results from the software model::

    phase      commands                                       wanted
    empty      one before any key is loaded                   status NO_KEY, no data
    burst      back to back, directions and slots by turns    results; equal distances in the second half
    alone      one of one block                               result; its latency at the pins
    lengths    every class of lengths of data, each length    results
               of nonces and tags, wrong and correct tags
    wrong      each error that a host can make, with good     each code; results between them
               ones in between
    stalls     while results wait, then with random pauses    results
    statuses   refused ones, while statuses wait              NO_KEY
    renewed    after other keys have been loaded              results under the new keys
    reload     while the key of a slot is replaced            results under the old key, NO_KEY, results under the new one
    reloaded   after that                                     results under the new key
    refused    after a key that is refused                    NO_KEY
    erasure    while a slot is erased                         results, NO_KEY
    erased     after that                                     NO_KEY
    zeroize    cut off by zeroize                             results that come before it
    zeroized   after it                                       NO_KEY
    started    with a key again                               results
    reset      cut off by a reset                             results that come before it
    unkeyed    after it                                       NO_KEY
    restarted  with a key again                               results
"""

from __future__ import annotations

from dataclasses import dataclass

from modeloom.ciphers import cipher_of
from modeloom.compiler.streams import CompiledStream
from modeloom.cores.bench_text import BenchKey, bench_bytes
from modeloom.cores.stream.figures import key_sizes
from modeloom.cores.stream.traffic import BenchMessage, Traffic
from modeloom.definition.expanded import expanded_key
from modeloom.definition.messages import StreamModel
from modeloom.interfaces.messages import MessageCode
from modeloom.product.messages import StreamDescription
from modeloom.protocol.contract import MOST_STATED
from modeloom.protocol.scenarios import wrong_packets

__all__ = ["BenchVectors", "bench_vectors"]

MOST_HELD = 1024
"""Number of bytes of the longest messages that the bench sends to a core that holds text, or stores messages.  Its text and its time grow
with them."""

WRONG_KEYS = 2
"""Key packets that the bench sends one after another and that are no keys, of a core whose keys come with messages."""

BURST = 16
"""Number of messages back to back."""


@dataclass(frozen=True)
class BenchVectors:
    """Keys, messages and phases.

    Attributes
    ----------
    keys : tuple of BenchKey
        There is one key for each slot that is used, then another one for each of these slots, and then one more, which replaces the
        second key of the first slot.  The sizes of keys take turns.
    messages : tuple of BenchMessage
        The messages in order.
    phases : dict
        For each phase, the number of commands that have been sent at its end.
    """

    keys: tuple[BenchKey, ...]
    messages: tuple[BenchMessage, ...]
    phases: dict[str, int]


def bench_vectors(compiled: CompiledStream, d: StreamDescription, *, any_order: bool = False) -> BenchVectors:
    """The vectors of a core.  They are the same for the same definition and options.

    ``any_order`` says that the host takes the results of several channels in any order.  Otherwise all messages are of one channel if
    the core may give results in another order than that of their messages.
    """
    slots = sorted({0, d.named_slots - 1})
    sizes = key_sizes(compiled)
    labels = [f"key {slot}" for slot in slots] + [f"second key {slot}" for slot in slots] + ["third key"]
    places = [*slots, *slots, slots[0]]
    loaded = [(slot, bench_bytes(label, sizes[n % len(sizes)])) for n, (slot, label) in enumerate(zip(places, labels, strict=True))]
    traffic = Traffic(compiled, d, any_order or d.explain.turn is None or d.channels == 1)
    size, shape = d.beat_bytes, d.bench_shape
    # If the core stores messages to seal, those that only have to have results are not too long for it.
    most = None if d.buffered_beats is None else max(1, d.buffered_beats - 1) * size
    phases: dict[str, int] = {}

    def end(phase: str) -> None:
        phases[phase] = traffic.number

    def load(first: int, count: int = len(slots)) -> None:
        for slot, key in loaded[first : first + count]:
            traffic.load(slot, key)

    def some(count: int) -> None:
        for number in range(count):
            text = size + 3 * number
            traffic.good(number % 3 * 5, text if most is None else min(text, most))

    traffic.refused(MessageCode.NO_KEY)
    end("empty")
    load(0)
    seals = traffic.seals
    # In a core that holds text, sealed and opened messages wait for each other at the output, so the figures are those of sealed
    # ones.
    unheld = 0 if seals and d.hold is not None else None
    # The first pass has no text out, so that the second one is timed.
    alone = d.timed[-1] if d.two_passes and d.timed else 0 if seals and d.wire else unheld
    for _ in range(BURST):
        traffic.good(shape.associated, shape.text, decrypt=unheld)
    end("burst")
    traffic.good(0, size, decrypt=alone)
    end("alone")
    _lengths(traffic, d)
    end("lengths")
    _wrong(traffic, d)
    end("wrong")
    some(d.explain.stages // 2 + 8)
    end("stalls")
    for _ in range(d.explain.stages + 10):
        if d.inline:
            traffic.refused(MessageCode.BAD_TAG_LENGTH, tag_bytes=255, text=1)
        else:
            traffic.refused(MessageCode.NO_KEY, slot=d.key_slots, text=1)
    end("statuses")
    load(len(slots))
    some(8)
    end("renewed")
    third = StreamModel(compiled.mode, loaded[-1][1], compiled.options.cipher, derived=compiled.derived is None)
    for number in range(12):
        slot = slots[number % len(slots)]
        # A key that comes with messages changes none of those before it.
        changes = slot == slots[0] and not d.inline
        traffic.good(
            number % 2 * size, 2 * size + number, slot=slot, renewed=third if changes else None, changes=changes,
            decrypt=int(not seals) if changes else None,
        )  # fmt: skip
    end("reload")
    load(2 * len(slots), 1)
    some(4)
    end("reloaded")
    if d.inline:
        # Packets that are no keys have their turns, too.
        traffic.turns += WRONG_KEYS
        for _ in range(WRONG_KEYS):
            traffic.refused(MessageCode.NO_KEY)
    traffic.refused(MessageCode.NO_KEY, slot=slots[0])
    end("refused")
    load(0, 1)
    for number in range(8):
        slot = slots[number % len(slots)]
        traffic.good(size, size + number, slot=slot, changes=slot == slots[0])
    end("erasure")
    traffic.refused(MessageCode.NO_KEY, slot=slots[0])
    end("erased")
    for cut, after, again in (("zeroize", "zeroized", "started"), ("reset", "unkeyed", "restarted")):
        load(0)
        if cut == "reset":
            traffic.turns = 0  # the key of the phase before it
        some(6)
        end(cut)
        for slot in slots:
            traffic.refused(MessageCode.NO_KEY, slot=slot)
        end(after)
        load(0)
        some(2)
        end(again)
    keys = tuple(BenchKey(slot, _packet(compiled, key)) for slot, key in loaded)
    return BenchVectors(keys, tuple(traffic.messages), phases)


def _packet(compiled: CompiledStream, key: bytes) -> bytes:
    """The bytes of the packet of a key."""
    if compiled.options.keys != "expanded":
        return key
    return expanded_key(compiled.mode, cipher_of(compiled.mode, compiled.options.cipher), key)


def _ways(d: StreamDescription) -> list[int]:
    """What commands say of the direction and the pass of their messages; a message is opened last."""
    return sorted(d.ways, key=lambda way: way == 1)


def _lengths(traffic: Traffic, d: StreamDescription) -> None:
    """Adds messages with every class of lengths, alone and one after another, with each length of nonces and tags, and with wrong
    tags."""
    size, mode, ways = d.beat_bytes, traffic.mode, _ways(d)
    for ad in (0, 1, size - 1, size, size + 1, 3 * size):
        for text in (0, 1, size - 1, size, size + 1, 3 * size):
            traffic.good(ad, text)
    for nbytes in range(1, size + 1):
        traffic.good(0, nbytes)
    if d.hold is not None:
        for nbytes in (d.hold, d.hold + 1, d.hold + size):
            for decrypt in ways:
                # In wire form the header is held, too.
                text = min(nbytes, MOST_HELD + nbytes - d.hold) - 3 * d.wire
                traffic.good(3, max(0, text), decrypt=decrypt)
    if (limit := d.buffered_bytes) is not None:
        for ad in (0, 3):
            # Associated data take a beat of their own.
            for nbytes in (limit - 1, limit, limit + 1, limit + 3 * size):
                text = min(nbytes, MOST_HELD + nbytes - limit) - size * bool(ad)
                traffic.good(ad, max(0, text), decrypt=0)
                traffic.good(ad, size + 1, decrypt=0)
    for nonce in sorted(length for lengths in mode.nonce_bytes for length in lengths):
        for decrypt in ways:
            traffic.good(nonce % 5, size + nonce, nonce=nonce, decrypt=decrypt)
    for tag in mode.tag_bytes:
        for decrypt in ways:
            traffic.good(tag % 3, size // 2, tag=tag, decrypt=decrypt)
            if decrypt:
                # The wrong bits are one in every byte of the longest tag, and those at the ends of the other tags.
                for bit in (*range(5, 8 * tag, 9), 0, 8 * tag - 1) if tag == max(mode.tag_bytes) else (0, 8 * tag - 1):
                    traffic.good(3, size + 1, tag=tag, decrypt=decrypt, wrong_bit=bit)
                traffic.good(3, size + 1, tag=tag, decrypt=decrypt)


def _wrong(traffic: Traffic, d: StreamDescription) -> None:
    """Adds each error that a host can make, with good messages in between."""
    for ad, text, code, edit, way in wrong_packets(d, _ways(d)):
        if edit is None:
            traffic.good(ad, text)
        else:
            traffic.faulty(code, ad, text, edit, way)
    if d.lengths_first:
        for nonce, most in d.most_text_with_nonce or ():
            if most < MOST_STATED:
                traffic.refused(MessageCode.TOO_LONG, nonce_bytes=nonce, stated=most + 1)
        traffic.refused(MessageCode.TOO_LONG, stated=d.text_with(d.nonces[0]) + 1)
        traffic.good(d.beat_bytes // 2, d.beat_bytes + 2)
    _wrong_commands(traffic, d)


def _wrong_commands(traffic: Traffic, d: StreamDescription) -> None:
    """Commands that a core does not have, alone and together."""
    size, long = traffic.beat_bytes, MessageCode.TOO_LONG
    if d.text_first and d.most_text < MOST_STATED:
        traffic.refused(long, stated=d.most_text + 1)
    if not d.text_first and d.most_associated < MOST_STATED:
        traffic.refused(long, associated=d.most_associated + 1)
    for slot in () if d.inline else (d.key_slots, (1 << 16) - 1):
        traffic.refused(MessageCode.NO_KEY, slot=slot)
    if len(d.directions) == 1:
        traffic.refused(MessageCode.NO_DIRECTION, decrypt=int(d.directions == ("encrypt",)))
    if d.two_passes:
        traffic.refused(MessageCode.NO_DIRECTION, decrypt=3)
    if d.channels < 256 and traffic.in_order:
        traffic.refused(MessageCode.NO_CHANNEL, channel=d.channels)
        traffic.refused(MessageCode.NO_CHANNEL, channel=255, text=3 * size)
    for tag in (0, d.block_bytes + 1, 255):
        if tag not in d.tag_bytes:
            traffic.refused(MessageCode.BAD_TAG_LENGTH, tag_bytes=tag)
    for nonce in (0, d.block_bytes + 1, 255):
        if nonce not in d.nonces:
            traffic.refused(MessageCode.BAD_NONCE_LENGTH, nonce_bytes=nonce, slot=d.key_slots, tag_bytes=0, ad=size, text=2 * size)
    traffic.good(size // 2, size + 2)
