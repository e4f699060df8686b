# SPDX-License-Identifier: Apache-2.0
"""The sizes that the buses of every kind of core depend on: those of beats of data, and those of keys."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar, Self

from amaranth.hdl import Const, Value

from modeloom.interfaces.messages import IN_SLOTS, KeyPins
from modeloom.interfaces.shared import KEY_BEAT_BYTES

__all__ = [
    "DataParameters", "KeyParameters", "KeyPart", "PacketEnd", "check_choice", "check_flags", "check_integer",
    "history_beats", "key_beats", "key_last_keep", "key_parts", "packet_ends",
]  # fmt: skip


def check_integer(name: str, value: object, low: int, high: int) -> None:
    """Raises ``TypeError`` unless a parameter is an integer, and ``ValueError`` unless it is in its range."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} is an integer, not {value!r}")
    if not low <= value <= high:
        raise ValueError(f"{name} is from {low} to {high}, not {value}")


def check_choice(name: str, value: object, choices: tuple[int, ...]) -> None:
    """Raises ``ValueError`` unless a parameter is one of several numbers."""
    if value not in choices:
        *others, last = map(str, choices)
        raise ValueError(f"{name} is {', '.join(others)} or {last}, not {value!r}")


def check_flags(part: object, *names: str) -> None:
    """Raises ``TypeError`` unless attributes are True or False."""
    for name in names:
        if not isinstance(getattr(part, name), bool):
            raise TypeError(f"{name} is True or False, not {getattr(part, name)!r}")


@dataclass(frozen=True, kw_only=True)
class DataParameters:
    """The sizes of beats of data.

    Parameters
    ----------
    block_bits : int
        Width of a block in bits: 128 or 256.
    lanes : int
        Blocks in a beat: 1, 2, 4 or 8.

    Raises
    ------
    ValueError
        If a parameter has another value.
    """

    block_bits: int = 128
    lanes: int = 1

    def __post_init__(self) -> None:
        check_choice("block_bits", self.block_bits, (128, 256))
        check_choice("lanes", self.lanes, (1, 2, 4, 8))

    @property
    def block_bytes(self) -> int:
        """The number of bytes of a block."""
        return self.block_bits // 8

    @property
    def beat_bits(self) -> int:
        """The width of tdata of the data buses in bits."""
        return self.block_bits * self.lanes

    @property
    def beat_bytes(self) -> int:
        """The number of bytes of a beat."""
        return self.block_bytes * self.lanes


@dataclass(frozen=True, kw_only=True)
class KeyParameters:
    """The keys of a core: the parts of a packet, and what the core makes of them.

    Parameters
    ----------
    slots : int
        Number of key slots, 1 to 1024.
    block_bits : int
        Width of a word of the key memory in bits: 128 or 256.
    cipher_key_bits : int
        Width of the key of the block cipher: a multiple of 64 from 64 to 512 bits.
    round_keys, round_key_bits : int
        Number of round keys of the longest cipher key, 1 to 256, and the width of one in bits, 8 to 1024.
    raw_words_before, raw_words_after : int
        Blocks of key that precede and follow the cipher keys in the key of the mode.  They become words 0, 1, ... of the key memory
        in this order.
    fixed_key_bits : tuple of (int, int)
        Numbers of cipher keys whose width is not ``cipher_key_bits``, each with its width.  At least one cipher key is not among
        them.
    cipher_keys : int
        Number of cipher keys in the key of the mode, 1 to 8.  They follow each other.  If there are several, each has 128 bits or
        more, so that no two end in one beat.
    distinct_keys : bool
        Whether a packet with equal cipher keys is refused.  There may be at most two cipher keys then.
    derived_keys : tuple of tuple of int
        For each cipher key that set-up makes, the words of the key memory that it consists of.  The host loads none of these words.
    nonzero_words : tuple of int
        Words that set-up makes and that must not be 0.  A key that gives such a word is refused.
    words : int
        Words of the key memory for each slot: the raw words and the values of set-up.
    more_key_bits : tuple of int
        Other widths that the cipher key may have.  The length of a packet tells which one it is.  There must be one cipher key, at
        the end of the packet.

    Raises
    ------
    TypeError, ValueError
        If a parameter has the wrong type or is out of its range.
    """

    pins: ClassVar[KeyPins] = IN_SLOTS
    named: ClassVar[tuple[str, ...]] = ("slot",)
    turns: ClassVar[dict[str, int]] = {}
    """Fields of a command: that which names the slot of its key, or that which says whether a key comes with it, with its width."""

    slots: int = 1
    block_bits: int = 128
    cipher_key_bits: int = 128
    round_keys: int = 16
    round_key_bits: int = 128
    raw_words_before: int = 0
    raw_words_after: int = 0
    fixed_key_bits: tuple[tuple[int, int], ...] = ()
    cipher_keys: int = 1
    distinct_keys: bool = False
    derived_keys: tuple[tuple[int, ...], ...] = ()
    nonzero_words: tuple[int, ...] = ()
    words: int = 0
    more_key_bits: tuple[int, ...] = ()

    @classmethod
    def like(cls, keys: KeyParameters) -> Self:
        """Keys of this kind, with the same sizes."""
        return cls(**{field.name: getattr(keys, field.name) for field in fields(KeyParameters)})

    def __post_init__(self) -> None:
        check_integer("key_slots", self.slots, 1, 1024)
        for bits in (*self.sizes, *(bits for _, bits in self.fixed_key_bits)):
            check_integer("cipher_key_bits", bits, 64, 512)
            if bits % 64:
                raise ValueError(f"cipher_key_bits is a multiple of 64, not {bits}")
        check_integer("round_keys", self.round_keys, 1, 256)
        check_integer("round_key_bits", self.round_key_bits, 8, 1024)
        check_integer("raw_words_before", self.raw_words_before, 0, 16)
        check_integer("raw_words_after", self.raw_words_after, 0, 16)
        check_integer("cipher_keys", self.cipher_keys, 1, 8)
        check_integer("cipher keys", self.all_cipher_keys, 1, 16)
        if self.cipher_keys > 1 and min(self.widths) < 128:
            raise ValueError(f"cipher_key_bits is at least 128 if there are several cipher keys, not {min(self.widths)}")
        if {number for number, _ in self.fixed_key_bits} >= set(range(self.cipher_keys)) or any(
            not 0 <= number < self.cipher_keys for number, _ in self.fixed_key_bits
        ):
            raise ValueError(f"fixed_key_bits is for some of {self.cipher_keys} cipher keys, not {self.fixed_key_bits!r}")
        if len(set(self.sizes)) != len(self.sizes):
            raise ValueError(f"more_key_bits are other widths than {self.cipher_key_bits}, all different, not {self.more_key_bits!r}")
        if self.more_key_bits and (self.all_cipher_keys > 1 or self.raw_words_after):
            raise ValueError("more_key_bits is for packets that end with their only cipher key")
        if self.distinct_keys and self.cipher_keys > 2:
            raise ValueError(f"distinct_keys is for at most two cipher keys, not {self.cipher_keys}")
        check_integer("key_words", self.words, self.raw_words, 1024)
        for word in (*self.nonzero_words, *(word for words in self.derived_keys for word in words)):
            check_integer("a word that set-up writes", word, self.raw_words, self.words - 1)
        for words in self.derived_keys:
            if len(words) * self.block_bits < self.cipher_key_bits:
                raise ValueError(f"a cipher key of {self.cipher_key_bits} bits is more than {len(words)} words")
        check_flags(self, "distinct_keys")

    def first(self, setup: Value) -> Value:
        """Whether a token of set-up that is asked for goes before those of messages: it does not, since they may be of other slots."""
        return Const(0, 1)

    @property
    def raw_words(self) -> int:
        """The number of words that the host loads."""
        return self.raw_words_before + self.raw_words_after

    @property
    def round_bits(self) -> int:
        """The width of the number of a round key.  Each cipher key of a slot has 2 ** ``round_bits`` addresses for its round
        keys."""
        return max(1, (self.round_keys - 1).bit_length())

    @property
    def all_cipher_keys(self) -> int:
        """The number of cipher keys of a slot: those that the host loads, and those that set-up makes."""
        return self.cipher_keys + len(self.derived_keys)

    @property
    def widths(self) -> tuple[int, ...]:
        """The width in bits of each cipher key of a slot, in the order of their numbers."""
        fixed = dict(self.fixed_key_bits)
        return tuple(fixed.get(number, self.cipher_key_bits) for number in range(self.all_cipher_keys))

    @property
    def sizes(self) -> tuple[int, ...]:
        """The widths that the cipher key may have, ``cipher_key_bits`` first."""
        return (self.cipher_key_bits, *self.more_key_bits)

    @property
    def longest(self) -> int:
        """The index of the longest of ``sizes``."""
        return self.sizes.index(max(self.sizes))

    @property
    def size_fields(self) -> dict[str, int]:
        """The field of a round key that has the index of its size, with that of the longest one; none with a single size."""
        return {"length": self.longest} if len(self.sizes) > 1 else {}

    @property
    def writers(self) -> int:
        """The number of iterative key schedules that take keys by turns; 0 if there is a single key schedule of any kind."""
        return 0

    @property
    def told(self) -> tuple[str, ...]:
        """What the core tells of keys that come with messages, a bit each."""
        return ()

    @property
    def lengths(self) -> tuple[int, ...]:
        """The different widths of cipher keys, ``cipher_key_bits`` first.  Each has a key schedule."""
        return tuple(dict.fromkeys((*self.sizes, *self.widths)))

    @property
    def number_bits(self) -> int:
        """The width of the number of a cipher key of a slot.  It is 0 if there is one key."""
        return (self.all_cipher_keys - 1).bit_length()

    @property
    def round_words(self) -> int:
        """The number of addresses of round keys.  An address consists of slot, cipher key and round."""
        return self.slots << self.number_bits << self.round_bits

    @property
    def packet_lengths(self) -> tuple[int, ...]:
        """The number of bytes of a key packet for each of ``sizes``.  A packet is the whole key of the mode."""
        others = sum(self.widths[1 : self.cipher_keys]) + self.raw_words * self.block_bits
        return tuple((bits + others) // 8 for bits in (self.widths[0], *self.more_key_bits))

    @property
    def packet_bytes(self) -> int:
        """The number of bytes of the longest key packet."""
        return max(self.packet_lengths)


# -- key format --------------------------------------------------------------------------------------------------------------------

# The places of the parts of a mode's key in the beats of a key packet.
#
# A packet has the bytes of the key in order, 16 in each beat.  There is padding only behind the last byte, where tkeep is 0:
#
#     192-bit cipher key, then one word (HEH: K ‖ h)     beat 0: K[0..15]   beat 1: K[16..23] h[0..7]   beat 2: h[8..15]
#     two words, then a 256-bit cipher key (EME2)        beat 0: K_AD   beat 1: K_ECB   beats 2, 3: K_AES
#     a cipher key of 128, 192 or 256 bits (GCM)         beat 0: K[0..15]   beat 1: nothing, K[16..23] or K[16..31]
#
# When a part ends, its bytes are a slice of a window, which consists of the present beat and some beats before it:
#
#     window = ... ‖ beat e-1 ‖ beat e      (beat e topmost)

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
            sizes = [KeyPart(None, key, at, bits // 8) for bits in sorted((p.widths[key], *p.more_key_bits))]
            parts += {part.end_beat: part for part in sizes}.values()
        else:
            parts.append(KeyPart(number if key < 0 else number - p.cipher_keys, None, at, p.block_bits // 8))
        at += parts[-1].length
    return tuple(parts)


def key_beats(parameters: KeyParameters) -> int:
    """The number of beats of the longest key packet."""
    return -(-parameters.packet_bytes // KEY_BEAT_BYTES)


def key_last_keep(parameters: KeyParameters) -> int:
    """The tkeep of the last beat of the longest key packet."""
    return packet_ends(parameters)[parameters.longest].keep


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
