# SPDX-License-Identifier: Apache-2.0
"""Sweeps for the tests: tiny grids, and modes that stop where a point runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from modeloom.sweep.executors import local
from modeloom.sweep.grid import read_sweep
from modeloom.sweep.run import Executor, Report, run_points
from modeloom.sweep.store import TIMES, Row, Store

__all__ = ["CIRCUITS", "MODE", "contents", "run", "stopping", "write"]

CIRCUITS = """
[[grid]]
circuits = ["karatsuba"]
halt = [2, 4, 8]
[[grid]]
circuits = ["mastrovito"]
"""
"""Points that take milliseconds each."""

MODE = """
from modeloom.spec import Keys, Mode

class Mine(Mode):
    name = "mine"
    title = source = security = "for tests"
    tweak_sizes = (16,)

    def setup(self, o, key):
        return Keys()

    def encrypt(self, o, k, t, p):
        return [o.enc(x ^ t[0]) for x in p]

    def decrypt(self, o, k, t, c):
        return [o.dec(x) ^ t[0] for x in c]
"""
"""A mode in a file."""

_CHILD = """
import os, signal, sys, time
from pathlib import Path

if "modeloom.sweep.child" in " ".join(sys.orig_argv):
    {does}
"""


def stopping(does: str) -> str:
    """``MODE``, which does something where a point of it runs, and nothing where the sweep reads it."""
    return MODE + _CHILD.format(does=does)


def write(folder: Path, text: str, mode: str = MODE) -> Path:
    """Writes a sweep and the file of a mode; returns the path of the sweep."""
    (folder / "mine.py").write_text(mode, encoding="utf-8")
    (folder / "a.toml").write_text(text, encoding="utf-8")
    return folder / "a.toml"


def run(file: Path, executor: Executor | None = None, results: str = "a.sqlite", **options: Any) -> Report:
    """Runs a sweep, one point at a time."""
    sweep = read_sweep(file)
    with Store(file.parent / results) as store:
        return run_points(sweep.points, store, sweep.folder, executor or local(1), timeout=sweep.timeout, **options)


def contents(path: Path) -> list[Row]:
    """All rows of a file of results, without times."""
    with Store(path, make=False) as store:
        return [{name: value for name, value in row.items() if name not in TIMES} for row in store.rows()]
