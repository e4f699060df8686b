# SPDX-License-Identifier: Apache-2.0
"""The call of a tool, with a time limit that also ends its children, and the results of synthesis, in one format for all tools."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypedDict

from modeloom.spec.errors import MissingTool

__all__ = ["SCHEMA", "BlockResult", "CriticalPath", "Figures", "SynthResult", "SynthesisError", "run_tool", "stop_tools"]

# One format for all synthesis figures of all tools and targets.

SCHEMA = "modeloom-synth-1"


class SynthesisError(MissingTool, RuntimeError):
    """A synthesis tool is missing, failed or ran out of time.  The message is one line and says what to do."""


@dataclass(frozen=True)
class Figures:
    """The contents of a netlist.

    Attributes
    ----------
    luts : int or None
        LUTs used as logic: LUT1 to LUT6 (Xilinx); LUT4, and two for each CCU2C carry cell (ECP5). Wide-function
        multiplexers (MUXF7, MUXF8, PFUMX, L6MUX21) and inverters are free. ``None`` for gates.
    ffs : int
        Flip-flops of the fabric, one bit each, without the registers inside block memories.
    memories : dict
        ``lutram_cells``, ``lutram_luts`` (LUTs used as data memory, which are four for a 16 x 4 cell on ECP5 without its write
        slice), ``srl_luts`` (shift registers in LUTs) and ``bram_cells``.
    gates : dict or None
        For target ``gates``: ``and``, ``xor``, ``not``. An OR counts as an AND, and a multiplexer as one AND and two XOR.
        Inversions at the pins of a gate (NAND, XNOR ...) are free. For a Liberty file: counts by cell.
    area : float or None
        For gate targets: NAND2 equivalents (static CMOS transistors / 4, as in Yosys' ``stat -tech cmos``), flip-flops
        included.  For a Liberty file it is the sum of the areas of its cells.
    cells : dict
        Number of cells by type.
    """

    luts: int | None
    ffs: int
    memories: dict[str, int]
    gates: dict[str, int] | None
    area: float | None
    cells: dict[str, int]


CriticalPath = TypedDict(
    "CriticalPath",
    {
        "from": str, "to": str, "cells": int, "logic_ns": float, "routing_ns": float, "slowest_net": "dict[str, str | float] | None"
    },
)  # fmt: skip


@dataclass(frozen=True)
class SynthResult:
    """Figures of one design on one target; ``to_json`` gives the same text for the same input.

    Attributes
    ----------
    design, target, device : str
        Top module, name of the target, and device.
    command : str
        The command line of this result, from the caller.
    tools : dict
        Versions by tool.
    script : tuple of str
        Yosys commands of the flattened run.
    total : Figures
        The flattened netlist.
    levels : int
        Logic depth: LUTs (for gates: two-input gates, without inverters) on the longest path between any two of register, memory
        and port. Multiplexers between LUTs count 0. A carry chain counts 1 at its entry.
    levels_register : int or None
        The depth between registers only; ``None`` if there is no such path.
    longest_path : dict
        ``from`` and ``to``: nets at both ends of the path of `levels`.  If it ends in a cell, this is the output of the cell.
    pairs, pairs_with_both : int or None
        For targets with LUTs: LUT-FF pairs, and how many of them have both a LUT and a flip-flop (``pairs``).
    area_nand2 : float or None
        For gates and Liberty files: `area` in NAND2 gates, of a Liberty file its smallest NAND2.
    delay_ns : float or None
        For a Liberty file: the longest path through gates in the static timing analysis of ABC, without wires, and without the
        clock-to-output and set-up times of flip-flops.
    fast : dict or None
        For a Liberty file: ``area``, ``area_nand2`` and ``delay_ns`` of a second mapping that puts delay before area.
    blocks : dict or None
        Figures by group from a second run that keeps the borders of the blocks. Their sum is `blocks_total`. It is larger than
        `total`, because there is no optimisation across the borders.
    blocks_total : Figures or None
    clock_mhz, clock_target_mhz : float or None
        After place and route: reached clock and target clock.
    placer, router : str or None
        After place and route: the placer and the router of nextpnr.
    timing_weight : int or None
        After place and route: the weight of delays in the placer, if it has one.
    utilisation : dict or None
        After place and route: ``{cell: {"used": n, "available": n}}``.
    critical_path : dict or None
        After place and route: the critical path with ``from``, ``to`` (cells), ``cells`` between them, ``logic_ns``,
        ``routing_ns`` and ``slowest_net`` (``net``, ``ns``).
    """

    design: str
    target: str
    device: str
    command: str
    tools: dict[str, str]
    script: tuple[str, ...]
    total: Figures
    levels: int
    levels_register: int | None
    longest_path: dict[str, str]
    pairs: int | None = None
    pairs_with_both: int | None = None
    area_nand2: float | None = None
    delay_ns: float | None = None
    fast: dict[str, float | None] | None = None
    blocks: dict[str, Figures] | None = None
    blocks_total: Figures | None = None
    clock_mhz: float | None = None
    clock_target_mhz: float | None = None
    placer: str | None = None
    router: str | None = None
    timing_weight: int | None = None
    utilisation: dict[str, dict[str, int]] | None = None
    critical_path: CriticalPath | None = None
    schema: str = field(default=SCHEMA, init=False)

    @property
    def luts(self) -> int | None:
        return self.total.luts

    @property
    def ffs(self) -> int:
        return self.total.ffs

    @property
    def memories(self) -> dict[str, int]:
        return self.total.memories

    @property
    def gates(self) -> dict[str, int] | None:
        return self.total.gates

    @property
    def area(self) -> float | None:
        return self.total.area

    @property
    def cells(self) -> dict[str, int]:
        return self.total.cells

    def to_dict(self) -> dict[str, object]:
        """The result as plain data.  The figures of the flattened netlist are at the top level."""
        data = asdict(self)
        data.pop("total")
        data["script"] = list(self.script)
        return {"schema": data.pop("schema"), "design": data.pop("design"), "target": data.pop("target"), **asdict(self.total), **data}

    def to_json(self) -> str:
        """The result as indented JSON text with a newline at the end."""
        return json.dumps(self.to_dict(), indent=2) + "\n"

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SynthResult:
        """Inverse of :meth:`to_dict`.

        Raises
        ------
        ValueError
            If the data has another schema.
        """
        if data.get("schema") != SCHEMA:
            raise ValueError(f"expected schema {SCHEMA}, found {data.get('schema')!r}")
        own = {f.name for f in fields(Figures)}
        rest = {key: value for key, value in data.items() if key not in own and key != "schema"}
        rest["script"] = tuple(rest["script"])
        if rest["blocks"] is not None:
            rest["blocks"] = {name: Figures(**value) for name, value in rest["blocks"].items()}
        if rest["blocks_total"] is not None:
            rest["blocks_total"] = Figures(**rest["blocks_total"])
        return cls(total=Figures(**{name: data[name] for name in own}), **rest)


@dataclass(frozen=True)
class BlockResult:
    """Figures of a design that was mapped by groups only.

    Attributes
    ----------
    design, target, device, command : str
    tools : dict
        As in :class:`SynthResult`.
    script : tuple of str
        Yosys commands.  If there are two ways to map, both are listed, because each block uses the smaller mapping.
    blocks : dict
        Figures by group.  Modules at a border between groups count once for each instance.
    total : Figures
        Their sum.
    narrow : tuple of str
        Groups that were mapped without wide multiplexers only.
    """

    design: str
    target: str
    device: str
    command: str
    tools: dict[str, str]
    script: tuple[str, ...]
    blocks: dict[str, Figures]
    total: Figures
    narrow: tuple[str, ...] = ()


# -- tools -------------------------------------------------------------------------------------------------------------------------

# Runs a tool in a separate process, with a time limit that also ends its children.

_running: dict[Path, subprocess.Popen[bytes]] = {}
"""Running tools, by the folder in which each runs."""


def run_tool(command: Sequence[str], what: str, *, directory: Path, timeout: float | None = None) -> str:
    """Runs a command in `directory` and returns its standard output and error together.

    Raises
    ------
    SynthesisError
        If it cannot be started, fails (the message has its first error line) or takes longer than `timeout` seconds.
    """
    log = directory / "tool.log"
    with log.open("w") as handle:
        try:
            child = subprocess.Popen(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=handle,
                                     stderr=subprocess.STDOUT, start_new_session=True)
        except OSError as error:
            raise SynthesisError(f"{what} could not be started: {error}") from None
        _running[directory] = child
        try:
            status = child.wait(timeout)
        except BaseException as error:
            # The child has its own session, so this ends only the child and the processes that it started (ABC).
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            if isinstance(error, subprocess.TimeoutExpired):
                raise SynthesisError(f"{what} did not finish in {timeout:g} s: allow more time") from None
            raise
        finally:
            del _running[directory]
    output = log.read_text(encoding="utf-8", errors="replace")
    if status:
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        telling = [line for line in lines if re.match(r"ERROR|\w*Error\b", line)] or lines[-1:] or ["no output"]
        raise SynthesisError(f"{what} failed (exit status {status}): {telling[0]}")
    return output


def stop_tools(below: Path) -> None:
    """Ends the tools that run in folders below a given one.  Their callers get a ``SynthesisError``."""
    for directory, child in list(_running.items()):
        if directory.is_relative_to(below) and child.poll() is None:
            # The session is the child's own: this ends it and what it started, nothing else.
            os.killpg(child.pid, signal.SIGKILL)
