# SPDX-License-Identifier: Apache-2.0
"""The ports between the key port and the part of a core that computes with keys.

They are the same for every kind of core::

    key port                                               the engine of a core for sectors, or another part
    word       ── words of the key that are used as they are ──▶ key memory
    round_key  ── round keys ──────────────────────────────────▶ ciphers
    setup      ── request, and its end ◀───────────────────────▶ the part that computes values from the key
    made       ◀── words that set-up writes ──────────────────── key memory

    in_use     ◀─▶ whether anything in flight uses a slot, which the buses know
    state      ──▶ the state of the slots, for the host
"""

from __future__ import annotations

from amaranth.lib.wiring import In, Out, Signature

from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.rtl.bus.parameters import KeyParameters

__all__ = [
    "in_use_signature", "key_state_signature", "made_word_signature", "preparation_of", "preparation_signature", "round_key_signature",
    "setup_signature", "word_signature",
]  # fmt: skip


def word_signature(*, slots: int, words: int, block_bits: int) -> Signature:
    """Writes of key words, seen from the key port.

    Members
    -------
    we : 1
        A word is written.  It is low while a set-up runs, and while anything that uses the slot is in flight.
    slot, index, data : range(slots), range(words), block_bits
        The slot, the number of the word in the key memory of the slot, and the word.
    """
    return Signature({"we": Out(1), "slot": Out(_range(slots)), "index": Out(_range(words)), "data": Out(block_bits)})


def round_key_signature(*, slots: int, cipher_keys: int, round_bits: int, round_key_bits: int, sizes: int = 1) -> Signature:
    """Writes of round keys, seen from the key port.

    Members
    -------
    we : 1
        A round key is written.  It is low at the same times as ``we`` of a key word.
    slot, key, round : range(slots), range(cipher_keys), round_bits
        The slot, the number of the cipher key in it, and the number of the round key.
    data, data_dec : round_key_bits
        The round key in the form for ciphers, and in the form for inverse ciphers.
    length : range(sizes)
        The size of the cipher key that the round key belongs to, as an index of ``KeyParameters.sizes``.  An erasure has the
        longest size.  It is there only with several sizes.
    """
    return Signature(
        {
            "we": Out(1),
            "slot": Out(_range(slots)),
            "key": Out(_range(cipher_keys)),
            "round": Out(round_bits),
            "data": Out(round_key_bits),
            "data_dec": Out(round_key_bits),
            **({"length": Out(range(sizes))} if sizes > 1 else {}),
        }
    )


def setup_signature(slots: int) -> Signature:
    """The request for a set-up, seen from the key port.

    The part that runs the set-up decides when it begins.

    Members
    -------
    request : 1
        Asks for a set-up.  It holds until ``done``.
    slot : range(slots)
        The slot whose values are computed from its key.
    scrub : 1
        Nothing is computed.  Intermediate values that have been computed with keys are overwritten with zeros.  A set-up does this,
        too.
    done : 1
        High for one cycle when the request is fulfilled.
    """
    return Signature({"request": Out(1), "slot": Out(_range(slots)), "scrub": Out(1), "done": In(1)})


def made_word_signature(*, words: int, block_bits: int) -> Signature:
    """Key words that set-up writes, seen from the part that runs it.

    Members
    -------
    we : 1
        A word is written.  This happens before ``done`` of the request.
    index, data : range(words), block_bits
        The number of the word in the key memory of the slot, and the word.
    """
    return Signature({"we": Out(1), "index": Out(_range(words)), "data": Out(block_bits)})


def preparation_signature(
    *, slots: int, words: int, block_bits: int, cipher_keys: int, round_bits: int, round_key_bits: int, sizes: int = 1
) -> Signature:
    """The ports between the key port and the part of a core that computes with keys, seen from the key port.

    Parameters
    ----------
    slots : int
        Number of key slots.
    words : int
        Words of the key memory for each slot: key blocks from the host, and values of set-up.
    block_bits : int
        Width of such a word in bits.
    cipher_keys : int
        Number of cipher keys in a slot.
    round_bits, round_key_bits : int
        Width of the number of a round key, and of a round key itself.
    sizes : int
        Number of sizes that a cipher key may have.

    Members
    -------
    word : word_signature
    round_key : round_key_signature
    setup : setup_signature
    made : made_word_signature
    """
    return Signature(
        {
            "word": Out(word_signature(slots=slots, words=words, block_bits=block_bits)),
            "round_key": Out(
                round_key_signature(
                    slots=slots, cipher_keys=cipher_keys, round_bits=round_bits, round_key_bits=round_key_bits, sizes=sizes
                )
            ),
            "setup": Out(setup_signature(slots)),
            "made": In(made_word_signature(words=words, block_bits=block_bits)),
        }
    )


def preparation_of(keys: KeyParameters) -> Signature:
    """``preparation_signature`` for the keys of a core."""
    return preparation_signature(
        slots=keys.slots, words=keys.words, block_bits=keys.block_bits, cipher_keys=keys.all_cipher_keys, round_bits=keys.round_bits,
        round_key_bits=keys.round_key_bits, sizes=len(keys.sizes),
    )  # fmt: skip


def in_use_signature(slots: int) -> Signature:
    """The question whether a slot is in use, seen from the key port.

    Members
    -------
    slot : range(slots)
        The slot in question.
    busy : 1
        Something that was admitted under the key of this slot was in flight one cycle ago.
    """
    return Signature({"slot": Out(_range(slots)), "busy": In(1)})


def key_state_signature(slots: int) -> Signature:
    """The state of the key slots, seen from the key port.

    Members
    -------
    loaded : slots
        The slots that hold a key and are ready.  With more than ``LISTED_SLOTS`` slots it is one bit, which is that of the slot of
        the last packet.
    busy : 1
        A key packet is being worked on.
    error : 1
        The last key packet had the wrong length, a slot out of range, or a key that the mode refuses.  It stays until the next
        packet.
    """
    return Signature({"loaded": Out(slots if slots <= LISTED_SLOTS else 1), "busy": Out(1), "error": Out(1)})


def _range(count: int) -> range:
    """The numbers of ``count`` things.  They have one bit even if there is one thing only."""
    return range(max(2, count))


