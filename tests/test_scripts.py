# SPDX-License-Identifier: Apache-2.0
"""Scripts that no test runs, as they take minutes or hours, call the functions that there are with the arguments that these take."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def wrong_calls(folder, paths):
    options = ["--no-error-summary", "--check-untyped-defs", "--cache-dir", str(folder / "cache")]
    command = [sys.executable, "-m", "mypy", *options, *map(str, paths)]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    return [line for line in output.splitlines() if "[call-arg]" in line and not line.startswith("src/")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The cache of mypy, for both tests."""
    return tmp_path_factory.mktemp("mypy")


def test_scripts_call_what_there_is(folder):
    paths = [path for name in ("demo", "bench", "baselines") for path in sorted((ROOT / name).glob("*.py"))]
    assert len(paths) > 10 and wrong_calls(folder, paths) == []


def test_a_missing_argument_is_found(folder, tmp_path):
    text = (ROOT / "demo" / "disk_image.py").read_text(encoding="utf-8")
    broken = tmp_path / "broken_demo.py"
    broken.write_text(text.replace(", IMAGE_BYTES // core.sector_bytes)", ")"), encoding="utf-8")
    assert broken.read_text(encoding="utf-8") != text
    (found,) = wrong_calls(folder, [broken])
    assert "tweaks" in found
