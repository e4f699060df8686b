# SPDX-License-Identifier: Apache-2.0
"""Simulates an emitted core for messages: loads keys, seals and opens messages, and counts cycles.

::

    Message ──▶ command ─┐
            ──▶ packet ──┴──▶ core ──▶ text, status ──▶ Outcome
                                   ──▶ packet           in wire form

``outcomes_of`` raises ``CoreFault`` if statuses and packets do not fit the messages.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Unpack

from modeloom.definition.software import expanded_key_of
from modeloom.interfaces.messages import MessageCode, status_channel, unpack_message_status
from modeloom.product.beats import GivenPacket, PacketBeats, PacketReader, take_turns
from modeloom.product.driven import CoreFault, DriveOptions
from modeloom.product.folder import read_messages
from modeloom.product.message import Masters, Message, Outcome, SealingCore, Slots, Turns, check_message, require_right
from modeloom.product.messages import StreamDescription
from modeloom.protocol.contract import AssociatedFirst
from modeloom.protocol.outcome import releases
from modeloom.protocol.transactions import Command, packet_parts
from modeloom.sim import Beats

__all__ = ["Given", "SimulatedStreamCore", "Status", "outcomes_of"]

PATIENCE = 20_000
"""Number of cycles that messages may take beyond eight times their normal time before the core counts as broken."""

PIECE = 1 << 20
"""Number of bytes of a long message that go into the simulation at a time."""


@dataclass(frozen=True)
class Given:
    """A message, and the numbers of bytes of text and of a tag that it gives."""

    message: Message
    text: int
    tag: int


class Status(NamedTuple):
    """The tag, the code and the channel of a status."""

    tag: bytes
    code: MessageCode
    channel: int


def outcomes_of(
    given: Sequence[Given], statuses: Sequence[Status], packets: Sequence[GivenPacket], form: AssociatedFirst, held: bool
) -> list[Outcome]:
    """The results of messages, each with the next status and the next packet of its channel.

    ``held`` says whether what comes of a message to open, or of a second pass, leaves only after its tag was right.
    """
    told, coming = defaultdict[int, deque[Status]](deque), defaultdict[int, deque[GivenPacket]](deque)
    for status in statuses:
        told[status.channel].append(status)
    for packet in packets:
        coming[packet.channel].append(packet)
    counts = Counter(one.message.channel for one in given)
    for channel, count in counts.items():
        if len(told[channel]) != count:
            raise CoreFault(f"the core gave {len(told[channel])} statuses for {count} messages of channel {channel}")
    if {*coming} - {*counts}:
        raise CoreFault("the core gave text of a channel that has no message")
    results = [
        _result(one, told[one.message.channel].popleft(), coming[one.message.channel], form, held and one.message.decrypt > 0)
        for one in given
    ]  # fmt: skip
    if any(coming.values()):
        raise CoreFault("the core gave more packets than messages")
    return results


def _result(one: Given, status: Status, coming: deque[GivenPacket], form: AssociatedFirst, held: bool) -> Outcome:
    """The result of a message with its status, and the packets of its channel that come next."""
    right, released, what = status.code == MessageCode.OK, releases(status.code, held), form.what
    tag = status.tag[: one.tag] if right else b""
    if not form.gives(form.leaves(len(one.message.ad), one.text, one.tag), held, released):
        return Outcome(status.code, b"", tag)
    came = coming.popleft() if coming else None
    if came is not None and came.marked and not form.marks(right):
        raise CoreFault(f"the core cut off the {what} of a message")
    if came is None or came.marked != form.marks(right):
        raise CoreFault(f"the core gave another {what} than that of the message")
    if not released:
        return Outcome(status.code, packet=came.data)
    wanted = {"associated": one.message.ad, "text": bytes(one.text), "tag": tag}
    names, at = [name for group in form.out for name in group], 0
    if len(came.data) != sum(len(wanted[name]) for name in names):
        raise CoreFault(f"the {what} of the core does not have the length of that of the message")
    parts = {}
    for name in names:
        parts[name], at = came.data[at : at + len(wanted[name])], at + len(wanted[name])
    if parts.get("associated", one.message.ad) != one.message.ad:
        raise CoreFault("the core changed the associated data of a message")
    if parts.get("tag", tag) != tag:
        raise CoreFault("the tag in a packet is not that of the status")
    return Outcome(status.code, parts["text"], tag, None if names == ["text"] else came.data)


class SimulatedStreamCore(SealingCore[StreamDescription]):
    """The simulation of a built core for messages.

    Parameters
    ----------
    directory : path
        A folder that ``modeloom build`` wrote.
    options
        As of ``DrivenCore``.

    Attributes
    ----------
    status_cycles, input_cycles, output_cycles : list of int
        The cycles of the statuses, of the beats in, and of the beats out in the last run.
    """

    def __init__(self, directory: str | Path, **options: Unpack[DriveOptions]):
        super().__init__(directory, read_messages(directory), **options)
        self.block_bytes, self.beat_bytes = self.description.block_bytes, self.host_bytes
        groups = {group.name: group for group in self.description.interfaces}
        self._status_bytes = groups["m_axis_status"].packing.bits // 8
        self._id = 0
        kind = Masters if self.description.derives else Turns if self.description.inline else Slots
        self._keys = kind(self)
        self._reader = PacketReader(self.beat_bytes, self.description.form)
        self.status_cycles: list[int] = []
        self.input_cycles: list[int] = []
        self.output_cycles: list[int] = []

    def key_packet(self, key: bytes) -> bytes:
        """The bytes of the packet that loads a key: the key, or its round keys."""
        d = self.description
        return key if d.packet_bytes is None else expanded_key_of(d.definition, self.directory, d.cipher, key)

    @property
    def slots(self) -> int:
        """Key slots that a host can name."""
        return self.description.named_slots

    def load_key(self, key: bytes, slot: int = 0) -> None:
        """Loads the whole key of the mode into a slot.  If keys come with the messages, this one comes with the next message that brings
        none of its own.  In a mode that derives keys, it is the master key of all messages that bring none of their own.

        Raises ``InputError`` if its length is wrong, the mode refuses it, or the slot does not exist.
        """
        self._keys.load(key, slot)

    def load_message_key(self, key: bytes, slot: int = 0) -> None:
        """Loads a key for ``send`` and ``outcomes``.  It is that of ``load_key``, except in a mode that derives keys: there it is a derived
        key, which the next message without a key of its own brings.

        Raises ``InputError`` as ``load_key`` does.
        """
        self._keys.load_message(key, slot)

    def erase_key(self, slot: int = 0) -> None:
        """Overwrites the keys of a slot and everything derived from them; the key of the last message, if keys come with them."""
        self._keys.drop()
        super().erase_key(slot)

    @property
    def has_next_key(self) -> bool:
        """Whether a key waits for the next message, which brings it."""
        return self._keys.next is not None

    def bring_key(self) -> bool:
        """Sends the key that waits for the next message.  Returns whether there is one."""
        return self._keys.comes_with(Message(b"", b""))

    def with_keys(self, messages: Sequence[Message]) -> list[Message]:
        """The same messages, of which each brings its key, if keys come with messages."""
        return self._keys.brought(messages)

    # -- messages -----------------------------------------------------------------------------------------------------------------

    def send(self, *messages: Message) -> int:
        """Queues messages, and returns the number of their beats.  Raises ``InputError`` for one that this core cannot take."""
        return self._feed(messages)[1]

    def outcomes(self, messages: Sequence[Message] | Iterable[Message]) -> list[Outcome]:
        """Runs messages back to back, and returns their results.  Raises ``InputError`` for one that this core cannot take."""
        given, beats = self._feed(messages)
        if not given:
            return []
        self.wait_for_statuses(len(given), self._limit(len(given), beats))
        self.input_cycles = list(self.runner.accepted("s_axis"))
        came = self.runner.take("m_axis")
        self.output_cycles = list(came.cycles)
        return self._outcomes(given, came)

    def _feed(self, messages: Iterable[Message]) -> tuple[list[Given], int]:
        """Queues messages.  Returns what each is expected to give, and the number of beats."""
        given, commands, packets = [], [], []
        # All are looked at before the key of any is sent.
        checked = [(message, self._checked(message)) for message in messages]
        for message, tag_bytes in checked:
            text, tag = message.data, b""
            if message.decrypt:
                end = len(message.data) - tag_bytes
                text, tag = message.data[:end], message.data[end:]
            commands.append(self._command(message, tag, tag_bytes, len(text)))
            packet = PacketBeats(self.beat_bytes)
            for part in packet_parts(self.description, message.decrypt, message.ad, text, tag):
                packet.add_part(part)
            packet.end()
            packets.append(packet)
            nbytes = self.description.text_of(message.decrypt, len(text))
            given.append(Given(message, nbytes, 0 if message.decrypt else tag_bytes))
        if not given:
            return [], 0
        every, tids, ordered = PacketBeats(self.beat_bytes), bytearray(), list[bytes]()
        channels = [message.channel for message, _ in checked]
        # Channels take turns at each beat, and commands go in the order in which the packets begin.
        for number, at in take_turns(channels, [len(packet) for packet in packets]):
            every.add_beat(packets[number], at)
            tids.append(channels[number])
            if not at:
                ordered.append(commands[number])
        self.runner.feed("s_axis_cmd", {"s_axis_cmd_tdata": b"".join(ordered)})
        self.feed_beats(every, bytes(tids))
        return given, len(every)

    def feed_beats(self, beats: PacketBeats, channels: bytes) -> None:
        """Queues beats with their channels, which only a core with several of them asks for."""
        self.runner.feed("s_axis", {**beats.columns(), **self.description.channel_fields.columns("s_axis", channels)})

    def _checked(self, message: Message) -> int:
        """The bytes of the tag of a message that this core can have."""
        if not isinstance(message, Message):
            raise TypeError(f"run takes messages, not {type(message).__name__}")
        tag_bytes = check_message(self.description, message, len(message.data))
        if message.key is not None:
            self.check_key(message.key)
        return tag_bytes

    def pieces(self, message: Message, chunks: Iterable[bytes], tag: bytes = b"", text: int | None = None) -> Iterator[bytes]:
        """Runs a long message piece by piece.  Yields text as it comes, and at the end the tag if the message is sealed.

        In a core with two passes, this is one pass.  The first one yields the tag alone.

        The text of a message to be opened comes before its tag has been checked.  The caller must discard it if this raises.

        Parameters
        ----------
        message : Message
            The message without its text.  ``data`` is empty.
        chunks : iterable of bytes
            The text.  Each chunk but the last one has whole beats.
        tag : bytes
            The tag of a message to be opened, or of a second pass.
        text : int, optional
            The number of bytes of the text, for a core whose commands have it.

        Raises
        ------
        AuthenticationError, MessageError
            As in ``run``.
        InputError
            This core cannot take the message, or *text* is missing.
        """
        nbytes = self.stated(text)
        tag_bytes = check_message(self.description, message, len(tag) + nbytes)
        message, form = self._keys.own(message), self.description.form
        self.runner.feed("s_axis_cmd", {"s_axis_cmd_tdata": self._command(message, form.given(tag), tag_bytes, nbytes)})
        header = form.header(len(message.ad))
        for portion, end in form.portions(message.ad, chunks, tag, self.beat_bytes, PIECE):
            beats = PacketBeats(self.beat_bytes)
            beats.add_part(portion)
            if end:
                beats.end()
            self._give(beats, message.channel)
            if end:
                self.wait_for_statuses(1, self._limit(1, 0))
            came = self._text()
            yield came[header:]
            header = max(0, header - len(came))
        sealed = self._end()
        if not message.decrypt:
            yield form.given(sealed[:tag_bytes])

    def _give(self, beats: PacketBeats, channel: int) -> None:
        """Sends beats, and waits until they have been taken."""
        if not len(beats):
            return
        self.feed_beats(beats, bytes([channel]) * len(beats))
        limit = self._limit(1, len(beats))
        if self.runner.run({}, drain=True, max_cycles=limit).timed_out:
            raise CoreFault(f"the core did not take {len(beats)} beats in {limit} cycles")

    def _end(self) -> bytes:
        """The tag in the status of a message.  Raises the error of a code that is not OK."""
        (status,) = self._statuses()
        require_right(self.description.mode, 0, status.code)
        return status.tag

    # -- what goes in and comes out -------------------------------------------------------------------------------------------------

    def _command(self, message: Message, tag: bytes, tag_bytes: int, text: int) -> bytes:
        self._id = (self._id + 1) & 0xFFFF
        return Command(
            nonce=message.nonce, nonce_bytes=len(message.nonce), associated=len(message.ad), text=text, tag=tag, tag_bytes=tag_bytes,
            id=self._id, slot=message.slot, decrypt=message.decrypt, channel=message.channel,
            new_key=self._keys.comes_with(message),
        ).pack(self.description)  # fmt: skip

    def _limit(self, messages: int, beats: int) -> int:
        d = self.description
        most = messages * (d.message_cycles(0, 0) + 64) + beats * max(d.cycles.associated, d.cycles.text, (d.explain.turn or 0) + 1)
        return int((8 * most + PATIENCE) * self.stretch)

    def _statuses(self) -> list[Status]:
        """The statuses that have come."""
        taken = self.runner.take("m_axis_status")
        self.status_cycles = list(taken.cycles)
        column, size = taken.columns["m_axis_status_tdata"], self._status_bytes
        statuses = []
        for at in range(0, taken.count * size, size):
            status = column[at : at + size]
            tag, _, code = unpack_message_status(status, self.block_bytes)
            statuses.append(Status(tag, code, self.description.channel_fields.of(status_channel(status, self.block_bytes))))
        return statuses

    def _text(self) -> bytes:
        """The text that has come, of one message."""
        beats = self.runner.take("m_axis")
        if not beats.count:
            return b""
        size, data = self.beat_bytes, beats.columns["m_axis_tdata"]
        held = [keep.bit_count() for keep in beats.values("m_axis_tkeep")]
        return b"".join(data[at * size : at * size + nbytes] for at, nbytes in enumerate(held))

    def _outcomes(self, given: Sequence[Given], came: Beats) -> list[Outcome]:
        """The results of messages whose statuses have come."""
        try:
            packets = list(self._reader.packets(came))
        except ValueError as error:
            raise CoreFault(f"the core gave {error}") from error
        outcomes = outcomes_of(given, self._statuses(), packets, self.description.form, bool(self.description.held_limits))
        if self._reader.begun:
            raise CoreFault("the core gave more packets than messages")
        return outcomes
