# SPDX-License-Identifier: Apache-2.0
"""Area and rate of cores of GCM and OCB3 whose cipher is one round for some blocks at a time, beside the pipeline, for docs/streams.md.

Run: python bench/multistream.py [--core NAME,...] [--store]           (some minutes per core)

One JSON object a row, as it comes: what Yosys maps on xc7, with LUT-FF pairs as luts2017 counts them (``modeloom.synth.netlist``), and the
bytes a cycle of packets of the mix gcm2008, each under the next key slot.  Every output is compared with the ``cryptography`` package.
``--store`` writes each row into ``baselines/multistream.json``, in the place of what was known of it; ``tools/readme.py`` makes the table.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from modeloom.compiler.streams import CompiledStream, StreamOptions, compile_stream
from modeloom.cores.stream import StreamCore
from modeloom.emit import emit
from modeloom.measure.area import measure_core
from modeloom.measure.traffic import MIXES, measure_traffic
from modeloom.modes.gcm import GCM
from modeloom.modes.ocb3 import OCB3
from modeloom.product.simulated_messages import SimulatedStreamCore

sys.path.insert(0, str(Path(__file__).resolve().parent))

from stored_rows import measure_rows  # noqa: E402

STORED = Path(__file__).resolve().parents[1] / "baselines" / "multistream.json"

MIX, PACKETS, TARGET = "gcm2008", 40, "xc7"

MODES = {"gcm": GCM, "ocb3": OCB3}

SHARED: dict[str, dict[str, Any]] = {"gcm": {"key_bits": 128, "mul_arch": "lut6"}, "ocb3": {"key_bits": 128}}
"""Options of all cores of a mode: those of the area of GCM in docs/streams.md, and OCB3 for the same keys."""

CORES: dict[str, tuple[str, dict[str, Any]]] = {
    **{f"gcm {count}": ("gcm", {"cipher_arch": "multistream", "streams": count}) for count in (1, 2, 4)}, "gcm pipeline": ("gcm", {}),
    **{f"ocb3 {count}": ("ocb3", {"cipher_arch": "multistream", "streams": count}) for count in (1, 4)},
}  # fmt: skip
"""Mode of each core, and its options beside those of the mode."""


def options_of(name: str) -> dict[str, Any]:
    """All options of a core."""
    mode, options = CORES[name]
    return {**SHARED[mode], **options}


def command(name: str) -> str:
    """The command that makes a core."""
    given = "".join(f" --{option.replace('_', '-')} {value}" for option, value in options_of(name).items())
    return f"modeloom build {CORES[name][0]}{given}"


def compiled(name: str, *, prove: bool = True) -> CompiledStream:
    """The core of a row, compiled."""
    return compile_stream(MODES[CORES[name][0]](), StreamOptions(**options_of(name)), prove=prove)


def rate(name: str) -> dict[str, Any]:
    """The cycles of a block, and the bytes per cycle on the mix."""
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "core"
        description = emit(StreamCore(compiled(name)), folder, command=command(name))
        found = measure_traffic(SimulatedStreamCore(folder, optimize=0), folder, MIXES[MIX], packets=PACKETS)
    return {
        "cycles_a_block": description.cycles.text, "latency": description.latency, "bytes": found["bytes"], "cycles": found["cycles"],
        "bytes_a_cycle": round(found["bytes"] / found["cycles"], 3), "percent_of_peak": found["percent_of_peak"],
    }  # fmt: skip


def area(name: str) -> dict[str, Any]:
    """What Yosys maps on xc7."""
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "core"
        emit(StreamCore(compiled(name)), folder, command=command(name))
        found = measure_core(folder, TARGET, blocks=False)
    memories = found["memories"]
    return {
        "luts": found["luts"], "ffs": found["ffs"], "lutram_luts": memories["lutram_luts"], "srl_luts": memories["srl_luts"],
        "bram_cells": memories["bram_cells"], "pairs": found["pairs"], "pairs_with_both": found["pairs_with_both"],
        "levels": found["levels"], "target": TARGET, "tools": found["tools"],
    }  # fmt: skip


def measured(name: str) -> dict[str, Any]:
    """A row."""
    return {"core": name, "command": command(name), **rate(name), **area(name)}


if __name__ == "__main__":
    measure_rows(__doc__, STORED, CORES, measured)
