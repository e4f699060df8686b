# SPDX-License-Identifier: Apache-2.0
"""What a user may choose of a core for messages, and which choices cannot be combined."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from modeloom.ciphers import BlockCipher
from modeloom.compiler.options import streams_of
from modeloom.spec import InputError, UnknownName
from modeloom.spec.stream import ASSOCIATED_FIRST

__all__ = [
    "APART", "BLOCKS_PER_CYCLE", "DIRECTIONS", "KEYS", "LWC_BITS", "LWC_SLOTS", "MOST_BUFFER", "MOST_CHANNELS", "MOST_MASTERS",
    "MOST_MUL_STAGES", "MOST_SLOTS", "PACKETS", "RING_SLOTS", "USUAL", "StreamOptions", "on_architecture", "on_interface",
]  # fmt: skip

PACKETS = ("aligned", "wire")
"""What ``StreamOptions.packet`` may be."""

INTERFACES = ("axi", "lwc")
"""What ``StreamOptions.interface`` may be."""

LWC_BITS = (32, 64, 128)
"""What ``StreamOptions.interface_bits`` may be."""

LWC_SLOTS = 2
"""Key slots behind the LWC interface, which take turns: one key is prepared while another one is in use."""

KEYS = ("expand", "expanded", "inline", "derived")
"""What ``StreamOptions.keys`` may be."""

KEY_SCHEDULES = ("word", "iterative")
"""What ``StreamOptions.key_schedule`` may be."""

MOST_KEY_SCHEDULES = 2
"""Iterative key schedules that work at the same time."""

DIRECTIONS = ("encrypt", "decrypt", "both")

ARCHITECTURES = ("pipelined", "multistream")
"""What ``StreamOptions.cipher_arch`` may be."""

RING_SLOTS = (3, 64)
"""Key slots of a core whose keys come with the messages, at least and at most."""

SLOTS, RING = 16, 32
"""Key slots of a core if a user names no number, and those of a core whose keys come with the messages."""

MOST_MASTERS = 64
"""Slots for master keys."""

MOST_BUFFER = 1 << 20
"""Bytes of the longest message that a core can store."""

MOST_SLOTS = 1024
"""Key slots that a key port takes."""

MOST_MUL_STAGES = 8
"""Registers in a multiplier.  There may be none, as a core for messages has registers around it."""

MOST_CHANNELS = 256
"""Channels whose number is a byte."""

BLOCKS_PER_CYCLE = (1, 2, 4)
"""Blocks that a core may take in a cycle."""


APART = {
    ("--hold", "--channels"): "each channel would need its own buffer",
    ("--keys inline", "--channels"): "keys come in the order of the messages, and messages of different channels have no order",
    ("--keys derived", "--channels"): "keys are derived in the order of the messages, and messages of different channels have no order",
    ("--packet wire", "--channels"): "the core splits and joins contiguous packets for one message at a time",
    ("--message-buffer", "--hold"): "both would limit the length of a message to seal",
    ("--message-buffer", "--channels"): "messages are stored in the order of one channel",
    ("--message-buffer", "--keys inline"): "both passes of a message need its key, which comes once",
    ("--interface lwc", "--channels"): "the words of this interface belong to one message at a time",
    ("--interface lwc", "--packet wire"): "messages on this interface consist of segments",
    ("--interface lwc", "--keys expanded"): "keys on this interface are not expanded",
    ("--interface lwc", "--keys inline"): "on this interface, an instruction activates each key",
    ("--interface lwc", "--keys derived"): "on this interface, an instruction activates each key",
    ("--interface lwc", "--key-slots"): "the instruction that activates a key does not name a slot",
    ("--order text-first", "--blocks-per-cycle"): "the step between text and associated data uses one lane",
    ("--order text-first", "--channels"): "the core tracks the step between text and associated data for one message at a time",
    ("--order text-first", "--packet wire"): "packets on the wire begin with their header",
    ("--order text-first", "--interface lwc"): "messages on this interface begin with their associated data",
}
"""Options that a core does not have both of, and why."""


@dataclass(frozen=True, kw_only=True)
class StreamOptions:
    """The options of a core for a stream mode.

    Attributes
    ----------
    key_bits : int or None
        Key size of the cipher in bits (default: all sizes, each slot having that of its key, if the cipher has pipelines for several
        sizes and the mode's key ends with the cipher's; otherwise the first one).
    more_key_bits : tuple of int
        Other key sizes.  Each key slot has the size of its key.
    cipher : str or None
        Name of the block cipher (default: that of the mode).
    cipher_arch : str
        "pipelined", which takes a block in every cycle, or "multistream": one round, through which ``streams`` blocks go at a time.
    streams : int or None
        Blocks of a multistream cipher, which has as many registers in its round (default: as many as the cipher can have).
    cipher_sbox : str or None
        S-boxes of the cipher (default: the first form of the cipher).
    cipher_stages, mul_stages : int or None, int
        Registers in a round of a pipeline (default: 2, or as many as the cipher has), and in the multiplier, 0 to 8: its product takes a
        cycle more, from the registers of its operands to that of the product.
    mul_arch : str
        Multiplier circuit.  With "lut6", the cipher is made for LUTs of six inputs, too.
    key_slots : int or None
        Key slots (default: 16, or 32 if keys come with the messages).
    hold : int or None
        Bytes of text of a message to open that the core holds back until the tag was checked (default: it releases text before).
    message_buffer : int or None
        Bytes of a message to seal that the core stores for its second pass, in a mode with two passes (default: the host sends both
        passes).
    direction : str
        "both", or "encrypt" or "decrypt" for a core that seals or opens alone.
    blocks_per_cycle : int
        1, 2 or 4.
    channels : int
        Messages that may interleave, 1 to 256.
    keys : str
        "expand" for a core that expands keys, "expanded" for one that takes round keys from the host and has no key schedule, or "inline"
        for one whose keys come with the messages: it expands them, and ``key_slots`` of them are in the core at a time.  "derived" is for
        a mode that derives keys: master keys are in ``key_slots`` slots, and the core derives the key of each message.
    key_derivers : int or None
        Round cores of the cipher that derive keys, 1 to 8 (default: as few as derive the longest key in ``DERIVE_TARGET`` cycles).
    key_schedule : str or None
        "word" for a key schedule that makes a word of a round key in each cycle, or "iterative" for one that makes a round key
        (default: "iterative" for keys that come with the messages, if the cipher has it, None for a core without one, and otherwise
        "word").
    key_schedules : int or None
        1, or 2 iterative key schedules that work at the same time, for keys that come with the messages (default: as many as there
        may be).
    packet : str
        "aligned" if text begins with a beat of its own, or "wire" if header, text and tag touch each other as on the wire.
    interface : str
        "axi" for AXI4-Streams of commands, packets, keys and statuses, or "lwc" for the LWC interface.
    interface_bits : int or None
        Bits of a word of the LWC interface, 32, 64 or 128 (default: 32).
    order : str
        "associated-first", or "text-first" for messages that have their text before their associated data, if the mode allows it:
        checksum and tag then share a register.
    cipher_cores : int or None
        Ciphers of a mode whose blocks wait for the cipher of the one before, at most as many as a block needs (default: 1 with one
        channel, and as many as a block needs with more).  In a mode with two passes, always as many as a block needs.  None for all
        other modes.
    """

    key_bits: int | None = None
    more_key_bits: tuple[int, ...] = ()
    cipher: str | None = None
    cipher_arch: str = "pipelined"
    streams: int | None = None
    cipher_sbox: str | None = None
    cipher_stages: int | None = None
    mul_arch: str = "karatsuba"
    mul_stages: int = 3
    key_slots: int | None = None
    hold: int | None = None
    message_buffer: int | None = None
    blocks_per_cycle: int = 1
    direction: str = "both"
    keys: str = "expand"
    packet: str = "aligned"
    channels: int = 1
    key_schedule: str | None = None
    key_schedules: int | None = None
    key_derivers: int | None = None
    cipher_cores: int | None = None
    interface: str = "axi"
    interface_bits: int | None = None
    order: str = ASSOCIATED_FIRST

    def on_keys(self, cipher: BlockCipher) -> StreamOptions:
        """The options with the defaults for what makes and holds keys filled in.

        Raises
        ------
        InputError
            There are no such key schedules.
        """
        inline = self.in_order
        kind, count = self.key_schedule, self.key_schedules
        if self.keys == "expanded" and (kind or count):
            option = "--key-schedule" if kind else "--key-schedules"
            raise InputError(f"{option} is for cores that expand keys; leave out --keys expanded")
        if kind is None and self.keys != "expanded":
            kind = "iterative" if inline and cipher.iterative_schedule is not None and self.cipher_arch == "pipelined" else "word"
        several = inline and kind == "iterative"
        if kind not in (None, *KEY_SCHEDULES):
            raise UnknownName("key schedule", kind, KEY_SCHEDULES)
        if kind == "iterative" and cipher.iterative_schedule is None:
            raise InputError(f"{cipher.name} has no iterative key schedule; leave out --key-schedule iterative")
        if count is None and kind is not None:
            count = MOST_KEY_SCHEDULES if several else 1
        if count is not None and not 1 <= count <= MOST_KEY_SCHEDULES:
            raise InputError(f"--key-schedules is from 1 to {MOST_KEY_SCHEDULES}, not {count}")
        if count is not None and count > 1 and not several:
            raise InputError(f"--key-schedules {count} is for --keys inline with --key-schedule iterative; leave it out")
        usual = RING if self.keys == "inline" else LWC_SLOTS if self.interface == "lwc" else SLOTS
        slots = usual if self.key_slots is None else self.key_slots
        return replace(self, key_slots=slots, key_schedule=kind, key_schedules=count)

    @property
    def in_order(self) -> bool:
        """Whether each message has the next key: one that comes with it, or one that the core derives."""
        return self.keys in ("inline", "derived")

    @property
    def slots_inside(self) -> int | None:
        """Key slots of the pipeline: those that a host names, or those of the ring."""
        return RING if self.keys == "derived" else self.key_slots

    @property
    def writers(self) -> int:
        """Ports of the cipher for writes of round keys, as ``CoreRequest`` has them."""
        return cast(int, self.key_schedules) if self.in_order and self.key_schedule == "iterative" else 0

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions by name."""
        return ("encrypt", "decrypt") if self.direction == "both" else (self.direction,)


USUAL = StreamOptions()
"""The options of a core for which a user chooses nothing."""


def on_interface(options: StreamOptions) -> StreamOptions:
    """The options with the width of words filled in.  Raises ``InputError`` for an interface or a width that there is not."""
    if options.interface not in INTERFACES:
        raise UnknownName("interface", options.interface, INTERFACES)
    if options.interface_bits is not None and options.interface != "lwc":
        raise InputError("--interface-bits is for --interface lwc; leave it out")
    if options.interface == "axi":
        return options
    bits = LWC_BITS[0] if options.interface_bits is None else options.interface_bits
    if bits not in LWC_BITS:
        raise InputError(f"--interface-bits is one of {', '.join(map(str, LWC_BITS))}, not {bits}")
    return replace(options, interface_bits=bits)


def on_architecture(options: StreamOptions, cipher: BlockCipher) -> StreamOptions:
    """The options with the number of streams filled in.  Raises ``InputError`` for options that do not fit the form of the cipher."""
    if options.cipher_arch not in ARCHITECTURES:
        raise UnknownName("architecture of the cipher of a stream mode", options.cipher_arch, ARCHITECTURES)
    streams = streams_of(cipher, options.cipher_arch, options.streams, options.cipher_stages, options.cipher_sbox)
    if streams is not None and options.in_order and options.key_schedule == "iterative":
        raise InputError("--key-schedule iterative clears all round keys of a slot at once, which is for pipelines; leave it out")
    return replace(options, streams=streams)
