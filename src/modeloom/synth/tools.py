# SPDX-License-Identifier: Apache-2.0
"""Runs a tool in a separate process, with a time limit that also ends its children."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from modeloom.synth.result import SynthesisError

__all__ = ["run_tool", "stop_tools"]

_running: dict[Path, subprocess.Popen[bytes]] = {}
"""Running tools, by the folder in which each runs."""


def run_tool(command: Sequence[str], what: str, *, directory: Path, timeout: float | None = None) -> str:
    """Runs a command in `directory` and returns its standard output and error together.

    Raises
    ------
    SynthesisError
        If it cannot be started, fails (the message has its first error line) or takes longer than `timeout` seconds.
    """
    log = directory / "tool.log"
    with log.open("w") as handle:
        try:
            child = subprocess.Popen(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=handle,
                                     stderr=subprocess.STDOUT, start_new_session=True)
        except OSError as error:
            raise SynthesisError(f"{what} could not be started: {error}") from None
        _running[directory] = child
        try:
            status = child.wait(timeout)
        except BaseException as error:
            # The child has its own session, so this ends only the child and the processes that it started (ABC).
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            if isinstance(error, subprocess.TimeoutExpired):
                raise SynthesisError(f"{what} did not finish in {timeout:g} s: allow more time") from None
            raise
        finally:
            del _running[directory]
    output = log.read_text(encoding="utf-8", errors="replace")
    if status:
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        telling = [line for line in lines if re.match(r"ERROR|\w*Error\b", line)] or lines[-1:] or ["no output"]
        raise SynthesisError(f"{what} failed (exit status {status}): {telling[0]}")
    return output


def stop_tools(below: Path) -> None:
    """Ends the tools that run in folders below a given one.  Their callers get a ``SynthesisError``."""
    for directory, child in list(_running.items()):
        if directory.is_relative_to(below) and child.poll() is None:
            # The session is the child's own: this ends it and what it started, nothing else.
            os.killpg(child.pid, signal.SIGKILL)
