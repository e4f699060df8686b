# SPDX-License-Identifier: Apache-2.0
"""Definitions that hang, or end their process, wherever they are read or traced: their points say so, and the others run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future
from contextlib import nullcontext

import pytest
from tests.built import slow, slowly
from tests.sweeps import MODE, contents, run, stopping, write

from modeloom.sweep.point import ended
from modeloom.sweep.run import Workers

TWO = (
    MODE
    + """
import os, time
from pathlib import Path

from modeloom.modes.gcm import GCM

FIXED = Path(__file__).with_name("fixed")


class Sealed(GCM):
    name = "sealed"

    def start(self, o, k, nonce):
        {stream}
        return super().start(o, k, nonce)
"""
)
"""A mode on sectors of one block or more, and one for messages.  What they do is not in the file that the sweep hashes."""

GRID = """
[sweep]
timeout = {timeout}
[[grid]]
circuits = ["karatsuba"]
[[grid]]
modes = ["mine.py:Mine"]
sector = [16, 32]
[[grid]]
modes = ["mine.py:Sealed"]
[[grid]]
modes = ["xts"]
sector = 16
"""


def definitions(sector: str = "pass", stream: str = "pass") -> str:
    """The two modes, which do something when they are traced."""
    text = TWO.format(stream=stream)
    return text.replace("        return [o.enc", f"        {sector}\n        return [o.enc")


def command(folder, *more, **keywords):
    """``modeloom sweep`` in a process of its own: a definition that it traces itself cannot end the tests."""
    return subprocess.Popen(
        [sys.executable, "-m", "modeloom.cli", "sweep", "a.toml", *more], cwd=folder, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, **keywords,
    )  # fmt: skip


def gone(pid: int, limit: float) -> bool:
    """Whether a process ends within so many seconds."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        try:
            if " Z " in open(f"/proc/{pid}/stat").read():
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize(
    ("sector", "stream", "statuses", "told", "timeout"),
    [
        ("pass", "FIXED.exists() or os._exit(3)", ["ok", "ok", "ok", "crashed", "ok"],
         "the process that traced the definition terminated (exit status 3)", 300),
        *slowly(("while len(p) == 2 and not FIXED.exists(): pass", "pass", ["ok", "ok", "timeout", "ok", "ok"],
                 "the definition was traced for more than 20 s; allow more time with timeout", 20)),
    ],
    ids=["ends", "hangs"],
)  # fmt: skip
def test_other_points_run(tmp_path, sector, stream, statuses, told, timeout):
    """The point of the broken definition runs again when it is not broken any more, in the place of its row."""
    file = write(tmp_path, GRID.format(timeout=timeout), definitions(sector, stream))
    # One that hangs leaves the other points a process.
    process = command(tmp_path, "--jobs", "2" if "while" in sector else "1", "--json")
    try:
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 1 and err.endswith("modeloom: 1 point did not finish; the next run repeats it\n"), err
    report = json.loads(out)
    assert [point["status"] for point in report["points"]] == statuses and (report["known"], report["ran"]) == (0, 5)
    (wrong,) = (point for point in report["points"] if point["status"] != "ok")
    assert (wrong["error"], wrong["definition"]) == (told, "")
    (tmp_path / "fixed").touch()
    again = run(file)
    assert (again.known, again.ran) == (4, 1) and {row["status"] for row in again.rows} == {"ok"}
    assert len(contents(tmp_path / "a.sqlite")) == 5


def test_an_exception_that_nobody_expects_has_its_place(tmp_path):
    """A fault of modeloom while it traces a definition is an error of the points of this definition."""
    mode = stopping("import modeloom.sweep.configuration as configuration; configuration.checked_mode = None", "trace_point")
    grids = '[[grid]]\ncircuits = ["karatsuba"]\n[[grid]]\nmodes = ["mine.py:Mine"]\nsector = 16\n'
    circuit, row = run(write(tmp_path, grids, mode)).rows
    assert (circuit["status"], row["status"]) == ("ok", "error")
    assert "TypeError" in row["error"] and "(configuration.py, line" in row["error"]


@slow
def test_an_interrupt_ends_the_trace(tmp_path):
    """Ctrl-C, with a limit that is longer than the operating system can wait.  What had ended stays."""
    sleeps = f"Path({str(tmp_path / 'pid')!r}).write_text(str(os.getpid())); time.sleep(1000)"
    write(tmp_path, GRID.format(timeout=1e9), definitions(sleeps))
    process = command(tmp_path, "--jobs", "1")
    try:
        limit = time.monotonic() + 60
        while not (tmp_path / "pid").is_file() or not (tmp_path / "pid").read_text():
            assert time.monotonic() < limit and process.poll() is None
            time.sleep(0.1)
        child = int((tmp_path / "pid").read_text())
        assert child != process.pid
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 130 and err.endswith("\nmodeloom: interrupted\n") and gone(child, 10)
    assert [row["name"] for row in contents(tmp_path / "a.sqlite")] == ["karatsuba"]


@pytest.mark.parametrize(
    ("does", "told"),
    [
        ("os._exit(3)", "the process that read the file terminated (exit status 3)"),
        *slowly(("while True: pass", "the file was read for more than 10 s; allow more time with timeout")),
    ],
    ids=["ends", "hangs"],
)
def test_a_file_that_cannot_be_read_is_refused(tmp_path, does, told):
    """Before anything runs: the kind of its modes is not known, and so not their options."""
    limit = "[sweep]\ntimeout = 10\n" if "while" in does else ""
    write(tmp_path, limit + '[[grid]]\ncircuits = ["karatsuba"]\n[[grid]]\nmodes = ["mine.py:Mine"]\n', stopping(does, "read_point"))
    process = command(tmp_path)
    try:
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (2, "", f"modeloom: a.toml, grid 2: mine.py:Mine: {told}; a file must only define modes\n")
    assert not (tmp_path / "a.sqlite").exists()


def test_modes_of_modeloom_need_no_process(tmp_path, monkeypatch):
    """Its circuits and modes are read and traced at once.  A mode in a file is not."""
    asked = []

    def note(request):
        asked.append((request["task"], request["configuration"]["name"]))
        return ended(0, "ok", None, {"kind": "sector", "broken": None, "definition": "d"})

    def noted(request):
        future = Future()
        future.set_result(note(request))
        return future

    def asked_for(names):
        asked.clear()
        run(write(tmp_path, f"[[grid]]\nmodes = {names}\n"), nullcontext(Workers(run=noted, trace=noted)))
        return asked

    monkeypatch.setattr("modeloom.sweep.grid.perform", note)
    assert asked_for(["xts", "xts-gb", "gcm"]) == [("run", "xts"), ("run", "xts-gb"), ("run", "gcm")]
    assert asked_for(["mine.py:Mine"]) == [("read", "mine.py:Mine"), ("trace", "mine.py:Mine"), ("run", "mine.py:Mine")]


def test_one_trace_for_all_targets(tmp_path):
    """The definition of a point does not depend on its target and its steps."""
    log = tmp_path / "log"
    mode = stopping(f"with open({str(log)!r}, 'a') as file: print(os.getpid(), file=file)", "trace_point")
    text = '[[grid]]\nmodes = ["mine.py:Mine"]\nsector = [16, 24]\naes = 3\ntargets = ["gates", "xc7", "ecp5"]\n'
    report = run(write(tmp_path, text, mode))
    assert [row["status"] for row in report.rows] == ["refused"] * 6
    assert len(log.read_text().splitlines()) == 2 and str(os.getpid()) not in log.read_text()
