# SPDX-License-Identifier: Apache-2.0
"""``core.json`` of a core for messages: the cycles of messages at the pins, the bench, and the ports, from the members."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import gcd
from typing import Annotated, Any, ClassVar

from modeloom.interfaces import Interface, Role
from modeloom.interfaces.messages import message_core
from modeloom.product.blocks import DERIVER, STORE, groups_of
from modeloom.product.description import Rate, Result, Verdict
from modeloom.product.message_facts import MessageFacts
from modeloom.product.stream_figures import (
    DerivationFigures,
    PrefixFigures,
    ProofFigures,
    StartFigures,
    StateFigures,
    StreamExplain,
    Tokens,
    UnitPlace,
    UnusedCycles,
)  # fmt: skip
from modeloom.spec.stream import BETWEEN
from modeloom.spec.wording import paced

__all__ = [
    "TAG_DUE", "TAG_VERDICT", "DerivationFigures", "MessageShape", "PrefixFigures", "ProofFigures", "StartFigures", "StateFigures",
    "StreamDescription", "StreamExplain", "Tokens", "UnitPlace", "UnusedCycles",
]  # fmt: skip

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

    @property
    def waits(self) -> int:
        """The largest number of cycles that a lone message waits for its place in the cadence, beside the fewest."""
        if self.cadence is None:
            return 0
        # A start that runs ahead waits for its place, and then its message.
        if "start" in (self.explain.beside or ()):
            return self.cadence.interval - 1
        return self.cadence.interval - min(len(self.cadence.phases(way)) for way in self.directions)

    def steady(self, associated: int, text: int, nonce_bytes: int | None = None, *, second: bool = False) -> tuple[int, int]:
        """For equal messages back to back, after how many of them their distances repeat, and the cycles of so many.

        Messages are first passes and openings, or with ``second`` second passes.
        """
        if self.cadence is None:
            return 1, self.cycles_of(associated, text, nonce_bytes, second=second)
        if self._beside_others:
            cycles = self._places_of(associated, text) + self._unused_by(associated, second)
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

    def _unused_by(self, associated: int, second: bool) -> int:
        """The number of cycles of a message in which none of its tokens fits, at most, in the mean."""
        if self.unused is None:
            return 0
        return self.unused.message + (associated > 0) * self.unused.associated + second * self.unused.second

    def cycles_of(self, associated: int, text: int, nonce_bytes: int | None = None, *, second: bool = False) -> int:
        """The number of cycles from a message with these numbers of bytes to the next one; the mean, rounded up, if there is a cadence;
        the mean, at most, if tokens return to the cipher.

        Without ``nonce_bytes`` it is the number for a nonce of the default length.  With ``second`` it is that of second passes.
        """
        if self.cadence is not None:
            messages, cycles = self.steady(associated, text, nonce_bytes, second=second)
            return -(-cycles // messages)
        blocks = self.blocks_of(associated, text)
        usual = self.cycles.of(*blocks) + self._unused_by(associated, second)
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
        if self.cadence is None:
            return f"{8 * self.beat_bytes} bits per cycle"
        return paced(self.blocks_per_cycle * self.cadence.blocks, self.cadence.interval)

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
        return (*super().verdicts, Verdict(TAG_VERDICT, self._outputs(Role.VERDICT, statuses), TAG_DUE))

    @property
    def bench_figures(self) -> Mapping[str, int]:
        """The latency of text that is not held, and the distance of messages of ``bench_shape``."""
        shape = self.bench_shape
        # With a cadence, the latency depends on the cycle of the message.
        latency = {"latency": self.latency} if self.timed and self.cadence is None else {}
        return {**latency, **({"cycles_per_message": self.cycles_of(shape.associated, shape.text)} if self.even else {})}

    def area_groups(self, paths: tuple[str, ...]) -> dict[str, list[str]]:
        """Cipher, multiplier, storage, pipeline and bus."""
        around = [*[STORE] * (self.message_buffer is not None), *[DERIVER] * (self.derive_interval is not None)]
        return groups_of(paths, self.cipher, around=around)
