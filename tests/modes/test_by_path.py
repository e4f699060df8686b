# SPDX-License-Identifier: Apache-2.0
"""Modes of files outside the project, from the page on new modes and broken ones."""

import re
from pathlib import Path

import pytest

from modeloom import golden
from modeloom.compiler import compile_mode
from modeloom.dump import dump
from modeloom.emit import emit
from modeloom.modes import find
from modeloom.options import Options
from modeloom.software import Model
from modeloom.spec import InputError
from modeloom.verification import verify_core

PAGE = Path(__file__).parents[2] / "docs" / "new-mode.md"
DEFINITION = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]
HEAD = "from modeloom.spec import Mode\n"


@pytest.fixture
def mode_file(tmp_path):
    path = tmp_path / "mymode.py"
    path.write_text(DEFINITION, encoding="utf-8")
    return path


def test_the_page_is_short():
    assert len([line for line in DEFINITION.splitlines() if line.strip()]) < 30


def test_a_file_goes_all_the_way(mode_file, tmp_path):
    place = f"{mode_file}:HEHPoly"
    mode = find(place)
    assert mode.place == place
    key = bytes(range(32))
    tweak, text = bytes(range(16)), bytes(range(64))
    assert Model(mode, key).encrypt(tweak, text) == golden.mode("heh-poly", key).encrypt(tweak, text)
    options = Options(sector=64, mul=1, direction="encrypt", aes_arch="sequential", aes_stages=1, restarts=50)
    emit(compile_mode(mode, options), tmp_path / "core", command=f"modeloom build {place} --sector 64")
    lines = list(verify_core(tmp_path / "core", optimize=0))
    assert lines and not any("FAIL" in str(line) for line in lines)


def test_its_operations_name_its_lines(mode_file):
    compiled = compile_mode(find(f"{mode_file}:HEHPoly"), Options(sector=64, mul=1, restarts=0), prove=False)
    assert Path(compiled.source.file) == mode_file
    named = set(re.findall(r"; line (\S+)", dump(compiled, "graph")))
    written = DEFINITION.splitlines()
    assert named and all("o." in written[int(line) - 1] or "^" in written[int(line) - 1] for line in named)


@pytest.mark.parametrize(
    "text, name, message",
    [
        ("x = 1\n", "M", "defines no mode"),
        (HEAD + "class Mine(Mode):\n    name = 'm'\n", "Mime", "did you mean Mine"),
        (HEAD + "class Mine(Mode):\n    name = 'm'\n", "Mine", "has no title"),
        ("x = = 1\n", "M", "line 1: SyntaxError"),
        ("\nx = 1 / 0\n", "M", "line 2: ZeroDivisionError"),
        ("import no_such_module\n", "M", "line 1: ModuleNotFoundError"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path, text, name, message):
    path = tmp_path / "broken.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        find(f"{path}:{name}")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("place", ["nowhere.py:Mode", "./folder:Mode", ":Mode"])
def test_a_file_that_is_not_there(place):
    with pytest.raises(InputError, match="there is no Python file"):
        find(place)
