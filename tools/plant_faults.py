#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants single faults at random in the Verilog of small cores: does ``modeloom verify --no-hashes`` find them?

Run: python tools/plant_faults.py [--core NAME ...] [--faults N] [--seed S] [--cycles N] [--confirm N] [--jobs N] [--store]

Faults are operators, constants, table bytes, selects, enables and resets, as many of each (``planted_faults.sites``).  A fault counts
if it changes some output in a long simulation beside the good core, whose traffic has nothing of the checks in it.  All faults of
a core stand in one Verilog file and are chosen at run time, so one simulation serves them all; ``--confirm`` edits the Verilog of
so many of them for real, and runs the command.  One JSON object a line.  ``--store`` writes ``baselines/planted_faults.json``, whose
figures docs/proof.md has.  Exit status 1 if a fault that counts was not found.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from planted_faults.plain import one_operator_a_line  # noqa: E402
from planted_faults.sites import KINDS, Fault, faults  # noqa: E402
from planted_faults.trial import Result, Trial, edited_folder  # noqa: E402

from modeloom.compiler.compile import compile_mode  # noqa: E402
from modeloom.cores.sector import SectorCore  # noqa: E402
from modeloom.emit import emit  # noqa: E402
from modeloom.modes import find  # noqa: E402
from modeloom.options.sectors import Options  # noqa: E402
from modeloom.spec import InputError  # noqa: E402
from modeloom.verification.sector import CheckFailed, dynamic_checks, run_check  # noqa: E402
from modeloom.verification.sector.host import Subject  # noqa: E402
from modeloom.verification.sector.sectors import needed_sectors  # noqa: E402

STORED = Path(__file__).resolve().parents[1] / "baselines" / "planted_faults.json"

SEARCH: dict[str, Any] = {"cipher_stages": 1, "restarts": 50}

CORES: dict[str, tuple[str, dict[str, Any]]] = {
    # A sequential AES core for both directions, S-boxes in block memories, two key slots.
    "hctr2-sequential": ("hctr2", {"sector": 64, "cipher_arch": "sequential", "cipher_sbox": "bram", "key_slots": 2, **SEARCH}),
    # A pipeline, one direction, three sector sizes of which one has a partial block, three key slots.
    "hctr2-sizes": ("hctr2", {"sector": 64, "more_sectors": (40, 96), "key_slots": 3, "direction": "encrypt", **SEARCH}),
    # Two cipher keys that must differ, ciphertext stealing, keys of 256 bits, one direction.
    "xts-decrypt": ("xts", {"sector": 56, "key_bits": 256, "key_slots": 2, "direction": "decrypt", "cipher_arch": "sequential", **SEARCH}),
    # Cipher keys that set-up makes, a counter, a partial block.
    "xcb-1619": ("xcb-1619", {"sector": 40, "key_bits": 192, "cipher_arch": "sequential", **SEARCH}),
}
"""Small cores that have, between them, every part that cores have."""


def build(name: str, folder: Path) -> Path:
    """Emits one of the cores, and writes its Verilog with one operator a line."""
    mode, options = CORES[name]
    emit(SectorCore(compile_mode(find(mode), Options(**options))), folder, command=f"tools/plant_faults.py --core {name}")
    path = folder / json.loads((folder / "core.json").read_text(encoding="utf-8"))["files"]["verilog"]
    path.write_text(one_operator_a_line(path.read_text(encoding="utf-8")), encoding="utf-8")
    return folder


def verilog_of(folder: Path) -> str:
    """The Verilog of a core's folder."""
    description = json.loads((folder / "core.json").read_text(encoding="utf-8"))
    return (folder / description["verilog"]).read_text(encoding="utf-8")


def confirm(folder: Path, fault: Fault, result: dict[str, Any], work: Path) -> dict[str, Any]:
    """Edits the Verilog for real: ``modeloom verify --no-hashes`` must refuse it, and the check that found the fault must find it again.

    The command may stop at a step before, such as lint.
    """
    edited = edited_folder(folder, work, fault.apply(verilog_of(folder)))
    command = [sys.executable, "-m", "modeloom.cli", "verify", "--no-hashes", "--optimize", "0", str(edited)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    again = found_again(edited, result["caught"])
    return {
        "core": result["core"], "number": result["number"], "caught": result["caught"],
        "confirmed": run.returncode == 1 and bool(again),
        "command": run.stderr.strip().replace(f"{edited}: ", ""), "check": again,
    }  # fmt: skip


def found_again(edited: Path, name: str) -> str:
    """What one check says of the Verilog in a folder; nothing if it passes.  Of ``cycles`` the word of the command counts."""
    if name == "cycles":
        return name
    subject = Subject(edited, optimize=0)
    compiled = compile_mode(subject.mode, Options(**subject.description.options), prove=False)
    try:
        run_check(subject, name, dict(dynamic_checks(needed_sectors(compiled)))[name])
    except (CheckFailed, InputError) as error:
        return str(error).replace(f"{edited}: ", "")
    return ""


def campaign(name: str, number: int, seed: int, cycles: int, confirmed: int) -> list[dict[str, Any]]:
    """Results of all faults of a core; some of those that are found are confirmed."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="modeloom-faults-") as work:
        folder = build(name, Path(work) / "good")
        verilog = verilog_of(folder)
        chosen = faults(verilog, number, seed)
        rows.append({"core": name, "faults": number, "seed": seed, "verilog_sha256": hashlib.sha256(verilog.encode()).hexdigest()})
        results: list[Result] = []
        for result in Trial(name, folder, Path(work) / "planted", chosen, cycles, seed).run():
            results.append(result)
            rows.append(result.as_dict())
            print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
        found = [result for result in results if result.changes and result.caught]
        for result in random.Random(seed).sample(found, min(confirmed, len(found))):
            rows.append(confirm(folder, chosen[result.number - 1], result.as_dict(), Path(work) / f"edited-{result.number}"))
    return rows


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The figures of a campaign."""
    tried = [row for row in rows if "kind" in row]
    count = [row for row in tried if row["changes"]]
    return {
        "tried": len(tried),
        "change_an_output": len(count),
        "caught": sum(bool(row["caught"]) for row in count),
        "escaped": [f"{row['core']} {row['number']}" for row in count if not row["caught"]],
        "change_nothing": len(tried) - len(count),
        "change_nothing_but_caught": sum(bool(row["caught"]) for row in tried if not row["changes"]),
        "caught_by": dict(Counter(row["caught"] for row in count if row["caught"]).most_common()),
        "kinds": {kind: sum(row["kind"] == kind for row in count) for kind in KINDS},
        "cores": dict(Counter(row["core"] for row in count)),
        "confirmed": sum(row["confirmed"] for row in rows if "confirmed" in row),
        "not_confirmed": [f"{row['core']} {row['number']}" for row in rows if row.get("confirmed") is False],
    }


def store(rows: Sequence[dict[str, Any]]) -> None:
    """Puts the rows of some cores into the stored file, in the place of those that it has of them."""
    before = json.loads(STORED.read_text(encoding="utf-8"))["faults"] if STORED.exists() else []
    new = {row["core"] for row in rows}
    rows = sorted([*(row for row in before if row["core"] not in new), *rows], key=lambda row: list(CORES).index(row["core"]))
    text = {"command": "python tools/plant_faults.py --store", **summary(rows), "faults": rows}
    STORED.write_text(json.dumps(text, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--core", action="append", choices=CORES, help="one of the cores (all)")
    parser.add_argument("--faults", type=int, default=110, help="faults per core")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cycles", type=int, default=40_000, help="cycles of the long traffic")
    parser.add_argument("--confirm", type=int, default=2, help="faults per core that are planted for real")
    parser.add_argument("--jobs", type=int, default=2, help="cores at a time")
    parser.add_argument("--store", action="store_true", help=f"write {STORED.name}")
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    with ProcessPoolExecutor(arguments.jobs) as pool:
        each = (arguments.faults, arguments.seed, arguments.cycles, arguments.confirm)
        for found in [pool.submit(campaign, name, *each) for name in arguments.core or CORES]:
            rows += found.result()
            for row in rows[-len(found.result()) :]:
                print(json.dumps(row), flush=True)
    figures = summary(rows)
    print(json.dumps(figures), flush=True)
    if arguments.store:
        store(rows)
    sys.exit(bool(figures["escaped"] or figures["not_confirmed"]))


if __name__ == "__main__":
    main()
