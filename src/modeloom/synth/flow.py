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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import partial
from importlib import metadata, util
from math import inf
from pathlib import Path
from typing import Any, TypedDict

from modeloom.synth.blocks import OTHER, Known, assign, cut, instances, map_parts, separated
from modeloom.synth.memories import with_styles
from modeloom.synth.netlist import Netlist, cell_counts, depth, figures, lut_ff_pairs
from modeloom.synth.result import BlockResult, CriticalPath, Figures, SynthesisError, SynthResult, run_tool, stop_tools
from modeloom.synth.targets import DEVICES, Device, Target, target_named
from modeloom.synth.yosys import Mapped, commands_of, map_design, version_of, ways, without_wide

__all__ = [
    "PLACERS", "ROUTERS", "Routed", "find_nextpnr", "framed", "place_and_route", "synthesize", "synthesize_blocks",
]  # fmt: skip


# -- nextpnr ---------------------------------------------------------------------------------------------------------------------------

# Place and route with nextpnr.  On ECP5 the ports of a core stay unconnected, and only the core is placed.  On other devices, nextpnr wants
# a pin for each port.  There the core is placed within a frame of registers, because it has more ports than a package has pins.
#
# If the system has the program, such as ``nextpnr-ecp5`` (Debian 13 has it), it is used.  It is several times faster than the WebAssembly
# of the Python package.  The result has its version.

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


def place_and_route(netlist: Path, directory: Path, *, freq: float, device: Device, ports: Sequence[str] = (), placer: str = PLACERS[0],
                    router: str | None = None, timing_weight: int | None = None, seed: int = 1, timeout: float | None = None) -> Routed:
    """Places and routes a netlist.

    The ports of the core are not connected to pins, because a core has more ports than the package has pins. Paths from and to ports are
    therefore left out, or end in registers of the frame: the clock is that between registers.

    Parameters
    ----------
    netlist : Path
        Flattened JSON from Yosys, of the core or of the core in its frame.  It must be in `directory`.
    directory : Path
        Where to work.
    freq : float
        Clock target of the placer in MHz.  The result exceeds it only by chance.
    device : Device
        The device.
    ports : sequence of str
        The ports of the frame, if the device needs one.
    placer, router : str
        Of `PLACERS` and `ROUTERS`; the router of the device by default.
    timing_weight : int, optional
        Weight of delays in the placer "heap", relative to the length of wires; that of the device by default.
    seed : int
        Seed of the placer. The same seed gives the same result.
    timeout : float, optional
        Seconds.

    Raises
    ------
    SynthesisError
        If nextpnr is missing or fails, the time runs out, or the design has no clock.
    """
    start, version = find_nextpnr(device)
    if device.constraints[0]:
        (directory / device.constraints[0]).write_text(device.constrained(ports), encoding="utf-8")
    command = [*start, *device.options, "--seed", str(seed), "--freq", f"{freq:g}", "--placer", placer, "--router", router or device.router,
               "--placer-heap-timingweight", str(timing_weight or device.timing_weight),
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


def find_nextpnr(device: Device = DEVICES["ecp5"]) -> tuple[list[str], str]:
    """The command for nextpnr, and its version.  Raises ``SynthesisError`` if there is none for the device."""
    if native := shutil.which(device.tool):
        told = subprocess.run([native, "--version"], capture_output=True, text=True, check=False)
        if found := re.search(r"Version (?:nextpnr-)?([\w.+~-]+)", told.stdout + told.stderr):
            return [native], found[1]
    if util.find_spec(device.module) is None:
        raise SynthesisError(f"nextpnr is missing: pip install {device.package}")
    run = f"run_{device.module.removeprefix('yowasp_')}"
    start = f"import sys, {device.module} as n; sys.exit(n.{run}(sys.argv[1:]))"
    return [sys.executable, "-P", "-c", start], metadata.version(device.package)


# The frame around a core that is placed on a device with few pins.
#
#     frame_in ──▶ chain of registers, one for ──▶ core ──▶ signature, a register for each bit of the outputs ──▶ frame_out
#                  each bit of the inputs                   bit n takes output n XOR bit n - 1
#
# Each input comes from a register and each output goes into one, through one LUT.  Nothing of the core is lost, as all outputs come out.

FRAME = "frame"
"""The module of a core in its frame."""

_PORT = re.compile(r"^  wire (?:width (\d+) )?(?:signed )?(input|output) \d+ +\\(\S+) *$", re.MULTILINE)
_CLOCKS = ("aclk", "clk")


def framed(rtlil: str, top: str) -> tuple[str, tuple[str, ...]]:
    """A design with a module `FRAME` around its top module, and the ports of the frame: the clock, ``frame_in``, ``frame_out``.

    The clock of the core is its input ``aclk`` or ``clk``.  A core without one has no registers, and the frame has a clock of its own.

    Raises
    ------
    SynthesisError
        The core has no inputs or no outputs.
    """
    module = re.search(rf"^module \\{re.escape(top)}\n(.*?)^end$", rtlil, re.MULTILINE | re.DOTALL)
    ports = [(int(width or 1), way, name) for width, way, name in _PORT.findall(module[1] if module else "")]
    clock = next((name for _, way, name in ports if way == "input" and name in _CLOCKS), None)
    inputs = [(width, name) for width, way, name in ports if way == "input" and name != clock]
    outputs = [(width, name) for width, way, name in ports if way == "output"]
    if not inputs or not outputs:
        raise SynthesisError(f"{top} has no inputs or no outputs, so that nothing of it can be placed")
    names = (clock or "clk", "frame_in", "frame_out")
    ways = ("input", "input", "output")
    lines = [f"module \\{FRAME}", *(f"  wire {way} {n} \\{name}" for n, (way, name) in enumerate(zip(ways, names, strict=True), 1))]
    connections = [] if clock is None else [f"    connect \\{clock} \\{clock}"]
    for net, pins in (("inputs", inputs), ("outputs", outputs)):
        at = 0
        for width, name in pins:
            connections.append(f"    connect \\{name} \\{net} [{at + width - 1}:{at}]")
            at += width
        lines.append(f"  wire width {at} \\{net}")
    count, last = (sum(width for width, _ in pins) for pins in (inputs, outputs))
    lines += [
        f"  wire width {last} \\signature", f"  wire width {last} \\sum",
        f"  cell \\{top} \\core", *connections, "  end",
        *_cell("$xor", "sums", {"A_SIGNED": 0, "B_SIGNED": 0, "A_WIDTH": last, "B_WIDTH": last, "Y_WIDTH": last},
               {"A": f"{{{_low('signature', last)} 1'0 }}", "B": "\\outputs", "Y": "\\sum"}),
        *_cell("$dff", "chain", {"WIDTH": count, "CLK_POLARITY": 1},
               {"CLK": f"\\{names[0]}", "D": f"{{{_low('inputs', count)} \\frame_in }}", "Q": "\\inputs"}),
        *_cell("$dff", "sign", {"WIDTH": last, "CLK_POLARITY": 1}, {"CLK": f"\\{names[0]}", "D": "\\sum", "Q": "\\signature"}),
        f"  connect \\frame_out \\signature [{last - 1}]", "end", "",
    ]  # fmt: skip
    return re.sub(r"^attribute \\top 1\n", "", rtlil, flags=re.MULTILINE) + "\n".join(lines), names


def _low(net: str, width: int) -> str:
    """All bits of a net but the highest one."""
    return f" \\{net} [{width - 2}:0]" if width > 1 else ""


def _cell(kind: str, name: str, parameters: Mapping[str, int], connections: Mapping[str, str]) -> Iterator[str]:
    yield f"  cell {kind} ${name}"
    yield from (f"    parameter \\{parameter} {value}" for parameter, value in parameters.items())
    yield from (f"    connect \\{port} {net}" for port, net in connections.items())
    yield "  end"


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
               pnr: bool = False, freq: float | None = None, placer: str = PLACERS[0], router: str | None = None,
               timing_weight: int | None = None, command: str = "", mapper: str = "abc9", seed: int = 1,
               timeout: float | None = None, narrow: bool = False) -> SynthResult:
    """Area and depth of a design, and its clock after place and route.

    Parameters
    ----------
    rtlil : str
        The design as RTLIL text, for instance from ``amaranth.back.rtlil.convert``.
    top : str
        Name of the top module.
    target : str
        A name of :data:`modeloom.synth.targets.TARGETS`, or ``liberty:FILE``.
    groups : mapping, optional
        For each group, prefixes of instance paths below the top (``{"aes": ["aes_"], "storage": ["engine.store"]}``). The longest
        matching prefix decides. Paths without a match belong to ``"other"``. This requires a second mapping, which keeps the
        borders between groups. Its figures add up exactly.
    pnr : bool
        Whether to place and route, which is possible for the targets of :data:`modeloom.synth.targets.DEVICES`.
    freq : float, optional
        Clock target in MHz for place and route; 200 by default.
    placer, router : str
        Options of place and route: :data:`modeloom.synth.flow.PLACERS` and :data:`modeloom.synth.flow.ROUTERS`.  The default of the
        router is that of the device.
    timing_weight : int, optional
        Weight of delays in the placer "heap", 1 or more; that of the device by default.
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
        a target without a device, or if the target has no mapping without wide multiplexers.
    SynthesisError
        If a tool is missing, fails or runs out of time.
    """
    chosen = without_wide(target_named(target)) if narrow else target_named(target)
    _check_placer(placer, router, timing_weight)
    _check_routing(target, pnr, freq)
    if pnr:
        # Before the mapping, which takes minutes.
        find_nextpnr(DEVICES[target])
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
        device, mhz = DEVICES[target], freq or _DEFAULT_MHZ
        path, ports = flat.path, tuple[str, ...]()
        if device.frame:
            path, ports = _with_frame(rtlil, top, chosen, device, Path(work), mapper, timeout)
        routed = place_and_route(
            path, path.parent, freq=mhz, device=device, ports=ports, placer=placer, router=router, timing_weight=timing_weight, seed=seed,
            timeout=timeout,
        )
        return replace(
            result, device=device.name, tools={**tools, device.tool: routed.version}, clock_mhz=routed.clock_mhz, clock_target_mhz=mhz,
            placer=placer, router=router or device.router, utilisation=routed.utilisation, critical_path=routed.critical_path,
            timing_weight=(timing_weight or device.timing_weight) if placer == PLACERS[0] else None,
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


def _with_frame(rtlil: str, top: str, target: Target, device: Device, work: Path, mapper: str, timeout: float | None
                ) -> tuple[Path, tuple[str, ...]]:
    """The mapped netlist of a design in its frame, with pads if the device needs them, and the ports of the frame."""
    text, ports = framed(rtlil, top)
    padded = replace(target, commands=(*target.commands, *device.pads), compact_commands=(*target.compact_commands, *device.pads))
    (directory := work / FRAME).mkdir()
    mapped = map_design(text, FRAME, padded, directory, mapper=mapper, timeout=timeout)
    if device.carry:
        _open_carries(mapped.netlist, *device.carry)
        mapped.path.write_text(json.dumps(mapped.netlist, separators=(",", ":")), encoding="utf-8")
    return mapped.path, ports


def _open_carries(netlist: Netlist, kind: str, port: str, driver: str) -> None:
    """Leaves this input of such cells open where a cell of the type *driver* drives it."""
    for module in netlist["modules"].values():
        cells = module["cells"].values()
        constant = {bits[0] for cell in cells if cell["type"] == driver for bits in cell["connections"].values()}
        for cell in cells:
            if cell["type"] == kind and constant.intersection(cell["connections"].get(port, ())):
                cell["connections"][port] = []


def _check_placer(placer: str, router: str | None, timing_weight: int | None) -> None:
    for kind, name, names in (("placer", placer, PLACERS), ("router", router, ROUTERS)):
        if name is not None and name not in names:
            raise ValueError(f"there is no {kind} {name!r}, only {' and '.join(names)}")
    if timing_weight is not None and timing_weight < 1:
        raise ValueError(f"the placer's timing weight must be positive, not {timing_weight}")


def _check_routing(target: str, pnr: bool, freq: float | None) -> None:
    if pnr and target not in DEVICES:
        raise ValueError(f"place and route is for {', '.join(DEVICES)}, not for target {target}")
    if freq is not None and not 0 < freq < inf:
        raise ValueError(f"the clock target must be positive, not {freq!r} MHz")


def _check(rtlil: str, top: str, target: Target, mapper: str) -> None:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.$]*", top):
        raise ValueError(f"top must be a plain module name, not {top!r}")
    if mapper not in ("abc9", "compact"):
        raise ValueError(f"unknown mapper {mapper!r}: abc9 or compact")
    if mapper == "compact" and not target.compact_commands:
        raise ValueError(f"there is no compact mapper for {target.name}")
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
