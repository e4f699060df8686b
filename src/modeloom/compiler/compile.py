# SPDX-License-Identifier: Apache-2.0
"""From a definition to a proved program: takes all sizes of a core through the steps of ``compiler.choices.STEPS``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import accumulate

from modeloom.ciphers import cipher_of
from modeloom.compiler.choices import STEPS, Choice
from modeloom.compiler.compiled import Compiled
from modeloom.compiler.passes import PASSES
from modeloom.compiler.work import Work
from modeloom.definition.check import check_definition
from modeloom.options.limits import check_blocks
from modeloom.options.sectors import Options
from modeloom.spec import Mode, checked_mode

__all__ = ["SHARES", "Compiled", "compile_mode"]

SHARES = {one.name: one.share for one in PASSES}
"""Passes in their order, and their share of the time of a long compilation, roughly."""


def compile_mode(
    mode: Mode | type[Mode],
    options: Options,
    *,
    prove: bool = True,
    progress: Callable[[str, float], None] = lambda step, done: None,
) -> Compiled:
    """Compiles a mode, given as an instance or a class.  Raises ``InputError`` if it cannot be built.

    Parameters
    ----------
    prove : bool
        Whether to run the checkers and the proof.  A failure raises ``prove.ProofError``.  The definition is checked before, in
        all its directions, whichever are built.  This may raise ``DefinitionError``.
    progress : callable
        Called with the name of a pass and the share of the whole work that is done, from 0 to 1: when a pass begins, and several
        times in the search for a schedule.
    """
    mode = checked_mode(mode)
    chosen = cipher_of(mode, options.cipher)
    options = options.of(mode).on(chosen)
    mode.check_key_bits(options.key_bits or 0)
    tweak = mode.tweak_sizes[0] if options.tweak is None else options.tweak
    sizes = (options.sector, *options.more_sectors)
    for size in sizes:
        mode.check_sector(size)
    check_blocks(mode, sizes)
    mode.check_tweak(tweak, core=True)
    key_bytes = (options.key_bits or 0) // 8
    works = tuple(
        Work(mode=mode, options=replace(options, sector=size, more_sectors=()), tweak_bytes=tweak, key_bytes=key_bytes) for size in sizes
    )
    begins = dict(zip(SHARES, accumulate(SHARES.values(), initial=0.0)))
    for step in STEPS:
        if isinstance(step, Choice):
            works = step.run(works)
        elif prove or step.name != "prove":
            bytes_done, done = 0, []
            for work in works:
                report = partial(_report, progress, step.name, begins[step.name], step.share, bytes_done, work.options.sector, sum(sizes))
                report(0.0)
                done.append(step.run(work, report))
                bytes_done += work.options.sector
            works = tuple(done)
        if step.name == "trace" and prove:
            works = tuple(_checked(work) for work in works)
    return Compiled.of(works, options)


def _report(
    progress: Callable[[str, float], None], name: str, begin: float, length: float, before: int, mine: int, total: int, share: float
) -> None:
    """Reports the share of a pass that is done for a size of ``mine`` bytes, after sizes of ``before`` bytes of all."""
    progress(name, begin + length * (before + share * mine) / total)


def _checked(work: Work) -> Work:
    """Checks the definition itself."""
    checked = check_definition(work.mode, work.options.sector, work.tweak_bytes, work.key_bytes, work.options.cipher)
    return replace(work, checked=checked)
