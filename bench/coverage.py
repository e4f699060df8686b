# SPDX-License-Identifier: Apache-2.0
"""Coverage of the emitted Verilog of three small cores in Verilator: lines, toggles, and the states of each state machine.

Run: python bench/coverage.py [--store] [--work FOLDER] [CORE ...]      (needs Verilator and Bitwuzla; ten minutes per core)
     python bench/coverage.py --summary

The stimulus is that of ``modeloom verify``: all of its checks that simulate, cycle by cycle (``verilog_coverage.stimulus``).  Bits
that provably cannot toggle are counted apart (``constants``, ``invariants``); each of the others has its reason (``reasons``).  One JSON
object a core; ``--store`` writes them into ``baselines/coverage.json``, whose figures docs/development.md has.  Exit status 1 if
something that is not covered has no reason.  ``--work`` keeps what was built for the next run.  ``--summary`` prints the tables of
docs/development.md from what is stored.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from verilog_coverage.constants import gates_of  # noqa: E402
from verilog_coverage.machines import SOMETIMES, instrumented, machines_of, missing, together  # noqa: E402
from verilog_coverage.reasons import BITS, LINES, STATES  # noqa: E402
from verilog_coverage.simulate import counts, verilate  # noqa: E402
from verilog_coverage.stimulus import stimulus  # noqa: E402
from verilog_coverage.summary import lines, states, toggles, unexplained  # noqa: E402

from modeloom.compiler.compile import compile_mode  # noqa: E402
from modeloom.cores.sector import SectorCore  # noqa: E402
from modeloom.emit import emit  # noqa: E402
from modeloom.modes import find  # noqa: E402
from modeloom.options.sectors import Options  # noqa: E402

STORED = Path(__file__).resolve().parents[1] / "baselines" / "coverage.json"

SMALL: dict[str, Any] = {"cipher_arch": "sequential", "cipher_stages": 1, "restarts": 50}

CORES: dict[str, tuple[str, dict[str, Any]]] = {
    "sizes": ("hctr2", {"sector": 64, "more_sectors": (16, 40), "key_slots": 3, **SMALL}),
    "two keys": ("xts", {"sector": 40, "key_slots": 2, **SMALL}),
    "one direction": ("heh-brw", {"sector": 32, "direction": "encrypt", "key_slots": 3, **SMALL}),
}
"""Small cores that have between them: several sizes, sectors of one beat, partial blocks, one and both directions, several cipher keys,
keys that are refused."""


def measure(name: str, work: Path) -> dict[str, Any]:
    """Emits a core, builds it with coverage, and runs the checks of ``modeloom verify`` on it."""
    mode, changes = CORES[name]
    compiled = compile_mode(find(mode), Options(**changes))
    core = work / "core"
    top = emit(SectorCore(compiled), core, command="bench/coverage.py").name
    verilog = core / f"{top}.v"
    machines, groups = machines_of(compiled), together(compiled)
    plain = verilog.read_text(encoding="utf-8")
    if unknown := missing(plain, top, groups) - SOMETIMES:
        raise ValueError(f"there is no register {min(unknown)}")
    text = instrumented(plain, top, machines)
    given = stimulus(core, compiled)
    found = counts(verilate(text, top, given.pins, work), given, work)
    version = subprocess.run(["verilator", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    return {
        "core": name, "mode": mode, "options": changes, "command": f"python bench/coverage.py --store '{name}'", "verilator": version,
        "cycles": len(given.rows), "toggles": toggles(found, gates_of(verilog, top), groups, BITS), "lines": lines(found, text, LINES),
        "states": states(found, machines, STATES),
    }  # fmt: skip


def summary(rows: Sequence[Mapping[str, Any]]) -> str:
    """The table of docs/development.md."""
    lines = [
        "| core | cycles | lines run | bits | constant | unreachable | risen and fallen, of the others | states reached |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        bits, ran, machines = row["toggles"], row["lines"], row["states"].values()
        reached, every = sum(one["reached"] for one in machines), sum(one["states"] for one in machines)
        lines.append(
            f"| {row['core']} (`{row['mode']}`) | {row['cycles']} | {_share(ran['run'], ran['lines'])} | {bits['bits']} "
            f"| {bits['constant']} | {bits['unreachable']} | {_share(bits['toggled'], bits['can_toggle'])} "
            f"| {reached} of {every}, {len(machines)} machines |"
        )
    return "\n".join(lines)


def left(rows: Sequence[Mapping[str, Any]]) -> str:
    """What is not covered, as a table: how many, and why."""
    lines = ["| core | not covered | why |", "|---|---:|---|"]
    for row in rows:
        for what, reasons in (("bit", row["toggles"]["not_toggled"]), ("line", row["lines"]["not_run"])):
            lines += [f"| {row['core']} | {count} {what}{'s' * (count > 1)} | {reason} |" for reason, count in reasons.items()]
        for machine, found in row["states"].items():
            lines += [f"| {row['core']} | `{machine}`: {state} | {reason} |" for state, reason in found["not_reached"].items()]
    return "\n".join(lines)


def _share(part: int, whole: int) -> str:
    """"34 of 35, 97.1 %", rounded down: only all of it is 100 %."""
    return f"{part} of {whole}, {1000 * part // whole / 10:.1f} %"


def main() -> int:
    """Measures the cores."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cores", nargs="*", metavar="CORE", help=f"of {', '.join(CORES)}")
    parser.add_argument("--store", action="store_true")
    parser.add_argument("--work", type=Path)
    parser.add_argument("--summary", action="store_true")
    options = parser.parse_args()
    if wrong := [name for name in options.cores if name not in CORES]:
        parser.error(f"there is no core {wrong[0]!r}; there are {', '.join(CORES)}")
    known = {row["core"]: row for row in json.loads(STORED.read_text())} if STORED.exists() else {}
    if options.summary:
        print(f"{summary(list(known.values()))}\n\n{left(list(known.values()))}")
        return 0
    open_questions = 0
    for name in options.cores or CORES:
        with tempfile.TemporaryDirectory(prefix="modeloom-coverage-") as passing:
            work = (options.work or Path(passing)) / name.replace(" ", "_")
            work.mkdir(parents=True, exist_ok=True)
            known[name] = result = measure(name, work)
        print(json.dumps(result), flush=True)
        open_questions += unexplained(result)
        if options.store:
            STORED.write_text(json.dumps([known[name] for name in CORES if name in known], indent=1) + "\n")
    return int(open_questions > 0)


if __name__ == "__main__":
    sys.exit(main())
