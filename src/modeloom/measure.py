# SPDX-License-Identifier: Apache-2.0
"""Area, depth and clock of a built core, by block of the design."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from modeloom.sim.verilog import verilog_to_rtlil
from modeloom.simulated import read_description
from modeloom.spec import InputError, UnknownName
from modeloom.synth import TARGETS, synthesize

__all__ = ["measure_core", "block_groups"]


def block_groups(description: dict[str, Any]) -> dict[str, list[str]]:
    """Blocks of the design by prefixes of instance paths: cipher cores, multipliers, storage, key schedule; the rest is the engine
    and the buses."""
    inner = "core" if description.get("inner") else ""
    prefix = f"{inner}." if inner else ""
    units = description["units"]
    groups: dict[str, list[str]] = {"aes": [], "multipliers": [], "storage": []}
    for unit in units:
        for core in unit["cores"]:
            if unit["kind"] == "mul":
                groups["multipliers"].append(f"{prefix}engine.{unit['name']}.{core}")
            elif unit["kind"] != "acc":
                groups["aes"].append(f"{prefix}engine.{unit['name']}.{core}")
    groups["storage"] += [f"{prefix}engine.bank_{bank}" for bank in description["banks"]]
    groups["storage"] += [f"{prefix}engine.key_memory", f"{prefix}bus.ring"]
    groups["aes"].append(f"{prefix}bus.key_schedule")
    groups["control"] = [f"{prefix}engine.control", f"{prefix}engine.sequencer"]
    groups["bus"] = [f"{prefix}bus"]
    groups["engine"] = [f"{prefix}engine"]
    return groups


def measure_core(directory: str | Path, target: str, *, pnr: bool = False, freq: float | None = None) -> dict[str, Any]:
    """Synthesises an emitted core; raises ``UnknownName`` for an unknown target."""
    description = read_description(directory)
    if target not in TARGETS and not target.startswith("liberty:"):
        raise UnknownName("target", target, TARGETS)
    if pnr and target != "ecp5":
        raise InputError(f"--pnr places and routes for ecp5 only, not {target}")
    verilog = Path(directory) / description["verilog"]
    text = verilog_to_rtlil(verilog, description["top"])
    command = f"modeloom synth DIR --target {target}" + (" --pnr" if pnr else "")
    result = synthesize(
        text, description["top"], target, groups=block_groups(description), pnr=pnr, freq=freq, command=command
    )
    figures = result.to_dict()
    figures["core"] = {key: description[key] for key in ("mode", "sector_bytes", "key_slots", "command") if key in description}
    return figures
