#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants rare single faults in the Verilog of small cores for messages: does what ``modeloom verify`` sends find them?

Run: python tools/plant_rare_faults.py [--core NAME ...] [--faults N] [--seed S] [--minutes N] [--jobs N] [--only NUMBER ...] [--store]

A fault is one bit of a comparison, of a counter, of a depth or of an index (``planted_faults.rare``).  It counts if it was found, or if
something else comes out in traffic that reaches its line.  Faults that change nothing but cycles are counted apart.  All faults of a core
stand in one Verilog file and are chosen at run time (``planted_faults.messages``).  No file is compared with a fresh build.  One JSON
object a line; ``--store`` writes ``baselines/rare_faults.json``.  Exit status 1 if a fault that counts was not found.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from planted_faults.messages import MessageTrial  # noqa: E402
from planted_faults.plain import one_operator_a_line  # noqa: E402
from planted_faults.rare import RARE_KINDS, rare_faults  # noqa: E402

from modeloom.compiler.streams import StreamOptions, compile_stream  # noqa: E402
from modeloom.cores.stream import StreamCore  # noqa: E402
from modeloom.emit import emit  # noqa: E402
from modeloom.modes import find_any  # noqa: E402
from modeloom.product.folder import read_messages  # noqa: E402
from modeloom.spec.stream import StreamMode  # noqa: E402

STORED = Path(__file__).resolve().parents[1] / "baselines" / "rare_faults.json"

SMALL: dict[str, Any] = {"cipher_arch": "multistream", "streams": 1, "key_slots": 3}
"""One block at a time goes through one round of the cipher."""

CORES: dict[str, tuple[str, dict[str, Any]]] = {
    # Offsets by the number of a block, starts that run ahead, one channel.
    "ocb3": ("ocb3", {**SMALL, "key_bits": 128}),
    # Lengths in the command, a chain through the cipher, a counter of 64 bits in the state.
    "ccm": ("ccm", {**SMALL, "key_bits": 128}),
    # Three channels that interleave, a hash with powers of its key, lengths in the tag.
    "gcm-channels": ("gcm", {**SMALL, "key_bits": 128, "mul_stages": 0, "channels": 3}),
    # Header, text and tag that touch each other.
    "gcm-wire": ("gcm", {**SMALL, "key_bits": 128, "mul_stages": 0, "packet": "wire"}),
    # Two passes.
    "deoxys-ii": ("deoxys-ii", {**SMALL}),
}
"""Small cores of several kinds."""


def build(name: str, folder: Path) -> str:
    """Emits one of the cores, and writes its Verilog with one operator a line."""
    definition, options = CORES[name]
    mode = find_any(definition)
    assert isinstance(mode, StreamMode)
    compiled = compile_stream(mode, StreamOptions(**options), prove=False)
    emit(StreamCore(compiled), folder, command=f"tools/plant_rare_faults.py --core {name}")
    path = folder / read_messages(folder).verilog
    verilog = one_operator_a_line(path.read_text(encoding="utf-8"))
    path.write_text(verilog, encoding="utf-8")
    return verilog


def campaign(name: str, number: int, seed: int, minutes: float, only: Sequence[int] = ()) -> list[dict[str, Any]]:
    """Results of all faults of a core, of those with some numbers, or of those that are tried in so many minutes."""
    with tempfile.TemporaryDirectory(prefix="modeloom-faults-") as work:
        folder = Path(work) / "good"
        verilog = build(name, folder)
        chosen = rare_faults(verilog, number, seed)
        rows: list[dict[str, Any]] = [
            {"core": name, "faults": len(chosen), "seed": seed, "verilog_sha256": hashlib.sha256(verilog.encode()).hexdigest()}
        ]
        end = time.monotonic() + 60 * minutes
        for result in MessageTrial(name, folder, Path(work) / "planted", chosen, optimize=1, seed=seed).run(only):
            rows.append(result.as_dict())
            print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
            if time.monotonic() > end:
                break
    return rows


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The figures of a campaign."""
    tried = [row for row in rows if "kind" in row]
    found = [row for row in tried if row["caught"]]
    return {
        "tried": len(tried),
        "found": len(found),
        "escaped": [f"{row['core']} {row['number']}" for row in tried if not row["caught"] and row["changes"]],
        "cycles_alone": sum(bool(row["shifts"]) for row in tried if not row["caught"]),
        "change_nothing": sum(bool(row["reached"]) for row in tried if not (row["caught"] or row["changes"] or row["shifts"])),
        "not_reached": sum(not row["reached"] for row in tried),
        "found_by": dict(Counter(row["caught"].split(":")[0] for row in found).most_common()),
        "kinds": {kind: sum(row["kind"] == kind for row in found) for kind in RARE_KINDS},
        "cores": dict(Counter(row["core"] for row in found)),
    }


def store(rows: Sequence[dict[str, Any]]) -> None:
    """Puts rows into the stored file, in the place of those that it has of the same Verilog and of the same faults."""
    before = json.loads(STORED.read_text(encoding="utf-8"))["faults"] if STORED.exists() else []
    heads = {row["core"]: row for row in rows if "verilog_sha256" in row}
    same = {row["core"] for row in before if row == heads.get(row["core"])}
    kept = {(row["core"], row.get("number", 0)): row for row in before if row["core"] in same or row["core"] not in heads}
    kept |= {(row["core"], row.get("number", 0)): row for row in rows}
    rows = [kept[key] for key in sorted(kept, key=lambda key: (list(CORES).index(key[0]), key[1]))]
    text = {"command": "python tools/plant_rare_faults.py --store", **summary(rows), "faults": rows}
    STORED.write_text(json.dumps(text, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--core", action="append", choices=CORES, help="one of the cores (all)")
    parser.add_argument("--faults", type=int, default=110, help="faults per core")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=24 * 60, help="time for a core, after which the faults so far count")
    parser.add_argument("--jobs", type=int, default=2, help="cores at a time")
    parser.add_argument("--only", type=int, action="append", default=[], metavar="NUMBER", help="try this fault of the core (all)")
    parser.add_argument("--store", action="store_true", help=f"write {STORED.name}")
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    with ProcessPoolExecutor(arguments.jobs) as pool:
        given = arguments.faults, arguments.seed, arguments.minutes, arguments.only
        for found in [pool.submit(campaign, name, *given) for name in arguments.core or CORES]:
            rows += found.result()
            for row in rows[-len(found.result()) :]:
                print(json.dumps(row), flush=True)
    figures = summary(rows)
    print(json.dumps(figures), flush=True)
    if arguments.store:
        store(rows)
    sys.exit(bool(figures["escaped"]))


if __name__ == "__main__":
    main()
