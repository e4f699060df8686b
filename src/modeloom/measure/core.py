# SPDX-License-Identifier: Apache-2.0
"""Area, depth and clock of a built core, for each block of the design."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import inf
from pathlib import Path
from typing import Any

from modeloom.product.description import Description, Rate
from modeloom.product.folder import read_description, verilog_of
from modeloom.sim.build import verilog_to_rtlil
from modeloom.spec import InputError, UnknownName
from modeloom.synth import TARGETS, BlockResult, Known, Target, find_nextpnr, synthesize, synthesize_blocks, target_named
from modeloom.synth.blocks import instances
from modeloom.synth.flow import CAPACITY, DEVICE, PLACERS, ROUTERS, TIMING_WEIGHT

__all__ = ["check_clock", "check_place", "check_target", "measure_blocks", "measure_core", "measure_part", "share", "throughput"]


ULTRA_TARGET = "xcup"
"""The target with UltraRAM."""


def measure_core(
    directory: str | Path, target: str, *, pnr: bool = False, freq: float | None = None, placer: str | None = None,
    router: str | None = None, timing_weight: int | None = None, blocks: bool = True, timeout: float | None = None,
    narrow: bool = False,
) -> dict[str, object]:  # fmt: skip
    """Synthesises an emitted core.  Raises ``UnknownName`` for an unknown target.

    Parameters
    ----------
    placer, router : str, optional
        Options of place and route: ``heap`` (default) or ``static``, and ``router1`` (default) or ``router2``.
    timing_weight : int, optional
        Weight of delays in the placer ``heap``; 1000 by default.
    blocks : bool
        Whether to map the design a second time with separate blocks, for figures of each block.
    timeout : float, optional
        Time limit for each tool run, in seconds.
    narrow : bool
        Whether wide multiplexers of the fabric are left out, on targets that Yosys maps with and without them.
    """
    description = _description(directory, target)
    if narrow and not target_named(target).other_commands:
        raise InputError(f"--no-wide-multiplexers works for xc4v and xc3se only, not for {target}")
    if description.ram is not None and target != ULTRA_TARGET:
        raise InputError(f"this core was built with --ram {description.ram}, which {target} does not have; use --target {ULTRA_TARGET}")
    command = f"modeloom synth DIR --target {target}" + (" --no-wide-multiplexers" if narrow else "") + (" --pnr" if pnr else "")
    command += check_place(target, pnr, freq, placer, router, timing_weight)
    if pnr:
        find_nextpnr()
    text, top = _rtlil(directory, description), description.top
    groups = description.area_groups(tuple(instances(text, top))) if blocks else None
    result = synthesize(
        text, top, target, groups=groups, pnr=pnr, freq=freq, placer=placer or PLACERS[0], router=router or ROUTERS[0],
        timing_weight=timing_weight or TIMING_WEIGHT, command=command, timeout=timeout, narrow=narrow,
    )  # fmt: skip
    figures = result.to_dict()
    figures["core"] = dict(description.facts)
    figures["dsps"] = sum(count for cell, count in result.cells.items() if TARGETS["ecp5"].is_dsp(cell))
    figures["share"] = share(figures) if target == "ecp5" else None
    figures["throughput"] = [throughput(rate, result.clock_mhz) for rate in description.rates]
    return figures


def measure_part(directory: str | Path, part: str, target: str, *, timeout: float | None = None) -> dict[str, object]:
    """Synthesises a part of an emitted core alone, with all that is in it.  Raises ``UnknownName`` for an unknown target or part.

    Parameters
    ----------
    part : str
        The path of an instance below the module of ``core.json``, such as ``core.bus.pipeline``.
    """
    description = _description(directory, target)
    text = _rtlil(directory, description)
    found = instances(text, description.top)
    if part not in found:
        raise UnknownName("part of the core", part, found)
    return synthesize(text, found[part], target, command=f"{part} of modeloom synth DIR --target {target}", timeout=timeout).to_dict()


def share(figures: Mapping[str, Any]) -> dict[str, object]:
    """The share of the largest ECP5, for which nextpnr places and routes: ``device``, and the percentage of each kind of cell.

    After place and route, the numbers come from nextpnr.  Otherwise, LUTs are those of logic, those of memories, and two for each four of
    these, which their write ports take.
    """
    used = {
        "luts": figures["luts"] + figures["memories"]["lutram_luts"] * 3 // 2, "ffs": figures["ffs"],
        "bram_cells": figures["memories"]["bram_cells"], "dsps": figures["dsps"],
    }  # fmt: skip
    for name, cell in (("luts", "COMB"), ("ffs", "FF"), ("bram_cells", "DP16KD"), ("dsps", "MULT18X18D")):
        if routed := (figures.get("utilisation") or {}).get(cell):
            used[name] = routed["used"]
    return {"device": DEVICE.partition(",")[0], **{name: round(100 * used[name] / most, 1) for name, most in CAPACITY.items()}}


def throughput(rate: Rate, clock_mhz: float | None) -> dict[str, object]:
    """The figures of a rate: its bytes (``sector_bytes``), ``interval`` in cycles, ``bits_per_cycle``, and ``gbit_per_second`` if the
    clock is known."""
    bits = 8 * rate.bytes / rate.interval
    return {
        f"{rate.what}_bytes": rate.bytes, "interval": rate.interval, "bits_per_cycle": round(bits, 2),
        "gbit_per_second": None if clock_mhz is None else round(bits * clock_mhz / 1000, 2),
    }  # fmt: skip


def measure_blocks(
    directory: str | Path, target: str, *, known: Known | None = None, timeout: float | None = None, narrow: Collection[str] = ()
) -> BlockResult:
    """Maps an emitted core block by block only.  Equal pipelines and equal multipliers are mapped once, but each of them is counted.

    Parameters
    ----------
    known : dict, optional
        Mapped blocks of other cores.  The blocks of this core are added.
    timeout : float, optional
        Time limit for the mapping of a block, in seconds.
    narrow : collection of str, optional
        Blocks that are mapped without wide multiplexers only, as in ``synthesize_blocks``.

    Raises
    ------
    UnknownName
        For an unknown target.
    SynthesisError
        If Yosys is missing, fails or runs out of time.
    """
    description = _description(directory, target)
    text, top = _rtlil(directory, description), description.top
    groups = description.area_groups(tuple(instances(text, top)))
    return synthesize_blocks(text, top, target, groups, command=description.command, known=known, timeout=timeout, narrow=narrow)


def check_target(target: str) -> Target:
    """The target with a name.  Raises ``UnknownName``, or ``InputError`` for a Liberty file that is missing or unusable."""
    if target not in TARGETS and not target.startswith("liberty:"):
        raise UnknownName("target", target, [*TARGETS, "liberty:FILE"])
    try:
        return target_named(target)
    except ValueError as error:
        raise InputError(str(error)) from None


def check_place(
    target: str | None, pnr: bool, freq: float | None, placer: str | None, router: str | None, timing_weight: int | None
) -> str:
    """The options of place and route on a command line.  Raises ``UnknownName`` or ``InputError`` if they do not go with each other."""
    if pnr and target != "ecp5":
        raise InputError(f"--pnr works for ecp5 only, not for {target}")
    told = ""
    for option, given in (("freq", freq), ("placer", placer), ("router", router), ("timing-weight", timing_weight)):
        if given is not None:
            if not pnr:
                raise InputError(f"--{option} needs --pnr")
            told += f" --{option} {given:g}" if isinstance(given, float) else f" --{option} {given}"
    for kind, name, names in (("placer", placer, PLACERS), ("router", router, ROUTERS)):
        if name and name not in names:
            raise UnknownName(kind, name, names)
    if placer == "static" and timing_weight is not None:
        raise InputError("--timing-weight works with --placer heap only")
    check_clock(freq)
    return told


def check_clock(freq: float | None) -> None:
    """Raises ``InputError`` for an invalid clock target."""
    if freq is not None and not 0 < freq < inf:
        raise InputError(f"--freq must be a clock in MHz above 0, not {freq:g}")


def _description(directory: str | Path, target: str) -> Description:
    description = read_description(directory)
    check_target(target)
    return description


def _rtlil(directory: str | Path, description: Description) -> str:
    return verilog_to_rtlil(verilog_of(directory, description), description.top)
