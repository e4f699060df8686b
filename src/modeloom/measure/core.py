# SPDX-License-Identifier: Apache-2.0
"""Area, depth and clock of a built core, by block of the design."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from math import inf
from pathlib import Path
from typing import Any

from modeloom.product.simulated import read_description, verilog_of
from modeloom.sim.verilog import verilog_to_rtlil
from modeloom.spec import InputError, UnknownName
from modeloom.synth import TARGETS, BlockResult, Known, Target, find_nextpnr, synthesize, synthesize_blocks, target_named
from modeloom.synth.hierarchy import instances
from modeloom.synth.nextpnr import CAPACITY, DEVICE, PLACERS, ROUTERS, TIMING_WEIGHT

__all__ = ["block_groups", "check_clock", "check_routing", "check_target", "measure_blocks", "measure_core", "share", "throughput"]


UNITS = {"mul": "multipliers", "sqr": "squarers", "add": "counters", "enc": None, "dec": None, "cipher": None}
"""Group of each kind of unit; None for that of the cipher."""

STORAGE = r"engine\.bank_\w+|engine\.key_memory|bus\.ring"


def block_groups(paths: Iterable[str], cipher: str = "aes", prefix: str = "core.") -> dict[str, list[str]]:
    """Blocks of a core by prefixes of instance paths; the longest prefix counts.

    The group with the name of the cipher is its cores with their key schedule, ``squarers`` and ``counters`` (adders of counter mode)
    are there if the core has some, ``storage`` the banks, the key memory (if the core reads key words: XTS has none) and the result
    buffer, ``engine`` what the compiler makes: networks, registers, control; ``bus`` the AXI side.

    Parameters
    ----------
    paths : iterable of str
        Instance paths below the top, as ``synth.hierarchy.instances`` gives them.
    """
    groups: dict[str, list[str]] = {cipher: [], "multipliers": [], "storage": []}
    for path in sorted(paths):
        below = path.removeprefix(prefix)
        # Its cores alone stand below a unit.
        unit = re.match(r"engine\.([a-z]+)(?:\d+_)?\d+\.", below)
        if below == "bus.key_schedule":
            groups[cipher].append(path)
        elif re.fullmatch(STORAGE, below):
            groups["storage"].append(path)
        elif unit and unit[1] in UNITS:
            block = groups.setdefault(UNITS[unit[1]] or cipher, [])
            if (name := prefix + unit[0]) not in block:
                block.append(name)
    groups["engine"] = [f"{prefix}engine"]
    groups["bus"] = [f"{prefix}bus"]
    return groups


def measure_core(
    directory: str | Path, target: str, *, pnr: bool = False, freq: float | None = None, placer: str | None = None,
    router: str | None = None, timing_weight: int | None = None, blocks: bool = True, timeout: float | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Synthesises an emitted core; raises ``UnknownName`` for an unknown target.

    Parameters
    ----------
    placer, router : str, optional
        Of place and route: ``heap`` if not given, or ``static``; ``router1`` if not given, or ``router2``.
    timing_weight : int, optional
        What delays count for in the placer ``heap``: 1000 if not given.
    blocks : bool
        Whether to map the design a second time with its blocks kept apart, for figures by block.
    timeout : float, optional
        Seconds that each tool run may take.
    """
    description = _description(directory, target)
    if pnr and target != "ecp5":
        raise InputError(f"--pnr places and routes for ecp5 only, not {target}")
    command = f"modeloom synth DIR --target {target}" + (" --pnr" if pnr else "")
    for option, value in (("freq", freq), ("placer", placer), ("router", router), ("timing-weight", timing_weight)):
        if value is not None:
            if not pnr:
                raise InputError(f"--{option} needs --pnr")
            command += f" --{option} {value:g}" if isinstance(value, float) else f" --{option} {value}"
    check_routing(placer, router, timing_weight)
    check_clock(freq)
    if pnr:
        find_nextpnr()
    text, top = _rtlil(directory, description), description["top"]
    groups = block_groups(instances(text, top), description["cipher"]) if blocks else None
    result = synthesize(
        text, top, target, groups=groups, pnr=pnr, freq=freq, placer=placer or PLACERS[0], router=router or ROUTERS[0],
        timing_weight=timing_weight or TIMING_WEIGHT, command=command, timeout=timeout,
    )  # fmt: skip
    figures = result.to_dict()
    figures["core"] = {key: description[key] for key in ("mode", "sector_bytes", "key_slots", "command") if key in description}
    figures["dsps"] = sum(count for cell, count in result.cells.items() if TARGETS["ecp5"].is_dsp(cell))
    figures["share"] = share(figures) if target == "ecp5" else None
    figures["throughput"] = [throughput(size, result.clock_mhz) for size in description["sizes"]]
    return figures


def share(figures: Mapping[str, Any]) -> dict[str, Any]:
    """The share of the largest ECP5, for which nextpnr places and routes: ``device``, and of each of its kinds of cells the percentage.

    After place and route it is nextpnr's; before that, LUTs are those of logic, those of memories, and two for each four of these, which
    their write ports take.
    """
    used = {
        "luts": figures["luts"] + figures["memories"]["lutram_luts"] * 3 // 2, "ffs": figures["ffs"],
        "bram_cells": figures["memories"]["bram_cells"], "dsps": figures["dsps"],
    }  # fmt: skip
    for name, cell in (("luts", "COMB"), ("ffs", "FF"), ("bram_cells", "DP16KD"), ("dsps", "MULT18X18D")):
        if routed := (figures.get("utilisation") or {}).get(cell):
            used[name] = routed["used"]
    return {"device": DEVICE.partition(",")[0], **{name: round(100 * used[name] / most, 1) for name, most in CAPACITY.items()}}


def throughput(size: Mapping[str, Any], clock_mhz: float | None) -> dict[str, Any]:
    """Of a sector size: ``sector_bytes``, ``interval`` in cycles, ``bits_per_cycle``, and ``gbit_per_second`` where the clock is known."""
    bits = 8 * size["sector_bytes"] / size["interval"]
    return {
        "sector_bytes": size["sector_bytes"], "interval": size["interval"], "bits_per_cycle": round(bits, 2),
        "gbit_per_second": None if clock_mhz is None else round(bits * clock_mhz / 1000, 2),
    }  # fmt: skip


def measure_blocks(
    directory: str | Path, target: str, *, known: Known | None = None, timeout: float | None = None
) -> BlockResult:
    """Maps an emitted core by blocks alone: equal pipelines and equal multipliers are mapped once, and counted each.

    Parameters
    ----------
    known : dict, optional
        Blocks that other cores have had mapped; those of this one are added.
    timeout : float, optional
        Seconds that the mapping of a block may take.

    Raises
    ------
    UnknownName
        For an unknown target.
    SynthesisError
        If Yosys is missing, fails or runs out of time.
    """
    description = _description(directory, target)
    text, top = _rtlil(directory, description), description["top"]
    groups = block_groups(instances(text, top), description["cipher"])
    return synthesize_blocks(text, top, target, groups, command=description["command"], known=known, timeout=timeout)


def check_target(target: str) -> Target:
    """The target of a name; raises ``UnknownName``, or ``InputError`` for a Liberty file that is not there or no design can use."""
    if target not in TARGETS and not target.startswith("liberty:"):
        raise UnknownName("target", target, [*TARGETS, "liberty:FILE"])
    try:
        return target_named(target)
    except ValueError as error:
        raise InputError(str(error)) from None


def check_routing(placer: str | None, router: str | None, timing_weight: int | None) -> None:
    """Raises ``UnknownName`` for a placer or router that there is not, ``InputError`` for a weight that the placer does not know."""
    for kind, name, names in (("placer", placer, PLACERS), ("router", router, ROUTERS)):
        if name and name not in names:
            raise UnknownName(kind, name, names)
    if placer == "static" and timing_weight is not None:
        raise InputError("--timing-weight is for --placer heap")


def check_clock(freq: float | None) -> None:
    """Raises ``InputError`` for a clock target that is no clock."""
    if freq is not None and not 0 < freq < inf:
        raise InputError(f"--freq is a clock in MHz, more than 0, not {freq:g}")


def _description(directory: str | Path, target: str) -> dict[str, Any]:
    description = read_description(directory)
    check_target(target)
    return description


def _rtlil(directory: str | Path, description: dict[str, Any]) -> str:
    return verilog_to_rtlil(verilog_of(directory, description), description["top"])
