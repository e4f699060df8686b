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

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from modeloom.ciphers import cipher_of
from modeloom.compiler.streams import CompiledStream
from modeloom.cores.bench_text import BenchKey, bench_bytes
from modeloom.definition.messages import StreamModel
from modeloom.definition.software import expanded_key
from modeloom.interfaces.messages import MessageCode
from modeloom.product.messages import StreamDescription
from modeloom.protocol.contract import MOST_STATED, MessageContract
from modeloom.protocol.outcome import Outcome, outcomes, possible_codes
from modeloom.protocol.scenarios import Edit, wrong_packets
from modeloom.protocol.transactions import Beat, Command, MessagePacket, message_packet

__all__ = ["BenchMessage", "BenchOutcome", "BenchVectors", "Traffic", "bench_vectors"]


@dataclass(frozen=True)
class BenchOutcome:
    """The result of a message.

    Attributes
    ----------
    code : int
        The status code.
    tag : bytes
        The tag in the status, which has as many bytes as a block.
    beats : tuple of (bytes, int)
        Data and tkeep of the beats out.  If the packet is cut off, there is a beat without bytes at the end.  In wire form, an empty packet
        is a beat without bytes.
    """

    code: int
    tag: bytes = b""
    beats: tuple[Beat, ...] = ()


@dataclass(frozen=True)
class BenchMessage:
    """One command.

    Attributes
    ----------
    command : Command
    beats : tuple of (bytes, int)
        Data and tkeep of the beats of its packet.
    wanted : BenchOutcome
        The required result.  If the key changes, this is the result under the old key.
    renewed : BenchOutcome or None
        The required result under the new key.
    changes : bool
        Whether the key changes while the message is in flight.  It changes to the key of ``renewed``, or the slot is erased.
    """

    command: Command
    beats: tuple[Beat, ...]
    wanted: BenchOutcome
    renewed: BenchOutcome | None = None
    changes: bool = False


@dataclass(frozen=True)
class Sent:
    """The parts of a message that is sent."""

    nonce: bytes
    ad: bytes
    text: bytes
    decrypt: int
    tag_bytes: int


class Traffic:
    """Makes messages.  Each has data and a nonce of its own.  Slots and directions take turns.

    In a core with two passes, the passes of sealing take turns, each on messages of its own.

    Parameters
    ----------
    compiled : CompiledStream
        Its definition gives the results.
    contract : MessageContract
        What the core promises.
    every : bool
        Whether results of several channels come in the order of their messages.  Otherwise all messages are of the last channel.

    Attributes
    ----------
    turns : int
        Number of key packets that no message has taken yet, if keys come with messages.
    """

    def __init__(self, compiled: CompiledStream, contract: MessageContract, every: bool = True):
        self.mode, self.cipher, self.derives = compiled.mode, compiled.options.cipher, compiled.derived is not None
        self.contract, self.every, self.turns = contract, every, 0
        self.beat_bytes = contract.beat_bytes
        self.models: dict[int, StreamModel] = {}
        self.messages: list[BenchMessage] = []

    def load(self, slot: int, key: bytes) -> StreamModel:
        """Uses a key for the following messages in a slot, and returns its model."""
        self.models[slot] = StreamModel(self.mode, key, self.cipher, derived=not self.derives)
        self.turns += self.contract.key_source.turns(1)
        return self.models[slot]

    @property
    def number(self) -> int:
        """The number of the next message."""
        return len(self.messages)

    @property
    def channel(self) -> int:
        """The channel of the next message."""
        return self.number % self.contract.channels if self.every else self.contract.channels - 1

    @property
    def seals(self) -> bool:
        """Whether the core seals messages."""
        return "encrypt" in self.contract.directions

    def _decrypts(self) -> int:
        # There are runs of one, two and three messages in a direction, so that changes of direction come at different distances.
        directions = self.contract.directions
        turn = (self.number % 12) in (1, 4, 5, 9, 10, 11) and len(directions) - 1
        if directions[turn] == "decrypt":
            return 1
        return self.contract.passes.sealing[-1 if self.number % 12 in (2, 6, 7) else 0]

    def _slot(self) -> int:
        slots = sorted(self.models)
        return slots[self.number // 3 % len(slots)] if slots else 0

    def _sent(self, ad: int, text: int, nonce: int | None = None, tag: int | None = None, decrypt: int | None = None) -> Sent:
        n = self.number
        length = self.mode.nonce_bytes[0][0] if nonce is None else nonce
        return Sent(
            bench_bytes(f"nonce {n}", length), bench_bytes(f"associated {n}", ad), bench_bytes(f"message {n}", text),
            self._decrypts() if decrypt is None else decrypt, self.mode.tag_bytes[0] if tag is None else tag,
        )  # fmt: skip

    def _run(self, model: StreamModel, sent: Sent, known: bytes, text: bytes, ad: bytes) -> tuple[bytes, bytes]:
        """The text and the whole tag of a message.  ``known`` is the tag that its command has."""
        step = self.mode.text_steps()[sent.decrypt]
        if step != self.contract.step_of(sent.decrypt):
            # The core makes both passes.
            sealed = model.seal(sent.nonce, text, ad)
            return sealed[: len(text)], sealed[len(text) :]
        return model.run(step, sent.nonce, text, ad, sent.tag_bytes, known)

    def _tag(self, model: StreamModel, sent: Sent) -> tuple[Sent, bytes]:
        """A message with its tag.  With two passes, the text to open is one that was sealed: only then does it have a tag."""
        if not sent.decrypt:
            return sent, b""
        if not self.mode.two_passes:
            return sent, self._run(model, sent, b"", sent.text, sent.ad)[1][: sent.tag_bytes]
        sealed = model.seal(sent.nonce, sent.text, sent.ad)
        end = len(sent.text)
        return replace(sent, text=sealed[:end]) if sent.decrypt == 1 else sent, sealed[end:]

    def _command(self, sent: Sent, slot: int, tag: bytes = b"", **changes: int) -> Command:
        fields: dict[str, Any] = {
            "nonce_bytes": len(sent.nonce), "tag_bytes": sent.tag_bytes, "associated": len(sent.ad), "text": len(sent.text),
            "decrypt": sent.decrypt, "id": (0x4D4C + 257 * self.number) & 0xFFFF, "slot": slot, "channel": self.channel,
            "new_key": self.turns > 0, **changes,
        }  # fmt: skip
        self.turns -= fields["new_key"]
        return Command(nonce=sent.nonce, tag=tag, **fields)

    def _packet(self, sent: Sent, tag: bytes = b"") -> MessagePacket:
        return message_packet(self.contract, sent.decrypt, sent.ad, sent.text, tag)

    def _outcome(
        self, model: StreamModel | None, sent: Sent, command: Command, packet: MessagePacket, code: MessageCode | None = None
    ) -> BenchOutcome:
        """The result of a message, which has this code."""
        c = self.contract
        run = None if model is None else partial(self._run, model, sent, command.tag[: command.tag_bytes])
        found = [one for one in outcomes(c, command, packet, run) if code in (None, one.code)]
        if not found:
            raise ValueError(f"the message has the code {outcomes(c, command, packet, run)[0].code.name}, not {code and code.name}")
        return self._of(found[0])

    def _of(self, outcome: Outcome) -> BenchOutcome:
        return BenchOutcome(outcome.code, outcome.tag, outcome.beats(self.contract))

    def good(
        self, ad: int, text: int, *, nonce: int | None = None, tag: int | None = None, slot: int | None = None,
        decrypt: int | None = None, wrong_bit: int | None = None, renewed: StreamModel | None = None, changes: bool = False,
    ) -> None:  # fmt: skip
        """Adds a message that is correct, or has a wrong bit in its tag.

        With ``changes`` the message is in flight while the key of its slot changes to the key of ``renewed``, or is erased.
        """
        slot = self._slot() if slot is None else slot
        sent = self._sent(ad, text, nonce, tag, decrypt)
        model = self.models[slot]
        sent, expected = self._tag(model, sent)
        if wrong_bit is not None:
            expected = (int.from_bytes(expected, "little") ^ 1 << wrong_bit).to_bytes(len(expected), "little")
        command, packet = self._command(sent, slot, expected), self._packet(sent, expected)
        again = self._outcome(renewed, sent, command, packet) if changes and renewed else None
        self._add(command, packet, self._outcome(model, sent, command, packet), renewed=again, changes=changes)

    def refused(self, code: MessageCode, *, ad: int = 0, body: int | None = None, slot: int | None = None, **changes: int) -> None:
        """Adds a command with changed fields that is refused with this code, and a packet with ``body`` bytes of text."""
        sent = self._sent(ad, self.beat_bytes + 1 if body is None else body)
        slot = self._slot() if slot is None else slot
        command, packet = self._command(sent, slot, b"", **changes), self._packet(sent)
        model = None if code == MessageCode.NO_KEY else next(iter(self.models.values()))
        self._add(command, packet, self._outcome(model, sent, command, packet, code))

    def faulty(self, code: MessageCode, ad: int, text: int, edit: Edit, decrypt: int | None = None) -> None:
        """Adds a message whose packet is edited, so that it has this code; on the wire nothing, if it is too long to be held."""
        # What is too long to be held, or to be stored, is told of before the fault comes.
        c, slot = self.contract, self._slot()
        if c.overflows(1 if decrypt is None else decrypt, ad, text):
            if decrypt is not None:
                return
            decrypt = 0 if self.seals else None
        sent = self._sent(ad, text, decrypt=decrypt)
        model = self.models[slot]
        sent, tag = self._tag(model, sent) if c.form.tag_bytes(sent.decrypt, sent.tag_bytes) else (sent, b"")
        packet = MessagePacket.of(edit(self._packet(sent, tag).beats(c.beat_bytes)))
        command = self._command(sent, slot)
        stored = c.too_long(sent.decrypt, len(packet.keeps))
        self._add(command, packet, self._outcome(model, sent, command, packet, MessageCode.TOO_LONG_TO_HOLD if stored else code))

    def _add(self, command: Command, packet: MessagePacket, wanted: BenchOutcome, **others: Any) -> None:
        self.messages.append(BenchMessage(command, tuple(packet.beats(self.beat_bytes)), wanted, **others))


# -- vectors -----------------------------------------------------------------------------------------------------------------------

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
    sizes = d.key_sizes
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
    # In a core that holds text, or whose sealed messages leave in more beats, sealed and opened ones wait for each other at the output, so
    # the figures are those of sealed ones.
    unheld = 0 if seals and (d.held(1) or not d.form.even) else None
    # With a tag in its packet, a message to open takes longer than one to seal.
    tagged = 0 if seals and d.form.tag_bytes(1, d.tag_bytes[0]) else unheld
    alone = next(iter(d.passes.alone(d.timed)), tagged)
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
        if d.key_source.wrong:
            traffic.refused(MessageCode.NO_KEY, slot=d.key_slots, body=1)
        else:
            traffic.refused(MessageCode.BAD_TAG_LENGTH, tag_bytes=255, body=1)
    end("statuses")
    load(len(slots))
    some(8)
    end("renewed")
    third = StreamModel(compiled.mode, loaded[-1][1], compiled.options.cipher, derived=compiled.derived is None)
    for number in range(12):
        slot = slots[number % len(slots)]
        changes = slot in d.key_source.changed(slots[0])
        traffic.good(
            number % 2 * size, 2 * size + number, slot=slot, renewed=third if changes else None, changes=changes,
            decrypt=int(not seals) if changes else None,
        )  # fmt: skip
    end("reload")
    load(2 * len(slots), 1)
    some(4)
    end("reloaded")
    # Packets that are no keys have their turns, too.
    wrong_turns = d.key_source.turns(WRONG_KEYS)
    traffic.turns += wrong_turns
    for _ in range(wrong_turns):
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
    if compiled.options.source.expands:
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
    for most in d.held_limits:
        for nbytes in (most, most + 1, most + size):
            for decrypt in ways:
                text = min(nbytes, MOST_HELD + nbytes - most) - d.form.header(3)
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
    if d.stated_behind:
        for nonce, most in d.most_text_with_nonce or ():
            if most < MOST_STATED:
                traffic.refused(MessageCode.TOO_LONG, nonce_bytes=nonce, text=most + 1)
        traffic.refused(MessageCode.TOO_LONG, text=d.text_with(d.nonces[0]) + 1)
        traffic.good(d.beat_bytes // 2, d.beat_bytes + 2)
    _wrong_commands(traffic, d)


def _wrong_commands(traffic: Traffic, d: StreamDescription) -> None:
    """Commands that a core does not have, alone and together."""
    size, long = traffic.beat_bytes, MessageCode.TOO_LONG
    most = {"associated": d.most_associated, "text": d.most_text}[d.form.first]
    if most < MOST_STATED:
        traffic.refused(long, **{d.form.first: most + 1})
    for slot in d.key_source.wrong:
        traffic.refused(MessageCode.NO_KEY, slot=slot)
    for way in d.wrong_ways:
        # A second pass that a core does not have is refused like a first one.
        if way != 2:
            traffic.refused(MessageCode.NO_DIRECTION, decrypt=way)
    if traffic.every and MessageCode.NO_CHANNEL in possible_codes(d):
        traffic.refused(MessageCode.NO_CHANNEL, channel=d.channels)
        traffic.refused(MessageCode.NO_CHANNEL, channel=255, body=3 * size)
    for tag in (0, d.block_bytes + 1, 255):
        if tag not in d.tag_bytes:
            traffic.refused(MessageCode.BAD_TAG_LENGTH, tag_bytes=tag)
    for nonce in (0, d.block_bytes + 1, 255):
        if nonce not in d.nonces:
            traffic.refused(MessageCode.BAD_NONCE_LENGTH, nonce_bytes=nonce, slot=d.key_slots, tag_bytes=0, ad=size, body=2 * size)
    traffic.good(size // 2, size + 2)
