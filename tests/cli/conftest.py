# SPDX-License-Identifier: Apache-2.0
"""The command line in this process, in an empty folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from modeloom.cli import main


@dataclass(frozen=True)
class Outcome:
    """Exit status and what was printed."""

    status: int
    out: str
    err: str


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """``run("list", "--json")`` runs a command."""

    def command(*arguments: str) -> Outcome:
        with pytest.raises(SystemExit) as stop:
            main(list(arguments))
        printed = capsys.readouterr()
        assert isinstance(stop.value.code, int)
        return Outcome(stop.value.code, printed.out, printed.err)

    return command
