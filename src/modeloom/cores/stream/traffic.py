# SPDX-License-Identifier: Apache-2.0
"""Makes the commands of a bench one by one: correct and faulty messages, and the required results of each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from modeloom.compiler.streams import CompiledStream
from modeloom.cores.bench_text import bench_bytes
from modeloom.definition.messages import StreamModel
from modeloom.interfaces.messages import MessageCode
from modeloom.protocol.contract import MessageContract
from modeloom.protocol.faults import Edit
from modeloom.protocol.outcome import Outcome, outcomes
from modeloom.protocol.transactions import Beat, Command, MessagePacket, message_packet

__all__ = ["BenchMessage", "BenchOutcome", "Traffic"]


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
    in_order : bool
        Whether results of several channels come in the order of their messages.  Otherwise all messages are of the last channel.

    Attributes
    ----------
    turns : int
        Number of key packets that no message has taken yet, if keys come with messages.
    """

    def __init__(self, compiled: CompiledStream, contract: MessageContract, in_order: bool = True):
        self.mode, self.cipher, self.derives = compiled.mode, compiled.options.cipher, compiled.derived is not None
        self.contract, self.in_order, self.turns = contract, in_order, 0
        self.beat_bytes = contract.beat_bytes
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
        return self.number % self.contract.channels if self.in_order else self.contract.channels - 1

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
        return 2 if self.contract.two_passes and self.number % 12 in (2, 6, 7) else 0

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
        if self.mode.two_passes and not self.contract.two_passes and not sent.decrypt:
            sealed = model.seal(sent.nonce, text, ad)
            return sealed[: len(text)], sealed[len(text) :]
        return model.run(self.mode.text_steps()[sent.decrypt], sent.nonce, text, ad, sent.tag_bytes, known)

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
            "new_key": self.contract.inline and self.turns > 0, **changes,
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

    def refused(
        self, code: MessageCode, *, ad: int = 0, text: int | None = None, slot: int | None = None, stated: int | None = None, **changes: int
    ) -> None:  # fmt: skip
        """Adds a command with changed fields that is refused with this code.  ``stated`` is what it says of the bytes of text."""
        if stated is not None:
            changes["text"] = stated
        sent = self._sent(ad, self.beat_bytes + 1 if text is None else text)
        slot = self._slot() if slot is None else slot
        command, packet = self._command(sent, slot, b"", **changes), self._packet(sent)
        model = None if code == MessageCode.NO_KEY else next(iter(self.models.values()))
        self._add(command, packet, self._outcome(model, sent, command, packet, code))

    def faulty(self, code: MessageCode, ad: int, text: int, edit: Edit, decrypt: int | None = None) -> None:
        """Adds a message whose packet is edited, so that it has this code; on the wire nothing, if it is too long to be held."""
        # What is too long to be held, or to be stored, is told of before the fault comes.
        c, slot = self.contract, self._slot()
        if c.wire and c.hold is not None and decrypt and ad + text > c.hold:
            return
        if not c.wire and c.hold is not None and text > c.hold and self.seals:
            decrypt = 0
        sent = self._sent(ad, text, decrypt=decrypt)
        model = self.models[slot]
        sent, tag = self._tag(model, sent) if c.wire else (sent, b"")
        packet = MessagePacket.of(edit(self._packet(sent, tag).beats(c.beat_bytes)))
        command = self._command(sent, slot)
        stored = c.too_long(sent.decrypt, len(packet.keeps))
        self._add(command, packet, self._outcome(model, sent, command, packet, MessageCode.TOO_LONG_TO_HOLD if stored else code))

    def _add(self, command: Command, packet: MessagePacket, wanted: BenchOutcome, **others: Any) -> None:
        self.messages.append(BenchMessage(command, tuple(packet.beats(self.beat_bytes)), wanted, **others))
