# SPDX-License-Identifier: Apache-2.0
"""What is generated in the documents is what the compiler and the sources say today."""

from pathlib import Path

import pytest
from tests.scripts import script

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tool():
    return script("tools/readme.py")


@pytest.mark.slow
def test_nothing_differs(tool, capsys):
    """The generated tables and figures in the documents are those that the commands give today (``make check``)."""
    status = tool.main(["--check"])
    assert status == 0, capsys.readouterr().out


def places(tool):
    """For each generated part the files that hold it."""
    found = {}
    for path in tool.PAGES:
        text = path.read_text(encoding="utf-8")
        names = [match[2] for match in tool.MARKED.finditer(text)]
        assert text.count("<!-- generated:") == len(names), path.name
        for name in names:
            found.setdefault(name, set()).add(str(path.relative_to(ROOT)))
    return found


def test_every_part_is_used(tool):
    assert places(tool).keys() == tool.PARTS.keys()


@pytest.mark.slow
def test_the_check_finds_a_change_of_each_part(tool, monkeypatch, capsys):
    made = {name: make() for name, make in tool.PARTS.items()}
    for name, text in made.items():
        monkeypatch.setitem(tool.PARTS, name, lambda text=text: text)
    for name, files in places(tool).items():
        with monkeypatch.context() as patch:
            patch.setitem(tool.PARTS, name, lambda: "something else\n")
            assert tool.main(["--check"]) == 1
        assert {line.split(": differs")[0] for line in capsys.readouterr().out.splitlines()} == files


def test_other_arguments_are_refused(tool, capsys):
    assert tool.main(["--chek"]) == 2
    assert capsys.readouterr().err.startswith("usage: ")
