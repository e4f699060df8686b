# SPDX-License-Identifier: Apache-2.0
"""Area, depth and clock of a built core, by block of the design."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from modeloom.allocate.program import UnitInstance
from modeloom.compiler import compile_mode
from modeloom.modes import find
from modeloom.options import Options
from modeloom.sim.verilog import verilog_to_rtlil
from modeloom.simulated import read_description
from modeloom.spec import InputError, UnknownName
from modeloom.synth import TARGETS, BlockResult, Known, synthesize, synthesize_blocks

__all__ = ["block_groups", "measure_blocks", "measure_core"]


def block_groups(
    units: Sequence[UnitInstance], banks: Iterable[str], cipher: str = "aes", prefix: str = "core.", *, key_memory: bool = True
) -> dict[str, list[str]]:
    """Blocks of a core by prefixes of instance paths; the longest prefix counts.

    The group with the name of the cipher is its cores with their key schedule, ``squarers`` and ``counters`` (adders of counter mode)
    are there if the core has some, ``storage`` the banks, the key memory (if the core reads key words: XTS has none) and the result
    buffer, ``engine`` what the compiler makes: networks, registers, control; ``bus`` the AXI side.
    """
    groups: dict[str, list[str]] = {cipher: [f"{prefix}bus.key_schedule"], "multipliers": [], "storage": []}
    for unit in units:
        if unit.kind != "acc":
            block = {"mul": "multipliers", "sqr": "squarers", "add": "counters"}.get(unit.kind, cipher)
            # Its cores alone stand below a unit.
            groups.setdefault(block, []).append(f"{prefix}engine.{unit.name}.")
    groups["storage"] += [f"{prefix}engine.bank_{bank}" for bank in banks]
    groups["storage"] += [f"{prefix}engine.key_memory"] if key_memory else []
    groups["storage"] += [f"{prefix}bus.ring"]
    groups["engine"] = [f"{prefix}engine"]
    groups["bus"] = [f"{prefix}bus"]
    return groups


def measure_core(
    directory: str | Path, target: str, *, pnr: bool = False, freq: float | None = None, blocks: bool = True,
    timeout: float | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Synthesises an emitted core; raises ``UnknownName`` for an unknown target.

    Parameters
    ----------
    blocks : bool
        Whether to map the design a second time with its blocks kept apart, for figures by block.
    timeout : float, optional
        Seconds that each tool run may take.
    """
    description = _description(directory, target)
    if pnr and target != "ecp5":
        raise InputError(f"--pnr places and routes for ecp5 only, not {target}")
    command = f"modeloom synth DIR --target {target}" + (" --pnr" if pnr else "")
    result = synthesize(
        _rtlil(directory, description), description["top"], target, groups=_groups(description) if blocks else None, pnr=pnr,
        freq=freq, command=command, timeout=timeout,
    )  # fmt: skip
    figures = result.to_dict()
    figures["core"] = {key: description[key] for key in ("mode", "sector_bytes", "key_slots", "command") if key in description}
    return figures


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
    text = _rtlil(directory, description)
    return synthesize_blocks(
        text, description["top"], target, _groups(description), command=description["command"], known=known, timeout=timeout
    )


def _description(directory: str | Path, target: str) -> dict[str, Any]:
    description = read_description(directory)
    if target not in TARGETS and not target.startswith("liberty:"):
        raise UnknownName("target", target, TARGETS)
    return description


def _rtlil(directory: str | Path, description: dict[str, Any]) -> str:
    return verilog_to_rtlil(Path(directory) / description["verilog"], description["top"])


def _groups(description: dict[str, Any]) -> dict[str, list[str]]:
    return _groups_of(description["definition"], json.dumps(description["options"], sort_keys=True), description["cipher"])


@lru_cache(maxsize=16)
def _groups_of(definition: str, options: str, cipher: str) -> dict[str, list[str]]:
    """Groups of a core, for several targets found once: its schedule may take the solver minutes."""
    compiled = compile_mode(find(definition), Options(**json.loads(options)), prove=False)
    program = compiled.allocation.program
    read = any(net.key_ports for net in compiled.core_program.nets.values())
    return block_groups(program.units, program.banks, cipher, key_memory=read)
