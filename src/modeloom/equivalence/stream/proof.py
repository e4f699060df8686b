# SPDX-License-Identifier: Apache-2.0
"""Proves that an emitted core for messages computes its plan: keys, nonces, associated data and texts are symbols, and every output beat
and status is compared with the machine of tokens.

::

    keys in some slots, then messages of all lengths, directions, slots and channels mixed
        one run without gaps
        one run with gaps at all pins, back-pressure, and a key that is replaced while others are in use

Keys that come with messages come before their messages in the first run, and with them in the second.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from modeloom.equivalence.circuit import CircuitError
from modeloom.equivalence.host import Pace
from modeloom.equivalence.proof import gaps
from modeloom.equivalence.stream.core import MessageHardware, SymbolicMessageCore
from modeloom.equivalence.stream.keys import MessageKeys
from modeloom.equivalence.stream.messages import Planned
from modeloom.equivalence.stream.traffic import MessageComparison
from modeloom.product.folder import read_messages
from modeloom.product.messages import StreamDescription
from modeloom.prove.symbols import ProofError
from modeloom.streams.plan import StreamPlan
from modeloom.streams.prove import Message

__all__ = ["MessagePlans", "MessageReport", "prove_messages"]

# The messages that run through an emitted core on symbols.
#
#     lengths     every number of blocks that the proof of the pipeline has, both directions, all slots in turn, partial last blocks
#     nonces      every length of nonces
#     tags        messages without data: every length of tags, right, and wrong in every bit of the longest and every byte of the others
#     faults      commands and packets with faults, with other messages between them

MOST_BLOCKS = 48
"""Messages with more blocks than this have only some of the numbers of blocks."""



class MessagePlans:
    """Makes messages for a core.

    Parameters
    ----------
    description : StreamDescription
    plan : StreamPlan
    keys : MessageKeys
        Which keys they have.
    seed : int
    """

    def __init__(self, description: StreamDescription, plan: StreamPlan, keys: MessageKeys, seed: int):
        self.description, self.plan, self.keys = description, plan, keys
        self.rng = random.Random(seed)
        self.count = self.wrongs = 0
        self.directions = tuple(map(description.step_of, description.ways))
        # A core that stores messages to seal compares the tags of both passes, but no tag of the host.
        self.compared = [description.step_of(way) for way in description.ways if way]

    def message(
        self, direction: str, associated: int, text: int, *, tag_bytes: int | None = None, nonce: int | None = None,
        wrong: int | None = None, fault: str = "",
    ) -> Planned:  # fmt: skip
        """A message.  Slots, channels and lengths of tags follow each other."""
        d, number = self.description, self.count
        self.count += 1
        nonce = d.nonces[0] if nonce is None else nonce
        group = next(place for place, lengths in enumerate(d.nonce_bytes) if nonce in lengths)
        tag_bytes = d.tag_bytes[number % len(d.tag_bytes)] if tag_bytes is None else tag_bytes
        slot, new_key = self.keys.next(number, fault in self.keys.faults, self.rng)
        channels = min(d.channels, CHANNELS)
        channel = (number % channels) * (d.channels - 1) // max(1, channels - 1)
        return Planned(Message(slot, group, direction, nonce, associated, text, tag=tag_bytes), tag_bytes, channel, wrong, fault, new_key)

    def judged(self, direction: str, associated: int, text: int, nonce: int | None = None) -> Planned:
        """A message whose tag is wrong in every second case, if it is opened: in the next bit each time."""
        made = self.message(direction, associated, text, nonce=nonce)
        if direction not in self.compared or self.rng.random() < 0.5:
            return made
        self.wrongs += 1
        return replace(made, wrong=self.wrongs * 11 % (8 * made.tag_bytes))

    def lengths(self) -> Iterator[Planned]:
        """Messages of all lengths, in random order."""
        size = self.plan.mode.block_bytes
        most = 3 * self.plan.chains + 3
        totals = [*range(min(most, MOST_BLOCKS) + 1), *range(MOST_BLOCKS + 1, most + 1, 5)]
        made = []
        for total in totals:
            for associated in {0, total, self.rng.randrange(total + 1)}:
                cut = [self.rng.randrange(size) if blocks and self.rng.random() < 0.5 else 0 for blocks in (associated, total - associated)]
                made.append((self.rng.choice(self.directions), associated * size - cut[0], (total - associated) * size - cut[1]))
        made += [(direction, first, size - first) for direction in self.directions for first in range(1, size)]
        self.rng.shuffle(made)
        for direction, associated, text in made:
            yield self.judged(direction, associated, text)

    def nonces(self) -> Iterator[Planned]:
        """Messages with nonces of every length, one after another and after messages with usual ones."""
        d, size = self.description, self.plan.mode.block_bytes
        for nonce in d.nonces:
            yield self.judged(self.rng.choice(self.directions), self.rng.randrange(2 * size), self.rng.randrange(4 * size), nonce)
            if self.rng.random() < 0.3:
                yield self.judged(self.rng.choice(self.directions), 0, self.rng.randrange(2 * size))

    def tags(self) -> Iterator[Planned]:
        """Messages with tags of every length, and wrong ones if the core opens messages."""
        d = self.description
        longest = max(d.tag_bytes)
        for tag_bytes in d.tag_bytes:
            for direction in self.directions:
                yield self.message(direction, 0, 0, tag_bytes=tag_bytes)
            for bit in range(8 * tag_bytes) if self.compared else ():
                # Each bit where a tag takes a cycle, as for GCM.
                if (tag_bytes == longest and d.cycles.tag == 1) or bit % 8 == (bit // 8 + tag_bytes) % 8:
                    yield self.message(self.compared[0], 0, 0, tag_bytes=tag_bytes, wrong=bit)

    def faults(self) -> Iterator[Planned]:
        """Messages with faults, each before messages without."""
        d, size = self.description, self.description.beat_bytes
        lead = {"text": (3, 3 * size), "associated": (3 * size, 0)}[d.form.first]
        kinds = [("nonce", 5, 20), ("tag", 20, 3), ("short", *lead), ("hole", 3, size), ("hole", 0, 3 * size)]
        kinds += [(fault, *lengths) for fault in self.keys.faults for lengths in ((3, size), (0, 0))]
        for fault, associated, text in kinds:
            for direction in self.directions:
                yield self.message(direction, associated, text, fault=fault)
                if fault in self.keys.faults:
                    yield self.message(direction, text, associated, fault=fault)
                yield self.judged(self.rng.choice(self.directions), self.rng.randrange(2 * size), self.rng.randrange(3 * size))

    def empty(self, count: int) -> Iterator[Planned]:
        """Messages without data."""
        for number in range(count):
            yield self.message(self.directions[number % len(self.directions)], 0, 0)

    def some(self, count: int) -> Iterator[Planned]:
        """Random messages."""
        d, size = self.description, self.plan.mode.block_bytes
        most = (self.plan.chains + self.plan.lanes) * size
        for _ in range(count):
            associated, text = (self.rng.choice((0, self.rng.randrange(2 * size), self.rng.randrange(most))) for _ in range(2))
            nonce = self.rng.choice(d.nonces) if self.rng.random() < 0.2 else None
            yield self.judged(self.rng.choice(self.directions), associated, text, nonce)


CHANNELS = 4
"""Largest number of channels that are used."""


# -- proof -------------------------------------------------------------------------------------------------------------------------

GAPPED = 40
"""Messages of the run with gaps."""


@dataclass(frozen=True)
class MessageReport:
    """A record of the execution on symbols.

    Attributes
    ----------
    messages, cycles, blocks : int
        Number of messages and cycles of the runs, and number of compared blocks of text.
    cores : int
        The ciphers and multipliers that were executed as a whole.
    """

    messages: int
    cycles: int
    blocks: int
    cores: int


def prove_messages(directory: str | Path, make: Callable[[], MessageHardware]) -> MessageReport:
    """Executes an emitted core on symbols and compares all its outputs with its plan.

    Parameters
    ----------
    directory : path
        What ``modeloom build`` made.
    make : callable
        Makes the hardware of the compiled core.

    Raises
    ------
    ProofError
        A block, a tag or a status differs or is missing, or control depends on data.  The message is one line with cycle, message and
        block.
    """
    description = read_messages(directory)
    try:
        core = SymbolicMessageCore(Path(directory) / description.files.verilog, description, make)
        proof = MessageComparison(core)
        slots, sizes = proof.keys.numbers, description.key_lengths
        *keys, other = proof.keys.make([(f"{n}", sizes[n % len(sizes)]) for n in range(len(slots) + 1)])
        plans = MessagePlans(description, core.plan, proof.keys, 1)
        # A key that no message has lies in a place of the ring.  It is dropped at once if the place has had messages that are done.
        first = [*plans.empty(proof.keys.places)]
        planned = [*plans.lengths(), *plans.nonces(), *plans.tags()]
        # By now each slot of the ring has had messages, so it is known whether they are done.
        places = {"whole": len(planned), "gaps": GAPPED // 2}
        reloads = {run: (place, slots[0], other) for run, place in places.items() if run == proof.keys.replaced}
        planned += [*plans.faults(), *plans.some(4)]
        loaded = dict(zip(slots, keys, strict=True))
        proof.run("whole", loaded, planned, Pace(), early=True, reload=reloads.get("whole"), before=first)
        rng = random.Random(len(planned))
        planned = [*plans.some(GAPPED)]
        # The slots have other keys than before.
        loaded = dict(zip(slots, reversed(keys), strict=True))
        pace = gaps(rng, max(20, description.latency))
        proof.run("gaps", loaded, planned, pace, seed=1, reload=reloads.get("gaps"), before=first)
    except CircuitError as error:
        raise ProofError(str(error)) from error
    return MessageReport(proof.messages, proof.cycles, proof.blocks, len(core.circuit.instances))
