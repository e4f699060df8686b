# SPDX-License-Identifier: Apache-2.0
"""What a new key for every packet costs, in cores of GCM and GCM-SIV whose keys come with the messages, and of GCM-SIV that derive them.

Run: python bench/inline_keys.py [--core NAME,...] [--mix NAME,...] [--store]                      (some twenty minutes)

One JSON object a row, as it comes: the figures of ``modeloom traffic``, which compares every output with the ``cryptography`` package.
``--store`` writes each row into ``baselines/inline_keys.json``, in the place of what was known of it; ``tools/readme.py`` makes the tables
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
from modeloom.measure.traffic import MIXES, measure_traffic
from modeloom.modes.gcm import GCM
from modeloom.modes.gcm_siv import GCMSIV
from modeloom.product.simulated_messages import SimulatedStreamCore

STORED = Path(__file__).resolve().parents[1] / "baselines" / "inline_keys.json"

MODES = {"gcm": GCM, "gcm-siv": GCMSIV}

CORES: dict[str, tuple[str, dict[str, Any]]] = {
    "iterative": ("gcm", {"keys": "inline"}),
    "word": ("gcm", {"keys": "inline", "key_bits": 128, "key_slots": 16, "key_schedule": "word"}),
    "siv-inline": ("gcm-siv", {"keys": "inline", "key_bits": 128}),
    "siv-derived": ("gcm-siv", {"keys": "derived", "key_bits": 128}),
    "siv-stored": ("gcm-siv", {"keys": "derived", "key_bits": 128, "message_buffer": 2048}),
}
"""Mode and options of each core: GCM with the default key schedules and the small one, and GCM-SIV in its three forms."""

LARGE = "jumbo"
"""The mix whose packets are larger than the message buffer."""

KEPT = ("mix", "packets", "seed", "bytes", "cycles", "percent_of_peak", "cycles_lost_per_key")


def packets_of(mix: str) -> int:
    """Packets of a run: whole rounds of the mix, so that its shares are exact; at least 60, or 20 large ones."""
    packets = 60 if mix != LARGE else 20
    return -(-packets // MIXES[mix].round) * MIXES[mix].round


def build(core: str) -> str:
    """The command that makes the core of a row."""
    mode, options = CORES[core]
    return f"modeloom build {mode}" + "".join(f" --{name.replace('_', '-')} {value}" for name, value in options.items())


def mixes_of(core: str) -> list[str]:
    """The mixes whose packets the core takes."""
    return [mix for mix in MIXES if mix != LARGE or "message_buffer" not in CORES[core][1]]


def measured(simulated: SimulatedStreamCore, folder: Path, core: str, mix: str) -> dict[str, Any]:
    """A row: the figures of ``modeloom traffic``, and its command lines."""
    packets = packets_of(mix)
    found = measure_traffic(simulated, folder, MIXES[mix], packets=packets)
    command = f"{build(core)} -o DIR; modeloom traffic DIR --mix {mix} --packets {packets}"
    return {"core": core, **{name: found[name] for name in KEPT}, "command": command}


def measure(core: str, mixes: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The rows of a core."""
    mode, options = CORES[core]
    compiled = compile_stream(MODES[mode](), StreamOptions(**options))
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "core"
        emit(StreamCore(compiled), folder, command=build(core))
        simulated = SimulatedStreamCore(folder, optimize=0)
        for mix in mixes:
            yield measured(simulated, folder, core, mix)


def place_of(row: dict[str, Any]) -> tuple[str, str]:
    """Mix and core of a row."""
    return row["mix"], row["core"]


def places() -> list[tuple[str, str]]:
    """Mix and core of every row, in the order in which they are stored."""
    return [(mix, core) for mix in MIXES for core in CORES if mix in mixes_of(core)]


def store(row: dict[str, Any]) -> None:
    """Puts a row among those that are stored."""
    known = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else []
    every = {place_of(each): each for each in [*known, row]}
    kept = [every[place] for place in places() if place in every]
    STORED.write_text("[\n" + ",\n".join(f" {json.dumps(each)}" for each in kept) + "\n]\n", encoding="utf-8")


def main() -> None:
    """Measures every row that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--core", default=",".join(CORES))
    parser.add_argument("--mix", default=",".join(MIXES))
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    mixes, cores = options.mix.split(","), options.core.split(",")
    for what, given, known in (("mix", mixes, MIXES), ("core", cores, CORES)):
        if wrong := [name for name in given if name not in known]:
            parser.error(f"no {what} is called {wrong[0]}; there are {', '.join(known)}")
    for core in cores:
        for row in measure(core, [mix for mix in mixes if mix in mixes_of(core)]):
            print(json.dumps(row), flush=True)
            if options.store:
                store(row)


if __name__ == "__main__":
    main()
