# SPDX-License-Identifier: Apache-2.0
"""Contracts of cores that nobody has built, for the tests of the protocol."""

from __future__ import annotations

from dataclasses import dataclass

from modeloom.protocol.contract import MOST_STATED, MessageContract

__all__ = ["Plain"]


@dataclass(frozen=True, kw_only=True)
class Plain(MessageContract):
    """A contract whose members are given."""

    block_bytes: int = 4
    blocks_per_cycle: int = 1
    directions: tuple[str, ...] = ("encrypt", "decrypt")
    nonce_bytes: tuple[tuple[int, ...], ...] = ((3,), (1, 2))
    tag_bytes: tuple[int, ...] = (4, 3)
    most_associated: int = MOST_STATED
    most_text: int = MOST_STATED
    lengths_first: bool | None = None
    order: str | None = None
    most_text_with_nonce: tuple[tuple[int, int], ...] | None = None
    key_slots: int = 2
    channels: int = 1
    hold: int | None = None
    message_buffer: int | None = None
    packet: str = "aligned"
    text_blocks: int | None = None
    inline: bool = False
    tag_first: bool = False
