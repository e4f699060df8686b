# SPDX-License-Identifier: Apache-2.0
"""Which tests run which statement and how long they take: measured once for each test file, in a process and a run folder of its own, so
that nothing that an earlier file has computed hides what a test needs.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mutants import run
from mutants.probes import Marks, names
from mutants.tree import Tree

__all__ = ["Coverage", "measure"]

LIMITS = run.Limits(cpu=900, clock=3600)


@dataclass
class Coverage:
    """What was measured.

    Attributes
    ----------
    files : dict
        Test files that are measured, each with a hash of its text.
    seconds : dict
        Seconds of computation of each test that passes.
    runs : dict
        For each name of a statement, the tests that run it.
    known : dict
        For each test file, the names of all statements that had probes when it was measured.
    """

    files: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    runs: dict[str, set[str]] = field(default_factory=dict)
    known: dict[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> Coverage:
        """What an earlier run has stored, or nothing."""
        if path.exists():
            with path.open("rb") as file:
                loaded: Coverage = pickle.load(file)
                return loaded
        return cls()

    def save(self, path: Path) -> None:
        """Stores it."""
        with path.with_suffix(".new").open("wb") as file:
            pickle.dump(self, file)
        path.with_suffix(".new").replace(path)

    def changed(self, project: Path, files: Sequence[str]) -> list[str]:
        """Test files that are not measured as they stand; what was measured of them is dropped."""
        result = [file for file in files if self.files.get(file) != _hash(project / file)]
        for file in result:
            self._forget(file)
        return result

    def _forget(self, file: str) -> None:
        gone = {test for test in self.seconds if test.partition("::")[0] == file}
        for test in gone:
            del self.seconds[test]
        for tests in self.runs.values():
            tests -= gone
        self.files.pop(file, None)

    def tests(self, file: str, source: str, statement: tuple[int, int]) -> set[str]:
        """Tests that run a statement.  Of what runs at import, those that run anything of the file, or of its folder if the file has data
        alone; of a statement that was not there when a test file was measured, those that run anything of its function.
        """
        name = names(file, source).get(statement)
        if name is None:
            return self._within(f"{file}::") or self._within(f"{Path(file).parent}/")
        new = {path for path in self.files if name not in self.known.get(path, ())}
        others = {test for test in self._within(name.rpartition("::")[0]) if test.partition("::")[0] in new}
        if not others and name not in self.runs:
            others = self._within(f"{file}::")
        return (self.runs.get(name, set()) | others) & self.seconds.keys()

    def _within(self, prefix: str) -> set[str]:
        return set().union(*(tests for key, tests in self.runs.items() if key.startswith(prefix))) & self.seconds.keys()


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def measure(
    coverage: Coverage, trees: Sequence[Tree], sources: list[str], files: Sequence[str], *, cache: Path, store: Path
) -> None:
    """Measures test files, with probes in some sources; prints a line for each."""
    marks = [Marks(tree.root, sources) for tree in trees]
    known = frozenset(marks[0].names)
    waiting = list(files)
    jobs: list[run.Job] = []
    free = list(range(len(trees)))
    while waiting or jobs:
        while waiting and free:
            slot, file = free.pop(), waiting.pop(0)
            marks[slot].take()

            def finished(job: run.Job, status: int, late: bool, file: str = file) -> None:
                taken = 0.0
                for entry in job.outcomes():
                    taken += entry["seconds"]
                    if entry["outcome"] == "passed":
                        coverage.seconds[entry["test"]] = entry["seconds"]
                        for number in entry.get("marks", ()):
                            coverage.runs.setdefault(marks[job.slot].names[number], set()).add(entry["test"])
                coverage.files[file] = _hash(trees[job.slot].root / file)
                coverage.known[file] = known
                coverage.save(store)
                print(f"measured {file}: {taken:.1f} s{', stopped by the clock' if late else ''}, status {status}", flush=True)
                free.append(job.slot)

            marks[slot].choose()
            jobs.append(
                run.start(
                    trees[slot], slot, [file], None, limits=LIMITS, cache=cache, finished=finished, marks=marks[slot].take, first=False
                )
            )
        run.wait(jobs)
