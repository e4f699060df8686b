# SPDX-License-Identifier: Apache-2.0
"""A Verilog file in Verilator with coverage on: built, run on a stimulus, and what was counted."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from verilog_coverage.stimulus import Pin, Stimulus

__all__ = ["MOST_BITS", "Count", "VerilatorFailed", "counts", "verilate"]

MOST_BITS = 320
"""Widest signal whose toggles are counted, the width of a command; a memory counts with all of its words, so few are in it."""

_COUNTER = re.compile(r"^C '(?P<fields>(?:\x01[^\x02]*\x02[^\x01']*)+)' (?P<count>\d+)$", re.MULTILINE)
_FIELD = re.compile(r"\x01([^\x02]*)\x02([^\x01']*)")


class VerilatorFailed(RuntimeError):
    """Verilator, its compiler or the simulation failed; one line."""


@dataclass(frozen=True)
class Count:
    """One point of coverage.

    Attributes
    ----------
    kind : str
        "toggle", "line", "branch" or "user".
    path : str
        Instance, from the top module's instances on: "core.bus.key_port"; "" is the top.
    what : str
        Name of the bit for a toggle, "block" and the like for a line, the label for a user's point.
    line : int
    count : int
        Times; of a toggle, changes in either direction.
    """

    kind: str
    path: str
    what: str
    line: int
    count: int


def _run(command: Sequence[str | Path], folder: Path) -> None:
    done = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()] or ["no message"]
        telling = [line for line in lines if "rror" in line] or lines
        raise VerilatorFailed(f"{Path(str(command[0])).name}: {telling[0].strip()}")


def verilate(verilog: str, top: str, pins: Sequence[Pin], work: Path, *, clock: str = "aclk") -> Path:
    """Builds the simulation with coverage of lines, toggles and users' points, if it is not there yet; gives the program.

    Flattened, as Verilator 5.006 counts the instances of a module that it does not inline together, and toggles at their ports once for
    signals that only one of them has.
    """
    text, at = "", 0
    for pin in pins:
        kind = "INPUT" if pin.is_input else "OUTPUT"
        text += f"#ifdef {kind}\n{kind}({pin.name}, {at}, {pin.bytes})\n#endif\n"
        at += pin.bytes
    command = [
        "verilator", "--cc", "--exe", "--prefix", "Vcore", "--top-module", top, "-Wno-fatal", "-Wno-lint", "--Mdir", "obj",
        "--flatten", "--coverage-line", "--coverage-toggle", "--coverage-user", "--coverage-underscore",
        "--coverage-max-width", str(MOST_BITS),
        "--output-split", "20000", "--output-split-cfuncs", "500", "-CFLAGS", f"-I.. -DPIN_BYTES={at} -DCLOCK={clock}",
        "core.v", "driver.cc",
    ]  # fmt: skip
    driver = Path(__file__).with_name("driver.cc").read_text(encoding="utf-8")
    sources = {"core.v": verilog, "pins.h": text, "driver.cc": driver, "command": " ".join(command)}
    program = work / "obj" / "Vcore"
    if program.exists() and all((work / name).exists() and (work / name).read_text("utf-8") == one for name, one in sources.items()):
        return program
    for name, one in sources.items():
        (work / name).write_text(one, encoding="utf-8")
    program.unlink(missing_ok=True)
    _run(command, work)
    _run(["make", "-j2", "-C", "obj", "-f", "Vcore.mk", "OPT_FAST=-O1", "OPT_SLOW=-O0", "OPT_GLOBAL=-O0", "Vcore"], work)
    return program


def counts(program: Path, stimulus: Stimulus, work: Path) -> list[Count]:
    """Runs a built simulation; raises ``VerilatorFailed`` if an output differs from the stimulus."""
    rows, before, after = work / "rows.bin", work / "before.dat", work / "after.dat"
    np.concatenate([stimulus.compared[:, None].astype(np.uint8), stimulus.rows], axis=1).tofile(rows)
    _run([program.resolve(), rows.resolve(), before.resolve(), after.resolve()], work)
    start = {(one.kind, one.path, one.what, one.line): one.count for one in parse(before.read_text(encoding="latin-1"))}
    # Initial values count as lines that ran, and are no toggles.
    return [
        replace(one, count=one.count - start[one.kind, one.path, one.what, one.line]) if one.kind == "toggle" else one
        for one in parse(after.read_text(encoding="latin-1"))
    ]


def parse(text: str) -> list[Count]:
    """The points of a coverage file of Verilator."""
    found = []
    for match in _COUNTER.finditer(text):
        fields = dict(_FIELD.findall(match["fields"]))
        kind = fields["page"].split("/")[0].removeprefix("v_")
        path = fields["h"].split(".", 2)[2] if fields["h"].count(".") > 1 else ""
        if kind == "user":  # the label is the last part of the path
            path = path.rpartition(".")[0]
        found.append(Count(kind, path, fields["o"], int(fields["l"]), int(match["count"])))
    return found
