# SPDX-License-Identifier: Apache-2.0
"""A test of the core with the bus models of cocotbext-axi, which runs in the user's own flow: ``build --cocotb``.

::

    templates/core_bench.py ──▶ test_NAME.py      the same for every core
    Core.cases, interfaces  ──▶ test_NAME.json    keys, commands, packets and results; ports and registers
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from importlib import resources

from modeloom.product.cases import Case, fields_of
from modeloom.product.core import Core, D
from modeloom.product.description import Description
from modeloom.spec import InputError

__all__ = ["check_cocotb", "cocotb_texts", "with_cocotb"]

REFUSED = "--cocotb drives cores whose keys come into slots and whose messages have one channel, with AXI4-Streams; leave it out"

WIDER = "--cocotb sends beats as wide as those of the core; leave out --data-width"

CLOCKED = "--cocotb drives all buses with one clock, and a reset that is active low; leave out --clock and --reset"

OTHER_BUS = "--cocotb drives registers behind AXI4-Lite; leave out --register-bus apb"

OTHER_WAY = "--cocotb sends commands over their stream; leave out --commands registers"

TEMPLATE = "core_bench.py"


def check_cocotb(wider: bool, clocked: bool, other_bus: bool, other_way: bool) -> None:
    """Raises ``InputError`` for converters, for clocks of buses, for registers behind another bus, and for commands over registers."""
    for refused, why in ((wider, WIDER), (clocked, CLOCKED), (other_bus, OTHER_BUS), (other_way, OTHER_WAY)):
        if refused:
            raise InputError(why)


def with_cocotb(description: D) -> D:
    """The description of a core with the files of such a test."""
    name = description.name
    return replace(description, files=replace(description.files, cocotb=f"test_{name}.py", cases=f"test_{name}.json"))


def cocotb_texts(core: Core[D], description: Description) -> dict[str, str]:
    """The texts of the test by their kinds in ``Files``.

    Raises
    ------
    InputError
        The models of buses cannot drive the core.
    """
    front = description.front
    if front:
        check_cocotb(front.width is not None, front.clocks is not None, front.bus is not None, front.commands is not None)
    cases = core.cases()
    if cases is None:
        raise InputError(REFUSED)
    streams = {one.member: one for one in core.interfaces}
    files = description.files
    told = {
        "schema": "modeloom-cocotb-1",
        "top": front.top if front else description.name,
        "sources": [files.verilog, *([files.front] if files.front else [])],
        "registers": dict(front.registers) if front else {},
        "most_cycles": cases.most_cycles,
        "command_fields": fields_of(streams["cmd"], {"slot": "slot"}),
        "status": fields_of(streams["status"], {"code": "code"} | ({"tag": "tag"} if any(case.tag for case in cases.after) else {})),
        "watched": {one.name: [one.port_name(port) for port in one.payload] for one in (streams["m"], streams["status"])},
        "keys": [[slot, key.hex()] for slot, key in cases.keys],
        "before": _rows(cases.before),
        "after": _rows(cases.after),
    }
    # A line for each command, so that a difference is a line.
    lines = [f" {json.dumps(name)}: {_value(value)}" for name, value in told.items()]
    bench = resources.files(__package__ or "").joinpath("templates", TEMPLATE).read_text(encoding="utf-8")
    return {"cocotb": bench.replace("THIS_FILE", files.cocotb or ""), "cases": "{\n" + ",\n".join(lines) + "\n}\n"}


def _value(value: object) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(f"  {json.dumps(row)}" for row in value) + "\n ]"
    return json.dumps(value)


def _rows(cases: Iterable[Case]) -> list[dict[str, object]]:
    return [
        {
            "command": case.command.hex(), "sent": [[data.hex(), keep] for data, keep in case.sent],
            "wanted": [[data.hex(), keep] for data, keep in case.wanted], "code": int(case.code), "tag": case.tag.hex(),
        }
        for case in cases
    ]  # fmt: skip
