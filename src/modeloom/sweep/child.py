# SPDX-License-Identifier: Apache-2.0
"""The process in which modes are read and points run, one after another: ``python -m modeloom.sweep.child``.

A line of JSON on standard input asks to read a mode, or to trace or run a point, and a line on standard output is the outcome.  What a
definition or a tool prints goes to standard error.  The process ends when its input ends, and when the process that started it is gone.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

__all__ = ["main"]


def main() -> None:
    """Runs points until the input ends."""
    parent = os.getppid()
    signal.signal(signal.SIGTERM, lambda number, frame: _end())
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    threading.Thread(target=_follow, args=(parent,), daemon=True).start()

    from modeloom.sweep.configuration import Configuration
    from modeloom.sweep.point import read_point, run_point, trace_point
    from modeloom.sweep.worker import Request

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
