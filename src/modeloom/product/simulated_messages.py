# SPDX-License-Identifier: Apache-2.0
"""Simulates an emitted core for messages: loads keys, seals and opens messages, and counts cycles.

::

    Message ──▶ command ─┐
            ──▶ packet ──┴──▶ core ──▶ text, status ──▶ Outcome
                                   ──▶ packet           in wire form
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from modeloom.definition.expanded import expanded_key_of
from modeloom.definition.keyed import as_bytes
from modeloom.interfaces.messages import MessageCode, pack_message_command, status_channel, unpack_message_status
from modeloom.product.driven import CoreFault, DrivenCore, check_slot
from modeloom.product.folder import read_messages
from modeloom.product.messages import StreamDescription
from modeloom.product.turns import Beats, of_channel, take_turns
from modeloom.product.wire import WireReader, whole_beats
from modeloom.spec import InputError
from modeloom.spec.errors import AuthenticationError

__all__ = ["Message", "MessageError", "Outcome", "SimulatedStreamCore", "check_message"]

PATIENCE = 20_000
"""Number of cycles that messages may take beyond eight times their normal time before the core counts as broken."""

PIECE = 1 << 20
"""Number of bytes of a long message that go into the simulation at a time."""


class MessageError(RuntimeError):
    """The status of a command is neither OK nor WRONG_TAG."""

    def __init__(self, number: int, code: MessageCode):
        super().__init__(f"message {number}: status {code.name} ({int(code)}): {code.meaning.replace('`', '')}")
        self.number, self.code = number, code


@dataclass(frozen=True)
class Message:
    """One message for ``run``.  Raises ``TypeError`` for values of the wrong type.

    Attributes
    ----------
    nonce : bytes
        The nonce.
    data : bytes
        The plaintext, or the ciphertext with the tag at its end.
    ad : bytes
        The associated data.
    decrypt : bool
        Whether to open the message.
    slot : int
        The key slot.
    tag_bytes : int or None
        Number of bytes of the tag, or None for the default of the mode.
    key : bytes or None
        The key that comes with the message, in a core that was built with ``--keys inline``.  None stands for that of the message before.
    channel : int
        The channel.  The beats of different channels take turns.
    """

    nonce: bytes
    data: bytes
    ad: bytes = b""
    decrypt: bool = False
    slot: int = 0
    tag_bytes: int | None = None
    key: bytes | None = None
    channel: int = 0

    def __post_init__(self) -> None:
        if self.key is not None:
            object.__setattr__(self, "key", as_bytes("key", self.key))
        for name in ("nonce", "data", "ad"):
            object.__setattr__(self, name, as_bytes(name, getattr(self, name)))
        if not isinstance(self.decrypt, bool):
            raise TypeError(f"decrypt is True or False, not {self.decrypt!r}")
        check_slot(self.slot)
        if not isinstance(self.channel, int) or isinstance(self.channel, bool):
            raise TypeError(f"channel is a number, not {self.channel!r}")
        if self.tag_bytes is not None and (not isinstance(self.tag_bytes, int) or isinstance(self.tag_bytes, bool)):
            raise TypeError(f"tag_bytes is a number or None, not {self.tag_bytes!r}")


@dataclass(frozen=True)
class Outcome:
    """The result of a message.

    Attributes
    ----------
    code : MessageCode
        The code of the status.
    text : bytes
        The text that came out.  If the core does not hold text, there is text even with a wrong tag.
    tag : bytes
        The tag of a sealed message.  It is empty for others.
    packet : bytes or None
        In wire form, the packet that came out, or None if there was none.
    """

    code: MessageCode
    text: bytes = b""
    tag: bytes = b""
    packet: bytes | None = None


def check_message(d: StreamDescription, message: Message, nbytes: int) -> int:
    """The number of bytes of the tag of a message with ``nbytes`` bytes of data.

    Raises
    ------
    InputError
        If the core does not have its lengths, its direction or its slot.
    """
    if len(message.nonce) not in d.nonces:
        raise InputError(f"{d.mode}: a nonce has {_or(d.nonces)} bytes, not {len(message.nonce)}")
    tag_bytes = d.tag_bytes[0] if message.tag_bytes is None else message.tag_bytes
    if tag_bytes not in d.tag_bytes:
        raise InputError(f"{d.mode}: a tag has {_or(d.tag_bytes)} bytes, not {tag_bytes}")
    if ("decrypt" if message.decrypt else "encrypt") not in d.directions:
        raise InputError(f"this core was not built to {'open' if message.decrypt else 'seal'} messages; build it with --direction both")
    if d.inline and message.slot:
        raise InputError(f"this core has no key slots to name, and so no slot {message.slot}: give the message its key")
    if not 0 <= message.slot < d.named_slots:
        raise InputError(f"this core has no key slot {message.slot}: it has {d.key_slots}, counted from 0")
    if message.key is not None and not d.inline:
        raise InputError("the keys of this core are loaded into slots; build it with --keys inline for messages that bring their keys")
    if not 0 <= message.channel < d.channels:
        raise InputError(f"this core has no channel {message.channel}: it has {d.channels}, counted from 0")
    text = nbytes - tag_bytes if message.decrypt else nbytes
    if text < 0:
        raise InputError(f"{d.mode}: a sealed message has at least the {tag_bytes} bytes of its tag, not {nbytes}")
    for what, length, most in (("associated data", len(message.ad), d.most_associated), ("text", text, d.most_text)):
        if length > most:
            raise InputError(f"{d.mode}: a message has at most {most} bytes of {what}, not {length}")
    return tag_bytes


@dataclass(frozen=True)
class Given:
    """What a message is expected to give: the numbers of bytes of its text and of its tag, and its channel."""

    text: int
    tag: int
    channel: int


class SimulatedStreamCore(DrivenCore[StreamDescription]):
    """The simulation of a built core for messages.

    Parameters
    ----------
    directory : path
        A folder that ``modeloom build`` wrote.
    seed, gaps
        Random gaps on the streams: see ``sim.StreamRunner``.
    optimize : int
        Optimisation level of the C++ compiler, 0 to 3.  At a lower level it builds sooner and runs slower.
    library : path, optional
        The result of ``simulation_library`` for the folder, which need not be found again then.

    Attributes
    ----------
    description : StreamDescription
        ``core.json``.
    cycles : int
        Number of cycles since the start of the simulation.
    status_cycles, input_cycles, output_cycles : list of int
        The cycles of the statuses, of the beats in, and of the beats out in the last run.
    """

    def __init__(
        self, directory: str | Path, *, seed: int = 0, gaps: dict[str, float] | None = None, optimize: int = 2,
        library: Path | None = None,
    ):  # fmt: skip
        self._directory = Path(directory)
        super().__init__(directory, read_messages(directory), seed=seed, gaps=gaps, optimize=optimize, library=library)
        self.block_bytes, self.beat_bytes = self.description.block_bytes, self.description.beat_bytes
        groups = {group.name: group for group in self.description.interfaces}
        self._status_bytes = groups["m_axis_status"].packing.bits // 8
        self._id = 0
        self._next_key: bytes | None = None
        self._reader = WireReader(self.beat_bytes)
        self._status_channels: list[int] = []
        self._stretch = 1 / (1 - max((gaps or {"": 0.0}).values(), default=0.0))
        self.status_cycles: list[int] = []
        self.input_cycles: list[int] = []
        self.output_cycles: list[int] = []

    def key_packet(self, key: bytes) -> bytes:
        """The bytes of the packet that loads a key: the key, or its round keys."""
        d = self.description
        return key if d.packet_bytes is None else expanded_key_of(d.definition, self._directory, d.cipher, key)

    @property
    def slots(self) -> int:
        """Key slots that a host can name."""
        return self.description.named_slots

    def load_key(self, key: bytes, slot: int = 0) -> None:
        """Loads the whole key of the mode into a slot.  If keys come with the messages, this one comes with the next message that brings
        none of its own.

        Raises ``InputError`` if its length is wrong, the mode refuses it, or the slot does not exist.
        """
        if self.description.inline:
            self._next_key = self.check_key(key, slot)
        else:
            super().load_key(key, slot)

    def erase_key(self, slot: int = 0) -> None:
        """Overwrites the keys of a slot and everything derived from them; the key of the last message, if keys come with them."""
        self._next_key = None
        super().erase_key(slot)

    # -- messages -----------------------------------------------------------------------------------------------------------------

    def send(self, *messages: Message) -> int:
        """Queues messages, and returns the number of their beats.  Raises ``InputError`` for one that this core cannot take."""
        return self._feed(messages)[1]

    def outcomes(self, messages: Sequence[Message] | Iterable[Message]) -> list[Outcome]:
        """Runs messages back to back, and returns their results.  Raises ``InputError`` for one that this core cannot take."""
        messages = list(messages)
        lengths, beats = self._feed(messages)
        if not lengths:
            return []
        return self._collect_packets(messages, lengths, beats) if self.description.wire else self._collect(lengths, beats)

    def _feed(self, messages: Iterable[Message]) -> tuple[list[Given], int]:
        """Queues messages.  Returns what each is expected to give, and the number of beats."""
        given, commands, packets = [], [], []
        # All are looked at before the key of any is sent.
        checked = [(message, self._checked(message)) for message in messages]
        for message, tag_bytes in checked:
            text, tag = (message.data[: len(message.data) - tag_bytes], message.data[len(message.data) - tag_bytes :])
            if not message.decrypt:
                text, tag = message.data, b""
            commands.append(self._command(message, tag, tag_bytes))
            beats = Beats(bytearray(), bytearray(), bytearray())
            for part in (message.ad + message.data,) if self.description.wire else (message.ad, text):
                self._add(part, beats.data, beats.keeps, beats.lasts)
            if not beats.lasts:
                beats = Beats(bytearray(self.beat_bytes), bytearray(self._keep_bytes), bytearray(1))
            beats.lasts[-1] = 1
            packets.append(beats)
            given.append(Given(len(text), 0 if message.decrypt else tag_bytes, message.channel))
        if not given:
            return [], 0
        if self.description.channels > 1:
            self._feed_in_turns(commands, packets, [one.channel for one in given])
        else:
            self.runner.feed("s_axis_cmd", {"s_axis_cmd_tdata": b"".join(commands)})
            self._feed_beats(*(b"".join(getattr(one, name) for one in packets) for name in ("data", "keeps", "lasts")))
        return given, sum(len(one.lasts) for one in packets)

    def _feed_in_turns(self, commands: Sequence[bytes], packets: Sequence[Beats], channels: Sequence[int]) -> None:
        """Queues packets whose channels take turns at each beat.  The commands go in the order in which the packets begin."""
        every, tids, begun = Beats(bytearray(), bytearray(), bytearray()), bytearray(), bytearray()
        for number, at in take_turns(channels, [len(one.lasts) for one in packets]):
            every.add(packets[number], at, self.beat_bytes, self._keep_bytes)
            tids.append(channels[number])
            if not at:
                begun += commands[number]
        self.runner.feed("s_axis_cmd", {"s_axis_cmd_tdata": bytes(begun)})
        self._feed_beats(bytes(every.data), bytes(every.keeps), bytes(every.lasts), bytes(tids))

    def _feed_beats(self, data: bytes, keeps: bytes, lasts: bytes, tids: bytes | None = None) -> None:
        """Queues beats, which belong to channel 0 if no channels are given."""
        columns = {"s_axis_tdata": data, "s_axis_tkeep": keeps, "s_axis_tlast": lasts}
        if self.description.channels > 1:
            columns["s_axis_tid"] = bytes(len(lasts)) if tids is None else tids
        self.runner.feed("s_axis", columns)

    def _checked(self, message: Message) -> int:
        """The bytes of the tag of a message that this core can have."""
        if not isinstance(message, Message):
            raise TypeError(f"run takes messages, not {type(message).__name__}")
        tag_bytes = check_message(self.description, message, len(message.data))
        if message.key is not None:
            self.check_key(message.key)
        return tag_bytes

    def run(self, messages: Sequence[Message] | Iterable[Message]) -> list[bytes]:
        """Runs messages back to back, and returns the sealed messages and the opened texts in order.

        Raises
        ------
        AuthenticationError
            For the first message whose tag is wrong.
        MessageError
            For the first message that the core refused.
        """
        results = []
        for number, outcome in enumerate(self.outcomes(messages)):
            if outcome.code == MessageCode.WRONG_TAG:
                raise AuthenticationError(f"{self.description.mode}: the tag is wrong" + (f" (message {number})" if number else ""))
            if outcome.code != MessageCode.OK:
                raise MessageError(number, outcome.code)
            results.append(outcome.text + outcome.tag)
        return results

    def seal(self, nonce: bytes, text: bytes, ad: bytes = b"", slot: int = 0, tag_bytes: int | None = None) -> bytes:
        """The ciphertext of a message with its tag behind it."""
        return self.run([Message(nonce, text, ad, False, slot, tag_bytes)])[0]

    def open(self, nonce: bytes, sealed: bytes, ad: bytes = b"", slot: int = 0, tag_bytes: int | None = None) -> bytes:
        """The plaintext of a message that ``seal`` gave.  Raises ``AuthenticationError`` if its tag is wrong."""
        return self.run([Message(nonce, sealed, ad, True, slot, tag_bytes)])[0]

    def pieces(self, message: Message, chunks: Iterable[bytes], tag: bytes = b"") -> Iterator[bytes]:
        """Runs a long message piece by piece.  Yields text as it comes, and at the end the tag if the message is sealed.

        The text of a message to be opened comes before its tag has been checked.  The caller must discard it if this raises.

        Parameters
        ----------
        message : Message
            The message without its text.  ``data`` is empty.
        chunks : iterable of bytes
            The text.  Each chunk but the last one has whole beats.
        tag : bytes
            The tag of a message to be opened.

        Raises
        ------
        AuthenticationError, MessageError
            As in ``run``.
        """
        tag_bytes = check_message(self.description, message, len(tag))
        if self.description.wire:
            yield from self._packet_pieces(message, chunks, tag, tag_bytes)
            return
        self.runner.feed("s_axis_cmd", {"s_axis_cmd_tdata": self._command(message, tag, tag_bytes)})
        coming = iter(chunks)
        part, following = message.ad, next(coming, b"")
        while True:
            end = not following
            data, keeps, lasts = bytearray(), bytearray(), bytearray()
            self._add(part, data, keeps, lasts)
            if end and not lasts:
                data, keeps, lasts = bytearray(self.beat_bytes), bytearray(self._keep_bytes), bytearray(1)
            if lasts:
                lasts[-1] = int(end)
                self._give(data, keeps, lasts, message.channel)
            if end:
                break
            yield self._text()
            part, following = following, next(coming, b"")
        yield from self._rest_of_text()
        sealed = self._end()
        if not message.decrypt:
            yield sealed[:tag_bytes]

    def _packet_pieces(self, message: Message, chunks: Iterable[bytes], tag: bytes, tag_bytes: int) -> Iterator[bytes]:
        """A long message as a packet: what comes behind its header."""
        self.runner.feed("s_axis_cmd", {"s_axis_cmd_tdata": self._command(message, b"", tag_bytes)})
        header = len(message.ad)
        for portion, end in whole_beats(chain((message.ad,), chunks, (tag,)), self.beat_bytes, PIECE):
            data, keeps, lasts = bytearray(), bytearray(), bytearray()
            self._add(portion, data, keeps, lasts)
            if not lasts:
                data, keeps, lasts = bytearray(self.beat_bytes), bytearray(self._keep_bytes), bytearray(1)
            lasts[-1] = int(end)
            self._give(data, keeps, lasts)
            if end:
                break
            came = self._text()
            yield came[header:]
            header = max(0, header - len(came))
        (came,) = self._rest_of_text()
        yield came[header:]
        self._end()

    def _give(self, data: bytearray, keeps: bytearray, lasts: bytearray, channel: int = 0) -> None:
        """Sends beats, and waits until they have been taken."""
        self._feed_beats(bytes(data), bytes(keeps), bytes(lasts), bytes([channel]) * len(lasts))
        limit = self._limit(1, len(lasts))
        if self.runner.run({}, drain=True, max_cycles=limit).timed_out:
            raise CoreFault(f"the core did not take {len(lasts)} beats in {limit} cycles")

    def _rest_of_text(self) -> Iterator[bytes]:
        """Waits for the status of a message; gives the text that has come before it."""
        limit = self._limit(1, 0)
        if self.runner.run({"m_axis_status": 1}, max_cycles=limit).timed_out:
            raise CoreFault(f"the core gave no status in {limit} cycles")
        yield self._text()

    def _end(self) -> bytes:
        """The tag in the status of a message.  Raises the error of a code that is not OK."""
        ((sealed, _, code),) = self._statuses()
        if code == MessageCode.WRONG_TAG:
            raise AuthenticationError(f"{self.description.mode}: the tag is wrong")
        if code != MessageCode.OK:
            raise MessageError(0, code)
        return sealed

    # -- beats
    # ------------------------------------------------------------------------------------------------------------------------

    @property
    def _keep_bytes(self) -> int:
        return -(-self.beat_bytes // 8)

    def _add(self, part: bytes, data: bytearray, keeps: bytearray, lasts: bytearray) -> None:
        """Adds the beats of associated data or of text."""
        if not part:
            return
        size = self.beat_bytes
        beats = -(-len(part) // size)
        tail = len(part) - (beats - 1) * size
        data += part
        data += bytes(size - tail)
        keeps += ((1 << size) - 1).to_bytes(self._keep_bytes, "little") * (beats - 1)
        keeps += ((1 << tail) - 1).to_bytes(self._keep_bytes, "little")
        lasts += bytes(beats)

    def _command(self, message: Message, tag: bytes, tag_bytes: int) -> bytes:
        self._id = (self._id + 1) & 0xFFFF
        new_key = None
        if self.description.inline:
            key, self._next_key = (self._next_key, None) if message.key is None else (self.check_key(message.key), self._next_key)
            new_key = key is not None
            if key is not None:
                self.send_key(key)
        return pack_message_command(
            nonce=message.nonce, associated=len(message.ad), tag=tag, tag_bytes=tag_bytes, id=self._id, slot=message.slot,
            decrypt=message.decrypt, channel=message.channel, block_bytes=self.block_bytes, new_key=new_key,
        )  # fmt: skip

    def _limit(self, messages: int, beats: int) -> int:
        d = self.description
        most = messages * (d.message_cycles(0, 0) + 64) + beats * max(d.cycles.associated, d.cycles.text, 1)
        return int((8 * most + PATIENCE) * self._stretch)

    def _statuses(self) -> list[tuple[bytes, int, MessageCode]]:
        """Tag, id and code of the statuses that have come."""
        taken = self.runner.take("m_axis_status")
        self.status_cycles = list(taken.cycles)
        column, size = taken.columns["m_axis_status_tdata"], self._status_bytes
        each = [column[at : at + size] for at in range(0, taken.count * size, size)]
        self._status_channels = [status_channel(one, self.block_bytes) if self.description.channels > 1 else 0 for one in each]
        return [unpack_message_status(one, self.block_bytes) for one in each]

    def _text(self) -> bytes:
        """The text that has come, of one message."""
        beats = self.runner.take("m_axis")
        if not beats.count:
            return b""
        keeps = beats.columns["m_axis_tkeep"]
        tail = int.from_bytes(keeps[-self._keep_bytes :], "little").bit_count()
        return beats.columns["m_axis_tdata"][: (beats.count - 1) * self.beat_bytes + tail]

    def _collect(self, given: Sequence[Given], beats: int) -> list[Outcome]:
        limit = self._limit(len(given), beats)
        if self.runner.run({"m_axis_status": len(given)}, max_cycles=limit).timed_out:
            raise CoreFault(f"the core gave fewer than {len(given)} statuses in {limit} cycles")
        self.input_cycles = list(self.runner.accepted("s_axis"))
        came = self.runner.take("m_axis")
        self.output_cycles = list(came.cycles)
        columns = came.columns
        every = Beats(bytearray(columns["m_axis_tdata"]), bytearray(columns["m_axis_tkeep"]), bytearray(columns["m_axis_tlast"]))
        if any(came.columns["m_axis_tuser"]):
            raise CoreFault("the core cut off the text of a message")
        statuses = self._statuses()
        if self.description.channels == 1:
            return self._outcomes(statuses, given, every)
        results: dict[int, Outcome] = {}
        for channel in {one.channel for one in given}:
            mine = of_channel(every, came.columns["m_axis_tid"], channel, self.beat_bytes, self._keep_bytes)
            told = [status for status, of in zip(statuses, self._status_channels, strict=True) if of == channel]
            numbers = [number for number, one in enumerate(given) if one.channel == channel]
            if len(told) != len(numbers):
                raise CoreFault(f"the core gave {len(told)} statuses for {len(numbers)} messages of channel {channel}")
            results |= zip(numbers, self._outcomes(told, [given[number] for number in numbers], mine), strict=True)
        if {*came.columns["m_axis_tid"]} - {one.channel for one in given}:
            raise CoreFault("the core gave text of a channel that has no message")
        return [results[number] for number in range(len(given))]

    def _outcomes(self, statuses: Sequence[tuple[bytes, int, MessageCode]], given: Sequence[Given], came: Beats) -> list[Outcome]:
        """What came of the messages of one channel."""
        wanted_keeps, wanted_lasts = bytearray(), bytearray()
        results, at = [], 0
        for (tag, _, code), one in zip(statuses, given, strict=True):
            text, tag_bytes = one.text, one.tag
            if code != MessageCode.OK and (code != MessageCode.WRONG_TAG or self.description.hold is not None):
                results.append(Outcome(code))
                continue
            begin = at * self.beat_bytes
            before = len(wanted_lasts)
            self._add(bytes(text), bytearray(), wanted_keeps, wanted_lasts)
            if text:
                wanted_lasts[-1] = 1
            at += len(wanted_lasts) - before
            results.append(Outcome(code, bytes(came.data[begin : begin + text]), tag[:tag_bytes] if code == MessageCode.OK else b""))
        if came.keeps != wanted_keeps or came.lasts != wanted_lasts:
            raise CoreFault("the text that the core gave has not the lengths of the messages")
        return results

    def _collect_packets(self, messages: Sequence[Message], given: Sequence[Given], beats: int) -> list[Outcome]:
        """What came of messages whose packets are as they are on the wire."""
        limit = self._limit(len(given), beats)
        if self.runner.run({"m_axis_status": len(given)}, max_cycles=limit).timed_out:
            raise CoreFault(f"the core gave fewer than {len(given)} statuses in {limit} cycles")
        self.input_cycles = list(self.runner.accepted("s_axis"))
        came = self.runner.take("m_axis")
        self.output_cycles = list(came.cycles)
        try:
            packets = list(self._reader.packets(came))
        except ValueError as error:
            raise CoreFault(f"the core gave {error}") from error
        results = []
        for message, (tag, _, code), wanted in zip(messages, self._statuses(), given, strict=True):
            text, tag_bytes = wanted.text, wanted.tag
            right = code == MessageCode.OK
            if not right and message.decrypt and self.description.hold is not None:
                results.append(Outcome(code))
                continue
            if not packets or packets[0].failed == right:
                raise CoreFault("the packets that the core gave are not those of the messages")
            packet = packets.pop(0).data
            released = right or code == MessageCode.WRONG_TAG
            length = len(message.ad) + text + (tag_bytes if right else 0)
            if released and (packet[: len(message.ad)] != message.ad or len(packet) != length):
                raise CoreFault("the core changed a header, or gave a packet of another length")
            behind = packet[len(message.ad) :]
            if right and behind[text:] != tag[:tag_bytes]:
                raise CoreFault("the tag in a packet is not that of the status")
            results.append(Outcome(code, behind[:text] if released else b"", behind[text:] if right else b"", packet))
        if packets or self._reader.begun:
            raise CoreFault("the core gave more packets than messages")
        return results


def _or(values: Sequence[int]) -> str:
    ordered = sorted(values)
    if len(ordered) > 2 and ordered == list(range(ordered[0], ordered[-1] + 1)):
        return f"{ordered[0]} to {ordered[-1]}"
    *head, last = map(str, values)
    return f"{', '.join(head)} or {last}" if head else last
