# SPDX-License-Identifier: Apache-2.0
"""Cores with the test that ``build --cocotb`` writes, and runs of it as its users run it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests import built
from tests.cores.front.cores import MESSAGES, SECTORS

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.cores.front import clock_options, front_of
from modeloom.cores.lwc import LwcCore
from modeloom.cores.sector import SectorCore
from modeloom.cores.stream import StreamCore
from modeloom.emit import emit
from modeloom.modes import find_any

TESTS = 9
"""Tests of each core.  Those of slots and registers are skipped where there are none."""


@dataclass(frozen=True)
class Form:
    """A mode with options, and what stands around its core: registers, bits of the data streams, and more."""

    mode: str
    options: dict[str, Any] = field(default_factory=dict)
    front: str | None = None
    bits: int | None = None
    more: dict[str, Any] = field(default_factory=dict)


FORMS = {
    "sectors": Form("xts"),
    "sectors with registers": Form("xts", front="registers"),
    "sectors over 32 bits": Form("xts", bits=32),
    "sectors over 256 bits, with registers behind APB": Form("xts", front="registers", bits=256, more={"bus": "apb"}),
    "sectors, commands over registers": Form("xts", front="registers", more={"commands": "registers"}),
    "sectors, commands over registers, with a reset at any time": Form(
        "xts", front="registers", more={"commands": "registers", "clocks": clock_options([], "async-low")},
    ),
    "sectors of two sizes, each of one beat of 1024 bits": Form("xts", {"more_sectors": (24,)}, bits=1024),
    "sectors of one beat of 512 bits, and of several": Form("xts", {"sector": 16, "more_sectors": (264,)}, bits=512),
    "messages": Form("gcm"),
    "messages over 32 bits": Form("gcm", bits=32),
    "messages over 64 bits": Form("gcm", bits=64),
    "messages over 1024 bits": Form("gcm", bits=1024),
    "messages with registers": Form("gcm", front="registers"),
    "messages, commands over registers": Form("gcm", front="registers", more={"commands": "registers"}),
    "messages on the wire over 512 bits": Form("gcm", {"packet": "wire"}, bits=512),
    "messages, commands over registers behind APB": Form("gcm", front="registers", more={"commands": "registers", "bus": "apb"}),
    "messages of two channels": Form("gcm", {"channels": 2}),
    "messages of three channels over 64 bits": Form("gcm", {"channels": 3}, bits=64),
    "sectors in three clocks": Form("xts", more={"clocks": clock_options(["data=clk_data", "command,status,key=clk_host"], "high")}),
    "sectors, with registers in a clock of their own": Form(
        "xts", front="registers", more={"clocks": clock_options(["registers=clk_cpu,status=clk_host"], "async-low")},
    ),
    "sectors, commands over registers, in another clock with a reset at any time": Form(
        "xts", front="registers", more={"commands": "registers", "clocks": clock_options(["all=clk_host"], "async-low")},
    ),
    "sectors over 512 bits, commands over slow registers behind APB": Form(
        "xts", front="registers", bits=512,
        more={
            "commands": "registers", "bus": "apb",
            "clocks": clock_options(["data-in=clk_in,data-out=clk_out,registers=clk_cpu"], "async-high"),
        },
    ),
    "messages of two channels over 64 bits, in another clock": Form(
        "gcm", {"channels": 2}, bits=64, more={"clocks": clock_options(["all=clk_host"], "async-high")},
    ),
    "messages, commands over registers behind APB in a clock of their own": Form(
        "gcm", front="registers",
        more={"commands": "registers", "bus": "apb", "clocks": clock_options(["registers=clk_cpu,data=clk_data"], "low")},
    ),
    "messages behind the LWC interface": Form("gcm", {"interface": "lwc"}),
    "messages behind the LWC interface, with lengths first and words of 64 bits": Form("ccm", {"interface": "lwc", "interface_bits": 64}),
    "keys that come with messages": Form("gcm", {"keys": "inline"}),
}
"""Cores for which the test is run."""


def core_of(form: str):
    """A small core."""
    one = FORMS[form]
    if one.mode == "xts":
        return SectorCore(built.compiled("xts", prove=False, **{**SECTORS, **one.options}))
    options = {**MESSAGES, **one.options}
    kind: type[StreamCore] = StreamCore
    if options.get("interface") == "lwc":
        kind = LwcCore
        # An instruction activates a key and names no slot.
        del options["key_slots"]
    return kind(compile_stream(find_any(one.mode), StreamOptions(**options), prove=False))


def written(folder: Path, form: str):
    """The core with its test."""
    one = FORMS[form]
    return emit(
        core_of(form), folder, command=f"modeloom build {one.mode} --cocotb", front=front_of(one.front, one.bits, **one.more), cocotb=True
    )  # fmt: skip


def ran(folder: Path, description, *simulator: str, **environment) -> subprocess.CompletedProcess:
    """A run of the test as a user runs it, without modeloom."""
    command = [sys.executable, description.files.cocotb, *simulator]
    told = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"SEED": "7"} | environment
    return subprocess.run(command, cwd=folder, env=told, capture_output=True, text=True, timeout=1500, check=False)


def covered(result: subprocess.CompletedProcess) -> tuple[float, set[str]]:
    """The percentage of the points of coverage that a run has met, and those that it has not."""
    line = next(line for line in result.stdout.splitlines() if line.startswith("coverage: "))
    told = re.fullmatch(r"coverage: (\d+) of (\d+) points, ([0-9.]+) %(?:; not met: (.*))?", line)
    assert told is not None, line
    left = set(told[4].split(", ")) if told[4] else set()
    assert len(left) == int(told[2]) - int(told[1])
    return float(told[3]), left

