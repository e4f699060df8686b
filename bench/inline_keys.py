# SPDX-License-Identifier: Apache-2.0
"""What a new key for every packet costs in cores of GCM whose keys come with the messages, for docs/streams.md.

Run: python bench/inline_keys.py [--schedule iterative,word] [--mix NAME,...] [--store]           (about five minutes)

One JSON object a row, as it comes: the figures of ``modeloom traffic``, which compares every output with the ``cryptography`` package.
``--store`` writes each row into ``baselines/inline_keys.json``, in the place of what was known of it; ``tools/readme.py`` makes the table
of docs/streams.md from it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.cores.stream import StreamCore
from modeloom.emit import emit
from modeloom.measure.mixes import MIXES
from modeloom.measure.traffic import measure_traffic
from modeloom.modes.gcm import GCM
from modeloom.product.simulated_messages import SimulatedStreamCore

STORED = Path(__file__).resolve().parents[1] / "baselines" / "inline_keys.json"

SCHEDULES: dict[str, dict[str, Any]] = {
    "iterative": {"keys": "inline"},
    "word": {"keys": "inline", "key_bits": 128, "key_slots": 16, "key_schedule": "word"},
}
"""The options of the core for each kind of key schedule: the default, and the small one."""

KEPT = ("mix", "packets", "seed", "bytes", "cycles", "percent_of_peak", "cycles_lost_per_key")


def packets_of(mix: str) -> int:
    """Packets of a run: whole rounds of the mix, so that its shares are exact; at least 60, or 20 large ones."""
    packets = 60 if mix != "jumbo" else 20
    return -(-packets // MIXES[mix].round) * MIXES[mix].round


def build(schedule: str) -> str:
    """The command that makes the core of a row."""
    return "modeloom build gcm" + "".join(f" --{name.replace('_', '-')} {value}" for name, value in SCHEDULES[schedule].items())


def measured(core: SimulatedStreamCore, folder: Path, schedule: str, mix: str) -> dict[str, Any]:
    """A row: the figures of ``modeloom traffic``, and its command lines."""
    packets = packets_of(mix)
    found = measure_traffic(core, folder, MIXES[mix], packets=packets)
    command = f"{build(schedule)} -o DIR; modeloom traffic DIR --mix {mix} --packets {packets}"
    return {"schedule": schedule, **{name: found[name] for name in KEPT}, "command": command}


def measure(schedule: str, mixes: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The rows of a core."""
    compiled = compile_stream(GCM(), StreamOptions(**SCHEDULES[schedule]))
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "core"
        emit(StreamCore(compiled), folder, command=build(schedule))
        core = SimulatedStreamCore(folder, optimize=0)
        for mix in mixes:
            yield measured(core, folder, schedule, mix)


def place_of(row: dict[str, Any]) -> tuple[str, str]:
    """Mix and key schedule of a row."""
    return row["mix"], row["schedule"]


def places() -> list[tuple[str, str]]:
    """Mix and key schedule of every row, in the order in which they are stored."""
    return [(mix, schedule) for mix in MIXES for schedule in SCHEDULES]


def store(row: dict[str, Any]) -> None:
    """Puts a row among those that are stored."""
    known = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else []
    every = {place_of(each): each for each in [*known, row]}
    kept = [every[place] for place in places() if place in every]
    STORED.write_text("[\n" + ",\n".join(f" {json.dumps(each)}" for each in kept) + "\n]\n", encoding="utf-8")


def main() -> None:
    """Measures every row that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--schedule", default=",".join(SCHEDULES))
    parser.add_argument("--mix", default=",".join(MIXES))
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    mixes, schedules = options.mix.split(","), options.schedule.split(",")
    for what, given, known in (("mix", mixes, MIXES), ("schedule", schedules, SCHEDULES)):
        if wrong := [name for name in given if name not in known]:
            parser.error(f"no {what} is called {wrong[0]}; there are {', '.join(known)}")
    for schedule in schedules:
        for row in measure(schedule, mixes):
            print(json.dumps(row), flush=True)
            if options.store:
                store(row)


if __name__ == "__main__":
    main()
