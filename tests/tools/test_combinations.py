# SPDX-License-Identifier: Apache-2.0
"""The bench of random combinations: what it chooses is accepted by the command line, and it says of each core what happened."""

from __future__ import annotations

import json
import random
import sys
from types import ModuleType

import pytest
from tests.scripts import script

from modeloom.cli import cli


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    return script("bench/combinations.py")


def test_every_option_exists(bench):
    """Otherwise each core that has it would be refused, and nobody would see."""
    build = cli.commands["build"]
    known = {name for parameter in build.params for name in parameter.opts}
    given = {word for _, options in (*bench.BOTH, *bench.SECTOR, *bench.STREAM) for words in options for word in words.split()[::2]}
    assert given and given <= known


def test_a_seed_gives_one_core(bench):
    cores = [bench.combination(random.Random(seed)) for seed in range(300)]
    assert cores == [bench.combination(random.Random(seed)) for seed in range(300)]
    assert {words[0] for words in cores} == {*bench.SECTOR_MODES, *bench.STREAM_MODES}


def test_a_refused_core(bench, tmp_path):
    result = bench.attempt(["xts", "--sector", "8"], tmp_path / "core", minutes=5)
    assert result["result"] == "refused" and "8" in result["why"]


OUTCOMES = {
    "traceback": [(1, ["Traceback (most recent call last):", "KeyError: 'aes'"])],
    "refused in two lines": [(2, ["modeloom: one", "two"])],
    "build takes too long": [(-1, ["not done"])],
    "verify finds a fault": [(0, []), (1, ["zeroize: a word is left"])],
    "verify has no core": [(0, []), (2, ["modeloom: no such folder"])],
}


@pytest.mark.parametrize("case", OUTCOMES)
def test_a_failed_core(bench, monkeypatch, capsys, tmp_path, case):
    """It is told with its step, the others run on, and the exit status is 1."""
    answers = [*OUTCOMES[case], (0, []), (0, [])]
    monkeypatch.setattr(bench, "run", lambda words, minutes: answers.pop(0))
    monkeypatch.setattr(bench.time, "monotonic", iter([0, 1, 2, 3, 4, 5, 6, 7e9]).__next__)
    monkeypatch.setattr(sys, "argv", ["combinations.py", "--minutes", "1", "-o", str(tmp_path)])
    assert bench.main() == 1
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["result"], first["step"]) == ("failed", "verify" if len(OUTCOMES[case]) == 2 else "build")
    assert (first["seed"], second["seed"], second["result"]) == (1, 2, "passed")


def test_a_folder_that_a_refusal_leaves_is_a_failure(bench, monkeypatch, tmp_path):
    def run(words, minutes):
        (tmp_path / "core").mkdir()
        return 2, ["modeloom: no"]

    monkeypatch.setattr(bench, "run", run)
    assert bench.attempt(["xts"], tmp_path / "core", minutes=1)["result"] == "failed"


def test_a_command_that_hangs(bench, monkeypatch):
    monkeypatch.setattr(bench, "MODELOOM", "sleep")
    status, lines = bench.run(["60"], minutes=0.001)
    assert status != 0 and lines == ["not done after 0.001 minutes"]
