# SPDX-License-Identifier: Apache-2.0
"""How fast a simulated core for messages seals on one processor core, for docs/streams.md.

Run: python bench/seal_speed.py [--core NAME,...] [--megabytes N] [--store]           (some minutes, nearly all of them a C++ compiler's)

One JSON object a core, as it comes.  Bytes of text are divided by the processor seconds of ``modeloom.core(DIR).seal``, without the time in
which the simulation is compiled.  The sealed text is compared with the ``cryptography`` package.  ``--store`` writes each row into
``baselines/seal_speed.json``; ``tools/readme.py`` makes the table of docs/streams.md from it.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.cores.stream import StreamCore
from modeloom.emit import emit
from modeloom.modes.gcm import GCM
from modeloom.product.simulated_messages import SimulatedStreamCore

STORED = Path(__file__).resolve().parents[1] / "baselines" / "seal_speed.json"

CORES: dict[str, dict[str, Any]] = {"default": {}, "aes-128": {"key_bits": 128}, "four-lanes": {"key_bits": 128, "blocks_per_cycle": 4}}
"""The options of each core."""

MEGABYTES = 4


def build(name: str) -> str:
    """The command that makes a core."""
    return "modeloom build gcm" + "".join(f" --{option.replace('_', '-')} {value}" for option, value in CORES[name].items())


def measured(core: SimulatedStreamCore, name: str, megabytes: float) -> dict[str, Any]:
    """A row.  Raises ``AssertionError`` if the sealed text is wrong."""
    rng = random.Random(1)
    key, nonce, text, header = rng.randbytes(16), rng.randbytes(12), rng.randbytes(int(megabytes * 1e6)), rng.randbytes(20)
    core.load_key(key, 0)
    first, begin = core.cycles, time.process_time()
    sealed = core.seal(nonce, text, header)
    seconds, cycles = time.process_time() - begin, core.cycles - first
    assert sealed == AESGCM(key).encrypt(nonce, text, header)
    return {
        "core": name, "megabytes": megabytes, "cycles": cycles, "seconds": round(seconds, 2),
        "megabytes_a_second": round(megabytes / seconds, 2), "kilocycles_a_second": round(cycles / seconds / 1e3, 1),
        "command": f"{build(name)} -o DIR; python bench/seal_speed.py --core {name} --megabytes {megabytes:g}",
    }  # fmt: skip


def measure(name: str, megabytes: float) -> dict[str, Any]:
    """Builds a core and measures it."""
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "core"
        emit(StreamCore(compile_stream(GCM(), StreamOptions(**CORES[name]), prove=False)), folder, command=build(name))
        return measured(SimulatedStreamCore(folder), name, megabytes)


def store(row: dict[str, Any]) -> None:
    """Puts a row among those that are stored."""
    known = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else []
    every = {each["core"]: each for each in [*known, row]}
    STORED.write_text("[\n" + ",\n".join(f" {json.dumps(every[name])}" for name in CORES if name in every) + "\n]\n", encoding="utf-8")


def main() -> None:
    """Measures the cores that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--core", default=",".join(CORES))
    parser.add_argument("--megabytes", type=float, default=MEGABYTES)
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    names = options.core.split(",")
    if wrong := [name for name in names if name not in CORES]:
        parser.error(f"no core is called {wrong[0]}; there are {', '.join(CORES)}")
    if options.megabytes <= 0:
        parser.error(f"--megabytes is more than 0, not {options.megabytes:g}")
    for name in names:
        row = measure(name, options.megabytes)
        print(json.dumps(row), flush=True)
        if options.store:
            store(row)


if __name__ == "__main__":
    main()
