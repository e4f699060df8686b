# SPDX-License-Identifier: Apache-2.0
"""The tests and their order are the same in each process: pytest-xdist refuses to run them otherwise.  Listed tests exist."""

import os
import subprocess
import sys

import pytest
from tests.scripts import ROOT
from tests.shards import COLLECTED, LISTED


def collected(seed):
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "--slow", "-p", "no:cacheprovider", "tests"]
    return subprocess.Popen(command, cwd=ROOT, env=os.environ | {"PYTHONHASHSEED": str(seed)}, stdout=subprocess.PIPE, text=True)


def names(run):
    """The tests that a run has found."""
    found = [line for line in run.communicate()[0].splitlines() if line.startswith("tests/")]
    assert run.returncode == 0 and len(found) > 1000
    return found


def test_listed_tests_are_there(request):
    """A run of all tests knows them; one of a few asks another one."""
    found = request.config.stash[COLLECTED]
    if request.config.args != request.config.getini("testpaths"):
        found = names(collected(1))
    assert set(LISTED) <= set(found), set(LISTED) - set(found)


@pytest.mark.slow
def test_no_name_depends_on_the_seed_of_hashes():
    one, other = (names(run) for run in [collected(seed) for seed in (1, 2)])
    assert one == other
