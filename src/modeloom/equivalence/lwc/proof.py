# SPDX-License-Identifier: Apache-2.0
"""Proves that an emitted core behind the LWC interface computes its plan: keys, nonces, associated data, texts and tags are symbols, and
every word of DO is compared with the protocol and the machine of tokens.

::

    a message without a key, then messages of all lengths and directions, in one segment or several, under keys that follow each other
        one run without pauses
        one run with pauses at all pins

Instructions and headers are numbers.  Malformed ones are not sent here: ``verification.lwc.messages`` does that in simulation.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from modeloom.equivalence.circuit import CircuitError
from modeloom.equivalence.host import Pace
from modeloom.equivalence.lwc.traffic import LwcComparison, SymbolicLwcCore
from modeloom.equivalence.proof import gaps
from modeloom.equivalence.stream.core import MessageHardware
from modeloom.equivalence.stream.messages import Planned
from modeloom.equivalence.stream.proof import MessagePlans
from modeloom.product.folder import read_as
from modeloom.product.lwc import LwcDescription
from modeloom.prove.symbols import ProofError

__all__ = ["LwcReport", "prove_words"]

GAPPED = 30
"""Messages of the run with pauses."""

SHARES = dict.fromkeys(("pdi", "sdi", "do"), (1.0, 0.6, 0.2))
"""For each stream, the shares of cycles in which it is offered or taken, by phase."""


@dataclass(frozen=True)
class LwcReport:
    """A record of the execution on symbols.

    Attributes
    ----------
    messages, cycles, words : int
        Number of messages and cycles of the runs, and number of compared words of DO.
    cores : int
        The ciphers and multipliers that were executed as a whole.
    """

    messages: int
    cycles: int
    words: int
    cores: int


def prove_words(directory: str | Path, make: Callable[[], MessageHardware]) -> LwcReport:
    """Executes an emitted core on symbols and compares all words of DO.

    Parameters
    ----------
    directory : path
        What ``modeloom build`` made.
    make : callable
        Makes the hardware of the compiled core.

    Raises
    ------
    ProofError
        A word differs or is missing, or control depends on data.  The message is one line with cycle, message and word.
    """
    description = read_as(LwcDescription, directory, "a core behind the LWC interface")
    try:
        core = SymbolicLwcCore(Path(directory) / description.files.verilog, description, make)
        proof = LwcComparison(core, description)
        sizes = description.key_lengths
        keys = dict(enumerate(proof.keys.make([(f"{n}", sizes[n % len(sizes)]) for n in proof.keys.numbers])))
        # The interface has tags of the default length only.
        described = replace(description, tag_bytes=description.tag_bytes[:1])
        plans = MessagePlans(described, core.plan, proof.keys, 1)
        before = [replace(plans.message(way, 3, 5), new_key=False) for way in plans.directions]
        whole = [*plans.lengths(), *plans.nonces(), *plans.tags(), *_wrong_keys(plans), *_short(plans, description.word_bytes)]
        whole += plans.some(4)
        proof.run("whole", keys, before, _begun(whole), Pace())
        rng, period = random.Random(len(whole)), max(20, description.latency)
        proof.run("gaps", keys, before, _begun([*plans.some(GAPPED)]), gaps(rng, period, SHARES), seed=1)
    except CircuitError as error:
        raise ProofError(str(error)) from error
    return LwcReport(proof.messages, proof.cycles, proof.words, len(core.circuit.instances))


def _begun(planned: Sequence[Planned]) -> list[Planned]:
    """The same messages, of which the first one brings its key."""
    return [replace(each, new_key=True) if not number else each for number, each in enumerate(planned)]


def _wrong_keys(plans: MessagePlans) -> Iterator[Planned]:
    """A key that is too short, a message behind it without a key, and a message with a right key."""
    for direction in plans.directions:
        yield plans.message(direction, 3, 20, fault="key")
        yield plans.message(direction, 20, 0, fault="key")
        yield plans.message(direction, 5, 17)


def _short(plans: MessagePlans, word: int) -> Iterator[Planned]:
    """Messages that are on PDI as a whole while their key is loaded, each before one of the other direction under the same key.

    They come several times, since half of them have a segment for associated data, which waits for the command.
    """
    for text in (0, 1, word) * 4:
        first, second = (plans.message(way, 0, text) for way in (plans.directions[0], plans.directions[-1]))
        yield replace(first, new_key=True)
        yield replace(second, new_key=False)
