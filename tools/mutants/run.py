# SPDX-License-Identifier: Apache-2.0
"""Tests in a process that is forked from one in which the libraries are already loaded, so that a mutant costs a second or two.

Either the child imports the project from its tree, collects the files that it needs and runs the chosen tests in the order given.
Or it is forked ``inside`` of a run of pytest that has collected all of them, and the code of one function is exchanged: that saves
imports and collection.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from mutants.tree import Tree

__all__ = ["NOT_HERE", "Inside", "Job", "Limits", "inside", "load_libraries", "start", "wait"]

NOT_HERE = 98
"""Exit status of a run inside of another that cannot exchange the code."""

RUN_FOLDER = "MODELOOM_TEST_RUN"
"""Environment variable with the folder of a run of the tests (``tests/conftest.py``)."""

_LIBRARIES = (
    "pytest", "numpy", "amaranth", "amaranth.lib.wiring", "amaranth.back.rtlil", "amaranth.sim", "ortools.sat.python.cp_model",
    "cryptography.hazmat.primitives.ciphers", "hypothesis", "rich.console", "click",
)  # fmt: skip


def load_libraries() -> None:
    """Imports what the tests need, but nothing of the project."""
    for name in _LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


@dataclass(frozen=True)
class Limits:
    """What a run may take: seconds of computation of any of its processes, seconds by the clock, bytes of memory."""

    cpu: int
    clock: float
    memory: int = 8 << 30


@dataclass
class Job:
    """A run of tests under way.

    ``result`` is a file of JSON lines, one for each test: id, outcome, seconds of computation; ``finished`` is called with the exit
    status (of the signal, negative) and whether the clock stopped it.
    """

    pid: int
    slot: int
    result: Path
    limits: Limits
    began: float
    finished: Callable[[Job, int, bool], None]

    def outcomes(self) -> Iterator[dict[str, Any]]:
        """What the run has written."""
        if self.result.exists():
            for line in self.result.read_text(encoding="utf-8").splitlines():
                with contextlib.suppress(ValueError):
                    yield json.loads(line)


class _Plugin:
    """Chooses and orders tests, and writes what became of each."""

    def __init__(self, tests: Sequence[str] | None, result: Path, cache: Path, marks: Callable[[], list[int]] | None):
        self.order = None if tests is None else {name: n for n, name in enumerate(tests)}
        self.result, self.cache, self.marks = result, cache, marks
        self.spent = 0.0
        self.outcome = ""
        self.failed = False

    def pytest_sessionstart(self) -> None:
        # Built simulations are found by the hash of what they simulate, so that mutants can share them.
        os.environ["MODELOOM_CACHE"] = str(self.cache)
        self.spent = _spent()

    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        if self.order is not None:
            left = [item for item in items if item.nodeid not in self.order]
            items[:] = sorted((i for i in items if i.nodeid in self.order), key=lambda i: self.order[i.nodeid])
            config.hook.pytest_deselected(items=left)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed or (report.skipped and not self.outcome):
            self.outcome = "failed" if report.failed else "skipped"
            self.failed = self.failed or report.failed
        if report.when == "teardown":
            now = _spent()
            entry = {"test": report.nodeid, "outcome": self.outcome or "passed", "seconds": round(now - self.spent, 3)}
            if self.marks is not None:
                entry["marks"] = self.marks()
            self.write(entry)
            self.spent, self.outcome = now, ""

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.write({"test": report.nodeid, "outcome": "failed", "seconds": 0.0})

    def write(self, entry: dict[str, Any]) -> None:
        with self.result.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


def _spent() -> float:
    own, below = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + below.ru_utime + below.ru_stime


def start(
    tree: Tree,
    slot: int,
    files: Sequence[str],
    tests: Sequence[str] | None,
    *,
    limits: Limits,
    cache: Path,
    finished: Callable[[Job, int, bool], None],
    marks: Callable[[], list[int]] | None = None,
    first: bool = True,
    within: Inside | None = None,
    patch: Callable[[], None] = lambda: None,
) -> Job:
    """Starts tests in a tree.

    Parameters
    ----------
    tree : Tree
    slot : int
        A number for whoever waits.
    files : sequence of str
        Test files to collect.
    tests : sequence of str, optional
        Ids of the tests to run, in this order; all of the files if not given.
    limits : Limits
    cache : Path
        Folder of built simulations.
    finished : callable
    marks : callable, optional
        Gives the statements that a test has run, when it is over.
    first : bool
        Whether to stop at the first test that fails.
    within : Inside, optional
        A run of pytest that has collected the tests.
    patch : callable
        Exchanges code there; raises ``LookupError`` if it cannot.
    """
    result, log, temporary = tree.root / "outcomes", tree.root / "log", tree.root / "tmp"
    result.unlink(missing_ok=True)
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return Job(pid, slot, result, limits, time.monotonic(), finished)
    status = 99
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu, limits.cpu + 5))
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
        with log.open("w") as out:
            os.dup2(out.fileno(), 1)
            os.dup2(out.fileno(), 2)
        sys.stdout = sys.__stdout__
        os.chdir(tree.root)
        os.environ.update(tree.environment(), TMPDIR=str(temporary))
        os.environ.pop("MODELOOM_SLOW", None)
        import tempfile

        tempfile.tempdir = None
        sys.dont_write_bytecode = True
        if within is not None:
            os.environ.update({RUN_FOLDER: str(temporary), "MODELOOM_CACHE": str(cache)})
            within.move(tree.root)
            status = within.run(tests or (), result, patch, first)
            return None  # type: ignore[return-value]
        sys.path[:0] = [str(tree.root / "src"), str(tree.root)]
        import pytest

        arguments = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=short", f"--rootdir={tree.root}", "-c", "pyproject.toml"]
        plugin = _Plugin(tests, result, cache, marks)
        status = int(pytest.main([*arguments, *(["-x"] if first else []), *files], plugins=[plugin]))
    except BaseException as error:  # noqa: BLE001
        print(f"stopped: {error!r}", file=sys.stderr)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


class Inside:
    """A run of pytest that has collected tests from the copy at ``root`` and runs none itself."""

    def __init__(self, loop: Callable[[Inside], None], root: Path):
        self.loop, self.root = loop, root
        self.items: dict[str, Any] = {}
        self.session: Any = None
        self.plugin: _Plugin | None = None

    def pytest_runtestloop(self, session: Any) -> bool:
        self.session = session
        self.items = {item.nodeid: item for item in session.items}
        self.loop(self)
        return True

    def pytest_runtest_logreport(self, report: Any) -> None:
        if self.plugin is not None:
            self.plugin.pytest_runtest_logreport(report)

    def move(self, root: Path) -> None:
        """Modules say that they lie in another copy: what a test starts by its own path then runs the mutant, too."""
        for module in list(sys.modules.values()):
            place = vars(module).get("__file__") if isinstance(module, ModuleType) else None
            if place and Path(place).is_relative_to(self.root):
                module.__file__ = str(root / Path(place).relative_to(self.root))

    def run(self, tests: Sequence[str], result: Path, patch: Callable[[], None], first: bool) -> int:
        """Runs tests in a forked process, if ``first`` until one fails: 0 or 1, or ``NOT_HERE``."""
        try:
            patch()
        except LookupError:
            return NOT_HERE
        self.plugin = _Plugin(tests, result, Path(), None)
        self.plugin.spent = _spent()
        items = [self.items[name] for name in tests if name in self.items]
        for item, following in zip(items, [*items[1:], None]):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.plugin.failed and first:
                return 1
        return int(self.plugin.failed)


def inside(tree: Tree, files: Sequence[str], loop: Callable[[Inside], None]) -> None:
    """Collects test files of a tree and calls ``loop`` while pytest is ready to run them."""
    os.environ.update(tree.environment())
    sys.dont_write_bytecode = True
    sys.path[:0] = [str(tree.root / "src"), str(tree.root)]
    import pytest

    before = os.getcwd()
    os.chdir(tree.root)
    with (tree.root / "log").open("w") as log:
        out = os.dup(1)
        os.dup2(log.fileno(), 1)
        again = os.fdopen(out, "w")
    arguments = ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=short", f"--rootdir={tree.root}", "-c", "pyproject.toml"]

    def started(run: Inside) -> None:
        with contextlib.redirect_stdout(again):
            loop(run)

    pytest.main([*arguments, *files], plugins=[Inside(started, tree.root)])
    sys.stdout.flush()
    os.dup2(out, 1)
    os.chdir(before)


def wait(jobs: list[Job]) -> None:
    """Waits until one of the jobs is over or out of time, and takes it off the list."""
    while True:
        for job in jobs:
            pid, status = os.waitpid(job.pid, os.WNOHANG)
            late = time.monotonic() - job.began > job.limits.clock
            if pid or late:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(job.pid, signal.SIGKILL)
                if not pid:
                    os.waitpid(job.pid, 0)
                jobs.remove(job)
                job.finished(job, os.waitstatus_to_exitcode(status) if pid else -signal.SIGKILL, late and not pid)
                return
        time.sleep(0.02)
