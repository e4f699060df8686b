# SPDX-License-Identifier: Apache-2.0
"""Tries faults: does one change an output, and which check of ``modeloom verify`` finds it?"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from modeloom.compiler.compile import compile_mode
from modeloom.emit import CheckFailed
from modeloom.options.sectors import Options
from modeloom.product.simulated import SimulatedCore
from modeloom.spec import InputError
from modeloom.verification.sector import dynamic_checks, run_check
from modeloom.verification.sector.host import Subject
from modeloom.verification.sector.sectors import needed_sectors
from modeloom.verification.sector.statuses import Recording

from .schemata import INPUT, schemata
from .sites import Fault
from .traffic import Traffic

__all__ = ["Result", "Trial", "edited_folder"]


@dataclass(frozen=True)
class Result:
    """What became of a fault.

    Attributes
    ----------
    changes : str
        "cycle N" in which an output differs first in the long traffic; empty if none did.
    caught : str
        The check that found it, or "cycles": none but the comparison of each cycle with the definition's core; empty if none did.
    message : str
        What it said.
    """

    core: str
    number: int
    kind: str
    module: str
    line: int
    old: str
    new: str
    changes: str
    caught: str
    message: str

    def as_dict(self) -> dict[str, Any]:
        """For the file of results."""
        return asdict(self)


class Planted(Subject):
    """A subject whose cores have one fault of a file of schemata; 0 is none."""

    fault = 0

    def core(self, *, seed: int = 0) -> SimulatedCore:
        """A core fresh out of a reset, the fault in it from the first cycle on."""
        core = super().core(seed=seed)
        core.simulation.set(INPUT, self.fault)
        core.runner.reset(4)
        return core


class PlantedRecording(Planted, Recording):
    """The same, and all outputs are kept."""


def edited_folder(source: Path, target: Path, verilog: str) -> Path:
    """A copy of a core's folder with other Verilog."""
    shutil.copytree(source, target)
    name = json.loads((target / "core.json").read_text(encoding="utf-8"))["verilog"]
    (target / name).write_text(verilog, encoding="utf-8")
    return target


class Trial:
    """Faults in the Verilog of one core.

    Parameters
    ----------
    name : str
        For the results.
    folder : path
        The good core.
    work : path
        Where the file with all faults goes.
    faults : sequence of Fault
    cycles : int
        Of the long traffic.
    """

    def __init__(self, name: str, folder: Path, work: Path, faults: Sequence[Fault], cycles: int, seed: int = 1, optimize: int = 2):
        self.name, self.faults = name, faults
        good = Subject(folder)
        verilog = (folder / good.description.verilog).read_text(encoding="utf-8")
        planted = edited_folder(folder, work, schemata(verilog, faults))
        self.subject = Planted(planted, optimize=optimize, seed=seed)
        self.recording = PlantedRecording(planted, optimize=optimize, seed=seed)
        compiled = compile_mode(good.mode, Options(**good.description.options), prove=False)
        need = needed_sectors(compiled)
        self.checks = dynamic_checks(need)
        self.short = [(name, check) for name, check in dynamic_checks(need, 256) if name != "vectors"]
        self.traffic = Traffic(good.description, cycles, seed)
        self._good_outputs = list(self.traffic.outputs(self.subject.core()))
        self.subject.take_cycles()
        self._good_cycles: list[list[bytes]] | None = None

    def run(self) -> Iterator[Result]:
        """Tries every fault."""
        for name, check in self.checks:
            self.subject.fault = 0
            run_check(self.subject, name, check)  # the good core passes
        for number in range(1, len(self.faults) + 1):
            yield self.result(number)

    def result(self, number: int) -> Result:
        """Tries one fault, counted from 1."""
        fault = self.faults[number - 1]
        changes = self.changes(number)
        # A fault that changes no output may leave something of a key behind; no other check can see it.
        caught, message = self.caught(number) if changes else self.caught(number, ("erasure", "zeroize"))
        return Result(
            self.name, number, fault.kind, fault.module, fault.line + 1, fault.old.strip(), fault.new.strip(), changes, caught, message
        )

    def changes(self, number: int) -> str:
        """The first cycle of the long traffic in which an output differs."""
        self.subject.fault = number
        at = 0
        core = self.subject.core()
        row = sum(port.bytes for port in core.simulation.ports.values() if port.kind == "output")
        try:
            for found, wanted in zip(self.traffic.outputs(core), self._good_outputs, strict=True):
                if found != wanted:
                    first = next(i for i, (a, b) in enumerate(zip(found, wanted)) if a != b)
                    return f"cycle {(at + first) // row}"
                at += len(wanted)
        finally:
            self.subject.take_cycles()
        return ""

    def caught(self, number: int, only: Sequence[str] = ()) -> tuple[str, str]:
        """The first check that finds a fault, and its message; of all checks, or some."""
        self.subject.fault = number
        for name, check in self.checks:
            if only and name not in only:
                continue
            try:
                run_check(self.subject, name, check)
            except (CheckFailed, InputError) as error:
                return name, str(error).replace(f"{self.subject.directory}: ", "")
        return ("", "") if only else self._other_cycles(number)

    def _other_cycles(self, number: int) -> tuple[str, str]:
        if self._good_cycles is None:
            self._good_cycles = self._cycles(0)
        for (name, _), found, wanted in zip(self.short, self._cycles(number), self._good_cycles, strict=True):
            if found != wanted:
                return "cycles", f"an output differs from the definition's core in the {name} check"
        return "", ""

    def _cycles(self, number: int) -> list[list[bytes]]:
        """All outputs in all cycles of the checks that ``modeloom verify`` compares, as hashes would be too weak a word for equality."""
        recorded = []
        for _, check in self.short:
            self.recording.fault = number
            check(self.recording)
            recorded.append([core.simulation.watched() for core in self.recording.cores])
            self.recording.cores = []
        return recorded
