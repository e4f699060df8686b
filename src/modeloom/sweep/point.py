# SPDX-License-Identifier: Apache-2.0
"""Runs one point: compiles and proves it, and, if asked, simulates, synthesises, places and routes it."""

from __future__ import annotations

import tempfile
import time
import traceback
from collections.abc import Mapping
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from modeloom.compiler.compile import compile_mode
from modeloom.compiler.options import Options
from modeloom.compiler.stream_options import StreamOptions
from modeloom.compiler.streams import CompiledStream, compile_stream
from modeloom.cores.lwc import LwcCore
from modeloom.cores.sector import SectorCore
from modeloom.cores.sector.figures import definition_hash as sector_hash
from modeloom.cores.stream import StreamCore
from modeloom.cores.stream.figures import definition_hash as stream_hash
from modeloom.emit import emit, run_bench
from modeloom.measure.circuit import measure_circuit
from modeloom.measure.core import measure_blocks, measure_core
from modeloom.measure.known_blocks import KnownBlocks
from modeloom.product.core import Core
from modeloom.spec import InputError
from modeloom.spec.stream import StreamMode
from modeloom.sweep.configuration import Configuration
from modeloom.sweep.identity import definition_of, mode_of, tools_of
from modeloom.sweep.options import mode_options
from modeloom.synth import Known

__all__ = ["FINAL", "STATUSES", "Outcome", "run_point", "stream_result"]

STATUSES = {
    "ok": "all steps have passed",
    "refused": "no core has these options, or the definition is wrong",
    "failed": "a check has failed: a proof, or the bench",
    "error": "a tool or the machine has failed",
    "crashed": "the process of the point has ended",
    "timeout": "the point took longer than its limit",
}
"""What a row may have as ``status``."""

FINAL = ("ok", "refused", "failed")
"""Statuses that another run would give again.  Points with the others are run again."""

Outcome = dict[str, Any]
"""``status``, ``error`` (one line or None), ``result`` (plain data by step), ``seconds``, and ``blocks`` (reused and mapped)."""


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
    result: dict[str, Any] = {}
    blocks = {"reused": 0, "mapped": 0}
    try:
        _check_here(configuration, definition, tools, folder)
        _run(configuration, definition, folder, result, blocks)
        status, error = "ok", None
    except InputError as refusal:
        status, error = "refused", str(refusal)
    except Exception as fault:
        checked = isinstance(fault, _failed_checks())
        status, error = "failed" if checked else "error", str(fault) if checked or _told(fault) else _where(fault)
    return {
        "status": status, "error": None if error is None else " ".join(error.split()) or status, "result": result,
        "seconds": round(time.monotonic() - begin, 3), "blocks": blocks,
    }  # fmt: skip


def _check_here(configuration: Configuration, definition: str, tools: Mapping[str, str], folder: Path) -> None:
    """Raises ``RuntimeError`` if the definition or a tool is not the one that the row will state."""
    here = tools_of(configuration, folder)
    for name in sorted({*tools, *here}):
        if tools.get(name) != here.get(name):
            raise OSError(f"{name} is {here.get(name, 'missing')} where the point runs, and {tools.get(name, 'missing')} where it began")
    if configuration.kind != "circuit" and definition_of(configuration, folder) != definition:
        raise OSError(f"the definition of {configuration.name} is another one where the point runs")


def _run(configuration: Configuration, definition: str, folder: Path, result: dict[str, Any], blocks: dict[str, int]) -> None:
    """Adds the result of each step to ``result``."""
    if configuration.kind == "circuit":
        options = {name.replace("-", "_"): value for name, value in configuration.options.items()}
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
            kept: Known = {} if target.startswith("liberty:") else known
            by_block = measure_blocks(directory, target, known=kept)
            blocks |= {"reused": known.reused, "mapped": known.mapped}
        result["synth"] = {"target": by_block.target, "device": by_block.device, "tools": by_block.tools, **asdict(by_block.total)} | {
            "blocks": {name: asdict(figures) for name, figures in by_block.blocks.items()}
        }


def _compiled(configuration: Configuration, definition: str, folder: Path, result: dict[str, Any]) -> Core:
    """The core of a point, compiled and proved.  Adds what ``explain`` says and what its description states."""
    mode = mode_of(configuration, folder)
    options = mode_options(mode, configuration.options)
    core: Core
    if isinstance(mode, StreamMode):
        assert isinstance(options, StreamOptions)
        compiled = compile_stream(mode, options)
        stated = stream_hash(compiled)
        result |= stream_result(compiled)
        core = LwcCore(compiled) if compiled.options.interface == "lwc" else StreamCore(compiled)
    else:
        assert isinstance(options, Options)
        made = compile_mode(mode, options)
        stated = sector_hash(made)
        result["explain"] = made.explain()
        core = SectorCore(made)
    if stated != definition:
        raise OSError(f"the definition of {configuration.name} has changed while the sweep ran")
    return core


def stream_result(compiled: CompiledStream) -> dict[str, Any]:
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


def _failed_checks() -> tuple[type[Exception], ...]:
    from modeloom.cli import FAILED_CHECKS

    return tuple(getattr(import_module(module), name) for module, name in FAILED_CHECKS)


def _told(fault: Exception) -> bool:
    """Whether the message of an error is made for users."""
    from modeloom.cli import MISSING_TOOLS

    known = tuple(getattr(import_module(module), name) for module, name in MISSING_TOOLS)
    return isinstance(fault, (*known, OSError)) and bool(str(fault))


def _where(fault: Exception) -> str:
    """An error that nobody expects, with the file and the line."""
    last = traceback.extract_tb(fault.__traceback__)[-1]
    return f"{type(fault).__name__}: {fault} ({Path(last.filename).name}, line {last.lineno})"
