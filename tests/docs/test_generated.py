# SPDX-License-Identifier: Apache-2.0
"""What is generated in the documents is what the compiler and the sources say today."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("readme_tool", ROOT / "tools" / "readme.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_nothing_differs(tool, capsys):
    status = tool.main(["--check"])
    assert status == 0, capsys.readouterr().out


def test_every_part_is_used(tool):
    texts = [path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]]
    used = {match[2] for text in texts for match in tool.MARKED.finditer(text)}
    assert used == tool.PARTS.keys()
    assert sum(text.count("<!-- generated:") for text in texts) == sum(len(tool.MARKED.findall(text)) for text in texts)


def test_the_check_finds_a_change(tool, monkeypatch, capsys):
    (name, *_) = sorted(tool.PARTS)
    monkeypatch.setitem(tool.PARTS, name, lambda: "something else\n")
    assert tool.main(["--check"]) == 1
    assert "README.md: differs" in capsys.readouterr().out


def test_other_arguments_are_refused(tool, capsys):
    assert tool.main(["--chek"]) == 2
    assert capsys.readouterr().err.startswith("usage: ")
