# SPDX-License-Identifier: Apache-2.0
"""What ``core.json`` says of a core for messages: its members, and what follows from them without a count of cycles.

What follows for what a host sends and gets is in ``protocol.contract``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from modeloom.interfaces.messages import KEY_CYCLES, PACKETS
from modeloom.product.cadence import CadenceFigures
from modeloom.product.description import Description
from modeloom.product.stream_figures import (
    PrefixFigures,
    StreamExplain,
    Tokens,
    UnusedCycles,
)  # fmt: skip
from modeloom.protocol.contract import DIRECTIONS, MessageContract
from modeloom.spec.stream import TEXT_FIRST

__all__ = ["MessageFacts"]


@dataclass(frozen=True, kw_only=True)
class MessageFacts(Description, MessageContract):
    """The members of the description of a core for messages."""

    block_bytes: Annotated[int, "Bytes of a block."]
    blocks_per_cycle: Annotated[int, "Blocks of a beat of the data buses."]
    directions: Annotated[tuple[str, ...], '"encrypt", "decrypt", or both: seal, open.']
    nonce_bytes: Annotated[tuple[tuple[int, ...], ...], "Lengths of nonces in bytes, in classes; the usual length first."]
    tag_bytes: Annotated[tuple[int, ...], "Lengths of tags in bytes, the default first."]
    most_associated: Annotated[int, "Most bytes of associated data."]
    most_text: Annotated[int, "Most bytes of text."]
    lengths_first: Annotated[bool | None, "Whether a command has the number of bytes of text of its message; absent if it does not."] = None
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
    unused: Annotated[
        UnusedCycles | None, "Cycles of a message in which no token fits; not there if no token returns to the cipher."
    ] = None
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
    def tag_first(self) -> bool:
        """Whether text is encrypted under its tag, so that the core works on a message to seal twice."""
        return self.explain.passes == 2

    @property
    def timed(self) -> tuple[int, ...]:
        """The ways of messages whose text leaves as soon as it is computed, a fixed number of cycles after it came."""
        if self.derive_interval is not None or self.message_buffer is not None:
            return ()
        return tuple(way for way in self.ways if self.text_of(way, 1) and (self.hold is None or not way))

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
