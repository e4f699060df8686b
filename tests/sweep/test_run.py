# SPDX-License-Identifier: Apache-2.0
"""Sweeps on one machine: what is new runs, what fails stops no other point, and what was interrupted goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import nullcontext

import pytest
from tests.built import slow, slowly
from tests.sweeps import CIRCUITS, MODE, contents, run, stopping, write

from modeloom.compiler.compile import compile_mode
from modeloom.modes import find
from modeloom.options.sectors import Options
from modeloom.sweep import configuration
from modeloom.sweep.executors import local

BESIDE = """
[[grid]]
circuits = ["karatsuba"]
[[grid]]
modes = ["mine.py:Mine"]
sector = [16, 32]
[[grid]]
circuits = ["mastrovito"]
"""
"""A mode of a user between circuits."""


def by_status(report):
    return [row["status"] for row in report.rows]


def test_a_repeated_sweep_runs_what_is_new(tmp_path):
    file = write(tmp_path, CIRCUITS)
    with local(1) as workers:
        first = run(file, nullcontext(workers))
        again = run(file, nullcontext(workers))
        more = run(write(tmp_path, CIRCUITS.replace("[2, 4, 8]", "[2, 4, 8, 16]")), nullcontext(workers))
    assert (first.known, first.ran) == (0, 4) and by_status(first) == ["ok"] * 4
    assert (again.known, again.ran) == (4, 0) and again.rows == first.rows
    assert (more.known, more.ran) == (4, 1) and len(more.rows) == 5


def test_a_mode_of_a_user_has_its_title_in_its_row(tmp_path):
    """A page of the results may be made where its file is not.  Rows of modes of modeloom do not have it."""
    mine, xts = run(write(tmp_path, '[[grid]]\nmodes = ["mine.py:Mine", "xts"]\nsector = 16\n')).rows
    assert json.loads(mine["result"])["mode"] == {"title": "for tests", "security": "for tests"} and "mode" not in json.loads(xts["result"])


def test_figures_are_those_of_the_compiler(tmp_path):
    """A mode on sectors, and one of a user with the same figures in its row as in ``explain``."""
    (row, refused) = run(write(tmp_path, '[[grid]]\nmodes = ["heh-brw"]\nsector = 64\naes = [1, 3]\n')).rows
    compiled = compile_mode(find("heh-brw"), Options(sector=64))
    assert json.loads(row["result"])["explain"] == json.loads(json.dumps(compiled.explain()))
    stated = compiled.explain()
    assert [row[name] for name in ("cycles_per_sector", "latency", "storage_blocks", "proved", "sector_bytes")] == [
        stated[name] for name in ("cycles_per_sector", "latency", "storage_blocks", "proved", "sector_bytes")
    ]
    assert (row["bytes_per_cycle"], row["multipliers"], row["cipher_cores"]) == (64 / stated["ii"], stated["units"]["mul"]["count"], 1)
    assert row["definition"] == configuration.sector_hash(compiled) and row["luts"] is None
    assert refused["status"] == "refused" and "--cipher-cores 3 gives no default for --lanes" in refused["error"]


@slow
def test_messages_have_the_figures_of_their_core(tmp_path):
    text = '[[grid]]\nmodes = ["gcm", "ocb3"]\nblocks-per-cycle = [1, 2]\n[[grid]]\nmodes = ["gcm-siv"]\nkeys = "inline"\n'
    rows = run(write(tmp_path, text)).rows
    assert [(row["bytes_per_cycle"], row["multipliers"], row["cipher_cores"]) for row in rows] == [
        (16, 1, 1), (32, 2, 2), (16, 0, 1), (32, 0, 2), (8, 1, 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("does", "status", "told"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", "crashed", "signal 9"),
        (
            "print('no memory', file=sys.stderr, flush=True); os._exit(3)", "crashed",
            "the process of the point terminated (exit status 3): no memory",
        ),
        *slowly(("time.sleep(100)", "timeout", "the point took longer than 15 s; allow more time with timeout")),
    ],
    ids=["killed", "ended", "sleeps"],
)  # fmt: skip
def test_a_point_whose_process_ends_stops_no_other(tmp_path, does, status, told):
    file = write(tmp_path, "[sweep]\ntimeout = 15\n" + BESIDE, stopping(does))
    first = run(file)
    assert by_status(first) == ["ok", status, status, "ok"] and told in first.rows[1]["error"]
    again = run(write(tmp_path, "[sweep]\ntimeout = 60\n" + BESIDE, MODE))
    assert by_status(again) == ["ok"] * 4 and (again.known, again.ran) == (2, 2)


def test_points_of_a_broken_machine_run_again(tmp_path):
    """The same file of the mode, and so the same key: what has crashed runs again, and its row is replaced."""
    there = tmp_path / "there"
    file = write(tmp_path, BESIDE, stopping(f"Path({str(there)!r}).exists() or os.kill(os.getpid(), signal.SIGKILL)"))
    assert by_status(run(file)) == ["ok", "crashed", "crashed", "ok"]
    there.touch()
    again = run(file)
    assert by_status(again) == ["ok"] * 4 and (again.known, again.ran) == (2, 2) and len(contents(tmp_path / "a.sqlite")) == 4


@pytest.mark.parametrize(
    ("wrong", "status", "told"),
    [
        ("return [o.enc(x ^ t[0]) for x in p][1:]", "refused", "mine.py"),
        ("raise RuntimeError('no way')", "refused", "no way"),
    ],
)
def test_a_wrong_definition_says_why(tmp_path, wrong, status, told):
    mode = MODE.replace("return [o.enc(x ^ t[0]) for x in p]", wrong)
    report = run(write(tmp_path, BESIDE, mode))
    assert by_status(report) == ["ok", status, status, "ok"] and told in report.rows[1]["error"] and "\n" not in report.rows[1]["error"]


def test_a_fault_that_nobody_expects_has_its_place(tmp_path):
    mode = stopping("import modeloom.sweep.point as point; point.SectorCore = None")
    report = run(write(tmp_path, BESIDE, mode))
    told = report.rows[1]["error"]
    assert by_status(report) == ["ok", "error", "error", "ok"] and "TypeError" in told and "(point.py, line" in told


def test_a_changed_definition_runs_anew(tmp_path):
    file = write(tmp_path, BESIDE)
    first = run(file)
    other = MODE.replace("for x in p", "^ t[0] for x in p").replace("o.dec(x) ^ t[0]", "o.dec(x ^ t[0]) ^ t[0]")
    changed = run(write(tmp_path, BESIDE, other))
    assert (changed.known, changed.ran) == (2, 2) and by_status(changed) == ["ok"] * 4
    assert [one["definition"] == other["definition"] for one, other in zip(first.rows, changed.rows)] == [True, False, False, True]
    # What was measured of the old definition stays, and comes back with it.
    assert run(write(tmp_path, BESIDE)).known == 4 and len(contents(tmp_path / "a.sqlite")) == 6


def test_a_changed_tool_runs_anew(tmp_path, monkeypatch):
    """Other sources are another compiler.  Where the point runs they must be those that the row will name."""
    file = write(tmp_path, CIRCUITS)
    run(file)
    monkeypatch.setattr(configuration, "VERSION", "9.9.9")
    again = run(file)
    assert again.ran == 4 and by_status(again) == ["error"] * 4
    assert again.rows[0]["error"] == "the worker has modeloom 0.1.0, but the sweep was started with 9.9.9"


def test_many_processes_give_the_same_rows(tmp_path):
    file = write(tmp_path, CIRCUITS + BESIDE)
    run(file)
    run(file, local(2), "b.sqlite")
    assert contents(tmp_path / "a.sqlite") == contents(tmp_path / "b.sqlite")


@slow
@pytest.mark.parametrize(("step", "left"), [("trace_point", ["karatsuba"]), ("run_point", ["karatsuba", "mastrovito"])])
def test_a_killed_sweep_goes_on(tmp_path, step, left):
    """The command is killed while a point of the mode is traced or runs.  What had ended stays, and the next run does the rest.

    The processes end.  Definitions are traced before the points of the mode run, so the second circuit has ended when they do.
    """
    pid = tmp_path / "pid"
    does = f"(Path({str(pid)!r}).exists() or (Path({str(pid)!r}).write_text(str(os.getpid())), time.sleep(60)))"
    file = write(tmp_path, BESIDE, stopping(does, step))
    process = subprocess.Popen([sys.executable, "-m", "modeloom.cli", "sweep", str(file), "--jobs", "1"], cwd=tmp_path)
    limit = time.monotonic() + 60
    while not (pid.is_file() and pid.read_text()) and time.monotonic() < limit:
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    assert process.wait(10) == -signal.SIGKILL
    child = int(pid.read_text())
    while time.monotonic() < limit and os.path.exists(f"/proc/{child}/stat") and " Z " not in open(f"/proc/{child}/stat").read():
        time.sleep(0.1)
    assert time.monotonic() < limit, "the process of the point goes on without its sweep"
    assert sorted(row["name"] for row in contents(tmp_path / "a.sqlite")) == left
    again = run(file)
    assert (again.known, again.ran) == (len(left), 4 - len(left)) and by_status(again) == ["ok"] * 4
    whole = run(file, results="whole.sqlite")
    assert whole.ran == 4 and contents(tmp_path / "whole.sqlite") == contents(tmp_path / "a.sqlite")
