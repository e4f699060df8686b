# SPDX-License-Identifier: Apache-2.0
"""Runs one point: compiles and proves it, and, if asked, simulates, synthesises, places and routes it.

Before this, its definition is traced, which gives the hash in the key of its row.
"""

from __future__ import annotations

import tempfile
import time
import traceback
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypedDict

from modeloom.compiler.compile import compile_mode
from modeloom.compiler.streams import CompiledStream, compile_stream
from modeloom.cores.of import core_of
from modeloom.cores.sector.describe import definition_hash as sector_hash
from modeloom.cores.stream import StreamCore
from modeloom.cores.stream.describe import definition_hash as stream_hash
from modeloom.emit import emit, run_bench
from modeloom.measure.area import KnownBlocks, measure_blocks, measure_circuit, measure_core
from modeloom.modes import find_any
from modeloom.options.messages import StreamOptions
from modeloom.options.sectors import Options
from modeloom.product.core import Core
from modeloom.spec import InputError
from modeloom.spec.errors import FailedCheck, MissingTool
from modeloom.spec.stream import StreamMode
from modeloom.sweep.configuration import Configuration, definition_of, is_foreign, mode_of, mode_options, tools_of
from modeloom.synth import Known

__all__ = [
    "FIGURES", "FINAL", "STATUSES", "Figures", "Outcome", "Result", "ended", "failed", "figures_of", "read_point", "run_point",
    "stream_result", "trace_point",
]  # fmt: skip

Result = Mapping[str, Any]
"""The results of the steps of a point, or of one of them, as JSON has them."""

STATUSES = {
    "ok": "all steps have passed",
    "refused": "no core has these options, or the definition is wrong",
    "failed": "a check has failed: a proof, or the bench",
    "error": "a tool or the machine has failed",
    "crashed": "the process of the point terminated",
    "timeout": "the point took longer than its limit",
}
"""What a row may have as ``status``."""

FINAL = ("ok", "refused", "failed")
"""Statuses that another run would give again.  Points with the others are run again."""

class Outcome(TypedDict):
    """The end of a point: ``error`` is one line or None, ``result`` is plain data by step, and ``blocks`` were reused and mapped."""

    status: str
    error: str | None
    result: Result
    seconds: float
    blocks: dict[str, int]


def ended(begin: float, status: str, error: str | None, result: Result | None = None, **blocks: int) -> Outcome:
    """The outcome of a point that began at a time of ``time.monotonic``."""
    return {
        "status": status, "error": None if error is None else " ".join(error.split()) or status, "result": result or {},
        "seconds": round(time.monotonic() - begin, 3), "blocks": {"reused": 0, "mapped": 0} | blocks,
    }  # fmt: skip


def failed(fault: Exception, begin: float | None = None) -> Outcome:
    """The outcome of a point that an exception has ended."""
    return ended(time.monotonic() if begin is None else begin, *_told(fault))


def read_point(configuration: Configuration, folder: Path) -> Outcome:
    """Reads the mode of a point whose kind and options are not known yet: ``kind``, and ``broken`` (the reason or None) in the result."""
    begin = time.monotonic()
    try:
        mode = find_any(configuration.name, folder)
        kind = "stream" if isinstance(mode, StreamMode) else "sector"
        return ended(begin, "ok", None, {"kind": kind, "broken": mode.security if mode.broken else None})
    except Exception as fault:
        return failed(fault, begin)


def trace_point(configuration: Configuration, folder: Path) -> Outcome:
    """Traces the definition of a point: ``definition`` in the result is its hash, or empty if the compiler refuses it.

    It raises nothing that a definition can cause, but the definition may end the process.
    """
    begin = time.monotonic()
    try:
        return ended(begin, "ok", None, {"definition": definition_of(configuration, folder)})
    except Exception as fault:
        return failed(fault, begin)


def run_point(configuration: Configuration, definition: str, tools: Mapping[str, str], folder: Path) -> Outcome:
    """Runs a point.  It raises nothing that a point can cause.

    Parameters
    ----------
    definition, tools
        Those of its identity.  A point whose definition or tools are others here is an error.
    folder : Path
        Where relative paths begin.
    """
    begin = time.monotonic()
    result: dict[str, object] = {}
    blocks = {"reused": 0, "mapped": 0}
    try:
        _check_here(configuration, definition, tools, folder)
        _run(configuration, definition, folder, result, blocks)
        status, error = "ok", None
    except Exception as fault:
        status, error = _told(fault)
    return ended(begin, status, error, result, **blocks)


def _check_here(configuration: Configuration, definition: str, tools: Mapping[str, str], folder: Path) -> None:
    """Raises ``OSError`` if the definition or a tool is not the one that the row will state."""
    here = tools_of(configuration, folder)
    for name in sorted({*tools, *here}):
        if tools.get(name) != here.get(name):
            own, theirs = here.get(name, "no version"), tools.get(name, "no version")
            raise OSError(f"the worker has {name} {own}, but the sweep was started with {theirs}")
    if configuration.kind != "circuit" and definition_of(configuration, folder) != definition:
        raise OSError(f"the worker has a different definition of {configuration.name}")


def _run(configuration: Configuration, definition: str, folder: Path, result: dict[str, object], blocks: dict[str, int]) -> None:
    """Adds the result of each step to ``result``."""
    if configuration.kind == "circuit":
        options: dict[str, Any] = {name.replace("-", "_"): value for name, value in configuration.options.items()}
        result["circuit"] = measure_circuit(
            configuration.name, target=_target(configuration, folder), pnr=configuration.pnr, freq=configuration.freq, **options
        )
        return
    core = _compiled(configuration, definition, folder, result)
    if configuration.target is None and not configuration.simulate:
        return
    with tempfile.TemporaryDirectory(prefix="modeloom-sweep-") as work:
        directory = Path(work) / "core"
        emit(core, directory, command=configuration.emit_command)
        if configuration.simulate:
            result["bench"] = run_bench(directory)
        if (target := _target(configuration, folder)) is None:
            return
        if configuration.area == "core":
            found = measure_core(directory, target, pnr=configuration.pnr, freq=configuration.freq, blocks=False)
            result["synth"] = {name: value for name, value in found.items() if name not in ("script", "core", "blocks", "blocks_total")}
            return
        with KnownBlocks() as known:
            # A library has its name in the key of a block, and not its contents.
            reusable: Known = {} if target.startswith("liberty:") else known
            by_block = measure_blocks(directory, target, known=reusable)
            blocks |= {"reused": known.reused, "mapped": known.mapped}
        result["synth"] = {"target": by_block.target, "device": by_block.device, "tools": by_block.tools, **asdict(by_block.total)} | {
            "blocks": {name: asdict(figures) for name, figures in by_block.blocks.items()}
        }


def _compiled(configuration: Configuration, definition: str, folder: Path, result: dict[str, object]) -> Core:
    """The core of a point, compiled and proved.  Adds what ``explain`` says and what its description states."""
    mode = mode_of(configuration, folder)
    options = mode_options(mode, configuration.options)
    core: Core
    if is_foreign(configuration):
        # A reader of the results may not have the file of the mode.
        result["mode"] = {"title": mode.title, "security": mode.security}
    if isinstance(mode, StreamMode):
        assert isinstance(options, StreamOptions)
        compiled = compile_stream(mode, options)
        stated = stream_hash(compiled)
        result |= stream_result(compiled)
        core = core_of(compiled)
    else:
        assert isinstance(options, Options)
        made = compile_mode(mode, options)
        stated = sector_hash(made)
        result["explain"] = made.explain()
        core = core_of(made)
    if stated != definition:
        raise OSError(f"the definition of {configuration.name} has changed while the sweep ran")
    return core


def stream_result(compiled: CompiledStream) -> dict[str, object]:
    """``explain`` and ``core`` of a compiled stream mode: what it says of the pipeline, and what the description of the core states."""
    described = StreamCore(compiled).describe("core", "modeloom")
    return {
        "explain": compiled.explain(),
        "core": {
            "cycles": vars(described.cycles), "latency": described.latency, "direction": compiled.options.direction,
            "multipliers": compiled.plan.lanes * compiled.plan.uses_multiplier,
            **({"unused": vars(described.unused)} if described.unused else {}),
        },
    }  # fmt: skip


def _target(configuration: Configuration, folder: Path) -> str | None:
    """The name of the target, with the path of a library from the current folder."""
    target = configuration.target
    if target is None or not target.startswith("liberty:"):
        return target
    return f"liberty:{folder / target.removeprefix('liberty:')}"


def _told(fault: Exception) -> tuple[str, str]:
    """The status after an exception, and the error that the row states."""
    if isinstance(fault, InputError):
        return "refused", str(fault)
    if isinstance(fault, FailedCheck):
        return "failed", str(fault)
    return "error", str(fault) if isinstance(fault, MissingTool | OSError) and str(fault) else _where(fault)


def _where(fault: Exception) -> str:
    """An error that nobody expects, with the file and the line."""
    last = traceback.extract_tb(fault.__traceback__)[-1]
    return f"{type(fault).__name__}: {fault} ({Path(last.filename).name}, line {last.lineno})"


# -- figures ------------------------------------------------------------------------------------------------------------------------------

# The main figures of a point, as plain columns: the same names for sectors, messages and circuits.

Figures = dict[str, Any]
"""The columns of a point."""

FIGURES: dict[str, tuple[str, str]] = {
    "sector_bytes": ("INTEGER", "bytes of a sector"),
    "blocks_per_cycle": ("INTEGER", "stream modes: blocks that enter in a cycle"),
    "cycles_per_sector": ("REAL", "cycles from sector to sector"),
    "bytes_per_cycle": ("REAL", "bytes of long text, or of sectors, in a cycle"),
    "latency": ("INTEGER", "cycles from the first issue to the last block in the output buffer; for stream modes, of a beat of text in "
                "the core; for circuits, from operands to result"),
    "storage_blocks": ("INTEGER", "blocks of storage of a sector core"),
    "cipher_cores": ("INTEGER", "cores of the block cipher"),
    "multipliers": ("INTEGER", "multipliers in GF(2^n)"),
    "luts": ("INTEGER", "LUTs of logic"),
    "lutram_luts": ("INTEGER", "LUTs of memories"),
    "srl_luts": ("INTEGER", "LUTs of shift registers"),
    "ffs": ("INTEGER", "flip-flops"),
    "bram": ("INTEGER", "block memories"),
    "dsps": ("INTEGER", "DSP blocks"),
    "nand2": ("REAL", "area in NAND2 gates, for gates and Liberty files"),
    "levels": ("INTEGER", "LUTs or gates on the critical path; only for a core that is mapped as a whole"),
    "mhz": ("REAL", "clock after place and route"),
    "proved": ("INTEGER", "1 if the program or the pipeline is proved to compute the mode"),
    "simulated": ("INTEGER", "1 if the testbench of the core passed"),
}  # fmt: skip
"""Columns: the type in SQLite, and what they hold.  A figure that a point does not have is NULL."""


def figures_of(kind: str, result: Result) -> Figures:
    """The columns of a point from the results of its steps."""
    found: Figures = dict.fromkeys(FIGURES)
    if "circuit" in result:
        found |= _circuit(result["circuit"])
    if "explain" in result:
        found |= _sector(result["explain"]) if kind == "sector" else _stream(result["explain"], result["core"])
    if "synth" in result:
        found |= _area(result["synth"])
    if "bench" in result:
        found["simulated"] = 1
    return found


def _sector(explain: Result) -> Figures:
    units = explain["units"]
    cycles = explain["cycles_per_sector"]
    return {
        "sector_bytes": explain["sector_bytes"], "cycles_per_sector": cycles,
        "bytes_per_cycle": round(explain["sector_bytes"] / cycles, 4), "latency": explain["latency"],
        "storage_blocks": explain["storage_blocks"],
        "cipher_cores": sum(unit["count"] for kind, unit in units.items() if kind.startswith(("cipher", "enc", "dec", "tenc", "tdec"))),
        "multipliers": units.get("mul", {"count": 0})["count"], "proved": int(explain["proved"]),
    }  # fmt: skip


def _stream(explain: Result, core: Result) -> Figures:
    # A core that seals takes the text of a message twice if the mode has two passes.
    passes = 1 if core["direction"] == "decrypt" else explain.get("passes", 1)
    cycles = core["cycles"]["text"] * passes
    return {
        "blocks_per_cycle": explain["blocks_per_cycle"],
        "bytes_per_cycle": round(explain["block_bytes"] * explain["blocks_per_cycle"] / cycles, 4), "latency": core["latency"],
        "cipher_cores": explain["blocks_per_cycle"] * sum(unit.startswith("cipher") for unit in explain["units"]),
        "multipliers": core["multipliers"], "proved": int(explain["proved"]),
    }  # fmt: skip


def _circuit(circuit: Result) -> Figures:
    found = {"latency": circuit["latency"], "nand2": circuit.get("nand2")}
    if "target" not in circuit:
        return found
    memories = circuit["memories"]
    return found | {
        "luts": circuit["luts"], "lutram_luts": memories["lutram_luts"], "srl_luts": memories["srl_luts"], "ffs": circuit["ffs"],
        "bram": memories["bram_cells"], "levels": circuit["levels"], "mhz": circuit["clock_mhz"],
        "nand2": circuit["area_nand2"] if circuit["luts"] is None else found["nand2"],
    }  # fmt: skip


def _area(synth: Result) -> Figures:
    from modeloom.synth import TARGETS

    memories = synth["memories"]
    return {
        "luts": synth["luts"], "lutram_luts": memories["lutram_luts"], "srl_luts": memories["srl_luts"], "ffs": synth["ffs"],
        "bram": memories["bram_cells"], "dsps": sum(count for cell, count in synth["cells"].items() if TARGETS["ecp5"].is_dsp(cell)),
        "nand2": synth.get("area_nand2", synth["area"]) if synth["luts"] is None else None, "levels": synth.get("levels"),
        "mhz": synth.get("clock_mhz"),
    }  # fmt: skip
