# SPDX-License-Identifier: Apache-2.0
"""Every command of README.md and docs/ is run by a test, or is in a list with its reason; what a page shows is what the command prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.built import slow
from tests.docs import page_commands as plans
from tests.docs.page_commands import Command, Plan, Run, agrees, commands, parse
from tests.external import needs
from tests.scripts import ROOT

PLAN = plans.plan()

WHOLE = [page for page in plans.pages() if plans.is_whole(page) and commands(plans.pages()[page])]


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return plans.pages()


def test_every_command_is_tested(texts: dict[str, str]) -> None:
    assert sum(len(commands(text)) for text in texts.values()) > 150
    assert plans.untested(texts, PLAN) == []


def test_every_command_of_the_plan_is_on_a_page(texts: dict[str, str]) -> None:
    assert plans.gone(texts, PLAN) == []


@pytest.mark.parametrize("page", ["docs/new.md", "README.md", "docs/streams.md"])
def test_an_untested_command_is_found(texts: dict[str, str], page: str) -> None:
    planted = texts.get(page, "") + "\n```console\n$ modeloom explain xts --sector 48   # not tested\n```\n"
    assert plans.untested(texts | {page: planted}, PLAN) == [f"{page}: modeloom explain xts --sector 48"]


def test_a_command_that_no_page_has_is_found(texts: dict[str, str]) -> None:
    assert plans.gone({page: text for page, text in texts.items() if page != "docs/widths.md"}, PLAN) != []


def test_a_command_outside_of_console_blocks_is_no_command() -> None:
    """Such a line would escape the tests: pages have none."""
    assert commands("```\n$ modeloom list\n```\n") == []
    for page, text in plans.pages().items():
        shown = len(re.findall(r"^\$ ", text, re.MULTILINE))
        assert shown == len(commands(text)), page


@pytest.mark.parametrize("entry", PLAN.held, ids=lambda entry: entry["commands"][0])
def test_the_tests_that_hold_commands_are_there(entry: dict) -> None:
    assert entry["tests"]
    for name in entry["tests"]:
        file, _, test = name.partition("::")
        assert re.search(rf"^def {test}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE), name


LISTED = [line for entry in PLAN.listed for line in entry["commands"]]


@pytest.mark.parametrize("line", LISTED)
def test_arguments_of_listed_commands_are_accepted(line: str) -> None:
    assert parse(line) == ""


def test_every_listed_command_has_a_reason() -> None:
    assert all(entry["why"].endswith(".") for entry in PLAN.listed)


@pytest.mark.parametrize(
    "line",
    [
        "python bench/latency.py --no-such-option", "python bench/simulation_speed.py --store", "python bench/none.py",
        "make no-such-target", "modeloom explain --no-such-option",
    ],
)  # fmt: skip
def test_wrong_arguments_are_found(line: str) -> None:
    assert parse(line) != ""


def perform(part: Run, folder: Path, texts: dict[str, str]) -> None:
    """Makes the files, and runs the commands of a part of the plan."""
    plans.make(part.files, folder)
    plans.run([Command(line, "") for line in part.before], folder)
    shown = plans.printed(texts)
    plans.run([Command(line, shown.get(line, "")) for line in part.commands], folder / part.folder, part.replace)


@pytest.mark.parametrize("part", [pytest.param(part, id=part.name, marks=[slow] * part.slow) for part in PLAN.runs])
def test_commands_run(part: Run, tmp_path: Path, texts: dict[str, str]) -> None:
    perform(part, tmp_path, texts)
    if part.name in ("sectors of 4096 bytes", "files sealed by GCM"):
        names = ("disk.img", "disk.back") if part.name.startswith("sectors") else ("file.bin", "file.back")
        first, second = ((tmp_path / name).read_bytes() for name in names)
        assert first == second


@slow
@pytest.mark.parametrize("page", [pytest.param(page, marks=[needs("iverilog")] * (page == "docs/first-core.md")) for page in WHOLE])
def test_pages_run(page: str, tmp_path: Path, texts: dict[str, str]) -> None:
    """All commands of a page, in their order.  The picture that a page of a mode draws is the one that it shows."""
    lines = [command for command in commands(texts[page]) if command.line not in plans.INSTALL]
    plans.run(lines, tmp_path)
    for picture in tmp_path.glob("*.svg"):
        assert picture.read_bytes() == (ROOT / "docs" / "img" / "modes" / picture.name).read_bytes()
    if page == "docs/first-core.md":
        assert (tmp_path / "disk.enc").read_bytes() != (tmp_path / "disk.img").read_bytes() == (tmp_path / "disk.back").read_bytes()


@pytest.mark.parametrize("block", ["$ modeloom explain no-such-mode\n", "$ echo two\nthree\n"], ids=["fails", "prints something else"])
def test_a_wrong_command_is_found(tmp_path: Path, block: str) -> None:
    with pytest.raises(AssertionError):
        plans.run(commands(f"```console\n{block}```\n"), tmp_path)


@pytest.mark.parametrize(
    ("shown", "output", "expected"),
    [
        ("a\nb\n", "x\na\nb\n", True),
        ("a\nc\n", "a\nb\nc\n", False),
        ("a\n…\nc\n", "a\nb\nc\n", True),
        ("c\n…\na\n", "a\nb\nc\n", False),
        ("", "anything\n", True),
    ],
)
def test_lines_that_are_left_out(shown: str, output: str, expected: bool) -> None:
    assert agrees(shown, output) is expected


def test_an_entry_with_an_unknown_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('held = []\nlisted = []\n[[run]]\nname = "a"\ncommands = []\nfast = true\n', encoding="utf-8")
    with pytest.raises(TypeError):
        plans.plan(path)
    path.write_text('held = []\nlisted = []\n[[run]]\nname = "a"\ncommands = ["true"]\n', encoding="utf-8")
    assert plans.plan(path) == Plan((Run("a", ("true",)),), (), ())
