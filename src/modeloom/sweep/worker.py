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
from typing import Any

from modeloom.sweep.point import Outcome

__all__ = ["Request", "perform", "stop_children"]

Request = dict[str, Any]
"""A point as plain data: ``configuration``, ``definition``, ``tools``, ``folder``, and ``timeout`` in seconds or None."""

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
        line = json.dumps(request).encode() + b"\n"
        assert self._process.stdin and self._process.stdout
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except BrokenPipeError:
            return self._lost(begin)
        limit, answer = request["timeout"], b""
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._process.stdout, selectors.EVENT_READ)
            while not answer.endswith(b"\n"):
                left = None if limit is None else begin + limit - time.monotonic()
                if left is not None and (left <= 0 or not waiting.select(left)):
                    self.stop()
                    return _outcome("timeout", f"the point took longer than {limit:g} s; allow more time with timeout", begin)
                data = os.read(self._process.stdout.fileno(), 1 << 16)
                if not data:
                    return self._lost(begin)
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

    def _lost(self, begin: float) -> Outcome:
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
        return _outcome("crashed", f"the process of the point has ended ({how})" + (f": {last}" if last else ""), begin)


def perform(request: Request) -> Outcome:
    """Runs a point in the process of this thread.  It raises nothing that a point can cause."""
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


def _outcome(status: str, error: str, begin: float) -> Outcome:
    seconds = round(time.monotonic() - begin, 3)
    return {"status": status, "error": error, "result": {}, "seconds": seconds, "blocks": {"reused": 0, "mapped": 0}}
