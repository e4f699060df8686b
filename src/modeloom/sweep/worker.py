# SPDX-License-Identifier: Apache-2.0
"""Hands points to processes of their own, so that a point that crashes, or takes too long, ends nothing else.

The threads of one machine and the workers of a Dask cluster use the same function.  Each thread has a process, which stays for the next
point.
"""

from __future__ import annotations

import atexit
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NotRequired, TypedDict

from modeloom.sweep.point import Outcome, ended

__all__ = ["Request", "main", "perform", "stop_children"]


# -- child -----------------------------------------------------------------------------------------------------------------------------

# The process in which modes are read and points run, one after another: ``python -m modeloom.sweep.worker``.
#
# A line of JSON on standard input asks to read a mode, or to trace or run a point, and a line on standard output is the outcome.  What a
# definition or a tool prints goes to standard error.  The process ends when its input ends, and when the process that started it is gone.


def main() -> None:
    """Runs points until the input ends."""
    parent = os.getppid()
    signal.signal(signal.SIGTERM, lambda number, frame: _end())
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    threading.Thread(target=_follow, args=(parent,), daemon=True).start()

    from modeloom.sweep.configuration import Configuration
    from modeloom.sweep.point import read_point, run_point, trace_point

    for line in sys.stdin:
        asked: Request = json.loads(line)
        configuration, folder = Configuration.from_dict(asked["configuration"]), Path(asked["folder"])
        if asked["task"] == "run":
            outcome = run_point(configuration, asked["definition"], asked["tools"], folder)
        else:
            outcome = {"read": read_point, "trace": trace_point}[asked["task"]](configuration, folder)
        out.write(json.dumps(outcome) + "\n")
        out.flush()


def _follow(parent: int) -> None:
    """Ends this process and its tools when the one that started it is gone."""
    while os.getppid() == parent:
        time.sleep(0.5)
    _end()


def _end() -> None:
    if "modeloom.synth.result" in sys.modules:
        # Yosys and nextpnr have sessions of their own, so they would go on.
        sys.modules["modeloom.synth.result"].stop_tools(Path("/"))
    os._exit(1)


if __name__ == "__main__":
    main()


# -- worker ----------------------------------------------------------------------------------------------------------------------------


class Request(TypedDict):
    """What to do with a point: ``task`` is a key of ``TASKS``, and ``timeout`` is in seconds.  A run has the last two members, too."""

    task: str
    configuration: dict[str, object]
    folder: str
    timeout: float | None
    definition: NotRequired[str]
    tools: NotRequired[Mapping[str, str]]


TASKS = {
    "read": ("the file was read for more than {limit:g} s", "the process that read the file terminated"),
    "trace": ("the definition was traced for more than {limit:g} s", "the process that traced the definition terminated"),
    "run": ("the point took longer than {limit:g} s", "the process of the point terminated"),
}
"""What a process does, with what to say if it takes too long, and if the process ends."""

LONGEST = 3600
"""Seconds of one wait.  The operating system takes no more than 24 days."""

PATIENCE = 5
"""Seconds in which a process may end by itself."""

_local = threading.local()
_children: set[_Child] = set()
_guard = threading.Lock()


class _Child:
    """A process for points."""

    def __init__(self) -> None:
        self._errors = tempfile.TemporaryFile()
        paths = [path for path in sys.path if path]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        # Its own session: an interrupt at the terminal reaches the sweep only, which then ends its processes.
        self._process = subprocess.Popen(
            [sys.executable, "-m", "modeloom.sweep.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
            env=environment, start_new_session=True,
        )  # fmt: skip

    def ask(self, request: Request) -> Outcome:
        """The outcome of a point.  The process is of no use afterwards if it has crashed or was stopped."""
        begin = time.monotonic()
        too_long, terminated = TASKS[request["task"]]
        line = json.dumps(request).encode() + b"\n"
        assert self._process.stdin and self._process.stdout
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except BrokenPipeError:
            return self._lost(begin, terminated)
        limit, answer = request["timeout"], b""
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._process.stdout, selectors.EVENT_READ)
            while not answer.endswith(b"\n"):
                left = None if limit is None else begin + limit - time.monotonic()
                if left is not None and left <= 0:
                    self.stop()
                    return ended(begin, "timeout", f"{too_long.format(limit=limit)}; allow more time with timeout")
                if not waiting.select(LONGEST if left is None else min(left, LONGEST)):
                    continue
                data = os.read(self._process.stdout.fileno(), 1 << 16)
                if not data:
                    return self._lost(begin, terminated)
                answer += data
        outcome: Outcome = json.loads(answer)
        return outcome

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        """Ends the process, and with it its tools."""
        self._process.terminate()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _lost(self, begin: float, terminated: str) -> Outcome:
        """The outcome of a point whose process has ended by itself."""
        try:
            status = self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.stop()
            status = -1
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        self._errors.seek(0)
        lines = self._errors.read()[-4096:].decode(errors="replace").splitlines()
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return ended(begin, "crashed", f"{terminated} ({how})" + (f": {last}" if last else ""))


def perform(request: Request) -> Outcome:
    """Does what is requested in the process of this thread.  It raises nothing that a point can cause."""
    child: _Child | None = getattr(_local, "child", None)
    if child is None or not child.alive:
        child = _local.child = _Child()
        with _guard:
            _children.add(child)
    outcome = child.ask(request)
    if outcome["status"] in ("crashed", "timeout"):
        _local.child = None
        with _guard:
            _children.discard(child)
    return outcome


@atexit.register
def stop_children() -> None:
    """Ends all processes for points."""
    with _guard:
        children = list(_children)
        _children.clear()
    for child in children:
        child.stop()
