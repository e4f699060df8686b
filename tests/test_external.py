# SPDX-License-Identifier: Apache-2.0
"""Tests of the tests: none starts a tool without asking for it, and each that is skipped without one has a neighbour that runs."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.built import RUN_FOLDER
from tests.external import FRESH, NEEDED, TOOLS, WHOLE_PATH, links, main, missing, needs, program
from tests.scripts import ROOT

HERE = Path(__file__).parent

ROWS = tomllib.loads((HERE / "neighbours.toml").read_text(encoding="utf-8"))["without"]


# -- who decides -------------------------------------------------------------------------------------------------------------------


DECIDES = re.compile(
    r"shutil\.which|distutils\.spawn\.find_executable|(importlib\.)?util\.find_spec|pytest\.(mark\.)?(skip|skipif|importorskip)"
)
"""Functions and marks with which a test decides what to do without a tool."""

OF_MODULES = {"shutil": {"which"}, "importlib.util": {"find_spec"}, "pytest": {"skip", "importorskip"}}
"""The same, imported by themselves."""


def decisions(text: str) -> list[str]:
    """What a source decides for itself of programs and packages: each place where it does not leave that to ``tests/external.py``."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and DECIDES.fullmatch(name := ast.unparse(node)):
            found.append(f"line {node.lineno}: {name}")
        elif isinstance(node, ast.ImportFrom):
            names = OF_MODULES.get(node.module or "", set())
            found += [f"line {node.lineno}: {alias.name}" for alias in node.names if alias.name in names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and re.match(r"/(usr|opt|bin|snap)/[\w/.-]*$", node.value):
            found.append(f"line {node.lineno}: {node.value}")
    return found


MAY = {
    "tests/external.py": {"pytest.skip", "shutil.which"},
    "tests/test_external.py": {"shutil.which"},
    # A path of a machine that the test makes.
    "tests/emit/test_simulators.py": {"shutil.which"},
}
"""Files that may, and what."""


def test_one_file_decides() -> None:
    wrong = {}
    for path in sorted(HERE.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        found = [one for one in decisions(path.read_text(encoding="utf-8")) if one.rpartition(": ")[2] not in MAY.get(name, set())]
        if found:
            wrong[name] = found
    assert not wrong


@pytest.mark.parametrize("text", [
    'import shutil\nhere = shutil.which("iverilog")', "from shutil import which", "from importlib.util import find_spec",
    "import pytest\n@pytest.mark.skipif(True)\ndef f(): pass", 'import pytest\npytest.importorskip("cocotb")',
    'import pytest\ndef test(): pytest.skip("no tool")',
    'import subprocess\nsubprocess.run(["/usr/bin/iverilog", "a.v"])',
])  # fmt: skip
def test_what_decides_for_itself_is_found(text: str) -> None:
    assert len(decisions(text)) == 1


# -- a path without tools ----------------------------------------------------------------------------------------------------------


def test_a_test_that_asks_for_nothing_finds_no_tool() -> None:
    """What a machine has does not matter.  Only of these programs may something be found."""
    assert not [name for tool in TOOLS.values() for name in tool.start if name != "perl" and shutil.which(name)]
    folders = [Path(folder) for folder in os.environ["PATH"].split(os.pathsep)]
    there = {file.name for folder in folders for file in folder.iterdir()}
    allowed = re.compile("|".join(f"(?:{pattern})" for pattern in FRESH))
    assert {name for name in there if not allowed.fullmatch(name)} <= {os.environ.get("CXX", "").partition(" ")[0]}
    assert {"sh", "make", "git"} <= there


def test_no_tool_is_among_what_is_always_there() -> None:
    """Perl alone is both: almost every system has it."""
    allowed = re.compile("|".join(f"(?:{pattern})" for pattern in FRESH))
    assert {name for tool in TOOLS.values() for name in tool.start if allowed.fullmatch(name)} == {"perl"}
    for tool in TOOLS.values():
        assert tool.start or tool.module
        assert all(any(re.fullmatch(pattern, name) for pattern in tool.programs) for name in tool.start)


ASKING = """
import shutil, subprocess
from tests.external import needs

def test_asks_for_nothing():
    subprocess.run(["iverilog"], check=True)

@needs("iverilog")
def test_asks():
    assert subprocess.run(["iverilog"], check=True, capture_output=True).stdout == b"started\\n"

@needs("iverilog")
def test_asks_for_another():
    subprocess.run(["yosys"], check=True)

def test_asks_for_nothing_and_starts_it_by_a_child():
    subprocess.run(["sh", "-c", "iverilog"], check=True)

@needs("riscv64-unknown-elf-gcc")
def test_is_skipped():
    raise AssertionError
"""


def test_who_does_not_ask_fails_although_the_tool_is_there(tmp_path: Path) -> None:
    """Another run of pytest, on a machine with two tools: tests that start one without asking for it fail there, too."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("iverilog", "vvp", "yosys"):
        (tools / name).write_text("#!/bin/sh\necho started\n")
        (tools / name).chmod(0o755)
    (tmp_path / "test_asking.py").write_text(ASKING)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    # The run of the tests is another one, which makes its own folders.
    environment = {
        **os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT), RUN_FOLDER: str(tmp_path / "run"),
    }  # fmt: skip
    del environment[WHOLE_PATH]
    options = ["-q", "-rA", "-p", "tests.external", "-p", "no:cacheprovider", "-c", "pytest.ini"]
    command = [sys.executable, "-m", "pytest", *options, "test_asking.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    outcomes = {name: outcome for outcome, name in re.findall(r"^(PASSED|FAILED) test_asking\.py::(\w+)", done.stdout, re.M)}
    assert outcomes == {
        "test_asks_for_nothing": "FAILED", "test_asks": "PASSED", "test_asks_for_another": "FAILED",
        "test_asks_for_nothing_and_starts_it_by_a_child": "FAILED",
    }, done.stdout  # fmt: skip
    reason = "riscv64-unknown-elf-gcc is not installed (apt-get install gcc-riscv64-unknown-elf)"
    assert "1 skipped" in done.stdout and reason in done.stdout


def test_the_folder_of_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What ``.ci/run`` does first: no tool is in it, and a compiler of the user's is.  Then the packages of what is missing."""
    source = tmp_path / "bin"
    source.mkdir()
    for name in ("make", "python3", "g++-13", "my-cc", "yosys", "verilator", "chromium", "other"):
        (source / name).write_text("#!/bin/sh\n")
        (source / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(source))
    monkeypatch.setenv("CXX", "my-cc -O1")
    assert main(["--path", str(tmp_path / "links")]) == 0
    assert {file.name for file in (tmp_path / "links").iterdir()} == {"make", "python3", "g++-13", "my-cc"}
    # An environment that Python makes must not need the folder, which goes away.
    assert not (tmp_path / "links" / "python3").is_symlink()
    started = subprocess.run(["sh", tmp_path / "links" / "python3"], env={}, check=False)
    assert started.returncode == 0
    assert main(["--packages"]) == 0
    assert capsys.readouterr().out.split("\n") == ["iverilog", "gcc-riscv64-unknown-elf", "perl-base", ""]
    assert main([]) == main(["--path", str(tmp_path / "links")]) == 2
    assert main(["--path", str(tmp_path / "more"), "x"]) == 2 and not (tmp_path / "more").exists()


def test_ci_runs_the_tests_without_tools_first() -> None:
    """In its order: the folder of links, the tests with it as the path, the packages, and the tests with them."""
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    steps = [
        r"tests/external\.py --path", r'PATH="\$fresh" make test', r"tests/external\.py --packages", r"^make test$", r"^make check$",
        r"make test-slow",
    ]  # fmt: skip
    places = [re.search(step, text, re.M) for step in steps]
    assert all(places) and [place.start() for place in places if place] == sorted(place.start() for place in places if place)
    names = [name for tool in TOOLS.values() for name in tool.start if name != "perl"]
    assert not [name for name in names if name in text], "the list is in one place"


def test_a_program_that_was_not_asked_for_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="it lacks the mark needs"):
        program("chromium")
    with pytest.raises(AssertionError, match="no such tool"):
        needs("quartus")
    assert missing("yosys", str(tmp_path)) and not missing("yosys", str(links_with_yosys(tmp_path)))


def links_with_yosys(folder: Path) -> Path:
    (folder / "yosys").write_text("#!/bin/sh\n")
    (folder / "yosys").chmod(0o755)
    assert not list(links(str(folder), folder / "fresh").iterdir())
    return folder


# -- neighbours --------------------------------------------------------------------------------------------------------------------


COLLECT = """
import json, sys, pytest
from tests.external import NEEDED
class Keep:
    def pytest_collection_finish(self, session):
        self.needed = session.config.stash[NEEDED]
keep = Keep()
status = pytest.main(["--collect-only", "-q", "-p", "no:cacheprovider", "tests"], plugins=[keep])
json.dump(keep.needed, open(sys.argv[1], "w"))
sys.exit(status)
"""


@pytest.fixture(scope="module")
def needed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[bool, list[str]]]:
    """Of each test by name whether it is slow, and the tools that it needs.  A run of all tests knows them; another one collects them."""
    if request.config.args == request.config.getini("testpaths"):
        return request.config.stash[NEEDED]
    found = tmp_path_factory.mktemp("needed") / "needed.json"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", COLLECT, found], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=True)
    return json.loads(found.read_text())


def stands_for(entry: str, name: str) -> bool:
    """Whether a line of the list is a test, or its file."""
    return name.partition("[")[0] == entry or name.partition("::")[0] == entry


def without_neighbour(needed: dict[str, tuple[bool, list[str]]], rows: list[dict]) -> list[str]:
    """Tests that are skipped without a tool, and that no row of the list has."""
    return [
        f"{name} needs {tool}" for name, (_, tools) in needed.items() for tool in tools
        if not any(row["tool"] == tool and any(stands_for(entry, name) for entry in row["tests"]) for row in rows)
    ]  # fmt: skip


def idle_neighbours(needed: dict[str, tuple[bool, list[str]]], rows: list[dict]) -> list[str]:
    """Neighbours of which no case runs by default without any tool."""
    running = [name for name, (slow, tools) in needed.items() if not slow and not tools]
    return [entry for row in rows for entry in row["neighbours"] if not any(stands_for(entry, name) for name in running)]


def test_each_skipped_test_has_a_neighbour_that_runs(needed) -> None:
    assert len(needed) > 5000 and not without_neighbour(needed, ROWS)
    assert all(row["subject"] and row["neighbours"] for row in ROWS)
    assert not idle_neighbours(needed, ROWS)


def test_no_line_of_the_list_is_old(needed) -> None:
    """Each names a test, or a file with one, that needs the tool."""
    old = [
        (row["tool"], entry) for row in ROWS for entry in row["tests"]
        if not any(row["tool"] in tools and stands_for(entry, name) for name, (_, tools) in needed.items())
    ]  # fmt: skip
    assert not old and {row["tool"] for row in ROWS} == TOOLS.keys()


def test_a_test_without_a_neighbour_is_found() -> None:
    made = {"tests/a.py::test_x[1]": (False, ["yosys"]), "tests/a.py::test_y": (False, []), "tests/b.py::test_z": (True, [])}
    row = {"tool": "yosys", "tests": ["tests/a.py::test_x"], "neighbours": ["tests/a.py::test_y"]}
    assert not without_neighbour(made, [row]) and not idle_neighbours(made, [row])
    assert without_neighbour(made, [{**row, "tool": "perl"}]) == ["tests/a.py::test_x[1] needs yosys"]
    assert without_neighbour(made, [{**row, "tests": ["tests/a.py::test_"]}]) == ["tests/a.py::test_x[1] needs yosys"]
    for idle in ("tests/b.py::test_z", "tests/a.py::test_x", "tests/c.py"):
        assert idle_neighbours(made, [{**row, "neighbours": [idle]}]) == [idle]


MOST_SKIPPED = {
    "iverilog": 12, "verilator": 3, "chromium": 50, "perl": 0, "yosys": 0, "riscv64-unknown-elf-gcc": 0, "nextpnr-ecp5": 0, "tcl": 42,
}  # fmt: skip
"""How many default tests may need each tool."""


def test_few_tests_are_skipped(needed) -> None:
    """And none because it has no cases: pytest skips a test whose list of parameters is empty."""
    default = [tools for slow, tools in needed.values() if not slow]
    counts = {tool: sum(tool in tools for tools in default) for tool in TOOLS}
    assert all(counts[tool] <= most for tool, most in MOST_SKIPPED.items()), counts
    assert not [name for name in needed if "[NOTSET" in name]
