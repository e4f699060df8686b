# SPDX-License-Identifier: Apache-2.0
"""The checks of ``modeloom verify`` for a core behind the LWC interface.

::

    files     hashes of core.json, and those of the current definition          nothing was changed
    proof     the pipeline is compiled and proved again                         it computes the definition
    pipeline  the Verilog executed on symbols                               it computes what the pipeline computes, word by word
    lint      Verilator
    timing    the netlist of the Verilog                                        no control signal depends on a secret
    vectors ─┐
    lengths  │
    words    ├─ the Verilog in simulation, as it lies there                     it does what the definition and the protocol say
    keys     │
    messages │
    zeroize ─┘
    bench     the plain bench in Icarus Verilog, or else in Verilator
    skipped   what was not done, and why
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path

from modeloom.cores.lwc import LwcCore, same_lwc
from modeloom.equivalence.lwc import prove_words
from modeloom.verification.lwc.messages import LwcSubject, check_keys, check_lengths, check_messages, check_words, check_zeroize
from modeloom.verification.steps import (
    Step,
    check_files,
    datasheet_steps,
    files_step,
    lint_step,
    run_check,
    timing_step,
    today,
    with_skipped,
)
from modeloom.verification.stream import bench_of, proof_step
from modeloom.verification.stream.bounds import check_vectors

__all__ = ["verify_lwc"]

def verify_lwc(
    directory: str | Path, *, sectors: int | None = None, seed: int = 1, optimize: int = 2, hashes: bool = True, cycles: bool = True
) -> Iterator[Step]:
    """Runs all checks, and yields a step for each that passed.

    Parameters and errors are those of :func:`~modeloom.verification.stream.verify_messages`.
    """
    subject = LwcSubject(directory, optimize=optimize, seed=seed)
    description, folder = subject.description, subject.directory
    check_files(folder, description, hashes)
    made = same_lwc(description, folder)
    todo: list[Callable[[], Step]] = [
        lambda: files_step(folder, description, today(made, description, folder), hashes), partial(proof_step, subject, made),
        partial(_pipeline, subject, made), partial(lint_step, folder), partial(timing_step, folder, description),
        partial(run_check, subject, "vectors", check_vectors), partial(run_check, subject, "lengths", check_lengths),
        partial(run_check, subject, "words", partial(check_words, compiled=made.compiled)),
        partial(run_check, subject, "keys", check_keys),
        partial(run_check, subject, "messages", partial(check_messages, wanted=sectors)),
        partial(run_check, subject, "zeroize", check_zeroize), partial(bench_of, folder),
    ]  # fmt: skip
    yield from with_skipped(chain((make() for make in todo), datasheet_steps(folder, description, optimize=optimize, hashes=hashes)))


def _pipeline(subject: LwcSubject, made: LwcCore) -> Step:
    """Executes the Verilog on symbols."""
    report = prove_words(subject.directory, made.component)
    text = (
        f"the Verilog computes the pipeline: {report.words} words of DO for {report.messages} symbolic messages in "
        f"{report.cycles} cycles; {report.cores} ciphers and multipliers as a whole"
    )
    return Step("pipeline", text, {"messages": report.messages, "words": report.words, "cycles": report.cycles})
