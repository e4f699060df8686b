# SPDX-License-Identifier: Apache-2.0
"""The options of cores for messages, and which of them a core cannot have together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from modeloom.ciphers import BlockCipher
from modeloom.ciphers.description import SERIAL
from modeloom.interfaces.messages import MOST_CHANNELS
from modeloom.options.row import Choices, Terms, Value, row
from modeloom.options.sectors import (
    MOST_MESSAGE_SLOTS,
    RING,
    SLOTS,
    cipher,
    cipher_arch,
    cipher_sbox,
    cipher_stages,
    mul_arch,
    on_cipher,
    streams,
)
from modeloom.spec import InputError
from modeloom.spec.mode import ONE_BY_ONE
from modeloom.spec.stream import ASSOCIATED_FIRST, TEXT_FIRST, StreamMode

__all__ = ["BLOCKS_PER_CYCLE", "LWC_BITS", "LWC_SLOTS", "MOST_DERIVERS", "USUAL", "StreamOptions"]

LWC_BITS = (32, 64, 128)
"""Bits of a word of the LWC interface."""

LWC_SLOTS = 2
"""Key slots behind the LWC interface, which take turns: one key is prepared while another one is in use."""

MOST_KEY_SCHEDULES = 2
"""Iterative key schedules that work at the same time."""

MOST_DERIVERS = 8
"""Round cores that derive keys."""

BLOCKS_PER_CYCLE = (1, 2, 4)
"""Blocks that a core may take in a cycle."""

MASTERS, IN_RING = (1, 64), (3, 64)
"""Slots for master keys, and slots of a core whose keys come with the messages: at least and at most."""

TWO_PASSES = ": it has two passes, and the tag of a packet comes last"
LENGTHS_FIRST = ", which knows lengths before a message begins"
LAST_BLOCKS = ", which has steps for last blocks: where a packet ends too early, the core would take its text for a whole one"
FIRST_IN_TAG = ": it authenticates lengths, or a prefix of associated data, before the text"
ACTIVATED = "on this interface, an instruction activates each key"

NO_SCHEDULE = "a core that takes round keys has no key schedule"


@dataclass(frozen=True)
class KeySource(Terms):
    """Where round keys come from: the key slots if a user names no number, and those of the pipeline if it has others; whether the core
    expands keys, and holds them to encipher and to decipher; whether each message has the next key, sent with it or derived."""

    slots: int = SLOTS
    ring: int | None = None
    expands: bool = True
    both_forms: bool = False
    in_order: bool = False

    def check_mode(self, mode: StreamMode) -> None:
        """Raises ``InputError`` for a mode whose keys do not come from here."""
        mode.keying().check_slots(mode.name)

    def usual_schedule(self, iterates: bool, pipelined: bool) -> str:
        """The kind of key schedule if a user names none, with a cipher that has an iterative one, and for pipelines."""
        return "word"

    def most_schedules(self, kind: str, pipelined: bool) -> int:
        """The most key schedules of a kind, which work at the same time.  Raises ``InputError`` if a core cannot have this kind."""
        return 1

    def writers(self, kind: str | None, schedules: int | None) -> int:
        """Ports of the cipher for writes of round keys, as ``CoreRequest`` has them."""
        return 0


@dataclass(frozen=True)
class KeysInOrder(KeySource):
    """Keys that come with the messages, or are derived for each."""

    in_order: bool = True

    def check_mode(self, mode: StreamMode) -> None:
        """There is a key for each message."""

    def usual_schedule(self, iterates: bool, pipelined: bool) -> str:
        return "iterative" if iterates and pipelined else "word"

    def most_schedules(self, kind: str, pipelined: bool) -> int:
        if kind != "iterative":
            return 1
        if not pipelined:
            raise InputError("--key-schedule iterative clears all round keys of a slot at once, which is for pipelines; leave it out")
        return MOST_KEY_SCHEDULES

    def writers(self, kind: str | None, schedules: int | None) -> int:
        return cast(int, schedules) if kind == "iterative" else 0


KEYS = {
    "expand": KeySource(both_forms=True),
    "expanded": KeySource(expands=False),
    "inline": KeysInOrder(
        apart={"--channels": "keys come in the order of the messages, and messages of different channels have no order"},
        slots=RING,
    ),
    "derived": KeysInOrder(
        apart={"--channels": "keys are derived in the order of the messages, and messages of different channels have no order"},
        only={"derives": "modes that derive message keys from the nonce"}, ring=RING,
    ),
}  # fmt: skip
"""Where round keys come from: "expand" is a core that expands the keys that it is sent, and "expanded" one that takes round keys from the
host and has no key schedule.  With "inline", keys come with the messages: the core expands them, and has ``key_slots`` of them at a time.
With "derived", master keys are in ``key_slots`` slots, and the core derives the key of each message from them."""

PACKETS = {
    "aligned": Terms(),
    "wire": Terms(
        apart={"--channels": "the core splits and joins contiguous packets for one message at a time"},
        never={"two_passes": TWO_PASSES, "lengths_first": LENGTHS_FIRST}, plan={"pairs": LAST_BLOCKS, "ends": LAST_BLOCKS},
    ),
}
"""The form of packets: text begins with a beat of its own, or header, text and tag touch each other as on the wire."""


@dataclass(frozen=True)
class Interface(Terms):
    """The pins of a core: its key slots and the bits of a word if a user names no number, where these are its own."""

    slots: int | None = None
    word_bits: int | None = None


INTERFACES = {
    "axi": Interface(),
    "lwc": Interface(
        apart={
            "--channels": "the words of this interface belong to one message at a time",
            "--packet wire": "messages on this interface consist of segments",
            "--keys expanded": "keys on this interface are not expanded",
            "--keys inline": ACTIVATED, "--keys derived": ACTIVATED,
            "--key-slots": "the instruction that activates a key does not name a slot",
        },
        never={"two_passes": TWO_PASSES}, slots=LWC_SLOTS, word_bits=LWC_BITS[0],
    ),
}  # fmt: skip
"""AXI4-Streams of commands, packets, keys and statuses, or the hardware API of lightweight cryptography."""

ORDERS = {
    ASSOCIATED_FIRST: Terms(),
    TEXT_FIRST: Terms(
        apart={
            "--blocks-per-cycle": "the step between text and associated data uses one lane",
            "--channels": "the core tracks the step between text and associated data for one message at a time",
            "--packet wire": "packets on the wire begin with their header",
            "--interface lwc": "messages on this interface begin with their associated data",
        },
        never={
            "two_passes": ": it has two passes, and the first one takes associated data before the text",
            "lengths_first": FIRST_IN_TAG, "associated_prefix": FIRST_IN_TAG,
        },
    ),
}
"""The order of the parts of a message.  If text comes first, checksum and tag share a register, where the mode allows it."""


@dataclass(frozen=True, kw_only=True)
class StreamOptions(Choices):
    """The options of a core for messages.  None stands for the default that fits the mode and its cipher.

    Raises
    ------
    InputError
        No core supports a value.
    TypeError
        A value has the wrong type.
    """

    key_bits: int | None = row(None, word="k{}")
    """Key size of the cipher in bits (default: all sizes, each slot having that of its key, if the cipher has pipelines for several sizes
    and the mode's key ends with the cipher's; otherwise the first one)."""
    more_key_bits: tuple[int, ...] = row(())
    """Other key sizes.  Each key slot has the size of its key."""
    cipher: str | None = cipher()
    cipher_arch: str = cipher_arch(("pipelined", "multistream", *SERIAL), "architecture of the cipher of a stream mode")
    streams: int | None = streams()
    cipher_sbox: str | None = cipher_sbox()
    cipher_stages: int | None = cipher_stages()
    mul_arch: str = mul_arch()
    mul_stages: int = row(3, least=0, most=8, word="mulstages{}")
    """Registers in the multiplier.  A product takes a cycle more, from the registers of its operands to that of the product."""
    key_slots: int | None = row(
        None, least=1, most=MOST_MESSAGE_SLOTS, within={"--keys derived": MASTERS, "--keys inline": IN_RING}, free=(LWC_SLOTS,),
        word="slots{}",
    )  # fmt: skip
    hold: int | None = row(
        None, "bytes of text held back until the tag has been verified (default: none).", least=1, most=1 << 20, unit="bytes",
        word="hold{}",
        terms=Terms(apart={"--channels": "each channel would need its own buffer"}, direction={"decrypt": "open messages"}),
    )  # fmt: skip
    message_buffer: int | None = row(
        None, "with two passes: bytes of a message to seal that the core stores.", least=1, most=1 << 20, unit="bytes", word="buffer{}",
        terms=Terms(
            apart={
                "--hold": "both would limit the length of a message to seal",
                "--channels": "messages are stored in the order of one channel",
                "--keys inline": "both passes of a message need its key, which comes once",
            },
            only={"two_passes": "modes with two passes"}, never={"lengths_first": LENGTHS_FIRST}, direction={"encrypt": "seal messages"},
        ),
        sparse=True,
    )  # fmt: skip
    blocks_per_cycle: int = row(1, "blocks per cycle, 1, 2 or 4 (default: 1).", values=BLOCKS_PER_CYCLE, word="lanes{}")
    direction: str = row("both", noun="direction", values=("encrypt", "decrypt", "both"), word="{}")
    keys: str = row(
        "expand",
        "expand, expanded if the host sends round keys, inline if keys come with messages, or derived if the core derives them from "
        "master keys and nonces (default: expand).",
        noun="kind of keys", values=KEYS, word="{}",
    )  # fmt: skip
    packet: str = row(
        "aligned", "aligned, or wire if header, text and tag are contiguous (default: aligned).", noun="form of packets", values=PACKETS,
        word="{}",
    )  # fmt: skip
    channels: int = row(
        1, f"number of channels whose packets may interleave, 1 to {MOST_CHANNELS} (default: 1).", least=1, most=MOST_CHANNELS,
        word="channels{}",
        terms=Terms(
            plan={
                "pairs": ": pairs are put together for one message at a time",
                "returning": ": a token returns to the cipher of one message",
            }
        ),
    )  # fmt: skip
    key_schedule: str | None = row(
        None, "word, or iterative for a round key per cycle (default: iterative with --keys inline, else word).", noun="key schedule",
        values=("word", "iterative"), word="{}_keys", terms=Terms(apart={"--keys expanded": NO_SCHEDULE}),
    )  # fmt: skip
    key_schedules: int | None = row(
        None, f"with --keys inline, 1 or {MOST_KEY_SCHEDULES} key schedules (default: {MOST_KEY_SCHEDULES}).", least=1,
        most=MOST_KEY_SCHEDULES, word="schedules{}", terms=Terms(apart={"--keys expanded": NO_SCHEDULE}),
    )  # fmt: skip
    key_derivers: int | None = row(
        None, f"with --keys derived, round cores, 1 to {MOST_DERIVERS} (default: 1 or 2 for AES).", least=1, most=MOST_DERIVERS,
        word="derivers{}", terms=Terms(needs="--keys derived"), sparse=True,
    )  # fmt: skip
    cipher_cores: int | None = row(None, word="ciphers{}", sparse=True)
    """Ciphers of a mode whose blocks wait for the cipher of the one before, at most as many as a block needs (default: 1 with one channel,
    and as many as a block needs with more).  In a mode with two passes, always as many as a block needs.  None for all other modes."""
    interface: str = row(
        "axi", "axi, or lwc for the hardware API of lightweight cryptography (default: axi).", noun="interface", values=INTERFACES,
        word="{}", sparse=True,
    )  # fmt: skip
    interface_bits: int | None = row(
        None, "with --interface lwc, bits of a word, 32, 64 or 128 (default: 32).", values=LWC_BITS, word="words{}",
        terms=Terms(needs="--interface lwc"), sparse=True,
    )  # fmt: skip
    order: str = row(
        ASSOCIATED_FIRST,
        "associated-first, or text-first for packets with text before associated data, so that checksum and tag share a register "
        "(default: associated-first).",
        noun="order", values=ORDERS, word="{}", sparse=True,
    )  # fmt: skip

    def __post_init__(self) -> None:
        self.check()

    @property
    def source(self) -> KeySource:
        """Where round keys come from."""
        return KEYS[self.keys]

    @property
    def slots_inside(self) -> int | None:
        """Key slots of the pipeline: those that a host names, or those of the ring."""
        return self.source.ring or self.key_slots

    @property
    def writers(self) -> int:
        """Ports of the cipher for writes of round keys, as ``CoreRequest`` has them."""
        return self.source.writers(self.key_schedule, self.key_schedules)

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions by name."""
        return ONE_BY_ONE[self.direction]

    def named(self) -> dict[str, Value]:
        """The values that may have a word in the name of a core.  All key sizes together are one value."""
        values = super().named()
        values["key_bits"] = "_".join(map(str, (self.key_bits, *self.more_key_bits)))
        del values["more_key_bits"]
        return values

    def of(self, mode: StreamMode) -> StreamOptions:
        """The same options.  Raises ``InputError`` for choices that a core cannot have together, or that are not for this mode."""
        self.check_together()
        self.check_mode(mode)
        self.source.check_mode(mode)
        return self

    def on(self, chosen: BlockCipher) -> StreamOptions:
        """A copy with the defaults for what the cipher has, and for what makes and holds keys, filled in.

        Raises ``InputError`` for options that the cipher does not support.
        """
        made, pins = on_cipher(self, chosen), INTERFACES[self.interface]
        first, *more = sorted({cast(int, made.key_bits), *self.more_key_bits}, reverse=True)
        kind, count = self._schedules(chosen, len(more))
        return replace(
            made, key_bits=first, more_key_bits=tuple(more), key_slots=self.key_slots or pins.slots or self.source.slots,
            key_schedule=kind, key_schedules=count, interface_bits=self.interface_bits or pins.word_bits,
        )  # fmt: skip

    def _schedules(self, chosen: BlockCipher, more: int) -> tuple[str | None, int | None]:
        """The kind and the number of key schedules, of a core with so many more key sizes than one."""
        if not self.source.expands:
            if chosen.expand is None:
                why = "its description has no expand, the software that makes round keys"
                raise InputError(f"--keys {self.keys} is not for {chosen.name}: {why}")
            if more:
                raise InputError(f"--keys {self.keys} takes keys of one size; give one --key-bits")
            return None, None
        iterates, pipelined = chosen.iterative_schedule is not None, self.cipher_arch == "pipelined"
        kind = self.key_schedule or self.source.usual_schedule(iterates, pipelined)
        if kind == "iterative" and not iterates:
            raise InputError(f"{chosen.name} has no iterative key schedule; leave out --key-schedule iterative")
        most = self.source.most_schedules(kind, pipelined)
        count = self.key_schedules or most
        if count > most:
            raise InputError(f"--key-schedules {count} is for --keys inline with --key-schedule iterative; leave it out")
        return kind, count


USUAL = StreamOptions()
"""The options of a core for which a user chooses nothing."""
