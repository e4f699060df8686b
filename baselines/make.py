# SPDX-License-Identifier: Apache-2.0
"""Measures cores with Yosys and nextpnr and writes the results into this folder, one file for each tool and core.

Run: python baselines/make.py yosys            (about ten minutes)
     python baselines/make.py pnr              (hours: places and routes whole cores on ECP5)
     python baselines/make.py devices          (half an hour: places and routes small designs on other devices)

``baselines/TOOL-VERSION/CORE.TARGET.json`` holds what ``modeloom synth`` prints; ``tools/readme.py`` makes the table of
``baselines/README.md`` from them.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from amaranth.back import rtlil

from modeloom.ciphers import AES
from modeloom.compiler.compile import compile_mode
from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.cores.sector import SectorCore
from modeloom.cores.stream import StreamCore
from modeloom.emit import emit
from modeloom.measure.area import measure_core
from modeloom.modes import find_any
from modeloom.options.sectors import Options
from modeloom.rtl.aes.pipeline import AESPipeline
from modeloom.spec.stream import StreamMode
from modeloom.synth import synthesize
from modeloom_circuits import find_circuit

HERE = Path(__file__).resolve().parent
CORES: dict[str, tuple[str, dict[str, Any]]] = {
    "hctr2_512": ("hctr2", {}),
    "hctr2_512_bram": ("hctr2", {"cipher_sbox": "bram"}),
    "heh_brw_512": ("heh-brw", {}),
    "heh_brw_512_encrypt_bram": ("heh-brw", {"direction": "encrypt", "cipher_sbox": "bram"}),
    "gcm_128_lut6": ("gcm", {"key_bits": 128, "mul_arch": "lut6"}),
    "gcm_lut6": ("gcm", {"mul_arch": "lut6"}),
    "gcm_128_lut6_bram": ("gcm", {"key_bits": 128, "mul_arch": "lut6", "cipher_sbox": "bram"}),
    "gcm_lut6_bram": ("gcm", {"mul_arch": "lut6", "cipher_sbox": "bram"}),
    "xts_512_serial8": ("xts", {"cipher_arch": "serial8"}),
    "gcm_128_bram": ("gcm", {"key_bits": 128, "cipher_sbox": "bram", "key_slots": 2}),
}
"""Mode and options of each core, which are those of the command line."""

PIPELINES = {"aes_pipeline": "lut", "aes_pipeline_bram": "bram"}
"""S-boxes of the AES pipelines."""

TARGETS = ("xc7", "xc6v", "xc5v", "ecp5")
OF_LUT6 = ("gcm_128_lut6", "gcm_lut6", "gcm_128_lut6_bram", "gcm_lut6_bram")
"""Cores for LUTs of six inputs: they are measured on xc7 alone, and all but the first one only as a whole."""

SERIAL = "aes_serial8"
DEVICES: dict[str, tuple[str, ...]] = {SERIAL: ("nexus", "gowin", "ice40", "gatemate"), "xts_512_serial8": ("nexus",)}
"""Targets of each design that is small enough for other devices than ECP5: AES of eight bits with its key schedule, and a whole core."""

OTHER_CLOCK = 100.0
"""Clock target of these, in MHz."""

CLOCK = 165.0
"""Clock target of place and route in MHz."""


def store(tool: str, name: str, target: str, result: dict) -> Path:
    """Writes one result."""
    told = next(version for name, version in result["tools"].items() if name.startswith(tool))
    version = re.search(r"\d+(?:\.\d+)+", str(told))
    folder = HERE / f"{tool}-{version[0] if version else '0'}"
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.{target}.json"
    path.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n")
    return path


def core(name: str, target: str, pnr: bool, clock: float = CLOCK) -> dict:
    """Figures of a core."""
    mode, changes = CORES[name]
    found = find_any(mode)
    made: StreamCore | SectorCore
    if isinstance(found, StreamMode):
        made = StreamCore(compile_stream(found, StreamOptions(**changes)))
    else:
        made = SectorCore(compile_mode(found, Options().but(**changes)))
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "core"
        options = "".join(f" --{option.replace('_', '-')} {value}" for option, value in changes.items())
        emit(made, folder, command=f"modeloom build {mode}{options}")
        return measure_core(folder, target, pnr=pnr, freq=clock if pnr else None, blocks=name not in OF_LUT6[1:])


def aes(name: str, target: str, pnr: bool) -> dict:
    """Figures of an AES-128 pipeline alone, with as many registers per round as the cores have."""
    pipeline = AESPipeline(128, Options().on(AES).cipher_stages, sbox=PIPELINES[name])
    text = rtlil.convert(pipeline, name="aes_pipeline", emit_src=False)
    command = f"python baselines/make.py {'pnr' if pnr else 'yosys'}"
    return synthesize(text, "aes_pipeline", target, pnr=pnr, freq=CLOCK if pnr else None, command=command).to_dict()


def serial(target: str) -> dict:
    """Figures of AES-128 of eight bits with its key schedule, the circuit ``aes-serial --bits 8``."""
    text = rtlil.convert(find_circuit("aes-serial").build(bits=8).component, name="circuit")
    command = f"modeloom circuit aes-serial --bits 8 --target {target} --pnr --freq {OTHER_CLOCK:g}"
    return synthesize(text, "circuit", target, pnr=True, freq=OTHER_CLOCK, command=command).to_dict()


def devices(only: list[str]) -> None:
    """Places and routes small designs on devices of other families, or those named."""
    for name, targets in DEVICES.items():
        for target in targets if not only or name in only else ():
            result = serial(target) if name == SERIAL else core(name, target, True, OTHER_CLOCK)
            print(store("nextpnr", name, target, result), flush=True)


def main(what: str, only: list[str]) -> None:
    """Measures all cores, or those named."""
    pnr = what == "pnr"
    for target in ("ecp5",) if pnr else TARGETS:
        for name in [*PIPELINES, *CORES]:
            if only and name not in only or name in DEVICES or name in OF_LUT6 and target != "xc7":
                continue
            result = aes(name, target, pnr) if name in PIPELINES else core(name, target, pnr)
            print(store("nextpnr" if pnr else "yosys", name, target, result), flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in ("yosys", "pnr", "devices"):
        sys.exit("usage: python baselines/make.py yosys|pnr|devices [DESIGN ...]")
    if sys.argv[1] == "devices":
        devices(sys.argv[2:])
    else:
        main(sys.argv[1], sys.argv[2:])
