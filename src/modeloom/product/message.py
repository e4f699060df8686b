# SPDX-License-Identifier: Apache-2.0
"""A message for a simulated core, what a core can take, and what comes of a message."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Annotated, ClassVar, TypeVar

from modeloom.definition.software import as_bytes
from modeloom.interfaces import Interface
from modeloom.interfaces.lwc import HEADER_BITS, WORD_BITS, Opcode, lwc_core, opcode_word
from modeloom.interfaces.messages import MessageCode
from modeloom.product.description import LWC, Declassified, Result, Verdict, groups_of
from modeloom.product.driven import DrivenCore, check_slot
from modeloom.product.messages import TAG_DUE, TAG_VERDICT, StreamDescription
from modeloom.protocol.segments import StatedWords, WordForm
from modeloom.spec import InputError
from modeloom.spec.errors import AuthenticationError, FailedCheck

__all__ = [
    "PUBLIC_WORDS", "LwcDescription", "Masters", "Message", "MessageError", "Outcome", "SealingCore", "Slots", "Turns",
    "check_message", "check_room", "require_right",
]  # fmt: skip


# -- lwc -------------------------------------------------------------------------------------------------------------------------------

# ``core.json`` of a core for messages behind the LWC interface.

PUBLIC_WORDS = "words that are instructions or headers"
"""What PDI and SDI carry besides secrets; whether a word is one of these follows from those before it alone."""


@dataclass(frozen=True, kw_only=True)
class LwcDescription(StreamDescription):
    """The contents of `core.json` for a core for messages behind the LWC interface.

    Cycles and latencies are those of the message control behind it.
    """

    SCHEMA: ClassVar[str] = "modeloom-lwc-core-1"

    interface_bits: Annotated[int, "Bits of a word of PDI, SDI and DO."]

    def requirements(self) -> Iterator[tuple[bool, str]]:
        """What must hold of the members."""
        yield from super().requirements()
        yield self.interface_bits in WORD_BITS, f"interface_bits is not one of {', '.join(map(str, WORD_BITS))}"

    @cached_property
    def words(self) -> WordForm:
        """What messages are made of."""
        return (StatedWords if self.lengths_first else WordForm)(self.word_bytes)

    @property
    def word_bytes(self) -> int:
        """Bytes of a word."""
        return self.interface_bits // 8

    @property
    def failure_bit(self) -> int:
        """The bit of a word with a status that is set in a failure, and not in a success."""
        return self.interface_bits - HEADER_BITS + (opcode_word(Opcode.SUCCESS) ^ opcode_word(Opcode.FAILURE)).bit_length() - 1

    @property
    def inline(self) -> bool:
        """Keys come with the messages: an instruction before a message activates its key."""
        return True

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """PDI, SDI, DO and the erasure."""
        return lwc_core(self.interface_bits)

    def area_groups(self, paths: tuple[str, ...]) -> dict[str, list[str]]:
        """Those of the message control behind the interface, and the interface."""
        return groups_of(paths, self.cipher, around=(LWC,))

    @property
    def result_bytes(self) -> int:
        """Bytes of a word."""
        return self.word_bytes

    @property
    def results(self) -> tuple[Result, ...]:
        """The words of DO."""
        return (Result("do_data", self.interface_bits),)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdict on a tag, if the core opens messages.  DO carries it behind text, so its register has to be named."""
        return (Verdict(TAG_VERDICT, (), TAG_DUE, "verdicts.wrong_reg"),) if "decrypt" in self.directions else ()

    @property
    def declassified(self) -> tuple[Declassified, ...]:
        """The headers behind the gates of PDI and SDI."""
        return (Declassified(PUBLIC_WORDS, tuple(f"{part}.gate.header" for part in ("parser", "loader"))),)

    @property
    def bench_figures(self) -> Mapping[str, int]:
        """None: how long messages take behind this interface depends on their host."""
        return {}

    def words_of(self, associated: int, text: int, decrypt: bool, nonce_bytes: int, tag_bytes: int) -> int:
        """The words of PDI of a message whose parts have a segment each."""
        parts = (nonce_bytes, associated, text, *((tag_bytes,) if decrypt else ()))
        lengths = sum(len(piece.words) for piece in self.words.lengths(associated, text))
        return 1 + lengths + sum(1 - (-part // self.word_bytes) for part in parts)


# -- message ---------------------------------------------------------------------------------------------------------------------------

D = TypeVar("D", bound=StreamDescription, covariant=True)


class MessageError(FailedCheck, RuntimeError):
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
        The plaintext, or the ciphertext with the tag at its end.  In a second pass, it is the plaintext with the tag.
    ad : bytes
        The associated data.
    decrypt : int
        0 to seal the message, 1 to open it.  In a core with two passes, 0 and 2 are the first and the second pass of sealing.
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
    decrypt: int = False
    slot: int = 0
    tag_bytes: int | None = None
    key: bytes | None = None
    channel: int = 0

    def __post_init__(self) -> None:
        if self.key is not None:
            object.__setattr__(self, "key", as_bytes("key", self.key))
        for name in ("nonce", "data", "ad"):
            object.__setattr__(self, name, as_bytes(name, getattr(self, name)))
        if not isinstance(self.decrypt, int) or self.decrypt not in (0, 1, 2):
            raise TypeError(f"decrypt is True or False, or 2 for a second pass, not {self.decrypt!r}")
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
        The tag of a sealed message, or of its first pass.  It is empty for others.
    packet : bytes or None
        In wire form, the packet that came out, or None if there was none.
    """

    code: MessageCode
    text: bytes = b""
    tag: bytes = b""
    packet: bytes | None = None


def require_right(mode: str, number: int, code: MessageCode) -> None:
    """Raises ``AuthenticationError`` for a message with a wrong tag, and ``MessageError`` for one that was refused."""
    if code == MessageCode.WRONG_TAG:
        raise AuthenticationError(f"{mode}: the tag is wrong" + (f" (message {number})" if number else ""))
    if code != MessageCode.OK:
        raise MessageError(number, code)


class SealingCore(DrivenCore[D], ABC):
    """The simulation of a core that seals and opens messages."""

    STATES: ClassVar[str] = "the commands of this core have the bytes of text"

    @abstractmethod
    def outcomes(self, messages: Sequence[Message] | Iterable[Message]) -> list[Outcome]:
        """Runs messages back to back, and returns their results.  Raises ``InputError`` for one that this core cannot take."""

    def with_keys(self, messages: Sequence[Message]) -> list[Message]:
        """The same messages, of which each brings its key, if keys come with messages."""
        return list(messages)

    def run(self, messages: Sequence[Message] | Iterable[Message]) -> list[bytes]:
        """Runs messages back to back, and returns the sealed messages and the opened texts in order.

        In a core with two passes, the first passes of all messages to seal come first, and then their second passes and all messages to
        open.  Such a message brings its key in both passes, if keys come with messages.  If the mode derives keys, the key of a message
        is its master key here, and in ``outcomes`` and ``send`` the derived one.

        Raises
        ------
        AuthenticationError
            For the first message whose tag is wrong.
        MessageError
            For the first message that the core refused.
        """
        messages, tags = list(messages), dict[int, bytes]()
        *before, last = self.description.passes.sealing
        for _ in before:
            messages = self.with_keys(messages)
            first = [(number, message) for number, message in enumerate(messages) if not message.decrypt]
            tags = {number: outcome.tag for (number, _), outcome in zip(first, self._right(first), strict=True)}
            messages = [
                replace(message, decrypt=last, data=message.data + tags[number]) if number in tags else message
                for number, message in enumerate(messages)
            ]
        outcomes = self._right([*enumerate(messages)])
        return [outcome.text + outcome.tag + tags.get(number, b"") for number, outcome in enumerate(outcomes)]

    def _right(self, messages: Sequence[tuple[int, Message]]) -> list[Outcome]:
        """The outcomes of messages with their numbers.  Raises the error of the first one that is not OK."""
        outcomes = self.outcomes([message for _, message in messages])
        for (number, _), outcome in zip(messages, outcomes, strict=True):
            require_right(self.description.mode, number, outcome.code)
        return outcomes

    def stated(self, text: int | None) -> int:
        """The bytes of text of a message that is given piece by piece.  Raises ``InputError`` if they are missing, and the core needs
        them."""
        if self.description.states_text and text is None:
            raise InputError(f"{self.STATES}; give text")
        return text or 0

    def seal(self, nonce: bytes, text: bytes, ad: bytes = b"", slot: int = 0, tag_bytes: int | None = None) -> bytes:
        """The ciphertext of a message with its tag behind it."""
        return self.run([Message(nonce, text, ad, False, slot, tag_bytes)])[0]

    def open(self, nonce: bytes, sealed: bytes, ad: bytes = b"", slot: int = 0, tag_bytes: int | None = None) -> bytes:
        """The plaintext of a message that ``seal`` gave.  Raises ``AuthenticationError`` if its tag is wrong."""
        return self.run([Message(nonce, sealed, ad, True, slot, tag_bytes)])[0]


class Slots:
    """Keys in slots."""

    next: bytes | None = None
    """A key that comes with the next message."""

    def __init__(self, core: DrivenCore[StreamDescription]):
        self.core = core

    def load(self, key: bytes, slot: int) -> None:
        """Loads a key as ``load_key`` does."""
        DrivenCore.load_key(self.core, key, slot)

    def load_message(self, key: bytes, slot: int) -> None:
        """Loads a key as ``load_message_key`` does."""
        self.load(key, slot)

    def drop(self) -> None:
        """Forgets keys that have not come with a message."""

    def own(self, message: Message) -> Message:
        """A message with the key that the core gets."""
        return message

    def brought(self, messages: Sequence[Message]) -> list[Message]:
        """Messages that bring their keys."""
        return list(messages)

    def comes_with(self, message: Message) -> bool:
        """Whether a key comes with a message; it is sent."""
        return False


class Turns(Slots):
    """Keys that come with messages.  One that was loaded comes with the next message that brings none."""

    def load(self, key: bytes, slot: int) -> None:
        self.next = self.core.check_key(key, slot)

    def drop(self) -> None:
        self.next = None

    def brought(self, messages: Sequence[Message]) -> list[Message]:
        keys = accumulate((message.key for message in messages), lambda before, key: key or before, initial=self.next)
        return [replace(message, key=key) for message, key in zip(messages, list(keys)[1:], strict=True)]

    def comes_with(self, message: Message) -> bool:
        key, self.next = (self.next, None) if message.key is None else (self.core.check_key(message.key), self.next)
        if key is not None:
            self.core.send_key(key)
        return key is not None


class Masters(Turns):
    """Master keys, of which the key that comes with a message is derived."""

    master: bytes | None = None

    def load(self, key: bytes, slot: int) -> None:
        self.master = self._checked(key)

    def load_message(self, key: bytes, slot: int) -> None:
        super().load(key, slot)

    def drop(self) -> None:
        self.next = self.master = None

    def own(self, message: Message) -> Message:
        d, master = self.core.description, self.master if message.key is None else self._checked(message.key)
        if master is None:
            raise InputError(f"{d.mode}: load a master key first, of which the keys of messages are derived")
        if len(message.nonce) not in d.nonces:
            check_message(d, message, len(message.data))
        return replace(message, key=d.message_key(self.core.directory, master, message.nonce))

    def brought(self, messages: Sequence[Message]) -> list[Message]:
        return [self.own(message) for message in messages]

    def _checked(self, key: object) -> bytes:
        """The bytes of a master key.  Raises ``InputError`` if their number is wrong."""
        data, d = as_bytes("key", key), self.core.description
        if len(data) not in d.user_key_lengths:
            raise InputError(f"{d.mode}: a master key has {' or '.join(map(str, d.user_key_lengths))} bytes, not {len(data)}")
        return data


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
    if message.decrypt >= len(d.passes.steps):
        raise InputError(f"a message of {d.mode} to seal goes through the core once; it has no second pass")
    if message.decrypt not in d.ways:
        does = "open" if message.decrypt == 1 else "seal"
        raise InputError(f"this core was not built to {does} messages; build it with --direction both")
    if wrong := d.key_source.refused(message.slot, message.key):
        raise InputError(wrong)
    if wrong := d.channel_fields.refused(message.channel):
        raise InputError(wrong)
    text = nbytes - tag_bytes if message.decrypt else nbytes
    if text < 0:
        raise InputError(f"{d.mode}: a sealed message has at least the {tag_bytes} bytes of its tag, not {nbytes}")
    most_text = d.text_with(len(message.nonce))
    for what, length, most in (("associated data", len(message.ad), d.most_associated), ("text", text, most_text)):
        if length > most:
            with_nonce = f" with a nonce of {len(message.nonce)} bytes" if what == "text" and most < d.most_text else ""
            raise InputError(f"{d.mode}: a message{with_nonce} has at most {most} bytes of {what}, not {length}")
    return tag_bytes


def check_room(d: StreamDescription, way: int, associated: int, text: int) -> None:
    """Raises ``InputError`` if a core cannot store, or hold back, a message with so many bytes of associated data and of text.

    *way* is what the host sends: 0 seals, 1 opens, and 2 is the second pass of a message to seal.  The core itself answers such a message
    with ``TOO_LONG_TO_HOLD``.
    """
    if d.too_long(way, d.beats(associated, text)):
        raise InputError(f"{d.mode}: this core stores at most {d.message_buffer} bytes of a message to seal, in whole beats")
    if d.overflows(way, associated, text):
        raise InputError(f"{d.mode}: this core holds back at most {d.hold} bytes of {d.form.held}")


def _or(values: Sequence[int]) -> str:
    ordered = sorted(values)
    if len(ordered) > 2 and ordered == list(range(ordered[0], ordered[-1] + 1)):
        return f"{ordered[0]} to {ordered[-1]}"
    *head, last = map(str, values)
    return f"{', '.join(head)} or {last}" if head else last
