# SPDX-License-Identifier: Apache-2.0
"""What passes between the key port and the part of a core that computes with keys, whatever this part is.

::

    key port                                               engine of a core for sectors, or another
    word       ── words of the key that are used as they are ──▶ key memory
    round_key  ── round keys ──────────────────────────────────▶ ciphers
    setup      ── request, and its end ◀───────────────────────▶ whoever computes values of the key
    made       ◀── words that set-up writes ──────────────────── key memory

    in_use     ◀─▶ whether anything under way uses a slot (not the engine's business: the buses know)
    state      ──▶ what the host is told of the slots
"""

from __future__ import annotations

from amaranth.lib.wiring import In, Out, Signature

from modeloom.interfaces.table import LISTED_SLOTS

from .parameters import KeyParameters

__all__ = [
    "in_use_signature", "key_state_signature", "made_word_signature", "preparation_of", "preparation_signature", "round_key_signature",
    "setup_signature", "word_signature",
]  # fmt: skip


def word_signature(*, slots: int, words: int, block_bits: int) -> Signature:
    """Writes of key words, seen from the key port.

    Members
    -------
    we : 1
        A word is written. Not while a set-up runs, nor while anything that uses the slot is under way.
    slot, index, data : range(slots), range(words), block_bits
        The slot, the number of the word in the slot's key memory, and the word.
    """
    return Signature({"we": Out(1), "slot": Out(_range(slots)), "index": Out(_range(words)), "data": Out(block_bits)})


def round_key_signature(*, slots: int, cipher_keys: int, round_bits: int, round_key_bits: int, sizes: int = 1) -> Signature:
    """Writes of round keys, seen from the key port.

    Members
    -------
    we : 1
        A round key is written, in the same times as key words.
    slot, key, round : range(slots), range(cipher_keys), round_bits
        The slot, the number of the cipher key in it, and the number of the round key.
    data, data_dec : round_key_bits
        The round key as ciphers and as inverse ciphers want it.
    length : range(sizes)
        Only with several sizes of cipher keys: the size of the key that the round key belongs to, a place in ``KeyParameters.sizes``.  An
        erasure has the longest.
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

    When a set-up may begin is the business of whoever runs it.

    Members
    -------
    request : 1
        Held until ``done``.
    slot : range(slots)
        The slot whose values are computed from its key.
    scrub : 1
        Nothing is computed; what has been computed with keys is overwritten with zeros. (A set-up does this, too.)
    done : 1
        High for one cycle: the request is fulfilled.
    """
    return Signature({"request": Out(1), "slot": Out(_range(slots)), "scrub": Out(1), "done": In(1)})


def made_word_signature(*, words: int, block_bits: int) -> Signature:
    """Key words that set-up writes, seen from whoever runs it.

    Members
    -------
    we : 1
        A word is written, before ``done`` of the request.
    index, data : range(words), block_bits
        Its number in the slot's key memory, and the word.
    """
    return Signature({"we": Out(1), "index": Out(_range(words)), "data": Out(block_bits)})


def preparation_signature(
    *, slots: int, words: int, block_bits: int, cipher_keys: int, round_bits: int, round_key_bits: int, sizes: int = 1
) -> Signature:
    """All that the key port asks of the part of a core that computes with keys, seen from the key port.

    Parameters
    ----------
    slots : int
        Key slots.
    words : int
        Words of the key memory a slot: key blocks from the host and values of set-up.
    block_bits : int
        Width of such a word in bits.
    cipher_keys : int
        Keys of the cipher in a slot.
    round_bits, round_key_bits : int
        Width of the number of a round key, and of a round key itself.
    sizes : int
        Sizes of cipher keys that a slot may have.

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
        Something that was admitted under its key is under way, as of one cycle ago.
    """
    return Signature({"slot": Out(_range(slots)), "busy": In(1)})


def key_state_signature(slots: int) -> Signature:
    """What is known of the keys, seen from the key port.

    Members
    -------
    loaded : slots
        Slots that hold a key and are ready.  With more than ``LISTED_SLOTS`` slots it is one bit: whether the slot of the last packet does.
    busy : 1
        A key packet is being worked on.
    error : 1
        The last key packet had the wrong length, a slot out of range, or a key that the mode refuses; stays until the next packet.
    """
    return Signature({"loaded": Out(slots if slots <= LISTED_SLOTS else 1), "busy": Out(1), "error": Out(1)})


def _range(count: int) -> range:
    """Numbers of ``count`` things; a bit if there is nothing to tell apart."""
    return range(max(2, count))


