# SPDX-License-Identifier: Apache-2.0
"""Area, depth and clock of a built core, by block of the design."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from modeloom.allocate.program import UnitInstance
from modeloom.compiler import compile_mode
from modeloom.modes import find
from modeloom.options import Options
from modeloom.sim.verilog import verilog_to_rtlil
from modeloom.simulated import read_description
from modeloom.spec import InputError, UnknownName
from modeloom.synth import TARGETS, synthesize

__all__ = ["measure_core", "block_groups"]


def block_groups(
    units: Sequence[UnitInstance], banks: Iterable[str], cipher: str = "aes", prefix: str = "core."
) -> dict[str, list[str]]:
    """Blocks of a core by prefixes of instance paths; the longest prefix counts.

    The group with the name of the cipher is its cores with their key schedule, ``squarers`` and ``counters`` (adders of counter mode)
    are there if the core has some, ``storage`` the banks, the key memory and the result buffer, ``engine`` what the compiler makes:
    networks, registers, control; ``bus`` the AXI side.
    """
    groups: dict[str, list[str]] = {cipher: [f"{prefix}bus.key_schedule"], "multipliers": [], "storage": []}
    for unit in units:
        if unit.kind != "acc":
            block = {"mul": "multipliers", "sqr": "squarers", "add": "counters"}.get(unit.kind, cipher)
            # Its cores alone stand below a unit.
            groups.setdefault(block, []).append(f"{prefix}engine.{unit.name}.")
    groups["storage"] += [f"{prefix}engine.bank_{bank}" for bank in banks]
    groups["storage"] += [f"{prefix}engine.key_memory", f"{prefix}bus.ring"]
    groups["engine"] = [f"{prefix}engine"]
    groups["bus"] = [f"{prefix}bus"]
    return groups


def measure_core(
    directory: str | Path, target: str, *, pnr: bool = False, freq: float | None = None, blocks: bool = True
) -> dict[str, Any]:
    """Synthesises an emitted core; raises ``UnknownName`` for an unknown target.

    Parameters
    ----------
    blocks : bool
        Whether to map the design a second time with its blocks kept apart, for figures by block.
    """
    description = read_description(directory)
    if target not in TARGETS and not target.startswith("liberty:"):
        raise UnknownName("target", target, TARGETS)
    if pnr and target != "ecp5":
        raise InputError(f"--pnr places and routes for ecp5 only, not {target}")
    verilog = Path(directory) / description["verilog"]
    text = verilog_to_rtlil(verilog, description["top"])
    groups = None
    if blocks:
        program = compile_mode(find(description["definition"]), Options(**description["options"]), prove=False).allocation.program
        groups = block_groups(program.units, program.banks, description["cipher"])
    command = f"modeloom synth DIR --target {target}" + (" --pnr" if pnr else "")
    result = synthesize(
        text, description["top"], target, groups=groups, pnr=pnr, freq=freq, command=command
    )
    figures = result.to_dict()
    figures["core"] = {key: description[key] for key in ("mode", "sector_bytes", "key_slots", "command") if key in description}
    return figures
