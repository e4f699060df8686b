# SPDX-License-Identifier: Apache-2.0
"""The commands of the pages, and how each of them is tested.

A command is a line behind ``$`` in a ``console`` block of README.md or of a page in docs/, without its comment::

    docs/modes/NAME.md, docs/first-core.md ──▶ run as a whole, in their order
    other pages ──▶ commands.toml ─┬▶ [[run]]     commands that run in their order in one folder, with files that are made before
                                   ├▶ [[held]]    commands of which a test elsewhere runs the parts that matter
                                   └▶ [[listed]]  commands that need hours or what is not here, with the reason; their options are parsed

A command that is in none of them is untested.
"""

from __future__ import annotations

import argparse
import os
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import redirect_stderr
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.scripts import ROOT

PLAN = Path(__file__).with_name("commands.toml")

WHOLE = ("docs/first-core.md", "docs/modes/")
"""Pages of which all commands run in their order, and folders with such pages."""

INSTALL = ("make setup", "export PATH=$PWD/.venv/bin:$PATH")
"""Commands that install modeloom.  The tests have it installed."""

SOME = "…"
"""A line of a page that stands for lines that are left out."""


class Command(NamedTuple):
    """A command without its comment, and what it prints according to the page."""

    line: str
    printed: str


@dataclass(frozen=True)
class Run:
    """Commands that run one after another in a folder.  ``replace`` has words that stand for names; ``folder`` is where they run."""

    name: str
    commands: tuple[str, ...]
    files: Mapping[str, Any] = field(default_factory=dict)
    replace: Mapping[str, str] = field(default_factory=dict)
    before: tuple[str, ...] = ()
    folder: str = "."
    slow: bool = True


@dataclass(frozen=True)
class Plan:
    """What ``commands.toml`` says."""

    runs: tuple[Run, ...]
    held: tuple[dict[str, Any], ...]
    listed: tuple[dict[str, Any], ...]

    def lines(self) -> list[str]:
        """Every command of the plan."""
        parts = [run.commands for run in self.runs] + [entry["commands"] for entry in (*self.held, *self.listed)]
        return [line for part in parts for line in part]


def pages() -> dict[str, str]:
    """The text of each page by its path from the root of the project."""
    paths = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}


def commands(text: str) -> list[Command]:
    """The commands of all ``console`` blocks of a page."""
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    parts = [part.partition("\n")[::2] for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [Command(re.sub(r"\s+# .*$", "", line).strip(), printed) for line, printed in parts]


def plan(path: Path = PLAN) -> Plan:
    """Reads the plan.  Raises ``TypeError`` for an entry with unknown names."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    runs = (Run(**{**entry, "commands": tuple(entry["commands"]), "before": tuple(entry.get("before", ()))}) for entry in content["run"])
    return Plan(tuple(runs), tuple(content["held"]), tuple(content["listed"]))


def is_whole(page: str) -> bool:
    """Whether all commands of a page run in their order."""
    return page.startswith(WHOLE)


def untested(texts: Mapping[str, str], chosen: Plan) -> list[str]:
    """``PAGE: COMMAND`` for each command that no test runs."""
    known = {*chosen.lines(), *INSTALL}
    return [
        f"{page}: {command.line}"
        for page, text in texts.items() if not is_whole(page) for command in commands(text) if command.line not in known
    ]  # fmt: skip


def gone(texts: Mapping[str, str], chosen: Plan) -> list[str]:
    """Commands of the plan that no page has."""
    shown = {command.line for text in texts.values() for command in commands(text)}
    return [line for line in chosen.lines() if line not in shown]


def printed(texts: Mapping[str, str]) -> dict[str, str]:
    """What each command prints according to a page.  Commands of which no page says it are left out."""
    return {command.line: command.printed for text in texts.values() for command in commands(text) if command.printed.strip()}


def agrees(shown: str, output: str) -> bool:
    """Whether an output has the lines that a page shows, in their order and one behind another except at ``…``."""
    found, place = output.splitlines(), 0
    for part in re.split(rf"^{SOME}$", shown.strip("\n"), flags=re.MULTILINE):
        lines = part.strip("\n").splitlines()
        place = next((n + len(lines) for n in range(place, len(found) + 1) if found[n : n + len(lines)] == lines), -1)
        if place < 0:
            return False
    return True


def environment(folder: Path) -> dict[str, str]:
    """An environment with the ``modeloom`` of these sources on the path, in which settings of programs are kept in a folder.

    Builds record timings as those of users do, so that ``verify`` prints what the pages show.
    """
    path = f"{sys.prefix}/bin:{os.environ['PATH']}"
    # The order of files in a listing is that of the C locale.
    own = {"PATH": path, "PYTHONPATH": str(ROOT / "src"), "XDG_CONFIG_HOME": str(folder / "config"), "LC_ALL": "C.UTF-8"}
    return {name: value for name, value in os.environ.items() if name != "MODELOOM_TIMING"} | own


def make(files: Mapping[str, Any], folder: Path) -> None:
    """Makes the files that commands read: a text, so many zeros, or the file of the project at ``path``."""
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            target.write_text(content, encoding="utf-8")
        elif isinstance(content, int):
            target.write_bytes(bytes(content))
        else:
            target.write_bytes((ROOT / content["path"]).read_bytes())


def run(lines: Iterable[Command], folder: Path, replace: Mapping[str, str] | None = None) -> None:
    """Runs commands.  Raises ``AssertionError`` if one fails, or prints something else than the page says."""
    for command in lines:
        line = command.line
        for word, name in (replace or {}).items():
            line = re.sub(rf"(?<![A-Za-z]){word}(?![A-Za-z])", name, line)
        done = subprocess.run(["sh", "-c", line], cwd=folder, env=environment(folder), capture_output=True, text=True)
        assert done.returncode == 0, f"{line}: {done.stdout}{done.stderr}"
        output = done.stdout + done.stderr
        assert agrees(command.printed, output), f"{line} prints\n{output}\nand not\n{command.printed}"


class _Parsed(Exception):
    """A script has accepted its arguments."""


def _accepted(words: list[str]) -> str:
    """Runs a script in this process until it has parsed its arguments; "" if it accepts them, else why not."""
    parse_args = argparse.ArgumentParser.parse_args

    def only_parse(parser: argparse.ArgumentParser, args: Any = None, namespace: Any = None) -> None:
        parse_args(parser, args, namespace)
        raise _Parsed

    with pytest.MonkeyPatch.context() as patch, redirect_stderr(StringIO()) as told:
        patch.setattr(argparse.ArgumentParser, "parse_args", only_parse)
        patch.setattr(sys, "argv", [str(ROOT / words[0]), *words[1:]])
        patch.setattr(sys, "path", list(sys.path))
        try:
            runpy.run_path(sys.argv[0], run_name="__main__")
        except _Parsed:
            return ""
        except SystemExit:
            return told.getvalue() or "it ends"
    return "it parses nothing"


def parse(line: str) -> str:
    """Has a command parse its arguments and do nothing else; "" if it accepts them, else what it says.

    Targets of make are looked up with ``make -n``.  Commands of other programs are not parsed, since the programs may not be here.
    """
    words = shlex.split(line)
    if words[0] == "make":
        command = ["make", "-n", "-o", f"{sys.prefix}/.installed", f"VENV={sys.prefix}", *words[1:]]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        return "" if done.returncode == 0 else done.stderr
    if words[0] == "modeloom":
        from modeloom.cli import cli

        try:
            cli.commands[words[1]].make_context(words[1], words[2:])
        except Exception as error:
            return repr(error)
        return ""
    if words[0].endswith("python") and words[1].endswith(".py"):
        script = ROOT / words[1]
        if not script.is_file():
            return f"there is no {words[1]}"
        if "import argparse" not in script.read_text(encoding="utf-8"):
            compile(script.read_text(encoding="utf-8"), words[1], "exec")
            return "".join(f"{word} is not an option" for word in words[2:] if word.startswith("-"))
        return _accepted(words[1:])
    return ""
