# SPDX-License-Identifier: Apache-2.0
"""The rules of a core allow as many commands without a status as the core takes while nothing leaves it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from amaranth.back import rtlil
from tests.built import slowly
from tests.streamed import compiled

from modeloom.cores.stream import StreamCore
from modeloom.interfaces.messages import pack_message_command
from modeloom.sim import Simulation, build

STREAMS: dict[str, Any] = {"key_bits": 128, "key_slots": 3, "cipher_arch": "multistream", "streams": 1}
PIPELINE: dict[str, Any] = {"key_bits": 128, "cipher_stages": 1, "mul_stages": 1, "key_slots": 3}

CORES: dict[str, tuple[str, dict[str, Any]]] = {
    "starts that run ahead": ("ocb3", {**STREAMS, "streams": 4}),
    "starts that run ahead, a round": ("ocb3", STREAMS),
    "starts that run ahead, pairs": ("aes-otr", {**STREAMS, "streams": 4}),
    "starts that run ahead, a pipeline": ("ocb3", PIPELINE),
    "a hash": ("gcm", STREAMS),
    "a hash, a pipeline": ("gcm", PIPELINE),
    "channels": ("gcm", {**PIPELINE, "channels": 2}),
    "chained channels": ("ccm", {**PIPELINE, "channels": 2}),
    "starts that run ahead, channels": ("ocb3", {**PIPELINE, "channels": 2}),
    "on the wire": ("ocb3", {**PIPELINE, "packet": "wire"}),
}
QUICK = "starts that run ahead"

PATIENCE = 1000
"""Cycles without a command after which the core takes no more."""


@pytest.mark.parametrize("core", [QUICK, *slowly(*(name for name in CORES if name != QUICK))])
def test_commands_without_a_status(core: str) -> None:
    mode, options = CORES[core]
    made = compiled(mode, prove=False, **options)
    made_core = StreamCore(made)
    text = rtlil.convert(made_core.component(), name="top", emit_src=False)
    sim = Simulation(build(text, "top", optimize=0), clock="aclk", reset="aresetn")
    sim.set("aresetn", 0)
    sim.step(4)
    sim.set("aresetn", 1)
    sim.step(2)
    while sim.get("zeroizing"):
        sim.step(1)
    nonce = bytes(min(map(min, made.mode.nonce_bytes)))
    # No slot has a key.  The tags of refused messages take their places as others do.
    command = pack_message_command(
        block_bytes=made.mode.block_bytes, nonce=nonce, associated=0, tag=b"", tag_bytes=16, id=0, slot=0, decrypt=False,
    )  # fmt: skip
    sim.set("s_axis_cmd_tdata", int.from_bytes(command, "little"))
    for name in ("s_axis_cmd_tvalid", "s_axis_tvalid", "s_axis_tlast", "m_axis_tready"):
        sim.set(name, 1)
    taken = waited = 0
    while waited < PATIENCE:
        waited = 0 if sim.get("s_axis_cmd_tready") else waited + 1
        taken += not waited
        sim.step(1)
    (most,) = re.findall(r"IN_FLIGHT    = (\d+);", made_core.rules("top"))
    assert 0 < taken <= int(most)
