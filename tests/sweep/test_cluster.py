# SPDX-License-Identifier: Apache-2.0
"""A sweep on a Dask cluster: a real scheduler and two workers, which are processes of their own.  One of them is killed in mid-sweep."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time

import pytest
from tests.built import slow
from tests.sweeps import CIRCUITS, contents, run, stopping, write

from modeloom.sweep.executors import cluster

GRID = (
    CIRCUITS
    + """
[[grid]]
modes = ["mine.py:Mine"]
sector = [16, 32, 48]
[[grid]]
modes = ["mine.py:Ends", "gcm"]
"""
)

ENDS = """
class Ends(Mine):
    name = "ends"

    def encrypt(self, o, k, t, p):
        os._exit(3)
"""
"""A mode whose definition ends the process that traces it, which is one of the sweep and not of a worker."""


@pytest.fixture
def dask(tmp_path):
    """``dask(*arguments)`` starts a process of Dask and waits for a line of its log that a pattern matches."""
    started = []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}

    def start(module, *arguments, until):
        log = tmp_path / f"{len(started)}.log"
        with log.open("w") as out:
            command = [sys.executable, "-m", f"distributed.cli.{module}", "--no-dashboard", *arguments]
            started.append(subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=out, stderr=subprocess.STDOUT))
        limit = time.monotonic() + 60
        while not (found := re.search(until, log.read_text())):
            assert time.monotonic() < limit and started[-1].poll() is None, log.read_text()
            time.sleep(0.1)
        return started[-1], found

    yield start
    for process in started:
        process.kill()
        process.wait()


@slow
def test_a_killed_worker_changes_nothing(tmp_path, dask):
    """The first process that runs a point of the mode waits until its worker is killed.  The other worker runs the point again."""
    pid = tmp_path / "pid"
    does = f"(Path({str(pid)!r}).exists() or (Path({str(pid)!r}).write_text(str(os.getppid())), time.sleep(120)))"
    file = write(tmp_path, GRID, stopping(does) + ENDS)
    _, found = dask("dask_scheduler", "--port", "0", "--host", "127.0.0.1", until=r"Scheduler at:\s+(tcp://\S+)")
    address = found[1]
    workers = {}
    for name in ("one", "two"):
        arguments = (address, "--nthreads", "1", "--no-nanny", "--name", name, "--local-directory", str(tmp_path / name))
        process, _ = dask("dask_worker", *arguments, until=r"Registered to:")
        workers[process.pid] = process
    command = [sys.executable, "-m", "modeloom.cli", "sweep", str(file), "--scheduler", address, "--results", str(tmp_path / "dask.sqlite")]
    sweep = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    limit = time.monotonic() + 120
    while not (pid.is_file() and pid.read_text()):
        assert time.monotonic() < limit and sweep.poll() is None
        time.sleep(0.1)
    killed = workers[int(pid.read_text())]
    killed.send_signal(signal.SIGKILL)
    assert killed.wait(10) == -signal.SIGKILL
    out, _ = sweep.communicate(timeout=180)
    assert sweep.returncode == 1 and "9 points in" in out and "0 reused, 9 run, 1 without results" in out
    here = run(file)
    assert here.ran == 9
    rows = contents(tmp_path / "dask.sqlite")
    assert [row["name"] for row in rows if row["status"] == "crashed"] == ["mine.py:Ends"]
    assert len(rows) == 9 and rows == contents(tmp_path / "a.sqlite")
    again = run(file, cluster(address), "dask.sqlite")
    assert (again.known, again.ran) == (8, 1)
