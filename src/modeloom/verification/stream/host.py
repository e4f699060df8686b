# SPDX-License-Identifier: Apache-2.0
"""The host of a core for messages in simulation.  It sends keys, commands and packets at any time, and knows which results are
allowed."""

from __future__ import annotations

import random
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import modeloom_golden as golden
from modeloom.ciphers import CIPHERS
from modeloom.cores.stream.bench import key_cycles
from modeloom.definition.messages import StreamModel
from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.shared import PassedOn
from modeloom.interfaces.table import RESERVED
from modeloom.modes import find_any
from modeloom.product.beats import GivenPacket, PacketReader, take_turns
from modeloom.product.folder import read_messages
from modeloom.product.messages import StreamDescription
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.protocol.outcome import Outcome, outcomes, refusal
from modeloom.protocol.scenarios import faulty
from modeloom.protocol.transactions import Command, MessagePacket, message_packet
from modeloom.spec import InputError
from modeloom.spec.stream import StreamMode
from modeloom.verification.host import CoreHost, CoreSubject

__all__ = ["MessageHost", "MessageJob", "MessageReference", "StreamSubject", "TurnHost", "host_of"]


# -- subject ---------------------------------------------------------------------------------------------------------------------------

# The core for messages under verification, and the reference of its mode.


@dataclass(frozen=True)
class MessageReference:
    """The results that a core must compute with a key.

    Attributes
    ----------
    model : StreamModel
        The definition on numbers.
    golden : golden.StreamMode or None
        An independent reference, if there is one.
    """

    model: StreamModel
    golden: golden.StreamMode | None

    def run(self, decrypt: int, nonce: bytes, text: bytes, ad: bytes, tag_bytes: int, known: bytes = b"") -> tuple[bytes, bytes]:
        """The ciphertext of a plaintext or the plaintext of a ciphertext, and at least ``tag_bytes`` bytes of the tag of the message.

        A length of tags that the mode does not have stands for its longest one.  With two passes, ``decrypt`` is the number of the
        direction or pass, and ``known`` the tag in the command.
        """
        if tag_bytes not in self.model.mode.tag_bytes:
            tag_bytes = max(self.model.mode.tag_bytes)
        if self.golden is None:
            return self.model.run("decrypt" if decrypt else "encrypt", nonce, text, ad, tag_bytes)
        if not decrypt:
            sealed = self.golden.seal(nonce, text, ad, tag_bytes)
            return sealed[: len(text)], sealed[len(text) :]
        plain = self.model.run("decrypt", nonce, text, ad, tag_bytes)[0]
        sealed = self.golden.seal(nonce, plain, ad, tag_bytes)
        if sealed[: len(text)] != text:
            raise AssertionError("the definition and the reference differ")
        return plain, sealed[len(text) :]

    def sealed(self, nonce: bytes, text: bytes, ad: bytes, tag_bytes: int) -> tuple[bytes, bytes]:
        """The ciphertext and the tag of a message."""
        return self.run(0, nonce, text, ad, tag_bytes)


@dataclass(frozen=True)
class TagFirstReference(MessageReference):
    """The same for a mode whose text is encrypted under its tag.  ``stored`` says that the core makes both passes by itself."""

    stored: bool

    def run(self, decrypt: int, nonce: bytes, text: bytes, ad: bytes, tag_bytes: int, known: bytes = b"") -> tuple[bytes, bytes]:
        """What comes of a direction or pass, and the tag."""
        if self.stored and not decrypt:
            return self.sealed(nonce, text, ad, tag_bytes)
        out, tag = self.model.run(self.model.mode.text_steps()[decrypt], nonce, text, ad, known=known)
        if self.golden is None:
            return out, tag
        # The tag is that of the plaintext, even if another one is known.
        ciphertext, expected = self.sealed(nonce, out if decrypt == 1 else text, ad, tag_bytes)
        if tag != expected or (tag == known and decrypt and ciphertext != (text if decrypt == 1 else out)):
            raise AssertionError("the definition and the reference differ")
        return out, tag

    def sealed(self, nonce: bytes, text: bytes, ad: bytes, tag_bytes: int) -> tuple[bytes, bytes]:
        """The ciphertext and the tag of a message."""
        sealed = (self.golden or self.model).seal(nonce, text, ad)
        return sealed[: len(text)], sealed[len(text) :]


class StreamSubject(CoreSubject[StreamDescription, SimulatedStreamCore, MessageReference]):
    """A built core for messages under test.  Its parameters are those of ``CoreSubject``."""

    def read(self) -> StreamDescription:
        """Reads ``core.json``."""
        return read_messages(self.directory)

    @property
    def ways(self) -> Sequence[int]:
        """The directions and passes of the core, as the field ``decrypt`` of a command has them."""
        return self.description.ways

    @cached_property
    def mode(self) -> StreamMode:
        """The definition."""
        mode = find_any(self.description.definition, self.directory)
        if not isinstance(mode, StreamMode):
            raise InputError(f"{self.description.definition} is a mode for sectors; build the core again")
        return mode

    @property
    def independent(self) -> bool:
        """Whether the reference comes from ``modeloom_golden``, which shares no code with the compiler."""
        cipher = self.description.cipher
        return cipher in CIPHERS and self.description.definition in golden.stream_mode_names(cipher)

    def make_core(self, seed: int) -> SimulatedStreamCore:
        """A new core after a reset."""
        return SimulatedStreamCore(
            self.directory, seed=seed, library=self.library, converters=self.converters, front=self.front, clocks=self.clocks
        )  # fmt: skip

    def make_reference(self, key: bytes) -> MessageReference | None:
        """The reference for a key; None if the mode refuses the key."""
        cipher = self.description.cipher
        try:
            # If software derives the keys of messages, they are derived ones here, as in the core.
            model = StreamModel(self.mode, key, cipher, derived=self.description.derives)
        except InputError:
            if not self.description.refused_keys:
                raise
            return None
        d = self.description
        reference = golden.stream_mode(d.definition, key, cipher, d.derives) if self.independent else None
        # A core with both passes gives text for a message to seal at once.
        return TagFirstReference(model, reference, d.text_of(0, 1) > 0) if d.tag_first else MessageReference(model, reference)

    def user_key(self, rng: random.Random) -> bytes:
        """A random key as ``load_key`` takes it: a master key, if software derives the keys of messages."""
        d = self.description
        while True:
            key = rng.randbytes(rng.choice(d.user_key_lengths))
            if self.reference_for(key, bytes(d.nonces[0])) is not None:
                return key

    def reference_for(self, key: bytes, nonce: bytes) -> MessageReference | None:
        """The reference for a message under a ``user_key``; None if the mode refuses the key."""
        return self.reference(self.description.message_key(self.directory, key, nonce))


# -- host ------------------------------------------------------------------------------------------------------------------------------

SLOTS = 8
"""Largest number of slots that get keys.  If the core has more slots, these are the first ones and the last one."""


@dataclass(frozen=True)
class MessageJob:
    """A command that was sent, with its packet.

    ``slot`` is that of the history of its key, and ``channel`` that of its beats.  ``ad`` is the number of bytes of its associated data.
    """

    command: Command
    packet: MessagePacket
    slot: int
    channel: int
    ad: int


class OneChannel:
    """How messages share the data bus of a core with one channel: their packets follow one another."""

    columns: tuple[str, ...] = ("tkeep", "tlast")

    def __init__(self, count: int):
        self.count = count

    def some(self, rng: random.Random) -> dict[str, int]:
        """The field of a command with a random channel."""
        return {}

    def of(self, channel: int) -> int:
        """The channel to which the beats and the status of a command with this field belong."""
        return 0

    def alternating(self, measure: Callable[[], str]) -> str:
        """What is measured of channels that alternate: nothing."""
        return ""

    def turns(self, order: str, rng: random.Random, channels: Sequence[int], counts: Sequence[int]) -> Iterable[tuple[int, int]]:
        """The order of the beats of packets with so many beats each: the number of the packet, and that of its beat."""
        return [(number, at) for number, count in enumerate(counts) for at in range(count)]


class ManyChannels(OneChannel):
    """The same with several channels, which take turns at each beat ("beats"), at each packet ("packets"), or at random."""

    columns = ("tkeep", "tlast", "tid")

    def some(self, rng: random.Random) -> dict[str, int]:
        """One of them."""
        return {"channel": rng.randrange(self.count)}

    def of(self, channel: int) -> int:
        """The channel itself."""
        return channel

    def alternating(self, measure: Callable[[], str]) -> str:
        """The measurement."""
        return measure()

    def turns(self, order: str, rng: random.Random, channels: Sequence[int], counts: Sequence[int]) -> Iterable[tuple[int, int]]:
        """The order of the beats."""
        orders: dict[str, Callable[[], Iterable[tuple[int, int]]]] = {
            "beats": partial(take_turns, channels, counts), "packets": partial(super().turns, order, rng, channels, counts),
            "random": partial(self._at_random, rng, channels, counts),
        }  # fmt: skip
        return orders[order or rng.choice(("beats", "packets", "random", "random"))]()

    @staticmethod
    def _at_random(rng: random.Random, channels: Sequence[int], counts: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Some beats of one channel, then some of another one."""
        queues: dict[int, deque[tuple[int, int]]] = defaultdict(deque)
        for number, channel in enumerate(channels):
            queues[channel].extend((number, at) for at in range(counts[number]))
        while queues:
            channel = rng.choice(sorted(queues))
            for _ in range(min(len(queues[channel]), rng.randint(1, 4))):
                yield queues[channel].popleft()
            if not queues[channel]:
                del queues[channel]


class MessageHost(CoreHost[SimulatedStreamCore]):
    """Drives one core for messages and checks all its outputs.

    Parameters
    ----------
    subject : StreamSubject
        The source of the core.
    rng : random.Random
        Random numbers for ids and everything that the caller does not choose.
    core : SimulatedStreamCore, optional
        The core.  The default is a new one.

    Attributes
    ----------
    sharing : OneChannel
        How messages share the data bus.
    messages : int
        Number of messages whose results were compared.
    codes : set of MessageCode
        Statuses that came.
    renews : bool
        Whether every other message brings a key of its own, if keys come with messages.
    """

    renews = False

    def __init__(self, subject: StreamSubject, rng: random.Random, core: SimulatedStreamCore | None = None):
        self.messages = 0
        self.codes: set[MessageCode] = set()
        self.status_cycles: list[int] = []
        count = subject.description.channels
        self.sharing = (ManyChannels if count > 1 else OneChannel)(count)
        super().__init__(subject, rng, core)
        d = self.description
        self.beat_bytes = self.core.host_bytes
        groups = {group.name: group for group in d.interfaces}
        self._status = groups["m_axis_status"].packing
        self.command = groups["s_axis_cmd"].packing

    def _forget(self) -> None:
        super()._forget()
        # By channel: jobs without a status, and packets that are complete.
        self._jobs: dict[int, deque[MessageJob]] = defaultdict(deque)
        self._packets: dict[int, deque[GivenPacket]] = defaultdict(deque)
        self._decided: dict[tuple[int, int], int] = defaultdict(int)
        self._pending: list[tuple[bytes, MessageJob]] = []
        # Converters to wider beats join the end of a text that is cut off with what came before it.
        d, size = self.description, self.core.host_bytes
        self._reader = PacketReader(size, d.form, joins=size > d.beat_bytes)

    # Keys

    @property
    def used(self) -> list[int]:
        """The slots that checks use."""
        return [*range(min(self.slots, SLOTS) - 1), self.slots - 1]

    def missing_slots(self) -> list[int]:
        """Slots that key packets can name and the core has not: those that differ in a bit from one that is used, and the last one."""
        bits = sum(port.width for port in self.description.ports if port.name == "s_axis_key_tdest")
        near = {slot ^ 1 << bit for slot in (*self.used, self.slots) for bit in range(bits)} | {self.slots, (1 << bits) - 1}
        return sorted(slot for slot in near if self.slots <= slot < 1 << bits)

    def load_all(self) -> None:
        """Loads a random key into each slot that is used."""
        for slot in self.used:
            self.load(self.subject.good_key(self.rng), slot)
        self.settle()

    def with_each_key(self) -> None:
        """Sends a message under the key of each slot that is used.  If its slot is empty, it has this status."""
        for slot in self.used:
            self.job(slot=slot, decrypt=self.subject.ways[0], ad=1, text=17)
        self.settle()

    def behind_wrong_key(self) -> None:
        """Sends the messages that only a key packet that was refused can have."""

    # Sending

    def job(
        self, *, slot: int = 0, decrypt: int = 0, ad: bytes | int = 0, text: bytes | int = 0, nonce: bytes | int | None = None,
        tag_bytes: int | None = None, key: bytes | None = None, wrong_bit: int | None = None, fault: str | None = None,
        stated: int | None = None, reserved: int = 0, packet: MessagePacket | None = None, **fields: int,
    ) -> None:  # fmt: skip
        """Sends a command and its packet.

        Parameters
        ----------
        decrypt : int
            The direction or the pass, as commands have it.
        ad, text, nonce : bytes or int
            The bytes, or the number of random bytes.  Of a message to open in a mode with two passes, the text is the plaintext.
        key : bytes, optional
            The key for the tag of a message to open.  The default is the key at the end of the history of the slot.
        wrong_bit : int, optional
            The number of a bit of this tag that is inverted.
        fault : str, optional
            One of ``protocol.scenarios.FAULTS``.
        stated : int, optional
            The bytes of text that the command states, if it does.  The default is the bytes of the text.
        reserved : int
            The reserved bits of the command.
        packet : MessagePacket, optional
            What is sent in place of the packet of the message.
        **fields
            Fields of the command that get other values.
        """
        rng, d, sent = self.rng, self.description, packet
        ad = rng.randbytes(ad) if isinstance(ad, int) else ad
        text = rng.randbytes(text) if isinstance(text, int) else text
        nonce = d.nonces[0] if nonce is None else nonce
        nonce = rng.randbytes(nonce) if isinstance(nonce, int) else nonce
        length = d.tag_bytes[0] if tag_bytes is None else tag_bytes
        values: dict[str, Any] = {"slot": slot, **fields}
        turn = self._turn(values)
        if key is None and values["slot"] < len(self._history):
            key = next((one for one in reversed(self._history[values["slot"]]) if one is not None), None)
        tag = b""
        if decrypt:
            reference = self.subject.reference(key) if key is not None else None
            plain = text
            if reference is not None and length in d.tag_bytes and d.tag_first:
                sealed, tag = reference.sealed(nonce, text, ad, length)
                text = sealed if decrypt == 1 else text
            elif reference is not None and length in d.tag_bytes:
                tag = reference.run(True, nonce, text, ad, length)[1][:length]
            else:
                tag = rng.randbytes(min(length, d.block_bytes))
            if wrong_bit is not None:
                tag = (int.from_bytes(tag, "little") ^ 1 << wrong_bit).to_bytes(len(tag), "little")
                if reference is not None and decrypt == 1 and length in d.tag_bytes and d.tag_first:
                    # Under another tag another text would come out, with a tag that differs in many bits.
                    text = bytes(reference.run(2, nonce, plain, ad, length, tag)[0])
        packet = message_packet(d, decrypt, ad, text, tag, self.beat_bytes)
        if fault:
            packet = faulty(packet, self.beat_bytes, fault, rng)
        packet = sent or packet
        values = {
            "associated": len(ad), "tag_bytes": length, "id": rng.randrange(1 << 16), "decrypt": decrypt, "nonce_bytes": len(nonce),
            **self.sharing.some(rng), "text": len(text) if stated is None else stated, **values,
        }  # fmt: skip
        command = Command(nonce=nonce, tag=tag, **values | turn)
        job = MessageJob(command, packet, values["slot"], self.sharing.of(command.channel), len(ad))
        self._jobs[job.channel].append(job)
        word = command.pack(d)
        if reserved:
            word = (int.from_bytes(word, "little") | reserved << self.command.offset(RESERVED)).to_bytes(len(word), "little")
        self._pending.append((word, job))
        self._patience += self.description.message_cycles(len(ad), len(packet.data))

    def _turn(self, values: dict[str, Any]) -> dict[str, Any]:
        """What a command says of its key."""
        return {"slot": values["slot"]}

    def flush(self, order: str = "") -> None:
        """Sends the packets of jobs, in an order of ``ManyChannels``."""
        pending, self._pending = self._pending, []
        if not pending:
            return
        jobs = [job for _, job in pending]
        counts = [len(job.packet.keeps) for job in jobs]
        turns = self.sharing.turns(order, self.rng, [job.channel for job in jobs], counts)
        size = self.beat_bytes
        commands, data = b"", bytearray()
        columns: dict[str, list[int]] = {name: [] for name in ("tkeep", "tlast", "tid")}
        for number, at in turns:
            job = jobs[number]
            data += job.packet.data[at * size : (at + 1) * size]
            for name, value in (("tkeep", job.packet.keeps[at]), ("tlast", int(at == counts[number] - 1)), ("tid", job.channel)):
                columns[name].append(value)
            if not at:
                commands += pending[number][0]
        self.runner.feed("s_axis_cmd", {"s_axis_cmd_tdata": commands})
        self.runner.feed("s_axis", {"s_axis_tdata": bytes(data), **{f"s_axis_{name}": columns[name] for name in self.sharing.columns}})

    def run(self, cycles: int) -> None:
        """Runs for a number of cycles, and checks what has come."""
        self.flush()
        super().run(cycles)

    @property
    def key_cycles(self) -> int:
        """Number of cycles that a key packet takes at most, with a margin."""
        return key_cycles(self.description) + 2 * self.description.message_cycles(0, 64)

    # Receiving

    def settle(self) -> None:
        """Sends the packets of all jobs, and does the same as any host."""
        self.flush()
        super().settle()

    @property
    def under_way(self) -> int:
        """Number of messages that were sent and have no status."""
        return self._left()

    def _left(self) -> int:
        return sum(map(len, self._jobs.values()))

    def _more(self) -> bool:
        return any(self._packets.values()) or self._reader.begun

    def compare(self, rules: bool = True) -> None:
        """Checks all received statuses and text and, on request, the rules of the buses."""
        beats = self.runner.take("m_axis")
        self._output_cycles.extend(beats.cycles)
        try:
            for packet in self._reader.packets(beats):
                self._packets[packet.channel].append(packet)
        except ValueError as error:
            self.fail(f"gives {error}")
        statuses = self.runner.take("m_axis_status")
        for value, cycle in zip(statuses.values("m_axis_status_tdata"), statuses.cycles, strict=True):
            fields = self._status.unpack(value.to_bytes(self._status.bits // 8, "little"))
            if fields["channel"] != self.sharing.of(fields["channel"]) or fields["code"] > max(MessageCode):
                self.fail(f"gives the status {value:#x}, which means nothing")
            jobs = self._jobs[fields["channel"]]
            if not jobs:
                self.fail("gives a status without a command")
            self.status_cycles.append(cycle)
            tag = fields["tag"].to_bytes(self.description.block_bytes, "little")
            self._compare_one(jobs.popleft(), fields["id"], MessageCode(fields["code"]), tag, cycle)
        if rules:
            self.check_rules()

    def _compare_aborted(self) -> None:
        # A beat that is taken in this cycle is cut off: its payload is zero.
        for stream in ("m_axis", "m_axis_status"):
            taken = self.runner.take(stream)
            if any(any(taken.values(name)) for name in taken.columns):
                self.fail(f"gives a beat on {stream} after a request to erase")

    def _compare_one(self, job: MessageJob, number: int, code: MessageCode, tag: bytes, cycle: int) -> None:
        self.messages += 1
        self.codes.add(code)
        if number != job.command.id:
            self.fail(f"gives the id {number:#06x} where {job.command.id:#06x} was next")
        allowed = self._allowed(job)
        for phase, one in allowed:
            if (one.code, one.tag.ljust(len(tag), b"\0")) != (code, tag):
                continue
            packets = self._packets[job.channel]
            came = [packets[at] for at in range(min(len(packets), len(one.leaving)))]
            if [(each.data, each.marked, each.cycle < cycle) for each in came] != [(data, one.marked, True) for data in one.leaving]:
                continue
            for _ in came:
                packets.popleft()
            self._decided[job.channel, job.slot] = phase
            return
        codes = sorted({one.code for _, one in allowed})
        if code not in codes:
            self.fail(f"gives {code.name} where {' or '.join(c.name for c in codes)} is right: {self._words(job)}")
        self.fail(f"computes a wrong text or tag: {self._words(job)}")

    def _allowed(self, job: MessageJob) -> list[tuple[int, Outcome]]:
        """The phases of the slot in which the command may have been decided, with each result that is allowed there."""
        d, packet, first = self.description, self._passed_on(job), self._first_phase(job)
        if refusal(d, job.command) >= MessageCode.NO_KEY:
            # It is wrong in itself, whatever its slot holds.
            return [(first, one) for one in outcomes(d, job.command, packet, None)]
        later = [(phase, key) for phase, key in enumerate(self._history[job.slot]) if phase >= first]
        return [(phase, one) for phase, key in later for one in outcomes(d, job.command, packet, self._run(job.command, key))]

    def _run(self, command: Command, key: bytes | None) -> Callable[[bytes, bytes], tuple[bytes, bytes]] | None:
        """What the reference makes of a text and its associated data; None without a key."""
        if key is None:
            return None
        reference: MessageReference = self.subject.reference(key)
        return lambda text, ad: reference.run(command.decrypt, command.nonce, text, ad, command.tag_bytes, command.tag)

    def _passed_on(self, job: MessageJob) -> MessagePacket:
        """The packet that the core gets: it differs from that of the host behind converters."""
        d = self.description
        if not self.subject.converters:
            return job.packet
        # The part that begins with a beat of its own, if there are two.
        stated, groups = {"associated": job.command.associated, "text": job.command.text}, d.form.layout(0)
        converters = PassedOn(d.beat_bytes, stated[groups[0][0]] if len(groups) > 1 else None)
        return MessagePacket(*converters.packet(job.packet.beats(self.beat_bytes)))

    def _first_phase(self, job: MessageJob) -> int:
        """The first phase of the slot in which the command may have been decided: channels are decided independently."""
        at = self._at[job.slot] if job.slot < len(self._at) else 0
        return max(at, self._decided[job.channel, job.slot])

    def _words(self, job: MessageJob) -> str:
        # A check of bounds sends every value of the field.
        command = job.command
        way = {0: "sealing", 1: "opening", 2: "sealing (second pass)"}.get(command.decrypt, f"direction {command.decrypt},")
        return (
            f"{way} message {self.messages} (id {command.id:#06x}, slot {job.slot}, channel {job.channel}, "
            f"{len(command.nonce)} bytes of nonce, {job.ad} of associated data, {len(job.packet.keeps)} beats, "
            f"{command.tag_bytes} bytes of tag)"
        )


class TurnHost(MessageHost):
    """The host of a core whose keys come with the messages.

    Each key packet has a turn, and the slot of a job is the number of its turn.  Turn 0 is the time before the first packet.  A
    packet that drops a key ends the turn before it::

        packets     key A         key B            drop
        turn        1: A          2: B, empty
        commands    new_key, -    new_key, -, -    -          the last ones have key B or none
    """

    def _forget(self) -> None:
        super()._forget()
        self._current = 0

    def _key_packet(self, slot: int, phases: list[bytes | None], error: bool) -> None:
        if phases[-1] is None and not error:
            self._history[-1].append(None)
        else:
            self._history.append([phases[-1]])
            self._at.append(0)
        self._key_error = error
        self._sends_keys = True
        self._patience += self.key_cycles

    def _loaded(self) -> int:
        return int(self._history[-1][-1] is not None)

    def behind_wrong_key(self) -> None:
        """Sends messages under what is no key, as it has its turn, too."""
        for _ in range(2):
            self.job(decrypt=self.subject.ways[0], ad=1, text=17)

    def key_packets_alone(self) -> None:
        """Does nothing: a key packet waits for its message here."""

    def _turn(self, values: dict[str, Any]) -> dict[str, Any]:
        if self.renews and self.rng.random() < 0.5:
            self.load(self.subject.good_key(self.rng), 0)
        new_key = self._current + 1 < len(self._history)
        self._current += new_key
        values["slot"] = self._current
        return {"slot": 0, "new_key": new_key}


def host_of(subject: StreamSubject, rng: random.Random) -> MessageHost:
    """The host of a core under test."""
    return (TurnHost if subject.description.inline else MessageHost)(subject, rng)
