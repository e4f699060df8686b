# SPDX-License-Identifier: Apache-2.0
"""The blocks of the area report of cores for messages of every kind, in the netlist that ``modeloom synth`` maps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.built import slow
from tests.cores.lwc import core as lwc
from tests.streamed import TINY, folder

from modeloom.measure.area import measure_blocks
from modeloom.product.folder import read_description, verilog_of
from modeloom.sim.build import verilog_to_rtlil
from modeloom.synth.blocks import OTHER, assign, cut, instances, separated

STAGE: dict[str, Any] = {"prove": False, "cipher_stages": 1}
SMALL: dict[str, Any] = {**STAGE, "mul_stages": 1, "key_bits": 128, "key_slots": 3}

PLAIN = {"aes", "storage", "pipeline", "bus"}
HASHED, DEOXYS = {*PLAIN, "multiplier"}, {*PLAIN, "deoxys-bc"} - {"aes"}

KINDS: dict[str, tuple[str, dict[str, Any], set[str]]] = {"round core": ("gcm", TINY, HASHED)}
RARE: dict[str, tuple[str, dict[str, Any], set[str]]] = {
    "two blocks per cycle": ("gcm", {**SMALL, "blocks_per_cycle": 2}, HASHED),
    "keys with messages": ("gcm", {**SMALL, "keys": "inline"}, HASHED),
    "derived keys": ("gcm-siv", {**SMALL, "keys": "derived"}, {*HASHED, "deriver"}),
    "one block per cycle": ("gcm", SMALL, HASHED),
    "four blocks per cycle": ("gcm", {**SMALL, "blocks_per_cycle": 4}, HASHED),
    "two blocks per cycle without a hash": ("ocb3", {**STAGE, "key_bits": 128, "blocks_per_cycle": 2}, PLAIN),
    "two ciphers": ("ccm", {**STAGE, "key_bits": 128}, PLAIN),
    "channels": ("ccm", {**STAGE, "key_bits": 128, "channels": 4}, PLAIN),
    "one key schedule": ("gcm", {**SMALL, "keys": "inline", "key_schedules": 1}, HASHED),
    "expanded keys": ("gcm", {**SMALL, "keys": "expanded"}, HASHED),
    "stored messages": ("deoxys-ii", {**STAGE, "key_slots": 2, "message_buffer": 256}, {*DEOXYS, "buffer"}),
    "stored messages, derived keys": ("gcm-siv", {**SMALL, "keys": "derived", "message_buffer": 256}, {*HASHED, "deriver", "buffer"}),
}  # fmt: skip
CASES = [*KINDS, *(pytest.param(kind, marks=slow) for kind in RARE)]


def check(directory: Path, wanted: set[str]) -> None:
    """Every block has its parts, and ciphers, key schedules and multipliers are in theirs."""
    description = read_description(directory)
    netlist, top = verilog_to_rtlil(verilog_of(directory, description), description.top), description.top
    groups = description.area_groups(tuple(instances(netlist, top)))
    apart = separated(netlist, top, groups)
    owner = assign(apart, top, groups)
    assert set(owner.values()) - {OTHER} == wanted
    assert {part.group for part in cut(apart, top, owner)} - {OTHER} == wanted
    assert instances(apart, top).keys() == instances(netlist, top).keys()
    of_cipher = {description.cipher, "deriver"}
    for path, module in instances(apart, top).items():
        for words, blocks in (("cipher", of_cipher), ("key_schedule", of_cipher), ("sbox", of_cipher), ("multiplier", {"multiplier"})):
            if any(part.startswith(words) or words == "sbox" and "_sbox" in part for part in path.split(".")):
                assert owner[module] in blocks, path


@pytest.mark.parametrize("kind", CASES)
def test_blocks(kind: str) -> None:
    mode, options, wanted = {**KINDS, **RARE}[kind]
    check(folder(mode, **options), wanted)


@slow
def test_blocks_behind_the_lwc_interface() -> None:
    check(lwc.folder("ccm"), {*PLAIN, "interface"})


@slow
@pytest.mark.parametrize("options", [{"blocks_per_cycle": 2}, {"keys": "inline"}], ids=["two blocks per cycle", "keys with messages"])
def test_a_core_is_mapped(options: dict[str, Any]) -> None:
    """By Yosys: each block has LUTs, and two ciphers have twice those of one."""
    core = folder("gcm", **SMALL, **options)
    found = measure_blocks(core, "ecp5")
    assert found.blocks.keys() >= HASHED and all(found.blocks[name].luts for name in HASHED)
    assert found.total.luts == sum(block.luts for block in found.blocks.values())
