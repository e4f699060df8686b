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
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from modeloom.equivalence.circuit import CircuitError
from modeloom.equivalence.host import Pace
from modeloom.equivalence.proof import gaps
from modeloom.equivalence.stream.core import MessageHardware, SymbolicMessageCore
from modeloom.equivalence.stream.plans import MessagePlans
from modeloom.equivalence.stream.traffic import MessageComparison
from modeloom.product.folder import read_messages
from modeloom.product.messages import StreamDescription
from modeloom.prove.errors import ProofError

__all__ = ["MessageReport", "prove_messages"]

SLOTS = 3
"""Largest number of key slots that are used."""

KEYS = 7
"""Keys that come with messages, by turns.  No power of two is a multiple of it, so a slot of the ring has another key each time."""

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


def _slots(description: StreamDescription) -> list[int]:
    """The slots that are used, or the numbers of keys that come with messages."""
    if description.inline:
        return list(range(KEYS))
    count = min(SLOTS, description.key_slots)
    return sorted({place * (description.key_slots - 1) // max(1, count - 1) for place in range(count)})


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
        slots = _slots(description)
        sizes = description.key_lengths
        *keys, other = proof.keys.make([(f"{n}", sizes[n % len(sizes)]) for n in range(len(slots) + 1)])
        plans = MessagePlans(description, core.plan, slots, 1)
        loaded = dict(zip(slots, keys, strict=True))
        # A key that no message has lies in a place of the ring.  It is dropped at once if the place has had messages that are done.
        first = [] if core.derived is None else [*plans.empty(core.derived.messages.keys.slots)]
        planned = [*plans.lengths(), *plans.nonces(), *plans.tags()]
        # By now each slot of the ring has had messages, so it is known whether they are done.
        dropped = (len(planned), slots[0], other) if description.inline else None
        planned += [*plans.faults(), *plans.some(4)]
        proof.run("whole", loaded, planned, Pace(), early=True, reload=dropped, before=first)
        rng = random.Random(len(planned))
        planned = [*plans.some(GAPPED)]
        # The slots have other keys than before.
        loaded = dict(zip(slots, reversed(keys), strict=True))
        reload = None if description.inline else (GAPPED // 2, slots[0], other)
        proof.run("gaps", loaded, planned, gaps(rng, max(20, description.latency)), seed=1, reload=reload, before=first)
    except CircuitError as error:
        raise ProofError(str(error)) from error
    return MessageReport(proof.messages, proof.cycles, proof.blocks, len(core.circuit.instances))
