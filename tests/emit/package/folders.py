# SPDX-License-Identifier: Apache-2.0
"""The folders of a core of each kind, for the tests of the packages."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Any

from tests import streamed
from tests.built import RUN_FOLDER, slowly
from tests.cores.lwc import core as lwc
from tests.emit import emitted

from modeloom.cores.front import clock_options, front_of
from modeloom.cores.sector import SectorCore
from modeloom.cores.stream import StreamCore
from modeloom.emit import emit

__all__ = ["CASES", "CLOCKS_OF_HOST", "RARE", "USUAL", "WITH_REGISTERS", "folder"]

USUAL = ["sectors", "registers", "clocked"]
RARE = ["apb", "wide", "messages", "clocked-messages", "lwc"]
CASES = [*USUAL, *slowly(*RARE)]
"""A core for sectors, one with registers, one whose buses have a clock each; and one with registers behind APB, one with beats of 512 bits,
one for messages, one with some buses in other clocks, and one behind the LWC interface."""

WITH_REGISTERS = {"registers": "s_axil", "apb": "s_apb", "clocked": "s_axil", "clocked-messages": "s_apb"}
"""Cores with registers, and the bus of these."""

CLOCKS_OF_HOST = {"clocked": ("clk_cpu", "clk_cmd", "clk_status", "clk_in", "clk_out"), "clocked-messages": ("clk_cpu", "clk_data")}
"""Cores with clocks of the host, and these."""

FRONTS: dict[str, dict[str, Any]] = {
    "registers": {"kind": "registers"},
    "apb": {"kind": "registers", "bus": "apb"},
    "clocked": {
        "kind": "registers",
        "clocks": clock_options(
            ["registers=clk_cpu", "command=clk_cmd", "status=clk_status", "data-in=clk_in", "data-out=clk_out"], "async-high"
        ),
    },
    "wide": {"kind": None, "data_width": 512},
    "clocked-messages": {
        "kind": "registers", "data_width": 32, "bus": "apb",
        "clocks": clock_options(["registers=clk_cpu", "data-in=clk_data"], "async-low"),
    },
}  # fmt: skip
"""What stands around the core."""

MESSAGES = {"key_bits": 128, "key_slots": 3, "cipher_arch": "multistream", "streams": 1}


def folder(kind: str) -> Path:
    """The folder of the core of a kind; tests read it and leave it as it is."""
    if kind == "sectors":
        return emitted.folder(emitted.SMALLEST)
    if kind == "messages":
        return streamed.folder("no-hash", prove=False, **MESSAGES)
    if kind == "lwc":
        return lwc.folder("no-hash", cipher_arch="multistream", streams=1, cipher_stages=None, mul_stages=0)
    path = Path(os.environ[RUN_FOLDER]) / f"core-package-{kind}"
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.is_dir():
            emit(_inside(kind), path, command="modeloom build --front registers", front=front_of(**FRONTS[kind]))
    return path


def _inside(kind: str) -> SectorCore | StreamCore:
    """The core inside a front end."""
    if kind == "clocked-messages":
        return StreamCore(streamed.compiled("no-hash", prove=False, **MESSAGES))
    return emitted.made(emitted.SMALLEST)
