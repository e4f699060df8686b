# SPDX-License-Identifier: Apache-2.0
"""Steps of ``modeloom verify`` for every kind of core: files, lint, timing channels of the netlist, bench."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from modeloom.emit import CheckFailed, ToolMissing, lint, run_bench
from modeloom.emit.simulators import simulator
from modeloom.product.description import Description
from modeloom.product.driven import CoreFault
from modeloom.product.message import MessageError
from modeloom.product.simulated import SectorError
from modeloom.spec.errors import AuthenticationError
from modeloom.taint import check_netlist, combinational_paths, flat_netlist
from modeloom.verification.files import check_emission, newer_tools
from modeloom.verification.report import Step

__all__ = ["FAULTS", "bench_step", "files_step", "lint_step", "run_check", "timing_step"]

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
