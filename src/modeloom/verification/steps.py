# SPDX-License-Identifier: Apache-2.0
"""Steps of ``modeloom verify`` for every kind of core: files, lint, timing channels of the netlist, bench."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from modeloom.cores.front import chosen_clocks, front_of
from modeloom.emit import ToolMissing, lint, run_bench
from modeloom.emit.files import contents
from modeloom.emit.html import Measured, read_measured
from modeloom.emit.package.core_file import read_manifest
from modeloom.emit.simulators import CheckFailed, simulator
from modeloom.measure.datasheet import measured_of
from modeloom.modes import find_any
from modeloom.product.core import Core, D
from modeloom.product.description import EXACT_TOOLS, FRONT_TOOLS, Description, versions
from modeloom.product.driven import CoreFault
from modeloom.product.folder import verilog_of
from modeloom.product.message import MessageError
from modeloom.product.simulated import SectorError
from modeloom.spec import InputError
from modeloom.spec.errors import AuthenticationError
from modeloom.taint import check_netlist, combinational_paths, flat_netlist

__all__ = [
    "FAULTS", "SCHEMA", "Step", "as_json", "bench_step", "changed_files", "check_emission", "check_files", "check_hashes",
    "datasheet_steps", "files_step", "lint_step", "measured_in", "newer_tools", "run_check", "timing_step", "today", "unconfirmed",
    "with_skipped",
]  # fmt: skip

# The result of a verification: a line for each step, and a report as data.

SCHEMA = "modeloom-verify-1"


@dataclass(frozen=True)
class Step:
    """A step that passed, or was skipped.

    Attributes
    ----------
    name : str
        One word.
    text : str
        The result, on one line.
    figures : dict
        The same as numbers.
    skipped : tuple of str
        The parts that were skipped, each with its reason.
    """

    name: str
    text: str
    figures: Mapping[str, object] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}: {self.text}"


def as_json(description: Description, seed: int, used: dict[str, str], steps: Sequence[Step], failure: str = "") -> dict[str, object]:
    """The report: the core, the old and new versions, the steps with their figures, the skipped parts, and the verdict."""
    core = description.as_json()
    return {
        "schema": SCHEMA,
        "core": {key: core.get(key) for key in ("name", "mode", "definition", "definition_sha256", "command", "sha256", "options")},
        "versions": {"built_with": core.get("versions", {}), "verified_with": used},
        "seed": seed,
        "steps": [{"step": step.name, "text": step.text, **step.figures} for step in steps if step.name != "skipped"],
        "skipped": [what for step in steps if step.name != "skipped" for what in step.skipped],
        "passed": not failure,
        **({"failure": failure} if failure else {}),
    }


# What no published vector confirms: a mode, a cipher, or both, that a user has defined.
#
# All checks compare a core with its definition.  If the definition itself is wrong, only vectors of others can find it.

def unconfirmed(description: Description) -> str:
    """One sentence; empty if the mode and the cipher are those of this project, whose vectors are in its tests."""
    if not _is_users(description.definition):
        return ""
    where = description.definition
    if description.own_cipher:
        what, those = f"mode {description.mode} or the cipher {description.cipher}", "they are compared only with their own definitions"
    else:
        what, those = f"mode {description.mode}", "it is compared only with its own definition"
    return f"no published vector confirms the {what}: {those} in {where}"


def _is_users(definition: str) -> bool:
    """Whether a definition is in a file, or in an installed package of others."""
    return ":" in definition or not type(find_any(definition)).__module__.startswith("modeloom.modes.")


# -- datasheet ---------------------------------------------------------------------------------------------------------------------

# Checks of the HTML datasheet: its timing is what a simulation of the core records.

def measured_in(directory: Path, description: Description) -> Measured | None:
    """What the page of a folder holds of measurements; None if it has no page, or one that cannot be read."""
    page = description.files.html
    if page is None or not (directory / page).is_file():
        return None
    try:
        return read_measured((directory / page).read_text(encoding="utf-8"))
    except ValueError:
        return None


def datasheet_steps(directory: Path, description: Description, *, optimize: int = 2, hashes: bool = True) -> Iterator[Step]:
    """Records the timing of the core again and compares it with the page.  There is no step for a page without timing.

    Raises ``CheckFailed`` if they differ.  Without ``hashes``, edited Verilog is tested, and the page is not compared.
    """
    found = measured_in(directory, description)
    if found is None or found.timing is None or not hashes:
        return
    again = measured_of(directory, description, optimize=optimize)
    if again.timing != found.timing:
        raise CheckFailed(f"{directory}: the timing in {description.files.html} is not that of the core; run modeloom datasheet again")
    cycles = len(found.timing["foot"]["tock"].split())
    left = (f"areas in {description.files.html}: modeloom synth measures them",) if found.areas else ()
    text = f"the timing in {description.files.html} is what a simulation records"
    yield Step("datasheet", text, {"columns": cycles, "areas": len(found.areas)}, left)


# -- files -------------------------------------------------------------------------------------------------------------------------

# Compares the files of a core with their hashes in ``core.json`` and with the files of the current definition.

_TOOLS = {"yosys": "Yosys", "amaranth": "Amaranth", "ortools": "OR-Tools"}
"""The names of tools in messages, if they have another one."""


def changed_files(directory: Path, description: Description) -> list[str]:
    """Files that are missing, or do not have the SHA-256 in ``core.json`` or in the manifest.

    Raises ``InputError`` if there is no SHA-256.
    """
    if description.sha256 is None:
        raise InputError(f"{directory}/core.json has no hashes: an older version wrote it; build the core again, or add --no-hashes")
    changed = [file for file, wanted in description.sha256.items() if _hash(directory / file) != wanted]
    files = description.files
    if files.manifest is None:
        return changed
    try:
        hashes = read_manifest((directory / files.manifest).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        hashes = {}
    if set(hashes) != {*description.sha256, files.description}:
        return [*changed, files.manifest]
    return [*changed, *(file for file, wanted in hashes.items() if file not in changed and _hash(directory / file) != wanted)]


def _hash(path: Path) -> str | None:
    """SHA-256 of a file; None if it is missing."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def check_hashes(directory: Path, description: Description) -> None:
    """Raises ``CheckFailed`` if files are missing or changed.  The message is one line with their names."""
    if changed := changed_files(directory, description):
        names = ", ".join(file if (directory / file).is_file() else f"{file} (missing)" for file in changed)
        raise CheckFailed(
            f"{directory}: changed since modeloom build: {names}; build the core again, or add --no-hashes to test it as it lies there"
        )


def newer_tools(description: Description) -> list[str]:
    """The tools whose versions differ from those that built the core, in words."""
    before = description.versions or {}
    more = (name for name in before if name in (*EXACT_TOOLS, *FRONT_TOOLS))
    return [
        f"{_TOOLS.get(name, name)} {before.get(name, 'unknown')}, here {version}"
        for name, version in versions(*more).items() if before.get(name) != version
    ]  # fmt: skip


def today(core: Core[D], description: D, directory: Path | None = None) -> dict[str, str]:
    """The texts of all files as they are emitted today, with the name and the command of the core.

    Measurements in the HTML datasheet of ``directory``, if it is given, are in that of today, too: its pictures are drawn of them again.
    """
    front = description.front
    end = None
    if front is not None:
        width = None if front.width is None else front.width.bits
        clocks = None if front.clocks is None else chosen_clocks(front.clocks)
        end = front_of("registers" if front.registers else None, width, clocks, bus=front.bus, commands=front.commands)
    measured = None if directory is None else measured_in(directory, description)
    cocotb = description.files.cocotb is not None
    return contents(core, description.name, description.command, end, cocotb=cocotb, ram=description.ram, measured=measured)[1]


def check_emission(directory: Path, texts: Mapping[str, str]) -> None:
    """Raises ``CheckFailed`` if a file differs in any byte from the one that is emitted for the current definition."""
    different = [file for file, text in texts.items() if not _same(directory / file, text)]
    if different:
        differ = f"{', '.join(different)} differ{'s' * (len(different) == 1)}"
        raise CheckFailed(f"{directory}: {differ} from the current definition; build the core again")


def _same(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode()


# -- steps -------------------------------------------------------------------------------------------------------------------------

FAULTS = (CheckFailed, CoreFault, SectorError, MessageError, AuthenticationError)
"""What a check of a wrong core may raise."""


def files_step(directory: Path, description: Description, texts: Mapping[str, str], hashes: bool) -> Step:
    """Checks that the files equal those that are emitted today, which are in ``texts`` by name.

    Without ``hashes``, they are not compared.
    """
    if not hashes:
        why = "hashes of the files, and the files as they would be emitted today (--no-hashes)"
        return Step("files", "not compared", {}, (why,))
    others = newer_tools(description)
    if others:
        why = f"the files as they would be emitted today: the core was built with {'; '.join(others)}"
        number = len(description.sha256 or ())
        return Step("files", f"{number} files have the hashes of core.json", {"files": number}, (why,))
    check_emission(directory, texts)
    return Step("files", f"{len(texts)} files are those of the current definition, byte for byte", {"files": len(texts)})


def lint_step(directory: Path) -> Step:
    """Checks that Verilator gives no warnings."""
    try:
        lint(directory)
    except ToolMissing as missing:
        return Step("lint", "skipped", {}, (f"lint: {missing}",))
    return Step("lint", "verilator -Wall reports nothing except for the waivers")


def timing_step(directory: Path, description: Description) -> Step:
    """Checks that no control signal depends on a secret, and no output on an input of the same cycle."""
    netlist = flat_netlist(directory / description.files.verilog, description.top)
    d = description
    report = check_netlist(netlist, d.secrets, d.results, d.verdicts, d.declassified, d.users_cipher)
    for (source, target), names in combinational_paths(netlist).items():
        raise CheckFailed(f"{directory}: {target} depends on {source} without a register: {' -> '.join(names)}")
    exempt = ", ".join(f"{count} x {name}" for name, count in report.exempt.items()) or "none"
    told = "".join(f"; except for {count} x {name}" for name, count in report.declassified.items())
    text = f"none of {report.control} control signals depends on data, keys or tweaks (exempt: {exempt}){told}"
    return Step("timing", text, {"control_signals": report.control, "exempt": dict(report.exempt)})


def bench_step(directory: Path, figure: str = "passes") -> Step:
    """Checks that the bench measures the figures in ``core.json``.

    *figure* is what is said of them, such as ``{messages} messages``.
    """
    try:
        chosen = simulator()
    except ToolMissing as missing:
        return Step("bench", "skipped", {}, (f"bench: {missing}",))
    figures = run_bench(directory, chosen)
    return Step("bench", f"{figure.format(**figures)} in {chosen.name}", dict(figures))


def check_files(directory: Path, description: Description, hashes: bool) -> None:
    """Checks that there is Verilog, and on request that no file has changed.  Raises ``InputError`` or ``CheckFailed``."""
    verilog_of(directory, description)
    if hashes:
        check_hashes(directory, description)


def with_skipped(steps: Iterable[Step]) -> Iterator[Step]:
    """Steps as they come, and at the end what they have skipped."""
    left: list[str] = []
    for step in steps:
        left += step.skipped
        yield step
    yield Step("skipped", "; ".join(left) or "nothing", {}, tuple(left))


class Simulated(Protocol):
    """What a check simulates."""

    def take_cycles(self) -> int:
        """Cycles since the last call."""


S = TypeVar("S", bound=Simulated)


def run_check(subject: S, name: str, check: Callable[[S], tuple[str, Mapping[str, object]]]) -> Step:
    """Runs one of the checks that simulate.  Any error of the core is a ``CheckFailed`` that names the check.

    A check returns what it tells, and figures.  If ``skipped`` is among them, it lists what the check left out, each with its reason.
    """
    try:
        text, figures = check(subject)
    except FAULTS as error:
        raise CheckFailed(f"{name}: {error}") from error
    finally:
        simulated = subject.take_cycles()
    skipped = figures.get("skipped", ())
    told = {key: value for key, value in figures.items() if key != "skipped"}
    return Step(name, text, {**told, "cycles": simulated}, tuple(skipped) if isinstance(skipped, Sequence) else ())
