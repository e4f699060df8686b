# SPDX-License-Identifier: Apache-2.0
"""The checks of ``modeloom verify`` for a core for sectors.

::

    files     hashes of core.json, and those of the current definition          nothing was changed
    proof     the program is compiled and proved again                          it computes the definition
    lint      Verilator
    timing    the netlist of the Verilog                                        no control signal depends on a secret
    engine    the Verilog, executed on symbols                                  it computes the graph
    vectors ─┐
    pace     │
    edges    │
    keys     ├─ the Verilog in simulation, as it lies there                     it does what the definition says
    statuses │
    reloads  │
    erasure  │
    zeroize  │
    sectors ─┘
    cycles    compared with the emitted core, if the Verilog was edited         it does so in the same cycles
    bench     the plain bench in Icarus Verilog, or else in Verilator
    skipped   what was not done, and why
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path

from modeloom.cores.sector import SectorCore, same_core
from modeloom.emit import CheckFailed
from modeloom.equivalence import prove_engine
from modeloom.interfaces.sector import StatusCode
from modeloom.product.beats import SectorDescription
from modeloom.product.description import versions
from modeloom.product.front import WidthRate
from modeloom.product.simulated import Sector, SectorError, SimulatedCore
from modeloom.verification.front import CLOCKED, CONVERTED, PIECES, Work, front_steps
from modeloom.verification.host import CoreSubject
from modeloom.verification.sector.erasure import check_key_erasure, check_zeroize, fill
from modeloom.verification.sector.host import Subject
from modeloom.verification.sector.sectors import (
    Need,
    check_edges,
    check_keys,
    check_sectors,
    check_vectors,
    fitting,
    missed,
    needed_sectors,
    on_other_core,
)
from modeloom.verification.sector.statuses import Recording, check_pace, check_reloads, check_statuses, compare_cycles
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

__all__ = ["CheckFailed", "SectorWork", "dynamic_checks", "run_check", "verify_sectors"]


# -- front ends --------------------------------------------------------------------------------------------------------------------------

# Sectors for the check of a front end: right ones of all sizes, and one for an empty slot.

PACED = 24
"""Sectors back to back whose pace is measured."""


class SectorWork(Work[SectorDescription, SimulatedCore]):
    """The work of a core for sectors; ``subject`` is a ``Subject``."""

    kind, what = 1, "sectors"
    subject: Subject

    @property
    def key_bytes(self) -> int:
        """Bytes of the key."""
        return int(self.subject.description.key_bytes)

    def core(self, library: Path) -> SimulatedCore:
        """The core with its front end."""
        return SimulatedCore(self.subject.directory, seed=self.subject.seed, library=library, front=True)

    def check_converted(self, subject: CoreSubject[SectorDescription, SimulatedCore, object]) -> int:
        """Statuses, erasure, and sectors under many keys with pauses."""
        assert isinstance(subject, Subject)
        check_statuses(subject)
        check_zeroize(subject)
        return check_sectors(subject, Need(0, 0), CONVERTED)[1]["sectors"]

    def check_clocked(self, subject: CoreSubject[SectorDescription, SimulatedCore, object], statuses: bool) -> int:
        """Statuses, and sectors under many keys with pauses."""
        assert isinstance(subject, Subject)
        if statuses:
            check_statuses(subject)
        return check_sectors(subject, Need(0, 0), CLOCKED)[1]["sectors"]

    def fill(self, core: SimulatedCore, rng: random.Random, cycles: int) -> None:
        """Keys in all slots, sectors in flight, and results that wait."""
        fill(core, rng, cycles=cycles, good=iter(lambda: self.subject.good_key(rng), None))

    def pace(self, core: SimulatedCore, rate: WidthRate, rng: random.Random) -> tuple[int, int]:
        """Sectors of one size back to back: the distance of the statuses in the second half."""
        subject = self.subject
        core.load_key(subject.good_key(rng))
        way = subject.ways[0]
        core.run([Sector(bytes(subject.description.tweak_bytes), rng.randbytes(rate.bytes), way) for _ in range(PACED)])
        cycles = core.status_cycles[PACED // 2 :]
        return cycles[-1] - cycles[0], len(cycles) - 1

    def run(self, core: SimulatedCore, key: bytes, slot: int, rng: random.Random) -> int:
        """Sectors of each size and direction."""
        subject = self.subject
        jobs = [
            Sector(rng.randbytes(subject.description.tweak_bytes), rng.randbytes(size), decrypt, slot)
            for _ in range(PIECES) for size in subject.sizes for decrypt in subject.ways
        ]  # fmt: skip
        reference = subject.reference(key)
        assert reference is not None
        if core.run(jobs) != [reference(job.tweak, job.data, job.decrypt) for job in jobs]:
            raise CheckFailed("a sector under a key that was loaded over registers is wrong")
        return len(jobs)

    def without_key(self, core: SimulatedCore, slot: int, rng: random.Random) -> int:
        """A sector for an empty slot gets NO_KEY."""
        subject = self.subject
        try:
            core.run([Sector(bytes(subject.description.tweak_bytes), bytes(subject.sizes[0]), subject.ways[0], slot)])
        except SectorError as error:
            return int(error.code) if error.code == StatusCode.NO_KEY else 0
        return 0


# -- steps -------------------------------------------------------------------------------------------------------------------------------

Check = Callable[[Subject], tuple[str, Mapping[str, object]]]


def dynamic_checks(need: Need, sectors: int | None = None) -> list[tuple[str, Check]]:
    """The checks that simulate the Verilog, in order.  Each takes a ``Subject``, returns a description, and raises ``CheckFailed``.

    Parameters
    ----------
    need : Need
        Of ``coverage.needed_sectors``.
    sectors : int, optional
        Total number of random sectors, if it differs from the default.
    """
    return [
        ("vectors", check_vectors), ("pace", check_pace), ("edges", check_edges), ("keys", check_keys), ("statuses", check_statuses),
        ("reloads", check_reloads), ("erasure", check_key_erasure), ("zeroize", check_zeroize),
        ("sectors", partial(check_sectors, need=need, wanted=sectors)),
    ]  # fmt: skip


def verify_sectors(
    directory: str | Path, *, sectors: int | None = None, seed: int = 1, optimize: int = 2, hashes: bool = True, cycles: bool = True
) -> Iterator[Step]:
    """Runs all checks, and yields a step for each that passed.

    Parameters
    ----------
    sectors : int, optional
        Number of random sectors.  The default is enough for the S-boxes of the cipher cores.
    seed : int
        Seed of random keys, data and pauses.
    optimize : int
        See ``SimulatedCore``.
    hashes : bool
        Whether the files must be unchanged.  If this is False, edited Verilog is tested.
    cycles : bool
        Whether edited Verilog must have the same outputs in the same cycles as the core that is emitted today.

    Raises
    ------
    CheckFailed, ProofError, TimingChannel
        For the first check that failed.  The message is one line.
    """
    subject = Subject(directory, optimize=optimize, seed=seed)
    description = subject.description
    check_files(subject.directory, description, hashes)
    made = same_core(description, subject.directory)
    texts, need = today(made, description, subject.directory), needed_sectors(made.compiled)

    def dynamic(name: str, check: Check) -> Step:
        step = run_check(subject, name, check)
        if name == "vectors" and not fitting(description):
            step = Step(name, *on_other_core(subject, made.compiled.options, optimize))
        if name == "sectors" and sectors is None and need.lookups:
            step = _with_chance(step, need)
        return step

    todo: list[Callable[[], Step]] = [
        partial(files_step, subject.directory, description, texts, hashes), partial(_proof, subject, made),
        partial(lint_step, subject.directory), partial(timing_step, subject.directory, description), partial(_engine, subject, made),
        *(partial(dynamic, name, check) for name, check in dynamic_checks(need, sectors)), *front_steps(SectorWork(subject)),
    ]  # fmt: skip
    sheets = datasheet_steps(subject.directory, description, optimize=optimize, hashes=hashes)
    last = (partial(_cycles, subject, texts, need, cycles), partial(bench_step, subject.directory, "{cycles_per_sector} cycles per sector"))
    yield from with_skipped(chain((make() for make in todo), sheets, (make() for make in last)))


def _with_chance(step: Step, need: Need) -> Step:
    """Adds what the number of sectors implies for the S-boxes of the cipher cores."""
    chance = missed(need.lookups)
    text = f"{step.text}; each S-box has read {need.lookups} bytes; a wrong entry stays hidden with a probability of {chance:.0e}"
    return Step(step.name, text, {**step.figures, "sbox_lookups": need.lookups, "chance_of_a_hidden_entry": chance})


def _proof(subject: Subject, made: SectorCore) -> Step:
    description, directory = subject.description, subject.directory
    text = f"the program computes {description.mode} ({', '.join(description.directions)})"
    listing = description.files.listing
    if listing and made.listing() == (directory / listing).read_text(encoding="utf-8"):
        return Step("proof", text)
    now, before = versions()["modeloom"], description.version
    if now == before:
        raise CheckFailed(f"{directory}: the program differs from what this version compiles; build the core again")
    why = f"the proof of the core's own program, which modeloom {before} made"
    return Step("proof", f"{text}, as modeloom {now} compiles it", {}, (why,))


def _engine(subject: Subject, made: SectorCore) -> Step:
    """Proves that the emitted core computes the mode, with execution on symbols."""
    report = prove_engine(subject.directory, made)
    turned = "" if report.whole else ", but not every bank has wrapped around"
    text = f"{report.sectors} symbolic sectors in {report.cycles} cycles of the Verilog are those of the definition{turned}"
    return Step("engine", text, {"sectors": report.sectors, "cycles": report.cycles, "blocks": report.blocks, "whole": report.whole})


def _cycles(subject: Subject, texts: dict[str, str], need: Need, wanted: bool) -> Step:
    verilog = subject.description.files.verilog
    if (subject.directory / verilog).read_bytes() == texts[verilog].encode():
        return Step("cycles", "the Verilog is that of the current definition")
    if not wanted:
        return Step("cycles", "skipped", {}, ("comparison of each cycle with the definition's core (--no-cycles)",))
    with tempfile.TemporaryDirectory(prefix="modeloom-verify-") as work:
        for file, text in texts.items():
            (Path(work) / file).write_text(text, encoding="utf-8")
        edited = Recording(subject.directory, optimize=subject.optimize, seed=subject.seed)
        original = Recording(work, optimize=subject.optimize, seed=subject.seed)
        original.mode = edited.mode  # the path of a definition is relative to the folder of the core
        checks = [(name, check) for name, check in dynamic_checks(need, 256) if name != "vectors"]
        total = compare_cycles(edited, original, checks)
    return Step("cycles", f"all outputs are those of the definition's core in {total} cycles", {"cycles": total})
