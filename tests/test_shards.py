# SPDX-License-Identifier: Apache-2.0
"""The slow tests are in shards, each in one; what is not slow is in none."""

import json
import os
import subprocess
import sys

import pytest
from tests.scripts import ROOT
from tests.shards import group_of, parse, shards

RUNS = """
import contextlib, io, json, sys, pytest
said = []
for options in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert pytest.main(["--collect-only", "-qq", "-p", "no:cacheprovider", "tests/sim/test_streams.py", *options]) == 0
    said.append(out.getvalue())
json.dump(said, sys.stdout)
"""


def collected(*runs):
    """For each run with these options, how many tests of each file it has.  One process is enough for all of them."""
    environment = {name: value for name, value in os.environ.items() if name != "MODELOOM_SLOW"}
    command = [sys.executable, "-c", RUNS, json.dumps(runs)]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    rows = [[line.rpartition(": ") for line in said.splitlines() if line.startswith("tests/")] for said in json.loads(result.stdout)]
    return [{file: int(count) for file, _, count in row} for row in rows]


def test_a_run_leaves_the_slow_tests_out_and_a_shard_all_else():
    default, everything, slow = collected([], ["--slow"], ["--shard", "1/1"])
    assert slow and sum(default.values()) + sum(slow.values()) == sum(everything.values())
    for file, count in everything.items():
        assert count == default.get(file, 0) + slow.get(file, 0), file


def groups():
    """Two files with many groups, and many files with one."""
    several = [(f"tests/test_{file}.py", f"{n}]") for file in "ab" for n in range(50)]
    return several + [(f"tests/test_{n}.py", "") for n in range(20)]


@pytest.mark.parametrize("count", [1, 4, 7, 96])
def test_each_shard_has_its_part_of_every_file(count):
    parts = shards(groups(), count)
    assert sorted(group for part in parts for group in part) == sorted(groups())
    for file in ("tests/test_a.py", "tests/test_b.py"):
        numbers = [sum(group[0] == file for group in part) for part in parts]
        assert max(numbers) - min(numbers) <= 1
    lengths = list(map(len, parts))
    assert max(lengths) - min(lengths) <= 1


def test_the_order_of_the_tests_does_not_matter():
    assert shards(groups(), 5) == shards(groups()[::-1] * 2, 5)


def test_a_rhythm_of_parameters_does_not_stay_in_one_shard():
    names = [("tests/test_a.py", f"{size}-{n:02}]") for n in range(12) for size in (512, 1024, 2048, 4096)]
    assert all(any(not group[1].startswith("4096") for group in part) for part in shards(names, 4))


def test_tests_of_one_core_stay_together():
    assert group_of("tests/test_a.py::test_one[core]") == group_of("tests/test_a.py::test_two[core]") == ("tests/test_a.py", "core]")
    assert group_of("tests/test_a.py::test_one") == ("tests/test_a.py", "")


@pytest.mark.parametrize("shard", ["0/4", "5/4", "1", "1/", "a/b", "-1/2"])
def test_wrong_shards(shard):
    with pytest.raises(ValueError):
        parse(shard)
