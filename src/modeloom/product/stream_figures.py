# SPDX-License-Identifier: Apache-2.0
"""Figures of a pipeline for messages, as ``core.json`` and ``modeloom explain --json`` have them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from modeloom.product.cadence import CadenceFigures

__all__ = [
    "DerivationFigures", "PrefixFigures", "ProofFigures", "StartFigures", "StateFigures", "StreamExplain", "Tokens", "UnitPlace",
]  # fmt: skip


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
