# SPDX-License-Identifier: Apache-2.0
"""Golden files, the slow tests, and the folder of a run.

``expected/`` beside a test holds the texts that it expects; ``pytest --accept`` writes them anew.  Emitted cores and built simulations
lie in a folder that all processes of a run share, so that tests neither use nor leave anything in the user's cache.
"""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from tests import external
from tests.built import RUN_FOLDER
from tests.shards import COLLECTED, LISTED, group_of, parse, shards

# No test fails because the machine is slow.
settings.register_profile("modeloom", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("modeloom")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="write the golden files of the chosen tests instead of comparing")
    everything = bool(os.environ.get("MODELOOM_SLOW"))
    parser.addoption("--slow", action="store_true", default=everything, help="run the slow tests, too (or set MODELOOM_SLOW=1)")
    parser.addoption("--shard", metavar="I/N", help="run nothing but the slow tests, and of these shard I of N")


LONG = ("core", "generality", "taint", "docs", "emit", "prove", "modes")
"""Folders whose files take longest: they come first, so that no process is left alone with one of them at the end."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.stash[COLLECTED] = [item.nodeid for item in items]
    for item in items:
        if item.nodeid in LISTED:
            item.add_marker(pytest.mark.slow)
    config.stash[external.NEEDED] = {
        item.nodeid: (item.get_closest_marker("slow") is not None, list(external.tools_of(item))) for item in items
    }
    chosen = _chosen(config, items)
    if len(chosen) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = [item for item in items if item in chosen]
    places = _places(items)
    items.sort(key=lambda item: places[item.path])


def _places(items: list[pytest.Item]) -> dict[Path, tuple[bool, int, int]]:
    """Where each file comes: those of ``LONG`` first, and of these one from each folder in turn.  Neighbours in a folder often share a
    core, and would wait together until it is built.
    """
    places: dict[Path, tuple[bool, int, int]] = {}
    seen: Counter[str] = Counter()
    for path in dict.fromkeys(item.path for item in items):
        folder = path.parent.name
        places[path] = (False, seen[folder], LONG.index(folder)) if folder in LONG else (True, 0, 0)
        seen[folder] += 1
    return places


def _chosen(config: pytest.Config, items: list[pytest.Item]) -> set[pytest.Item]:
    """The tests that ``--slow`` and ``--shard`` leave."""
    slow = [item for item in items if item.get_closest_marker("slow")]
    if shard := config.getoption("--shard"):
        try:
            number, count = parse(shard)
        except ValueError:
            raise pytest.UsageError(f"--shard is I/N with I from 1 to N, not {shard}") from None
        groups = set(shards((group_of(item.nodeid) for item in slow), count)[number - 1])
        return {item for item in slow if group_of(item.nodeid) in groups}
    return set(items) if config.getoption("--slow") else set(items) - set(slow)


def pytest_report_header(config: pytest.Config) -> str:
    if shard := config.getoption("--shard"):
        return f"slow tests: shard {shard}"
    return "slow tests: run, too" if config.getoption("--slow") else "slow tests: left out (--slow runs them)"


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """What each file of a shard took."""
    if not config.getoption("--shard"):
        return
    seconds: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.nodeid.partition("::")[0]] += report.duration
    for file, taken in sorted(seconds.items()):
        terminalreporter.write_line(f"{taken:8.0f} s  {file}")


class LongTests:
    """Tells of each test that took long when it ends, so that a shard that is stopped has said where its time went."""

    LEAST = 60.0

    def __init__(self, config: pytest.Config):
        self.config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        terminal = self.config.pluginmanager.get_plugin("terminalreporter")
        if report.duration >= self.LEAST and terminal:
            terminal.write_line(f"\n{report.duration:8.0f} s  {report.nodeid} ({report.when})")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes long; left out without --slow or --shard")
    # Graphs and netlists are millions of values that stay for long: with the usual thresholds a sixth of the time goes into looking
    # for garbage among them.
    gc.set_threshold(1_000_000, 10, 50)
    # With one of these set, a failed comparison of long lists is shown with all differences, and difflib takes hours to find them.
    # Tests of planted faults fail on purpose.
    for name in ("CI", "BUILD_NUMBER"):
        os.environ.pop(name, None)
    # The tests may run under make, whose options and variables would go on to each make that a test starts, such as that of Verilator.
    for name in ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL"):
        os.environ.pop(name, None)
    # Each build would compile a simulation for its datasheet.  Tests of the timing set this back.
    os.environ["MODELOOM_TIMING"] = "0"
    if not hasattr(config, "workerinput"):  # the workers of pytest-xdist inherit it
        if config.getoption("--shard"):
            config.pluginmanager.register(LongTests(config))
        os.environ[RUN_FOLDER] = os.environ["MODELOOM_CACHE"] = tempfile.mkdtemp(prefix="modeloom-tests-")
    config.pluginmanager.register(external)


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ[RUN_FOLDER], ignore_errors=True)


@pytest.fixture
def expected(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """``expected(name, text)`` compares a text with ``expected/name`` beside the test."""

    def compare(name: str, text: str) -> None:
        path = request.path.parent / "expected" / name
        if request.config.getoption("--accept"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return
        assert path.is_file(), f"no golden file {path.name}: write it with pytest {request.path.name} --accept"
        assert text == path.read_text(encoding="utf-8"), f"{path.name} differs; is that meant? --accept"

    return compare
