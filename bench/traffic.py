# SPDX-License-Identifier: Apache-2.0
"""The share of the peak rate that cores of GCM reach on mixes of packets: what ``modeloom traffic`` prints, for docs/streams.md.

Run: python bench/traffic.py [--blocks 1,2,4] [--mix NAME,...] [--store]           (about five minutes)

One JSON object a row, as it comes.  Each core runs some rounds of each mix, at least 40 packets, with a new key slot at every packet; every
output is compared with the ``cryptography`` package.  The cores have few registers in the cipher and the multiplier, and 128-bit
keys: the cycles do not depend on them, and such cores simulate faster.  ``--store`` writes each row into ``baselines/traffic.json``, in
the place of what was known of it; ``tools/readme.py`` and ``tools/plots.py`` make the table and the picture of docs/streams.md from it.
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
from modeloom.product.simulated_messages import SimulatedStreamCore

STORED = Path(__file__).resolve().parents[1] / "baselines" / "traffic.json"

BLOCKS = (1, 2, 4)
ASSOCIATED = (0, 8, 12, 28)

OPTIONS: dict[str, Any] = {"key_slots": 4, "key_bits": 128, "cipher_stages": 1, "mul_stages": 1}

ARGUMENTS = "".join(f" --{name.replace('_', '-')} {value}" for name, value in OPTIONS.items())

KEPT = ("mix", "blocks_per_cycle", "associated_bytes", "packets", "seed", "bytes", "cycles", "percent_of_peak", "percent_as_gcm2008")


def packets_of(mix: str) -> int:
    """Packets of a run: at least 40, and whole rounds of the mix, so that its shares are exact."""
    return -(-40 // MIXES[mix].round) * MIXES[mix].round


def places() -> list[tuple[int, str, int]]:
    """Blocks a cycle, mix and bytes of associated data of every row, in the order in which they are stored."""
    return [(blocks, mix, associated) for mix in MIXES for blocks in BLOCKS for associated in ASSOCIATED]


def place_of(row: dict[str, Any]) -> tuple[int, str, int]:
    """Blocks a cycle, mix and bytes of associated data of a row."""
    return row["blocks_per_cycle"], row["mix"], row["associated_bytes"]


def build(blocks: int) -> str:
    """The command that makes the core of a row."""
    return f"modeloom build gcm --blocks-per-cycle {blocks}{ARGUMENTS}"


def measured(core: SimulatedStreamCore, folder: Path, mix: str, associated: int) -> dict[str, Any]:
    """A row: the figures of ``modeloom traffic``, and its command lines."""
    packets = packets_of(mix)
    found = measure_traffic(core, folder, MIXES[mix], packets=packets, associated=associated)
    command = f"{build(found['blocks_per_cycle'])} -o DIR; modeloom traffic DIR --mix {mix} --packets {packets} --ad-bytes {associated}"
    return {**{name: found[name] for name in KEPT}, "command": command}


def measure(blocks: int, mixes: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The rows of a core that takes so many blocks in a cycle."""
    compiled = compile_stream(GCM(), StreamOptions(blocks_per_cycle=blocks, **OPTIONS))
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "core"
        emit(StreamCore(compiled), folder, command=build(blocks))
        core = SimulatedStreamCore(folder, optimize=0)
        for mix in mixes:
            for associated in ASSOCIATED:
                yield measured(core, folder, mix, associated)


def store(row: dict[str, Any]) -> None:
    """Puts a row among those that are stored."""
    known = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else []
    every = {place_of(each): each for each in [*known, row]}
    kept = [every[place] for place in places() if place in every]
    STORED.write_text("[\n" + ",\n".join(f" {json.dumps(each)}" for each in kept) + "\n]\n", encoding="utf-8")


def main() -> None:
    """Measures every row that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--blocks", default=",".join(map(str, BLOCKS)))
    parser.add_argument("--mix", default=",".join(MIXES))
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    mixes = options.mix.split(",")
    if wrong := [mix for mix in mixes if mix not in MIXES]:
        parser.error(f"no mix is called {wrong[0]}; there are {', '.join(MIXES)}")
    for blocks in map(int, options.blocks.split(",")):
        for row in measure(blocks, mixes):
            print(json.dumps(row), flush=True)
            if options.store:
                store(row)


if __name__ == "__main__":
    main()
