# SPDX-License-Identifier: Apache-2.0
"""The sizes of the part that derives keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from amaranth.lib.data import StructLayout

from modeloom.interfaces import Interface
from modeloom.interfaces.messages import message_core
from modeloom.interfaces.table import by_member
from modeloom.rtl.bus import KeyParameters
from modeloom.rtl.bus.ports import fields_layout
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.spec.cadence import BATCH_LEAD
from modeloom.streams.derive import Derivation
from modeloom.streams.steps import Form, Source, Term

__all__ = ["DerivedParameters"]

MORE_OWNERS = 8
"""Keys that are under way in front of the ring, at most."""

WAITING = 2
"""Commands that wait for the derivation of their keys."""


@dataclass(frozen=True, kw_only=True)
class DerivedParameters:
    """The sizes of the part that derives keys, and of the message control behind it.

    Parameters
    ----------
    messages : MessageParameters
        The message control.  Keys come with its messages.
    keys : KeyParameters
        The master keys.
    derivations : tuple of Derivation
        For each size of master keys, in the order of ``keys.sizes``.
    cores : int
        Round cores.
    latency, interval : int
        Cycles of a round core from an operand to its result, and from one batch to the next.

    Raises
    ------
    ValueError
        The parameters do not fit each other.
    """

    messages: MessageParameters
    keys: KeyParameters
    derivations: tuple[Derivation, ...]
    cores: int
    latency: int
    interval: int

    def __post_init__(self) -> None:
        if not self.messages.inline or not self.messages.tells_freed:
            raise ValueError("keys are derived for a message control whose keys come with messages, and that tells when they are gone")
        if len(self.derivations) != len(self.keys.sizes):
            raise ValueError("there is a derivation for each size of master keys")
        if self.cores < 1 or self.interval <= BATCH_LEAD:
            raise ValueError("there is at least one round core, and a batch has more cycles than its signal comes before it")

    # -- the shape of the core ----------------------------------------------------------------------------------------------------

    @property
    def beat_bytes(self) -> int:
        """The number of bytes of a beat."""
        return self.messages.beat_bytes

    @property
    def key_slots(self) -> int:
        """Slots for master keys."""
        return self.keys.slots

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The interfaces of the core: those of a core with key slots."""
        p = self.messages
        return message_core(
            p.block_bytes, p.hold, False, self.keys.slots, False, p.packet, p.channels, p.lengths_first, 1 + p.plan.mode.two_passes
        )

    @property
    def command(self) -> StructLayout:
        """Payload of a command of the host."""
        return fields_layout(by_member(self.interfaces, "cmd"))

    # -- calls and blocks ---------------------------------------------------------------------------------------------------------

    def batches(self, size: int) -> int:
        """Batches of calls of a key of a size."""
        return -(-self.derivations[size].calls // self.cores)

    @property
    def most_batches(self) -> int:
        """Those of the size that has most of them."""
        return max(map(self.batches, range(len(self.derivations))))

    @property
    def beats(self) -> tuple[int, ...]:
        """Beats of a key of a message, for each size."""
        return tuple(-(-each.nbytes // self.messages.block_bytes) for each in self.derivations)

    def operands(self, core: int) -> Iterator[tuple[int, int, Form]]:
        """For each size and batch, the operand of a round core; none where it has nothing to do."""
        for size, derivation in enumerate(self.derivations):
            for number in range(core, derivation.calls, self.cores):
                yield size, number // self.cores, derivation.operands[number]

    def parts(self, beat: int) -> Iterator[tuple[int, Form, tuple[int, ...]]]:
        """What each batch adds to a beat: the batch, the form with the numbers of round cores in place of calls, and the sizes for which
        it is so."""
        found: list[tuple[int, Form, int]] = []
        for size, derivation in enumerate(self.derivations):
            for batch in range(self.batches(size) if beat < len(derivation.blocks) else 0):
                calls = range(batch * self.cores, (batch + 1) * self.cores)
                form = tuple(
                    term if term.source.kind == "const" else Term(Source("op", calls.index(call_of(term))), term.maps)
                    for term in derivation.blocks[beat] if (batch == 0 if term.source.kind == "const" else call_of(term) in calls)
                )
                if form:
                    found.append((batch, form, size))
        found.sort(key=lambda one: (one[0], repr(one[1]), one[2]))
        for (batch, _), group in groupby(found, key=lambda one: (one[0], repr(one[1]))):
            each = list(group)
            yield batch, each[0][1], tuple(size for _, _, size in each)

    # -- sizes --------------------------------------------------------------------------------------------------------------------

    @property
    def slot_bits(self) -> int:
        """The width of the number of a slot."""
        return max(1, (self.keys.slots - 1).bit_length())

    @property
    def owners(self) -> int:
        """Keys that are on the way to the ring or in it, at most."""
        return 1 << (self.messages.keys.slots + MORE_OWNERS - 1).bit_length()

    @property
    def most_commands(self) -> int:
        """Commands that the core takes without a status."""
        return WAITING + self.messages.most_commands

    @property
    def most_packets(self) -> int:
        """Packets that the core takes without a status."""
        return WAITING + self.messages.most_packets

    @property
    def flight_bits(self) -> int:
        """Bits of the number of a key: more than there are in flight."""
        return (2 * self.owners).bit_length()

    @property
    def erase_words(self) -> int:
        """The number of words of the deepest memory."""
        return max(self.messages.erase_words, self.keys.round_words, self.owners)

    @property
    def erase_bits(self) -> int:
        """The width of ``erase_address``."""
        return max(1, (self.erase_words - 1).bit_length())

    @property
    def flush(self) -> int:
        """The largest number of cycles that a value takes through registers without a reset."""
        return max(self.messages.flush, self.interval + self.latency + 4)


def call_of(term: Term) -> int:
    """The number of the call whose result a term has."""
    what = term.source.what
    assert isinstance(what, int)
    return what
