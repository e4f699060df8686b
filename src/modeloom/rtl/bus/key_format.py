# SPDX-License-Identifier: Apache-2.0
"""The places of the parts of a mode's key in the beats of a key packet.

A packet has the bytes of the key in order, 16 in each beat.  There is padding only behind the last byte, where tkeep is 0::

    192-bit cipher key, then one word (HEH: K ‖ h)     beat 0: K[0..15]   beat 1: K[16..23] h[0..7]   beat 2: h[8..15]
    two words, then a 256-bit cipher key (EME2)        beat 0: K_AD   beat 1: K_ECB   beats 2, 3: K_AES
    a cipher key of 128, 192 or 256 bits (GCM)         beat 0: K[0..15]   beat 1: nothing, K[16..23] or K[16..31]

When a part ends, its bytes are a slice of a window, which consists of the present beat and some beats before it::

    window = ... ‖ beat e-1 ‖ beat e      (beat e topmost)
"""

from __future__ import annotations

from dataclasses import dataclass

from modeloom.interfaces.shared import KEY_BEAT_BYTES

from .parameters import KeyParameters

__all__ = ["KeyPart", "PacketEnd", "history_beats", "key_beats", "key_last_keep", "key_parts", "packet_ends"]


@dataclass(frozen=True)
class KeyPart:
    """A part of a key packet: ``length`` bytes from byte ``start`` on.

    It is the cipher key with the number ``cipher``, or the word of the key memory with the number ``word``.  The other number is
    None.
    """

    word: int | None
    cipher: int | None
    start: int
    length: int

    @property
    def end_beat(self) -> int:
        """The number of the beat in which the part is complete."""
        return (self.start + self.length - 1) // KEY_BEAT_BYTES

    def window_slice(self, history: int) -> slice:
        """The bits of the part in a window of ``history`` earlier beats and the beat ``end_beat``."""
        first = self.start - (self.end_beat - history) * KEY_BEAT_BYTES
        return slice(first * 8, (first + self.length) * 8)


@dataclass(frozen=True)
class PacketEnd:
    """How a packet ends: the number of its last beat, counted from 0, and the tkeep of this beat."""

    beat: int
    keep: int


def key_parts(parameters: KeyParameters) -> tuple[KeyPart, ...]:
    """The parts of a key packet in order.

    A cipher key of several sizes appears once for each beat in which it can end.  Each time it has the most bytes with which it can
    end in this beat.
    """
    p = parameters
    parts: list[KeyPart] = []
    at = 0
    for number in range(p.raw_words_before + p.cipher_keys + p.raw_words_after):
        key = number - p.raw_words_before
        if 0 <= key < p.cipher_keys:
            parts.append(KeyPart(None, key, at, p.widths[key] // 8))
        else:
            parts.append(KeyPart(number if key < 0 else number - p.cipher_keys, None, at, p.block_bits // 8))
        at += parts[-1].length
    if p.more_key_bits:
        last = parts.pop()
        ends = {part.end_beat: part for part in (KeyPart(None, 0, last.start, bits // 8) for bits in sorted(p.sizes))}
        parts += ends.values()
    return tuple(parts)


def key_beats(parameters: KeyParameters) -> int:
    """The number of beats of the longest key packet."""
    return -(-parameters.packet_bytes // KEY_BEAT_BYTES)


def key_last_keep(parameters: KeyParameters) -> int:
    """The tkeep of the last beat of the longest key packet."""
    return packet_ends(parameters)[parameters.longest if parameters.more_key_bits else 0].keep


def packet_ends(parameters: KeyParameters) -> tuple[PacketEnd, ...]:
    """How a key packet ends, for each size of the cipher key."""
    ends = []
    for length in parameters.packet_lengths:
        beat = (length - 1) // KEY_BEAT_BYTES
        ends.append(PacketEnd(beat, (1 << length - beat * KEY_BEAT_BYTES) - 1))
    return tuple(ends)


def history_beats(parameters: KeyParameters) -> int:
    """The number of earlier beats that must be stored so that each part is whole when it ends."""
    return max(part.end_beat - part.start // KEY_BEAT_BYTES for part in key_parts(parameters))
