# SPDX-License-Identifier: Apache-2.0
"""The sizes of the message control: what a core was built with, and the widths and stages that follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

from amaranth.hdl import Module, ShapeLike, Value
from amaranth.lib import wiring

from modeloom.cycles.messages import POWER_OVERHEAD, TOKEN_CYCLES, TURN_CYCLES
from modeloom.interfaces import Interface
from modeloom.interfaces.messages import ALIGNED, MOST_CHANNELS, MessageCode, PacketPins, message_core
from modeloom.rtl.bus import KeyParameters
from modeloom.rtl.bus.expanded_port import ExpandedKeyParameters
from modeloom.rtl.bus.inline_port import InlineKeyParameters, writer_ends
from modeloom.rtl.bus.parameters import check_flags, check_integer
from modeloom.rtl.bus.ports import MemorySlice, RegisterSlice
from modeloom.rtl.stream.forms import AlignedPackets
from modeloom.rtl.stream.powers import digit_bits
from modeloom.rtl.stream.storage import Line, QuietLine
from modeloom.spec.cadence import Cadence
from modeloom.spec.kinds import MUL
from modeloom.streams.place import unit_of
from modeloom.streams.plan import StreamPlan
from modeloom.streams.steps import Form, Source, Term
from modeloom.streams.trace import SOME

__all__ = ["Batched", "CODE_BITS", "LENGTH_BITS", "MessageSizes", "Pace", "TokenStep", "by_port", "known_bits", "last_operand"]


# -- pace --------------------------------------------------------------------------------------------------------------------------------

# How often tokens that use the cipher enter, and what the hardware is made of that depends on it.
#
# A core with batches has one round of its cipher, and the registers at its ports would be a large part of it.  In a memory, a bit
# takes less than a LUT, instead of two registers and a multiplexer.

class Pace:
    """A token in every cycle.  The ``interval`` is that of places for tokens in cycles, and ``batches`` the bits of a signal that begins a
    batch."""

    interval, batches = 1, 0

    def __init__(self, plan: StreamPlan):
        self.plan = plan

    def places(self, cycles: int) -> int:
        """Places for tokens in so many cycles, which are whole intervals."""
        return cycles

    def entering(self, cycles: int, waiting: int, *titles: str) -> int:
        """The largest number of tokens of some steps that enter in so many cycles, with those that wait before the pipeline."""
        # A pair comes every two cycles, and some wait before the pipeline.
        blocks = self.plan.mode.blocks_of(titles[0])
        return cycles // blocks + (blocks - 1) * waiting

    def starting(self, cycles: int, *titles: str) -> int:
        """The largest number of starts that run ahead and enter in so many cycles: no two of them in a row."""
        return cycles // 2

    def slice(self, m: Module, shape: ShapeLike, whole: wiring.Component, blanks: Sequence[slice] = ()) -> RegisterSlice | MemorySlice:
        """A buffer of two payloads for a port of *whole*.  A memory is erased with it, and registers may take some bits as zeros."""
        return RegisterSlice(shape, blanks=blanks)

    def flag(self, m: Module, value: Value, stage: int, name: str) -> Line:
        """A line of a bit that says that there is a token."""
        return Line(m, value, stage, name, reset=True)


class Batched(Pace):
    """Tokens in the batches of a cadence."""

    batches = 1

    def __init__(self, plan: StreamPlan, cadence: Cadence):
        super().__init__(plan)
        self.cadence, self.interval = cadence, cadence.interval

    def places(self, cycles: int) -> int:
        return self.cadence.places(cycles)

    def entering(self, cycles: int, waiting: int, *titles: str) -> int:
        if any(self.plan.reservations.phases(title) is None for title in titles):
            return cycles
        whole, rest = divmod(cycles, self.interval)
        return whole * self.cadence.blocks + min(rest, self.cadence.blocks)

    def starting(self, cycles: int, *titles: str) -> int:
        return self.entering(cycles, 0, *titles)

    def slice(self, m: Module, shape: ShapeLike, whole: wiring.Component, blanks: Sequence[slice] = ()) -> RegisterSlice | MemorySlice:
        made = MemorySlice(shape)
        m.d.comb += [made.erase.eq(whole.erase), made.erase_address.eq(whole.erase_address[0])]
        return made

    def flag(self, m: Module, value: Value, stage: int, name: str) -> Line:
        return QuietLine(m, value, stage, name)


# -- operands of set-up ------------------------------------------------------------------------------------------------------------------

# Operands of set-up that are the word before: they come with their token, and not from the key memory.
#
#     token ──▶ unit ──▶ word ──▶ key memory
#       ▲                  │
#       └──────[reg]◀──────┘       the powers of H: H ──▶ H^2 ──▶ H^3 ...
#
# A set-up computes one word after another.  So the key memory needs no port for these operands, and they share the way of blocks to their
# unit.

def by_port(operands: Sequence[Form]) -> list[Form]:
    """The operands of an operation in the order of the ports of its unit.  If there are several, one that is only a key word is last."""
    return sorted(operands, key=lambda form: len(form) == 1 and form[0].source.kind in ("key", "word"))


def last_operand(plan: StreamPlan) -> tuple[str, int] | None:
    """The unit and the port at which every token of set-up but the first one reads the word before, and nothing else reads a word.

    None if there is no such port.
    """
    made = plan.preparations
    found: set[tuple[str, int] | None] = set()
    for before, each in zip(made, made[1:], strict=False):
        last = (Term(Source("word", before.word)),)
        at = [port for port, form in enumerate(by_port(each.operands)) if form == last]
        found.add((unit_of(each.operation), at[0]) if at and unit_of(each.operation) else None)
    if len(found) != 1 or (port := found.pop()) is None or port == ("mul", 1):
        return None
    others = [step.operations[n] for token in plan.tokens for step in (plan.step(token.title),) for n in token.operations]
    reads = [by_port(each.operands) for each in others if unit_of(each.operation) == port[0]]
    first = made[0]
    if unit_of(first.operation) == port[0]:
        reads.append(by_port(first.operands))
    words = any(term.source.kind in ("key", "word") for forms in reads if port[1] < len(forms) for term in forms[port[1]])
    return None if words or plan.carries_keys else port


# -- sizes -------------------------------------------------------------------------------------------------------------------------

POWERS_LIMIT = 42
"""Cycles that the powers of a key may take: the key schedule of AES-128 takes as many."""

LENGTH_BITS = 64
"""Bits of a length in bytes."""

CODE_BITS = max(MessageCode).bit_length()
"""Bits of a status code."""


def known_bits(name: str, block_bytes: int) -> int:
    """Bits of a length that ``start`` reads, by its name."""
    return 1 if name == SOME else LENGTH_BITS if name in ("associated", "text") else block_bytes.bit_length()


class TokenStep(IntEnum):
    """The step that a token belongs to, as the message control sees it."""

    ASSOCIATED = 0
    TEXT = 1
    TAG = 2


@dataclass(frozen=True, kw_only=True)
class MessageSizes:
    """The sizes of the message control of a core.

    Parameters
    ----------
    plan : StreamPlan
    keys : KeyParameters
    encrypt, decrypt : bool
        Directions; at least one.
    hold : int or None
        Most bytes of text of a message to be opened, which leaves only after its tag was right, 1 to 2^20; None if text leaves
        unverified.
    form : AlignedPackets
        The form of packets.
    pins : PacketPins
        What it is at the pins.
    text_from : int
        Beats of text that a message is counted to have had before its first one. Other than 0 for tests of long messages alone.
    associated_from : int
        The same for beats of associated data, in a core with one channel.
    channels : int
        Messages that may interleave, 1 to 256.

    Raises
    ------
    TypeError, ValueError
        If a parameter has the wrong type or is out of its range.
    """

    plan: StreamPlan
    keys: KeyParameters
    encrypt: bool = True
    decrypt: bool = True
    hold: int | None = None
    form: AlignedPackets = AlignedPackets()
    pins: PacketPins = ALIGNED
    text_from: int = 0
    associated_from: int = 0
    channels: int = 1

    def __post_init__(self) -> None:
        check_flags(self, "encrypt", "decrypt")
        if not (self.encrypt or self.decrypt):
            raise ValueError("a core has at least one direction")
        check_integer("channels", self.channels, 1, MOST_CHANNELS)

    # -- members of CoreShape -----------------------------------------------------------------------------------------------------

    @property
    def beat_bytes(self) -> int:
        """The number of bytes of a beat."""
        return self.block_bytes * self.lanes

    @property
    def lanes(self) -> int:
        """The number of blocks of a beat."""
        return self.plan.lanes

    @property
    def key_slots(self) -> int:
        """The number of key slots."""
        return self.keys.slots

    @property
    def expanded(self) -> bool:
        """Whether the host gives round keys, and the core has no key schedule."""
        return isinstance(self.keys, ExpandedKeyParameters)

    @property
    def interleaved(self) -> bool:
        """Whether packets of several messages may interleave."""
        return self.channels > 1

    @property
    def two_passes(self) -> bool:
        """Whether a message to seal goes through the core twice."""
        return self.plan.mode.two_passes

    @property
    def lengths_first(self) -> bool:
        """Whether commands have all lengths of their messages."""
        return self.plan.mode.lengths_first

    @property
    def text_first(self) -> bool:
        """Whether packets have their text before their associated data."""
        return self.plan.text_first

    @cached_property
    def pace(self) -> Pace:
        """How often tokens that use the cipher enter."""
        return Pace(self.plan) if self.plan.cadence is None else Batched(self.plan, self.plan.cadence)

    @property
    def inline(self) -> bool:
        """Whether keys come with the messages."""
        return isinstance(self.keys, InlineKeyParameters)

    # -- keys that come with messages ---------------------------------------------------------------------------------------------

    @property
    def ordered_keys(self) -> InlineKeyParameters:
        """The keys that come with the messages.  Raises ``ValueError`` if the core has key slots instead."""
        return InlineKeyParameters.of(self.keys)

    @property
    def powers(self) -> bool:
        """Whether set-up computes powers of a key of the hash."""
        return self.plan.horner is not None and self.plan.chains > 1

    @property
    def prepared_by_tokens(self) -> tuple[int, ...]:
        """Numbers of the operations of set-up that are no powers of the key of the hash."""
        base = None if self.plan.horner is None else self.plan.horner.key
        operations = enumerate(self.plan.preparations)
        return tuple(n for n, one in operations if not (one.word[0] == base and one.word[1] > 1 and one.operation == MUL.operation))

    @property
    def token_cycles(self) -> int:
        """Cycles of the tokens of set-up of a key, one after another; at most, if each of them waits for its place in a cadence."""
        return sum(self._each_token) + len(self._each_token) * (self.pace.interval - 1)

    @property
    def turn_cycles(self) -> int:
        """Cycles from the first token of set-up of a key to that of the next key, if their tokens follow each other.  With a cadence, they
        are whole intervals."""
        each = [*self._each_token] or [0]
        each[-1] += TURN_CYCLES
        return sum(-(-cycles // self.pace.interval) * self.pace.interval for cycles in each)

    @property
    def token_places(self) -> int:
        """Tokens of set-up of a key."""
        return len(self._each_token)

    @property
    def _each_token(self) -> list[int]:
        placed = self.plan.placed
        units = [unit_of(self.plan.preparations[number].operation) for number in self.prepared_by_tokens]
        return [TOKEN_CYCLES + placed.stages[unit] + placed.latencies[unit] for unit in units]

    @property
    def last_words(self) -> bool:
        """Whether a token of set-up brings the word before as its block.  Keys that come with messages are set up side by side."""
        return not self.inline and self.lanes == 1 and not self.pace.batches and last_operand(self.plan) is not None

    @property
    def writers(self) -> int:
        """Iterative key schedules of keys that come with messages; 0 if there is a key schedule of another kind."""
        return self.keys.writers

    @property
    def round_key_ports(self) -> dict[str, int]:
        """The members of the pipeline's ports for writes of round keys, with their widths: a port for each writer."""
        keys = self.keys
        length = (len(keys.sizes) - 1).bit_length()
        port = {"we": 1, "slot": self.slot_bits, "round": keys.round_bits, "data": keys.round_key_bits, "length": length}
        return {f"rk_{name}{unit}": bits for unit in writer_ends(self.writers) for name, bits in port.items()}

    @property
    def key_target(self) -> int:
        """The distance of keys in cycles for which set-up is laid out: that of the key schedules, with keys of the fewest round keys."""
        if not self.writers:
            return POWERS_LIMIT
        keys = self.ordered_keys
        return -(-((keys.least_round_keys or keys.round_keys) + 1) // self.writers)

    @property
    def preparations(self) -> int:
        """Keys that are prepared at the same time, so that their tokens do not wait for each other."""
        # One more than their tokens take, since powers wait for each other where they are written.
        return -(-(self.token_cycles + TURN_CYCLES) // self.key_target) + 1 if self.writers else 1

    @property
    def power_digit(self) -> int:
        """Bits that the multiplier of the powers takes in a cycle."""
        cycles = self.key_target * (self.preparations - 1) - POWER_OVERHEAD if self.writers else self.key_target
        return digit_bits(self.block_bits, self.plan.chains, cycles)

    # -- sizes --------------------------------------------------------------------------------------------------------------------

    @property
    def block_bytes(self) -> int:
        """The number of bytes of a block."""
        return self.plan.mode.block_bytes

    @property
    def block_bits(self) -> int:
        """The number of bits of a block."""
        return 8 * self.block_bytes

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The interfaces of the core."""
        return message_core(
            self.block_bytes, self.hold, self.keys.pins, self.keys.slots, self.pins, self.channels, self.lengths_first,
            1 + self.plan.mode.two_passes,
        )  # fmt: skip

    @cached_property
    def hashed(self) -> tuple[bool, ...]:
        """For each of ``TokenStep``, whether it has a product of the hash."""
        plan = self.plan
        return tuple(plan.hashed(plan.step(name)) is not None for name in ("associated", plan.mode.text_steps()[0], "tag"))

    @property
    def window(self) -> int:
        """Waiting tokens among which the end of a message is sought before a token enters.  It is 1 without a hash."""
        if self.plan.horner is None:
            return 1
        # A slot in a later lane has to see one token more.  If the tag is no product, the end is in the token behind the last
        # product.
        return self.plan.lane_chains + (self.lanes > 1 or not self.hashed[TokenStep.TAG])

    @property
    def text_stage(self) -> int:
        """The number of cycles from a token to its text."""
        return self.plan.text_stage

    @property
    def tag_stage(self) -> int:
        """The number of cycles from the last token of a message to its tag."""
        return self.plan.behind + self.plan.placed.outputs["tag"]

    @property
    def word_bits(self) -> int:
        """The width of the number of a key word in a slot."""
        return max(1, (len(self.plan.words) - 1).bit_length())

    @property
    def count_bits(self) -> int:
        """Bits of a number of beats of associated data or of text; 0 if no step reads the numbers of blocks."""
        mode = self.plan.mode
        return (max(mode.most_associated, mode.most_text) // self.beat_bytes + 1).bit_length() if self.plan.times_bits else 0

    @property
    def chain_bits(self) -> int:
        """Bits of the number of a chain."""
        return max(1, (self.plan.lane_chains - 1).bit_length())

    @property
    def flush(self) -> int:
        """The largest number of cycles that a value takes through registers without a reset."""
        return self.plan.placed.depth + max(self.plan.placed.latencies.values(), default=0) + 4

    # -- widths ------------------------------------------------------------------------------------------------------------------

    @property
    def nbytes_bits(self) -> int:
        """The width of a number of bytes, from none to those of a whole block."""
        return self.block_bytes.bit_length()

    @property
    def beat_nbytes_bits(self) -> int:
        """The width of a number of bytes, from none to those of a whole beat."""
        return self.beat_bytes.bit_length()

    @property
    def slot_bits(self) -> int:
        """The width of the number of a key slot."""
        return max(1, (self.keys.slots - 1).bit_length())

    @property
    def class_bits(self) -> int:
        """The width of the number of a class of nonces."""
        return max(1, (len(self.plan.mode.nonce_bytes) - 1).bit_length())
