# SPDX-License-Identifier: Apache-2.0
"""A built core behind the LWC interface as a Python object: messages become words of PDI and SDI, and the words of DO become results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Unpack

from modeloom.interfaces.lwc import Header, Opcode, Segment
from modeloom.interfaces.messages import MessageCode
from modeloom.product.driven import CoreFault, DriveOptions
from modeloom.product.folder import read_as
from modeloom.product.message import LwcDescription, Message, Outcome, SealingCore, Turns, check_message, require_right
from modeloom.protocol.outcome import judge_whole
from modeloom.protocol.segments import LONGEST, Answer, Piece, SegmentReader, words_in
from modeloom.sim import Stream, StreamRunner
from modeloom.spec.errors import InputError

__all__ = ["LWC_STREAMS", "SimulatedLwcCore"]

LWC_STREAMS = (
    Stream("pdi", "in", "pdi_valid", "pdi_ready", ("pdi_data",)), Stream("sdi", "in", "sdi_valid", "sdi_ready", ("sdi_data",)),
    Stream("do", "out", "do_valid", "do_ready", ("do_data", "do_last")),
)  # fmt: skip
"""The streams of a core behind this interface, for a ``StreamRunner``."""

PATIENCE = 50_000
"""Number of cycles that messages may take beyond eight times the number of their words before the core counts as broken."""


class SimulatedLwcCore(SealingCore[LwcDescription]):
    """The simulation of a built core behind the LWC interface.

    It has the methods of :class:`~modeloom.product.simulated_messages.SimulatedStreamCore` that make sense without slots.  The interface
    tells a failure and not its reason, so every message to open that fails counts as one with a wrong tag.

    Parameters
    ----------
    directory : path
        A folder that ``modeloom build`` wrote.
    options
        As for :class:`~modeloom.product.driven.DrivenCore`.  The streams are ``pdi``, ``sdi`` and ``do``.

    Attributes
    ----------
    status_cycles, input_cycles : list of int
        The cycles of the statuses in the last run.  For each message of it, the cycle of its first word on PDI, once for each beat that the
        message would have on a bus of blocks, as ``modeloom traffic`` counts them.
    """

    STATES = "a message for this core begins with the bytes of its text"

    def __init__(self, directory: str | Path, **options: Unpack[DriveOptions]):
        description = read_as(LwcDescription, directory, "a core behind the LWC interface")
        super().__init__(directory, description, **options)
        self.form = description.words
        self._reader = SegmentReader(description.word_bytes)
        self._keys = Turns(self)
        self._keyed = False
        self.status_cycles: list[int] = []
        self.input_cycles: list[int] = []

    def make_runner(self, seed: int, gaps: dict[str, float]) -> StreamRunner:
        """The runner of PDI, SDI and DO."""
        return StreamRunner(self.simulation, LWC_STREAMS, seed=seed, gaps=gaps)

    @property
    def slots(self) -> int:
        """Key slots that a host can name: one."""
        return 1

    def load_key(self, key: bytes, slot: int = 0) -> None:
        """Keeps a key for the next message that brings none of its own.  Raises ``InputError`` if its length is wrong."""
        self._keys.load(key, slot)

    def send_key(self, data: bytes, slot: int = 0, erase: bool = False) -> None:
        """Queues a key on SDI."""
        self.feed("sdi", self.form.key(data))

    def erase_key(self, slot: int = 0) -> None:
        """Raises ``InputError``, as the interface has no instruction for it."""
        raise InputError("the LWC interface has no instruction that erases a key; zeroize erases the core")

    # -- messages -----------------------------------------------------------------------------------------------------------------

    def feed(self, name: str, pieces: Iterable[Piece]) -> int:
        """Queues words on PDI or SDI, and returns their number."""
        words = words_in(pieces)
        size = self.description.word_bytes
        self.runner.feed(name, {f"{name}_data": b"".join(word.to_bytes(size, "little") for word in words)})
        return len(words)

    def answers(self, count: int, words: int) -> list[Answer]:
        """Runs until so many messages have their status.  ``words`` of PDI and DO tell how long this may take."""
        found: list[Answer] = []
        limit = int((8 * words + PATIENCE + count * 4 * self.description.key_erase_cycles) * self.stretch)
        self.status_cycles, begin = [], self.cycles
        while len(found) < count:
            if self.cycles - begin > limit:
                raise CoreFault(f"the core gave {len(found)} of {count} statuses in {limit} cycles")
            self.runner.run(max_cycles=64)
            found += self._read()
        if len(found) > count or self._reader.begun:
            raise CoreFault("the core gave more than was asked for")
        return found

    def restart_reader(self) -> None:
        """Forgets what has come of a message that a reset has ended."""
        self._reader = SegmentReader(self.description.word_bytes)

    def _read(self) -> list[Answer]:
        """The messages whose status has come."""
        taken = self.runner.take("do")
        lasts = taken.values("do_last")
        self.status_cycles += [cycle for cycle, last in zip(taken.cycles, lasts, strict=True) if last]
        try:
            return list(self._reader.answers(zip(taken.values("do_data"), lasts, strict=True)))
        except ValueError as error:
            raise CoreFault(f"the core gave {error}") from error

    def _activation(self, message: Message) -> list[Piece]:
        """What activates the key of a message, if it has one of its own; the key is queued on SDI."""
        comes = self._keys.comes_with(message)
        self._keyed |= comes
        if not self._keyed:
            raise InputError("no key has been loaded; load one, or give the message its key")
        return [self.form.instruction(Opcode.ACTIVATE_KEY)] if comes else []

    def outcomes(self, messages: Sequence[Message] | Iterable[Message]) -> list[Outcome]:
        """Runs messages back to back, and returns their results.  Raises ``InputError`` for one that this core cannot take."""
        d = self.description
        checked = [(message, check_message(d, message, len(message.data))) for message in messages]
        if not checked:
            return []
        lengths, total = [], 0
        for message, tag_bytes in checked:
            activation = self._activation(message)
            lengths.append(self.feed("pdi", [*activation, *self.form.message(message, tag_bytes)]))
            total += lengths[-1] + len(message.data) // d.word_bytes
        answers = self.answers(len(checked), total)
        cycles, at = self.runner.accepted("pdi"), 0
        self.input_cycles = []
        for (message, tag_bytes), length in zip(checked, lengths, strict=True):
            text = len(message.data) - (tag_bytes if message.decrypt else 0)
            self.input_cycles += [cycles[at]] * d.beats(len(message.ad), text, tag_bytes if message.decrypt else 0)
            at += length
        return [self._outcome(message, tag_bytes, answer) for (message, tag_bytes), answer in zip(checked, answers, strict=True)]

    def _outcome(self, message: Message, tag_bytes: int, answer: Answer) -> Outcome:
        if answer.success:
            return Outcome(MessageCode.OK, answer.text, answer.tag)
        if not message.decrypt:
            raise CoreFault("the core failed to seal a message")
        failed = judge_whole(self.description, 1, len(message.ad), len(message.data) - tag_bytes, tag_bytes).settled(False)
        return Outcome(failed.code, answer.text)

    def pieces(self, message: Message, chunks: Iterable[bytes], tag: bytes = b"", text: int | None = None) -> Iterator[bytes]:
        """Runs a long message piece by piece.  Yields text as it comes, and at the end the tag if the message is sealed.

        Arguments and errors are those of ``SimulatedStreamCore.pieces``.  The text of a message to be opened comes before its tag has been
        checked, and must be discarded if this raises.
        """
        d = self.description
        nbytes = self.stated(text)
        tag_bytes = check_message(d, message, len(tag) + nbytes)
        self.feed("pdi", [*self._activation(message), *self.form.begin(message, nbytes)])
        kind = Segment.CIPHERTEXT if message.decrypt else Segment.PLAINTEXT
        rest = b""
        for chunk in chunks:
            rest += chunk
            whole = max(0, len(rest) - 1) // LONGEST * LONGEST
            for at in range(0, whole, LONGEST):
                self.feed("pdi", [self.form.segment(Header(kind, LONGEST, eot=False), rest[at : at + LONGEST])])
                self._drain()
                yield self._reader.text()
            rest = rest[whole:]
        self.feed("pdi", self.form.part(kind, rest, eoi=True, last=not message.decrypt))
        if message.decrypt:
            self.feed("pdi", [self.form.segment(Header(Segment.TAG, tag_bytes, False, True, True), tag)])
        (answer,) = self.answers(1, 2 * LONGEST)
        outcome = self._outcome(Message(message.nonce, bytes(nbytes) + tag, b"", message.decrypt), len(tag), answer)
        yield outcome.text
        require_right(d.mode, 0, outcome.code)
        if not message.decrypt:
            yield outcome.tag

    def _drain(self) -> None:
        """Runs until all words have been taken."""
        limit = int((8 * LONGEST + PATIENCE) * self.stretch)
        if self.runner.run({}, drain=True, max_cycles=limit).timed_out:
            raise CoreFault(f"the core did not take a segment in {limit} cycles")
        if self._read():
            raise CoreFault("the core ended a message before its end")
