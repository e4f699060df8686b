# SPDX-License-Identifier: Apache-2.0
"""The LiteX example without a simulation: its instances of cores, what it refuses, and the sectors that its firmware gets."""

from __future__ import annotations

import json
import re

import pytest
from tests.demo.litex_example import FORMS, SMALL, Form, modules, need_litex, write_core

from modeloom.vectors import for_mode


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    """A small core with registers."""
    need_litex()
    return write_core(tmp_path_factory.mktemp("litex") / "core", FORMS["small"])


def changed(core, folder, **changes):
    """A folder with another ``core.json``; None takes a member away."""
    description = json.loads((core / "core.json").read_text())
    for name, value in changes.items():
        if value is None:
            del description[name]
        else:
            description[name] = {**description[name], **value} if isinstance(value, dict) else value
    (folder / "core.json").write_text(json.dumps(description))
    return folder


def instance(verilog, module):
    """The ports of an instance, with what they are connected to."""
    text = re.search(rf"^{module} {module}\((.*?)\);", verilog, re.MULTILINE | re.DOTALL)
    return dict(re.findall(r"\.(\w+)\s*\((.*?)\)(?:,|\s*$)", text[1]))


@pytest.mark.parametrize("commands", ["streams", "registers"])
def test_each_port_has_its_signal(tmp_path, commands):
    need_litex()
    form = Form("xts", SMALL, front={} if commands == "streams" else {"commands": "registers"})
    folder = write_core(tmp_path / "core", form)
    with modules() as run:
        run.generate(folder, tmp_path / "build", 32)
    front = json.loads((folder / "core.json").read_text())["front"]
    ports = instance((tmp_path / "build" / "sim.v").read_text(), front["top"])
    assert ports.keys() == {port["name"] for port in front["ports"]}
    outputs = [ports[port["name"]] for port in front["ports"] if port["direction"] == "output"]
    assert len(set(outputs)) == len(outputs) and all(ports.values())
    assert ports["s_axil_awaddr"] != ports["s_axil_araddr"] and ports["s_axil_awaddr"].endswith(f"[{front['address_bits'] - 1}:0]")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schema": "modeloom-core-2"}, "the schema is not modeloom-core-1"), ({"sizes": None}, "not a core for sectors"),
        ({"front": None}, "build it with --front registers"), ({"front": {"kind": "width"}}, "build it with --front registers"),
        ({"front": {"bus": "apb"}}, "behind apb; build the core without --register-bus"),
        ({"front": {"clocks": {}}}, "without --clock and --reset"),
        ({"sizes": [{"sector_bytes": 68}]}, "68 bytes are no whole number of words of 32 bits and beats of 64 bits"),
        ({"front": {"ports": [{"name": "s_axis_x_tdata", "direction": "input", "width": 8, "stream": "s_axis_x"}]}}, "s_axis_x_tdata"),
    ],
)  # fmt: skip
def test_what_is_refused(core, tmp_path, capsys, changes, message):
    """One line, and the exit status of wrong input."""
    with modules() as run:
        assert run.main([str(changed(core, tmp_path, **changes)), "--build", str(tmp_path / "build")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


def test_no_core(tmp_path, capsys):
    need_litex()
    with modules() as run:
        assert run.main([str(tmp_path), "--build", str(tmp_path / "build")]) == 2
    assert "not the description of a core" in capsys.readouterr().err


def test_no_compiler(core, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with modules() as run:
        assert run.main([str(core), "--build", str(tmp_path / "build")]) == 2
    assert capsys.readouterr().err == "run.py: there is no riscv64-unknown-elf-gcc; run: apt-get install gcc-riscv64-unknown-elf\n"


def test_published_vectors_come_first():
    description = {"mode": "xts", "definition": "xts", "cipher": "aes", "sector_bytes": 512, "tweak_bytes": 16, "key_bytes": 32}
    with modules() as run:
        example = run.example_of(description)
        text = run.header(example)
    assert 1 <= example.published <= len(example.plain) == 16
    published = {(test["key"], test["tweak"], test["pt"], test["ct"]) for test in for_mode("xts")}
    rows = list(zip(example.tweaks, example.plain, example.cipher))
    for row in rows[: example.published]:
        assert (example.key.hex(), *(one.hex() for one in row)) in published
    assert "SECTORS = 16, SECTOR_BYTES = 512, TWEAK_BYTES = 16" in text
    (cipher,) = re.findall(r"CIPHER\[\] = \{([\d,]+)\}", text)
    assert bytes(map(int, cipher.split(","))) == b"".join(example.cipher)
