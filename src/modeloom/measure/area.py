# SPDX-License-Identifier: Apache-2.0
"""Area, depth and clock: of built cores, for each block of the design, and of arithmetic and cipher circuits."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections import Counter
from collections.abc import Collection, Mapping
from importlib import metadata
from math import inf
from pathlib import Path
from typing import IO, Any

from amaranth.back import rtlil

from modeloom.product.description import Description, Rate
from modeloom.product.folder import read_description, verilog_of
from modeloom.sim.build import cache_directory, verilog_to_rtlil
from modeloom.spec import InputError, UnknownName
from modeloom.synth import TARGETS, BlockResult, Known, Target, find_nextpnr, synthesize, synthesize_blocks, target_named
from modeloom.synth.blocks import Key, MappedPart, instances
from modeloom.synth.flow import PLACERS, ROUTERS
from modeloom.synth.targets import DEVICES, Device
from modeloom.version import VERSION
from modeloom_circuits import Built, Circuit, find_circuit

__all__ = [
    "KnownBlocks", "SCHEMA", "check_clock", "check_place", "check_target", "circuit_verilog", "measure_blocks",
    "measure_circuit", "measure_core", "measure_part", "share", "throughput",
]  # fmt: skip


# -- cores -------------------------------------------------------------------------------------------------------------------------------

# Area, depth and clock of a built core, for each block of the design.

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
        Weight of delays in the placer ``heap``; that of the device by default.
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
        find_nextpnr(DEVICES[target])
    text, top = _rtlil(directory, description), description.top
    groups = description.area_groups(tuple(instances(text, top))) if blocks else None
    result = synthesize(
        text, top, target, groups=groups, pnr=pnr, freq=freq, placer=placer or PLACERS[0], router=router,
        timing_weight=timing_weight, command=command, timeout=timeout, narrow=narrow,
    )  # fmt: skip
    figures = result.to_dict()
    figures["core"] = dict(description.facts)
    figures["dsps"] = sum(count for cell, count in result.cells.items() if TARGETS["ecp5"].is_dsp(cell))
    figures["share"] = share(figures, DEVICES[target]) if target in DEVICES else None
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


def share(figures: Mapping[str, Any], on: Device = DEVICES["ecp5"]) -> dict[str, object]:
    """The share of the device for which nextpnr places and routes: ``device``, and the percentage of each kind of cell.

    After place and route, the numbers come from nextpnr, with the frame if there is one.  Otherwise, LUTs are those of logic, those of
    memories, and two for each four of these, which their write ports take.
    """
    used = {
        "luts": figures["luts"] + figures["memories"]["lutram_luts"] * 3 // 2, "ffs": figures["ffs"],
        "bram_cells": figures["memories"]["bram_cells"], "dsps": figures["dsps"],
    }  # fmt: skip
    for name, (cell, _) in on.capacity.items():
        if routed := (figures.get("utilisation") or {}).get(cell):
            used[name] = routed["used"]
    return {"device": on.name.partition(",")[0], **{name: round(100 * used[name] / most, 1) for name, (_, most) in on.capacity.items()}}


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
    if pnr and target not in DEVICES:
        raise InputError(f"--pnr works for {', '.join(DEVICES)} only, not for {target}")
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


# -- circuits ----------------------------------------------------------------------------------------------------------------------------

# Gates, figures, area on a target, and Verilog of one arithmetic or cipher circuit, for ``modeloom circuit``.

# -- known blocks ----------------------------------------------------------------------------------------------------------------------

# Mapped blocks that are kept beside the built simulations, so that measurements that are continued or run side by side share them.
#
#     key in known ──▶ file there ──────────────────────────────────▶ True
#                  └─▶ no file: take the lock ──▶ file there by now ─▶ True, lock given back
#                                             └─▶ no file ──────────▶ False, lock kept until ``known[key] = part`` or ``close()``
#
# A process that asks for a block which another one is mapping waits for it.  ``map_parts`` asks in the order of the keys, so that no
# two processes wait for each other.


class KnownBlocks:
    """One file for each block, in a folder for each version of pyosys.  A ``with`` block gives locks back if a mapping fails.

    Attributes
    ----------
    reused, mapped : int
        Blocks that were there, and blocks that were added.
    """

    def __init__(self) -> None:
        self.folder = cache_directory() / f"mapped-{metadata.version('pyosys')}"
        self.reused = self.mapped = 0
        self._locks: dict[Path, IO[str]] = {}

    def __enter__(self) -> KnownBlocks:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives all locks back."""
        for path in list(self._locks):
            self._release(path)

    def __contains__(self, key: Key) -> bool:
        path = self._path(key)
        if not path.is_file() and path not in self._locks:
            self._acquire(path)
        if not path.is_file():
            return False
        self._release(path)
        self.reused += 1
        return True

    def __getitem__(self, key: Key) -> MappedPart:
        try:
            row = json.loads(self._path(key).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise KeyError(key) from None
        return MappedPart(Counter(row["cells"]), None if row["area"] is None else Counter(row["area"]), row["yosys"])

    def __setitem__(self, key: Key, part: MappedPart) -> None:
        path = self._path(key)
        self.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=self.folder, delete=False, encoding="utf-8") as partial:
            json.dump(vars(part), partial)
        os.replace(partial.name, path)
        self._release(path)
        self.mapped += 1

    def _path(self, key: Key) -> Path:
        return self.folder / f"{hashlib.sha256(repr(key).encode()).hexdigest()}.json"

    def _acquire(self, path: Path) -> None:
        """Waits for the lock of a block.  Without ``fcntl``, two processes may map a block at the same time."""
        try:
            import fcntl
        except ImportError:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        handle = path.with_suffix(".lock").open("w")
        fcntl.flock(handle, fcntl.LOCK_EX)
        self._locks[path] = handle

    def _release(self, path: Path) -> None:
        if handle := self._locks.pop(path, None):
            handle.close()


# -- circuit ---------------------------------------------------------------------------------------------------------------------------

SCHEMA = "modeloom-circuit-1"

MAPPERS = ("abc9", "compact")


def measure_circuit(
    name: str, *, target: str | None = None, mapper: str = "abc9", pnr: bool = False, freq: float | None = None,
    placer: str | None = None, router: str | None = None, timing_weight: int | None = None, gates: bool = True, **options: int | str | None,
) -> dict[str, object]:  # fmt: skip
    """Figures of a circuit.

    Parameters
    ----------
    name : str
        Name of the circuit.
    target : str, optional
        The target of the mapping, as in ``modeloom synth``.
    mapper : str
        "abc9", or "compact", which puts area before depth (``modeloom.synth.synthesize``).
    pnr, freq : bool, float
        Also place and route (ecp5), with this clock target in MHz.
    placer, router, timing_weight : str, str, int, optional
        Options of place and route, as in ``measure_core``.
    gates : bool
        Whether to map a circuit that has no gate list a second time, to count its gates.
    options
        Options of the circuit.  None means the default, which may depend on the target (``Option.on_luts``).

    Returns
    -------
    dict
        ``schema``, ``circuit``, ``title``, ``source``, ``options``, ``latency``, ``interval`` (cycles), ``and``, ``xor``, ``total``
        and ``depth`` (two-input gates), ``gates_of`` ("structure" for the gates of the circuit before any tool, "mapping" for the
        gates of Yosys), further figures of the circuit, and with a target ``target``, ``mapper``, ``luts``, ``pairs``
        (LUT-FF pairs), ``levels``, ``ffs``, ``memories``, ``area_nand2``, ``delay_ns``, ``fast``, ``clock_mhz`` and ``tools``.

    Raises
    ------
    UnknownName
        For an unknown circuit, option or target.
    InputError
        For a value that an option does not have.
    SynthesisError
        If a tool is missing or fails.
    """
    circuit = find_circuit(name)
    _check(target, mapper, pnr, freq)
    check_place(target, pnr, freq, placer, router, timing_weight)
    if pnr:
        find_nextpnr(DEVICES[str(target)])
    if target is not None:
        options = {**options, **_on_luts(circuit, options, check_target(target).lut_inputs)}
    built = circuit.build(**options)
    chosen = {option.name: options.get(option.name) for option in circuit.options}
    result: dict[str, object] = {
        "schema": SCHEMA,
        "circuit": name,
        "title": circuit.title,
        "source": circuit.source,
        "options": {
            option.name: option.default if (value := chosen[option.name]) is None else option.checked(value)
            for option in circuit.options
        },
        "latency": built.component.latency,
        "interval": built.component.interval,
        **(_gates(built) if gates or built.gates is not None else {}),
        **built.figures,
    }
    if target is not None:
        try:
            mapped = synthesize(
                _rtlil_of_circuit(built), "circuit", target, mapper=mapper, pnr=pnr, freq=freq, placer=placer or PLACERS[0],
                router=router, timing_weight=timing_weight,
            )  # fmt: skip
        except ValueError as error:
            raise InputError(str(error)) from None
        result |= {
            "target": target, "mapper": mapper, "luts": mapped.luts, "pairs": mapped.pairs, "levels": mapped.levels, "ffs": mapped.ffs,
            "memories": mapped.memories, "area_nand2": mapped.area_nand2, "delay_ns": mapped.delay_ns, "fast": mapped.fast,
            "clock_mhz": mapped.clock_mhz, "tools": mapped.tools,
        }  # fmt: skip
    return result


def _check(target: str | None, mapper: str, pnr: bool, freq: float | None) -> None:
    """Raises ``UnknownName`` or ``InputError`` for options that do not go with each other."""
    chosen = None if target is None else check_target(target)
    if mapper not in MAPPERS:
        raise UnknownName("mapper", mapper, MAPPERS)
    if target is None and (pnr or freq is not None or mapper != "abc9"):
        raise InputError("--mapper, --pnr and --freq need a --target")
    if chosen is not None and mapper == "compact" and not chosen.compact_commands:
        raise InputError(f"--mapper compact does not work for {target}")


def _on_luts(circuit: Circuit, options: Mapping[str, int | str | None], inputs: int) -> dict[str, int | str | None]:
    """The options that depend on the LUTs of the target, where the user names no other."""
    named = {name for name, value in options.items() if value is not None}
    return {
        option.name: option.on_luts[inputs] for option in circuit.options
        if inputs in option.on_luts and not named & {option.name, *option.unless}
    }  # fmt: skip


def _rtlil_of_circuit(built: Built) -> str:
    return rtlil.convert(built.component, name="circuit")


def _gates(built: Built) -> dict[str, object]:
    """The gates in the structure of the circuit, or the gates that Yosys finds if it has none."""
    if built.gates is not None:
        gates = built.gates
        return {
            "and": gates.ands, "xor": gates.xors, "total": gates.total, "depth": gates.depth, "nand2": gates.nand2,
            "gates_of": "structure",
        }  # fmt: skip
    mapped = synthesize(_rtlil_of_circuit(built), "circuit", "gates")
    assert mapped.gates is not None
    ands, xors = mapped.gates["and"], mapped.gates["xor"]
    return {"and": ands, "xor": xors, "total": ands + xors, "depth": mapped.levels, "nand2": 4 * xors + 2 * ands, "gates_of": "mapping"}


def circuit_verilog(name: str, module: str, **options: int | str | None) -> str:
    """Verilog of a circuit.  ``module`` is the name of the top module and the prefix of the names of all others.

    Raises
    ------
    UnknownName, InputError
        As ``measure_circuit``.
    """
    from modeloom_verilog.modules import component_rtlil, inner_verilog

    circuit = find_circuit(name)
    built = circuit.build(**options)
    chosen = "".join(f" {option.flag} {options[option.name]}" for option in circuit.options if options.get(option.name) is not None)
    head = (
        f"// {module}: {circuit.title} ({circuit.source}); latency {built.component.latency}, interval {built.component.interval} cycles\n"
        f"// modeloom {VERSION}: modeloom circuit {name}{chosen}\n"
        "// SPDX-License-Identifier: Apache-2.0\n\n"
    )
    return head + inner_verilog(component_rtlil(built.component, module), module)
