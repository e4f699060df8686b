# SPDX-License-Identifier: Apache-2.0
"""What authenticated encryption costs: each stream mode on a cipher pipeline, a round for several blocks, and a round for one block.

A row is a core for 128-bit keys with default options otherwise.  It has the area on a target of Yosys, and the cycles of the simulated core
on packets of the mix gcm2008, each under the next key slot (``measure.traffic``, which compares every output).  ``docs/aead.md`` shows
the rows that ``bench/aead.py`` has stored, and ``modeloom aead`` prints them, with modes of a user among them.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import Any

from modeloom.compiler.streams import compile_stream
from modeloom.cores.stream import StreamCore
from modeloom.emit import emit
from modeloom.emit.html.measured import lut_figure
from modeloom.measure.area import measure_core
from modeloom.measure.traffic import MIXES, measure_traffic
from modeloom.modes import all_streams, find_any
from modeloom.options.messages import USUAL
from modeloom.options.row import Value
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.spec import InputError, UnknownName
from modeloom.spec.stream import StreamMode

__all__ = [
    "ARCHITECTURES", "SCHEMA", "TARGETS", "cipher_name", "command", "measure_area", "measure_rate", "modes", "options_of", "place", "rows",
    "stored", "stream_mode", "tokens_text",
]  # fmt: skip

SCHEMA = "modeloom-aead-1"

Row = dict[str, Any]
"""A row of the table, as JSON has it."""

ARCHITECTURES: dict[str, dict[str, Value]] = {
    "pipeline": {},
    "multi-stream": {"cipher_arch": "multistream", "streams": 4},
    "sequential": {"cipher_arch": "multistream", "streams": 1},
}  # fmt: skip
"""Options of the three ciphers: all rounds in a row, one round with four registers, and one round with one register."""

NAMES = {"sequential": "round core"}
"""Names of ciphers in tables, if they are not those of the stored rows.  ``--cipher-arch sequential`` is for modes on sectors alone."""

TARGETS = ("xc7", "ecp5")

FIGURES = ("mode", "architecture", "command", "refused", "cycles_a_block", "latency", "bytes_a_cycle")
"""What a line of the table has of a row as it is."""

SHARED: dict[str, Value] = {"key_bits": 128, "mul_arch": "lut6"}
"""Options of all cores: the smallest S-boxes and multipliers in LUTs."""

MIX, PACKETS = "gcm2008", 40


def modes() -> list[str]:
    """Names of the stream modes of the project, in the order of ``modeloom list``."""
    return list(all_streams())


def stream_mode(name: str) -> StreamMode:
    """A stream mode by its name or as FILE.py:CLASS.

    Raises
    ------
    InputError
        If it is a mode for sectors, or the file has no such mode.
    """
    mode = find_any(name)
    if not isinstance(mode, StreamMode):
        raise InputError(f"{name} is a mode for sectors; the table of authenticated encryption has stream modes only")
    return mode


def cipher_name(architecture: str) -> str:
    """The name of a cipher in tables for readers."""
    return NAMES.get(architecture, architecture)


def options_of(mode: str, architecture: str) -> dict[str, Value]:
    """The options of the core of a row.  A mode with other keys for each nonce takes them with its messages.  Raises ``UnknownName``."""
    if architecture not in ARCHITECTURES:
        raise UnknownName("architecture", architecture, ARCHITECTURES)
    return {**SHARED, **ARCHITECTURES[architecture], **stream_mode(mode).keying().options}


def command(mode: str, architecture: str) -> str:
    """The command that makes the core of a row."""
    options = options_of(mode, architecture)
    return f"modeloom build {mode}" + "".join(f" --{option.replace('_', '-')} {value}" for option, value in options.items())


def place(row: Row) -> tuple[str, str]:
    """What identifies a row: mode and architecture."""
    return row["mode"], row["architecture"]


def measure_rate(mode: str, architecture: str, *, optimize: int = 0) -> Row:
    """A row without areas: cycles per block, tokens and latency as ``core.json`` states them, and bytes a cycle of the simulated core.

    A core that the compiler refuses has ``refused``, the line that a user gets.

    Raises
    ------
    UnknownName
        For an unknown architecture.
    CheckFailed
        If an output of the core differs from the oracle.
    """
    row = {"mode": stream_mode(mode).name, "architecture": architecture, "command": command(mode, architecture)}
    try:
        core = _core(mode, architecture)
    except InputError as error:
        return {**row, "refused": str(error)}
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "core"
        d = emit(core, folder, command=row["command"])
        found = measure_traffic(SimulatedStreamCore(folder, optimize=optimize), folder, MIXES[MIX], packets=PACKETS)
    return {
        **row, "cycles_a_block": d.cycles.text, "tokens": asdict(d.explain.tokens), "latency": d.latency, "mix": MIX, "packets": PACKETS,
        "bytes": found["bytes"], "cycles": found["cycles"], "bytes_a_cycle": round(found["bytes"] / found["cycles"], 3),
        "oracle": found["oracle"], "areas": {},
    }  # fmt: skip


def measure_area(mode: str, architecture: str, target: str) -> Row:
    """LUTs of logic, of memories and of shift registers, registers and block memories of the core, mapped as one.

    Raises
    ------
    UnknownName
        For an unknown architecture or target.
    InputError
        If the compiler refuses the core.
    """
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "core"
        emit(_core(mode, architecture), folder, command=command(mode, architecture))
        found = measure_core(folder, target, blocks=False)
    names = ("luts", "lutram_luts", "srl_luts", "ffs", "bram_cells")
    return {**{name: lut_figure(found, name) for name in names}, "tools": found["tools"]}


def stored() -> list[Row]:
    """The rows that ``bench/aead.py`` has measured."""
    file = resources.files("modeloom.measure") / "measured" / "aead.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []


def rows(every: Iterable[Row], target: str) -> list[Row]:
    """The rows of a table: a row for each core with its area on a target, and bytes per cycle for 1000 LUTs of all kinds.

    Rows without this area, and cores that the compiler refuses, have None in the place of figures.
    """
    lines = []
    for row in every:
        area = row.get("areas", {}).get(target)
        luts = sum(area[kind] for kind in ("luts", "lutram_luts", "srl_luts")) if area else None
        lines.append({
            **{name: row.get(name) for name in FIGURES},
            "tokens": tokens_text(row["tokens"]) if "tokens" in row else None,
            "target": target, **{name: area[name] if area else None for name in ("luts", "lutram_luts", "srl_luts", "ffs", "bram_cells")},
            "bytes_a_cycle_per_1000_luts": round(1000 * row["bytes_a_cycle"] / luts, 3) if luts else None,
        })  # fmt: skip
    return lines


def tokens_text(tokens: Row) -> str:
    """Tokens of a message as a sum, with a blocks of associated data and t blocks of text: ``a + 2t + 2``."""
    letters = (("associated", "a"), ("text", "t"))
    terms = [f"{'' if tokens[step] == 1 else tokens[step]}{letter}" for step, letter in letters if tokens[step]]
    fixed = tokens["start"] + tokens["tag"]
    return " + ".join([*terms, *([str(fixed)] if fixed else [])])


def _core(mode: str, architecture: str) -> StreamCore:
    return StreamCore(compile_stream(stream_mode(mode), USUAL.but(**options_of(mode, architecture))))
