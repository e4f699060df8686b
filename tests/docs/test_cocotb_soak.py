# SPDX-License-Identifier: Apache-2.0
"""The stored runs of ``bench/cocotb_soak.py``: the documents print what is stored, and a result says which Verilog it belongs to."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import date
from types import ModuleType
from typing import Any

import pytest
from tests.scripts import ROOT, script

STORED: dict[str, dict[str, Any]] = json.loads((ROOT / "bench" / "cocotb_soak.json").read_text(encoding="utf-8"))

PAGE = (ROOT / "docs" / "packages.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    return script("bench/cocotb_soak.py")


@pytest.mark.parametrize("kind", ["sectors", "messages"])
def test_a_stored_run_is_whole(kind: str, bench: ModuleType) -> None:
    told = STORED[kind]
    asked = re.fullmatch(rf"python bench/cocotb_soak\.py {kind} (\d+)( --simulator \w+)? --seed \d+", told["command"])
    assert asked is not None and told["sent"] >= int(asked[1])
    assert told["sent"] == told["rounds"] * told["distinct"] * bench.PATTERNS and told["distinct"] == bench.DISTINCT
    # The seconds are rounded.
    assert told["sent"] / (told["seconds"] + 0.6) < told["each second"] < told["sent"] / (told["seconds"] - 0.6)
    assert re.fullmatch(r"[0-9a-f]{64}", told["sha256"]) and date.fromisoformat(told["date"])
    assert set(told["versions"]) == {told["simulator"], "cocotb"}


def test_the_page_prints_what_is_stored() -> None:
    tool = script("tools/readme.py")
    (printed,) = (match for match in tool.MARKED.finditer(PAGE) if match[2] == "soak")
    assert printed[0] == f"{printed[1]}{tool.soak()}{printed[3]}"
    for kind, told in STORED.items():
        number = f"{told['sent']:,}".replace(",", " ")
        row = rf"^\| {kind} \| `{told['core']}` \| `{told['sha256']}` \| {told['date']} \| .* \| {number} \|$"
        assert re.search(row, printed[0], re.MULTILINE)


def test_other_pages_state_no_more_than_was_run() -> None:
    """The commands of the page, and the list of changes, name as many as were run at least."""
    named = re.findall(r"cocotb_soak\.py (\w+) (\d+)", PAGE)
    assert {kind for kind, _ in named} == set(STORED) and all(int(number) <= STORED[kind]["sent"] for kind, number in named)
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    told = re.search(r"cocotb_soak\.py` sends ([\d ]+) sectors or messages", changes)
    assert told is not None and int(told[1].replace(" ", "")) <= min(one["sent"] for one in STORED.values())


def test_a_result_has_the_hash_of_its_verilog(bench: ModuleType, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "versions", lambda simulator: {simulator: "5.0", "cocotb": "2.0"})
    (tmp_path / "core.v").write_text("module core; endmodule\n", encoding="utf-8")
    told = bench.about(tmp_path / "core.v", "verilator")
    assert told["sha256"] == hashlib.sha256(b"module core; endmodule\n").hexdigest() and date.fromisoformat(told["date"])


def test_versions_are_told(bench: ModuleType) -> None:
    assert all(re.match(r"\d+\.\d+", one) for one in bench.versions("verilator").values())


def test_the_version_is_that_of_the_package(bench: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """The emitted test takes the Verilator of the Python package, and not the one on the path."""
    monkeypatch.setattr(bench, "version", {"verilator": "5.48.0", "cocotb": "2.1.0"}.__getitem__)
    assert bench.versions("verilator") == {"verilator": "5.048", "cocotb": "2.1.0"}
