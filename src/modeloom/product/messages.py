# SPDX-License-Identifier: Apache-2.0
"""``core.json`` of a core for messages: lengths, tokens, chains, cycles at the pins, and the figures of ``modeloom explain``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import gcd
from typing import Annotated, Any, ClassVar

from modeloom.interfaces import Interface, Role
from modeloom.interfaces.messages import KEY_CYCLES, PACKETS, message_core
from modeloom.product.blocks import groups_of
from modeloom.product.cadence import CadenceFigures
from modeloom.product.description import Description, Rate, Result, Verdict
from modeloom.product.stream_figures import (
    DerivationFigures,
    PrefixFigures,
    ProofFigures,
    StartFigures,
    StateFigures,
    StreamExplain,
    Tokens,
    UnitPlace,
)  # fmt: skip
from modeloom.spec.stream import BETWEEN, TEXT_FIRST

__all__ = [
    "TAG_VERDICT", "DerivationFigures", "MessageShape", "PrefixFigures", "ProofFigures", "StartFigures", "StateFigures",
    "StreamDescription", "StreamExplain", "Tokens", "UnitPlace",
]  # fmt: skip

DIRECTIONS = ("encrypt", "decrypt")

STORED_SLACK = 2
"""Cycles between two packets that a buffer sends."""

TAG_VERDICT = "whether the tag of a message is right"
"""The fact that a core for messages reveals of its secrets by design, in the code of a status."""


@dataclass(frozen=True, kw_only=True)
class MessageShape:
    """Bytes of associated data and text of a message."""

    associated: Annotated[int, "Bytes of associated data."]
    text: Annotated[int, "Bytes of text."]


BENCH_BLOCKS = (1, 3)
"""The bench measures the distance of messages with these numbers of blocks of associated data and text, the last ones partial."""


@dataclass(frozen=True, kw_only=True)
class StreamDescription(Description):
    """The contents of `core.json` for a core for messages of any length."""

    SCHEMA: ClassVar[str] = "modeloom-stream-core-1"
    TAIL: ClassVar[tuple[str, ...]] = ("ports", "explain", "sha256")

    block_bytes: Annotated[int, "Bytes of a block."]
    blocks_per_cycle: Annotated[int, "Blocks of a beat of the data buses."]
    directions: Annotated[tuple[str, ...], '"encrypt", "decrypt", or both: seal, open.']
    nonce_bytes: Annotated[tuple[tuple[int, ...], ...], "Lengths of nonces in bytes, in classes; the usual length first."]
    tag_bytes: Annotated[tuple[int, ...], "Lengths of tags in bytes, the default first."]
    most_associated: Annotated[int, "Most bytes of associated data."]
    most_text: Annotated[int, "Most bytes of text."]
    lengths_first: Annotated[bool | None, "Whether a command has the bytes of text of its message; not there if it has not."] = None
    order: Annotated[
        str | None, '"text-first" if packets have text and then associated data; not there if associated data come first.'
    ] = None
    most_text_with_nonce: Annotated[
        tuple[tuple[int, int], ...] | None, "Bytes of a nonce, and most bytes of text with it; not there if the nonce does not matter."
    ] = None
    associated_prefix: Annotated[
        tuple[PrefixFigures, ...] | None, "What the core puts before associated data, by their length; not there if it is nothing."
    ] = None
    key_sizes: Annotated[tuple[int, ...], "Bytes of a key, for each size of keys that the core takes."]
    master_key_sizes: Annotated[
        tuple[int, ...] | None, "Bytes of a master key, of which software derives the keys of messages; not there if there is none."
    ] = None
    packet_bytes: Annotated[int | None, "Bytes of a key packet with round keys; not there if a packet is a key."] = None
    key_interval: Annotated[
        int | None, "Cycles after which the core can prepare the next key that comes with a message; not there if keys are in slots."
    ] = None
    key_cycles: Annotated[
        int | None, f"Cycles that a key of a message costs the messages, at most; not there if it is {KEY_CYCLES}."
    ] = None
    derive_interval: Annotated[
        int | None, "Cycles after which the core can derive the key of the next message; not there if it derives none."
    ] = None
    derive_latency: Annotated[
        int | None, "Cycles, at most, from a command to the time when its derived key is ready; not there if the core derives none."
    ] = None
    channels: Annotated[int, "Messages that may interleave."]
    hold: Annotated[int | None, "Bytes of text that are held until the tag was right; not there if plaintext leaves before."] = None
    message_buffer: Annotated[
        int | None, "Bytes of a message to seal that the core stores for its second pass; not there if it stores none."
    ] = None
    packet: Annotated[str, '"aligned" if text begins with a beat of its own, or "wire" if header, text and tag touch each other.']
    latency: Annotated[
        int, "Cycles from the first beat of text in to the first beat out, of a lone message, at the pins; at most, if there is a cadence."
    ]
    tokens: Annotated[Tokens, "Tokens of the steps of a message."]
    cycles: Annotated[Tokens, "Cycles after which the next step may begin, by step; in the mean, if there is a cadence."]
    text_blocks: Annotated[
        int | None, "Blocks of text that are computed together; a packet that is cut off has all of them or none; not there if it is 1."
    ] = None
    shares_tag: Annotated[bool, "Whether the tag takes no cycle of its own where the last beat has a free block."]
    chains: Annotated[int, "Chains of the polynomial hash; 0 if the mode has none."]
    explain: StreamExplain

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.directions or any(way not in DIRECTIONS for way in self.directions):
            raise ValueError(f"directions is not some of {', '.join(DIRECTIONS)}")
        if not (self.blocks_per_cycle and self.block_bytes and self.key_slots and self.channels):
            raise ValueError("blocks_per_cycle, block_bytes, key_slots and channels are not 0")
        if self.packet not in PACKETS:
            raise ValueError(f"packet is not one of {', '.join(PACKETS)}")
        if self.order not in (None, TEXT_FIRST):
            raise ValueError(f"order is {TEXT_FIRST}, or not there")
        if not self.tag_bytes or not self.nonce_bytes or not all(self.nonce_bytes):
            raise ValueError("nonce_bytes and tag_bytes are not empty")
        if not self.key_sizes or max(self.key_sizes) != self.key_bytes:
            raise ValueError("key_bytes is not the largest of key_sizes")

    @property
    def key_lengths(self) -> tuple[int, ...]:
        """The number of bytes of a key of each size."""
        return self.key_sizes

    @property
    def user_key_lengths(self) -> tuple[int, ...]:
        """The number of bytes of a key that a user has: of a master key, if the keys of messages are derived of it."""
        return self.key_sizes if self.master_key_sizes is None else self.master_key_sizes

    @property
    def derives(self) -> bool:
        """Whether software derives the key of a message of a master key and the nonce."""
        return self.master_key_sizes is not None

    @property
    def packet_sizes(self) -> tuple[int, ...]:
        """The number of bytes of a key packet, for each size of keys."""
        return self.key_sizes if self.packet_bytes is None else (self.packet_bytes,)

    @property
    def inline(self) -> bool:
        """Whether keys come with the messages."""
        return self.key_interval is not None

    @property
    def named_slots(self) -> int:
        """Key slots that a host can name; 1 if keys come with the messages."""
        return 1 if self.inline else self.key_slots

    @property
    def beat_bytes(self) -> int:
        """The number of bytes of a beat of the data buses."""
        return self.blocks_per_cycle * self.block_bytes

    @property
    def two_passes(self) -> bool:
        """Whether a host sends a message to seal twice."""
        return self.tag_first and self.message_buffer is None

    @property
    def text_first(self) -> bool:
        """Whether packets have their text before their associated data."""
        return self.order == TEXT_FIRST

    @property
    def states_text(self) -> bool:
        """Whether a command has the bytes of text of its message."""
        return bool(self.lengths_first) or self.text_first

    @property
    def tag_first(self) -> bool:
        """Whether text is encrypted under its tag, so that the core works on a message to seal twice."""
        return self.explain.passes == 2

    @property
    def buffered_beats(self) -> int | None:
        """Beats of the longest message to seal that the core can store; None if it stores none."""
        return None if self.message_buffer is None else -(-self.message_buffer // self.beat_bytes)

    @property
    def buffered_bytes(self) -> int | None:
        """Bytes of these beats."""
        return None if self.buffered_beats is None else self.buffered_beats * self.beat_bytes

    def too_long(self, decrypt: int, beats: int) -> bool:
        """Whether a message with a packet of so many beats is longer than the core can store."""
        return not decrypt and self.buffered_beats is not None and beats > self.buffered_beats

    @property
    def ways(self) -> tuple[int, ...]:
        """The values of the field ``decrypt`` of a command: 0 seals, 1 opens.  With two passes, 0 is the first pass of a message to
        seal, and 2 the second one."""
        found = [way for way, direction in enumerate(DIRECTIONS) if direction in self.directions]
        return tuple([*found, *([2] if self.two_passes and 0 in found else [])])

    def step_of(self, way: int) -> str:
        """The step that a block of text takes: "encrypt", "decrypt", or "absorb" in the first pass."""
        return (("absorb", "decrypt", "encrypt") if self.two_passes else DIRECTIONS)[way]

    def text_of(self, way: int, nbytes: int) -> int:
        """The bytes of text that come out of a message with so many bytes of text."""
        return 0 if self.two_passes and not way else nbytes

    @property
    def timed(self) -> tuple[int, ...]:
        """The ways of messages whose text leaves as soon as it is computed, a fixed number of cycles after it came."""
        if self.derive_interval is not None or self.message_buffer is not None:
            return ()
        return tuple(way for way in self.ways if self.text_of(way, 1) and (self.hold is None or not way))

    @property
    def compares(self) -> bool:
        """Whether the core compares tags."""
        return self.tag_first or "decrypt" in self.directions

    @property
    def nonces(self) -> tuple[int, ...]:
        """All lengths of nonces in bytes, the default first."""
        return tuple(length for lengths in self.nonce_bytes for length in lengths)

    @property
    def releases(self) -> bool:
        """Whether plaintext leaves the core before its tag has been checked."""
        return self.hold is None and "decrypt" in self.directions

    def latency_of(self, decrypt: int) -> int:
        """``latency`` of a message that is opened or sealed.

        In wire form the beat of a message to open is the last one of its packet, which takes a cycle more than a full one before its tag.
        """
        return self.latency + (self.wire and decrypt == 1 and "encrypt" in self.directions)

    @property
    def wire(self) -> bool:
        """Whether packets are as they are on the wire."""
        return self.packet == "wire"

    def beats(self, associated: int, text: int, tag: int = 0) -> int:
        """The number of beats of the packet of a message, which is at least one.  ``tag`` is the number of bytes of a tag in it."""
        if self.wire:
            return max(1, -(-(associated + text + tag) // self.beat_bytes))
        return max(1, -(-associated // self.beat_bytes) - (-text // self.beat_bytes))

    @property
    def cadence(self) -> CadenceFigures | None:
        """The cycles in which tokens that use the cipher enter; None if they may enter in every cycle."""
        return self.explain.cadence

    @property
    def cost_of_key(self) -> int:
        """The number of cycles that a key that comes with a message costs the messages, at most, if keys are far enough apart."""
        return KEY_CYCLES if self.key_cycles is None else self.key_cycles

    @property
    def even(self) -> bool:
        """Whether equal messages have equal distances: not if blocks wait for others in several channels, or messages for keys or tags."""
        return (self.explain.turn is None or self.channels == 1) and self.derive_interval is None and self.message_buffer is None

    @property
    def varies(self) -> bool:
        """Whether single distances of messages vary: tokens enter between those of other messages, or the text of a first pass waits
        for the cipher less often than that of others."""
        return self._beside_others or self._quick_pass

    @property
    def _beside_others(self) -> bool:
        return bool(self.explain.beside or self.explain.returns)

    @property
    def _quick_pass(self) -> bool:
        absorb = self.cadence.steps.get("absorb") if self.cadence is not None else None
        return absorb is not None and any(len(self.cadence.steps[way].ciphers) > len(absorb.ciphers) for way in self.directions)  # type: ignore[union-attr]

    @property
    def text_bytes(self) -> int:
        """Bytes of text that are computed together."""
        return self.block_bytes * (self.text_blocks or self.blocks_per_cycle)

    @property
    def waits(self) -> int:
        """The largest number of cycles that a lone message waits for its place in the cadence, beside the fewest."""
        if self.cadence is None:
            return 0
        # A start that runs ahead waits for its place, and then its message.
        return self.cadence.interval - (1 if "start" in (self.explain.beside or ()) else self.cadence.blocks)

    def steady(self, associated: int, text: int, nonce_bytes: int | None = None) -> tuple[int, int]:
        """For equal messages back to back, after how many of them their distances repeat, and the cycles of so many."""
        if self.cadence is None:
            return 1, self.cycles_of(associated, text, nonce_bytes)
        if self._beside_others:
            cycles = self._places_of(associated, text)
            messages = self.cadence.interval // gcd(cycles, self.cadence.interval)
            return messages, messages * cycles
        start = "start" if nonce_bytes is None else self._start_title(nonce_bytes)
        return self.cadence.steady([[start], *self._groups(associated, text)] if self.cadence.steps[start].cycles else
                                   self._groups(associated, text))

    def _start_title(self, nonce_bytes: int) -> str:
        number = next(n for n, lengths in enumerate(self.nonce_bytes) if nonce_bytes in lengths)
        return [title for title in (self.cadence.steps if self.cadence else {}) if title.split()[0] == "start"][number]

    def _groups(self, associated: int, text: int) -> list[list[str]]:
        """The steps of a message behind its start, in the direction that takes longer.  Those that share a token are together."""
        assert self.cadence is not None
        longest = max(self.directions, key=lambda way: self.cadence.steps[way].cycles)  # type: ignore[union-attr]
        counts = zip(("associated", longest), self.blocks_of(associated, text), strict=True)
        parts = [[[step]] * count for step, count in counts]
        if self.text_first:
            return [*parts[1], [BETWEEN], *parts[0], ["tag"]]
        groups = [list(step) for part in parts for step in part]
        if self.shares_tag and -(-(text or associated) // self.block_bytes) % self.blocks_per_cycle:
            groups[-1].append("tag")
            return groups
        return [*groups, ["tag"]]

    def _places_of(self, associated: int, text: int) -> int:
        """The mean number of cycles of a message of a core with a cadence whose tokens enter beside those of other messages.

        Each of its tokens takes a place of a batch, and one that returns to the cipher takes several.
        """
        return self.cycles.of(*self.blocks_of(associated, text))

    def cycles_of(self, associated: int, text: int, nonce_bytes: int | None = None) -> int:
        """The number of cycles from a message with these numbers of bytes to the next one; the mean, rounded up, if there is a cadence.

        Without ``nonce_bytes`` it is the number for a nonce of the default length.
        """
        if self.cadence is not None:
            messages, cycles = self.steady(associated, text, nonce_bytes)
            return -(-cycles // messages)
        blocks = self.blocks_of(associated, text)
        usual = self.cycles.of(*blocks)
        if self.shares_tag and -(-(text or associated) // self.block_bytes) % self.blocks_per_cycle:
            usual -= self.cycles.tag
        return usual if nonce_bytes is None else usual - self.cycles.start + self.start_cycles(self.start_of(nonce_bytes))

    def sealed_cycles(self, associated: int, text: int) -> int:
        """The number of cycles from a message to seal that the core stores to the next one: those of both passes.

        If the core derives keys, the command of a pass goes ahead of its beats by one pass, and so does the derivation of its key.
        """
        least = max(self.cycles_of(associated, text) + STORED_SLACK, self.derive_interval or 0)
        return max(2 * least, self.derive_latency or 0)

    def start_cycles(self, start: StartFigures) -> int:
        """The number of cycles that a start takes of the core."""
        return start.tokens if "start" in (self.explain.beside or ()) else start.cycles

    def blocks_of(self, associated: int, text: int) -> list[int]:
        """Blocks of associated data with their prefix, and of text."""
        prefixes = [prefix.size for prefix in self.associated_prefix or () if associated >= prefix.least]
        return [-(-nbytes // self.beat_bytes) for nbytes in (associated + (prefixes[-1] if prefixes else 0), text)]

    def alone(self, associated: int, text: int) -> int:
        """The number of cycles of a message whose blocks wait for each other, which is more than ``cycles_of`` with several channels."""
        turns = sum(self.blocks_of(associated, text)) * (self.explain.turn or 0)
        return self.cycles_of(associated, text) + (turns if self.channels > 1 else 0)

    def tokens_of(self, associated: int, text: int) -> int:
        """The number of steps of a message that each wait for the one before, in a mode with such a chain."""
        return sum(self.blocks_of(associated, text)) + 1

    def text_with(self, nonce_bytes: int) -> int:
        """Most bytes of text of a message with a nonce of this number of bytes."""
        return dict(self.most_text_with_nonce or ()).get(nonce_bytes, self.most_text)

    def start_of(self, nonce_bytes: int) -> StartFigures:
        """The start of a message with a nonce of this number of bytes.  Raises ``ValueError`` if the mode has no such nonces."""
        for start in self.explain.starts:
            if nonce_bytes in start.nonce_bytes:
                return start
        raise ValueError(f"no nonce has {nonce_bytes} bytes")

    def message_cycles(self, associated: int, text: int) -> int:
        """A generous limit for the cycles of a single message, with the longest start."""
        longest = max(start.cycles for start in self.explain.starts)
        own = self.beats(associated, text) + self.alone(associated, text) + 2 * self.waits
        return (own + longest) * (2 if self.message_buffer is not None else 1) + 2 * self.latency + self.explain.stages + 64

    @property
    def bench_shape(self) -> MessageShape:
        """The sizes of the messages whose distance the bench measures.  Those of a core with a cadence all begin in the same phase."""
        ad, text = BENCH_BLOCKS
        size, explain = self.beat_bytes, self.explain
        if not explain.tokens.start and not explain.chains and explain.turn is None:
            # Tags that follow their messages come in bursts, unless the messages are longer than the way to their tags.
            text += max(0, explain.latency_tag - explain.latency)
        for more in range(0 if self.cadence is None else 2 * self.cadence.blocks):
            if self.steady(ad * size, (text + more) * size)[0] == 1:
                text += more
                break
        return MessageShape(associated=(ad - 1) * size + size // 4, text=(text - 1) * size + size - 1)

    @property
    def summary(self) -> str:
        """The title and the width."""
        return f"{self.title}, messages of any length, {8 * self.beat_bytes} bits a cycle"

    @property
    def facts(self) -> Mapping[str, Any]:
        """The mode, the width, the slots and the command line."""
        return {
            "mode": self.mode, "blocks_per_cycle": self.blocks_per_cycle, "key_slots": self.key_slots, "channels": self.channels,
            "command": self.command,
        }  # fmt: skip

    @property
    def rates(self) -> tuple[Rate, ...]:
        """The rate at which beats of text are processed."""
        return (Rate("beat", self.beat_bytes, self.cycles.text),)

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The interfaces of cores for messages."""
        return message_core(
            self.block_bytes, self.hold, self.packet_bytes is not None, self.key_slots, self.inline, self.packet, self.channels,
            bool(self.lengths_first), 1 + self.two_passes, self.text_first,
        )  # fmt: skip

    @property
    def result_bytes(self) -> int:
        """The number of bytes of a beat."""
        return self.beat_bytes

    @property
    def results(self) -> tuple[Result, ...]:
        """The text, and for a core that seals also the tag in a status."""
        return tuple(
            result if result.alone else replace(result, width=8 * max(self.tag_bytes)) for result in super().results
            if result.alone or "encrypt" in self.directions
        )  # fmt: skip

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Whether a key is refused, if the mode refuses some, and whether a tag is correct, if the core opens messages."""
        if not self.compares:
            return super().verdicts
        statuses = tuple(group for group in self.interfaces if group.stream)
        return (*super().verdicts, Verdict(TAG_VERDICT, self._outputs(Role.VERDICT, statuses)))

    @property
    def bench_figures(self) -> Mapping[str, int]:
        """The latency of text that is not held, and the distance of messages of ``bench_shape``."""
        shape = self.bench_shape
        # With a cadence, the latency depends on the cycle of the message.
        latency = {"latency": self.latency} if self.timed and self.cadence is None else {}
        return {**latency, **({"cycles_per_message": self.cycles_of(shape.associated, shape.text)} if self.even else {})}

    def area_groups(self, paths: tuple[str, ...]) -> dict[str, list[str]]:
        """Cipher, multiplier, storage, pipeline and bus."""
        return groups_of(paths, self.cipher, derives=self.derive_interval is not None, stores=self.message_buffer is not None)
