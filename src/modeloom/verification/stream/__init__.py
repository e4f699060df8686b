# SPDX-License-Identifier: Apache-2.0
"""The checks of ``modeloom verify`` for a core for messages.

::

    files     hashes of core.json, and those of the current definition          nothing was changed
    proof     the pipeline is compiled and proved again                         it computes the definition
    pipeline  the Verilog, executed on symbols                                  it computes the pipeline
    lint      Verilator
    timing    the netlist of the Verilog                                        no control signal depends on a secret
    vectors ─┐
    pace     │
    lengths  │
    statuses │
    bounds   │
    neighb.  │
    full     │
    carries  ├─ the Verilog in simulation, as it lies there                     it does what the definition says
    reloads  │
    erasure  │
    zeroize  │
    messages ┘
    bench     the plain bench in Icarus Verilog, or else in Verilator
    skipped   what was not done, and why
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, cast

from modeloom.cores.stream import StreamCore, same_stream
from modeloom.emit import CheckFailed
from modeloom.equivalence.stream import prove_messages
from modeloom.interfaces.messages import MessageCode
from modeloom.product.front import WidthRate
from modeloom.product.message import Message
from modeloom.product.messages import StreamDescription
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.protocol.scenarios import FAULTS
from modeloom.spec.errors import many
from modeloom.verification.front import CLOCKED, CONVERTED, PIECES, Work, front_steps
from modeloom.verification.host import CoreSubject
from modeloom.verification.steps import (
    Step,
    bench_step,
    check_files,
    datasheet_steps,
    files_step,
    lint_step,
    run_check,
    timing_step,
    today,
    with_skipped,
)  # fmt: skip
from modeloom.verification.stream.bounds import check_bounds, check_vectors
from modeloom.verification.stream.carries import check_carries
from modeloom.verification.stream.erasure import check_erasure, check_zeroize, fill
from modeloom.verification.stream.host import MessageHost, StreamSubject, host_of
from modeloom.verification.stream.pace import check_full, check_pace
from modeloom.verification.stream.statuses import check_lengths, check_messages, check_reloads, check_statuses

__all__ = ["MessageWork", "bench_of", "check_neighbours", "dynamic_checks", "numbers_apart", "proof_step", "verify_messages"]


# -- neighbours --------------------------------------------------------------------------------------------------------------------------

# Checks each key slot and each channel beside its neighbours, whose numbers differ in one bit.
#
#     slot  0   1   2   4  ...  16384  32768   65535        a key of its own in each
#           │   └───┴───┴── neighbours of slot 0 ┘
#           └─ message: its key is that of slot 0, and of no neighbour
#
# A slot whose number is taken for that of a neighbour has the key of this neighbour.

ALL = 16
"""Numbers of slots and channels up to which all of them are used."""


def numbers_apart(count: int) -> list[int]:
    """Numbers below *count*, so that each bit of a number is the only difference between two of them.

    If they are few, all of them are taken.  Otherwise they are 0, the powers of two, the last number, and the last number with each bit
    inverted.
    """
    if count <= ALL:
        return list(range(count))
    bits = (count - 1).bit_length()
    near = {0, count - 1, *(base ^ 1 << bit for base in (0, count - 1) for bit in range(bits))}
    return sorted(number for number in near if number < count)


def check_neighbours(subject: StreamSubject) -> tuple[str, dict[str, Any]]:
    """Loads another key into each slot, uses each of them, and then erases and reloads each while messages of its neighbours are under
    way.  With channels, messages of neighbours are under way at a time."""
    rng, d = subject.rng("neighbours"), subject.description
    host = host_of(subject, rng)
    slots, channels = numbers_apart(d.named_slots), numbers_apart(d.channels)
    for slot in slots:
        host.load(subject.good_key(rng), slot)
    host.settle()
    _use(host, slots, channels)
    for slot in slots:
        near = [other for other in slots if (other ^ slot).bit_count() == 1]
        _send(host, near, channels[:1])
        host.erase(slot)
        _use(host, [slot, *near], channels[:1])
        _send(host, near, channels[:1])
        host.load(subject.good_key(rng), slot)
        _use(host, [slot, *near], channels[:1])
    _use(host, slots, channels)
    told = f"{many(len(slots), 'slot')} and {many(len(channels), 'channel')} are told from those whose numbers differ in one bit"
    return told, {"messages": host.messages, "slots": len(slots), "channels": len(channels)}


def _use(host: MessageHost, slots: list[int], channels: list[int]) -> None:
    """A message of each slot in each direction, to its end."""
    _send(host, slots, channels)
    host.settle()


def _send(host: MessageHost, slots: list[int], channels: list[int]) -> None:
    """A message of each slot in each direction.  With several channels those of neighbours are under way at a time."""
    d, rng = host.description, host.rng
    for decrypt in host.subject.ways if slots else ():
        for at in range(max(len(slots), len(channels))):
            host.job(
                slot=slots[at % len(slots)], channel=channels[at % len(channels)], decrypt=decrypt, ad=rng.randrange(3),
                text=rng.randrange(d.beat_bytes + 2),
            )  # fmt: skip
        host.flush("beats")


# -- front ends --------------------------------------------------------------------------------------------------------------------------

# Messages for the check of a front end: right ones in each direction, and one for an empty slot.

PACED = 96
"""Beats of text of the longest message whose pace is measured."""


class MessageWork(Work[StreamDescription, SimulatedStreamCore]):
    """The work of a core for messages; ``subject`` is a ``StreamSubject``."""

    kind, what = 2, "messages"

    @property
    def key_bytes(self) -> int:
        """Bytes of the longest key packet."""
        return max(self.subject.description.packet_sizes)

    def core(self, library: Path) -> SimulatedStreamCore:
        """The core with its front end."""
        return SimulatedStreamCore(self.subject.directory, seed=self.subject.seed, library=library, front=True)

    def check_converted(self, subject: CoreSubject[StreamDescription, SimulatedStreamCore, Any]) -> int:
        """Faults, statuses, erasure, and messages under many keys with pauses."""
        checked: Any = subject
        _short_faults(checked)
        check_statuses(checked)
        check_zeroize(checked)
        found: int = check_messages(checked, CONVERTED)[1]["messages"]
        return found

    def check_clocked(self, subject: CoreSubject[StreamDescription, SimulatedStreamCore, Any], statuses: bool) -> int:
        """Statuses, and messages under many keys with pauses."""
        checked: Any = subject
        if statuses:
            check_statuses(checked)
        found: int = check_messages(checked, CLOCKED)[1]["messages"]
        return found

    def fill(self, core: SimulatedStreamCore, rng: random.Random, cycles: int) -> None:
        """Keys, and text that waits."""
        subject: Any = self.subject
        fill(subject, core, rng, cycles)

    def pace(self, core: SimulatedStreamCore, rate: WidthRate, rng: random.Random) -> tuple[int, int]:
        """Two messages that differ in beats of text: the cycles by which the status of the longer one comes later."""
        d = self.subject.description
        core.load_message_key(self.subject.good_key(rng))
        most = min(PACED * rate.bytes, *map(d.room, d.ways)) // rate.bytes
        taken = []
        for beats in (most // 4, most):
            message = Message(bytes(d.nonces[0]), bytes(beats * rate.bytes), b"", int(self.subject.ways[0]), 0, d.tag_bytes[0])
            begin = core.cycles
            core.outcomes([message])
            taken.append(core.status_cycles[-1] - begin)
        return taken[1] - taken[0], most - most // 4

    def run(self, core: SimulatedStreamCore, key: bytes, slot: int, rng: random.Random) -> int:
        """Messages of random lengths in each direction."""
        d, subject = self.subject.description, cast(StreamSubject, self.subject)
        jobs, wanted, tag_bytes = [], [], d.tag_bytes[0]
        for decrypt in sorted(set(map(bool, self.subject.ways))) * PIECES:
            nonce, text, ad = (rng.randbytes(count) for count in (d.nonces[0], rng.randrange(1, 100), rng.randrange(50)))
            reference = subject.reference_for(key, nonce)
            if reference is None:
                raise CheckFailed("a key was loaded that the mode refuses")
            # The reference seals; what it sealed is opened.
            out, tag = reference.sealed(nonce, text, ad, tag_bytes)
            sealed = out + tag[:tag_bytes]
            jobs.append(Message(nonce, sealed if decrypt else text, ad, int(decrypt), slot, tag_bytes))
            wanted.append(text if decrypt else sealed)
        if core.run(jobs) != wanted:
            raise CheckFailed("a message under a key that was loaded over registers is wrong")
        return len(jobs)

    def without_key(self, core: SimulatedStreamCore, slot: int, rng: random.Random) -> int:
        """A message for an empty slot gets NO_KEY."""
        d = self.subject.description
        decrypt, tag_bytes = int(self.subject.ways[0]), d.tag_bytes[0]
        (outcome,) = core.outcomes([Message(rng.randbytes(d.nonces[0]), bytes(tag_bytes + 5), b"", decrypt, slot, tag_bytes)])
        return int(outcome.code) if outcome.code == MessageCode.NO_KEY else 0


def _short_faults(subject: StreamSubject) -> None:
    """Short packets of all lengths with each fault: it comes at each place of a beat of the core, and in the last beat."""
    rng, most = subject.rng("short faults"), 2 * subject.description.beat_bytes + 1
    host = host_of(subject, rng)
    host.load_all()
    for fault in FAULTS:
        for nbytes in range(1, most + 1):
            ad = rng.choice((0, 0, nbytes))
            host.job(slot=rng.choice(host.used), decrypt=rng.choice(subject.ways), ad=ad, text=nbytes - ad, fault=fault)
        host.settle()


# -- steps -------------------------------------------------------------------------------------------------------------------------------

Check = Callable[[StreamSubject], tuple[str, dict[str, Any]]]


def dynamic_checks(messages: int | None = None) -> list[tuple[str, Check]]:
    """The checks that simulate the Verilog, in order.

    Each takes a ``StreamSubject``, returns a description with figures, and raises ``CheckFailed``.

    Parameters
    ----------
    messages : int, optional
        Number of random messages, if it differs from the default.
    """
    return [
        ("vectors", check_vectors), ("pace", check_pace), ("lengths", check_lengths), ("statuses", check_statuses),
        ("bounds", check_bounds), ("neighbours", check_neighbours), ("full", check_full), ("carries", check_carries),
        ("reloads", check_reloads), ("erasure", check_erasure), ("zeroize", check_zeroize),
        ("messages", partial(check_messages, wanted=messages)),
    ]  # fmt: skip


def verify_messages(
    directory: str | Path, *, sectors: int | None = None, seed: int = 1, optimize: int = 2, hashes: bool = True, cycles: bool = True
) -> Iterator[Step]:
    """Runs all checks, and yields a step for each that passed.

    Parameters
    ----------
    sectors : int, optional
        Number of random messages.  It has this name because the option of the command has it for every kind of core.
    seed : int
        Seed of random keys, data and pauses.
    optimize : int
        Optimisation level of the C++ compiler.
    hashes : bool
        Whether the files must be unchanged.
    cycles : bool
        It has no effect.  Edited Verilog of this kind of core is not compared in every cycle.

    Raises
    ------
    CheckFailed, ProofError, TimingChannel
        For the first check that failed.  The message is one line.
    """
    subject = StreamSubject(directory, optimize=optimize, seed=seed)
    description, folder = subject.description, subject.directory
    check_files(folder, description, hashes)
    made = same_stream(description, folder)
    todo: list[Callable[[], Step]] = [
        lambda: files_step(folder, description, today(made, description, folder), hashes), partial(proof_step, subject, made),
        partial(_pipeline, subject, made), partial(lint_step, folder), partial(timing_step, folder, description),
        *(partial(run_check, subject, name, check) for name, check in dynamic_checks(sectors)), *front_steps(MessageWork(subject)),
        partial(bench_of, folder),
    ]  # fmt: skip
    yield from with_skipped(chain((make() for make in todo), datasheet_steps(folder, description, optimize=optimize, hashes=hashes)))


def proof_step(subject: StreamSubject, made: StreamCore) -> Step:
    """Reports the proof.  It ran when the pipeline was compiled again, and the files are those of this pipeline."""
    description, proof = subject.description, made.compiled.proof
    again = made.describe(description.name, description.command)
    if again.explain != description.explain or again.definition_sha256 != description.definition_sha256:
        raise CheckFailed(f"{subject.directory}: the pipeline differs from what this version compiles; build the core again")
    if proof is None:
        why = "the proof of the pipeline: the core was built without it"
        return Step("proof", "skipped", {}, (why,))
    text = f"the pipeline computes {description.mode}: {proof.messages} symbolic messages, and by induction those of any length"
    return Step("proof", text, {"messages": proof.messages, "blocks": proof.blocks})


def _pipeline(subject: StreamSubject, made: StreamCore) -> Step:
    """Executes the Verilog on symbols."""
    report = prove_messages(subject.directory, made.component)
    text = (
        f"the Verilog computes the pipeline: {report.blocks} blocks of {report.messages} symbolic messages in {report.cycles} cycles; "
        f"{report.cores} ciphers and multipliers as a whole"
    )
    return Step("pipeline", text, {"messages": report.messages, "blocks": report.blocks, "cycles": report.cycles})


def bench_of(folder: Path) -> Step:
    """Runs the bench."""
    return bench_step(folder, "{messages} messages")
