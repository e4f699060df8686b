# SPDX-License-Identifier: Apache-2.0
"""The parameters of the message control, and the layouts of the records between its parts.

::

    command ──▶ MESSAGE: nonce, slot, tag ... ───────────────────────────┐
    beats   ──▶ TOKEN: a block, and what it is ──▶ weights of the hash ──┴──▶ pipeline ──▶ BEAT, TAG
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from amaranth.lib.data import ArrayLayout, StructLayout

from modeloom.rtl.stream.depths import MessageDepths
from modeloom.rtl.stream.packet import PARTS, AssociatedFirst
from modeloom.rtl.stream.sizes import CODE_BITS, LENGTH_BITS, known_bits
from modeloom.streams.reservation import Program

__all__ = ["CODE_BITS", "LENGTH_FIELDS", "MessageParameters"]

LENGTH_FIELDS = {"nonce": "nonce_bytes", "tag": "tag_bytes"}
"""The fields of a message with lengths that ``start`` reads, where they have other names."""


@dataclass(frozen=True, kw_only=True)
class MessageParameters(MessageDepths):
    """The sizes of the message control of a core with the programs of its steps and its records."""

    # -- programs -----------------------------------------------------------------------------------------------------------------

    def program(self, title: str) -> Program:
        """What a step takes of the sequence of its message."""
        return self.plan.reservations.sequence(title)

    def entry_cycles(self, *titles: str) -> int:
        """The largest number of cycles from the one in which the first of some steps could enter to the end of the last one."""
        return self.plan.reservations.entry_cycles(*titles)

    def ahead_waits(self, cycles: int, *titles: str) -> int:
        """With a cadence, the largest number of cycles that a start that runs ahead and then a step of its message wait for their places
        in batches, if the step could enter so many cycles after the start."""
        return self.plan.reservations.ahead_waits(cycles, next(self.starts), *titles)

    @property
    def starts(self) -> Iterator[str]:
        """Titles of ``start``, by the number of the class of nonces."""
        titles = {step.nonce_class: step.title for step in self.plan.steps if step.name == "start"}
        return (titles[number] for number in sorted(titles))

    @property
    def first_tokens(self) -> tuple[str, ...]:
        """The start of a message, with a nonce of the usual class, if it has tokens that enter before those of its blocks."""
        first = next(self.starts)
        return (first,) if self.program(first).tokens else ()

    @property
    def compares(self) -> bool:
        """Whether messages bring tags that are compared: those to open, and those of a second pass."""
        return self.decrypt or self.two_passes

    @cached_property
    def parts(self) -> AssociatedFirst:
        """The kind of packets."""
        return next(kind for kind in PARTS if kind.chosen(self))(self)

    @property
    def known_fields(self) -> dict[str, str]:
        """The fields of a message with the lengths that ``start`` reads."""
        return {name: LENGTH_FIELDS.get(name, name) for name in self.plan.known_lengths}

    # -- records ------------------------------------------------------------------------------------------------------------------

    @property
    def message(self) -> StructLayout:
        """The layout of a message: what is known of it when it begins.  If the tag comes late, it is not known.

        ``decrypt`` says that its tag is compared.  In a mode with two passes, ``second`` is the second pass of a message to seal, whose
        tag is compared, too.
        """
        return StructLayout({
            "nonce": 0 if self.plan.runs_ahead else self.block_bits, "nonce_bytes": self.nbytes_bits, "nonce_class": self.class_bits,
            "slot": self.slot_bits,
            "id": 16, "tag": 0 if self.late_tag else self.block_bits, "tag_bytes": self.nbytes_bits, "decrypt": 1,
            "second": len(self.plan.mode.text_steps()) - 2,
            "channel": self.ways.channel_bits,
            **{name: known_bits(name, self.block_bytes) for name in self.plan.known_lengths if name not in LENGTH_FIELDS},
            "place": self.place_bits,
        })  # fmt: skip

    @property
    def start(self) -> StructLayout:
        """A start that runs ahead: the nonce and its class, the key slot, lengths, and the place of what it computes."""
        known = {name: known_bits(name, self.block_bytes) for name in self.plan.known_lengths}
        return StructLayout({
            "nonce": self.block_bits, "nonce_class": self.class_bits, "slot": self.slot_bits, "place": self.place_bits, **known,
        })  # fmt: skip

    @property
    def token_nbytes_bits(self) -> int:
        """The width of a number of bytes of a token, which is a beat, or a pair of them."""
        return (self.beat_bytes * self.plan.mode.text_blocks).bit_length()

    @property
    def token(self) -> StructLayout:
        """Blocks of a message: the first ``full`` lanes have one.  In a mode with pairs of text, a token has one or two blocks.

        With ``tag`` the lane behind them has the tag, and so has the first lane of a token of the tag.  If tags follow their messages, it
        only says that the message ends, and ``lengths`` are those of the message, if the tag reads them.  Its block has the bytes of
        associated data and of text.  With several channels, ``context`` is the word of what is kept for its channel, and ``message`` the
        place of its message in the store.  ``final`` says that it has the last block of associated data, or of text, if a step asks.
        """
        return self._token(self.lanes * self.plan.mode.text_blocks)

    @property
    def piece(self) -> StructLayout:
        """The layout of a token before its text is put into pairs."""
        return self._token(self.lanes)

    def _token(self, blocks: int) -> StructLayout:
        nbytes = (blocks * self.block_bytes).bit_length()
        return StructLayout({
            "blocks": ArrayLayout(self.block_bits, blocks), "step": 2, "full": range(blocks + 1), "tag": 1, "first": 1,
            "nbytes": nbytes, "last": 1, "cut": 1, "code": CODE_BITS,
            "final": int(self.plan.ends),
            **({"lengths": 2 * LENGTH_BITS} if self.plan.tag_lengths else {}),
            "context": self.context_bits, "message": range(self.ways.stored),
        })  # fmt: skip

    @property
    def weighted(self) -> StructLayout:
        """A token with what the hash has to know: whether it has products, the power of the key in each lane, and whether its
        products are the first of those that are the hash."""
        powers = ArrayLayout(range(self.plan.chains + 1), self.lanes)
        return StructLayout({"token": self.token, "product": 1, "powers": powers, "opening": 1})

    @property
    def verdict(self) -> StructLayout:
        """The layout of what is known of a message when its tag comes."""
        return StructLayout({
            "id": 16, "tag": self.block_bits, "tag_bytes": self.nbytes_bits, "decrypt": 1, "code": CODE_BITS, "packet": 1, "empty": 1,
            **self.delivery.told,
        })  # fmt: skip
