# SPDX-License-Identifier: Apache-2.0
"""Area of the AES key schedules, and of AES-128 pipelines with their schedule, mapped by Yosys.

Run: python bench/aes_agile_area.py [NAME ...] [--store]

Without names, all: schedules take some twenty seconds each, pipelines some minutes.  ``--store`` writes the figures into
``baselines/aes_agile.json``, those of other names staying as they are.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from amaranth.back import rtlil
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.aes.agile_pipeline import AESAgilePipeline
from modeloom.rtl.aes.iterative_schedule import IterativeKeySchedule
from modeloom.rtl.aes.key_ring import KeyRing
from modeloom.rtl.aes.key_schedule import KeySchedule
from modeloom.rtl.aes.key_store import KeyStore
from modeloom.rtl.aes.pipeline import AESEncryptPipeline
from modeloom.rtl.aes.shifted_schedule import ShiftedKeySchedule
from modeloom.rtl.aes.unrolled_schedule import AESUnrolledPipeline, UnrolledKeySchedule
from modeloom.synth import synthesize

STORED = Path(__file__).resolve().parents[1] / "baselines" / "aes_agile.json"


class OfflinePipeline(wiring.Component):
    """The pipeline of the cores with the schedule of the cores: one word a cycle."""

    def __init__(self) -> None:
        self.aes = AESEncryptPipeline(128)
        self.latency = self.aes.latency
        super().__init__({"start": In(1), "erase": In(1), "key": In(128), "busy": Out(1), "i": In(128), "o": Out(128)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.schedule = schedule = KeySchedule(128)
        m.submodules.aes = aes = self.aes
        m.d.comb += [
            schedule.start.eq(self.start), schedule.erase.eq(self.erase), schedule.key.eq(self.key), self.busy.eq(schedule.busy),
            aes.key_we.eq(schedule.we), aes.key_round.eq(schedule.round), aes.key_data.eq(schedule.data),
            aes.i.eq(self.i), self.o.eq(aes.o),
        ]  # fmt: skip
        return m


DESIGNS: dict[str, tuple[str, Callable[[], Any], str]] = {
    "offline-128": ("xc7", lambda: KeySchedule(128), "schedule alone, both directions"),
    "store-128-4": ("xc7", lambda: KeyStore(128, 4), "offline, with a memory of 4 key slots"),
    "iterative-128": ("xc7", lambda: IterativeKeySchedule(128, inverse=False), "encrypting"),
    "iterative-192": ("xc7", lambda: IterativeKeySchedule(192, inverse=False), "encrypting"),
    "iterative-256": ("xc7", lambda: IterativeKeySchedule(256, inverse=False), "encrypting"),
    "iterative-all": ("xc7", lambda: IterativeKeySchedule("all", inverse=False), "encrypting, key size with the key"),
    "iterative-128-dec": ("xc7", lambda: IterativeKeySchedule(128), "both directions"),
    "unrolled-128": ("xc7", lambda: UnrolledKeySchedule(128), "a key every cycle"),
    **{f"srl-128-{n}": ("xc6v", lambda n=n: ShiftedKeySchedule(128, n), "streams: " + str(n)) for n in (1, 2, 4, 8)},
    "srl-256-4": ("xc6v", lambda: ShiftedKeySchedule(256, 4), "streams: 4"),
    "srl-128-4-ecp5": ("ecp5", lambda: ShiftedKeySchedule(128, 4), "streams: 4; registers, as ECP5 has no shift registers in LUTs"),
    "ring-128": ("xc6v", lambda: KeyRing(128), "encrypting"),
    "ring-128-dec": ("xc6v", lambda: KeyRing(128, inverse=True), "decrypting"),
    "pipeline-offline-128": ("xc7", OfflinePipeline, "key change: 30 cycles lost, as round keys come every 4 cycles and blocks every one"),
    "pipeline-agile-128": ("xc7", lambda: AESAgilePipeline(128), "key change: no cycle lost, at most one in 10 cycles"),
    "pipeline-unrolled-128": ("xc7", lambda: AESUnrolledPipeline(128), "a key every cycle"),
    "pipeline-agile-all-delay": ("xc7", lambda: AESAgilePipeline("all"), "all key sizes, no cycle lost"),
    "pipeline-agile-all-stall": ("xc7", lambda: AESAgilePipeline("all", 1, "stall"), "all key sizes, 2 or 4 cycles lost"),
}
"""Name to target, design, and what to know about it."""


def measure(name: str) -> dict[str, Any]:
    """Figures of one design."""
    target, make, about = DESIGNS[name]
    component = make()
    result = synthesize(rtlil.convert(component, name="unit"), "unit", target)
    return {
        "name": name, "target": target, "about": about, "luts": result.luts, "srl_luts": result.memories["srl_luts"],
        "lutram_luts": result.memories["lutram_luts"], "ffs": result.ffs, "levels": result.levels, "latency": component.latency,
        "tools": result.tools,
    }  # fmt: skip


def main() -> None:
    """Prints the figures, and stores them if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(DESIGNS))
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in DESIGNS]:
        parser.error(f"no design {', '.join(unknown)}: there are {', '.join(DESIGNS)}")
    for name in options.names or DESIGNS:
        figures = measure(name)
        print(json.dumps(figures), flush=True)
        if options.store:
            stored = {entry["name"]: entry for entry in json.loads(STORED.read_text())} if STORED.exists() else {}
            stored[name] = figures
            ordered = [stored[known] for known in DESIGNS if known in stored]
            STORED.write_text(json.dumps(ordered, indent=1) + "\n")


if __name__ == "__main__":
    main()
