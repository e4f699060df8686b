# SPDX-License-Identifier: Apache-2.0
"""The slow tests are in shards, each in one; what is not slow is in none."""

import os
import subprocess
import sys

import pytest
from tests.scripts import ROOT
from tests.shards import LONGEST, MEASURED, SECONDS, USUAL, group_of, parse, seconds_of, shards


def collected(*options):
    environment = {name: value for name, value in os.environ.items() if name != "MODELOOM_SLOW"}
    command = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-p", "no:cacheprovider", "tests/sim", *options]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return [line.rpartition(": ") for line in result.stdout.splitlines() if line.startswith("tests/")]


def total(rows):
    return {file: int(count) for file, _, count in rows}


def test_a_run_leaves_the_slow_tests_out_and_a_shard_all_else():
    default, everything, slow = (total(collected(*options)) for options in ((), ("--slow",), ("--shard", "1/1")))
    assert slow and sum(default.values()) + sum(slow.values()) == sum(everything.values())
    for file, count in everything.items():
        assert count == default.get(file, 0) + slow.get(file, 0), file


def groups():
    """All that the files that were measured consist of."""
    return sorted({group_of(f"{file}::test[{n}]") for file in SECONDS for n in range(200)})


def test_shards_are_about_equally_long():
    assert sum(map(seconds_of, groups())) == pytest.approx(sum(SECONDS.values()))
    assert max(map(seconds_of, groups())) <= LONGEST
    for count in (1, 4, 8):
        parts = shards(groups(), count)
        assert sorted(group for part in parts for group in part) == groups()
        assert max(sum(map(seconds_of, part)) for part in parts) <= 1.2 * sum(SECONDS.values()) / count


def test_the_order_of_the_tests_does_not_matter():
    many = [f"tests/test_{n}.py" for n in range(20)] + groups()
    assert shards(many, 5) == shards(many[::-1] * 2, 5)
    assert sum(map(len, shards(many[:20], 4))) == 20 and seconds_of(many[0]) == USUAL


def test_tests_of_one_core_stay_together():
    file = max(SECONDS, key=lambda file: SECONDS[file])
    assert group_of(f"{file}::test_one[core]") == group_of(f"{file}::test_two[core]") != file


def test_every_measured_file_is_there():
    for file in MEASURED:
        text = (ROOT / file).read_text(encoding="utf-8")
        assert "slow" in text or "EACH" in text, file


@pytest.mark.parametrize("shard", ["0/4", "5/4", "1", "1/", "a/b", "-1/2"])
def test_wrong_shards(shard):
    with pytest.raises(ValueError):
        parse(shard)
