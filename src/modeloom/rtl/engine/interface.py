# SPDX-License-Identifier: Apache-2.0
"""The ports between the engine, which runs a program, and the buses around it, in groups that are connected as a whole.

The bus side writes the blocks of the next sector, asks for its entry, and takes result blocks in any order::

    fill          ──▶ input banks ─┐
    enter, tweak ◀──▶ sequencer ───┴▶ units ──▶ out (block index and ticket with each block), done
    preparation  ◀──▶ key memory, round keys of the cipher units, set-up program
    size         ◀──▶ which size sectors have, in a core for several
    erase         ──▶ all memories

The engine never stalls: the bus lets a sector enter only when it can take every block that is in flight.  Each signature is written
from the side that drives the data.  The bus drives ``fill``, ``enter`` and ``size``, and the engine drives ``out`` and ``done``.
"""

from __future__ import annotations

from math import ceil

from amaranth.lib.wiring import In, Out, Signature

from modeloom.rtl.bus.preparation import preparation_signature
from modeloom.rtl.zeroize import erase_signature

__all__ = ["done_signature", "engine_signature", "enter_signature", "fill_signature", "out_signature", "size_signature"]


def fill_signature(*, block_bits: int, lanes: int, blocks: int) -> Signature:
    """Beats of sectors that have not entered, seen from the bus.

    While ``enter.request`` is low, ``ahead`` is low and the beat belongs to the sector that enters next.  While ``enter.request``
    is high, up to and in the cycle of ``enter.ack``, that sector is complete.  Then ``ahead`` is high, the beat belongs to the
    sector after it, and only beats below ``cycles.FILL_AHEAD`` are written.  So a sector of ``beats`` beats can enter every
    ``beats`` cycles.  Without the beats ahead, the cycle of ``enter.ack`` would be lost.  A beat may be written again until its
    sector asks to enter.

    Members
    -------
    we, beat, data : 1, range(beats), block_bits × lanes
        Writes one beat.
    ahead : 1
        The beat belongs to the sector after the one that asks to enter.
    """
    beats = ceil(blocks / lanes)
    return Signature({"we": Out(1), "beat": Out(range(max(2, beats))), "data": Out(block_bits * lanes), "ahead": Out(1)})


def enter_signature(*, key_slots: int, ticket_bits: int) -> Signature:
    """The request that a complete sector may enter, seen from the bus.

    The last beat of the sector has been written in an earlier cycle.

    Members
    -------
    request : 1
        A sector asks to enter.  It and the other outputs hold until ``ack``.
    decrypt, slot, ticket : 1, range(key_slots), ticket_bits
        The direction, the key slot, and the number that comes back with each block of the sector.
    ack : 1
        High for the one cycle in which the sector is taken.
    """
    return Signature(
        {"request": Out(1), "decrypt": Out(1), "slot": Out(range(max(2, key_slots))), "ticket": Out(ticket_bits), "ack": In(1)}
    )


def out_signature(*, block_bits: int, lanes: int, blocks: int, ticket_bits: int) -> Signature:
    """Result blocks, seen from the engine.  The bus must take every block.

    Members
    -------
    we : lanes
        For each lane, whether there is a result block in this cycle.
    index, ticket, data : range(blocks), ticket_bits, block_bits, for each lane
        The index of the block in the sector, the ticket of the sector, and the block.  On lane l the index is l modulo ``lanes``.
    """
    return Signature(
        {
            "we": Out(lanes),
            "index": Out(range(max(2, blocks))).array(lanes),
            "ticket": Out(ticket_bits).array(lanes),
            "data": Out(block_bits).array(lanes),
        }
    )


def done_signature(ticket_bits: int) -> Signature:
    """The end of a sector, seen from the engine.

    Members
    -------
    valid : 1
        High for one cycle, together with or after the last block of a sector.  Sectors finish in the order of entry.
        After that no key is read for the sector.
    ticket : ticket_bits
        The ticket of the sector.
    """
    return Signature({"valid": Out(1), "ticket": Out(ticket_bits)})


def size_signature(sizes: int) -> Signature:
    """The size of sectors in a core for several sizes, seen from the bus.

    Members
    -------
    number : range(sizes)
        The number of the size that sectors have.  It changes only while ``idle`` is high.
    restart : 1
        High in the cycle after a change of ``number``.  No beat is written in the cycle of the change, nor in this one.  Beats that
        were written before belong to no sector any more.
    idle : 1
        No sector is in flight.
    """
    return Signature({"number": Out(range(max(2, sizes))), "restart": Out(1), "idle": In(1)})


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
    key_sizes: int = 1,
) -> Signature:
    """Ports of an engine, seen from the engine.

    Parameters
    ----------
    block_bits : int
        Width of a block in bits.
    lanes : int
        Blocks in a beat.  Block i of a sector is lane i mod lanes of beat i // lanes.
    blocks : int
        Blocks of a sector of the largest size, the partial last one included.
    tweak_blocks : int
        Blocks of a tweak.  It is 0 if the mode takes none.
    key_slots : int
        Number of key slots.
    key_words : int
        Words of the key memory for each slot: key blocks from the host, and values that set-up computes.
    ticket_bits : int
        Width of the number that the bus gives with a sector and gets back with each of its blocks.
    erase_bits : int
        Width of ``erase.address``.
    round_bits, round_key_bits : int
        Width of the number of a round key, and of a round key itself.
    sizes : int
        Number of sector sizes.
    cipher_keys : int
        Number of cipher keys in a slot.
    key_sizes : int
        Number of sizes that a cipher key may have.

    Members
    -------
    fill : fill_signature
    enter : enter_signature
    tweak : block_bits × tweak_blocks
        The tweak of the sector that asks to enter.  It holds for one cycle more than the request.
    out : out_signature
    done : done_signature
    size : size_signature
    preparation : modeloom.rtl.bus.preparation.preparation_signature
        A set-up runs the set-up program.  It begins when no sector is in flight, and no sector enters until it has ended.
    erase : modeloom.rtl.zeroize.erase_signature
        Overwrites the memories while the engine is held in reset.  ``preparation.round_key.data`` and ``data_dec`` are zero then.
        A round key has the address (slot · 2^key_bits + key) · 2^round_bits + round, where key_bits is the width of the number of
        one of ``cipher_keys`` keys, which is 0 for a single key.
    """
    return Signature(
        {
            "fill": In(fill_signature(block_bits=block_bits, lanes=lanes, blocks=blocks)),
            "enter": In(enter_signature(key_slots=key_slots, ticket_bits=ticket_bits)),
            "tweak": In(block_bits * max(1, tweak_blocks)),
            "out": Out(out_signature(block_bits=block_bits, lanes=lanes, blocks=blocks, ticket_bits=ticket_bits)),
            "done": Out(done_signature(ticket_bits)),
            "size": In(size_signature(sizes)),
            "preparation": In(
                preparation_signature(
                    slots=key_slots, words=key_words, block_bits=block_bits, cipher_keys=cipher_keys, round_bits=round_bits,
                    round_key_bits=round_key_bits, sizes=key_sizes,
                )
            ),
            "erase": In(erase_signature(erase_bits)),
        }
    )  # fmt: skip
