# SPDX-License-Identifier: Apache-2.0
"""Makes the commands of a bench one by one: correct and faulty messages, and the required results of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from modeloom.cores.bench_text import Beat, beats_of, bench_bytes
from modeloom.definition.messages import StreamModel
from modeloom.interfaces.messages import MessageCode, pack_message_command
from modeloom.interfaces.wire import judge_packet, refused_packet, split_packet
from modeloom.spec.stream import StreamMode

__all__ = ["BenchMessage", "Outcome", "Traffic"]


@dataclass(frozen=True)
class Outcome:
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
    command : bytes
        The bytes of the command.
    beats : tuple of (bytes, int)
        Data and tkeep of the beats of its packet.
    wanted : Outcome
        The required result.  If the key changes, this is the result under the old key.
    renewed : Outcome or None
        The required result under the new key.
    changes : bool
        Whether the key changes while the message is in flight.  It changes to the key of ``renewed``, or the slot is erased.
    channel : int
        The channel of its packet.
    """

    command: bytes
    beats: tuple[Beat, ...]
    wanted: Outcome
    renewed: Outcome | None = None
    changes: bool = False
    channel: int = 0


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

    Parameters
    ----------
    mode : StreamMode
        The definition, from which the results come.
    cipher : str or None
        The name of the cipher.  None means the cipher of the mode.
    directions : tuple of str
        The directions of the core.
    beat_bytes : int
        Number of bytes of a beat.
    hold : int or None
        Number of bytes of text that the core can hold until it has checked the tag, or None if it holds none.
    inline : bool
        Whether keys come with messages.  Then there is one slot.
    wire : bool
        Whether packets are as they are on the wire.
    channels : int
        Number of channels, which take turns.
    in_order : bool
        Whether results of several channels come in the order of their messages.  Otherwise all messages are of the last channel.

    derives : bool
        Whether the core derives the keys of messages, so that its keys are master keys.
    twice : bool
        Whether a host sends each message to seal twice.
    text_first : bool
        Whether packets have their text before their associated data.
    stored : int or None
        Number of beats of the longest packet to seal that the core can store, or None if it stores none.

    In a mode with two passes, the passes of sealing take turns, each on messages of its own.

    Attributes
    ----------
    turns : int
        Number of key packets that no message has taken yet, if keys come with messages.
    """

    def __init__(
        self, mode: StreamMode, cipher: str | None, directions: tuple[str, ...], beat_bytes: int, hold: int | None = None,
        inline: bool = False, wire: bool = False, channels: int = 1, in_order: bool = True, derives: bool = False, twice: bool = False,
        text_first: bool = False, stored: int | None = None,
    ):  # fmt: skip
        self.derives, self.twice, self.text_first, self.stored = derives, twice, text_first, stored
        self.inline, self.turns, self.wire, self.channels, self.in_order = inline, 0, wire, channels, in_order
        self.mode, self.cipher, self.directions, self.beat_bytes, self.hold = mode, cipher, directions, beat_bytes, hold
        self.models: dict[int, StreamModel] = {}
        self.messages: list[BenchMessage] = []

    def load(self, slot: int, key: bytes) -> StreamModel:
        """Uses a key for the following messages in a slot, and returns its model."""
        self.models[slot] = StreamModel(self.mode, key, self.cipher, derived=not self.derives)
        self.turns += 1
        return self.models[slot]

    @property
    def number(self) -> int:
        """The number of the next message."""
        return len(self.messages)

    @property
    def channel(self) -> int:
        """The channel of the next message."""
        return self.number % self.channels if self.in_order else self.channels - 1

    def _decrypts(self) -> int:
        # There are runs of one, two and three messages in a direction, so that changes of direction come at different distances.
        turn = (self.number % 12) in (1, 4, 5, 9, 10, 11) and len(self.directions) - 1
        if self.directions[turn] == "decrypt":
            return 1
        return 2 if self.twice and self.number % 12 in (2, 6, 7) else 0

    def _run(self, model: StreamModel, sent: Sent, tag: bytes = b"") -> tuple[bytes, bytes]:
        """The text and the whole tag of a message.  ``tag`` is the tag that its command has."""
        if self.mode.two_passes and not self.twice and not sent.decrypt:
            sealed = model.seal(sent.nonce, sent.text, sent.ad)
            return sealed[: len(sent.text)], sealed[len(sent.text) :]
        return model.run(self.mode.text_steps()[sent.decrypt], sent.nonce, sent.text, sent.ad, sent.tag_bytes, tag)

    def _slot(self) -> int:
        slots = sorted(self.models)
        return slots[self.number // 3 % len(slots)] if slots else 0

    def _sent(self, ad: int, text: int, nonce: int | None, tag: int | None, decrypt: int | None) -> Sent:
        n = self.number
        length = self.mode.nonce_bytes[0][0] if nonce is None else nonce
        return Sent(
            bench_bytes(f"nonce {n}", length), bench_bytes(f"associated {n}", ad), bench_bytes(f"message {n}", text),
            self._decrypts() if decrypt is None else decrypt, self.mode.tag_bytes[0] if tag is None else tag,
        )  # fmt: skip

    def packet(self, sent: Sent, tag: bytes = b"") -> tuple[Beat, ...]:
        """The beats of a message, in wire form with its tag.  A message without data has one beat without bytes."""
        if self.wire:
            return self._whole(sent.ad + sent.text + (tag if sent.decrypt else b""))
        parts = (sent.text, sent.ad) if self.text_first else (sent.ad, sent.text)
        beats = beats_of(parts[0], self.beat_bytes) + beats_of(parts[1], self.beat_bytes)
        return beats or ((bytes(self.beat_bytes), 0),)

    def _whole(self, data: bytes) -> tuple[Beat, ...]:
        return beats_of(data, self.beat_bytes) or ((bytes(self.beat_bytes), 0),)

    def _of_packet(self, model: StreamModel, sent: Sent, beats: tuple[Beat, ...]) -> Outcome:
        """What a core gives for a packet on the wire."""
        parts = split_packet(beats, self.beat_bytes, len(sent.ad), sent.tag_bytes if sent.decrypt else 0)
        run = partial(model.run, self.mode.text_steps()[sent.decrypt], sent.nonce, tag_bytes=sent.tag_bytes)
        found = judge_packet(parts, len(sent.ad), sent.tag_bytes, bool(sent.decrypt), self.hold, run)
        return Outcome(found.code, found.tag, () if found.packet is None else self._whole(found.packet))

    def _too_long(self, sent: Sent, beats: tuple[Beat, ...]) -> bool:
        """Whether a packet is longer than the core can store.  This is told of before any fault of the packet."""
        return self.stored is not None and not sent.decrypt and len(beats) > self.stored

    def _outcome(self, model: StreamModel | None, sent: Sent, tag: bytes = b"") -> Outcome:
        """The result of a message under a key.  ``tag`` is the tag of the message to open."""
        if model is not None and self.wire:
            return self._of_packet(model, sent, self.packet(sent, tag))
        if model is None:
            return Outcome(MessageCode.NO_KEY)
        if self._too_long(sent, self.packet(sent)):
            return Outcome(MessageCode.TOO_LONG_TO_HOLD)
        text, made = self._run(model, sent, tag)
        made = made[: sent.tag_bytes]
        beats = beats_of(text, self.beat_bytes)
        if sent.decrypt:
            if self.hold is not None and len(text) > self.hold:
                return Outcome(MessageCode.TOO_LONG_TO_HOLD)
            code = MessageCode.OK if made == tag else MessageCode.WRONG_TAG
            return Outcome(code, b"", beats if self.hold is None or code == MessageCode.OK else ())
        return Outcome(MessageCode.OK, made, beats)

    def _tag(self, model: StreamModel, sent: Sent) -> tuple[Sent, bytes]:
        """A message with its tag.  With two passes, the text to open is one that was sealed: only then does it have a tag."""
        if not sent.decrypt:
            return sent, b""
        if not self.mode.two_passes:
            return sent, self._run(model, sent)[1][: sent.tag_bytes]
        sealed = model.seal(sent.nonce, sent.text, sent.ad)
        end = len(sent.text)
        return replace(sent, text=sealed[:end]) if sent.decrypt == 1 else sent, sealed[end:]

    def _command(self, sent: Sent, slot: int, tag: bytes, **changes: int) -> bytes:
        key: dict[str, Any] = {"slot": slot}
        if self.inline:
            key = {"new_key": self.turns > 0}
            self.turns = max(0, self.turns - 1)
        fields: dict[str, Any] = {
            **key, "associated": len(sent.ad), "tag_bytes": sent.tag_bytes, "id": (0x4D4C + 257 * self.number) & 0xFFFF,
            "decrypt": sent.decrypt, "channel": self.channel,
            **({"text": len(sent.text)} if self.mode.lengths_first or self.text_first else {}), **changes,
        }  # fmt: skip
        return pack_message_command(
            nonce=sent.nonce, tag=tag, block_bytes=self.mode.block_bytes, passes=1 + self.twice, text_first=self.text_first, **fields
        )

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
        self.messages.append(
            BenchMessage(
                self._command(sent, slot, expected), self.packet(sent, expected), self._outcome(model, sent, expected),
                self._outcome(renewed, sent, expected) if changes and renewed else None, changes, self.channel,
            )
        )  # fmt: skip

    def refused(
        self, code: MessageCode, *, ad: int = 0, text: int | None = None, slot: int | None = None, stated: int | None = None, **changes: int
    ) -> None:  # fmt: skip
        """Adds a command with changed fields that is refused with this code.  ``stated`` is what it says of the bytes of text."""
        if stated is not None:
            changes["text"] = stated
        sent = self._sent(ad, self.beat_bytes + 1 if text is None else text, None, None, None)
        beats: tuple[Beat, ...] = ()
        if self.wire:
            fields: dict[str, int] = {"decrypt": int(sent.decrypt), "associated": len(sent.ad), "tag_bytes": sent.tag_bytes, **changes}
            # A tag that no block has room for is not taken off.
            taken = fields["tag_bytes"] if fields["decrypt"] and fields["tag_bytes"] <= self.mode.block_bytes else 0
            parts = split_packet(self.packet(sent), self.beat_bytes, fields["associated"], taken)
            left = refused_packet(parts, code, bool(fields["decrypt"]), self.hold).packet
            beats = () if left is None else self._whole(left)
        self.messages.append(
            BenchMessage(
                self._command(sent, self._slot() if slot is None else slot, b"", **changes), self.packet(sent), Outcome(code, b"", beats),
                channel=changes.get("channel", self.channel),
            )
        )  # fmt: skip

    def faulty(
        self, code: MessageCode, ad: int, text: int, edit: Callable[[list[Beat]], list[Beat]], *, given: int = 0, whole: bool = False
    ) -> None:  # fmt: skip
        """Adds a message whose packet is edited.

        ``given`` beats of text leave the core before the packet is cut off.  If it is 0, the core gives no packet.  With ``whole``, the
        text is whole, because the fault is behind it.
        """
        # The core reports text that is too long to be held before the fault comes.
        sealed = self.hold is not None and text > self.hold and "encrypt" in self.directions
        slot, sent = self._slot(), self._sent(ad, text, None, None, 0 if sealed else None)
        beats: tuple[Beat, ...] = ()
        # Text leaves in whole pairs, if the mode takes pairs.
        given -= given % self.mode.text_blocks
        # No text of a message that is held leaves the core.
        if whole and not (sent.decrypt and self.hold is not None):
            beats = self._outcome(self.models[slot], sent).beats
        elif given and not (sent.decrypt and self.hold is not None) and not (self.mode.two_passes and not sent.decrypt):
            beats = (*self._outcome(self.models[slot], sent).beats[:given], (bytes(self.beat_bytes), 0))
        packet = tuple(edit(list(self.packet(sent))))
        code = MessageCode.TOO_LONG_TO_HOLD if self._too_long(sent, packet) else code
        self.messages.append(BenchMessage(self._command(sent, slot, b""), packet, Outcome(code, b"", beats), channel=self.channel))

    def broken(self, code: MessageCode, ad: int, text: int, edit: Callable[[list[Beat]], list[Beat]], decrypt: int) -> None:
        """A message whose packet on the wire is edited, so that it has this code; nothing, if it is too long to be held."""
        # What is too long to be held is told of before the fault comes.
        if decrypt and self.hold is not None and ad + text > self.hold:
            return
        slot, sent = self._slot(), self._sent(ad, text, None, None, decrypt)
        model = self.models[slot]
        beats = tuple(edit(list(self.packet(*self._tag(model, sent)))))
        wanted = self._of_packet(model, sent, beats)
        if wanted.code != code:
            raise ValueError(f"the packet has the code {MessageCode(wanted.code).name}, not {code.name}")
        self.messages.append(BenchMessage(self._command(sent, slot, b""), beats, wanted))
