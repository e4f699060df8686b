# SPDX-License-Identifier: Apache-2.0
"""``core.json`` of a core for messages: the cycles of messages at the pins, the bench, and the ports, from the members."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import gcd
from pathlib import Path
from typing import Annotated, Any, ClassVar

from modeloom.definition.messages import derived_key_of
from modeloom.interfaces import Interface, Role
from modeloom.interfaces.messages import KEY_CYCLES, message_core
from modeloom.product.description import DERIVER, STORE, Description, Rate, Result, Verdict, groups_of
from modeloom.protocol.contract import DIRECTIONS, PACKETS, MessageContract
from modeloom.spec.cadence import Cadence
from modeloom.spec.errors import paced
from modeloom.spec.stream import TEXT_FIRST

__all__ = [
    "TAG_DUE", "TAG_VERDICT", "CadenceFigures", "DerivationFigures", "MessageFacts", "MessageShape", "PrefixFigures",
    "ProofFigures", "StartFigures", "StateFigures", "StepFigures", "StreamDescription", "StreamExplain", "Tokens", "UnitPlace",
    "UnusedCycles",
]  # fmt: skip


# The distance of messages in a core whose cipher takes blocks in batches: a model of the entry, which lets each step in as soon as it may.
#
#     4 blocks every 40 cycles; messages of one block of associated data, two of text, and a tag
#     cycle      0 1 2 | 3 ... | 40 41 42 | 43 ... | 80       A enters in any cycle, P and T in the first four of 40
#     tokens     A P P   (T)     ...

@dataclass(frozen=True, kw_only=True)
class StepFigures:
    """The tokens of a step in a core with a cadence."""

    ciphers: Annotated[tuple[int, ...], "Its tokens that use the cipher, by the cycles after its first one."]
    cycles: Annotated[int, "Cycles after which the next step may begin, if it does not have to wait for the cadence."]


@dataclass(frozen=True, kw_only=True)
class CadenceFigures:
    """The cycles in which tokens that use the cipher enter."""

    blocks: Annotated[int, "Blocks that the cipher takes in successive cycles."]
    interval: Annotated[int, "Cycles from the first of them to the first of the next ones."]
    steps: Annotated[Mapping[str, StepFigures], "The steps by title."]

    @property
    def cycles_a_block(self) -> float:
        """The mean number of cycles of a block."""
        return self.interval / self.blocks

    def phases(self, title: str) -> frozenset[int]:
        """The cycles of an interval in which a step may begin."""
        return Cadence(self.interval, self.blocks).phases(self.steps[title].ciphers)

    def after(self, cycle: int, titles: Iterable[str]) -> int:
        """The cycle after which the next step may begin, if steps that share their tokens begin as soon as they may from *cycle* on."""
        steps = [self.steps[title] for title in titles]
        offsets = {at for step in steps for at in step.ciphers}
        if offsets:
            phases = Cadence(self.interval, self.blocks).phases(offsets)
            while cycle % self.interval not in phases:
                cycle += 1
        return cycle + max(step.cycles for step in steps)

    def steady(self, message: Iterable[Iterable[str]]) -> tuple[int, int]:
        """For equal messages back to back, after how many of them their distances repeat, and the cycles of so many.

        Parameters
        ----------
        message : iterable of iterable of str
            The steps of a message in order, by title.  Those together share their tokens.
        """
        steps = [tuple(titles) for titles in message]
        cycle, seen, count = 0, dict[int, tuple[int, int]](), 0
        while cycle % self.interval not in seen:
            seen[cycle % self.interval] = count, cycle
            for titles in steps:
                cycle = self.after(cycle, titles)
            count += 1
        before, begun = seen[cycle % self.interval]
        return count - before, cycle - begun


# -- stream figures ----------------------------------------------------------------------------------------------------------------

# Figures of a pipeline for messages, as ``core.json`` and ``modeloom explain --json`` have them.

@dataclass(frozen=True, kw_only=True)
class Tokens:
    """Tokens, or cycles, by step of a message."""

    start: Annotated[int, "For its start, with a nonce of the usual length."]
    associated: Annotated[int, "For each block of associated data."]
    text: Annotated[int, "For each block of text."]
    tag: Annotated[int, "For its tag; with text first, also for the step between text and associated data."]

    def of(self, associated: int, text: int) -> int:
        """Of a message of so many blocks."""
        return self.start + associated * self.associated + text * self.text + self.tag


@dataclass(frozen=True, kw_only=True)
class UnusedCycles:
    """Cycles of the cipher in which no token of a message fits, in a core whose tokens return to the cipher; at most, in the mean."""

    message: Annotated[int, "Of each message."]
    associated: Annotated[int, "Of a message with associated data, beside these."]
    second: Annotated[int, "Of a second pass, beside these."]


@dataclass(frozen=True, kw_only=True)
class StartFigures:
    """The start of a message with a nonce of some length."""

    nonce_bytes: Annotated[tuple[int, ...], "Lengths of nonces of this class, in bytes."]
    tokens: Annotated[int, "Tokens that it takes."]
    cycles_ahead: Annotated[int, "Cycles by which it precedes the first block of the message."]

    @property
    def cycles(self) -> int:
        """Cycles that it takes of the core."""
        return max(self.tokens, self.cycles_ahead)


@dataclass(frozen=True, kw_only=True)
class UnitPlace:
    """A unit of the pipeline."""

    stage: Annotated[int, "Stage at which it takes its operands."]
    latency: Annotated[int, "Cycles until its result is there."]


@dataclass(frozen=True, kw_only=True)
class PrefixFigures:
    """Bytes that the core puts before associated data: a marker, and the number of their bytes, big-endian."""

    least: Annotated[int, "For associated data of at least so many bytes."]
    marker: Annotated[str, "The bytes of the marker, in hexadecimal digits."]
    nbytes: Annotated[int, "Bytes of the number."]

    @property
    def size(self) -> int:
        """Bytes of both."""
        return len(self.marker) // 2 + self.nbytes


@dataclass(frozen=True, kw_only=True)
class StateFigures:
    """A part of the state of a message."""

    kind: Annotated[str, "How it goes on from block to block."]
    stage: Annotated[int, "Stage at which it lives."]


@dataclass(frozen=True, kw_only=True)
class ProofFigures:
    """What the proof has compared."""

    messages: Annotated[int, "Messages on symbols."]
    blocks: Annotated[int, "Blocks of text of these messages."]
    interleaved: Annotated[int | None, "Number of pairs of messages of different channels; missing in a core with one channel."] = None


@dataclass(frozen=True, kw_only=True)
class DerivationFigures:
    """How a core derives the key of a message of a master key."""

    calls: Annotated[tuple[int, ...], "Calls of the cipher, for each size of keys."]
    cores: Annotated[int, "Round cores of the cipher, each of which has a call of a batch."]
    cycles: Annotated[int, "Cycles from one key to the next, of the size that takes longest."]


@dataclass(frozen=True, kw_only=True)
class StreamExplain:
    """The figures of ``modeloom explain --json`` of a stream mode."""

    schema: str
    mode: str
    block_bytes: Annotated[int, "Bytes of a block."]
    cipher: Annotated[str, "Name of the block cipher."]
    key_bits: Annotated[int, "Bits of a key of the cipher."]
    blocks_per_cycle: Annotated[int, "Blocks that enter in a cycle."]
    cadence: Annotated[CadenceFigures | None, "There if the cipher does not take a block in every cycle."] = None
    channels: Annotated[int | None, "Messages that may interleave; missing in a core with one channel."] = None
    order: Annotated[str | None, "The order of text and associated data; missing if associated data come first."] = None
    shared: Annotated[
        Mapping[str, str] | None, "With text first, parts of the state that have the register of another one, which ends before."
    ] = None
    latency: Annotated[int, "Cycles from a block of text to its result, in the pipeline."]
    latency_tag: Annotated[int, "Cycles from the last token to the tag, in the pipeline."]
    tokens: Tokens
    starts: Annotated[tuple[StartFigures, ...], "The start of a message, for each class of nonces."]
    passes: Annotated[int | None, "How often a message to seal goes through the core; missing if once."] = None
    derivation: Annotated[DerivationFigures | None, "There if the core derives the keys of messages."] = None
    turn: Annotated[
        int | None, "Cycles from a block to the next token of its message, which waits for its cipher; only in modes with such a chain."
    ] = None
    chains: Annotated[int, "Chains of the polynomial hash; 0 if the mode has none."]
    units: Annotated[Mapping[str, UnitPlace], "The units by name."]
    state: Annotated[Mapping[str, StateFigures], "The parts of the state by name."]
    stages: Annotated[int, "Stages of the pipeline."]
    key_words: Annotated[int, "Words of the key memory of a slot."]
    proved: Annotated[bool, "Whether the pipeline was proved to compute the definition."]
    inverse: Annotated[str, 'Whether opening gives back what was sealed and accepts its tag: "proved", "tested" or "not checked".']
    warnings: Annotated[tuple[str, ...], "What is allowed in the definition but probably not intended."]
    returns: Annotated[
        Mapping[str, tuple[int, ...]] | None,
        "By step, the cycles after its entry in which its token has the cipher; missing if it has it once, when it comes by.",
    ] = None
    beside: Annotated[
        tuple[str, ...] | None, "Steps whose tokens enter between those of other messages; missing if all follow one another."
    ] = None
    proof: Annotated[ProofFigures | None, "What the proof has compared; there if it has run."] = None


# -- message facts -----------------------------------------------------------------------------------------------------------------

# What ``core.json`` says of a core for messages: its members, and what follows from them without a count of cycles.
#
# What follows for what a host sends and gets is in ``protocol.contract``.

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
    packet: Annotated[str, f"{', or '.join(f'{name!r} if {said}' for name, said in PACKETS.items())}.".replace("'", '"')]
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

    def requirements(self) -> Iterator[tuple[bool, str]]:
        """What must hold of the members."""
        yield from super().requirements()
        yield bool(self.directions) and {*self.directions} <= {*DIRECTIONS}, f"directions is not some of {', '.join(DIRECTIONS)}"
        counts = self.beat_bytes * self.key_slots * self.channels
        yield counts > 0, "blocks_per_cycle, block_bytes, key_slots and channels are not 0"
        yield self.packet in PACKETS, f"packet is not one of {', '.join(PACKETS)}"
        yield self.order in (None, TEXT_FIRST), f"order is {TEXT_FIRST}, or not there"
        yield all((self.tag_bytes, self.nonce_bytes, *self.nonce_bytes)), "nonce_bytes and tag_bytes are not empty"
        yield max(self.key_sizes, default=None) == self.key_bytes, "key_bytes is not the largest of key_sizes"

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

    def message_key(self, folder: str | Path, key: bytes, nonce: bytes) -> bytes:
        """The key of a message under a key of a user: derived of it by software, or this key."""
        return derived_key_of(self.definition, folder, self.cipher, key, nonce) if self.derives else key

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
        if self.derive_interval is not None or not self.passes.direct:
            return ()
        return tuple(way for way in self.ways if self.text_of(way, 1) and not self.held(way))

    @property
    def releases(self) -> bool:
        """Whether plaintext leaves the core before its tag has been checked."""
        return self.hold is None and "decrypt" in self.directions

    def latency_of(self, decrypt: int) -> int:
        """``latency`` of a message that is opened or sealed."""
        return self.latency + self.form.later * (decrypt == 1 and "encrypt" in self.directions)

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
        return (self.explain.turn is None or self.channels == 1) and self.derive_interval is None and self.passes.direct

    @property
    def concurrent(self) -> bool:
        """Whether tokens enter between those of other messages."""
        return bool(self.explain.beside or self.explain.returns)


# -- how tokens enter --------------------------------------------------------------------------------------------------------------


class EveryCycle:
    """Tokens enter in every cycle.

    ``waits`` is as of a description, and ``interval`` are the cycles after which the entry is as before.  ``exact`` says that the latency
    is the same in each cycle, ``quick_pass`` that the text of a first pass waits for the cipher less often than that of others, and
    ``more`` are blocks after which messages may begin in the same phase.
    """

    waits, interval, exact, quick_pass, cycles_a_block, more = 0, 1, True, False, 1.0, range(0)

    def __init__(self, d: StreamDescription):
        self.d = d

    @property
    def pace(self) -> str:
        """The bits that enter in each cycle, or the blocks that the cipher takes if it does not take one in every cycle."""
        return f"{8 * self.d.beat_bytes} bits per cycle"

    def lost(self, cycles: float) -> float:
        """The cycles that a packet has lost, of those that it took beside its beats."""
        return cycles

    def steady(self, associated: int, text: int, nonce_bytes: int | None, second: bool) -> tuple[int, int]:
        """As of a description."""
        d = self.d
        usual = d.cycles.of(*d.blocks_of(associated, text)) + d.unused_by(associated, second)
        usual -= d.cycles.tag * d.tag_is_shared(associated, text)
        return 1, usual if nonce_bytes is None else usual - d.cycles.start + d.start_cycles(d.start_of(nonce_bytes))


class InBatches(EveryCycle):
    """Tokens that use the cipher enter in batches, and the latency depends on the cycle of the message."""

    exact = False

    def __init__(self, d: StreamDescription, cadence: CadenceFigures):
        super().__init__(d)
        self.cadence, self.more, self.cycles_a_block = cadence, range(2 * cadence.blocks), cadence.cycles_a_block
        self.interval = cadence.interval
        absorb = cadence.steps.get("absorb")
        self.quick_pass = absorb is not None and any(len(cadence.steps[way].ciphers) > len(absorb.ciphers) for way in d.directions)
        # A start that runs ahead waits for its place, and then its message.
        ahead = "start" in (d.explain.beside or ())
        self.waits = cadence.interval - (1 if ahead else min(len(cadence.phases(way)) for way in d.directions))

    @property
    def pace(self) -> str:
        return paced(self.d.blocks_per_cycle * self.cadence.blocks, self.cadence.interval)

    def lost(self, cycles: float) -> float:
        return max(0.0, cycles)

    def steady(self, associated: int, text: int, nonce_bytes: int | None, second: bool) -> tuple[int, int]:
        d, steps = self.d, self.cadence.steps
        if d.concurrent:
            # Each token takes a place of a batch, and one that returns to the cipher takes several.
            cycles = d.cycles.of(*d.blocks_of(associated, text)) + d.unused_by(associated, second)
            messages = self.cadence.interval // gcd(cycles, self.cadence.interval)
            return messages, messages * cycles
        classes = {length: n for n, lengths in enumerate(d.nonce_bytes) for length in lengths}
        starts = [title for title in steps if title.split()[0] == "start"]
        start = "start" if nonce_bytes is None else starts[classes[nonce_bytes]]
        return self.cadence.steady([*[[start]] * (steps[start].cycles > 0), *self._groups(associated, text)])

    def _groups(self, associated: int, text: int) -> list[list[str]]:
        """The steps of a message behind its start, in the direction that takes longer.  Those that share a token are together."""
        d = self.d
        longest = max(d.directions, key=lambda way: self.cadence.steps[way].cycles)
        counts = zip(("associated", longest), d.blocks_of(associated, text), strict=True)
        first, behind = d.form.ordered(*([[step] for _ in range(count)] for step, count in counts))
        groups = [*first, *([step] for step in d.form.between), *behind]
        if d.tag_is_shared(associated, text):
            groups[-1].append("tag")
            return groups
        return [*groups, ["tag"]]


# -- messages ----------------------------------------------------------------------------------------------------------------------

STORED_SLACK = 2
"""Cycles between two packets that a buffer sends."""

TAG_VERDICT = "whether the tag of a message is right"
"""The fact that a core for messages reveals of its secrets by design, in the code of a status."""

TAG_DUE = ("verdicts.decided_reg", "verdicts.statuses.memory.erase_reg")
"""The ends of the names of the register that is high in the cycle of this verdict, and of the one that is high while the queue of statuses
is overwritten, when all verdicts are in reset.  The second one may be missing."""


@dataclass(frozen=True, kw_only=True)
class MessageShape:
    """Bytes of associated data and text of a message."""

    associated: Annotated[int, "Bytes of associated data."]
    text: Annotated[int, "Bytes of text."]


BENCH_BLOCKS = (1, 3)
"""The bench measures the distance of messages with these numbers of blocks of associated data and text, the last ones partial."""


@dataclass(frozen=True, kw_only=True)
class StreamDescription(MessageFacts):
    """The contents of `core.json` for a core for messages of any length."""

    SCHEMA: ClassVar[str] = "modeloom-stream-core-1"
    TAIL: ClassVar[tuple[str, ...]] = ("ports", "explain", "sha256")

    @cached_property
    def entry(self) -> EveryCycle:
        """How tokens enter."""
        return EveryCycle(self) if self.cadence is None else InBatches(self, self.cadence)

    @property
    def varies(self) -> bool:
        """Whether single distances of messages vary: tokens enter between those of other messages, or the text of a first pass waits
        for the cipher less often than that of others."""
        return self.concurrent or self.entry.quick_pass

    @property
    def waits(self) -> int:
        """The largest number of cycles that a lone message waits for its place in the cadence, beside the fewest."""
        return self.entry.waits

    def steady(self, associated: int, text: int, nonce_bytes: int | None = None, *, second: bool = False) -> tuple[int, int]:
        """For equal messages back to back, after how many of them their distances repeat, and the cycles of so many.

        Messages are first passes and openings, or with ``second`` second passes.
        """
        return self.entry.steady(associated, text, nonce_bytes, second)

    def cycles_of(self, associated: int, text: int, nonce_bytes: int | None = None, *, second: bool = False) -> int:
        """The number of cycles from a message with these numbers of bytes to the next one; the mean, rounded up, if there is a cadence;
        the mean, at most, if tokens return to the cipher.

        Without ``nonce_bytes`` it is the number for a nonce of the default length.  With ``second`` it is that of second passes.
        """
        messages, cycles = self.steady(associated, text, nonce_bytes, second=second)
        return -(-cycles // messages)

    def tag_is_shared(self, associated: int, text: int) -> bool:
        """Whether the tag of a message takes no cycle of its own, as its last beat has a free block."""
        return self.shares_tag and bool(-(-(text or associated) // self.block_bytes) % self.blocks_per_cycle)

    def unused_by(self, associated: int, second: bool) -> int:
        """The number of cycles of a message in which none of its tokens fits, at most, in the mean."""
        if self.unused is None:
            return 0
        return self.unused.message + (associated > 0) * self.unused.associated + second * self.unused.second

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
        return self.cycles_of(associated, text) + sum(self.blocks_of(associated, text)) * self.channel_fields.alone(self.explain.turn or 0)

    def tokens_of(self, associated: int, text: int) -> int:
        """The number of steps of a message that each wait for the one before, in a mode with such a chain."""
        return sum(self.blocks_of(associated, text)) + 1

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
        return (own + longest) * self.passes.turns + 2 * self.latency + self.explain.stages + 64

    @property
    def bench_shape(self) -> MessageShape:
        """The sizes of the messages whose distance the bench measures.  Those of a core with a cadence all begin in the same phase."""
        ad, text = BENCH_BLOCKS
        size, explain = self.beat_bytes, self.explain
        if not explain.tokens.start and not explain.chains and explain.turn is None:
            # Tags that follow their messages come in bursts, unless the messages are longer than the way to their tags.
            text += max(0, explain.latency_tag - explain.latency)
        for more in self.entry.more:
            if self.steady(ad * size, (text + more) * size)[0] == 1:
                text += more
                break
        if self.buffered_beats is not None:
            # They are not longer than the core can store.
            ad = min(ad, self.buffered_beats - 1)
            text = min(text, self.buffered_beats - ad)
        return MessageShape(associated=max(0, (ad - 1) * size + size // 4), text=(text - 1) * size + size - 1)

    @property
    def summary(self) -> str:
        """The title and the rate."""
        return f"{self.title}, messages of any length, {self.pace}"

    @property
    def pace(self) -> str:
        """The bits that enter in each cycle, or the blocks that the cipher takes if it does not take one in every cycle."""
        return self.entry.pace

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
            self.block_bytes, self.hold, self.key_source.pins, self.key_slots, self.form.pins, self.channels, bool(self.lengths_first),
            len(self.passes.sealing),
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
        return (*super().verdicts, Verdict(TAG_VERDICT, self._outputs(Role.VERDICT, statuses), TAG_DUE))

    @property
    def bench_figures(self) -> Mapping[str, int]:
        """The latency of text that is not held, and the distance of messages of ``bench_shape``."""
        shape = self.bench_shape
        latency = {"latency": self.latency} if self.timed and self.entry.exact else {}
        return {**latency, **({"cycles_per_message": self.cycles_of(shape.associated, shape.text)} if self.even else {})}

    def area_groups(self, paths: tuple[str, ...]) -> dict[str, list[str]]:
        """Cipher, multiplier, storage, pipeline and bus."""
        around = [*[STORE] * (not self.passes.direct), *[DERIVER] * (self.derive_interval is not None)]
        return groups_of(paths, self.cipher, around=around)
