# SPDX-License-Identifier: Apache-2.0
"""Which mutants are run, by which tests, and what has become of them."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Container, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from mutants import run
from mutants.coverage import Coverage
from mutants.operators import Mutation, changes, mutations
from mutants.patch import exchange
from mutants.tree import Tree

__all__ = [
    "FOLDERS", "Mutant", "Result", "choose", "equivalents", "folder_of", "load", "run_all", "save", "seed_of", "sources", "summary",
    "test_order", "unsound",
]  # fmt: skip

FOLDERS = {
    "schedule": 64, "allocate": 64, "ir": 64, "taint": 64, "rtl/gf128": 64, "rtl/aes": 84, "emit": 110, "prove": 64, "rtl/bus": 48,
    "rtl/engine": 36, "spec": 64,
}  # fmt: skip
"""Folders whose sources are mutated, with the mutants that are drawn of each: fewer where each has to be compiled to be simulated."""

BESIDE = {"rtl/aes": ("rtl/logic.py", "../modeloom_circuits/aes"), "rtl/gf128": ("../modeloom_circuits/gf128",)}
"""Folders and files whose sources count as those of another folder."""

FIRST = 12
"""Tests that a mutant meets first; most are killed by them, and fewer files are collected."""


@dataclass(frozen=True)
class Mutant:
    """A mutation of a file, with its path below ``src``."""

    file: str
    mutation: Mutation

    @property
    def key(self) -> tuple[str, str]:
        """File and mutation, the same when lines move."""
        return self.file, self.mutation.what


@dataclass
class Result:
    """What has become of a mutant: "killed", "survived", "equivalent", or "later" while it has not run; ``by`` is the test that killed it,
    or the reason.
    """

    file: str
    line: int
    what: str
    outcome: str
    by: str
    tests: int
    seconds: float


def sources(package: Path, folder: str) -> list[Path]:
    """Sources of a folder, of those below it, and of those beside it; none that another of ``FOLDERS`` has."""
    folders = (folder, *BESIDE.get(folder, ()))
    others = [package / other for other in FOLDERS if other.startswith(folder + "/")]
    places = [(package / place).resolve() for place in folders]
    found = [path for place in places for path in ([place] if place.is_file() else sorted(place.rglob("*.py")))]
    return [path for path in found if not any(path.is_relative_to(other) for other in others)]


def folder_of(file: str) -> str:
    """The one of ``FOLDERS`` whose sources a file, given below ``src``, is one of; its own folder if there is none."""
    inside, other = Path(*Path(file).parts[1:]), Path("..", file)
    for folder in sorted(FOLDERS, key=len, reverse=True):
        if any(inside.is_relative_to(place) or other.is_relative_to(place) for place in (folder, *BESIDE.get(folder, ()))):
            return folder
    return str(inside.parent)


def choose(
    package: Path, folder: str, number: int | None, seed: int, meant: Callable[[Mutant], bool] = lambda mutant: True,
    kept: Container[tuple[str, str]] = (),
) -> list[Mutant]:  # fmt: skip
    """Mutants of a folder, those first whose hash with the seed is least: a change of one function leaves those of others as they are.
    Mutants that have been drawn before come before all others, so that new files beside theirs take no place from them.

    Parameters
    ----------
    package : Path
        ``src/modeloom``, or another package.
    folder : str
        Folder of the package; see :func:`sources`.
    number : int, optional
        How many; all if not given.
    seed : int
    meant : callable
        Which mutants to choose from.
    kept : container of keys
        Mutants that have been drawn before.
    """
    found: list[tuple[bool, str, Mutant, str]] = []
    for path in sources(package, folder):
        source = path.read_text(encoding="utf-8")
        file = path.relative_to(package.parent).as_posix()
        for mutation in mutations(source):
            place = hashlib.sha256(f"{seed} {file} {mutation.what}".encode()).hexdigest()
            if meant(mutant := Mutant(file, mutation)):
                found.append((mutant.key not in kept, place, mutant, source))
    chosen: list[Mutant] = []
    for _, _, mutant, source in sorted(found, key=lambda entry: entry[:2]):
        if number is not None and len(chosen) == number:
            break
        if changes(mutant.mutation, source):
            chosen.append(mutant)
    return chosen


def equivalents(path: Path) -> dict[tuple[str, str], str]:
    """The reason for each mutant that computes the same as its source."""
    entries = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return {(entry["file"], entry["what"]): entry["reason"] for entry in entries}


def load(path: Path) -> dict[tuple[str, str], Result]:
    """Results of earlier runs."""
    entries = json.loads(path.read_text(encoding="utf-8"))["mutants"] if path.exists() else []
    return {(entry["file"], entry["what"]): Result(**entry) for entry in entries}


def seed_of(path: Path) -> int | None:
    """The seed with which the mutants of earlier runs were drawn; None if there are none."""
    return int(json.loads(path.read_text(encoding="utf-8"))["seed"]) if path.exists() else None


def save(path: Path, results: Iterable[Result], seed: int) -> None:
    """Stores results, a line for each."""
    lines = [json.dumps(asdict(r), ensure_ascii=False) for r in sorted(results, key=lambda r: (r.file, r.line, r.what))]
    path.write_text(f'{{"seed": {seed}, "mutants": [\n' + ",\n".join(lines) + "\n]}\n", encoding="utf-8")


def test_order(coverage: Coverage, mutant: Mutant, source: str, budget: float, only: Container[str]) -> list[str]:
    """Tests that run the mutated statement, the fastest first, those of the folder that mirrors the source before slower ones, and then
    the others of their files, which may use what the first one has made; as many as the budget has seconds for, but at least one.
    """
    folder = "tests/" + "/".join(mutant.file.split("/")[1:-1])
    own = f"{folder}/test_{Path(mutant.file).stem}.py"

    def weight(test: str) -> tuple[float, str]:
        seconds = coverage.seconds[test]
        near = 0.3 if test.startswith(own + "::") else 0.5 if test.startswith(folder + "/") else 1
        return (seconds + 0.05) * near, test

    result: list[str] = []
    spent = 0.0
    found = {t for t in coverage.tests(mutant.file, source, mutant.mutation.statement) if t.partition("::")[0] in only}
    files = {test.partition("::")[0] for test in found}
    beside = {test for test in coverage.seconds if test.partition("::")[0] in files} - found
    for test in [*sorted(found, key=weight), *sorted(beside, key=weight)]:
        if spent + coverage.seconds[test] > budget and result:
            continue
        result.append(test)
        spent += coverage.seconds[test]
    return result


class _Trial:
    """A mutant on its way through the tests."""

    def __init__(self, mutant: Mutant, source: str, tests: list[str]):
        self.mutant, self.source = mutant, source
        self.parts = [part for part in (tests[:FIRST], tests[FIRST:]) if part]
        self.passed = 0
        self.began = time.monotonic()

    def result(self, outcome: str, by: str) -> Result:
        seconds = round(time.monotonic() - self.began, 1)
        return Result(self.mutant.file, self.mutant.mutation.line, self.mutant.mutation.what, outcome, by, self.passed, seconds)


def run_all(
    todo: Sequence[Mutant], trees: Sequence[Tree], coverage: Coverage, *, cache: Path, budget: float,
    done: Callable[[Result], None], only: Container[str], patience: int, within: run.Inside | None = None,
) -> None:
    """Runs mutants, one in each tree at a time, against the tests of some files; ``done`` takes what became of each.

    A process may compute for ``patience`` seconds and six times what its tests take.  ``within`` is a run of pytest that has collected
    tests; what cannot run there is left for later.
    """
    waiting = list(todo)
    jobs: list[run.Job] = []
    free = list(range(len(trees)))
    undo: dict[int, ExitStack] = {}

    def begin(slot: int, trial: _Trial) -> None:
        part = trial.parts.pop(0)
        mutant = trial.mutant

        def patch() -> None:
            exchange(mutant.file, mutant.mutation.scope, mutant.mutation.apply(trial.source))
        expected = sum(coverage.seconds[test] for test in part)
        limits = run.Limits(cpu=int(patience + 6 * expected), clock=180 + 40 * expected)
        files = list(dict.fromkeys(test.partition("::")[0] for test in part))

        def finished(job: run.Job, status: int, late: bool) -> None:
            failed = next((entry["test"] for entry in job.outcomes() if entry["outcome"] == "failed"), "")
            trial.passed += sum(entry["outcome"] == "passed" for entry in job.outcomes())
            if trial.parts and status == 0:
                begin(slot, trial)
                return
            undo.pop(slot).close()
            free.append(slot)
            if status in (0, run.NOT_HERE):
                done(trial.result("later" if status else "survived", ""))
            else:
                reason = failed or ("out of time" if late or status < 0 else f"exit status {status}")
                done(trial.result("killed", reason))

        jobs.append(
            run.start(
                trees[slot], slot, files, part, limits=limits, cache=cache, finished=finished,
                within=within, patch=patch,
            )
        )  # fmt: skip

    while waiting or jobs:
        while waiting and free:
            mutant = waiting.pop(0)
            # A free tree stands as it was copied.
            source = (trees[free[-1]].root / "src" / mutant.file).read_text(encoding="utf-8")
            trial = _Trial(mutant, source, test_order(coverage, mutant, source, budget, only))
            if not trial.parts:
                done(trial.result("survived", "no test runs it"))
                continue
            slot = free.pop()
            undo[slot] = ExitStack()
            undo[slot].enter_context(trees[slot].changed(mutant.file, mutant.mutation.apply(source)))
            begin(slot, trial)
        if jobs:
            run.wait(jobs)


def unsound(
    killers: Sequence[str], tree: Tree, coverage: Coverage, *, cache: Path, within: run.Inside | None = None
) -> set[str]:
    """Those of some tests that fail without a mutant, too, run as mutants meet them: what they have killed says nothing."""
    failed: set[str] = set()
    left = [test for test in killers if test in coverage.seconds]
    while left:
        part, left = left[:40], left[40:]
        expected = sum(coverage.seconds[test] for test in part)
        wrong: list[str] = []

        def finished(job: run.Job, status: int, late: bool, part: list[str] = part, wrong: list[str] = wrong) -> None:
            passed = {entry["test"] for entry in job.outcomes() if entry["outcome"] == "passed"}
            wrong += [test for test in part if test not in passed]

        files = list(dict.fromkeys(test.partition("::")[0] for test in part))
        limits = run.Limits(cpu=int(60 + 6 * expected), clock=600 + 40 * expected)
        jobs = [run.start(tree, 0, files, part, limits=limits, cache=cache, finished=finished, first=False, within=within)]
        run.wait(jobs)
        failed.update(wrong)
    return failed


def summary(results: Sequence[Result], folders: Iterable[str] = FOLDERS) -> str:
    """A table by folder, in Markdown."""
    lines = ["| folder | mutants | equivalent | killed | survived | killed of those that differ |", "|---|---|---|---|---|---|"]
    rows = [(folder, [r for r in results if folder_of(r.file) == folder]) for folder in folders]
    for name, part in [*rows, ("together", [r for _, those in rows for r in those])]:
        count = {outcome: sum(r.outcome == outcome for r in part) for outcome in ("equivalent", "killed", "survived")}
        differ = count["killed"] + count["survived"]
        if part:
            share = f"{100 * count['killed'] / differ:.1f} %" if differ else ""
            lines.append(f"| {name} | {len(part)} | {count['equivalent']} | {count['killed']} | {count['survived']} | {share} |")
    return "\n".join(lines)
