# SPDX-License-Identifier: Apache-2.0
"""``core.json`` of a core for messages behind the LWC interface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from modeloom.interfaces import Interface
from modeloom.interfaces.lwc import HEADER_BITS, WORD_BITS, Opcode, lwc_core, opcode_word
from modeloom.product.blocks import LWC, groups_of
from modeloom.product.description import Declassified, Result, Verdict
from modeloom.product.messages import TAG_DUE, TAG_VERDICT, StreamDescription

__all__ = ["PUBLIC_WORDS", "LwcDescription"]

PUBLIC_WORDS = "words that are instructions or headers"
"""What PDI and SDI carry besides secrets; whether a word is one of these follows from those before it alone."""


@dataclass(frozen=True, kw_only=True)
class LwcDescription(StreamDescription):
    """The contents of `core.json` for a core for messages behind the LWC interface.

    Cycles and latencies are those of the message control behind it.
    """

    SCHEMA: ClassVar[str] = "modeloom-lwc-core-1"

    interface_bits: Annotated[int, "Bits of a word of PDI, SDI and DO."]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.interface_bits not in WORD_BITS:
            raise ValueError(f"interface_bits is not one of {', '.join(map(str, WORD_BITS))}")

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
        parts = (nonce_bytes, associated, text, *((tag_bytes,) if decrypt else ()), *((8,) if self.lengths_first else ()))
        return 1 + sum(1 - (-part // self.word_bytes) for part in parts)
