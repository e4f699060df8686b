# SPDX-License-Identifier: Apache-2.0
"""The slow tests are in shards, each in one; what is not slow is in none."""

import os
import subprocess
import sys

import pytest
from tests.scripts import ROOT
from tests.shards import SECONDS, USUAL, group_of, parse, shards


def collected(*options):
    environment = {name: value for name, value in os.environ.items() if name != "MODELOOM_SLOW"}
    command = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-p", "no:cacheprovider", "tests/sim", "tests/synth", *options]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return [line.rpartition(": ") for line in result.stdout.splitlines() if line.startswith("tests/")]


def total(rows):
    return {file: int(count) for file, _, count in rows}


def test_every_slow_test_is_in_one_shard():
    default, everything = total(collected()), total(collected("--slow"))
    parts = [total(collected("--shard", f"{number}/2")) for number in (1, 2)]
    assert all(parts) and set(everything) > set(default)
    for file, count in everything.items():
        assert count == default.get(file, 0) + sum(part.get(file, 0) for part in parts), file


def test_shards_are_about_equally_long():
    for count in (1, 4, 8):
        parts = shards(SECONDS, count)
        lengths = [sum(SECONDS[group] for group in part) for part in parts]
        assert sorted(group for part in parts for group in part) == sorted(SECONDS)
        assert max(lengths) <= max(1.35 * sum(lengths) / count, *SECONDS.values())


def test_the_order_of_the_tests_does_not_matter():
    groups = [f"tests/test_{n}.py" for n in range(20)] + sorted(SECONDS)
    assert shards(groups, 5) == shards(groups[::-1] * 2, 5)
    assert sum(map(len, shards(groups[:20], 4))) == 20 and USUAL > 0


def test_every_measured_file_is_there():
    for group in SECONDS:
        file, _, function = group.partition("::")
        text = (ROOT / file).read_text(encoding="utf-8")
        assert f"def {function}(" in text if function else "slow" in text or "EACH" in text, group
        assert group_of(f"{group}[case]" if function else f"{file}::test_other[case]") == group


@pytest.mark.parametrize("shard", ["0/4", "5/4", "1", "1/", "a/b", "-1/2"])
def test_wrong_shards(shard):
    with pytest.raises(ValueError):
        parse(shard)
