# SPDX-License-Identifier: Apache-2.0
"""Modes side by side: sector modes and stream modes in one table, for sectors or messages of one length."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

from modeloom.measure.aead import ARCHITECTURES, options_of
from modeloom.measure.aead import stored as stored_aead
from modeloom.modes import find_any
from modeloom.options.sectors import Options
from modeloom.spec import InputError, UnknownName
from modeloom.spec.stream import StreamMode
from modeloom.sweep.configuration import Configuration, check_options, mode_options, option_name, option_names
from modeloom.sweep.point import Result
from modeloom.sweep.run import Executor, Progress, Row, Store, key_bits, run_points
from modeloom.sweep.tables import area_of, options_text

__all__ = ["AREA", "FIGURES", "Line", "compared", "message_cycles", "points_of"]

FIGURES = ("cycles", "bytes_per_cycle", "latency", "storage_blocks", "cipher_cores", "multipliers")
"""What a line has of a compiled point."""

AREA = ("luts", "lutram_luts", "srl_luts", "ffs", "bram", "mhz")
"""What a line has of a synthesised point, beside ``all_luts``: the sum of the first three."""

Line = Row
"""A row of the comparison."""

PIPELINES = "cipher-cores"
"""The option of modes on sectors that stands for ``blocks-per-cycle`` of stream modes: both are the number of pipelines."""


def points_of(modes: Sequence[str], options: Mapping[str, Sequence[int | str]], folder: Path) -> list[Configuration]:
    """The points of a comparison, without targets: for each mode, the product of the values of the options that it has.

    The bytes of a sector are those of a message in stream modes, and the number of cipher cores of a mode on sectors is that of blocks a
    cycle.

    Raises
    ------
    InputError
        A mode is unknown, or an option is one of none of the modes.
    """
    found: list[Configuration] = []
    used: set[str] = set()
    for name in modes:
        mode = find_any(name, folder)
        kind = "stream" if isinstance(mode, StreamMode) else "sector"
        axes: dict[str, Sequence[int | str]] = {}
        for option, values in options.items():
            spelled = _spelled(kind, name, option, options)
            if spelled is not None:
                used.add(option)
            if spelled:
                axes[spelled] = values
        for option, value in mode.keying().options.items():
            axes.setdefault(option, [value])
        for chosen in product(*axes.values()):
            picked = {option: value for option, value in zip(axes, chosen, strict=True) if value is not False}
            check_options(kind, name, picked)
            found.append(Configuration(kind, name, picked))
    if left := [option for option in options if option not in used]:
        raise InputError(f"--{left[0]} is an option of none of {', '.join(modes)}; leave it out")
    return found


def _spelled(kind: str, name: str, option: str, options: Mapping[str, object]) -> str | None:
    """The option of a mode that a given one is: empty if it is no option of the core, and None if the mode does not have it."""
    if kind == "stream":
        if option == "sector":
            return ""
        if option in option_names("sector") and option_names("sector")[option] == PIPELINES:
            return "" if "blocks-per-cycle" in options else "blocks-per-cycle"
    try:
        return option_name(kind, name, option)
    except UnknownName:
        raise
    except InputError:
        return None


def compared(
    points: Sequence[Configuration], sizes: Sequence[int], store: Store, folder: Path, executor: Executor, *, target: str | None = None,
    synth: bool = False, progress: Progress = lambda done, total, row: None,
) -> list[Line]:  # fmt: skip
    """A line for each point, and for each message length of a stream mode.

    Parameters
    ----------
    sizes : sequence of int
        Lengths of messages in bytes.
    store : Store
        Where compiled points are kept, and areas are found.
    target : str, optional
        The target of areas.  They come from the store, or from the measurements of the project; None where neither has them.
    synth : bool
        Whether points without a stored area are synthesised, as a whole.
    """
    if synth:
        asked = [Configuration(point.kind, point.name, point.options, target, "core") for point in points]
        rows = run_points(asked, store, folder, executor, progress=progress).rows
    else:
        rows = run_points(points, store, folder, executor, progress=progress).rows
    areas = _areas(store, target, folder) if target is not None else {}
    return [line for point, row in zip(points, rows, strict=True) for line in _lines(point, row, sizes, areas, target, folder)]


def _lines(
    point: Configuration, row: Row, sizes: Sequence[int], areas: Mapping[tuple[str, str], tuple[Row, str]], target: str | None, folder: Path
) -> Iterator[Line]:
    area, of = areas.get((_design(point, folder), row["definition"]), (None, None)) if row["status"] == "ok" else (None, None)
    if area is None and target is not None:
        area, of = _measured(point, target)
    for size in [row["sector_bytes"] or point.options.get("sector", Options.sector)] if point.kind == "sector" else sizes:
        cycles = row["cycles_per_sector"]
        if point.kind == "stream" and row["status"] == "ok":
            cycles = message_cycles(json.loads(row["result"]), int(size))
        yield {
            "mode": point.name, "kind": point.kind, "options": dict(sorted(point.options.items())), "text": options_text(row),
            "bytes": size, "key_bits": key_bits(row), "status": row["status"], "error": row["error"], "cycles": cycles,
            "bytes_per_cycle": None if not cycles else round(size / cycles, 4),
            **{name: row[name] for name in FIGURES if name not in ("cycles", "bytes_per_cycle")},
            "target": None if area is None else target, **{name: None if area is None else area[name] for name in AREA},
            "all_luts": None if area is None else area_of({**area, "target": target}), "area_of": of, "command": point.command,
        }  # fmt: skip


def message_cycles(result: Result, nbytes: int) -> int:
    """Cycles from message to message of a stream mode, for text of a length without associated data, as ``core.json`` states them.

    A core that seals takes the message twice if the mode has two passes.
    """
    explain, core = result["explain"], result["core"]
    passes = 1 if core["direction"] == "decrypt" else explain.get("passes", 1)
    beats = -(-nbytes // (explain["block_bytes"] * explain["blocks_per_cycle"]))
    cycles: dict[str, int] = core["cycles"]
    unused: dict[str, int] = core.get("unused", {})
    each = cycles["start"] + beats * cycles["text"] + cycles["tag"] + unused.get("message", 0)
    return passes * each + (passes - 1) * unused.get("second", 0)


def _design(point: Configuration, folder: Path) -> str:
    """What is built, as text.  It is equal for equal cores: options that are left out have their defaults."""
    try:
        return repr((point.kind, point.name, mode_options(find_any(point.name, folder), point.options)))
    except InputError:
        # The file of a mode of one's own is not there any more.
        return point.design


def _areas(store: Store, target: str | None, folder: Path) -> dict[tuple[str, str], tuple[Row, str]]:
    """The synthesised points of a store, by what is built and its definition.  A whole core comes before one that is mapped by blocks."""
    found: dict[tuple[str, str], tuple[Row, str]] = {}
    for row in sorted(store.latest(), key=lambda row: row["area"] == "core"):
        if row["target"] == target and row["status"] == "ok":
            built = json.loads(row["configuration"])
            if built["kind"] == "circuit":
                continue
            design = _design(Configuration(built["kind"], built["name"], built["options"]), folder)
            how = "whole core" if row["area"] == "core" else "sum of blocks"
            found[design, row["definition"]] = (row, f"{store.path.name}, {how}")
    return found


def _measured(point: Configuration, target: str) -> tuple[Row, str] | tuple[None, None]:
    """The area that ``bench/aead.py`` has measured of a core with these options."""
    if point.kind != "stream" or ":" in point.name:
        return None, None
    for row in stored_aead():
        if row["mode"] == point.name and target in row.get("areas", {}):
            assert row["architecture"] in ARCHITECTURES
            options = {name.replace("_", "-"): value for name, value in options_of(point.name, row["architecture"]).items()}
            plain = {name: value for name, value in point.options.items() if (name, value) != ("blocks-per-cycle", 1)}
            if options == {name: int(value) if re.fullmatch(r"\d+", str(value)) else value for name, value in plain.items()}:
                area = row["areas"][target]
                return {**dict.fromkeys(AREA), **{name: area[name] for name in ("luts", "lutram_luts", "srl_luts", "ffs")},
                        "bram": area["bram_cells"]}, "docs/aead.md, whole core"  # fmt: skip
    return None, None
