# SPDX-License-Identifier: Apache-2.0
"""What stands between the engine, which runs a program, and the buses around it.

The bus side fills the blocks of the next sector, asks for its entry, and takes result blocks in any order::

    fill_*   ──▶ input banks ─┐
    enter_*  ──▶ sequencer ───┴▶ units ──▶ out_* (block index and ticket with each block), done_*
    key_*    ──▶ key memory            rk_* ──▶ round keys of the cipher units
    setup_*  ──▶ runs the set-up program of one key slot while no sector is in flight

The engine never stalls: the bus enters a sector only when it can take every block that is in flight.
"""

from __future__ import annotations

from math import ceil

from amaranth.lib.wiring import In, Out, Signature

__all__ = ["engine_signature"]


def engine_signature(
    *,
    block_bits: int,
    lanes: int,
    blocks: int,
    tweak_blocks: int,
    key_slots: int,
    key_words: int,
    ticket_bits: int,
    erase_bits: int,
    round_bits: int,
    round_key_bits: int,
    sizes: int = 1,
    cipher_keys: int = 1,
) -> Signature:
    """Ports of an engine, seen from the engine.

    Parameters
    ----------
    block_bits : int
        Width of a block in bits.
    lanes : int
        Blocks a beat; block i of a sector is lane i mod lanes of beat i // lanes.
    blocks : int
        Blocks of a sector, the partial last one included.
    tweak_blocks : int
        Blocks of a tweak (0 if the mode takes none).
    key_slots : int
        Key slots.
    key_words : int
        Words of the key memory a slot: key blocks from the host and set-up values.
    ticket_bits : int
        Width of the number that the bus gives with a sector and gets back with each of its blocks.
    erase_bits : int
        Width of ``erase_address``.
    sizes : int
        Sector sizes; ``blocks`` are those of the largest.
    cipher_keys : int
        Keys of the cipher in a slot.
    round_bits, round_key_bits : int
        Width of the number of a round key, and of a round key itself.

    Members
    -------
    fill_we, fill_beat, fill_data, fill_ahead
        Writes one beat.  While ``enter`` is low, ``fill_ahead`` is low and the beat belongs to the sector that enters
        next.  While ``enter`` is high (in the cycle of ``enter_ack`` too), that sector is complete, ``fill_ahead`` is
        high and the beat belongs to the sector after it; then only beats below ``cycles.FILL_AHEAD`` are written.  So a
        sector of ``beats`` beats can enter every ``beats`` cycles: without the beats ahead, the cycle of
        ``enter_ack`` would be lost.  A beat may be written again until its sector asks to enter.
    enter, enter_decrypt, enter_slot, enter_tweak, enter_ticket
        Request to let the buffered sector enter; held until ``enter_ack``, which is high for the one cycle in which the
        sector is taken.  ``enter_tweak`` holds for one cycle more.  The last beat has been written in an earlier cycle.
    out_we, out_index, out_ticket, out_data
        For each lane: a result block in this cycle, its index in the sector (lane l gives indices l modulo
        ``lanes``), and the sector's ticket.
    done, done_ticket
        High for one cycle, together with or after the last block of a sector; sectors finish in the order of entry.
        The keys of a slot are not read for a sector after its ``done``.
    idle
        No sector is in flight.
    setup, setup_slot, setup_scrub, setup_done
        ``setup`` is held until ``setup_done`` (one cycle): runs the set-up program for a slot, unless ``setup_scrub`` is high, and
        overwrites all that sectors and set-up have computed with zeros.  It waits until no sector is in flight, and no sector enters
        meanwhile.
    key_we, key_slot, key_index, key_data
        Writes one word of the key memory (not while a set-up runs, nor while a sector of this slot is in flight).
    word_we, word_index, word_data
        A key word that set-up writes, before ``setup_done``.
    rk_we, rk_slot, rk_key, rk_round, rk_data, rk_data_dec
        Writes one round key of the cipher units, in the same times: that of the cipher key ``rk_key`` of a slot; ``rk_data_dec`` is its
        form for decrypters.
    size, restart
        The size that sectors have.  In the cycle after a change of ``size``, for which ``idle`` was high, ``restart`` is high; no beat
        is written in either cycle, and none that was written before belongs to a sector to come.
    erase, erase_address
        While the engine is held in reset: zeros to this word of all memories; ``rk_data`` and ``rk_data_dec`` are zero then.  A round
        key has the address (slot · 2^key_bits + key) · 2^round_bits + round, with the key bits of ``cipher_keys`` keys (0 for one).
    """
    slot = range(max(2, key_slots))
    beats = ceil(blocks / lanes)
    return Signature(
        {
            "fill_we": In(1),
            "fill_beat": In(range(max(2, beats))),
            "fill_data": In(block_bits * lanes),
            "fill_ahead": In(1),
            "enter": In(1),
            "enter_ack": Out(1),
            "enter_decrypt": In(1),
            "enter_slot": In(slot),
            "enter_tweak": In(block_bits * max(1, tweak_blocks)),
            "enter_ticket": In(ticket_bits),
            "out_we": Out(lanes),
            "out_index": Out(range(max(2, blocks))).array(lanes),
            "out_ticket": Out(ticket_bits).array(lanes),
            "out_data": Out(block_bits).array(lanes),
            "done": Out(1),
            "done_ticket": Out(ticket_bits),
            "idle": Out(1),
            "setup": In(1),
            "setup_slot": In(slot),
            "setup_scrub": In(1),
            "setup_done": Out(1),
            "word_we": Out(1),
            "word_index": Out(range(max(2, key_words))),
            "word_data": Out(block_bits),
            "key_we": In(1),
            "key_slot": In(slot),
            "key_index": In(range(max(2, key_words))),
            "key_data": In(block_bits),
            "rk_we": In(1),
            "rk_slot": In(slot),
            "rk_key": In(range(max(2, cipher_keys))),
            "rk_round": In(round_bits),
            "rk_data": In(round_key_bits),
            "rk_data_dec": In(round_key_bits),
            "size": In(range(max(2, sizes))),
            "restart": In(1),
            "erase": In(1),
            "erase_address": In(erase_bits),
        }
    )
