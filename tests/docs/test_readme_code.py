# SPDX-License-Identifier: Apache-2.0
"""The README's code runs as it is printed, and its definition is the mode's own."""

import inspect
import re
import textwrap
from functools import partial
from pathlib import Path

import pytest
from tests.built import SEQUENTIAL, folder

import modeloom
from modeloom import modes

TEXT = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_every_block_is_tested():
    assert [block.partition("(")[0].partition("\n")[0] for block in BLOCKS] == ["def encrypt", "def setup", "import modeloom"]


def test_the_definition_is_the_modes():
    source = inspect.getsource(type(modes.find("hctr2")))
    for function in (BLOCKS[0], *re.split(r"\n(?=def )", BLOCKS[1])):
        assert textwrap.indent(function.strip(), "    ") in source


def test_python_runs(tmp_path, monkeypatch):
    """On the folder of a smaller core that other tests simulate, too: the code loads a key and nothing more."""
    monkeypatch.setattr(modeloom, "simulate", partial(modeloom.simulate, optimize=0))
    (tmp_path / "hctr2_4096").symlink_to(folder("hctr2", **SEQUENTIAL))
    monkeypatch.chdir(tmp_path)
    found = {}
    exec(compile(BLOCKS[2], "README.md", "exec"), found)
    calls = [line.partition("  #")[0] for line in BLOCKS[2].splitlines() if line.startswith("modeloom.")]
    assert len(calls) == 3
    assert len(eval(calls[1], found)) == 4096


def test_a_wrong_name_is_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AttributeError):
        exec(compile(BLOCKS[2].replace("modeloom.compile", "modeloom.compiles"), "README.md", "exec"), {})


def test_the_code_of_streams_runs():
    """Its own definition is generated; the rest runs."""
    text = (Path(__file__).parents[2] / "docs" / "streams.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 2 and blocks[1].startswith("def setup")
    exec(compile(blocks[0], "streams.md", "exec"), {})
