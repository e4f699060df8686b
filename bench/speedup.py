# SPDX-License-Identifier: Apache-2.0
"""Cycles of a cipher with all its rounds in a row and of one with a single round, for 1 to 1024 blocks: luts2017, section 2.3.

Run: python bench/speedup.py [--streams 1,2,4] [--store]              (about five minutes of one core)

One JSON object a row, as it comes.  Both forms are simulated, and every block is compared with the reference:

- ``unrolled_cycles``: a core of GCM with N registers per round, from the first beat of a message of B blocks at its pins to the last beat
  of its ciphertext.  That is r N + B - 1, and the same cycles for each message in the buses and the control (``bus_cycles``).
- ``round_cycles``: the circuit ``aes-multistream`` with N streams, from the first block to the last result.

``--store`` writes each row into ``src/modeloom_papers/measured/speedups.json``; ``tools/readme.py`` and ``tools/plots.py`` make the table
and the picture of docs/papers.md from it.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from amaranth.back import rtlil

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.cores.stream import StreamCore
from modeloom.emit import emit
from modeloom.modes.gcm import GCM
from modeloom.product.message import Message
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.sim import Simulation
from modeloom_circuits.aes.rounds import AESMultiStream
from modeloom_golden.aes import AES
from modeloom_golden.aes_steps import round_keys
from modeloom_golden.gcm import GCM as Reference
from modeloom_papers.speedup import BLOCKS, ROUNDS, STREAMS, name_of, round_cycles, unrolled_cycles

STORED = Path(__file__).resolve().parents[1] / "src" / "modeloom_papers" / "measured" / "speedups.json"

BLOCK_BYTES = 16


def number(block: bytes) -> int:
    """A block in the order of ports."""
    return int.from_bytes(block, "little")


def of_a_round(simulation: Simulation, unit: AESMultiStream, blocks: int) -> int:
    """The cycles from the first block to the last of so many results, with batches back to back."""
    rng = random.Random(blocks)
    key = rng.randbytes(16)
    keys, cipher = [number(each) for each in round_keys(key)], AES(key)
    texts = [rng.randbytes(BLOCK_BYTES) for _ in range(blocks)]
    simulation.reset()
    simulation.set("key_first", keys[0])
    sent, results, asked, now = 0, list[bytes](), 0, 0
    entering = 0
    while True:
        # The key that was asked for in the cycle before.
        simulation.set("key", keys[asked])
        if simulation.get("ready") and sent < blocks:
            simulation.set("start", 1)
            entering = unit.streams
        else:
            simulation.set("start", 0)
        if entering and sent < blocks:
            simulation.set("i", number(texts[sent]))
            sent += 1
        entering = max(0, entering - 1)
        if simulation.get("valid"):
            results.append(simulation.get("o").to_bytes(BLOCK_BYTES, "little"))
            if len(results) == blocks:
                break
        asked = simulation.get("key_index")
        simulation.step()
        now += 1
    if results != [cipher.encrypt_block(text) for text in texts]:
        raise AssertionError("the round gives other blocks than AES")
    return now


def of_a_core(core: SimulatedStreamCore, blocks: int) -> int:
    """The cycles from the first beat of a message in to its last beat of text out."""
    rng = random.Random(blocks)
    key, nonce, text = rng.randbytes(16), rng.randbytes(12), rng.randbytes(BLOCK_BYTES * blocks)
    core.load_key(key)
    (sealed,) = core.run([Message(nonce, text)])
    if sealed != Reference(key).seal(nonce, text):
        raise AssertionError("the core gives another message than GCM")
    return core.output_cycles[-1] - core.input_cycles[0]


def measure(streams: int) -> Iterator[dict[str, Any]]:
    """The rows of a number of streams."""
    options = {"cipher_stages": streams, "mul_stages": 1, "key_bits": 128, "key_slots": 1}
    command = "modeloom build gcm" + "".join(f" --{name.replace('_', '-')} {value}" for name, value in options.items())
    unit = AESMultiStream(128, streams)
    simulation = Simulation.of(rtlil.convert(unit, name="aes"), "aes", optimize=1)
    with tempfile.TemporaryDirectory(prefix="modeloom-speedup-") as work:
        folder = Path(work) / "core"
        emit(StreamCore(compile_stream(GCM(), StreamOptions(**options))), folder, command=command)
        core = SimulatedStreamCore(folder, optimize=0)
        for blocks in BLOCKS:
            unrolled = of_a_core(core, blocks)
            yield {
                "name": name_of(streams, blocks), "streams": streams, "blocks": blocks, "rounds": ROUNDS,
                "round_cycles": of_a_round(simulation, unit, blocks), "round_formula": round_cycles(streams, blocks),
                "unrolled_cycles": unrolled, "unrolled_formula": unrolled_cycles(streams, blocks),
                "bus_cycles": unrolled - unrolled_cycles(streams, blocks), "command": command,
            }  # fmt: skip


def store(row: dict[str, Any]) -> None:
    """Puts a row among those that are stored."""
    known = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else []
    every = {each["name"]: each for each in [*known, row]}
    names = [name_of(streams, blocks) for streams in STREAMS for blocks in BLOCKS]
    STORED.write_text("[\n" + ",\n".join(f" {json.dumps(every[name])}" for name in names if name in every) + "\n]\n", encoding="utf-8")


def main() -> None:
    """Measures every row that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", default=",".join(map(str, STREAMS)), metavar="N,...")
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    chosen = [int(text) for text in options.streams.split(",")]
    if wrong := [streams for streams in chosen if streams not in STREAMS]:
        parser.error(f"there is no form with {wrong[0]} streams, only with {', '.join(map(str, STREAMS))}")
    for streams in chosen:
        for row in measure(streams):
            print(json.dumps(row), flush=True)
            if options.store:
                store(row)


if __name__ == "__main__":
    main()
