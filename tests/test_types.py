# SPDX-License-Identifier: Apache-2.0
"""The types of the package fit together, and scripts that no test runs, as they take minutes or hours, call the functions that there
are with the arguments that these take."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
"""``make check`` runs them, and so does ``.ci/run`` at each commit."""

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
    wrong.write_text("from modeloom.options.sectors import Options\n\nOptions(sector='64')\n", encoding="utf-8")
    done = check(wrong)
    assert done.returncode == 1 and 'wrong.py:3: error: Argument "sector"' in done.stdout


SCRIPTS = """[mypy]
mypy_path = src
ignore_missing_imports = True
[mypy-{names}]
check_untyped_defs = True
"""
"""Functions of scripts have no types.  Other modules have the options of pyproject.toml, so that what mypy stored of them serves again."""


def wrong_calls(folder, paths):
    """Calls of the functions of the package with arguments that these do not take."""
    config = folder / "mypy.ini"
    config.write_text(SCRIPTS.format(names=",".join(path.stem for path in paths)), encoding="utf-8")
    output = check("--config-file", config, *paths).stdout
    return [line for line in output.splitlines() if "[call-arg]" in line and not line.startswith("src/")]


def test_scripts_call_what_there_is(tmp_path):
    paths = [path for name in ("demo", "bench", "baselines") for path in sorted((ROOT / name).glob("*.py"))]
    assert len(paths) > 10 and wrong_calls(tmp_path, paths) == []


def test_a_missing_argument_is_found(tmp_path):
    text = (ROOT / "demo" / "disk_image.py").read_text(encoding="utf-8")
    broken = tmp_path / "broken_demo.py"
    broken.write_text(text.replace(", IMAGE_BYTES // core.sector_bytes)", ")"), encoding="utf-8")
    assert broken.read_text(encoding="utf-8") != text
    (found,) = wrong_calls(tmp_path, [broken])
    assert "tweaks" in found
