# SPDX-License-Identifier: Apache-2.0
"""The contract of cycles in cores for messages: what the buses add to the stages of the pipeline.

A message of one beat that is alone::

    s_axis   beat ── registers, queues, entry ──▶ stage 0 ── pipeline ──▶ text ── queue, register ──▶ beat   m_axis
             ├──────────────── PIN_CYCLES = 11, and the stages of the text ─────────────────────────────┤
             with --hold: HOLD_CYCLES = 2 more; with --channels: CHANNEL_CYCLES = 3 more,
             or CHAINED_CYCLES = 2 in a mode whose blocks wait for the cipher of the one before
             with a prefix of associated data: PREFIX_CYCLES = 1 more
             if starts run ahead, and the command comes with the beat: START_CYCLES = 3 more, and the stages of a start;
             from the entry of the start to that of the beat: ADMITTED_CYCLES = 6, and these stages

With ``--packet wire`` a beat leaves when it is known what follows it, and so the beat of such a message waits for the tag::

    s_axis   beat ── registers, splitter, queues, entry ──▶ stage 0 ── next token: the tag ──▶ tag ── verdict, joiner ──▶ beat
    m_axis
             ├──────────────── WIRE_CYCLES = 18, the cycles of the text, and the stages of the tag ────────────────────────────┤

Set-up computes words of the key memory, one token after another::

    word is written ─ WORD_CYCLES = 2 ─▶ first token that may read it

Keys that come with messages are prepared one behind the other, in a ring of R slots::

    key schedule ─ TURN_CYCLES = 2 ─▶ tokens of set-up ───────▶ powers ────────────▶ messages ─▶ verdicts ─▶ zeros
                                      TOKEN_CYCLES = 6 each     POWER_OVERHEAD = 2   DRAIN_CYCLES = 30
    a core that zeroes all words of a slot at once: zeros, CLEAR_CYCLES = 6
    packet that drops a key ─ the fence, zeros, and DROP_CYCLES = 24 ─▶ nothing of the key is left

The distance of keys is the longest of the first three, or all of them in R - 1 parts.

A core that derives the key of a message::

    command ─ round cores ─ key schedule ─ tokens of set-up ─ powers, and DERIVE_SLACK = 60 at most for all else ─▶ its key is ready

A core that stores a message, which is alone::

    packet ─ first pass ─ tag ─ second pass, and BUFFER_SLACK = 40 at most for all else ─▶ ciphertext

Blocks that wait for the cipher of the one before, where several channels take turns::

    end of a turn ─ PICK_CYCLES = 3 ─▶ next token of the channel enters

Credits come back late: the queues behind the pipeline have ENTRY_SLACK = 12 places more than the pipeline has stages, and
HOLD_SLACK = 10 more with ``--hold`` and in wire form, so that no cycle is lost.
"""

from __future__ import annotations

__all__ = [
    "ADMITTED_CYCLES", "BUFFER_SLACK", "CHAINED_CYCLES", "CHANNEL_CYCLES", "CLEAR_CYCLES", "DERIVE_SLACK", "DRAIN_CYCLES", "DROP_CYCLES",
    "ENTRY_SLACK", "HOLD_CYCLES", "HOLD_SLACK", "PICK_CYCLES", "PIN_CYCLES", "POWER_OVERHEAD", "PREFIX_CYCLES",
    "START_CYCLES", "TOKEN_CYCLES", "TURN_CYCLES", "WIRE_CYCLES", "WORD_CYCLES",
]  # fmt: skip

PIN_CYCLES = 11
"""Cycles from a beat at the pins to its text at the pins, beside the stages of the text, if nothing holds it back."""

WIRE_CYCLES = 18
"""The same in wire form, of a sealed message, beside the cycles of a token of text and those from the first token of the tag to the
tag."""

PREFIX_CYCLES = 1
"""Cycles that the stage for a prefix of associated data adds."""

START_CYCLES = 3
"""Cycles that a start that runs ahead adds for a message whose command comes with its text, beside the stages until it has computed."""

ADMITTED_CYCLES = 6
"""Cycles from the entry of a start that runs ahead to that of the first block of its message, beside the stages until it has computed."""

CHANNEL_CYCLES = 3
"""Cycles that the registers of interleaved packets and the store of their tokens add."""

PICK_CYCLES = 3
"""Cycles from the end of a turn to the entry of the next token: two in the queue of channels, and one in the memory of tokens."""

CHAINED_CYCLES = 2
"""The same where tokens wait for a chain through the cipher."""

HOLD_CYCLES = 2
"""Cycles that the buffer for unverified text, or for unverified packets, adds."""

BUFFER_SLACK = 40
"""Cycles of a message that is stored, outside its two passes: its packet is stored, and results come back to the buffer."""

DERIVE_SLACK = 60
"""Cycles from a command to its key, if the core derives it, that are not those of the cipher, the key schedule and set-up."""

WORD_CYCLES = 2
"""Cycles from the write of a word of the key memory to the first token that may read it."""

ENTRY_SLACK = 12
"""Cycles of a credit outside the pipeline, in the registers of the entry and of the queues."""

HOLD_SLACK = 10
"""Cycles from a tag to the verdict in the buffer for unverified text, or to the end of a packet in wire form, and through this
buffer."""

DROP_CYCLES = 24
"""Cycles of a packet that drops a key until its slot has its turn, and of what else is not counted one by one."""

TOKEN_CYCLES = 6
"""Cycles of a token of set-up outside the pipeline: it waits for words before it, enters, and its word is written."""

TURN_CYCLES = 2
"""Cycles in which a slot is handed on from the key schedule to the tokens."""

DRAIN_CYCLES = 30
"""Cycles from a command to the verdict on its message outside the window and the pipeline, and those of the ring."""

CLEAR_CYCLES = 6
"""Cycles of a used slot until it is cleared at once, beside the fence."""

POWER_OVERHEAD = 2
"""Cycles of the powers of a key beside their products."""
