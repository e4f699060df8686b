# SPDX-License-Identifier: Apache-2.0
"""The contract of cycles between the buses, the engine and the program of the engine.

The timing of a lone sector with its last beat bl and its command c::

    s_axis        b0 b1 .. bl
                           └─ LAST_BEAT_TO_ENTRY = 3 ─▶┐
    s_axis_cmd    c ────────── COMMAND_TO_ENTRY = 4 ──▶┴ entry
                                                         ├─ LEAD = 6 ─▶ cycle 0 ── latency of the program ─▶ done
                                                         └─ TWEAK_WRITE = -5: the end of cycle -5                │
    m_axis                            b0 b1 .. bl ◀────────────── DONE_TO_FIRST_BEAT = 5 ────────────────────────┘

Successive sectors. The first beats of a sector may come while the previous sector asks to enter::

    entry ├──────── ENTRY_CYCLES = 4, or more ────────▶ entry of the next sector
          ┊ bl of the next sector is on fill_* a cycle before its entry at the latest
    fill_*   ─ FILL_DELAY = 3 ─▶ the block is in its bank at the end of this cycle
    ahead    b0 .. b3, FILL_AHEAD = 4 beats: no more while the sector before asks

The program counts its cycles from cycle 0 of its sector. The set-up writes words of the key memory, which are read later::

    row pointer ─ LEAD = 6 ─▶ operand networks
                ─ DRAIN = 9 ─▶ last effect of the row
    key word leaves ─ KEY_DELAY = 4 ─▶ first operation that reads it
    erase ─ ERASE_DELAY = 1 ─▶ the word is written

A key packet, and a reset::

    first beat ─▶ slot is empty ─ FENCE_CYCLES = 5 ─▶ all sectors that were admitted under the old key show in flight
    reset ─ SETTLE_CYCLES = 4 ─▶ registers before memories hold zeros ─▶ one word per cycle ─▶ pipelines run empty

The scheduler imports ``ENTRY_CYCLES`` and ``KEY_DELAY`` from here, the allocator the times at which blocks come, the buses and the engine
their own numbers, and the generators of cores the formulas for the pins. The checkers of schedules and programs, and the proof, import
nothing from here. They have their own copies of the numbers. ``tests/cycles`` compares these copies, measures each number in simulated
hardware, and reads the drawings above.
"""

from __future__ import annotations

__all__ = [
    "COMMAND_TO_ENTRY", "DONE_TO_FIRST_BEAT", "DRAIN", "ENTRY_CYCLES", "ERASE_DELAY", "ERASE_OVERHEAD", "FENCE_CYCLES",
    "FILL_AHEAD", "FILL_DELAY", "FILL_MARGIN", "KEY_DELAY", "LAST_BEAT_TO_ENTRY", "LEAD", "OVERWRITE_CYCLES", "RING_MARGIN",
    "RING_OVERHEAD", "SETTLE_CYCLES", "TWEAK_WRITE", "interval_pins", "key_erase_cycles", "latency_pins", "overhead_pins",
    "ring_depth", "zeroize_cycles",
]  # fmt: skip

LAST_BEAT_TO_ENTRY = 3
"""Cycles from the last beat of a sector on the bus to its entry, if its command has come and the engine is idle."""

COMMAND_TO_ENTRY = 4
"""Cycles from a command on the bus to the entry of its sector, if the sector has come and the engine is idle."""

ENTRY_CYCLES = 4
"""Smallest number of cycles between the entries of two sectors."""

FILL_AHEAD = 4
"""Number of beats of the next sector that may be written while a complete sector asks to enter."""

FILL_DELAY = 3
"""Cycles from a beat on ``fill_*`` to the cycle at whose end its blocks are in their banks."""

LEAD = 6
"""Cycles from the entry of a sector to its cycle 0, and from the row pointer to the operand networks."""

TWEAK_WRITE = 1 - LEAD
"""Cycle of a sector at whose end the first block of its tweak is written.  The other blocks follow one by one."""

FILL_MARGIN = LEAD - 1 - FILL_DELAY
"""The earliest beat after an entry is written this number of cycles before cycle 0 of the sector that enters."""

DRAIN = LEAD + 3
"""Cycles from the row pointer to the last effect of a row, including one spare cycle."""

KEY_DELAY = 4
"""Cycles from the output of a key word in the set-up to the first operation that may read it, including one spare cycle."""

ERASE_DELAY = 1
"""Cycles from ``erase`` of a memory to the write."""

DONE_TO_FIRST_BEAT = 5
"""Cycles from ``done`` to the first beat of a lone sector on the bus. ``done`` comes in the cycle in which the program ends."""

RING_OVERHEAD = 5
"""Cycles between two entries that use the same place of the result buffer, without latency and beats."""

RING_MARGIN = 1
"""Cycles that are added to the latency to size the result buffer.  The hardware does not need them."""

FENCE_CYCLES = 5
"""Number of cycles after a slot is marked empty until the last sector that was admitted with its old key is recorded as in flight."""

ERASE_OVERHEAD = 12
"""Cycles of the key port and of the engine before and after the overwriting of a key and of the values computed with it."""

OVERWRITE_CYCLES = 4
"""Cycles between the erasures of two cipher keys of a slot."""

SETTLE_CYCLES = 4
"""Cycles from a reset until the registers before memories hold zeros."""


def ring_depth(latency: int, interval: int, beats: int) -> int:
    """Smallest ``ring_sectors`` with which sectors can follow each other without a pause.

    Parameters
    ----------
    latency : int
        Cycles from ``enter_ack`` to ``done`` of the engine.
    interval : int
        Initiation interval of the engine in cycles.
    beats : int
        Beats of a sector.
    """
    return max(1, -(-(latency + beats + RING_OVERHEAD) // max(interval, beats, ENTRY_CYCLES)))


def overhead_pins(beats: int) -> int:
    """Cycles of :func:`latency_pins` that do not belong to the program: those of the buses, and the beats themselves."""
    last = beats - 1
    return max(last + LAST_BEAT_TO_ENTRY, COMMAND_TO_ENTRY) + LEAD + DONE_TO_FIRST_BEAT + last


def latency_pins(latency: int, beats: int) -> int:
    """Cycles from the handshake of the first input beat to that of the last output beat, for a lone sector.

    The core is idle, the command comes with the first beat or earlier, and neither side pauses.

    Parameters
    ----------
    latency : int
        Cycles of the program.
    beats : int
        Beats of a sector.
    """
    return latency + overhead_pins(beats)


def interval_pins(interval: int, beats: int) -> int:
    """Cycles between the first output beats of sectors that follow each other without a pause."""
    return max(interval, beats)


def zeroize_cycles(depth: int, flush: int) -> int:
    """Number of cycles for which a core is held during an erasure.

    Parameters
    ----------
    depth : int
        Number of words in the deepest memory.
    flush : int
        Largest number of cycles that a value can stay in registers without a reset.
    """
    return SETTLE_CYCLES + depth + flush


def key_erase_cycles(*, key_words: int, cipher_keys: int, rounds: int, result_words: int, flush: int, rows_left: int = 0) -> int:
    """Cycles from the first beat of a packet that erases a slot until nothing of its key is left, if no sector is in flight.

    Parameters
    ----------
    key_words : int
        Words in the key memory for each slot.
    cipher_keys : int
        Number of cipher keys of a slot.
    rounds : int
        Number of round keys that the key schedule overwrites for each of them.
    result_words : int
        Number of words in the deepest bank of the engine.
    flush : int
        As for :func:`zeroize_cycles`.
    rows_left : int
        Rows that the engine still runs after the last block of a sector.  The key is overwritten meanwhile, and results are overwritten
        after both.
    """
    each = rounds + (OVERWRITE_CYCLES if cipher_keys > 1 else 0)
    words = max(cipher_keys * each, key_words + each * (cipher_keys - 1))
    return FENCE_CYCLES + ERASE_OVERHEAD + max(words, rows_left) + result_words + DRAIN + flush
