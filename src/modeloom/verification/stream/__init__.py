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

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from modeloom.cores.stream import StreamCore, same_stream
from modeloom.emit import CheckFailed
from modeloom.equivalence.stream import prove_messages
from modeloom.verification.front import front_steps
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
from modeloom.verification.stream.erasure import check_erasure, check_zeroize
from modeloom.verification.stream.front import MessageWork
from modeloom.verification.stream.host import StreamSubject
from modeloom.verification.stream.neighbours import check_neighbours
from modeloom.verification.stream.pace import check_full, check_pace
from modeloom.verification.stream.statuses import check_lengths, check_messages, check_reloads, check_statuses

__all__ = ["bench_of", "dynamic_checks", "proof_step", "verify_messages"]

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
