# SPDX-License-Identifier: Apache-2.0
"""A test of the core with the bus models of cocotbext-axi, which runs in the user's own flow: ``build --cocotb``.

::

    templates/core_tests.py  ──▶ test_NAME.py        the tests, the same for every core
    templates/core_bench.py  ──▶ NAME_bench.py       the core between bus models, the same for every core
    templates/core_models.py ──▶ NAME_models.py      packets, commands and statuses over bus models, the same for every core
    templates/core_coverage.py ▶ NAME_coverage.py    functional coverage, the same for every core
    Core.cases, interfaces   ──▶ test_NAME.json      keys, commands, packets and results; ports, registers and points of coverage
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from importlib import resources
from itertools import chain, cycle

from modeloom.product.cases import Case, Cases, converted, fields_of, read_fields
from modeloom.product.core import Core, D
from modeloom.product.description import Description, WithBeats
from modeloom.product.front import FrontDescription
from modeloom.product.lwc import LwcDescription
from modeloom.spec import InputError

__all__ = ["cocotb_texts", "with_cocotb"]

REFUSED = "--cocotb cannot drive this kind of core; leave it out"

TEMPLATES = {"cocotb": "core_tests.py", "cocotb_bench": "core_bench.py", "models": "core_models.py", "coverage": "core_coverage.py"}
"""Templates by kinds in ``Files``."""

PERIOD, HOST_PERIODS = 10, (13.7, 8.1, 11.3, 5.9)
"""Nanoseconds of a cycle of the core, and of the clocks of the host: slower and faster ones, in no simple ratio."""


def with_cocotb(description: D) -> D:
    """The description of a core with the files of such a test."""
    name = description.name
    files = replace(
        description.files, cocotb=f"test_{name}.py", cocotb_bench=f"{name}_bench.py", models=f"{name}_models.py",
        coverage=f"{name}_coverage.py", cases=f"test_{name}.json",
    )  # fmt: skip
    return replace(description, files=files)


def cocotb_texts(core: Core[D], description: Description) -> dict[str, str]:
    """The texts of the test by their kinds in ``Files``.  Raises ``InputError`` if the models of buses cannot drive the core."""
    front, files = description.front, description.files
    cases = core.cases()
    if cases is None:
        raise InputError(REFUSED)
    if front is not None and front.width is not None:
        # Cores with converters have beats of data.
        assert isinstance(description, WithBeats)
        cases = converted(cases, description.beat_bytes, front.width.bits // 8)
    told = _told(core, description, front, cases)
    # A line for each command, so that a difference is a line.
    lines = [f" {json.dumps(name)}: {_value(value)}" for name, value in told.items()]
    names = {
        "TEST_FILE": files.cocotb or "", "BENCH_FILE": files.cocotb_bench or "", "MODELS_FILE": files.models or "",
        "CASES_FILE": files.cases or "", "COVERAGE_FILE_NAME": files.coverage or "",
        "BENCH_MODULE": (files.cocotb_bench or "").removesuffix(".py"), "MODELS_MODULE": (files.models or "").removesuffix(".py"),
        "COVERAGE_MODULE": (files.coverage or "").removesuffix(".py"),
    }  # fmt: skip
    return {
        "cases": "{\n" + ",\n".join(lines) + "\n}\n", **{kind: _filled(template, names) for kind, template in TEMPLATES.items()}
    }  # fmt: skip


def _told(core: Core[D], description: Description, front: FrontDescription | None, cases: Cases) -> dict[str, object]:
    """What the test has to know of the core."""
    files, lwc = description.files, isinstance(description, LwcDescription)
    over_registers = front is not None and front.commands is not None
    assert isinstance(description, WithBeats)
    beat = front.width.bits // 8 if front is not None and front.width is not None else description.beat_bytes
    fields, outputs = _words(description) if isinstance(description, LwcDescription) else _streams(core, cases, over_registers)
    return {
        "schema": "modeloom-cocotb-3",
        "top": front.top if front else description.name,
        "sources": [files.verilog, *([files.front] if files.front else [])],
        "registers": dict(front.registers) if front else {},
        "apb": front is not None and front.bus is not None,
        **_clocks(front),
        "channels": cases.channels,
        "most_cycles": cases.most_cycles,
        "lwc": lwc,
        **fields,
        "watched": outputs,
        "points": cases.required(
            registers=front is not None and bool(front.registers), commands=over_registers,
            several_beats=cases.most_bytes is None or cases.most_bytes > beat,
        ),
        "keys": [[slot, key.hex()] for slot, key in cases.keys],
        "before": _rows(cases.before),
        "after": _rows(cases.after),
    }


def _streams(core: Core[D], cases: Cases, over_registers: bool) -> tuple[dict[str, object], dict[str, list[str]]]:
    """The fields of commands and statuses, and the payloads of outputs, of a core with AXI4-Streams."""
    streams = {one.member: one for one in core.interfaces}
    outputs = (streams["m"], *([] if over_registers else [streams["status"]]))
    status = {"code": "code", **({"tag": "tag"} if any(case.tag for case in cases.after) else {})}
    fields: dict[str, object] = {
        "command_fields": fields_of(streams["cmd"], read_fields(streams["cmd"])),
        "status": fields_of(streams["status"], status | ({"channel": "channel"} if cases.channels > 1 else {})),
    }
    return fields, {one.name: [one.port_name(port) for port in one.payload] for one in outputs}


def _words(description: LwcDescription) -> tuple[dict[str, object], dict[str, list[str]]]:
    """The same behind the LWC interface.  A status is a word, of which a bit tells a failure."""
    bits = description.interface_bits
    fields: dict[str, object] = {
        "command_fields": {"decrypt": [0, 1]}, "status": {"code": [description.failure_bit, 1], "tag": [0, bits]},
    }
    return fields, {"do": ["do_data", "do_last"]}


def _clocks(front: FrontDescription | None) -> dict[str, object]:
    """The clocks of buses, the period of each clock in nanoseconds, the output that tells of an erasure in it, and the reset."""
    told = None if front is None else front.clocks
    clocks = () if told is None else told.clocks
    reset = ("aresetn", False, False) if told is None else (told.reset, told.reset_high, told.reset_asynchronous)
    return {
        "clocks": {bus: clock.name for clock in clocks for bus in clock.buses},
        "periods": dict(zip(("aclk", *(clock.name for clock in clocks)), chain((PERIOD,), cycle(HOST_PERIODS)), strict=False)),
        "erasures": {"aclk": "zeroizing", **{clock.name: clock.zeroizing for clock in clocks}},
        "reset": dict(zip(("port", "high", "asynchronous"), reset, strict=True)),
    }


def _filled(template: str, names: dict[str, str]) -> str:
    text = resources.files(__package__ or "").joinpath("templates", template).read_text(encoding="utf-8")
    for place, name in names.items():
        text = text.replace(place, name)
    return text


def _value(value: object) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(f"  {json.dumps(row)}" for row in value) + "\n ]"
    return json.dumps(value)


def _rows(cases: Iterable[Case]) -> list[dict[str, object]]:
    return [
        {
            "command": case.command.hex(), "key": case.key.hex(), "channel": case.channel,
            "sent": [[data.hex(), keep] for data, keep in case.sent], "wanted": [[data.hex(), keep] for data, keep in case.wanted],
            "code": int(case.code), "tag": case.tag.hex(), "points": [*case.points],
        }
        for case in cases
    ]  # fmt: skip
