# SPDX-License-Identifier: Apache-2.0
"""Sweeps for the tests: tiny grids, modes that stop where they are read, traced or run, and a nextpnr that places nothing."""

from __future__ import annotations

import os
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest

from modeloom.sweep import point
from modeloom.sweep.executors import local
from modeloom.sweep.grid import read_sweep
from modeloom.sweep.run import TIMES, Executor, Report, Row, Store, run_points

__all__ = ["CIRCUITS", "MODE", "STEPS", "contents", "nextpnr", "run", "stopping", "write"]

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

_STOP = """
import os, signal, sys, time, traceback
from pathlib import Path

if {step!r} in [frame.name for frame in traceback.extract_stack()]:
{does}
"""

STEPS = ("read_point", "trace_point", "run_point")
"""Functions of ``sweep.point`` that load the file of a mode, in their order."""


def stopping(does: str, step: str = "run_point") -> str:
    """``MODE``, whose file does something when a step loads it, in whatever process this step is."""
    assert step in STEPS and all(callable(getattr(point, name)) for name in STEPS)
    return MODE + _STOP.format(step=step, does=indent(does, "    "))


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


NEXTPNR = """#!/bin/sh
if [ "$1" = --version ]; then
    echo '"nextpnr-ecp5" -- Next Generation Place and Route (Version nextpnr-99.9)' >&2
    exit
fi
echo "$@" >> {log}
echo '{{"fmax": {{"clk": {{"achieved": 123.4}}}}, "critical_paths": [], "utilization": {{}}}}' > report.json
"""


def nextpnr(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Puts a nextpnr of version 99.9, for which every clock is 123.4 MHz, before all others.  Returns the file to which it writes its
    arguments.
    """
    tools, log = folder / "tools", folder / "nextpnr.log"
    tools.mkdir()
    (tools / "nextpnr-ecp5").write_text(NEXTPNR.format(log=log), encoding="utf-8")
    (tools / "nextpnr-ecp5").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    return log
