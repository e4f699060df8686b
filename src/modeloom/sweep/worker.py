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
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from typing import NotRequired, TypedDict

from modeloom.sweep.point import Outcome, ended

__all__ = ["Request", "perform", "stop_children"]

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

_mine = threading.local()
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
            [sys.executable, "-m", "modeloom.sweep.child"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
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
    child: _Child | None = getattr(_mine, "child", None)
    if child is None or not child.alive:
        child = _mine.child = _Child()
        with _guard:
            _children.add(child)
    outcome = child.ask(request)
    if outcome["status"] in ("crashed", "timeout"):
        _mine.child = None
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
