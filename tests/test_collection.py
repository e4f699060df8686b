# SPDX-License-Identifier: Apache-2.0
"""The tests and their order are the same in each process: pytest-xdist refuses to run them otherwise.  Listed tests are there."""

import os
import subprocess
import sys

from tests.scripts import ROOT
from tests.shards import LISTED


def collected(seed):
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "--slow", "-p", "no:cacheprovider", "tests"]
    return subprocess.Popen(command, cwd=ROOT, env=os.environ | {"PYTHONHASHSEED": str(seed)}, stdout=subprocess.PIPE, text=True)


def test_no_name_depends_on_the_seed_of_hashes():
    runs = [collected(seed) for seed in (1, 2)]
    names = [[line for line in run.communicate()[0].splitlines() if line.startswith("tests/")] for run in runs]
    assert all(run.returncode == 0 for run in runs) and len(names[0]) > 1000
    assert names[0] == names[1]
    assert set(LISTED) <= set(names[0]), set(LISTED) - set(names[0])
