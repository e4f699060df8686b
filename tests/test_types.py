# SPDX-License-Identifier: Apache-2.0
"""The types of the package fit together."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def check(*arguments):
    command = [sys.executable, "-m", "mypy", "--no-error-summary", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_package():
    done = check()
    errors = [line for line in done.stdout.splitlines() if " error: " in line]
    assert not errors and not done.returncode, "\n".join(errors) or done.stderr


def test_an_error_is_seen(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("from modeloom.compiler.options import Options\n\nOptions(sector='64')\n", encoding="utf-8")
    done = check(wrong)
    assert done.returncode == 1 and 'wrong.py:3: error: Argument "sector"' in done.stdout
