# SPDX-License-Identifier: Apache-2.0
"""Gates, figures, area on a target, and Verilog of one arithmetic or cipher circuit, for ``modeloom circuit``."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections import Counter
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import IO

from amaranth.back import rtlil

from modeloom.measure.core import check_place, check_target
from modeloom.sim.build import cache_directory
from modeloom.spec import InputError, UnknownName
from modeloom.synth import find_nextpnr, synthesize
from modeloom.synth.blocks import Key, MappedPart
from modeloom.synth.flow import PLACERS, ROUTERS, TIMING_WEIGHT
from modeloom.version import VERSION
from modeloom_circuits import Built, Circuit, find_circuit

__all__ = ["SCHEMA", "KnownBlocks", "circuit_verilog", "measure_circuit"]


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
        find_nextpnr()
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
                _rtlil(built), "circuit", target, mapper=mapper, pnr=pnr, freq=freq, placer=placer or PLACERS[0],
                router=router or ROUTERS[0], timing_weight=timing_weight or TIMING_WEIGHT,
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
        raise InputError(f"--mapper compact works for targets with LUTs only, not for {target}")


def _on_luts(circuit: Circuit, options: Mapping[str, int | str | None], inputs: int) -> dict[str, int | str | None]:
    """The options that depend on the LUTs of the target, where the user names no other."""
    named = {name for name, value in options.items() if value is not None}
    return {
        option.name: option.on_luts[inputs] for option in circuit.options
        if inputs in option.on_luts and not named & {option.name, *option.unless}
    }  # fmt: skip


def _rtlil(built: Built) -> str:
    return rtlil.convert(built.component, name="circuit")


def _gates(built: Built) -> dict[str, object]:
    """The gates in the structure of the circuit, or the gates that Yosys finds if it has none."""
    if built.gates is not None:
        gates = built.gates
        return {
            "and": gates.ands, "xor": gates.xors, "total": gates.total, "depth": gates.depth, "nand2": gates.nand2,
            "gates_of": "structure",
        }  # fmt: skip
    mapped = synthesize(_rtlil(built), "circuit", "gates")
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
